"""The plots of a match's page for readers without scripts: scores and times by ply, in few bytes.

The page's script draws its own plots from the page's data (``static/plots.js``). Coordinates are integers,
relative to the one before; CSS classes give all colors.
"""

import math
from collections.abc import Iterable, Iterator, Sequence

from markupsafe import Markup

from tourney.report import text
from tourney.report.charts import plots
from tourney.report.pages.info import Info
from tourney.report.setting import SeatLabel

WIDTH, HEIGHT = 520, 150
MOST_BARS = 60
"""Actions up to which times are bars; more are a line a seat, in half the bytes."""
MOST_POINTS = 40
"""Points of a line; of more, every second, third, ... and the last are drawn. The script draws all."""
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 512, 8, 128


def scores(info: Info, seats: Sequence[SeatLabel], last: int) -> Markup | None:
    """Return each bot's reported score over plies 0..last, or None without a line to draw."""
    lines = [(seat, info.seats[seat.number].numbers("score")) for seat in seats if seat.number in info.seats]
    if all(len(points) < 2 for _, points in lines):
        return None
    values = _without_outliers([value for _, points in lines for _, value in points])
    ys = plots.axis_of([0.0, *values], _BOTTOM, _TOP)
    xs = plots.Scale(0, max(last, 1), _LEFT, _RIGHT)
    parts = []
    for seat, points in lines:
        places = [
            (round(xs.at(ply)), round(ys.at(min(max(y, ys.low), ys.high)))) for ply, y in _drawn(points)
        ]
        parts.append(f'<path class="line l-{seat.color}" d="{_line(places)}"/>')
    return _plot(xs, ys, "Score by ply, as each bot reported it", parts)


def times(measured: Sequence[float | None], seats: Sequence[SeatLabel | None], last: int) -> Markup | None:
    """Return a bar for the milliseconds of each seat's action over plies 0..last, or None without two."""
    bars = [
        (ply, time, seat)
        for ply, (time, seat) in enumerate(zip(measured, seats, strict=False), 1)
        if time is not None and seat is not None
    ]
    if len(bars) < 2:
        return None
    ys = plots.axis_of([0.0, *(time for _, time, _ in bars)], _BOTTOM, _TOP, room=0)
    xs = plots.Scale(0, max(last, 1), _LEFT, _RIGHT)
    width = max(1, min(9, round((_RIGHT - _LEFT) / max(last, 1) * 0.7)))
    base = round(ys.at(0))
    parts = []
    for color in sorted({seat.color for _, _, seat in bars}):
        if len(bars) > MOST_BARS:
            own = [(ply, time) for ply, time, seat in bars if seat.color == color]
            places = [(round(xs.at(ply)), round(ys.at(time))) for ply, time in _drawn(own)]
            parts.append(f'<path class="line l-{color}" d="{_line(places)}"/>')
            continue
        path, x, y = [], 0, 0
        for ply, time, seat in bars:
            if seat.color == color:
                to, top = round(xs.at(ply)), min(round(ys.at(time)), base - 1)
                path.append(f"m{to - x} {base - y}v{top - base}")
                x, y = to, top
        parts.append(f'<path class="bar l-{color}" stroke-width="{width}" d="{"".join(path)}"/>')
    return _plot(xs, ys, "Milliseconds by ply", parts)


def _without_outliers(values: Sequence[float]) -> list[float]:
    """Return the values of at most 20 times the median size: the score of a sure win would flatten them."""
    sizes = sorted(abs(value) for value in values if value)
    return [value for value in values if abs(value) <= 20 * sizes[len(sizes) // 2]] if sizes else []


def _drawn(points: Sequence[tuple[int, float]]) -> Sequence[tuple[int, float]]:
    step = -(-len(points) // MOST_POINTS)
    return [*points[:-1:step], points[-1]] if step > 1 else points


def _line(places: Sequence[tuple[int, int]]) -> str:
    path, x, y = "", 0, 0
    for to, down in places:
        path += f"{'l' if path else 'm'}{to - x} {down - y}"
        x, y = to, down
    return path.replace(" -", "-")


def _plot(xs: plots.Scale, ys: plots.Scale, said: str, parts: Iterable[str]) -> Markup:
    head = [f'<svg class="plot" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{said}">']
    rows = [(round(ys.at(value)), name) for value, name in _named_ticks(ys, 4)]
    head.append(f'<path class="grid" d="{"".join(f"M{_LEFT} {y}H{_RIGHT}" for y, _ in rows)}"/>')
    head.append(f'<g class="y">{"".join(_text(_LEFT - 6, y + 4, name) for y, name in rows)}</g>')
    columns = [(round(xs.at(value)), name) for value, name in _named_ticks(xs, 4) if value == int(value)]
    head.append(f'<g class="x">{"".join(_text(x, HEIGHT - 4, name) for x, name in columns)}</g>')
    return Markup("".join([*head, *parts, "</svg>"]))  # noqa: S704 - numbers, our own classes and words


def _text(x: int, y: int, words: str) -> str:
    return f'<text x="{x}" y="{y}">{words}</text>'


def _named_ticks(scale: plots.Scale, most: int) -> Iterator[tuple[float, str]]:
    """Yield round values within a scale, each with its short name."""
    ticks = scale.ticks(most)
    step = ticks[1] - ticks[0] if len(ticks) > 1 else 1.0
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    for tick in ticks:
        size, letter = next(
            ((s, n) for s, n in ((1e9, "G"), (1e6, "M"), (1e3, "k")) if abs(tick) >= max(s, 1e4)), (1, "")
        )
        value = tick / size
        yield tick, text.number(value, digits if size == 1 else 0 if value == int(value) else 1) + letter
