"""Board diagrams as data, rendered as SVG for pages and as text for terminals.

Coordinates are integers in half cells, x to the right and y downwards, and name the centre of a cell. So
neighbouring cells of a row are 2 apart, and a row of a hex grid is shifted by 1.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from itertools import chain
from typing import Literal, NamedTuple

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
    """A piece beside the board, and the number of them."""
    shown = Piece(x, y, piece.glyph, piece.side, piece.kind, piece.title, aside=True)
    return shown, Piece(x + 1, y + 1, str(count), 0, "count", aside=True)


class Mark(NamedTuple):
    """A highlighted cell; ``kind`` is "from", "to", "captured" or "used"."""

    x: int
    y: int
    kind: str


class Arrow(NamedTuple):
    """A straight arrow between two cells."""

    x1: int
    y1: int
    x2: int
    y2: int


class Label(NamedTuple):
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


def square_labels(files: Sequence[str], ranks: Sequence[str]) -> tuple[Label, ...]:
    """Names below and on the left of a board of squares; the first square, at the bottom left, has x 0."""
    bottom = 2 * len(ranks)
    below = (Label(2 * file, bottom, name) for file, name in enumerate(files))
    return (*below, *(Label(-2, bottom - 2 - 2 * rank, name) for rank, name in enumerate(ranks)))


def join(parts: Iterable[Diagram]) -> Diagram:
    """One diagram of all that several show, in their order."""
    drawn = tuple(parts)
    names = (one.name for one in fields(Diagram))
    return Diagram(*(tuple(chain.from_iterable(getattr(part, name) for part in drawn)) for name in names))


FIELD = "\x1f"
"""The character on both sides of a field's address in a note's template."""
LAST = f"{FIELD}a{FIELD}"
"""Stands for the last action in a note's template."""

_ADDRESS = re.compile(f"{FIELD}([^{FIELD}]*){FIELD}")
_WITHIN = re.compile("[:,]")


def field(index: int, within: int | None = None) -> str:
    """The placeholder in a note's template for a field of the view, counted from 0 and split by blanks.

    With ``within``, it is one of the texts between the field's colons and commas.
    """
    return f"{FIELD}{index}{FIELD}" if within is None else f"{FIELD}{index}.{within}{FIELD}"


def fill(templates: Iterable[str], view: str, last: str | None) -> tuple[str, ...]:
    """Notes from their templates, a view and the last action."""
    words = view.split(" ")

    def value(address: str) -> str:
        if address == "a":
            return last or ""
        index, _, within = address.partition(".")
        return _WITHIN.split(words[int(index)])[int(within)] if within else words[int(index)]

    return tuple(_ADDRESS.sub(lambda found: value(found[1]), text) for text in templates)


def plain_diagram(view: str, last: str | None = None) -> Diagram:
    """The diagram of a game without one of its own: a line per field, and the last action."""
    lines = tuple(view.split(" "))
    return Diagram(notes=(*lines, f"last: {last}") if last else lines)
