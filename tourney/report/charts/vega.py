"""Charts of data as SVG, drawn by Vega-Lite when the report is written.

A chart holds numbers alone: names stand in the legend and the table beside it, as escaped text. Colors are
the custom properties of the page's style sheet, so that themes and print work, and the library's own font
measures all labels, so that every machine gives the same bytes.
"""

import atexit
import json
import math
import os
import re
import subprocess
import sys
import threading
from base64 import b64decode
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from markupsafe import Markup, escape

from tourney.errors import EnvironmentFailure

Spec = dict[str, Any]
"""A Vega-Lite specification."""

COLORS = ("blue", "orange", "green", "purple", "red", "yellow")
"""Colors of lines in their order, as in the style sheet (``--plot-NAME`` and ``.l-NAME``)."""
REST = "rest"
"""The color of all further lines."""

VEGA_LITE = "5.21"
"""The version of Vega-Lite that draws, of those that the package brings."""

WIDTH = 520
"""Width of a chart's plotting area; pages scale it."""

ABSENT = (
    "Charts are left out, as the package that draws them is not installed; the tables hold the same numbers."
    " To get charts, run `pip install vl-convert-python` and write the report again"
)

_FONT = "Liberation Sans"
"""A font that the library brings; pages show another (see ``.chart text``)."""
_PALE = "color-mix(in srgb, var(--hush) 45%, transparent)"
_SHADES = (
    *(f"color-mix(in srgb, var(--less) {part}%, transparent)" for part in (60, 40, 20)),
    "var(--raised)",
    *(f"color-mix(in srgb, var(--more) {part}%, transparent)" for part in (20, 40, 60)),
)


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a chart: its color and its points (x, y, low, high), in order of x."""

    color: str
    points: tuple[tuple[float, float, float, float], ...]


def color_of(place: int) -> str:
    """Return the color of the line at a place from 0."""
    return COLORS[place] if place < len(COLORS) else REST


def line_chart(lines: Sequence[Line], x: str, y: str, *, band: bool) -> Spec:
    """Return lines over whole numbers with the titles of both axes; ``band`` shades from low to high."""
    values = [
        {"line": number, "x": at, "y": _short(value), "low": _short(low), "high": _short(high)}
        for number, line in enumerate(lines)
        for at, value, low, high in line.points
    ]
    dots = max((len(line.points) for line in lines), default=0) <= 40 and len(lines) <= len(COLORS)
    colors = [_PALE if line.color == REST else f"var(--plot-{line.color})" for line in reversed(lines)]
    order = list(range(len(lines)))[::-1]
    axis_y = {"field": "y", "type": "quantitative", "title": y, "scale": {"zero": False}}
    centre = {"mark": {"type": "line", "point": {"size": 22} if dots else False}, "encoding": {"y": axis_y}}
    around = {
        "mark": {"type": "area", "opacity": 0.16 if len(lines) == 1 else 0.1},
        "encoding": {"y": {**axis_y, "field": "low"}, "y2": {"field": "high"}},
    }
    return _chart(
        values,
        encoding={
            "x": {
                "field": "x",
                "type": "quantitative",
                "title": x,
                "scale": {"zero": False, "nice": False},
                "axis": {"values": whole_ticks([value["x"] for value in values]), "format": "d"},
            },
            "color": {
                "field": "line",
                "type": "nominal",
                "legend": None,
                "sort": order,
                "scale": {"domain": order, "range": colors},
            },
            "detail": {"field": "line", "type": "nominal"},
        },
        layer=[around, centre] if band else [centre],
        height=210,
    )


def whole_ticks(values: Sequence[float], most: int = 12) -> list[int]:
    """Return the multiples of a round step between the least and the greatest value: at most ``most``."""
    if not values:
        return []
    low, high = math.ceil(min(values)), math.floor(max(values))
    step = next(
        size * 10**power
        for power in range(20)
        for size in (1, 2, 5)
        if high // (size * 10**power) - -(-low // (size * 10**power)) < most
    )
    return list(range(-(-low // step) * step, high + 1, step))


def histogram(bins: Sequence[tuple[float, float, int]], x: str, y: str) -> Spec:
    """Return a bar for each bin (from, to, count), with the titles of both axes."""
    edges = [low for low, _, _ in bins] + [high for _, high, _ in bins[-1:]]
    most = max((count for _, _, count in bins), default=0)
    return _chart(
        [{"from": low, "to": high, "n": count} for low, high, count in bins],
        mark={"type": "bar", "color": "var(--plot-blue)", "binSpacing": 1},
        encoding={
            "x": {
                "field": "from",
                "type": "quantitative",
                "bin": {"binned": True},
                "title": x,
                "axis": {"values": edges[:: -(-len(edges) // 11)], "labelFlush": False, "format": ",d"},
            },
            "x2": {"field": "to"},
            "y": {
                "field": "n",
                "type": "quantitative",
                "title": y,
                "axis": {"tickCount": min(5, most), "format": ",d"},
            },
        },
        height=150,
    )


def heatmap(cells: Iterable[tuple[int, int, int]], size: int, x: str, y: str) -> Spec:
    """Return cells (row, column, step) of a square of ``size``, rows and columns from 1.

    A step is 1..7: 4 is even, more is blue and less orange, as in the crosstable.
    """
    order = list(range(1, size + 1))
    axis = {"type": "nominal", "sort": None, "scale": {"domain": order}}
    return _chart(
        [{"row": row, "column": column, "step": step} for row, column, step in cells],
        mark={"type": "rect"},
        encoding={
            "x": {**axis, "field": "column", "title": x, "axis": {"orient": "top", "labelAngle": 0}},
            "y": {**axis, "field": "row", "title": y},
            "color": {
                "field": "step",
                "type": "nominal",
                "legend": None,
                "scale": {"domain": list(range(1, len(_SHADES) + 1)), "range": _SHADES},
            },
        },
        height=max(60, min(18, WIDTH // max(1, size)) * size),
    )


def box_chart(rows: Sequence[tuple[float, float, float, float, float]], x: str, y: str) -> Spec:
    """Return a bar for each row, numbered from 1: least, lower quartile, median, upper quartile, most.

    All are positive; the axis is logarithmic.
    """
    names = ("least", "lower", "median", "upper", "most")
    values = [
        {"row": number, **dict(zip(names, map(_short, row), strict=True))}
        for number, row in enumerate(rows, 1)
    ]
    axis = {"field": "row", "type": "ordinal", "title": y, "axis": {"grid": False}}
    low, high = min(row[0] for row in rows), max(row[-1] for row in rows)
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    scale, ticks = {"type": "log"}, {"grid": True, "values": [10.0**power for power in powers]}

    def layer(mark: Spec, start: str, end: str | None = None) -> Spec:
        from_ = {"field": start, "type": "quantitative", "title": x, "scale": scale, "axis": ticks}
        return {"mark": mark, "encoding": {"y": axis, "x": from_} | ({"x2": {"field": end}} if end else {})}

    return _chart(
        values,
        layer=[
            layer({"type": "rule", "color": "var(--plot-blue)"}, "least", "most"),
            layer({"type": "bar", "color": "var(--link-soft)", "height": {"band": 0.7}}, "lower", "upper"),
            layer({"type": "tick", "color": "var(--plot-blue)", "thickness": 3}, "median"),
        ],
        height=max(48, 18 * len(rows)),
    )


def bins_of(values: Sequence[int], most: int = 24) -> list[tuple[int, int, int]]:
    """Return at most ``most`` equal bins (from, to, count) of a round width that hold all values."""
    if not values:
        return []
    low, high = min(values), max(values)
    width = next(
        size * 10**power
        for power in range(20)
        for size in (1, 2, 5)
        if high // (size * 10**power) - low // (size * 10**power) < most
    )
    first = low // width
    counts = [0] * (high // width - first + 1)
    for value in values:
        counts[value // width - first] += 1
    return [((first + k) * width, (first + k + 1) * width, count) for k, count in enumerate(counts)]


def _short(value: float) -> float:
    """Return a number with few digits, so that noise in the last ones decides nothing."""
    return float(f"{value:.6g}")


def _chart(values: Sequence[Spec], **parts: Any) -> Spec:
    axis = {
        "domain": False,
        "ticks": False,
        "gridColor": "var(--line)",
        "labelColor": "var(--hush)",
        "titleColor": "var(--hush)",
        "labelFontSize": 11,
        "titleFontSize": 11,
        "titleFontWeight": "normal",
        "labelPadding": 6,
    }
    return {
        "width": WIDTH,
        "padding": 4,
        "background": None,
        "data": {"values": list(values)},
        "config": {
            "aria": False,
            "font": _FONT,
            "view": {"stroke": None},
            "axis": axis,
            "axisX": {"grid": False},
            "axisY": {"minExtent": 36},
        },
        **parts,
    }


def available() -> bool:
    """Return whether the package that draws is installed."""
    return find_spec("vl_convert") is not None


def draw(spec: Spec, said: str) -> Markup | None:
    """Return a chart as SVG with a text for screen readers, or None where no package draws it.

    Raises EnvironmentFailure if the process that draws fails.
    """
    if not available():
        return None
    return _finished(_painter.ask({"chart": spec})["svg"], said)


def picture(svg: str) -> bytes | None:
    """Return an SVG as PNG, or None where no package draws it. Raises EnvironmentFailure like ``draw``."""
    return b64decode(_painter.ask({"picture": svg})["png"]) if available() else None


def close() -> None:
    """End the process that draws, if there is one; the next chart starts another."""
    _painter.close()


class _Painter:
    """Draws in a process of its own, which the first chart starts; a forked process starts its own."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0

    def ask(self, request: dict[str, Any]) -> dict[str, str]:
        with self._lock:
            process = self._started()
            assert process.stdin is not None and process.stdout is not None  # noqa: S101, PT018 - for the type checker
            try:
                process.stdin.write(json.dumps(request).encode("ascii") + b"\n")
                process.stdin.flush()
                line = process.stdout.readline()
            except OSError:
                line = b""
        if not line:
            self.close()
            raise EnvironmentFailure(
                "the process that draws charts ended too early, perhaps for lack of memory; free some memory"
                " and write the report again"
            )
        found: dict[str, str] = json.loads(line)
        if "error" in found:
            raise EnvironmentFailure(f"a chart cannot be drawn: {found['error']}")
        return found

    def _started(self) -> subprocess.Popen[bytes]:
        if self._owner == os.getpid() and self._process is not None and self._process.poll() is not None:
            self.close()  # it was ended between two charts, as a run ends all that it did not start
        if self._process is None or self._owner != os.getpid():
            command = [sys.executable, "-P", "-m", "tourney.report.charts.vega_process"]
            self._process = subprocess.Popen(  # noqa: S603 - our own module
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
            )
            self._owner = os.getpid()
        return self._process

    def close(self) -> None:
        process, self._process = self._process, None
        if process is None or self._owner != os.getpid():
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(OSError):  # bytes that the process did not read
                    pipe.close()


_painter = _Painter()
atexit.register(close)

_HEAD = re.compile(r'<svg [^>]*?viewBox="([-0-9. ]+)">')
_USELESS = re.compile(
    r' (?:role="[a-z-]+"|aria-roledescription="[a-z ]+"|aria-hidden="true"|pointer-events="none"'
    r'|opacity="1"|font-weight="normal"|stroke-width="1"'
    rf'|font-family="{_FONT}"|font-size="11px")'
    r'|<path class="(?:background|foreground)"[^>]*/>'
)
_LONG = re.compile(r"-?\d+\.\d{3,}(?:e-?\d+)?")


def _finished(svg: str, said: str) -> Markup:
    """Return the library's SVG with our own first tag, and without what says nothing."""
    head = _HEAD.match(svg)
    if head is None:
        raise EnvironmentFailure(
            "a chart came in another form than expected: install vl-convert-python again"
        )
    body = _LONG.sub(lambda found: f"{float(found[0]):.2f}", _USELESS.sub("", svg[head.end() :]))
    return Markup(  # noqa: S704 - numbers, our own words, and an escaped text
        f'<svg class="chart" viewBox="{head[1]}" role="img" aria-label="{escape(said)}">{body}'
    )
