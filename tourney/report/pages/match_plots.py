"""The plots of a match: scores, times, clocks, and every other number that the bots printed, by action."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from markupsafe import Markup

from tourney.match.player import MS, Clocks
from tourney.match.record import Record
from tourney.report import display
from tourney.report.charts.chart import draw
from tourney.report.charts.kinds import match_plot
from tourney.report.display import SeatLabel
from tourney.report.pages.bot_info import MatchInfo

Series = Sequence[tuple[int, float]]
"""The values of a seat by ply."""


@dataclass(frozen=True, slots=True)
class MatchPlot:
    """A plot of the seats with values; ``name`` is for scripts, and ``open`` is whether it shows at first."""

    name: str
    title: str
    note: str
    svg: Markup
    seats: tuple[SeatLabel, ...]
    open: bool


def match_plots(
    info: MatchInfo,
    times: Mapping[int, Series],
    clocks: Mapping[int, Series],
    seats: Sequence[SeatLabel],
    last: int,
) -> Iterator[MatchPlot]:
    """Yield the plots that have two values at least, over the plies 0..last; all values are by seat."""
    keys = dict.fromkeys(key for found in info.seats.values() for key in found.columns)
    printed: dict[str, Mapping[int, Series]]
    printed = {key: {seat: found.numbers(key) for seat, found in info.seats.items()} for key in keys}
    note = "each bot's from its own point of view and in its own unit; outliers are at the edge"
    named = [("score", "Score", note, printed.pop("score", {}))]
    named += [("time", "Time per action", "milliseconds", times), ("clock", "Clock", "seconds left", clocks)]
    named += [(f"info-{key}", key, "as each bot printed it", found) for key, found in printed.items()]
    for name, title, note, by_seat in named:
        shown = tuple(seat for seat in seats if by_seat.get(seat.number))
        values = [value for seat in shown for _, value in by_seat[seat.number]]
        if len(values) < 2:
            continue
        least, most = (
            display.number(value, 6).rstrip("0").rstrip(".") for value in (min(values), max(values))
        )
        said = f"{title} by action, from {least} to {most}"
        series = [(seat.color, by_seat[seat.number]) for seat in shown]
        drawn = draw(match_plot(said, series, last, bars=name == "time", cut=name == "score"))
        yield MatchPlot(name, title, note, drawn, shown, name in {"score", "time"})


def times_by_seat(record: Record, times: Sequence[float | None]) -> dict[int, Series]:
    """The milliseconds of each seat's actions by ply; chance takes none."""
    found: dict[int, list[tuple[int, float]]] = {}
    for ply, ((actor, _), time) in enumerate(zip(record.actions, times, strict=False), 1):
        if actor and time is not None:
            found.setdefault(actor, []).append((ply, time))
    return dict(found)


def clocks_left(record: Record, times: Sequence[float | None]) -> list[tuple[int, ...]]:
    """The milliseconds on all clocks by ply, from the start on; [] where they are not known.

    They are the record's limits less the stored times, by the referee's own rule. Charged processor time is
    not stored by action.
    """
    if record.limits.clock_ms is None or record.limits.charge != "wall" or not times:
        return []
    clocks = Clocks(record.limits, len(record.seats))
    found = [_milliseconds(clocks)]
    for (actor, _), time in zip_longest(record.actions, times[: len(record.actions)]):
        if actor and time is not None:
            clocks.spend(actor, round(time * MS))
        found.append(_milliseconds(clocks))
    return found


def _milliseconds(clocks: Clocks) -> tuple[int, ...]:
    return tuple(left // MS for left in clocks.left or ())


def clocks_by_seat(left: Sequence[Sequence[int]]) -> dict[int, Series]:
    """The seconds on each clock by ply, without those at which it stands still."""
    found: dict[int, Series] = {}
    for seat, column in enumerate(zip(*left, strict=True), 1):
        end = len(column) - 1
        found[seat] = [
            (ply, value / 1000)
            for ply, value in enumerate(column)
            if ply in (0, end) or value != column[ply - 1] or value != column[ply + 1]
        ]
    return found
