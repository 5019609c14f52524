"""One value for all charts of data, ``Chart``, and one way to draw it as SVG.

A chart holds numbers alone: names of bots are hostile text and stand, escaped, in the legend beside it. CSS
classes give all colors, so that theme, print and high contrast apply. Coordinates are integers, each relative
to the one before: equal data give equal bytes, and few of them. Intervals in the rows of a table are SVG of
their own, with percentages for coordinates, as they are as wide as their column.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from markupsafe import Markup, escape

from tourney.report import display

COLORS = ("blue", "orange", "green", "purple", "red", "yellow")
"""Colors of lines in their order, as in the style sheet (``--plot-NAME`` and ``.l-NAME``)."""
REST = "rest"
"""The color of all further lines."""

WIDTH = 1200
"""Width of a chart in half pixels: integers are then fine enough for smooth lines."""
_LEFT = 104
_RIGHT = 1170
_LINE = 34
"""Height of a line of labels."""

_ROOM = 195
_DIGIT = 7.5
"""The narrowest column of intervals (``.range`` in style.css) and a digit of its axis, in pixels."""

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Scale:
    """A scale from ``low``..``high`` to ``start``..``end``; ``log``: by orders of magnitude."""

    low: float
    high: float
    start: float = 0
    end: float = 100
    log: bool = False

    def at(self, value: float) -> float:
        """The coordinate of a value."""
        low = self.low
        high = self.high
        if self.log:
            low = math.log10(low)
            high = math.log10(high)
            value = math.log10(value)
        return self.start + (value - low) / (high - low) * (self.end - self.start)

    def ticks(self, most: int) -> tuple[float, ...]:
        """At most ``most`` round values within the scale."""
        span = self.high - self.low
        exponent = math.floor(math.log10(span)) - 1
        step = next(
            s * 10.0**e
            for e in range(exponent, exponent + 4)
            for s in (1, 2, 5)
            if span / (s * 10.0**e) <= most - 1
        )
        # Floats may put an end of the scale just beside a round value, which is still a tick.
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return tuple(round(k * step, 10) for k in range(first, last + 1))


def scale_of(values: Sequence[float], room: float = 0.04) -> Scale:
    """A scale that holds all values, with a margin at both ends (a share of the range)."""
    low = min(values, default=0.0)
    high = max(values, default=1.0)
    if high - low < 1e-6:
        low = low - 1
        high = high + 1
    margin = (high - low) * room
    return Scale(low - margin, high + margin)


def interval_scale(intervals: Sequence[tuple[float, float]]) -> Scale:
    """A scale for intervals, each with its ends: one ten times as wide as the median is cut at the edge."""
    # A bot with two games has an interval of a thousand Elo, beside which all others vanish.
    widths = sorted(high - low for low, high in intervals)
    most = 10 * widths[len(widths) // 2] if widths else 0.0
    held = [pair for pair in intervals if pair[1] - pair[0] <= most] or intervals
    return scale_of([end for pair in held for end in pair])


def round_step(low: int, high: int, most: int) -> int:
    """The least of 1, 2, 5, 10, ... that divides low..high into at most ``most`` parts."""
    steps = (size * int(10**power) for power in range(20) for size in (1, 2, 5))
    return next(step for step in steps if high // step - low // step < most)


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis from ``low`` to ``high`` (``low`` may be the greater one), and its labels by value.

    ``grid`` draws a line at each label. ``log``: by orders of magnitude.
    """

    low: float
    high: float
    labels: tuple[tuple[float, str], ...] = ()
    title: str = ""
    grid: bool = False
    log: bool = False

    @classmethod
    def of(cls, scale: Scale, most: int, title: str = "", *, grid: bool = False) -> "Axis":
        """The axis of a scale with at most ``most`` round labels."""
        ticks = scale.ticks(most)
        digits = max(0, -math.floor(math.log10(ticks[1] - ticks[0]) + 1e-9)) if len(ticks) > 1 else 0
        return cls(scale.low, scale.high, tuple((t, _short(t, digits)) for t in ticks), title, grid)


def _short(value: float, digits: int) -> str:
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= max(size, 1e4):
            part = value / size
            return display.number(part, 0 if part == int(part) else 1) + letter
    return f"{value:,.{digits}f}".replace("-", "\N{MINUS SIGN}")


@dataclass(frozen=True, slots=True)
class ChartMark:
    """Lines with the same CSS classes; each joins its points, and ``closed`` ones their ends too."""

    style: str
    lines: Sequence[Sequence[Point]]
    closed: bool = False


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart: a description for screen readers, two axes, and the marks from back to front.

    ``height``: of the plotting area, in pixels. ``upper``: the labels of x stand above it.
    """

    description: str
    x: Axis
    y: Axis
    marks: tuple[ChartMark, ...]
    height: int = 210
    upper: bool = False


def draw(chart: Chart, labels: str = "", *, repeated: bool = False) -> Markup:
    """Draw a chart as SVG for a page with ``style.css``.

    ``labels`` is an id for the labels of x; a chart with ``repeated`` ones shows those of the chart of the
    page that has this id, whose axis and height are the same. ``data-frame`` tells scripts the edges of the
    plotting area: left, right, top and bottom, then the values of x at its left and right.
    """
    x = chart.x
    y = chart.y
    above = _LINE * ((2 if x.title else 1) if chart.upper else 1 if y.title else 0) + 12
    bottom = above + 2 * chart.height
    xs = Scale(x.low, x.high, _LEFT, _RIGHT, x.log)
    ys = Scale(y.low, y.high, bottom, above, y.log)
    under = 0 if chart.upper else _LINE * (2 if x.title else 1)
    across = above - 12 if chart.upper else bottom + _LINE - 2
    title_y = above - 12 - _LINE if chart.upper else across + _LINE
    head = f'<svg class="chart" viewBox="0 0 {WIDTH} {bottom + under + 10}" role="img"'
    frame = f"{_LEFT} {_RIGHT} {above} {bottom} {x.low:g} {x.high:g}"
    parts = [
        f'{head} aria-label="{escape(chart.description)}" data-frame="{frame}">',
        *_grid(x, [(round(xs.at(value)), above, round(xs.at(value)), bottom) for value, _ in x.labels]),
        *_grid(y, [(_LEFT, round(ys.at(value)), _RIGHT, round(ys.at(value))) for value, _ in y.labels]),
        f'<g class="y" transform="translate({_LEFT - 12} 8)">',
        *(f"<text y={round(ys.at(value))}>{escape(name)}</text>" for value, name in y.labels),
        "</g>",
        f'<use href="#{labels}"/>' if repeated else _x_labels(x, xs, across, title_y, labels),
        f"<text x=16 y=24>{escape(y.title)}</text>" if y.title else "",
    ]
    parts += [_mark(mark, xs, ys) for mark in chart.marks]
    return Markup("".join([*parts, "</svg>"]))  # noqa: S704 - numbers, our own classes, escaped words


def _x_labels(x: Axis, xs: Scale, across: int, title_y: int, name: str) -> str:
    texts = [f"<text x={round(xs.at(value))}>{escape(words)}</text>" for value, words in x.labels]
    if x.title:
        texts.append(f"<text x={(_LEFT + _RIGHT) // 2} y={title_y - across}>{escape(x.title)}</text>")
    id_ = f' id="{name}"' if name else ""
    return f'<g class="x"{id_} transform="translate(0 {across})">{"".join(texts)}</g>'


def _grid(axis: Axis, lines: Sequence[tuple[int, int, int, int]]) -> Iterator[str]:
    if not axis.grid:
        return
    zero = [line for line, (value, _) in zip(lines, axis.labels, strict=True) if value == 0]
    for style, some in (("grid", lines), ("zero", zero)):
        if some:
            path = "".join(f"M{a} {b}H{c}" if b == d else f"M{a} {b}V{d}" for a, b, c, d in some)
            yield f'<path class="{style}" d="{path}"/>'


def _mark(mark: ChartMark, xs: Scale, ys: Scale) -> str:
    # An axis may run downwards, as those of heat maps do.
    low, high = sorted((ys.start, ys.end))
    # Values outside of the axis (see ``match_plot``) stay at the edge instead of leaving the chart.
    lines = [
        [(round(xs.at(x)), round(min(max(ys.at(y), low), high))) for x, y in line] for line in mark.lines
    ]
    return f'<path class="{mark.style}" d="{_path(lines, closed=mark.closed)}"/>'


def _path(lines: Iterable[Sequence[tuple[int, int]]], *, closed: bool) -> str:
    """Lines as SVG path data: after ``m`` and ``l``, further pairs are relative lines; ``h`` is level."""
    commands = []
    x = 0
    y = 0
    for line in lines:
        first = True
        word = "m"
        for to, down in _without_passed(line):
            upright = to == x and not first
            level = down == y and not first and not upright
            step = f"v{down - y}" if upright else f"h{to - x}" if level else f"{word}{to - x} {down - y}"
            commands.append(step)
            x = to
            y = down
            word = "l" if upright or level else " "
            if first:
                start = (to, down)
                first = False
        if closed and line:
            commands.append("z")
            x, y = start
    # A minus sign separates two numbers by itself, so the blank before it is not needed.
    return "".join(commands).replace(" -", "-")


def _without_passed(line: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The points of a line without those that a level or upright stretch passes.

    Numbers that bots print for every action often stay the same, as a fixed number of nodes does.
    """
    for place, (x, y) in enumerate(line):
        if 0 < place < len(line) - 1:
            (a, b), (c, d) = line[place - 1], line[place + 1]
            if (b == y == d and a < x < c) or (a == x == c and (b < y < d or b > y > d)):
                continue
        yield x, y


def thinned(points: Sequence[Point], most: int) -> Sequence[Point]:
    """At most ``most`` points of a line: the least and the greatest of each stretch, and both ends.

    The outline of the line stays, with every single peak.
    """
    if len(points) <= most:
        return points
    inner = points[1:-1]
    parts = max(1, most // 2 - 1)
    points_kept = [points[0]]
    for k in range(parts):
        some = inner[k * len(inner) // parts : (k + 1) * len(inner) // parts]
        points_kept += sorted({min(some, key=lambda p: p[1]), max(some, key=lambda p: p[1])})
    return [*points_kept, points[-1]]


def coordinate(value: float) -> str:
    """A coordinate with one decimal, or none if it is an integer."""
    short = f"{value:.1f}"
    # A float may be -0.0, which is the same place as 0.
    return "0" if short == "-0.0" else short.removesuffix(".0")


def interval(scale: Scale, value: float, low: float, high: float, kind: str) -> Markup:
    """Draw an interval of a kind (a thin line with ends) and its value (a dot)."""
    label = f"{display.number(value, 1)}, {kind} from {display.number(low, 1)} to {display.number(high, 1)}"
    left = max(low, scale.low)
    right = min(high, scale.high)
    ends = "".join(_bar(scale, "w3", x, x, "32%", "68%") for x in (low, high) if left <= x <= right)
    return _whisker(
        scale, min(max(value, scale.low), scale.high), label, _bar(scale, "w3", left, right) + ends
    )


def sigmas(scale: Scale, mu: float, sigma: float) -> Markup:
    """Draw 3 sigma (thin) and 1 sigma (thick) to each side of mu (a dot)."""
    label = f"mu {display.number(mu, 2)}, sigma {display.number(sigma, 2)}"
    bars = _bar(scale, "w3", mu - 3 * sigma, mu + 3 * sigma) + _bar(scale, "w1", mu - sigma, mu + sigma)
    return _whisker(scale, mu, label, bars)


def interval_axis(scale: Scale) -> Markup:
    """Draw the numbers of the intervals' scale, for the head of their column."""
    numbers = "".join(
        f'<text x="{coordinate(scale.at(tick))}%" y="70%">{display.number(tick, 0)}</text>'
        for tick in _ticks(scale)
    )
    return Markup(  # noqa: S704 - numbers alone
        f'<svg class="whisker axis" aria-hidden="true">{numbers}</svg>'
    )


def _whisker(scale: Scale, centre: float, label: str, bars: str) -> Markup:
    # Percentages, as the column's width is known only to the browser.
    grid = "".join(
        f'<line class="grid" x1="{x}%" x2="{x}%" y1="0" y2="100%"/>'
        for x in (coordinate(scale.at(tick)) for tick in _ticks(scale))
    )
    return Markup(  # noqa: S704 - numbers alone
        f'<svg class="whisker" role="img" aria-label="{label}"><title>{label}</title>{grid}{bars}'
        f'<circle cx="{coordinate(scale.at(centre))}%" cy="50%" r="4"/></svg>'
    )


def _bar(scale: Scale, style: str, low: float, high: float, y1: str = "50%", y2: str = "50%") -> str:
    x1 = coordinate(scale.at(low))
    x2 = coordinate(scale.at(high))
    return f'<line class="{style}" x1="{x1}%" x2="{x2}%" y1="{y1}" y2="{y2}"/>'


def _ticks(scale: Scale) -> tuple[float, ...]:
    """At most 6 round values whose numbers do not touch in the narrowest column."""
    tries = (scale.ticks(most) for most in (6, 5))
    return next((ticks for ticks in tries if _apart(scale, ticks)), scale.ticks(4))


def _apart(scale: Scale, ticks: Sequence[float]) -> bool:
    places = [(scale.at(tick) / 100 * _ROOM, len(display.number(tick, 0)) * _DIGIT) for tick in ticks]
    return all(b - a >= (x + y) / 2 + _DIGIT for (a, x), (b, y) in pairwise(places))
