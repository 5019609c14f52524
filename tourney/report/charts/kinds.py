"""The kinds of charts: lines with bands, histograms, heat maps, boxes, and the plots of a match."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tourney.report.charts.chart import (
    COLORS,
    REST,
    Axis,
    Chart,
    ChartMark,
    Point,
    round_step,
    scale_of,
    thinned,
)

MOST_BARS = 300
"""Actions up to which a plot of a match has a bar for each; more are a line for each seat."""
MOST_DOTS = 12
"""Points of a line up to which each has a dot."""
MOST_POINTS = 80
"""Points of a line in a plot of a match: pages of long matches stay small."""
MOST_OF_ALL = 160
"""Points of all lines of such a plot, of which each has 40 at least."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line: its color, and its points (x, y, low, high) in the order of x."""

    color: str
    points: tuple[tuple[float, float, float, float], ...]


def color_of(place: int) -> str:
    """The color of the line at a place from 0."""
    return COLORS[place] if place < len(COLORS) else REST


def line_chart(description: str, lines: Sequence[Line], x: str, y: str, *, band: bool) -> Chart:
    """Lines over whole numbers with the titles of both axes; ``band`` shades from low to high.

    The lines and their last intervals decide the scale, and wider bands are cut at its edges: those after a
    few matches would flatten all lines.
    """
    every = [point for line in lines for point in line.points]
    values = [point[1] for point in every]
    if band:
        values += [end for line in lines for point in line.points[-1:] for end in point[2:]]
    scale = scale_of(values)
    marks: list[ChartMark] = []
    if band:
        # Full bands of several bots would hide each other.
        style = "band" if len(lines) == 1 else "band faint"
        for line in reversed(lines):
            lows = [(at, max(low, scale.low)) for at, _, low, _ in line.points]
            highs = [(at, min(high, scale.high)) for at, _, _, high in line.points]
            if line.color != REST:
                marks.append(ChartMark(f"{style} l-{line.color}", [[*lows, *highs[::-1]]], closed=True))
    # The first color has no dashes, so the lines of others show on top of it; the grey ones lie below all.
    for line in sorted(lines, key=lambda line: line.color != REST):
        points = [(at, value) for at, value, _, _ in line.points]
        marks.append(ChartMark(f"line l-{line.color}", [points]))
        if len(points) <= 40 and len(lines) <= len(COLORS):
            marks.append(_dots(line.color, points))
    ats = [at for at, *_ in every]
    low = min(ats, default=0)
    high = max(ats, default=1)
    return Chart(
        description,
        Axis(low, max(high, low + 1), _whole(math.ceil(low), math.floor(high), 12), x),
        Axis.of(scale, 7, y, grid=True),
        tuple(marks),
    )


def _dots(color: str, points: Iterable[Point]) -> ChartMark:
    """Points as lines without length, whose round ends are dots of the same size on every screen."""
    return ChartMark(f"dots l-{color}", [[point, point] for point in points])


def _whole(low: int, high: int, most: int) -> tuple[tuple[float, str], ...]:
    """The multiples of a round step from low to high: at most ``most``."""
    step = round_step(low, high, most)
    return tuple((at, f"{at:,}") for at in range(-(-low // step) * step, high + 1, step))


def histogram(description: str, bins: Sequence[tuple[int, int, int]], x: str, y: str) -> Chart:
    """A bar for each bin (from, to, count), with the titles of both axes."""
    edges = [low for low, _, _ in bins] + [high for _, high, _ in bins[-1:]]
    most = max(count for _, _, count in bins)
    # Bars that touch read as one area.
    gap = (edges[-1] - edges[0]) / 1000
    return Chart(
        description,
        Axis(edges[0], edges[-1], tuple((e, f"{e:,}") for e in edges[:: -(-len(edges) // 11)]), x),
        Axis(0, most * 1.04, _whole(0, most, 6), y, grid=True),
        (
            ChartMark(
                "bars", [_box(low + gap, 0, high - gap, count) for low, high, count in bins], closed=True
            ),
        ),
        height=150,
    )


def bins_of(values: Sequence[int], most: int = 24) -> list[tuple[int, int, int]]:
    """At most ``most`` equal bins (from, to, count) of a round width that hold all values."""
    if not values:
        return []
    low = min(values)
    high = max(values)
    width = round_step(low, high, most)
    first = low // width
    counts = [0] * (high // width - first + 1)
    for value in values:
        counts[value // width - first] += 1
    return [((first + k) * width, (first + k + 1) * width, count) for k, count in enumerate(counts)]


def heat_map(description: str, cells: Iterable[tuple[int, int, int]], size: int, x: str, y: str) -> Chart:
    """Cells (row, column, step) of a square of ``size``, rows and columns from 1.

    A step is 1..7: 4 is even, more is blue and less orange, as in the crosstable.
    """
    steps: dict[int, list[Sequence[Point]]] = {}
    for row, column, step in cells:
        steps.setdefault(step, []).append(_box(column - 0.49, row - 0.47, column + 0.49, row + 0.47))
    labels = tuple((k, str(k)) for k in range(1, size + 1))
    marks = tuple(ChartMark(f"cell h{step}", steps[step], closed=True) for step in sorted(steps))
    height = max(60, min(18, 540 // size) * size)
    across = Axis(0.5, size + 0.5, labels, x)
    down = Axis(size + 0.5, 0.5, labels, y)
    return Chart(description, across, down, marks, height, upper=True)


def box_plot(description: str, rows: Sequence[Sequence[float]], x: str, y: str) -> Chart:
    """A bar for each row, numbered from 1: least, lower quartile, median, upper quartile, most.

    All are positive; the axis is logarithmic.
    """
    low = min(row[0] for row in rows)
    high = max(row[-1] for row in rows)
    first = math.floor(math.log10(low))
    last = math.ceil(math.log10(high))
    # A logarithmic axis needs two powers of ten, even if all times are alike.
    powers = range(first, max(last, first + 1) + 1)
    numbered = list(enumerate(rows, 1))
    return Chart(
        description,
        Axis(
            10.0 ** powers[0],
            10.0 ** powers[-1],
            tuple((10.0**p, f"{10.0**p:,g}") for p in powers),
            x,
            True,
            True,
        ),
        Axis(len(rows) + 0.5, 0.5, tuple((k, str(k)) for k, _ in numbered), y),
        (
            ChartMark("reach", [[(row[0], k), (row[4], k)] for k, row in numbered]),
            ChartMark("box", [_box(row[1], k - 0.35, row[3], k + 0.35) for k, row in numbered], closed=True),
            ChartMark("middle", [[(row[2], k - 0.35), (row[2], k + 0.35)] for k, row in numbered]),
        ),
        height=max(48, 18 * len(rows)),
    )


def _box(left: float, top: float, right: float, bottom: float) -> Sequence[Point]:
    return (left, top), (right, top), (right, bottom), (left, bottom)


def match_plot(
    description: str,
    series: Sequence[tuple[str, Sequence[Point]]],
    last: int,
    *,
    bars: bool = False,
    cut: bool = False,
) -> Chart:
    """The values (ply, value) of each seat's color over the plies 0..last, from zero on.

    ``bars``: a bar for each value, if there are few enough. ``cut``: values of more than 20 times the median
    size are at the edge, as the score of a sure win would flatten all others.
    """
    values = [value for _, points in series for _, value in points]
    held = _typical(values) if cut else values
    scale = scale_of([0.0, *(held if any(held) else [1.0])], 0 if bars else 0.05)
    marks = []
    for color, points in series:
        if bars and len(values) <= MOST_BARS:
            # Bars of fixed width would overlap in long matches.
            width = "thin" if last > 100 else "thick" if last <= 50 else ""
            # Every second bar from its top: the way to the next one is then shorter to write.
            pairs = [[(at, 0), (at, value)][:: -1 if k % 2 else 1] for k, (at, value) in enumerate(points)]
            marks.append(ChartMark(f"bar l-{color} {width}".rstrip(), pairs))
            continue
        line = thinned(points, min(MOST_POINTS, max(40, MOST_OF_ALL // len(series))))
        marks.append(ChartMark(f"line l-{color}", [line]))
        if len(line) <= MOST_DOTS:
            marks.append(_dots(color, line))
    return Chart(
        description,
        Axis(0, max(last, 1), _whole(0, last, 6)),
        Axis.of(scale, 5, grid=True),
        tuple(marks),
        height=130,
    )


def _typical(values: Sequence[float]) -> list[float]:
    sizes = sorted(abs(value) for value in values if value)
    return [value for value in values if abs(value) <= 20 * sizes[len(sizes) // 2]] if sizes else []
