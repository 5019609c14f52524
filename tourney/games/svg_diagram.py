"""Diagrams as SVG: the sprites that boards are made of, and whole boards.

A still picture places sprites once; a replay (``tourney.report.replays``) says which of them appear and
disappear. Coordinates are integers, so every machine writes the same bytes.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import isqrt
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from tourney.games.diagrams import (
    ASIDE_WORDS,
    FIELD,
    GROUNDS,
    INK_LIGHT,
    MARKS,
    SEAT_COLORS,
    TOKENS,
    Cell,
    Diagram,
    Piece,
    Shape,
    style,
)
from tourney.prepared_types import prepared
from tourney.texts import legible

SIDE_BODIES: tuple[str, ...] = (
    '<circle r="43"/>',
    '<rect x="-39" y="-39" width="78" height="78" rx="13"/>',
    '<path d="M-22 -42H22L46 0L22 42H-22L-46 0Z"/>',
    '<path d="M-40 -38H40V4Q38 32 0 47Q-38 32 -40 4Z"/>',
)
"""The tokens of seats 1 to 4: circle, square, hexagon and shield."""

NEUTRAL_BODY = '<circle r="38"/><circle class="tb-ring" r="31"/>'
"""The body of a piece of no side and of unknown kind."""


@dataclass(frozen=True, slots=True)
class PieceShape:
    """The look of a kind of piece.

    ``figure`` is SVG in ink; class ``tb-pen`` makes a path a line, and ``tb-thin`` a thin one. ``body`` is
    the outline below it, or "" for the token of the side. ``letter`` is the y of the baseline of the letter
    that may replace the figure.
    """

    figure: str
    body: str = ""
    letter: int = 15


_FILE = Path(__file__).with_name("piece_shapes.toml")
DRAWINGS = msgspec.toml.decode(_FILE.read_bytes(), type=prepared(dict[str, PieceShape]))
"""By kind of piece, or kind and glyph."""


def drawing_of(kind: str, glyph: str) -> PieceShape | None:
    """The drawing of a kind of piece (the glyph tells whirlwinds apart), or None for unknown kinds."""
    return DRAWINGS.get(f"{kind}-{glyph}") or DRAWINGS.get(kind)


GROUND, LABEL, MARK, ARROW, PIECE, ASIDE = range(6)
"""The layers of sprites, the lowest first; the last has the pieces beside the board."""

HALF = 52  # SVG units in half a cell, horizontally and (except on hex grids) vertically
HALF_HEX = 45  # SVG units in half a row of a hex grid, which makes its cells regular to within 0.1 %

_MARGIN = 10
_NOTE_LINE = 44
_NOTE_WIDTH = 23  # of a character of the notes, with a margin
_UNITS_PER_PIXEL = 2.6
_SPRITES = 1 << 14


class Box(NamedTuple):
    """A rectangle in SVG units."""

    left: int
    top: int
    width: int
    height: int


NO_BOX: Final = Box(0, 0, 0, 0)


class Sprite(NamedTuple):
    """A drawn thing around the origin, of which a game needs few.

    ``level`` is its height above others of the layer at the same place. ``FIELD`` in the title stands for the
    name of the place.
    """

    layer: int
    level: int
    svg: str
    title: str


@dataclass(frozen=True, slots=True)
class Grid:
    """The places of cells: SVG units in half a row, and each cell's shape and name by its place."""

    down: int
    shapes: Mapping[tuple[int, int], Shape]
    names: Mapping[tuple[int, int], str]

    @classmethod
    def of(cls, cells: Sequence[Cell]) -> "Grid":
        """The grid of some cells."""
        return cls(
            row_of(cells),
            {(cell.x, cell.y): cell.shape for cell in cells},
            {(cell.x, cell.y): legible(cell.name) for cell in cells},
        )

    def at(self, x: int, y: int) -> tuple[int, int]:
        """The centre of a cell in SVG units."""
        return x * HALF, y * self.down

    def shape(self, x: int, y: int) -> Shape:
        """The shape of a cell; beside the board it is a square."""
        return self.shapes.get((x, y), "square")


def row_of(cells: Sequence[Cell]) -> int:
    """The SVG units in half a row: rows of a hex grid are closer together."""
    return HALF_HEX if any(cell.shape == "hex" for cell in cells) else HALF


_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"})


def escape(text: str) -> str:
    """A printable text for an XML element or attribute."""
    return legible(text).translate(_ENTITIES)


@lru_cache(_SPRITES)
def cell_sprite(kind: str, shape: Shape, colors: tuple[str, ...]) -> Sprite:
    """A cell; a kind that ends in ``-SEAT``, such as "city-2", has a tint of that seat's colour."""
    kind, _, owner = kind.partition("-")
    kind = kind if kind in GROUNDS else "plain"
    outline = _outline(shape, 0)
    tint = ""
    if owner.isdecimal():
        color = colors[(int(owner) - 1) % len(colors)]
        tint = f'<path class="tb-cell tb-tint tb-p-{color}" d="{outline}"/>'
    if kind == "tower" and shape == "point":
        outline = _BATTLEMENTS
    deco = f'<g class="tb-deco">{_DECO[kind]}</g>' if kind in _DECO else ""
    title = FIELD if kind == "plain" else f"{FIELD} {kind}"
    svg = f'<path class="tb-cell tb-g-{kind}" d="{outline}"/>{tint}{deco}'
    return Sprite(GROUND, int(shape == "point"), svg, title)


def label_sprite(text: str) -> Sprite:
    """The name of a coordinate."""
    return Sprite(LABEL, 0, _WORDS["caption"].format(escape(text)), "")


@lru_cache(_SPRITES)
def mark_sprite(kind: str, shape: Shape) -> Sprite:
    """A mark around a cell of a shape."""
    kind = kind if kind in MARKS else "used"
    cross = "M-30 -30L30 30M30 -30L-30 30" if kind == "captured" else ""
    return Sprite(MARK, 0, f'<path class="tb-mark tb-{kind}" d="{_outline(shape, 7)}{cross}"/>', "")


def piece_sprite(piece: Piece, level: int, grid: Grid, colors: Sequence[str]) -> Sprite:
    """A piece: its body, and the figure and the letter on it, of which the page shows one."""
    at = piece.x, piece.y
    title = legible(piece.title) or legible(piece.glyph)
    name = grid.names.get(at, "")
    head, named, tail = title.rpartition(name) if name else ("", "", title)
    svg = piece_svg(piece, colors)
    if grid.shape(*at) == "point":
        svg = f'<g transform="scale(.7)">{svg}</g>'
    layer = ASIDE if piece.aside else PIECE
    return Sprite(layer, level, svg, f"{head}{FIELD}{tail}" if named else title)


def piece_svg(piece: Piece, colors: Sequence[str]) -> str:
    """A piece around the origin, wherever it lies."""
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
    svg = f'<g class="tb-piece tb-p-{color}">{drawing.body if drawing and drawing.body else body}</g>'
    if drawing:
        size = "" if drawing.body else ' transform="scale(.84)"'
        svg += f'<g class="tb-figure tb-ink-{ink}"{size}>{drawing.figure}</g>'
    if piece.glyph.strip():
        styles = ("tb-text", f"tb-ink-{ink}", *(["tb-two"] if len(piece.glyph) > 1 else []))
        styles += ("tb-letter",) if drawing else ()
        y = (drawing.letter if drawing else 15) - (3 if len(piece.glyph) > 1 else 0)
        svg += f'<text class="{" ".join(styles)}" y="{y}">{escape(piece.glyph)}</text>'
    return svg


def arrow_svg(dx: int, dy: int) -> str:
    """An arrow around its start, from near there to the edge of a token at its end.

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


class PlacedSprite(NamedTuple):
    """A sprite at a place: its title with the name of the place, and the centre in SVG units."""

    sprite: Sprite
    title: str
    x: int
    y: int


def placed_sprites(diagram: Diagram, colors: Sequence[str] = SEAT_COLORS) -> list[PlacedSprite]:
    """All that a diagram shows, in the order of drawing."""
    placed = _placed(diagram, Grid.of(diagram.cells), tuple(colors))
    return sorted(
        placed, key=lambda placing: (placing.sprite.layer, placing.sprite.level, placing.y, placing.x)
    )


def _placed(diagram: Diagram, grid: Grid, colors: tuple[str, ...]) -> Iterator[PlacedSprite]:
    def placed(sprite: Sprite, x: int, y: int) -> PlacedSprite:
        title = sprite.title.replace(FIELD, grid.names.get((x, y), "")).strip()
        return PlacedSprite(sprite, title, *grid.at(x, y))

    for cell in diagram.cells:
        yield placed(cell_sprite(cell.kind, cell.shape, colors), cell.x, cell.y)
    for label in diagram.labels:
        yield placed(label_sprite(label.text), label.x, label.y)
    for mark in diagram.marks:
        yield placed(mark_sprite(mark.kind, grid.shape(mark.x, mark.y)), mark.x, mark.y)
    for arrow in diagram.arrows:
        (x1, y1), (x2, y2) = grid.at(arrow.x1, arrow.y1), grid.at(arrow.x2, arrow.y2)
        if (x1, y1) != (x2, y2):
            yield PlacedSprite(Sprite(ARROW, 0, arrow_svg(x2 - x1, y2 - y1), ""), "", x1, y1)
    for piece, level in stacked(diagram.pieces):
        yield placed(piece_sprite(piece, level, grid, colors), piece.x, piece.y)


def stacked(pieces: Sequence[Piece]) -> Iterator[tuple[Piece, int]]:
    """Yield pieces with their height above others at their place."""
    taken: dict[tuple[int, int], int] = {}
    for piece in pieces:
        level = taken[piece.x, piece.y] = taken.get((piece.x, piece.y), -1) + 1
        yield piece, level


def board_svg(diagram: Diagram, colors: Sequence[str] = SEAT_COLORS) -> str:
    """The content of a diagram's SVG, for a page or a document with the style sheet (``style``)."""
    return "\n".join(
        f'<g transform="translate({x} {y})">{_title(title)}{sprite.svg}</g>'
        for sprite, title, x, y in placed_sprites(diagram, colors)
    )


def _title(text: str) -> str:
    return f"<title>{escape(text)}</title>" if text else ""


def view_box(diagram: Diagram) -> Box:
    """The bounding box of cells, labels and pieces."""
    places = [(cell.x, cell.y) for cell in diagram.cells]
    places += [(piece.x, piece.y) for piece in diagram.pieces]
    places += [(label.x, label.y) for label in diagram.labels]
    return box_of(places, row_of(diagram.cells))


def box_of(places: Iterable[tuple[int, int]], down: int) -> Box:
    """The bounding box of cells at some places, with SVG units in half a row."""
    centers = list(places)
    if not centers:
        return NO_BOX
    up = 60 if down == HALF_HEX else HALF
    xs, ys = [x for x, _ in centers], [y for _, y in centers]
    left, right = min(xs) * HALF - HALF, max(xs) * HALF + HALF
    top, bottom = min(ys) * down - up, max(ys) * down + up
    return Box(left - _MARGIN, top - _MARGIN, right - left + 2 * _MARGIN, bottom - top + 2 * _MARGIN)


def around(boxes: Iterable[Box]) -> Box:
    """The box around some boxes; those without width do not count."""
    real = [box for box in boxes if box.width]
    if not real:
        return NO_BOX
    left, top = min(box.left for box in real), min(box.top for box in real)
    right = max(box.left + box.width for box in real)
    bottom = max(box.top + box.height for box in real)
    return Box(left, top, right - left, bottom - top)


def inline_svg(diagram: Diagram, colors: Sequence[str] = SEAT_COLORS, title: str = "") -> str:
    """A diagram as SVG for a page that has the style sheet (``style``); without its notes."""
    box = " ".join(map(str, view_box(diagram)))
    return f'<svg class="tb" role="img" viewBox="{box}">{_title(title)}{board_svg(diagram, colors)}</svg>'


def svg_diagram(diagram: Diagram, colors: Sequence[str] = SEAT_COLORS, title: str = "") -> str:
    """A standalone SVG document of a diagram with its notes below, ended by a newline.

    ``colors`` are the seats' (``seat_colors``); ``title`` is for screen readers.
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
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="tb" role="img" {box} {size}>',
        *([_title(title)] if title else []),
        f"<style>\n{style()}</style>",
        f'<rect class="tb-back" x="{left}" y="{top}" width="{width}" height="{height}"/>',
        board_svg(diagram, colors),
        *notes,
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _fold(notes: Sequence[str], width: int) -> list[str]:
    """Split lines longer than ``width`` characters."""
    return [line[k : k + width] for line in notes for k in range(0, max(len(line), 1), width)]


_WORDS = {
    "count": '<circle class="tb-badge" r="23"/><text class="tb-text tb-count" y="11">{}</text>',
    "caption": '<text class="tb-text tb-label" y="11">{}</text>',
}
"""The texts beside the board, by kind."""

_NEUTRAL = {"die": "white", "mountain": "earth", "range": "earth", "whirlwind": "wind"}
"""The colours of neutral kinds that have none of their own."""

_BATTLEMENTS = (
    "M-45 -45h20v9h15v-9h20v9h15v-9h20v20h-9v15h9v20h-9v15h9v20"
    "h-20v-9h-15v9h-20v-9h-15v9h-20v-20h9v-15h-9v-20h9v-15h-9Z"
)
"""The outline of a tower seen from above: 90 units wide."""

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


def _outline(shape: Shape, inset: int) -> str:
    w = HALF - inset
    if shape == "hex":
        top = 60 - inset
        side = 30 - inset // 2
        slant = top - side
        return f"M0 {-top}l{w} {slant}v{2 * side}l{-w} {slant}l{-w} {-slant}v{-2 * side}Z"
    if shape == "point":
        r = 34 - inset
        return f"M{-r} 0a{r} {r} 0 1 1 {2 * r} 0a{r} {r} 0 1 1 {-2 * r} 0Z"
    return f"M{-w} {-w}h{2 * w}v{2 * w}h{-2 * w}Z"
