"""Where a game begins: the usual position, the draw of Chess960, and positions that openings set up."""

from collections.abc import Sequence
from typing import Final

import chess

from tourney.games.base import CHANCE, AnyGame, State
from tourney.games.chess.board import ChessState, from_board, parse_state
from tourney.games.chess.fen import read_epd
from tourney.games.chess.moves import STARTS, Move
from tourney.games.registry import find_game


class DrawState(State[Move]):
    """Chess960 before chance has drawn the starting position."""

    __slots__ = ()

    seats = 2
    actor = CHANCE

    @property
    def game(self) -> AnyGame:
        """The rules of Chess960."""
        return find_game("chess960")

    def legal_actions(self) -> Sequence[int]:
        """List the 960 starting positions, sorted by their strings."""
        return _STARTS

    def chance_weights(self) -> Sequence[int]:
        """Equal weights."""
        return (1,) * len(_STARTS)

    def is_legal(self, action: Move) -> bool:
        """Whether it is a starting position."""
        return isinstance(action, int) and action >= STARTS

    def play(self, action: Move) -> State[Move]:
        """The starting position of that number."""
        assert isinstance(action, int)  # noqa: S101 - a set-up follows the draw
        return from_board(chess.Board.from_chess960_pos(action - STARTS))

    def ranks(self) -> None:
        """None: the game goes on."""

    def reason(self) -> str:
        """No reason."""
        return ""

    def position(self) -> str:
        """The word ``draw``."""
        return "draw"


def parse(text: str, *, chess960: bool) -> State[Move]:
    """The state of a position string: a FEN, or in Chess960 ``draw``. Raises PositionError."""
    return DRAW if chess960 and text == "draw" else parse_state(text, chess960=chess960)


def set_up(text: str, *, chess960: bool) -> str:
    """The action that sets up the position of an EPD or a FEN. Raises PositionError."""
    return f"={from_board(read_epd(text, chess960=chess960)).position().replace(' ', '_')}"


def is_fresh(state: State[Move]) -> bool:
    """Whether nothing was played yet but the draw of Chess960."""
    return isinstance(state, ChessState) and state.ply == state.quiet == 0 and len(state.seen) == 1


_STARTS = tuple(sorted(range(STARTS, STARTS + 960), key=lambda code: str(code - STARTS)))
START: Final = from_board(chess.Board())
DRAW: Final = DrawState()
