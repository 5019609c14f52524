"""A drawing of a position of chess, from its FEN alone: it needs no package."""

import re
from collections.abc import Hashable
from functools import cache
from typing import Any, Final

from tourney.errors import PositionError
from tourney.games.diagrams import LAST, Arrow, Cell, Diagram, Label, Mark, Piece, field, fill, join

KINDS: Final = {
    "P": "chess-pawn",
    "N": "chess-knight",
    "B": "chess-bishop",
    "R": "chess-rook",
    "Q": "chess-queen",
    "K": "chess-king",
}
_SIDES = ("White", "Black")
_RUN = re.compile("[1-8]")
_MOVE = re.compile("([a-h][1-8])([a-h][1-8])[nbrq]?")
_BOTTOM = 14
_TURN, _LAST_MOVE = 9, 10
"""Indices of parts: the ground, eight ranks from the eighth on, the turn, the last move."""


def _xy(file: int, rank: int) -> tuple[int, int]:
    """The centre of a square, counted from 0; White's first rank is at the bottom."""
    return 2 * file, _BOTTOM - 2 * rank


_GROUND = Diagram(
    tuple(
        Cell(*_xy(file, rank), "light" if (file + rank) % 2 else "dark", f"{'abcdefgh'[file]}{rank + 1}")
        for rank in range(8)
        for file in range(8)
    ),
    labels=(
        *(Label(2 * file, _BOTTOM + 2, name) for file, name in enumerate("abcdefgh")),
        *(Label(-2, _BOTTOM - 2 * rank, str(rank + 1)) for rank in range(8)),
    ),
)
_DRAW = "chance draws the starting position"
_COUNTS = f"half-moves without capture or pawn move: {field(4)} of 100; move {field(5)}"


@cache
def _piece(letter: str, file: int, rank: int) -> Piece:
    kind, side = KINDS[letter.upper()], 1 if letter.isupper() else 2
    title = f"{_SIDES[side - 1]} {kind.removeprefix('chess-')} {'abcdefgh'[file]}{rank + 1}"
    return Piece(*_xy(file, rank), letter, side, kind, title)


def parts_of(view: str, last: str | None) -> tuple[Hashable, ...]:
    """The parts of a diagram, for ``part_of``: strings."""
    if view == "draw":
        return ("", *("8",) * 8, "draw", last)
    ranks, turn, *_ = view.split(" ")
    return ("", *ranks.split("/"), turn, last)


def part_of(index: int, part: Any) -> Diagram:
    """A part of a diagram."""
    if index == 0:
        return _GROUND
    if index < _TURN:
        row = _RUN.sub(lambda run: "." * int(run[0]), part)
        pieces = (_piece(letter, file, 8 - index) for file, letter in enumerate(row) if letter != ".")
        return Diagram(pieces=tuple(pieces))
    if index == _TURN:
        if part == "draw":
            return Diagram(notes=(_DRAW,))
        return Diagram(notes=(f"{_SIDES[part == 'b']} to move", _COUNTS))
    move = _MOVE.fullmatch(part or "")
    if move is None:
        return Diagram(notes=(f"last: {LAST}",)) if part else Diagram()
    start, end = (_xy(ord(name[0]) - ord("a"), int(name[1]) - 1) for name in move.groups())
    marks = (Mark(*start, "from"), Mark(*end, "to"))
    return Diagram(marks=marks, arrows=(Arrow(*start, *end),), notes=(f"last: {LAST}",))


def diagram_of(view: str, last: str | None) -> Diagram:
    """The diagram of a FEN, with the last move marked. Raises PositionError."""
    parts = parts_of(view, last)
    if len(parts) != _LAST_MOVE + 1 or not (view == "draw" or len(view.split(" ")) == 6):
        raise PositionError(f"{view[:60]!r} is not a FEN")
    drawn = join(part_of(index, part) for index, part in enumerate(parts))
    return Diagram(
        drawn.cells, drawn.pieces, drawn.marks, drawn.arrows, drawn.labels, fill(drawn.notes, view, last)
    )
