"""States of chess: their rules are the core's, and lists of moves, FEN and boards the package ``chess``'s.

The core (``tourney.addons.chess.core``) decides the legality of one move, whether any move is legal, and the
ends. The tests hold it against the package.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import chess

from tourney.addons.chess.fen import castling_rights, placement, read_fen
from tourney.addons.chess.game import SQUARES, STARTS, ChessAction, Move, move_strings
from tourney.errors import PositionError
from tourney.games import compiled
from tourney.games.base import OVER, AnyGame, State
from tourney.games.core_game import IntActions
from tourney.games.registry import find_game

if TYPE_CHECKING:
    from tourney.addons.chess.core import ChessCore

_WHITE, _BLACK = 1, 2


class ChessState(State[Move]):
    """A position of chess or Chess960, with the positions since the last irreversible move."""

    __slots__ = ("actor", "core")

    seats = 2
    actor: int  # the seat to act, or OVER
    core: "ChessCore"

    @property
    def game(self) -> AnyGame:
        return find_game("chess960" if self.core.chess960 else "chess")

    # -- what a referee asks --------------------------------------------------------------------------------

    def is_legal(self, action: Move) -> bool:
        return isinstance(action, int) and action < STARTS and self.core.is_legal(action)

    def play(self, action: Move) -> "ChessState":
        if isinstance(action, str):
            return parse_state(action[1:].replace("_", " "), chess960=self.core.chess960)
        return self.core.state_after(ChessState, action)

    # -- what others ask ------------------------------------------------------------------------------------

    def board(self) -> chess.Board:
        """A board of the package, without history."""
        core = self.core
        board = chess.Board(None, chess960=core.chess960)
        board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings = core.kinds()
        board.turn = core.mover == _WHITE
        board.occupied_co[board.turn] = core.own
        board.occupied_co[not board.turn] = core.others
        board.occupied = core.own | core.others
        board.castling_rights = core.castling
        board.ep_square = core.passed or None
        board.halfmove_clock = core.quiet
        board.fullmove_number = core.ply // 2 + 1
        return board

    def legal_actions(self) -> Sequence[int]:
        if self.actor == OVER:
            return ()
        codes = [
            move.from_square | move.to_square << 6 | (move.promotion - 1 << 12 if move.promotion else 0)
            for move in self.board().generate_legal_moves()
        ]
        codes.sort(key=move_strings().__getitem__)
        return IntActions(ChessAction, codes)

    def ranks(self) -> tuple[int, ...] | None:
        core = self.core
        if not core.end:
            return None
        if core.end != "checkmate":
            return (1, 1)
        return (2, 1) if core.mover == _WHITE else (1, 2)

    def reason(self) -> str:
        return self.core.end

    def irreversible(self) -> bool:
        return self.core.quiet == 0

    def can_win(self, seat: int) -> bool:
        """Whether the material allows a mate by a seat, by the package; blocked positions are not seen."""
        return not self.board().has_insufficient_material(seat == _WHITE)

    def numbered_plies(self) -> int:
        return self.core.ply

    def ending(self) -> int:
        """The number of pieces after a capture or pawn move, without castling rights; else 0.

        Only then the tables' win, draw or loss holds under the rule of fifty moves.
        """
        core = self.core
        return 0 if core.quiet or core.castling else (core.own | core.others).bit_count()

    def position(self) -> str:
        """The FEN, of Chess960 with the files of the rooks that may castle."""
        core = self.core
        white = core.mover == _WHITE
        return (
            f"{placement(core.own if white else core.others, core.kinds())} {'w' if white else 'b'}"
            f" {castling_rights(core.castling, chess960=core.chess960)}"
            f" {SQUARES[core.passed] if core.passed else '-'} {core.quiet} {core.ply // 2 + 1}"
        )


def from_board(board: chess.Board) -> ChessState:
    """The state of a board of the package; its history is not read."""
    # Looked up at each call, not once: ``use_plain`` may choose the other form in between.
    made: ChessCore = compiled.core("chess").ChessCore()
    made.load(
        _WHITE if board.turn else _BLACK,
        board.occupied_co[board.turn],
        (board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings),
        board.clean_castling_rights(),
        (board.ep_square or 0) if board.has_legal_en_passant() else 0,
        board.halfmove_clock,
        2 * (board.fullmove_number - 1) + (not board.turn),
        board.chess960,
    )
    return made.state(ChessState)


def parse_state(text: str, *, chess960: bool) -> ChessState:
    """The state of a FEN as ``position`` prints it. Raises PositionError."""
    state = from_board(read_fen(text, chess960=chess960))
    if state.position() != text:
        raise PositionError(f"{text[:90]!r} is not in the form of this game: write {state.position()!r}")
    return state
