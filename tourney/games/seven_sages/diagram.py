"""The diagram and the readable view of a position of the Seven Sages."""

from collections.abc import Hashable
from dataclasses import dataclass
from itertools import pairwise, starmap
from typing import Any

from tourney.errors import ActionError
from tourney.games import view as views
from tourney.games.base import AnyGame
from tourney.games.diagrams import LAST, Arrow, Cell, Diagram, Mark, Piece, field, joined, square_labels
from tourney.games.seven_sages import board

_SEAT_NAMES = {1: "Red", 2: "Blue"}


def _ground(square: int) -> str:
    for seat, city in board.CITIES.items():
        if city >> square & 1:
            return f"city-{seat}"
    return "barbarian" if board.BARBARIAN >> square & 1 else "kingdom"


@dataclass(frozen=True, slots=True)
class SevenSagesView(views.View[views.SquarePiece]):
    """Grounds are "kingdom", "barbarian", "city-1" and "city-2"; kinds "sage" and "fool" (no seat's)."""

    seat: int
    """The seat to act; when the game is over, the seat that did not act last."""
    fool: str
    """The fool's square."""
    points: tuple[int, int]
    """Red's and Blue's."""
    round: int
    """From 1 to 12."""
    ply: int
    """Actions so far in this round."""
    starter: int
    """The seat that began this round."""
    round_actions: int
    """The most actions of a round."""


def view_of(game: AnyGame, text: str) -> SevenSagesView:
    """The view of a position string. Raises PositionError."""
    at = board.parse_position(text)
    shown = views.diagram_view(game, text)
    return SevenSagesView(
        game, text, shown.squares, shown.board, at.seat, board.SQUARES[at.fool], at.points, at.round_, at.ply,
        at.starter, at.round_actions,
    )  # fmt: skip


def _at(square: int) -> tuple[int, int]:
    file, rank = divmod(square, board.SIZE)
    return 2 * file, 2 * (board.SIZE - 1 - rank)


_CELLS = tuple(Cell(*_at(square), _ground(square), name) for square, name in enumerate(board.SQUARES))
_RANKS = [str(rank) for rank in range(1, board.SIZE + 1)]
_GROUND = Diagram(_CELLS, labels=square_labels(board.FILES, _RANKS))
_SAGES = 7
_FOOL = 2 * _SAGES + 1
_TURN = 2 * _SAGES + 2
"""Indices of parts: after the ground come Red's and Blue's sages, the fool, the turn and the last action."""


def parts_of(view: str, last: str | None) -> tuple[Hashable, ...]:
    """The parts of a diagram, for ``part_of``; the turn is seat, starter, end and round length."""
    red, blue, fool, seat, _, round_, ply, starter, *option = view.split(" ")
    last_ply = option[0].partition("=")[2] if option else _LAST_PLY
    over = fool in _GOALS or (round_ == _LAST_ROUND and ply == last_ply)
    return ("", *red.split(","), *blue.split(","), fool, (seat, starter, over, last_ply), last)


_GOALS = {
    name for square, name in enumerate(board.SQUARES) if any(c >> square & 1 for c in board.CITIES.values())
}
_LAST_ROUND = str(board.LAST_ROUND)
_LAST_PLY = str(board.LAST_PLY)


def part_of(index: int, part: Any) -> Diagram:
    """A part of a diagram."""
    if index == 0:
        return _GROUND
    if index < _FOOL:
        return Diagram(pieces=(_sage(1 if index <= _SAGES else 2, part),))
    if index == _FOOL:
        return Diagram(pieces=(Piece(*_at(board.SQUARE[part]), "F", 0, "fool", f"the fool on {part}"),))
    if index == _TURN:
        return Diagram(notes=_notes(*part))
    marks, arrows, notes = _trace(part)
    return Diagram(marks=marks, arrows=arrows, notes=notes)


def _sage(seat: int, name: str) -> Piece:
    return Piece(*_at(board.SQUARE[name]), "S", seat, "sage", f"{_SEAT_NAMES[seat]}'s sage on {name}")


def _notes(seat: str, starter: str, over: bool, last_ply: str) -> tuple[str, ...]:
    begun = f"begun by {_SEAT_NAMES[int(starter)]}"
    turn = "the game is over" if over else f"{_SEAT_NAMES[int(seat)]} to act"
    return (
        f"points: Red {field(4, 0)}, Blue {field(4, 1)} ({board.WINNING_POINTS} points win)",
        f"round {field(5)} of {board.LAST_ROUND}, {begun}, {field(6)} of {last_ply} actions; {turn}",
    )


def diagram_of(view: str, last: str | None) -> Diagram:
    """The diagram of a position string; ``last`` is the last action's string. Raises PositionError."""
    board.parse_position(view)
    return joined(starmap(part_of, enumerate(parts_of(view, last))), view, last)


def _trace(last: str | None) -> tuple[tuple[Mark, ...], tuple[Arrow, ...], tuple[str, ...]]:
    """The marks and arrows of the last action, and a note; nothing for a text that is not an action."""
    if last is None:
        return (), (), ()
    try:
        board.parse_action(last)
    except ActionError:
        return (), (), ()
    parts = board.FORM.fullmatch(last)  # none of a pass
    places = [_at(board.SQUARE[name]) for name in parts.groups() if name] if parts else []
    kinds = ("from", "to") if len(places) == 2 else ("from", "captured", "to")
    marks = tuple(Mark(*place, kind) for place, kind in zip(places, kinds, strict=False))
    arrows = tuple(Arrow(*start, *end) for start, end in pairwise(places))
    return marks, arrows, (f"last: {LAST}",)
