"""The course of a match on its page: plots, the list of the actions, and data for its script.

The list is text of its own because readers without scripts see it; the script reads the actions from it, so
that a page does not hold them twice.
"""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import zip_longest
from typing import NamedTuple

import msgspec
from markupsafe import Markup, escape

from tourney.errors import GameError
from tourney.games.registry import known_game
from tourney.match.evidence import POINT, draws, has_luck
from tourney.match.player import MS, Clocks
from tourney.match.record import Record, opening_end
from tourney.match.result import Measurements
from tourney.protocol import CHANCE_KEYS, SURE_WIN, chance_in
from tourney.report import display
from tourney.report.charts.chart import draw
from tourney.report.charts.kinds import match_plot
from tourney.report.display import SeatLabel
from tourney.report.pages.bot_info import MatchInfo
from tourney.report.replays import codes

FLATTENED = 10
"""How many times larger than another bot's the scores of a bot are that flatten it in one plot."""
MOST_MS = 1e12
"""Milliseconds of an action, from which a measured time is damaged."""

# No action has control characters (display.action).
_TARGET = re.compile("\x02([0-9]+)\x03")
_TARGET_END = "\x04"

# Words beside the actions in the list: names of seats, remarks, and the marks of chance and turns.
_BESIDE = re.compile(r"[^ ]+:(?= )|\([a-z]+\)|[\[\];]")


def course_data(
    record: Record, written: Sequence[str], rounds: Sequence[str], seats: Sequence[SeatLabel]
) -> dict[str, object]:
    """A record's data for the script.

    - ``limits``: of the record. ``actions``: separated by blanks, only if the script cannot read them
      from the list, ``rounds``. ``shown``, where the ``written`` actions differ: true if the script can read
      them from there, else their texts. ``actors``: their seats (a digit each, or separated by blanks from
      ten seats on; fewer if they repeat).
    - ``seats``: [name, color]. ``opening``: the last ply of the opening.
    - ``fates``: [seat, actions before it left, why].
    """
    data: dict[str, object] = {
        "limits": msgspec.to_builtins(record.limits, order="sorted"),
        "actors": _cycle(record),
        "seats": [[seat.name, seat.color] for seat in seats],
        "opening": opening_end(record),
    }
    if left := seats_that_left(record):
        data["fates"] = [[seat, count, words] for seat, (count, words) in left.items()]
    actions = [action for _, action in record.actions]
    list_actions = listed(rounds)
    if list_actions != actions:
        data["actions"] = " ".join(actions)
    if actions != list(written):
        data["shown"] = list_actions == list(written) or list(map(display.action, written))
    return data


def action_times(measured: Measurements) -> tuple[float | None, ...]:
    """The milliseconds of each action; impossible ones are None."""
    return tuple([float(t) if t is not None and 0 <= t < MOST_MS else None for t in measured.times_ms])


def time_data(record: Record, measured: Measurements) -> dict[str, object]:
    """The times for the script; {} without any.

    ``times``: microseconds, or nothing (see ``codes.integers``). ``clocks``: the milliseconds on the actor's
    clock after each action (see ``codes.steps``). ``waited``: the most milliseconds that a seat was not
    charged.
    """
    if not (times := action_times(measured)):
        return {}
    data: dict[str, object] = {
        "times": codes.integers([None if t is None else round(t * 1000) for t in times])
    }
    if clocks := clocks_left(record, times):
        after = zip(clocks[1:], record.actions, strict=True)
        data["clocks"] = codes.steps([clock[actor - 1] if actor else None for clock, (actor, _) in after])
    if waited := max((seat.waited_ms for seat in measured.load), default=0):
        data["waited"] = waited
    return data


def script_json(data: object) -> Markup:
    """JSON that is safe in a ``<script>`` element."""
    dumped = json.dumps(data, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    # A bot could print `</script>`; JSON reads the escapes as the same characters.
    safe = dumped.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return Markup(safe)  # noqa: S704 - all markup characters are escaped


def _cycle(record: Record) -> str:
    """The seats of all actions, or the shortest cycle of at most four that gives them when repeated."""
    # With alternating turns this is "12" instead of a digit for every action.
    actors = [actor for actor, _ in record.actions]
    for length in range(1, 5):
        if all(actor == actors[k % length] for k, actor in enumerate(actors)):
            actors = actors[:length]
    return ("" if len(record.seats) < 10 else " ").join(map(str, actors))


def seats_that_left(record: Record) -> dict[int, tuple[int, str]]:
    """The seats that left the match: the number of actions before, and the reason in words."""
    by_seat: dict[int, tuple[int, str]] = {}
    for seat, kind, count in record.outcome.faults:
        by_seat.setdefault(seat, (count, display.fault(kind)))
    for seat, count in record.outcome.resigned:
        by_seat.setdefault(seat, (count, "resigned"))
    return by_seat


def action_rounds(
    record: Record, written: Sequence[str], seats: Sequence[SeatLabel], targets: Collection[int] = ()
) -> Iterator[str]:
    """Yield the actions as lines of text, a round each: it ends where a seat acts again after another.

    ``written`` are the actions in their game's notation. Seats are named where they do not act in the order
    of the round before. ``targets`` are the plies to mark for ``linked``.
    """
    # The script takes a word with a colon for a seat's name, so "Sage 1" is one word.
    names = {seat.number: seat.name.replace(" ", "\N{NO-BREAK SPACE}") for seat in seats}
    order: list[int] = []
    for turns in _turns(record, written, len(seats), targets):
        acting = [seat for seat, _ in turns]
        in_order = acting == order[: len(acting)]
        yield "; ".join(
            [
                " ".join(shown) if in_order or seat == 0 else f"{names[seat]}: {' '.join(shown)}"
                for seat, shown in turns
            ]
        )
        order = order if in_order else acting


def linked(round_: str) -> Markup:
    """A line of ``action_rounds`` as HTML, in which links without scripts lead to the marked actions."""
    # As plain text: a Markup would escape the tags, too.
    escaped = str(escape(round_))
    with_targets = _TARGET.sub(r'<u id="ply=\1">', escaped).replace(_TARGET_END, "</u>")
    return Markup(with_targets)  # noqa: S704 - escaped before


def unmarked(round_: str) -> str:
    """A line of ``action_rounds`` without marks."""
    return _TARGET.sub("", round_).replace(_TARGET_END, "")


def _turns(
    record: Record, written: Sequence[str], seats: int, targets: Collection[int]
) -> Iterator[list[tuple[int, list[str]]]]:
    """Yield the turns of each round; a draw by chance belongs to the turn after it, or is one of seat 0."""
    left = seats_that_left(record)
    end = opening_end(record)
    turns: list[tuple[int, list[str]]] = []
    acted: set[int] = set()
    acting = 0
    drawn: list[str] = []
    for ply, ((actor, _), text) in enumerate(zip(record.actions, written, strict=True), 1):
        shown = display.action(text)
        if ply in targets:
            shown = f"\x02{ply}\x03{shown}{_TARGET_END}"
        if not 0 < actor <= seats:
            drawn.append(f"[{shown}]")
            continue
        # Random or set openings are not a bot's choice, and substitutes play for one that has left.
        if ply <= end:
            shown += " (opening)"
        elif actor in left and left[actor][0] < ply:
            shown += " (substitute)"
        if actor != acting:
            if actor in acted:
                yield turns
                turns = []
                acted = set()
            turns.append((actor, []))
            acted.add(actor)
            acting = actor
        turns[-1][1].extend((*drawn, shown))
        drawn = []
    if drawn:
        turns.append((0, drawn))
    if turns:
        yield turns


def listed(rounds: Sequence[str]) -> list[str]:
    """The actions of a page's list, as its script reads them: wrong only for unusual names."""
    return [word for word in _BESIDE.sub(" ", " ".join(rounds)).split(" ") if word]


Series = Sequence[tuple[int, float]]
"""The values of a seat by ply."""


class MatchPlot(NamedTuple):
    """A plot of the seats with values; ``name`` is for scripts, and ``open`` is whether it shows at first."""

    name: str
    title: str
    note: str
    svg: Markup
    seats: tuple[SeatLabel, ...]
    open: bool

    @property
    def beside(self) -> bool:
        """Whether it stands beside the board: the bots' views of who wins."""
        return _is_beside(self.name)


def match_plots(
    info: MatchInfo,
    times: Mapping[int, Series],
    clocks: Mapping[int, Series],
    luck: Mapping[int, Series],
    seats: Sequence[SeatLabel],
    last: int,
    *,
    labels: str = "plies",
) -> Iterator[MatchPlot]:
    """Yield the plots that have two values at least, over the plies 0..last; all values are by seat.

    ``labels`` is the id of the numbers of plies, which all plots below the board show; "" gives each its own.
    """
    keys = dict.fromkeys(key for values_by_seat in info.seats.values() for key in values_by_seat.columns)
    printed: dict[str, Mapping[int, Series]]
    printed = {
        key: {seat: values_by_seat.numbers(key) for seat, values_by_seat in info.seats.items()}
        for key in keys
    }
    scores = printed_scores = printed.pop("score", {})
    two = len(seats) == 2
    # Chances of both bots share a scale, which scores in their own units do not.
    chances = _chances(info, two=two)
    named: list[tuple[str, str, str, Mapping[int, Series]]]
    if chances:
        printed.pop("win", None)
        view = f"{seats[0].name}'s chance, as seen by" if two else "each bot's own, as it sees it"
        named = [("win", "Chance to win, %", view, chances)]
    else:
        view = "each bot's from its own point of view"
        if two:
            view = f"seen from {seats[0].name}: above zero it is ahead"
            scores = {n: [(at, value if n == 1 else -value) for at, value in of] for n, of in scores.items()}
        note = f"{view}, each bot in its own unit; outliers are at the edge"
        named = [("score", "Score", note, scores)]
        if _differ(scores.values()):
            # One bot's centipawns would flatten the other's pawns, so each has a plot of its own.
            own_scores = printed_scores.items()
            note = "from its own point of view, in its own unit; outliers are at the edge"
            named = [(f"score-{n}", f"Score of {seats[n - 1].name}", note, {n: of}) for n, of in own_scores]
    named += [("time", "Time per action", "milliseconds", times), ("clock", "Clock", "seconds left", clocks)]
    named.append(("luck", "Luck", "values drawn less those expected, added up, in points per 100", luck))
    named += [
        (f"info-{key}", key, "as each bot printed it", values_by_seat)
        for key, values_by_seat in printed.items()
    ]
    labeled = False
    for name, title, note, by_seat in named:
        shown = tuple(seat for seat in seats if by_seat.get(seat.number))
        values = [value for seat in shown for _, value in by_seat[seat.number]]
        # A plot of one point shows nothing that the list of actions does not.
        if len(values) < 2:
            continue
        description = f"{title} by action, from {_rounded(min(values))} to {_rounded(max(values))}"
        series = [(seat.color, by_seat[seat.number]) for seat in shown]
        plot = match_plot(description, series, last, bars=name == "time", cut=name.startswith("score"))
        beside = _is_beside(name)
        shared = "" if beside else labels
        drawn = draw(plot, shared, repeated=bool(shared) and labeled)
        labeled = labeled or bool(shared)
        yield MatchPlot(name, title, note, drawn, shown, open=beside or name == "time")


def _rounded(value: float) -> str:
    """A value as screen readers say it, with as many decimals as it has digits to spare."""
    text = display.short(value)
    return text.rstrip("0").rstrip(".") if "." in text else text


def _is_beside(name: str) -> bool:
    return name == "win" or name.startswith("score")


def _differ(series: Iterable[Series]) -> bool:
    """Whether the values of one seat are so much larger than those of another that these look like zero."""
    sizes = [sorted(abs(value) for _, value in values if value) for values in series]
    typical = [size[len(size) // 2] for size in sizes if size]
    return len(typical) > 1 and max(typical) > FLATTENED * min(typical)


def _chances(info: MatchInfo, *, two: bool) -> Mapping[int, Series]:
    """The chances in percent by seat, of ``two`` the first one's; {} where the unit of a score is unknown."""
    by_seat: dict[int, list[tuple[int, float]]] = {}
    for seat, seat_info in info.seats.items():
        by_ply: dict[int, dict[str, float]] = {}
        for key in CHANCE_KEYS:
            for ply, value in seat_info.numbers(key):
                by_ply.setdefault(ply, {})[key] = value
        for ply, values in sorted(by_ply.items()):
            if (chance := chance_in(values)) is None:
                return {}
            # Both curves of two seats show the first one's chance, so that agreement is seen at once.
            seen = SURE_WIN - chance if two and seat == 2 else chance
            by_seat.setdefault(seat, []).append((ply, 100 * seen / SURE_WIN))
    return dict(by_seat)


def times_by_seat(record: Record, times: Sequence[float | None]) -> dict[int, Series]:
    """The milliseconds of each seat's actions by ply; chance takes none."""
    by_seat: dict[int, list[tuple[int, float]]] = {}
    for ply, ((actor, _), time) in enumerate(zip(record.actions, times, strict=False), 1):
        if actor and time is not None:
            by_seat.setdefault(actor, []).append((ply, time))
    return dict(by_seat)


def luck_by_seat(record: Record) -> dict[int, Series]:
    """What the dice gave each seat by ply, added up; empty where that is not known."""
    game = known_game(record.game)
    by_seat = dict[int, list[tuple[int, float]]]()
    if game is None or game.rules != record.rules or not has_luck(game):
        return {}
    # Luck is added up over the match: single draws say little.
    total = [0] * len(record.seats)
    with suppress(GameError):  # the page says what is wrong with the record
        for draw in draws(record, game):
            for seat, luck in enumerate(draw.luck):
                total[seat] += luck
                by_seat.setdefault(seat + 1, []).append((draw.ply + 1, 100 * total[seat] / POINT))
    return dict(by_seat)


def clocks_left(record: Record, times: Sequence[float | None]) -> list[tuple[int, ...]]:
    """The milliseconds on all clocks by ply, from the start on; [] where they are not known.

    They are the record's limits less the stored times, by the referee's own rule. Charged processor time is
    not stored by action.
    """
    clocks = Clocks(record.limits, len(record.seats), [entrant.name for entrant in record.seats])
    if clocks.left is None or record.limits.charge != "wall" or not times:
        return []
    by_ply = [tuple(left // MS for left in clocks.left or ())]
    for (actor, _), time in zip_longest(record.actions, times[: len(record.actions)]):
        if actor and time is not None:
            clocks.spend(actor, round(time * MS))
        by_ply.append(tuple(left // MS for left in clocks.left or ()))
    return by_ply


def clocks_by_seat(left: Sequence[Sequence[int]]) -> dict[int, Series]:
    """The seconds on each clock by ply, without those at which it stands still."""
    by_seat: dict[int, Series] = {}
    for seat, column in enumerate(zip(*left, strict=True), 1):
        end = len(column) - 1
        by_seat[seat] = [
            (ply, value / 1000)
            for ply, value in enumerate(column)
            if ply in (0, end) or value != column[ply - 1] or value != column[ply + 1]
        ]
    return by_seat
