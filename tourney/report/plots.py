"""Plots drawn by hand as SVG text, where they are better than a library's (decision 127).

Equal data give equal bytes; CSS classes give all colors. Coordinates have at most one decimal. Text from
outside passes through ``escape``.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from tourney.report import text

WIDTH, HEIGHT = 520, 190
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 12, 12, 28
_MOST_DOTS = 80
"""Points of a line up to which each gets a dot."""

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Scale:
    """A linear scale from ``low``..``high`` to ``start``..``end``."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        """Return the coordinate of a value."""
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)

    def ticks(self, most: int) -> tuple[float, ...]:
        """Return at most ``most`` round values within the scale."""
        span = self.high - self.low
        exponent = math.floor(math.log10(span)) - 1
        step = next(
            s * 10.0**e
            for e in range(exponent, exponent + 4)
            for s in (1, 2, 5)
            if span / (s * 10.0**e) <= most - 1
        )
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return tuple(round(k * step, 10) for k in range(first, last + 1))


def coordinate(value: float) -> str:
    """Return a coordinate with one decimal, or none if it is an integer."""
    short = f"{value:.1f}"
    return "0" if short == "-0.0" else short.removesuffix(".0")


def axis_of(values: Sequence[float], start: float = 0, end: float = 100, room: float = 0.04) -> Scale:
    """Return a scale that holds all values, with a margin at both ends (a share of the range)."""
    low, high = min(values, default=0.0), max(values, default=1.0)
    if high - low < 1e-6:
        low, high = low - 1, high + 1
    margin = (high - low) * room
    return Scale(low - margin, high + margin, start, end)


def whisker(scale: Scale, mu: float, sigma: float) -> Markup:
    """Return a whisker: 3 sigma (thin) and 1 sigma (thick) to each side of mu (a dot); x in percent."""
    said = f"mu {text.number(mu, 2)}, sigma {text.number(sigma, 2)}"
    bars = _bar(scale, "w3", mu - 3 * sigma, mu + 3 * sigma) + _bar(scale, "w1", mu - sigma, mu + sigma)
    return _whisker(scale, mu, said, bars)


def interval(scale: Scale, value: float, low: float, high: float) -> Markup:
    """Return an interval (a thin line with ends) and its value (a dot); x in percent."""
    said = f"{text.number(value, 1)}, 95 % from {text.number(low, 1)} to {text.number(high, 1)}"
    ends = "".join(_bar(scale, "w3", x, x, "32%", "68%") for x in (low, high))
    return _whisker(scale, value, said, _bar(scale, "w3", low, high) + ends)


def _whisker(scale: Scale, centre: float, said: str, bars: str) -> Markup:
    grid = "".join(
        f'<line class="grid" x1="{x}%" x2="{x}%" y1="0" y2="100%"/>'
        for x in (coordinate(scale.at(tick)) for tick in scale.ticks(6))
    )
    return Markup(  # noqa: S704 - numbers alone
        f'<svg class="whisker" role="img" aria-label="{said}"><title>{said}</title>{grid}{bars}'
        f'<circle cx="{coordinate(scale.at(centre))}%" cy="50%" r="4"/></svg>'
    )


def _bar(scale: Scale, style: str, low: float, high: float, y1: str = "50%", y2: str = "50%") -> str:
    x1, x2 = coordinate(scale.at(low)), coordinate(scale.at(high))
    return f'<line class="{style}" x1="{x1}%" x2="{x2}%" y1="{y1}" y2="{y2}"/>'


def whisker_axis(scale: Scale) -> Markup:
    """Return the numbers of the whiskers' scale."""
    numbers = "".join(
        f'<text x="{coordinate(scale.at(tick))}%" y="70%">{text.number(tick, 0)}</text>'
        for tick in scale.ticks(6)
    )
    return Markup(  # noqa: S704 - numbers alone
        f'<svg class="whisker axis" aria-hidden="true">{numbers}</svg>'
    )


@dataclass(frozen=True, slots=True)
class Series:
    """A line of a chart: its name, the CSS class of its color, and its points in order."""

    name: str
    style: str
    points: tuple[Point, ...]


def line_plot(lines: Sequence[Series], last: int, said: str) -> Markup:
    """Return lines over plies 0..last on a value axis that holds 0; omit lines without points."""
    shown = [line for line in lines if line.points]
    values = _without_outliers([y for line in shown for _, y in line.points])
    xs = Scale(0, max(last, 1), _LEFT, WIDTH - _RIGHT)
    ys = axis_of([0.0, *values], HEIGHT - _BOTTOM, _TOP)
    parts = [_CURSOR]
    for line in shown:
        points = [(x, min(max(y, ys.low), ys.high)) for x, y in line.points]
        parts.append(f'<path class="line {line.style}" d="{_path(xs, ys, points)}"/>')
        parts.extend(_dots(xs, ys, points, line.style))
    return _plot(xs, ys, (0, last), said, parts)


def _without_outliers(values: Sequence[float]) -> list[float]:
    """Return the values of at most 20 times the median size: the score of a sure win would flatten them."""
    sizes = sorted(abs(value) for value in values if value)
    if not sizes:
        return []
    most = 20 * sizes[len(sizes) // 2]
    return [value for value in values if abs(value) <= most]


def bar_plot(bars: Sequence[tuple[int, float, str]], last: int, said: str) -> Markup:
    """Return a bar for each (ply, value, CSS class) over plies 0..last."""
    xs = Scale(0, max(last, 1), _LEFT, WIDTH - _RIGHT)
    ys = axis_of([0.0, *(value for _, value, _ in bars)], HEIGHT - _BOTTOM, _TOP, room=0)
    parts = [_CURSOR]
    width = min(9.0, max(1.0, (WIDTH - _LEFT - _RIGHT) / max(last, 1) * 0.7))
    for style in sorted({style for _, _, style in bars}):
        path = "".join(
            f"M{coordinate(xs.at(ply))} {coordinate(ys.at(0))}V{coordinate(min(ys.at(value), ys.at(0) - 1))}"
            for ply, value, own in bars
            if own == style
        )
        parts.append(f'<path class="bar {style}" stroke-width="{coordinate(width)}" d="{path}"/>')
    return _plot(xs, ys, (0, last), said, parts)


def _plot(xs: Scale, ys: Scale, limits: tuple[int, int], said: str, parts: Sequence[str]) -> Markup:
    """Return a chart: the axes, with integer ticks of x within ``limits``, and the given parts."""
    first, last = limits
    head = [f'<svg class="plot" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(said)}">']
    ticks = ys.ticks(5)
    step = ticks[1] - ticks[0] if len(ticks) > 1 else 1.0
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    for tick in ticks:
        y = coordinate(ys.at(tick))
        kind = "zero" if tick == 0 else "grid"
        head.append(f'<line class="{kind}" x1="{_LEFT}" x2="{WIDTH - _RIGHT}" y1="{y}" y2="{y}"/>')
        head.append(f'<text class="y" x="{_LEFT - 6}" y="{y}" dy="4">{_short(tick, digits)}</text>')
    for tick in xs.ticks(9):
        if tick == int(tick) and first <= tick <= last:
            x = coordinate(xs.at(tick))
            head.append(f'<text class="x" x="{x}" y="{HEIGHT - 8}">{text.number(tick, 0)}</text>')
    return Markup("".join([*head, *parts, "</svg>"]))  # noqa: S704 - numbers, our own classes, escaped words


def _short(value: float, digits: int) -> str:
    for least, size, letter in ((1e9, 1e9, "G"), (1e6, 1e6, "M"), (1e4, 1e3, "k")):
        if abs(value) >= least:
            return text.number(value / size, 0 if value % size == 0 else 1) + letter
    return text.number(value, digits)


def _path(xs: Scale, ys: Scale, points: Sequence[Point]) -> str:
    return "M" + "L".join(f"{coordinate(xs.at(x))} {coordinate(ys.at(y))}" for x, y in points)


def _dots(xs: Scale, ys: Scale, points: Sequence[Point], style: str) -> Iterator[str]:
    if len(points) <= _MOST_DOTS:
        for x, y in points:
            at = f'cx="{coordinate(xs.at(x))}" cy="{coordinate(ys.at(y))}"'
            yield f'<circle class="dot {style}" {at} r="2.5"/>'


_CURSOR = (
    f'<line class="cursor" x1="{_LEFT}" x2="{_LEFT}" y1="{_TOP}" y2="{HEIGHT - _BOTTOM}"'
    f' data-left="{_LEFT}" data-right="{WIDTH - _RIGHT}" visibility="hidden"/>'
)
"""The line that the page's script moves to the current ply; the script reads the scale from it."""
