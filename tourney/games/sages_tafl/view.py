"""The readable view of a position of Sages Tafl."""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from tourney.games.base import AnyGame
from tourney.games.sages_tafl.board import (
    BANKS,
    BLACK_TOWER,
    EMPTY,
    HEIGHT,
    LETTERS,
    NAMES,
    RIVER,
    SAGES,
    SQUARES,
    Position,
    position_string,
)
from tourney.games.view import Piece, View

Kind = Literal["apprentice", "skyship", "sage"]
_KINDS: tuple[Kind, ...] = ("apprentice", "skyship", "sage")
_GROUND = MappingProxyType(
    {
        name: "river" if k % HEIGHT == RIVER else "bank" if k % HEIGHT in BANKS else "plain"
        for k, name in enumerate(NAMES)
    }
)
_PIECES = {
    letter: tuple(Piece(name, kind, seat) for name in NAMES)
    for seat, letters in enumerate(LETTERS, 1)
    for kind, letter in zip(_KINDS, letters, strict=True)
}


@dataclass(frozen=True, slots=True)
class TaflView(View[Piece]):
    """Grounds are "plain", "bank" and "river"; kinds "apprentice", "skyship" and "sage"."""

    seat: int
    """The seat to move."""
    points: tuple[int, int]
    """Black's and Red's."""
    sages: tuple[str, str]
    """Where Black's and Red's sages are: a square's name, "tower" or "escaped"."""
    quiet: int
    """Actions since the last capture or escape."""
    ply: int
    """Actions so far."""


def view_of(game: AnyGame, at: Position) -> TaflView:
    """Return the view of a position."""
    board = {
        NAMES[square]: _PIECES[letter][square]
        for square, letter in enumerate(at.board[:SQUARES])
        if letter != EMPTY
    }
    sages = (_sage(at.board, 0), _sage(at.board, 1))
    text = position_string(*at)
    return TaflView(game, text, _GROUND, MappingProxyType(board), at.seat, at.points, sages, at.quiet, at.ply)


def _sage(board: bytes, side: int) -> str:
    place = board.find(SAGES[side])
    if place < 0:
        return "escaped"
    return "tower" if place == BLACK_TOWER + side else NAMES[place]
