"""Diagrams as SVG, in colours that people with colour blindness can distinguish.

The seat colours are those of Okabe and Ito (Color Universal Design, 2008), plus a red and neutral ones. Every
colour is a CSS custom property, ``--board-NAME``, which a page may set.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import isqrt

from tourney.games.diagram import ASIDE_WORDS, Arrow, Cell, Diagram, Mark, Piece, Shape
from tourney.games.piece_shapes import NEUTRAL_BODY, SIDE_BODIES, drawing_of


@dataclass(frozen=True, slots=True)
class Tone:
    """A colour on light and on dark pages, as CSS hex colours; ``ansi`` is one of xterm's 256 colours."""

    light: str
    dark: str
    ansi: int


SEAT_COLORS: tuple[str, ...] = ("blue", "orange", "green", "purple")
"""The colours of seats 1 to 4 in games whose seat names are no colours."""

TOKENS: Mapping[str, Tone] = {
    "blue": Tone("#0072b2", "#3b9ad6", 31),
    "orange": Tone("#e69f00", "#e69f00", 214),
    "green": Tone("#008f68", "#149a72", 36),
    "purple": Tone("#cc79a7", "#d990b8", 175),
    "black": Tone("#26292e", "#14161a", 235),
    "white": Tone("#fbfaf5", "#f1efe6", 255),
    "red": Tone("#c8401c", "#de5a33", 166),
    "yellow": Tone("#f0e442", "#f0e442", 227),
    "none": Tone("#8f949c", "#7f858f", 245),
    "fire": Tone("#d9480f", "#e8590c", 202),
    "water": Tone("#2b8ccf", "#3d9be0", 32),
    "earth": Tone("#85623a", "#9a7347", 94),
    "wind": Tone("#cfd8df", "#b9c6cf", 252),
    "fool": Tone("#f0e442", "#f0e442", 227),
}
"""The fill of pieces, by the colour of their side or, for neutral pieces, by their kind."""

_SIDES = frozenset({"blue", "orange", "green", "purple", "black", "white", "red", "yellow"})

INK_LIGHT = frozenset({"blue", "green", "black", "red", "none", "fire", "water", "earth"})
"""The fills with white letters; letters on other fills are dark."""

GROUNDS: Mapping[str, Tone] = {
    "plain": Tone("#f1e7d3", "#4a453c", 0),
    "bank": Tone("#e6dcae", "#55503a", 0),
    "river": Tone("#b9d9ee", "#2d4f68", 24),
    "water": Tone("#a9d0ea", "#2b5270", 24),
    "mountain": Tone("#b9ab98", "#6b6257", 240),
    "tower": Tone("#d8d0c4", "#625c52", 0),
    "city": Tone("#e3c6d6", "#5d4352", 53),
    "barbarian": Tone("#dcd6cb", "#37342f", 236),
    "start": Tone("#e5dff0", "#4f4a5c", 0),
    "hidden": Tone("#c4c7cc", "#2c2e33", 238),
    "light": Tone("#f0e2c4", "#8d8471", 0),
    "dark": Tone("#c49a6c", "#5c4a36", 94),
}
"""The fill of cells, by their kind; an unknown kind looks like ``plain``."""

LINES: Mapping[str, Tone] = {
    "back": Tone("#fffdf8", "#1f1e1b", 0),
    "line": Tone("#9b8f7a", "#7d766a", 0),
    "ink": Tone("#2b2620", "#e9e4da", 0),
    "edge": Tone("#2b2620", "#f1efe6", 0),
    "from": Tone("#7a5c00", "#ffd54a", 178),
    "to": Tone("#7a5c00", "#ffd54a", 178),
    "captured": Tone("#b00020", "#ff6b6b", 160),
    "used": Tone("#5f6b76", "#aeb9c2", 245),
    "arrow": Tone("#4b2e83", "#cdb4ff", 97),
}
"""The strokes of lines, letters beside the board, marks and arrows."""


def seat_colors(names: Sequence[str]) -> tuple[str, ...]:
    """Return a colour of ``TOKENS`` for each of ``Game.seat_names``.

    If the names are distinct colours, each seat has its own; otherwise the colours are ``SEAT_COLORS``.
    """
    words = tuple(name.lower() for name in names)
    if words and all(word in _SIDES for word in words) and len(set(words)) == len(words):
        return words
    return tuple(SEAT_COLORS[k % len(SEAT_COLORS)] for k in range(max(len(words), len(SEAT_COLORS))))


HALF = 52
"""SVG units in half a cell, horizontally and (except on hex grids) vertically."""
HALF_HEX = 45
"""SVG units in half a row of a hex grid, which makes its cells regular to within 0.1 %."""

_MARGIN = 10
_NOTE_LINE = 44
_NOTE_WIDTH = 23  # of a character of the notes, with a margin
_UNITS_PER_PIXEL = 2.6


@dataclass(frozen=True, slots=True)
class Scale:
    """Converts half cells to SVG units: ``x * HALF`` and ``y * down``."""

    down: int

    def at(self, x: int, y: int) -> tuple[int, int]:
        """Return a centre in units."""
        return x * HALF, y * self.down


def scale_of(diagram: Diagram) -> Scale:
    """Return the scale of a diagram: rows of a hex grid are closer together."""
    return Scale(HALF_HEX if any(cell.shape == "hex" for cell in diagram.cells) else HALF)


@cache
def style() -> str:
    """Return the style sheet of all diagrams; a page needs it once, a standalone SVG contains it.

    Its selectors are single classes, since the content of a ``<use>`` element has no ancestors to match.
    """
    rules = [
        ".tb-text{font:600 44px system-ui,'Segoe UI','Liberation Sans',Arial,sans-serif;text-anchor:middle}",
        ".tb-two{font-size:36px}",
        ".tb-label{font-weight:400;font-size:32px}",
        ".tb-note{font:400 36px ui-monospace,'Liberation Mono',monospace;text-anchor:start}",
        ".tb-cell{stroke-width:2}",
        ".tb-tint{fill-opacity:.3}",
        ".tb-piece{stroke-width:4}",
        ".tb-ring{fill:none;stroke:#fff;stroke-width:2;stroke-opacity:.35}",
        ".tb-mark{fill:none;stroke-width:7;stroke-linecap:round}",
        ".tb-from{stroke-dasharray:16 14}.tb-used{stroke-dasharray:1 14}",
        ".tb-shaft{stroke-width:10;stroke-linecap:round;fill:none}",
        ".tb-deco{fill:none;stroke-width:5;stroke-linecap:round;stroke-linejoin:round;opacity:.55}",
        ".tb-ink-light{fill:#fff;color:#fff}.tb-ink-dark{fill:#1c1a17;color:#1c1a17}",
        ".tb-figure{fill-rule:evenodd;display:var(--tb-figure,inline)}",
        ".tb-letter{display:var(--tb-letter,none)}",
        ".tb-letters{--tb-figure:none;--tb-letter:inline}",
        ".tb-count{font-size:30px}.tb-badge{stroke-width:3}",
        ".tb-pen{fill:none;stroke:currentColor;stroke-width:7;stroke-linecap:round;stroke-linejoin:round}",
        ".tb-thin{stroke-width:5}",
        *_colours(dark=False),
        "@media (prefers-color-scheme:dark){",
        *_colours(dark=True),
        "}",
    ]
    return "\n".join(rules) + "\n"


def _colours(*, dark: bool) -> list[str]:
    def var(name: str, tone: Tone) -> str:
        return f"var(--board-{name},{tone.dark if dark else tone.light})"

    rules = [f".tb-g-{name}{{fill:{var(name, tone)}}}" for name, tone in GROUNDS.items()]
    rules += [f".tb-p-{name}{{fill:{var('seat-' + name, tone)}}}" for name, tone in TOKENS.items()]
    line = {name: var(name, tone) for name, tone in LINES.items()}
    rules += [
        f".tb-back{{fill:{line['back']}}}",
        f".tb-cell{{stroke:{line['line']}}}",
        f".tb-piece{{stroke:{line['edge']}}}",
        f".tb-deco{{stroke:{line['ink']}}}",
        f".tb-label,.tb-note,.tb-count{{fill:{line['ink']}}}",
        f".tb-badge{{fill:{line['back']};stroke:{line['line']}}}",
        f".tb-shaft{{stroke:{line['arrow']}}}.tb-head{{fill:{line['arrow']}}}",
    ]
    rules += [f".tb-{kind}{{stroke:{line[kind]}}}" for kind in MARKS]
    return rules


MARKS = ("from", "to", "captured", "used")


_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"})


def escape(text: str) -> str:
    """Escape a text for an XML element or attribute; replace forbidden characters with U+FFFD."""
    allowed = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
    return allowed.translate(_ENTITIES)


def view_box(diagram: Diagram) -> tuple[int, int, int, int]:
    """Return the bounding box of cells, labels and pieces: left, top, width, height, in SVG units."""
    scale = scale_of(diagram)
    places = {(c.x, c.y) for c in diagram.cells} | {(p.x, p.y) for p in diagram.pieces}
    places |= {(label.x, label.y) for label in diagram.labels}
    if not places:
        return 0, 0, 0, 0
    centres = [scale.at(x, y) for x, y in places]
    up = 60 if scale.down == HALF_HEX else HALF
    left, right = min(x for x, _ in centres) - HALF, max(x for x, _ in centres) + HALF
    top, bottom = min(y for _, y in centres) - up, max(y for _, y in centres) + up
    return left - _MARGIN, top - _MARGIN, right - left + 2 * _MARGIN, bottom - top + 2 * _MARGIN


def svg_diagram(
    diagram: Diagram, colors: Sequence[str] = SEAT_COLORS, title: str = "", *, letters: bool = False
) -> str:
    """Return a standalone SVG document of a diagram with its notes below, ended by a newline.

    ``colors`` are the seats' (``seat_colors``); ``title`` is for screen readers; ``letters`` shows letters
    in place of figures.
    """
    left, top, width, height = view_box(diagram)
    lines = _fold(diagram.notes, max(width, 24 * HALF) // _NOTE_WIDTH)
    if lines:
        width = max(width, max(map(len, lines)) * _NOTE_WIDTH + 2 * _MARGIN)
    under = top + height
    notes = [
        f'<text class="tb-note" x="{left + _MARGIN}" y="{under + k * _NOTE_LINE}">{escape(line)}</text>'
        for k, line in enumerate(lines, 1)
    ]
    height += _NOTE_LINE * len(lines) + (_MARGIN * 2 if lines else 0)
    box = f'viewBox="{left} {top} {width} {height}"'
    size = f'width="{int(width / _UNITS_PER_PIXEL)}" height="{int(height / _UNITS_PER_PIXEL)}"'
    styles = "tb tb-letters" if letters else "tb"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{styles}" role="img" {box} {size}>',
        *([f"<title>{escape(title)}</title>"] if title else []),
        f"<style>\n{style()}</style>",
        f'<rect class="tb-back" x="{left}" y="{top}" width="{width}" height="{height}"/>',
        ground_svg(diagram, colors),
        pieces_svg(diagram, colors),
        *notes,
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def inline_svg(diagram: Diagram, colors: Sequence[str] = SEAT_COLORS, title: str = "") -> str:
    """Return a diagram as SVG for a page that has the style sheet (``style``); without its notes."""
    left, top, width, height = view_box(diagram)
    return (
        f'<svg class="tb" role="img" viewBox="{left} {top} {width} {height}">{_title(title)}'
        f"{ground_svg(diagram, colors)}{pieces_svg(diagram, colors)}</svg>"
    )


def piece_svg(piece: Piece, colors: Sequence[str] = SEAT_COLORS) -> str:
    """Return one piece as SVG for a page that has the style sheet; the page says what it is."""
    look = _piece(piece, colors, "square", titled=False)
    return f'<svg class="tb" aria-hidden="true" viewBox="-50 -50 100 100">{look}</svg>'


def ground_svg(diagram: Diagram, colors: Sequence[str] = SEAT_COLORS) -> str:
    """Return the cells and labels of a diagram as one SVG group."""
    scale = scale_of(diagram)
    ordered = sorted(diagram.cells, key=lambda cell: (cell.shape == "point", cell.y, cell.x))
    parts = [_cell(cell, scale, colors) for cell in ordered]
    for label in diagram.labels:
        x, y = scale.at(label.x, label.y)
        parts.append(f'<text class="tb-text tb-label" x="{x}" y="{y + 11}">{escape(label.text)}</text>')
    return '<g class="tb-ground">\n' + "\n".join(parts) + "\n</g>"


def pieces_svg(diagram: Diagram, colors: Sequence[str] = SEAT_COLORS) -> str:
    """Return the marks, pieces and arrows of a diagram as one SVG group, for the layer above the ground."""
    parts = [
        f'<g transform="translate({x} {y})">{_title(title)}{shape}</g>'
        for shape, title, x, y in _placed(diagram, colors, titled=False)
    ]
    return '<g class="tb-pieces">\n' + "\n".join(parts) + "\n</g>"


def placed_shapes(diagram: Diagram, colors: Sequence[str] = SEAT_COLORS) -> list[tuple[str, str, int, int]]:
    """Return marks, arrows and pieces, the lowest first: SVG around the origin, title, x and y of the centre.

    Few distinct shapes occur in a game, so a replay stores each of them once. The SVG of a piece of a known
    kind has a title of its own, such as "red sage (seat 2)"; the other title also names the place.
    """
    return _placed(diagram, colors, titled=True)


def _placed(diagram: Diagram, colors: Sequence[str], *, titled: bool) -> list[tuple[str, str, int, int]]:
    scale = scale_of(diagram)
    shapes: Mapping[tuple[int, int], Shape] = {(c.x, c.y): c.shape for c in diagram.cells}

    def shape(x: int, y: int) -> Shape:
        return shapes.get((x, y), "square")

    found = [(_mark(m, shape(m.x, m.y)), "", *scale.at(m.x, m.y)) for m in diagram.marks]
    found += [
        (_arrow(a, scale), "", *scale.at(a.x1, a.y1)) for a in diagram.arrows if (a.x1, a.y1) != (a.x2, a.y2)
    ]
    found += [
        (_piece(p, colors, shape(p.x, p.y), titled=titled), p.title, *scale.at(p.x, p.y))
        for p in diagram.pieces
    ]
    return found


def _title(text: str) -> str:
    return f"<title>{escape(text)}</title>" if text else ""


def _piece(piece: Piece, colors: Sequence[str], shape: Shape, *, titled: bool = True) -> str:
    """Return a piece: its body, and the figure and the letter on it, of which the page shows one.

    ``titled`` adds a title that is the same for all pieces of the kind and side.
    """
    if piece.aside and piece.kind in ASIDE_WORDS:
        return _WORDS[piece.kind].format(escape(piece.glyph))
    drawing = drawing_of(piece.kind, piece.glyph)
    if piece.side > 0:
        color = colors[(piece.side - 1) % len(colors)]
        body = SIDE_BODIES[(piece.side - 1) % len(SIDE_BODIES)]
    else:
        color = _NEUTRAL.get(piece.kind, piece.kind if piece.kind in TOKENS else "none")
        body = NEUTRAL_BODY
    ink = "light" if color in INK_LIGHT else "dark"
    look = f'<g class="tb-piece tb-p-{color}">{drawing.body if drawing and drawing.body else body}</g>'
    if drawing:
        size = "" if drawing.body else ' transform="scale(.84)"'
        look += f'<g class="tb-figure tb-ink-{ink}"{size}>{drawing.figure}</g>'
    if piece.glyph.strip():
        styles = ("tb-text", f"tb-ink-{ink}", *(["tb-two"] if len(piece.glyph) > 1 else []))
        styles += ("tb-letter",) if drawing else ()
        y = (drawing.letter if drawing else 15) - (3 if len(piece.glyph) > 1 else 0)
        look += f'<text class="{" ".join(styles)}" y="{y}">{escape(piece.glyph)}</text>'
    if drawing and titled:
        look = (
            _title(f"{color} {drawing.name} (seat {piece.side})" if piece.side > 0 else drawing.name) + look
        )
    return f'<g transform="scale(.7)">{look}</g>' if shape == "point" else look


_WORDS = {
    "count": '<circle class="tb-badge" r="23"/><text class="tb-text tb-count" y="11">{}</text>',
    "caption": '<text class="tb-text tb-label" y="11">{}</text>',
}
"""The texts beside the board, by kind."""

_NEUTRAL = {"die": "white", "mountain": "earth", "range": "earth", "whirlwind": "wind"}
"""The colours of neutral kinds that have none of their own."""


def _cell(cell: Cell, scale: Scale, colors: Sequence[str]) -> str:
    """Return a cell; a kind that ends in ``-SEAT``, such as "city-2", has a tint of that seat's colour."""
    x, y = scale.at(cell.x, cell.y)
    kind, _, owner = cell.kind.partition("-")
    kind = kind if kind in GROUNDS else "plain"
    outline = _outline(cell.shape, x, y, 0)
    tint = ""
    if owner.isdecimal():
        color = colors[(int(owner) - 1) % len(colors)]
        tint = f'<path class="tb-cell tb-tint tb-p-{color}" d="{outline}"/>'
    if kind == "tower" and cell.shape == "point":
        outline = f"M{x - 45} {y - 45}{_BATTLEMENTS}"
    deco = f'<g class="tb-deco" transform="translate({x} {y})">{_DECO[kind]}</g>' if kind in _DECO else ""
    title = _title(cell.name if kind == "plain" else f"{cell.name} {kind}".strip())
    return f'<g><path class="tb-cell tb-g-{kind}" d="{outline}"/>{tint}{deco}{title}</g>'


_BATTLEMENTS = (
    "h20v9h15v-9h20v9h15v-9h20v20h-9v15h9v20h-9v15h9v20"
    "h-20v-9h-15v9h-20v-9h-15v9h-20v-20h9v-15h-9v-20h9v-15h-9Z"
)
"""The outline of a tower seen from above, from its north-west corner: 90 units wide."""

_WAVES = "M{x} {y}q9 -12 18 0t18 0t18 0t18 0"
_DECO = {
    "river": f'<path d="{_WAVES.format(x=-36, y=6)}"/>',
    "water": f'<path d="{_WAVES.format(x=-36, y=-9)}{_WAVES.format(x=-36, y=15)}"/>',
    "mountain": '<path d="M-34 24L-10 -22L2 0L12 -14L34 24"/>',
    "tower": '<path d="M-17 24V-8H-21V-24H-11V-17H-5V-24H5V-17H11V-24H21V-8H17V24Z"/>',
    "city": '<path d="M-34 28V-16H-22V-7H-11V-16H11V-7H22V-16H34V28ZM-9 28V14Q0 2 9 14V28"/>',
    "barbarian": '<path d="M-8 -8L8 8M8 -8L-8 8"/>',
    "hidden": '<path d="M-12 -12a13 13 0 1 1 17 13q-5 3 -5 11M0 24v1"/>',
}
"""The patterns that identify terrain without its colour."""


def _outline(shape: Shape, x: int, y: int, inset: int) -> str:
    w = HALF - inset
    if shape == "hex":
        top, side = 60 - inset, 30 - inset // 2
        slant = top - side
        return f"M{x} {y - top}l{w} {slant}v{2 * side}l{-w} {slant}l{-w} {-slant}v{-2 * side}Z"
    if shape == "point":
        r = 34 - inset
        return f"M{x - r} {y}a{r} {r} 0 1 1 {2 * r} 0a{r} {r} 0 1 1 {-2 * r} 0Z"
    return f"M{x - w} {y - w}h{2 * w}v{2 * w}h{-2 * w}Z"


def _mark(mark: Mark, shape: Shape) -> str:
    kind = mark.kind if mark.kind in MARKS else "used"
    cross = "M-30 -30L30 30M30 -30L-30 30" if kind == "captured" else ""
    return f'<path class="tb-mark tb-{kind}" d="{_outline(shape, 0, 0, 7)}{cross}"/>'


def _arrow(arrow: Arrow, scale: Scale) -> str:
    (x1, y1), (x2, y2) = scale.at(arrow.x1, arrow.y1), scale.at(arrow.x2, arrow.y2)
    return arrow_shape(x2 - x1, y2 - y1)


def arrow_shape(dx: int, dy: int) -> str:
    """Return the SVG of an arrow around its start, from near there to the edge of a token at its end.

    ``dx`` and ``dy`` lead from start to end, in SVG units. ``templates/static/board.js`` draws the same.
    """
    length = isqrt(dx * dx + dy * dy)

    def along(distance: int, aside: int = 0) -> str:
        return f"{(dx * distance - dy * aside) // length} {(dy * distance + dx * aside) // length}"

    tip, base = length - 38, length - 70
    return (
        f'<path class="tb-shaft" d="M{along(8)}L{along(base)}"/>'
        f'<path class="tb-head" d="M{along(tip)}L{along(base, 22)}L{along(base, -22)}Z"/>'
    )


def _fold(notes: Sequence[str], width: int) -> list[str]:
    """Split lines longer than ``width`` characters."""
    return [line[k : k + width] for line in notes for k in range(0, max(len(line), 1), width)]
