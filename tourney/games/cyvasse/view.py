"""The readable view of a position or an observation of Nine-Tile Cyvasse."""

from dataclasses import dataclass
from types import MappingProxyType

from tourney.games.base import AnyGame
from tourney.games.cyvasse.board import (
    EMPTY,
    KINDS,
    MOUNTAIN,
    NAMES,
    PLAIN,
    PUT_ORDER,
    SQUARES,
    UNLAID,
    WATER,
    own_code,
)
from tourney.games.cyvasse.position import Position
from tourney.games.view import Piece, View

_GROUNDS = {PLAIN: "plain", MOUNTAIN: "mountain", WATER: "water", UNLAID: "hidden"}
_WORDS = {kind.code: kind.name.lower().replace(" ", "-") for kind in KINDS}
_PIECES = {
    ord(own_code(seat, kind.code)): tuple(Piece(name, _WORDS[kind.code], seat) for name in NAMES)
    for seat in (1, 2)
    for kind in KINDS
}


@dataclass(frozen=True, slots=True)
class CyvasseView(View[Piece]):
    """Grounds are "plain", "mountain", "water" and "hidden": not laid yet, or hidden from the seat.

    Kinds are "rabble", "spears", "light-horse", "heavy-horse", "elephant", "crossbows", "trebuchet",
    "dragon", "tower" and "king".
    """

    seat: int
    """The seat that acts."""
    phase: str
    """"king", "tile" or "put" in the set-up, "play", "rabble" (a second Rabble may move), or "hidden": the
    other seat lays out its side."""
    tiles_left: tuple[int, ...]
    """In the phase "tile": the tiles still to lay."""
    placed: int
    """In the phase "put": the pieces placed so far, of 22."""
    next_kind: str
    """In the phase "put": the kind of the piece to place, else ""."""
    rabble: str
    """In the phase "rabble": the square of the Rabble that has moved, else ""."""
    quiet: int
    """Turns since the last capture."""
    turn: int
    """Turns completed since the set-up."""


def view_of(game: AnyGame, text: str, at: Position) -> CyvasseView:
    """Return the view of a position or an observation, with its text."""
    ground = {NAMES[s]: _GROUNDS[at.ground[s]] for s in SQUARES}
    board = {NAMES[s]: _PIECES[at.board[s]][s] for s in SQUARES if at.board[s] != EMPTY}
    word, left, placed, rabble = at.phase
    return CyvasseView(
        game, text, MappingProxyType(ground), MappingProxyType(board), at.seat, word, left, placed,
        _WORDS[PUT_ORDER[placed]] if word == "put" else "", NAMES[rabble] if rabble else "", at.quiet,
        at.turn,
    )  # fmt: skip
