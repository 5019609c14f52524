"""Board diagrams as data, rendered as SVG for pages and as text for terminals.

Coordinates are integers in half cells, x to the right and y downwards, and name the centre of a cell. So
neighbouring cells of a row are 2 apart, and a row of a hex grid is shifted by 1.
"""

from dataclasses import dataclass
from typing import Literal

Shape = Literal["square", "hex", "point"]


@dataclass(frozen=True, slots=True)
class Cell:
    """A place on the board; ``kind`` is its terrain, such as "plain", "river", "mountain", "hidden"."""

    x: int
    y: int
    kind: str = "plain"
    name: str = ""
    shape: Shape = "square"


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece on the board.

    ``side`` is the owner's seat, or 0 for a neutral piece; ``glyph`` one or two characters, for terminals and
    as the letter on the token; ``kind`` its shape, such as "stone", "tower"; ``title`` its description.
    ``aside``: it lies beside the board (a die, a stone in hand, a captured piece); pictures show it, text
    does not. There the kinds "count" and "caption" show their glyph as a number or word.
    """

    x: int
    y: int
    glyph: str
    side: int = 0
    kind: str = "token"
    title: str = ""
    aside: bool = False


ASIDE_WORDS = ("count", "caption")
"""Kinds of what lies beside the board that show their glyph as a text."""


def tray(x: int, y: int, piece: Piece, count: int) -> tuple[Piece, Piece]:
    """Return a piece beside the board, and how many there are of it."""
    shown = Piece(x, y, piece.glyph, piece.side, piece.kind, piece.title, aside=True)
    return shown, Piece(x + 1, y + 1, str(count), 0, "count", aside=True)


@dataclass(frozen=True, slots=True)
class Mark:
    """A highlighted cell; ``kind`` is "from", "to", "captured" or "used"."""

    x: int
    y: int
    kind: str


@dataclass(frozen=True, slots=True)
class Arrow:
    """A straight arrow between two cells."""

    x1: int
    y1: int
    x2: int
    y2: int


@dataclass(frozen=True, slots=True)
class Label:
    """The name of a coordinate beside the board."""

    x: int
    y: int
    text: str


@dataclass(frozen=True, slots=True)
class Diagram:
    """A position: terrain, pieces, marks and arrows of the last action, and lines of text below.

    ``cells`` and ``labels`` stay the same while the terrain does, so a replay can render them once. ``notes``
    hold what is not on the board: hands, points, dice.
    """

    cells: tuple[Cell, ...] = ()
    pieces: tuple[Piece, ...] = ()
    marks: tuple[Mark, ...] = ()
    arrows: tuple[Arrow, ...] = ()
    labels: tuple[Label, ...] = ()
    notes: tuple[str, ...] = ()


def plain_diagram(view: str, last: str | None = None) -> Diagram:
    """Return the diagram of a game without one of its own: a line per field, and the last action."""
    lines = tuple(view.split(" "))
    return Diagram(notes=(*lines, f"last: {last}") if last else lines)
