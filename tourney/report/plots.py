"""Small charts as SVG text, made here: the same data give the same bytes, and all colours are CSS classes.

Coordinates have one decimal at most. Nothing here takes text from outside but through ``escape``.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from tourney.report import text

WIDTH, HEIGHT = 520, 190
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 12, 12, 28


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
        """Return round values within the scale, at most so many."""
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
    """Return a coordinate: one decimal, and none where it is whole."""
    short = f"{value:.1f}"
    return "0" if short == "-0.0" else short.removesuffix(".0")


def axis_of(values: Sequence[float], start: float = 0, end: float = 100, room: float = 0.04) -> Scale:
    """Return a scale that holds all values, with a little room at both ends."""
    low, high = min(values, default=0.0), max(values, default=1.0)
    if high - low < 1e-6:
        low, high = low - 1, high + 1
    margin = (high - low) * room
    return Scale(low - margin, high + margin, start, end)


def whisker(scale: Scale, mu: float, sigma: float) -> Markup:
    """Draw mu - 3 sigma to mu + 3 sigma (thin), one sigma to each side (thick) and mu (a dot), in percent."""

    def at(value: float) -> str:
        return coordinate(scale.at(value)) + "%"

    said = f"mu {text.number(mu, 2)}, sigma {text.number(sigma, 2)}"
    return Markup(  # noqa: S704 - numbers alone
        f'<svg class="whisker" role="img" aria-label="{said}"><title>{said}</title>'
        f"{grid(scale)}"
        f'<line class="w3" x1="{at(mu - 3 * sigma)}" x2="{at(mu + 3 * sigma)}" y1="50%" y2="50%"/>'
        f'<line class="w1" x1="{at(mu - sigma)}" x2="{at(mu + sigma)}" y1="50%" y2="50%"/>'
        f'<circle cx="{at(mu)}" cy="50%" r="4"/></svg>'
    )


def interval(scale: Scale, value: float, low: float, high: float) -> Markup:
    """Draw an interval (thin, with ends) and the value in it (a dot), in percent."""

    def at(where: float) -> str:
        return coordinate(scale.at(where)) + "%"

    said = f"{text.number(value, 1)}, 95 % from {text.number(low, 1)} to {text.number(high, 1)}"
    bars = "".join(f'<line class="w3" x1="{at(x)}" x2="{at(x)}" y1="32%" y2="68%"/>' for x in (low, high))
    return Markup(  # noqa: S704 - numbers alone
        f'<svg class="whisker" role="img" aria-label="{said}"><title>{said}</title>'
        f"{grid(scale)}"
        f'<line class="w3" x1="{at(low)}" x2="{at(high)}" y1="50%" y2="50%"/>{bars}'
        f'<circle cx="{at(value)}" cy="50%" r="4"/></svg>'
    )


def grid(scale: Scale) -> str:
    """Draw the grid lines of the whiskers' scale."""
    return "".join(
        f'<line class="grid" x1="{x}%" x2="{x}%" y1="0" y2="100%"/>'
        for x in (coordinate(scale.at(tick)) for tick in scale.ticks(6))
    )


def whisker_axis(scale: Scale) -> Markup:
    """Draw the numbers of the whiskers' scale."""
    numbers = "".join(
        f'<text x="{coordinate(scale.at(tick))}%" y="70%">{text.number(tick, 0)}</text>'
        for tick in scale.ticks(6)
    )
    return Markup(  # noqa: S704 - numbers alone
        f'<svg class="whisker axis" aria-hidden="true">{numbers}</svg>'
    )


@dataclass(frozen=True, slots=True)
class Series:
    """A line of a chart: its name, the class that colours it, and its points in order."""

    name: str
    style: str
    points: tuple[tuple[float, float], ...]


def _frame(xs: Scale, ys: Scale, x_ticks: Sequence[float], said: str, digits: int) -> list[str]:
    parts = [f'<svg class="plot" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(said)}">']
    for tick in ys.ticks(5):
        y = coordinate(ys.at(tick))
        kind = "zero" if tick == 0 else "grid"
        parts.append(f'<line class="{kind}" x1="{_LEFT}" x2="{WIDTH - _RIGHT}" y1="{y}" y2="{y}"/>')
        parts.append(f'<text class="y" x="{_LEFT - 6}" y="{y}" dy="4">{_short(tick, digits)}</text>')
    for tick in x_ticks:
        x = coordinate(xs.at(tick))
        parts.append(f'<text class="x" x="{x}" y="{HEIGHT - 8}">{text.number(tick, 0)}</text>')
    return parts


def _short(value: float, digits: int) -> str:
    for least, size, letter in ((1e9, 1e9, "G"), (1e6, 1e6, "M"), (1e4, 1e3, "k")):
        if abs(value) >= least:
            return text.number(value / size, 0 if value % size == 0 else 1) + letter
    return text.number(value, digits)


def _whole_ticks(scale: Scale, first: int, last: int) -> tuple[float, ...]:
    return tuple(t for t in scale.ticks(9) if t == int(t) and first <= t <= last)


def _digits(scale: Scale) -> int:
    ticks = scale.ticks(5)
    step = ticks[1] - ticks[0] if len(ticks) > 1 else 1.0
    return max(0, -math.floor(math.log10(step) + 1e-9))


def _path(xs: Scale, ys: Scale, points: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{coordinate(xs.at(x))} {coordinate(ys.at(y))}" for x, y in points)


def line_plot(lines: Sequence[Series], last: int, said: str) -> Markup:
    """Draw lines over plies 0..last; the value axis holds 0. A line without points is left out."""
    shown = [line for line in lines if line.points]
    values = _near([y for line in shown for _, y in line.points])
    xs = Scale(0, max(last, 1), _LEFT, WIDTH - _RIGHT)
    ys = axis_of([0.0, *values], HEIGHT - _BOTTOM, _TOP)
    parts = _frame(xs, ys, _whole_ticks(xs, 0, last), said, _digits(ys))
    parts.append(_cursor())
    for line in shown:
        points = [(x, min(max(y, ys.low), ys.high)) for x, y in line.points]
        parts.append(f'<path class="line {line.style}" d="{_path(xs, ys, points)}"/>')
        if len(points) <= 80:
            parts.extend(_dot(xs, ys, point, line.style) for point in points)
    parts.append("</svg>")
    return Markup("".join(parts))  # noqa: S704 - numbers, our own classes, and escaped words


def _near(values: Sequence[float]) -> list[float]:
    """Return the values without those that would press the others flat, as a bot's score for a sure win."""
    sizes = sorted(abs(value) for value in values if value)
    if not sizes:
        return []
    most = 20 * sizes[len(sizes) // 2]
    return [value for value in values if abs(value) <= most]


def bar_plot(bars: Sequence[tuple[int, float, str]], last: int, said: str) -> Markup:
    """Draw a bar per (ply, value, class) over plies 0..last."""
    xs = Scale(0, max(last, 1), _LEFT, WIDTH - _RIGHT)
    ys = axis_of([0.0, *(value for _, value, _ in bars)], HEIGHT - _BOTTOM, _TOP, room=0)
    parts = _frame(xs, ys, _whole_ticks(xs, 0, last), said, _digits(ys))
    parts.append(_cursor())
    width = min(9.0, max(1.0, (WIDTH - _LEFT - _RIGHT) / max(last, 1) * 0.7))
    for style in sorted({style for _, _, style in bars}):
        path = "".join(
            f"M{coordinate(xs.at(ply))} {coordinate(ys.at(0))}V{coordinate(min(ys.at(value), ys.at(0) - 1))}"
            for ply, value, own in bars
            if own == style
        )
        parts.append(f'<path class="bar {style}" stroke-width="{coordinate(width)}" d="{path}"/>')
    parts.append("</svg>")
    return Markup("".join(parts))  # noqa: S704 - numbers, our own classes, and escaped words


def history_plot(points: Sequence[tuple[int, float, float]], values: Scale, said: str) -> Markup:
    """Draw mu over rounds with a band of one sigma to each side; ``values`` is low and high of all bots."""
    first, last = points[0][0], points[-1][0]
    xs = Scale(first - 0.5, last + 0.5, _LEFT, WIDTH - _RIGHT)
    ys = Scale(values.low, values.high, HEIGHT - _BOTTOM, _TOP)
    parts = _frame(xs, ys, _whole_ticks(xs, first, last), said, _digits(ys))
    around = [(float(r), mu + sigma) for r, mu, sigma in points]
    around += [(float(r), mu - sigma) for r, mu, sigma in reversed(points)]
    centre = [(float(r), mu) for r, mu, _ in points]
    if len(points) > 1:
        parts.append(f'<path class="band" d="{_path(xs, ys, around)}Z"/>')
        parts.append(f'<path class="line main" d="{_path(xs, ys, centre)}"/>')
    else:
        (x, low), (_, high) = around[1], around[0]
        parts.append(f'<path class="line main" d="{_path(xs, ys, [(x, low), (x, high)])}"/>')
    if len(points) <= 80:
        parts.extend(_dot(xs, ys, point, "main") for point in centre)
    parts.append("</svg>")
    return Markup("".join(parts))  # noqa: S704 - numbers, our own classes, and escaped words


def _dot(xs: Scale, ys: Scale, point: tuple[float, float], style: str) -> str:
    x, y = coordinate(xs.at(point[0])), coordinate(ys.at(point[1]))
    return f'<circle class="dot {style}" cx="{x}" cy="{y}" r="2.5"/>'


def _cursor() -> str:
    """Draw the line that the page's script moves to the ply it shows; the script reads the scale off it."""
    return (
        f'<line class="cursor" x1="{_LEFT}" x2="{_LEFT}" y1="{_TOP}" y2="{HEIGHT - _BOTTOM}"'
        f' data-left="{_LEFT}" data-right="{WIDTH - _RIGHT}" visibility="hidden"/>'
    )
