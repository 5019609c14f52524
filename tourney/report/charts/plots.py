"""Plots drawn by hand as SVG text, where they are better than a library's (decision 127).

Equal data give equal bytes; CSS classes give all colors. Coordinates have at most one decimal.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from markupsafe import Markup

from tourney.report import text

_ROOM, _DIGIT = 195, 7.5
"""The narrowest column of intervals (``.range`` in style.css) and a digit of its axis, in pixels."""


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

    def labelled(self) -> tuple[float, ...]:
        """Return at most 6 round values whose numbers do not touch in the narrowest column of intervals."""
        tries = (self.ticks(most) for most in (6, 5))
        return next(filter(self._apart, tries), self.ticks(4))

    def _apart(self, ticks: Sequence[float]) -> bool:
        """Return whether the numbers of an axis in percent stand apart in a column of ``_ROOM`` pixels."""
        places = [(self.at(tick) / 100 * _ROOM, len(text.number(tick, 0)) * _DIGIT) for tick in ticks]
        return all(b - a >= (x + y) / 2 + _DIGIT for (a, x), (b, y) in pairwise(places))


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


def interval(scale: Scale, value: float, low: float, high: float, kind: str) -> Markup:
    """Return an interval of a kind (a thin line with ends) and its value (a dot); x in percent."""
    said = f"{text.number(value, 1)}, {kind} from {text.number(low, 1)} to {text.number(high, 1)}"
    ends = "".join(_bar(scale, "w3", x, x, "32%", "68%") for x in (low, high))
    return _whisker(scale, value, said, _bar(scale, "w3", low, high) + ends)


def _whisker(scale: Scale, centre: float, said: str, bars: str) -> Markup:
    grid = "".join(
        f'<line class="grid" x1="{x}%" x2="{x}%" y1="0" y2="100%"/>'
        for x in (coordinate(scale.at(tick)) for tick in scale.labelled())
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
        for tick in scale.labelled()
    )
    return Markup(  # noqa: S704 - numbers alone
        f'<svg class="whisker axis" aria-hidden="true">{numbers}</svg>'
    )
