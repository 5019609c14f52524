"""Readable views of positions: squares and what lies on them by names, and boards as text for terminals.

In a board of text a cell is four columns wide and one line high; a row of a hex grid is shifted by two
columns. A piece has the background colour of its seat or, without colours, the seat's number behind its glyph
(unless all glyphs name their seats).
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar

from tourney.games.diagrams import GROUNDS, INK_LIGHT, SEAT_COLORS, TOKENS
from tourney.texts import legible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tourney.games.base import AnyGame
    from tourney.games.diagrams import Cell, Diagram, Piece
    from tourney.games.guide import Figure


class SquarePiece(NamedTuple):
    """A piece on the board: its square's name, its kind as a word, and its owner's seat (0: no seat's)."""

    square: str
    kind: str
    seat: int


class Placed(Protocol):
    """A piece on a square: it has at least a square, a kind and an owner."""

    @property
    def square(self) -> str:
        """The square's name."""

    @property
    def kind(self) -> str:
        """The kind as a word."""

    @property
    def seat(self) -> int:
        """The owner's seat, or 0."""


P = TypeVar("P", bound=Placed)


@dataclass(frozen=True, slots=True)
class View(Generic[P]):
    """What is to be seen of a position, also of one with hidden parts; ``print(view)`` shows the board.

    Games derive classes with more from it. This one is made of a game's diagram.
    """

    game: AnyGame = field(repr=False, compare=False)
    text: str
    """The position string, or the observation of a seat."""
    squares: Mapping[str, str] = field(repr=False, compare=False)
    """The ground of every square, by its name: "plain", or a word of the game."""
    board: Mapping[str, P] = field(repr=False, compare=False)
    """The pieces by the names of their squares."""

    def pieces(self, seat: int | None = None, kind: str | None = None) -> tuple[P, ...]:
        """The pieces of a seat, of a kind, or of both, in the order of ``board``."""
        return tuple(
            piece
            for piece in self.board.values()
            if (seat is None or piece.seat == seat) and (kind is None or piece.kind == kind)
        )

    def __str__(self) -> str:
        return board_text(self.game, self.text)


AnyView = View[Any]
"""A view of any game."""


def board_text(game: AnyGame, text: str) -> str:
    """A position or an observation as a board for terminals, in ASCII where the game's glyphs are."""
    return text_diagram(game.diagram(text)).removesuffix("\n")


def diagram_view(game: AnyGame, text: str) -> View[SquarePiece]:
    """The view of a position or an observation that the game's diagram shows."""
    diagram = game.diagram(text)
    names = {(cell.x, cell.y): cell.name for cell in diagram.cells if cell.name}
    board = {}
    for piece in diagram.pieces:
        name = names.get((piece.x, piece.y))
        if name is not None and not piece.aside:
            board[name] = SquarePiece(name, piece.kind, piece.side)
    squares = {cell.name: cell.kind for cell in diagram.cells if cell.name}
    return View(game, text, MappingProxyType(squares), MappingProxyType(board))


_COLUMNS = 2  # characters in half a cell
_FIELD = 3  # characters in the middle of a cell; the fourth separates it from the next

_GROUND = {
    "plain": ".",
    "bank": ",",
    "river": "~",
    "water": "~",
    "mountain": "^",
    "city": "_",
    "barbarian": "x",
    "start": "'",
    "tower": "o",
    "hidden": "?",
    "dark": ":",
}
_BRACKETS = {"from": ("(", ")"), "to": ("[", "]"), "captured": ("{", "}"), "used": ("<", ">")}
_LEGEND = {
    "from": "( ) left",
    "to": "[ ] arrived at",
    "captured": "{ } captured",
    "used": "< > used",
}

Place = tuple[int, int]


def text_diagram(diagram: Diagram, *, color: bool = False, colors: Sequence[str] = SEAT_COLORS) -> str:
    """A diagram as lines of text, each ended by a newline; ``color`` adds ANSI escape sequences.

    Every y coordinate with a cell, a piece or a label is one line.
    """
    fields = _fields(diagram, color=color, colors=colors)
    lines: list[str] = []
    if fields:
        left = min(x for x, _ in fields)
        for y in sorted({y for _, y in fields}):
            row = sorted((x, text) for (x, at), text in fields.items() if at == y)
            lines.append(_line(row, left))
    names = {(cell.x, cell.y): legible(cell.name, "?") for cell in diagram.cells}
    for arrow in diagram.arrows:
        start, end = (arrow.x1, arrow.y1), (arrow.x2, arrow.y2)
        lines.append(" -> ".join(names.get(place) or f"{place[0]},{place[1]}" for place in (start, end)))
    legend = [text for kind, text in _LEGEND.items() if any(mark.kind == kind for mark in diagram.marks)]
    if legend:
        lines.append("  ".join(legend))
    lines.extend(legible(note, "?") for note in diagram.notes)
    return "".join(line + "\n" for line in lines)


def legend(
    diagram: Diagram, figures: Sequence[Figure], seat_names: Sequence[str], *, color: bool = False
) -> list[str]:
    """The meanings of the characters of a text diagram: pieces of the game's guide, seats, and ground."""
    on_board = [piece for piece in diagram.pieces if not piece.aside]
    parts = [f"{legible(figure.glyph, '?')} {figure.name}" for figure in figures]
    sides = sorted({piece.side for piece in on_board if piece.side})
    named = bool(sides) and _glyphs_name_seats(on_board)
    if named and all(piece.glyph.isalpha() for piece in on_board):
        parts += [f"{case}: {name}" for case, name in zip(("CAPITALS", "small"), seat_names, strict=False)]
    elif not named and not color:
        parts += [f"{side} after a piece: {seat_names[side - 1]}" for side in sides]
    kinds = sorted({cell.kind.partition("-")[0] for cell in diagram.cells} - {"plain", "dark"})
    return parts + [f"{_GROUND[kind]} {kind}" for kind in kinds if kind in _GROUND]


def _fields(diagram: Diagram, *, color: bool, colors: Sequence[str]) -> dict[Place, tuple[str, str]]:
    """By place the characters of a cell and their escape sequence."""
    cells = {(cell.x, cell.y): cell for cell in diagram.cells}
    on_board = tuple(piece for piece in diagram.pieces if not piece.aside)
    pieces = {(piece.x, piece.y): piece for piece in on_board}
    marks = {(mark.x, mark.y): mark.kind for mark in diagram.marks}
    fields = {(label.x, label.y): (_centre(legible(label.text, "?")), "") for label in diagram.labels}
    numbered = not (color or _glyphs_name_seats(on_board))
    for place in {**cells, **pieces}:
        cell = cells.get(place)
        piece = pieces.get(place)
        opening, closing = _BRACKETS.get(marks.get(place, ""), (" ", " "))
        shown = legible(piece.glyph, "?") if piece else _ground(cell)
        if piece and numbered and piece.side:
            shown += str(piece.side)
        fields[place] = (_fit(opening + shown + closing), _escape(cell, piece, colors) if color else "")
    return fields


def _glyphs_name_seats(pieces: Sequence[Piece]) -> bool:
    """Whether the glyphs identify the seats: by numbers, or by capitals and small letters as in chess."""
    owned = [piece for piece in pieces if piece.side]
    return all(p.glyph.isdecimal() or p.glyph.endswith(str(p.side)) for p in owned) or all(
        (p.glyph.isupper(), p.glyph.islower()) == (p.side == 1, p.side == 2) for p in owned
    )


def _line(row: Sequence[tuple[int, tuple[str, str]]], left: int) -> str:
    """Join the fields of a row, starting at the column of ``left``."""
    parts: list[str] = []
    column = 0
    for x, (text, escape) in row:
        start = (x - left) * _COLUMNS
        if start > column:
            parts.append(" " * (start - column))
        parts.append(f"\033[{escape}m{text}\033[0m" if escape else text)
        column = max(start, column) + _width(text)
    line = "".join(parts)
    return line if line.endswith("m") else line.rstrip()  # blanks before an escape sequence have a colour


def _ground(cell: Cell | None) -> str:
    if cell is None:
        return " "
    if cell.shape == "point" and cell.kind == "plain":
        return "o"
    return _GROUND.get(cell.kind.partition("-")[0], ".")


def _escape(cell: Cell | None, piece: Piece | None, colors: Sequence[str]) -> str:
    if piece is not None:
        name = colors[(piece.side - 1) % len(colors)] if piece.side > 0 else piece.kind
        name = name if name in TOKENS else "none"
        return f"1;38;5;{231 if name in INK_LIGHT else 16};48;5;{TOKENS[name].ansi}"
    tone = GROUNDS.get(cell.kind.partition("-")[0]) if cell is not None else None
    return f"48;5;{tone.ansi};38;5;252" if tone is not None and tone.ansi else ""


def _centre(text: str) -> str:
    return text.center(_FIELD) if _width(text) < _FIELD else text


def _fit(text: str) -> str:
    return text + " " * (_FIELD + 1 - _width(text))


def _width(text: str) -> int:
    """The width of a text in terminal columns."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
