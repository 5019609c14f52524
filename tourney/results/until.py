"""What ``[until]`` of a tournament file decides: whether an answer is known, and what it is.

A round-robin compares its entrants by the points of its cycles, as all meet equally often. An adaptive
tournament, whose pairings depend on results, compares them by direct meetings alone. Both are in
``tourney.schedule.until_rule``. All intervals hold at every look.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from tourney.ratings.batch import strengths
from tourney.ratings.counts import Clusters
from tourney.ratings.sequential import EVERY_LOOK, FIXED, QUANTILE, PlannedGames
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
    multiplier,
)
from tourney.store.database import Database
from tourney.store.values import Tournament

GAMES = 200
"""The games of an entrant for which intervals are tuned where nothing plans their number."""


@dataclass(frozen=True, slots=True)
class Ending:
    """Why a tournament ended before its schedule: which of ``[until]`` was met, and by which entrants.

    ``entrants``: the best one, those of the top, or all in order: their numbers, the strongest first.
    """

    kind: Kind
    entrants: tuple[int, ...] = ()


def look_of(format_: Format, setup: Setup) -> PlannedGames:
    """What makes the intervals of an unfinished tournament hold at every look.

    They are tuned for what is planned at the start, so they depend on no result: for the matches of the
    schedule, or for those that ``width`` needs of even bots if they are fewer.
    """
    matches, until = format_.planned_matches(setup.first), setup.until
    games = matches * setup.seats / max(len(setup.participants), 1) if matches else None
    look = PlannedGames(games or GAMES, setup.seats)
    if until is not None and until.width is not None:
        needed = look.games_for((until.width / multiplier(1.0)) ** 2)
        look = PlannedGames(min(games or needed, needed), setup.seats)
    return look


def interval_text(look: PlannedGames | None) -> str:
    """How wide intervals of Elo are, as a part of a sentence; ``look``: what they hold for."""
    deviations = QUANTILE if look is None else multiplier(1.0)
    width = f"Elo \N{PLUS-MINUS SIGN} {deviations:.2f} standard deviations"
    if look is None:
        return f"{width} ({FIXED})"
    games = f"{look.games:,.0f} even games of a bot"
    return f"{width} after {games}, as planned, and more before and after that ({EVERY_LOOK})"


def ending(format_: Format, setup: Setup, history: History) -> Ending | None:
    """What of ``[until]`` is met by the results of a history, or None.

    Where several are, the first of width, best, top, order and games.
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
        alone = replace(setup, extra=tuple(pair for pair in setup.extra if pair[0] != "until-games"))
        schedule, planned = format_.planned_matches(alone), format_.planned_matches(setup)
        return Ending("games") if schedule is None or schedule != planned else None
    return None


def ended_by(format_: Format, setup: Setup, history: History) -> Ending | None:
    """Why a tournament ended that has all its results, or None if its schedule was played out."""
    # The end was decided by the results that were known when the last rounds were drawn.
    seen = history.rounds - format_.lag
    known = (result for result in history.results if result.key.round <= seen)
    return ending(format_, setup, History(history.rows, known))


def as_planned(format_: Format, setup: Setup, rows: int) -> bool:
    """Whether a tournament that ended after ``rows`` rows did so as planned, not by what is known."""
    planned = format_.planned_matches(setup)
    more = setup.games if isinstance(format_, Adaptive) else 1
    if setup.until is None and setup.setting("target-sigma") is None:
        return not format_.ends_by_results
    return planned is not None and rows + more > planned


def next_rounds(format_: Format, setup: Setup, history: History) -> Pairings:
    """The rounds to add: none if the history knows what ``[until]`` asks, else those of the format."""
    if ending(format_, setup, history) is not None:
        return Pairings((), complete=True)
    return format_.next_rounds(setup, history)


def _width(format_: Format, setup: Setup, history: History, present: Iterable[int]) -> float:
    """Half of the widest interval of those present, as published."""
    numbers = [player.number for player in setup.participants]
    counts = history.sums(Clusters, shared_dice=setup.shared_dice).counts(numbers, setup.seats)
    look, (_, matrix) = look_of(format_, setup), strengths(counts, flat=True)
    weight = 1 - 1 / len(setup.participants)
    variances = [float(matrix[number, number]) for number in present]
    return max(round(look.deviations(value, weight) * math.sqrt(value), 1) for value in variances)


def _answer(
    format_: Format, setup: Setup, until: Until, history: History, present: Sequence[int]
) -> Ending | None:
    """Who is better, as far as that is asked and known."""
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


def ending_text(found: Ending, until: Until, names: Sequence[str]) -> str:
    """Why a tournament ended, in words; ``names`` are the entrants', by number."""
    if found.kind == "width":
        return f"every Elo is known to {until.width} on each side (95 % at every look)"
    if found.kind == "games":
        return f"{until.games} games are played"
    share = until.best if found.kind == "best" else CONFIDENCE
    sure = f"with {100 * (share or 0) / SHARE:g} % confidence"
    who = [names[number] for number in found.entrants]
    if found.kind == "best":
        return f"{who[0]} is the best, {sure}"
    if found.kind == "top":
        return f"the best {len(who)} are {', '.join(sorted(who))}, {sure}"
    return f"the order is {', '.join(who)}, {sure}"


def until_now(database: Database, tournament: Tournament) -> str | None:
    """How near a tournament is to what ``[until]`` asks, or why that ended it; None without it."""
    plan = tournament.plan
    if Until.of(plan.extra) is None:
        return None
    setup, history = load_setup(database, tournament.id), load_history(database, tournament.id)
    return progress_text(setup, history, plan.format, complete=tournament.complete)


def progress_text(setup: Setup, history: History, name: str, *, complete: bool) -> str:
    """The same of a tournament of the format ``name``; ``complete``: no round is added."""
    until, format_ = setup.until, ranking_format(name)
    if until is None:
        raise ValueError("the tournament has no [until]")
    names = [player.name for player in setup.participants]
    if complete:
        found = ended_by(format_, setup, history)
        if found is None:
            return f"all planned matches are paired, and it is not reached that {_asked(until)}"
        return f"ended early: {ending_text(found, until, names)}"
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
