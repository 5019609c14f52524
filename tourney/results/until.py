"""The decisions of ``[until]`` in a tournament file: whether its question is answered, and the answer.

A round-robin compares its entrants by the points of its cycles, as all meet equally often. An adaptive
tournament, whose pairings depend on results, compares them by direct meetings alone. Both are in
``tourney.schedule.until_rule``. All intervals hold at every look.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from tourney.results.standings import load_history, load_setup
from tourney.schedule.adaptive import Adaptive, strengths_now
from tourney.schedule.format import Format, History, Pairings, Setup, group_size, ranking_format
from tourney.schedule.player_history import departures, present_in
from tourney.schedule.until_rule import (
    CONFIDENCE,
    SHARE,
    CyclePoints,
    Duels,
    Kind,
    Until,
    claims,
    levels,
)
from tourney.store.database import Database
from tourney.store.values import Tournament


@dataclass(frozen=True, slots=True)
class Ending:
    """An end before the schedule's: the condition of ``[until]`` that was met, and the entrants that met it.

    ``entrants``: the best one, those of the top, or all in order: their numbers, the strongest first.
    """

    kind: Kind
    entrants: tuple[int, ...] = ()


def ending(format_: Format, setup: Setup, history: History) -> Ending | None:
    """The condition of ``[until]`` that the results of a history meet, or None.

    If they meet several, the first of width, best, top, order and games.
    """
    until = setup.until
    if until is None:
        return None
    present = present_in(history.rounds + 1, setup, departures(setup, history))
    if len(present) > 1 and history.results:
        if until.width is not None and _width(format_, setup, history, present) <= until.width:
            return Ending("width")
        if until.compares and (answer := _answer(format_, setup, until, history, present)):
            return answer
    if until.games is not None and as_planned(format_, setup, len(history.rows)):
        # Without the limit of games: if the schedule ends as early by itself, the limit decided nothing.
        alone = replace(setup, extra=tuple(pair for pair in setup.extra if pair[0] != "until-games"))
        schedule = format_.planned_matches(alone)
        planned = format_.planned_matches(setup)
        return Ending("games") if schedule is None or schedule != planned else None
    return None


def ended_by(format_: Format, setup: Setup, history: History) -> Ending | None:
    """The reason for the end of a tournament with all results, or None if its schedule was played out."""
    # The end was decided by the results at the time when the last rounds were drawn.
    seen = history.rounds - format_.lag
    results_seen = (result for result in history.results if result.key.round <= seen)
    return ending(format_, setup, History(history.rows, results_seen))


def as_planned(format_: Format, setup: Setup, rows: int) -> bool:
    """Whether a tournament that ended after ``rows`` rows ended as planned, not by its results."""
    planned = format_.planned_matches(setup)
    more = setup.games if isinstance(format_, Adaptive) else 1
    if setup.until is None and setup.setting("target-sigma") is None:
        return not format_.ends_by_results
    return planned is not None and rows + more > planned


def next_rounds(format_: Format, setup: Setup, history: History) -> Pairings:
    """The rounds to add: none if the history answers ``[until]``, else the format's next rounds."""
    if ending(format_, setup, history) is not None:
        return Pairings((), complete=True)
    return format_.next_rounds(setup, history)


def _width(format_: Format, setup: Setup, history: History, present: Sequence[int]) -> float:
    # Loading NumPy takes as long as all else that a status loads, and only ``width`` asks for it.
    from tourney.results.interval_widths import widest_now  # noqa: PLC0415 - as said above

    return widest_now(format_, setup, history, present)


def _answer(
    format_: Format, setup: Setup, until: Until, history: History, present: Sequence[int]
) -> Ending | None:
    """The answer to the comparison that ``[until]`` asks for, or None while it is open."""
    sums: Duels
    if isinstance(format_, Adaptive):
        rating: Mapping[int, int] | Sequence[int] = strengths_now(setup, history).rating
        sums = history.sums(Duels, shared_dice=setup.shared_dice)
    else:
        unit = format_.planned_matches(replace(setup, repeats=1, extra=())) or 1
        meetings = unit * setup.seats // (group_size(setup.seats) * len(setup.participants))
        sums = cycles = history.sums(CyclePoints, unit, max(meetings, 1))
        rating = cycles.points
    ranked = sorted(present, key=lambda number: (-rating[number], number))
    for kind, level in levels(until, len(present)).items():
        if all(sums.ahead(a, b, level) for a, b in claims(kind, ranked, until.top)):
            return Ending(kind, tuple(ranked[: {"best": 1, "top": until.top}.get(kind)]))
    return None


def ending_text(ending_: Ending, until: Until, names: Sequence[str]) -> str:
    """The reason for a tournament's end in words; ``names`` are the entrants', by number."""
    if ending_.kind == "width":
        return f"every Elo is known to {until.width} on each side (95 % at every look)"
    if ending_.kind == "games":
        return f"{until.games} games are played"
    share = until.best if ending_.kind == "best" else CONFIDENCE
    sure = f"with {100 * (share or 0) / SHARE:g} % confidence"
    who = [names[number] for number in ending_.entrants]
    if ending_.kind == "best":
        return f"{who[0]} is the best, {sure}"
    if ending_.kind == "top":
        return f"the best {len(who)} are {', '.join(sorted(who))}, {sure}"
    return f"the order is {', '.join(who)}, {sure}"


def until_now(database: Database, tournament: Tournament) -> str | None:
    """The distance of a tournament from its ``[until]``, or its end by it; None without ``[until]``."""
    plan = tournament.plan
    if Until.of(plan.extra) is None:
        return None
    setup = load_setup(database, tournament.id)
    history = load_history(database, tournament.id)
    return progress_text(setup, history, plan.format, complete=tournament.complete)


def progress_text(setup: Setup, history: History, name: str, *, complete: bool) -> str:
    """The same of a tournament of the format ``name``; ``complete``: no round is added."""
    until = setup.until
    format_ = ranking_format(name)
    if until is None:
        raise ValueError("the tournament has no [until]")
    names = [player.name for player in setup.participants]
    if complete:
        early_end = ended_by(format_, setup, history)
        if early_end is None:
            return f"all planned matches are paired, and it is not reached that {_asked(until)}"
        return f"ended early: {ending_text(early_end, until, names)}"
    now = ""
    if until.width is not None and history.results:
        present = present_in(history.rounds + 1, setup, departures(setup, history))
        now = f"; the widest interval is {_width(format_, setup, history, present):g} Elo on each side so far"
    return f"goes on until {_asked(until)}{now}"


def _asked(until: Until) -> str:
    asked = [
        until.width is not None and f"each Elo is known to {until.width} on each side",
        until.best is not None and f"the best is known with {100 * until.best / SHARE:g} % confidence",
        until.top is not None and f"the best {until.top} are known",
        until.order and "the order is known",
        until.games is not None and f"{until.games} games are played",
    ]
    return " or ".join(words for words in asked if words)
