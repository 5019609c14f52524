"""The readable view of a position of the Seven Sages."""

from dataclasses import dataclass
from types import MappingProxyType

from tourney.games.base import AnyGame
from tourney.games.seven_sages.board import BARBARIAN, BLUE, CITIES, RED, SQUARES, Position, position_string
from tourney.games.view import Piece, View


def _ground(square: int) -> str:
    for seat, city in CITIES.items():
        if city >> square & 1:
            return f"city-{seat}"
    return "barbarian" if BARBARIAN >> square & 1 else "kingdom"


_GROUND = MappingProxyType({name: _ground(square) for square, name in enumerate(SQUARES)})
_SAGES = {seat: tuple(Piece(name, "sage", seat) for name in SQUARES) for seat in (RED, BLUE)}


@dataclass(frozen=True, slots=True)
class SevenSagesView(View[Piece]):
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


def view_of(game: AnyGame, at: Position) -> SevenSagesView:
    """Return the view of a position."""
    fool = SQUARES[at.fool]
    board = {SQUARES[sage]: _SAGES[RED][sage] for sage in at.red}
    board.update({SQUARES[sage]: _SAGES[BLUE][sage] for sage in at.blue})
    board[fool] = Piece(fool, "fool", 0)
    return SevenSagesView(
        game, position_string(at), _GROUND, MappingProxyType(board), at.seat, fool, at.points, at.round_,
        at.ply, at.starter,
    )  # fmt: skip
