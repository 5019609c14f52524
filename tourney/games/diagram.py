"""Drawings: one small vocabulary that every game fills, for pages (SVG) and terminals (text) alike.

A drawing is data. Coordinates are integers in half cells, x to the right and y downwards, and name a
cell's centre; so neighbouring cells of a row lie 2 apart, and a row of a hex grid is shifted by 1.
"""

from dataclasses import dataclass
from typing import Literal

Shape = Literal["square", "hex", "point"]


@dataclass(frozen=True, slots=True)
class Cell:
    """A place on the board; ``kind`` is a word for its ground, as "plain", "river", "mountain", "hidden"."""

    x: int
    y: int
    kind: str = "plain"
    name: str = ""
    shape: Shape = "square"


@dataclass(frozen=True, slots=True)
class Piece:
    """Something that lies on the board.

    ``side`` is the owner's seat, or 0 for nobody's; ``glyph`` one or two characters, for terminals and as
    the letter on the token; ``kind`` a word for its looks, as "stone", "tower"; ``title`` says it to people.
    """

    x: int
    y: int
    glyph: str
    side: int = 0
    kind: str = "token"
    title: str = ""


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
    """A coordinate's name beside the board."""

    x: int
    y: int
    text: str


@dataclass(frozen=True, slots=True)
class Diagram:
    """A board as it looks: ground, pieces, what the last action did, and lines of text beneath.

    ``cells`` and ``labels`` do not change in the course of a game where the ground does not; a replay may
    draw them once. ``notes`` hold what is not on the board: hands, points, the dice.
    """

    cells: tuple[Cell, ...] = ()
    pieces: tuple[Piece, ...] = ()
    marks: tuple[Mark, ...] = ()
    arrows: tuple[Arrow, ...] = ()
    labels: tuple[Label, ...] = ()
    notes: tuple[str, ...] = ()


def plain_diagram(view: str, last: str | None = None) -> Diagram:
    """Draw a game that offers no drawing of its own: its string, a field a line, and the last action."""
    lines = tuple(view.split(" "))
    return Diagram(notes=(*lines, f"last: {last}") if last else lines)
