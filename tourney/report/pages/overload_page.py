"""Time and overload: how long bots took for an action, and what an overloaded machine did to matches."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice

from markupsafe import Markup

from tourney.report import display
from tourney.report.charts.chart import draw
from tourney.report.charts.kinds import box_plot
from tourney.report.display import EntrantLabel
from tourney.report.output.rendering import Renderer
from tourney.report.pages.history_page import sampled
from tourney.report.pages.match_lines import ListedMatch
from tourney.results.texts import overload_text
from tourney.store.totals import OverloadTotals
from tourney.store.values import VoidReason

LOOKED_AT = 150
"""Matches whose times are read: records are large, and their times are stored with them."""
CHARTED = 40
"""Most bots in the chart; the table has all."""
MOST_VOIDS = 500
"""Most void matches that a page lists."""
LEAST_MS = 0.01
"""Times below are drawn as this one, as the axis is logarithmic."""


@dataclass(frozen=True, slots=True)
class ThinkLine:
    """A bot's times for an action in milliseconds, as printed: least, quartiles and most."""

    entrant: EntrantLabel
    actions: int
    times: tuple[str, str, str, str, str]


@dataclass(frozen=True, slots=True)
class ThinkTime:
    """Bots in the order of the standings, of ``matches`` matches; the chart numbers them in this order."""

    lines: tuple[ThinkLine, ...]
    chart: Markup | None
    matches: int


@dataclass(frozen=True, slots=True)
class OverloadLine:
    """A bot's turns, those that overload stretched with their percentage, and the matches with such."""

    entrant: EntrantLabel
    turns: int
    overloaded: int
    percent: str
    matches: int


@dataclass(frozen=True, slots=True)
class OverloadPage:
    """The page's template context. ``said`` sums up all turns, or is "" where nothing was measured.

    ``matches`` have the most overloaded turns: (match, turns, overloaded turns); ``more`` of them are left
    out. ``voids`` are void because the machine failed or was overloaded: (match, why in words).
    """

    said: str
    share: Fraction
    times: ThinkTime
    lines: tuple[OverloadLine, ...]
    matches: tuple[tuple[ListedMatch, int, int], ...]
    more: int
    voids: tuple[tuple[ListedMatch, str], ...]


VOIDED = {
    "machine-failure": "the machine failed each time it was played",
    "overload": "the machine was overloaded each time it was played",
    "benched": "a bot was benched",
    "startup-failure": "no bot of it started",
}
"""Reasons of void matches in words."""


def think_time(make: Renderer) -> ThinkTime:
    """The times of all bots that were measured."""
    source = make.source
    found: dict[int, list[float]] = {}
    matches = sampled(source.recorded, LOOKED_AT)
    for match in matches:
        detail = source.detail(match.number)
        if detail.record is None:
            continue
        for (actor, _), time in zip(detail.record.actions, detail.measured.times_ms, strict=False):
            if time is not None and 0 < actor <= len(match.seats):
                found.setdefault(match.seats[actor - 1], []).append(float(time))
    lines: list[ThinkLine] = []
    rows: list[tuple[float, float, float, float, float]] = []
    for standing in source.standings:
        if own := sorted(found.get(standing.number, ())):
            quartiles = tuple(own[round(part * (len(own) - 1) / 4)] for part in range(5))
            least, low, median, high, most = quartiles
            lines.append(
                ThinkLine(
                    source.labels[standing.number],
                    len(own),
                    (_ms(least), _ms(low), _ms(median), _ms(high), _ms(most)),
                )
            )
            least, low, median, high, most = (max(LEAST_MS, time) for time in quartiles)
            rows.append((least, low, median, high, most))
    said = "Time for an action by bot, numbered as in the table"
    chart = draw(box_plot(said, rows[:CHARTED], "ms an action", "Bot")) if rows else None
    return ThinkTime(tuple(lines), chart, len(matches))


def _ms(time: float) -> str:
    return display.number(time, 0 if time >= 100 else 1 if time >= 1 else 2)


def overload_page(make: Renderer) -> OverloadPage:
    """What overload did to the matches; for a report with measurements."""
    source = make.source
    whole, by_entrant = source.overload
    lines = []
    for standing in source.standings:
        totals = by_entrant.get(standing.number, OverloadTotals())
        if totals.turns:
            share = Fraction(totals.overloaded, totals.turns)
            lines.append(
                OverloadLine(
                    source.labels[standing.number],
                    totals.turns,
                    totals.overloaded,
                    display.percent(share),
                    totals.matches,
                )
            )
    void = (one for one in void_matches(make) if one[1] in ("machine-failure", "overload"))
    return OverloadPage(
        said=overload_text(whole),
        times=think_time(make),
        share=Fraction(whole.overloaded, max(1, whole.turns)),
        lines=tuple(sorted(lines, key=lambda line: -line.overloaded)),
        matches=tuple((make.line_of[one.number], one.turns, one.overloaded) for one in source.overloaded),
        more=whole.matches - len(source.overloaded),
        voids=tuple((line, VOIDED[str(why)]) for line, why in islice(void, MOST_VOIDS)),
    )


def void_matches(make: Renderer) -> Iterator[tuple[ListedMatch, VoidReason | None]]:
    """Yield the void matches with the reason, in schedule order."""
    for place, match in enumerate(make.source.matches):
        if match.result is not None and match.result.void:
            yield make.lines[place], match.result.void_reason
