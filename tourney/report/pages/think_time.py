"""How long bots took for an action: quartiles by bot, of matches spread over the tournament."""

from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from markupsafe import Markup

from tourney.report import text
from tourney.report.charts import vega
from tourney.report.output.rendering import Renderer
from tourney.report.pages.history_page import sampled
from tourney.report.setting import EntrantLabel

LOOKED_AT = 150
"""Matches whose times are read: records are large, and their times are stored with them."""
CHARTED = 40
"""Most bots in the chart; the table has all."""
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


def think_time(make: Renderer) -> ThinkTime:
    """Return the times of all bots that were measured."""
    source = make.source
    found: dict[int, list[float]] = {}
    matches = sampled(source.recorded, LOOKED_AT)
    for match in matches:
        detail = source.detail(match.number)
        if detail.record is None:
            continue
        times: Any = detail.measured.get("times-ms", ())
        for (actor, _), time in zip_longest(detail.record["actions"], times, fillvalue=(0, "")):
            if isinstance(time, int | float) and 0 < actor <= len(match.seats):
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
    spec = vega.box_chart(rows[:CHARTED], "ms an action", "Bot") if rows else None
    chart = vega.draw(spec, "Time for an action by bot, numbered as in the table") if spec else None
    return ThinkTime(tuple(lines), chart, len(matches))


def _ms(time: float) -> str:
    return text.number(time, 0 if time >= 100 else 1 if time >= 1 else 2)
