"""The rules of chess at the speed of matches, on the attack tables of the package ``chess``.

A state holds bitboards (bit 0 is a1, bit 63 is h8). The legality of one move, and whether any move is legal,
are decided here, because a referee needs no more; the list of all legal moves is the package's. The tests
hold both against each other.
"""

from collections.abc import Sequence
from typing import Final

import chess

from tourney.addons.chess.fen import FIFTY, castling_rights, placement, read_fen
from tourney.addons.chess.game import SQUARES, STARTS, ChessAction, Move, move_strings
from tourney.errors import PositionError
from tourney.games.base import OVER, AnyGame, State
from tourney.games.core_game import IntActions
from tourney.games.registry import find_game

_BIT = chess.BB_SQUARES
_KNIGHT = chess.BB_KNIGHT_ATTACKS
_KING = chess.BB_KING_ATTACKS
_PAWN = chess.BB_PAWN_ATTACKS
_DIAGONALS = chess.BB_DIAG_MASKS
_DIAGONAL = chess.BB_DIAG_ATTACKS
_RANK_MASKS = chess.BB_RANK_MASKS
_RANK = chess.BB_RANK_ATTACKS
_FILE_MASKS = chess.BB_FILE_MASKS
_FILE = chess.BB_FILE_ATTACKS
_DIAGONAL_RAYS = [attacks[0] for attacks in _DIAGONAL]
_STRAIGHT_RAYS = [ranks[0] | files[0] for ranks, files in zip(_RANK, _FILE, strict=True)]
"""The squares that a bishop or a rook attacks on an empty board. Mostly no such piece stands there."""
_BETWEEN = chess.between
_LAST: Final = chess.BB_RANK_1 | chess.BB_RANK_8
_WHITE, _BLACK = 1, 2
_HOME: Final = (0, chess.BB_RANK_1, chess.BB_RANK_8)  # the first rank of a side, by its seat
_KING_SIDE, _QUEEN_SIDE = ((6, 5), (62, 61)), ((2, 3), (58, 59))
"""The squares of king and rook after castling: White's, then Black's."""
# Indices of ``ChessState.kinds``; a promotion's code is the index of its piece.
_PAWNS = 0
_ROOKS = 3
_KINGS = 5


class ChessState(State[Move]):
    """A position of chess or Chess960, with the positions since the last irreversible move."""

    __slots__ = (
        *("actor", "castling", "chess960", "end", "kinds", "mover", "others", "own", "passed"),
        *("ply", "quiet", "seen"),
    )

    seats = 2
    actor: int  # the seat to act, or OVER
    mover: int  # the seat whose turn it is or would be
    own: int  # the squares of the mover's pieces
    others: int  # the squares of the other side's pieces
    kinds: tuple[int, ...]
    """The squares of the pawns, knights, bishops, rooks, queens and kings of both sides."""
    castling: int  # the rooks that may still castle
    passed: int  # the square of a legal capture en passant, or 0
    quiet: int  # the half-moves since the last capture or pawn move
    ply: int  # the half-moves since the start
    chess960: bool
    end: str  # why the game is over, or ""
    seen: tuple[tuple[object, ...], ...]
    """Keys of the positions since the last irreversible move, this one last: equal keys are a repetition."""

    @property
    def game(self) -> AnyGame:
        return find_game("chess960" if self.chess960 else "chess")

    # -- what a referee asks --------------------------------------------------------------------------------

    def is_legal(self, action: Move) -> bool:
        """Whether a move is legal, without a list of all moves."""
        if self.actor == OVER or isinstance(action, str) or action >= STARTS:
            return False
        origin, target = action & 63, action >> 6 & 63
        start, end = _BIT[origin], _BIT[target]
        own = self.own
        kinds = self.kinds
        if not own & start:
            return False
        if kinds[_PAWNS] & start:
            return (action > 4095) == bool(end & _LAST) and self._pawn_may_move(origin, target)
        if action > 4095:
            return False
        if kinds[_KINGS] & start:
            if own & end or not _KING[origin] & end:
                return self._may_castle(origin, target)
            others = self.others
            return not self._attacked(target, (own | others) & ~start | end, others & ~end)
        return not own & end and bool(self._reach(origin, start) & end) and self._is_safe(start, end)

    def _pawn_may_move(self, origin: int, target: int) -> bool:
        start = _BIT[origin]
        end = _BIT[target]
        white = self.mover == _WHITE
        step = target - origin if white else origin - target
        if step == 8:
            if (self.own | self.others) & end:
                return False
        elif step == 16:
            middle = _BIT[(origin + target) >> 1]
            if (self.own | self.others) & (end | middle) or origin >> 3 != (1 if white else 6):
                return False
        elif not _PAWN[white][origin] & end:
            return False
        elif not self.others & end:
            # The square en passant is kept only where such a capture is legal, but not by which pawn.
            return target == self.passed != 0 and self._passing_is_safe(origin, target)
        return self._is_safe(start, end)

    def _reach(self, origin: int, start: int) -> int:
        """The squares that the knight, bishop, rook or queen of a square attacks."""
        _, knights, bishops, rooks, _, _ = self.kinds
        if knights & start:
            return _KNIGHT[origin]
        occupied = self.own | self.others
        reach = 0
        if not rooks & start:
            reach = _DIAGONAL[origin][_DIAGONALS[origin] & occupied]
        if not bishops & start:
            reach |= _RANK[origin][_RANK_MASKS[origin] & occupied]
            reach |= _FILE[origin][_FILE_MASKS[origin] & occupied]
        return reach

    def play(self, action: Move) -> "ChessState":
        if isinstance(action, str):
            return parse_state(action[1:].replace("_", " "), chess960=self.chess960)
        origin, target = action & 63, action >> 6 & 63
        start, end = _BIT[origin], _BIT[target]
        own = self.own
        others = self.others
        kinds = list(self.kinds)
        castling = self.castling
        quiet = self.quiet + 1
        passed = 0
        if own & end or (kinds[_KINGS] & start and not _KING[origin] & end):
            own, kinds[_ROOKS], kinds[_KINGS] = self._castled(origin, target)
            castling &= ~_HOME[self.mover]
        else:
            own = own & ~start | end
            if others & end:
                others &= ~end
                kinds = [squares & ~end for squares in kinds]
                quiet = 0
            moved = 0
            while not kinds[moved] & start:
                moved += 1
            kinds[moved] &= ~start
            kinds[action >> 12 or moved] |= end
            if moved == _PAWNS:
                quiet = 0
                if target == self.passed != 0:
                    taken = _BIT[target - 8 if self.mover == _WHITE else target + 8]
                    others &= ~taken
                    kinds[_PAWNS] &= ~taken
                elif target - origin in (16, -16):
                    passed = (origin + target) >> 1
            if castling:
                castling &= ~(start | end)
                if moved == _KINGS:
                    castling &= ~_HOME[self.mover]
        new: ChessState = _new(ChessState)
        new.own = others
        new.others = own
        new.kinds = tuple(kinds)
        new.mover = 3 - self.mover
        new.castling = castling
        new.passed = passed
        new.quiet = quiet
        new.ply = self.ply + 1
        new.chess960 = self.chess960
        # A square where no pawn may capture would make two equal positions differ, and repetitions be missed.
        if passed and not new._passing_is_legal():
            new.passed = 0
        new._settle(self.seen if quiet else ())
        return new

    def _settle(self, before: tuple[tuple[object, ...], ...]) -> None:
        """Add the position to those ``before`` it, and find out whether the game is over."""
        key = (self.own, self.others, self.kinds, self.castling, self.passed, self.mover)
        self.seen = (*before, key)
        end = ""
        if not self._any_legal():
            end = "checkmate" if self._in_check() else "stalemate"
        elif self._is_drawn_by_material():
            end = "insufficient-material"
        elif self.quiet >= FIFTY:
            end = "fifty-moves"
        elif self.quiet >= 8 and self.seen.count(key) > 2:  # a position comes back in 4 half-moves at best
            end = "repetition"
        self.end = end
        self.actor = OVER if end else self.mover

    # -- attacks --------------------------------------------------------------------------------------------

    def _attacked(self, square: int, occupied: int, others: int) -> bool:
        """Whether the other side, left with ``others``, attacks a square on a board so occupied."""
        pawns, knights, bishops, rooks, queens, kings = self.kinds
        diagonal = (bishops | queens) & others & _DIAGONAL_RAYS[square]
        if diagonal and _DIAGONAL[square][_DIAGONALS[square] & occupied] & diagonal:
            return True
        straight = (rooks | queens) & others & _STRAIGHT_RAYS[square]
        if straight and straight & (
            _RANK[square][_RANK_MASKS[square] & occupied] | _FILE[square][_FILE_MASKS[square] & occupied]
        ):
            return True
        pawn = _PAWN[self.mover == _WHITE][square]
        return bool((_KNIGHT[square] & knights | pawn & pawns | _KING[square] & kings) & others)

    def _is_safe(self, start: int, end: int) -> bool:
        """Whether the mover's king is safe after a move of another piece, not en passant."""
        own, others = self.own, self.others
        king = (self.kinds[_KINGS] & own).bit_length() - 1
        return not self._attacked(king, (own | others) & ~start | end, others & ~end)

    def _in_check(self) -> bool:
        own, others = self.own, self.others
        return self._attacked((self.kinds[_KINGS] & own).bit_length() - 1, own | others, others)

    def _passing_is_safe(self, origin: int, target: int) -> bool:
        """Whether the mover's king is safe after a capture en passant."""
        own, others = self.own, self.others
        taken = _BIT[target - 8 if self.mover == _WHITE else target + 8]
        king = (self.kinds[_KINGS] & own).bit_length() - 1
        occupied = (own | others) & ~_BIT[origin] & ~taken | _BIT[target]
        return not self._attacked(king, occupied, others & ~taken)

    def _passing_is_legal(self) -> bool:
        """Whether the side to move may capture on the square ``passed``."""
        pawns = _PAWN[self.mover != _WHITE][self.passed] & self.kinds[_PAWNS] & self.own
        while pawns:
            lowest = pawns & -pawns
            if self._passing_is_safe(lowest.bit_length() - 1, self.passed):
                return True
            pawns ^= lowest
        return False

    # -- castling -------------------------------------------------------------------------------------------

    def _rook_of(self, origin: int, target: int) -> int:
        """The square of the rook that this king's move castles with, or -1."""
        if self.chess960:
            return target if self.castling & _BIT[target] and origin >> 3 == target >> 3 else -1
        side = self.mover - 1
        if origin != (4, 60)[side] or target not in (_KING_SIDE[side][0], _QUEEN_SIDE[side][0]):
            return -1
        rook = ((0, 7), (56, 63))[side][target > origin]
        return rook if self.castling & _BIT[rook] else -1

    def _may_castle(self, origin: int, target: int) -> bool:
        rook = self._rook_of(origin, target)
        own, others = self.own, self.others
        if rook < 0 or not own & _BIT[rook]:
            return False
        king_to, rook_to = (_KING_SIDE if rook > origin else _QUEEN_SIDE)[self.mover - 1]
        occupied = (own | others) & ~_BIT[origin] & ~_BIT[rook]
        way = _BETWEEN(origin, king_to) | _BIT[king_to]
        if occupied & (way | _BETWEEN(rook, rook_to) | _BIT[rook_to]):
            return False
        if self._attacked(origin, own | others, others):
            return False
        # The squares between are tried without the king. The rook shields only the square where it ends.
        squares = _BETWEEN(origin, king_to)
        while squares:
            lowest = squares & -squares
            if self._attacked(lowest.bit_length() - 1, occupied | _BIT[rook], others):
                return False
            squares ^= lowest
        return not self._attacked(king_to, occupied | _BIT[rook_to], others)

    def _castled(self, origin: int, target: int) -> tuple[int, int, int]:
        """The mover's squares, the rooks and the kings after castling."""
        rook = self._rook_of(origin, target)
        king_to, rook_to = (_KING_SIDE if rook > origin else _QUEEN_SIDE)[self.mover - 1]
        return (
            self.own & ~(_BIT[origin] | _BIT[rook]) | _BIT[king_to] | _BIT[rook_to],
            self.kinds[_ROOKS] & ~_BIT[rook] | _BIT[rook_to],
            self.kinds[_KINGS] & ~_BIT[origin] | _BIT[king_to],
        )

    # -- ends -----------------------------------------------------------------------------------------------

    def _any_legal(self) -> bool:
        """Whether the side to move has a legal move: tries the likely ones, then lists all."""
        own = self.own
        others = self.others
        kinds = self.kinds
        pawns = kinds[_PAWNS] & own
        ahead, back = (pawns << 8, -8) if self.mover == _WHITE else (pawns >> 8, 8)
        ahead &= ~(own | others)
        if ahead:
            end = ahead & -ahead
            if self._is_safe(_BIT[end.bit_length() - 1 + back], end):
                return True
            end = _BIT[ahead.bit_length() - 1]
            if self._is_safe(_BIT[end.bit_length() - 1 + back], end):
                return True
        king = kinds[_KINGS] & own
        steps = _KING[king.bit_length() - 1] & ~own
        without = (own | others) & ~king
        while steps:
            lowest = steps & -steps
            if not self._attacked(lowest.bit_length() - 1, without | lowest, others & ~lowest):
                return True
            steps ^= lowest
        return any(self.board().generate_legal_moves())

    def _is_drawn_by_material(self) -> bool:
        """Whether neither side could mate."""
        pawns, knights, bishops, rooks, queens, _ = self.kinds
        if pawns | rooks | queens:
            return False
        if not knights:
            return not bishops & chess.BB_LIGHT_SQUARES or not bishops & chess.BB_DARK_SQUARES
        return not bishops and not knights & (knights - 1)

    # -- what others ask ------------------------------------------------------------------------------------

    def board(self) -> chess.Board:
        """A board of the package, without history."""
        board = chess.Board(None, chess960=self.chess960)
        board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings = self.kinds
        board.turn = self.mover == _WHITE
        board.occupied_co[board.turn] = self.own
        board.occupied_co[not board.turn] = self.others
        board.occupied = self.own | self.others
        board.castling_rights = self.castling
        board.ep_square = self.passed or None
        board.halfmove_clock = self.quiet
        board.fullmove_number = self.ply // 2 + 1
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
        if not self.end:
            return None
        if self.end != "checkmate":
            return (1, 1)
        return (2, 1) if self.mover == _WHITE else (1, 2)

    def reason(self) -> str:
        return self.end

    def irreversible(self) -> bool:
        return self.quiet == 0

    def can_win(self, seat: int) -> bool:
        """Whether the material allows a mate by a seat, by the package; blocked positions are not seen."""
        return not self.board().has_insufficient_material(seat == _WHITE)

    def numbered_plies(self) -> int:
        return self.ply

    def ending(self) -> int:
        """The number of pieces after a capture or pawn move, without castling rights; else 0.

        Only then the tables' win, draw or loss holds under the rule of fifty moves.
        """
        return 0 if self.quiet or self.castling else (self.own | self.others).bit_count()

    def position(self) -> str:
        """The FEN, of Chess960 with the files of the rooks that may castle."""
        white = self.mover == _WHITE
        return (
            f"{placement(self.own if white else self.others, self.kinds)} {'w' if white else 'b'}"
            f" {castling_rights(self.castling, chess960=self.chess960)}"
            f" {SQUARES[self.passed] if self.passed else '-'} {self.quiet} {self.ply // 2 + 1}"
        )


_new = object.__new__


def from_board(board: chess.Board) -> ChessState:
    """The state of a board of the package; its history is not read."""
    state: ChessState = _new(ChessState)
    state.mover = _WHITE if board.turn else _BLACK
    state.own, state.others = board.occupied_co[board.turn], board.occupied_co[not board.turn]
    state.kinds = (board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings)
    state.castling = board.clean_castling_rights()
    state.passed = (board.ep_square or 0) if board.has_legal_en_passant() else 0
    state.quiet = board.halfmove_clock
    state.ply = 2 * (board.fullmove_number - 1) + (not board.turn)
    state.chess960 = board.chess960
    state._settle(())  # noqa: SLF001 - of this module
    return state


def parse_state(text: str, *, chess960: bool) -> ChessState:
    """The state of a FEN as ``position`` prints it. Raises PositionError."""
    state = from_board(read_fen(text, chess960=chess960))
    if state.position() != text:
        raise PositionError(f"{text[:90]!r} is not in the form of this game: write {state.position()!r}")
    return state
