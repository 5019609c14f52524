"""Drawings of positions of chess and its variants, from their FENs alone: they need no package."""

import re
from collections.abc import Hashable, Iterator
from functools import cache
from itertools import starmap
from typing import Any, Final

from tourney.errors import PositionError
from tourney.games.diagrams import (
    LAST,
    Arrow,
    Cell,
    Diagram,
    Mark,
    Piece,
    field,
    joined,
    plain_diagram,
    square_labels,
)  # fmt: skip

KINDS: Final = {
    "P": "chess-pawn",
    "N": "chess-knight",
    "B": "chess-bishop",
    "R": "chess-rook",
    "Q": "chess-queen",
    "K": "chess-king",
}
_FILES = "abcdefghijklmnopqrstuvwxyz"
_SIDES = ("White", "Black")
_MOVE = re.compile("([a-h][1-8])([a-h][1-8])[nbrq]?")
_BOTTOM = 14
_TURN = 9
_CAPTURED = 10
_LAST_MOVE = 11
"""Indices of parts: the ground, eight ranks from the eighth on, the turn, what is captured, the last move."""


def _xy(file: int, rank: int) -> tuple[int, int]:
    """The centre of a square, counted from 0; White's first rank is at the bottom."""
    return 2 * file, _BOTTOM - 2 * rank


_GROUND = Diagram(
    tuple(
        Cell(*_xy(file, rank), "light" if (file + rank) % 2 else "dark", f"{_FILES[file]}{rank + 1}")
        for rank in range(8)
        for file in range(8)
    ),
    labels=square_labels("abcdefgh", "12345678"),
)
_DRAW = "chance draws the starting position"
_COUNTS = f"half-moves without capture or pawn move: {field(4)} of 100; move {field(5)}"


@cache
def _piece(letter: str, file: int, rank: int) -> Piece:
    return _variant_piece(letter, *_xy(file, rank), f"{_FILES[file]}{rank + 1}", figures=True)


def parts_of(view: str, last: str | None) -> tuple[Hashable, ...]:
    """The parts of a diagram, for ``part_of``: strings."""
    if view == "draw":
        return ("", *("8",) * 8, "draw", "", last)
    ranks, turn, *_ = view.split(" ")
    return ("", *ranks.split("/"), turn, "".join(sorted(filter(str.isalpha, ranks))), last)


def part_of(index: int, part: Any) -> Diagram:
    """A part of a diagram."""
    if index == 0:
        return _GROUND
    if index < _TURN:
        return Diagram(pieces=tuple(_piece(c, file, 8 - index) for file, c in enumerate(_row(part)) if c))
    if index == _TURN:
        if part == "draw":
            return Diagram(notes=(_DRAW,))
        return Diagram(notes=(f"{_SIDES[part == 'b']} to move", _COUNTS))
    if index == _CAPTURED:
        return Diagram(notes=tuple(_captured(part)) if part else ())
    move = _MOVE.fullmatch(part or "")
    if move is None:
        return Diagram(notes=(f"last: {LAST}",)) if part else Diagram()
    start, end = (_xy(ord(name[0]) - ord("a"), int(name[1]) - 1) for name in move.groups())
    marks = (Mark(*start, "from"), Mark(*end, "to"))
    return Diagram(marks=marks, arrows=(Arrow(*start, *end),), notes=(f"last: {LAST}",))


_ARMY: Final = {"P": 8, "N": 2, "B": 2, "R": 2, "Q": 1, "K": 1}
_FIGURES: Final = ("\u265f\u265e\u265d\u265c\u265b", "\u2659\u2658\u2657\u2656\u2655")
"""Captured pieces, by the side that took them."""


def _captured(letters: str) -> Iterator[str]:
    """Yield a note for each side on what it has captured, from the pieces on the board."""
    for side, name in enumerate(_SIDES):
        there = {kind: letters.count(kind if side else kind.lower()) for kind in _ARMY}
        promoted = sum(max(0, count - _ARMY[kind]) for kind, count in there.items() if kind != "P")
        lost = [_ARMY[kind] - count - promoted * (kind == "P") for kind, count in there.items()]
        taken = "".join(figure * number for figure, number in zip(_FIGURES[side], lost, strict=False))
        if taken:
            yield f"{name}: {taken}"


def diagram_of(view: str, last: str | None) -> Diagram:
    """The diagram of a FEN, with the last move marked. Raises PositionError."""
    parts = parts_of(view, last)
    if len(parts) != _LAST_MOVE + 1 or not (view == "draw" or len(view.split(" ")) == 6):
        raise PositionError(f"{view[:60]!r} is not a FEN")
    return joined(starmap(part_of, enumerate(parts)), view, last)


_TOKEN = re.compile(r"([0-9]+)|(\+?)([A-Za-z])(~?)|(\*)")
_VARIANT_MOVE = re.compile(r"(?:[A-Za-z]@|\+?([a-z])([0-9]+))([a-z])([0-9]+)")


def variant_diagram(view: str, last: str | None, start: str) -> Diagram:
    """The diagram of a FEN of any variant; figures are drawn for chess's own letters."""
    board, turn, *rest = view.split(" ")
    placed, _, hand = board.partition("[")
    ranks = placed.split("/")
    figures = set(re.findall("[A-Z]", start.partition("[")[0].split(" ")[0].upper())) <= set(KINDS)
    rows = [list(_row(rank)) for rank in ranks]
    width, height = max(map(len, rows)), len(rows)
    if not 1 <= width <= 26 or any(len(row) != width for row in rows):
        return plain_diagram(view, last)

    def xy(file: int, rank: int) -> tuple[int, int]:
        return 2 * file, 2 * (height - 1 - rank)

    cells = []
    pieces = []
    for index, row in enumerate(rows):
        rank = height - 1 - index
        for file, letter in enumerate(row):
            name = f"{_FILES[file]}{rank + 1}"
            kind = "mountain" if letter == "*" else "light" if (file + rank) % 2 else "dark"
            cells.append(Cell(*xy(file, rank), kind, name))
            if letter not in ("", "*"):
                pieces.append(_variant_piece(letter, *xy(file, rank), name, figures=figures))
    labels = square_labels(_FILES[:width], [str(rank + 1) for rank in range(height)])
    notes = [f"{_SIDES[turn == 'b']} to move", *(_in_hand(hand) if hand else ())]
    notes += [f"FEN: {' '.join(rest)}"] if rest else []
    marks: list[Mark] = []
    arrows: list[Arrow] = []
    names = {cell.name: (cell.x, cell.y) for cell in cells}
    if last:
        notes.append(f"last: {last}")
        match = _VARIANT_MOVE.match(last)
        origin = names.get(f"{match[1]}{match[2]}") if match and match[1] else None
        target = names.get(f"{match[3]}{match[4]}") if match else None
        marks += [Mark(*place, kind) for place, kind in ((origin, "from"), (target, "to")) if place]
        if origin and target:
            arrows.append(Arrow(*origin, *target))
    return Diagram(tuple(cells), tuple(pieces), tuple(marks), tuple(arrows), labels, tuple(notes))


def _in_hand(hand: str) -> Iterator[str]:
    """Yield a note for each side that holds pieces."""
    for side, name in enumerate(_SIDES):
        held = "".join(filter(str.islower if side else str.isupper, hand)).upper()
        if held:
            yield f"{name}: {held} in hand"


def _row(rank: str) -> Iterator[str]:
    """Yield the places of a rank: "" for an empty one, ``*`` for a wall, a piece with ``+`` if promoted."""
    for number, plus, letter, _, wall in _TOKEN.findall(rank):
        if number:
            yield from [""] * min(int(number), 30)
        else:
            yield wall or plus + letter


def _variant_piece(text: str, x: int, y: int, name: str, *, figures: bool) -> Piece:
    letter = text[-1]
    side = 1 if letter.isupper() else 2
    kind = KINDS.get(letter.upper(), "token") if figures and len(text) == 1 else "token"
    noun = kind.removeprefix("chess-") if kind != "token" else text.upper()
    return Piece(x, y, text, side, kind, f"{_SIDES[side - 1]} {noun} {name}")
