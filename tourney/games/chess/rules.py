"""The rules of chess at the speed of matches, on the attack tables of the package ``chess``.

A state holds bitboards (bit 0 is a1, bit 63 is h8). One move's legality, and whether any legal move is left,
are decided here, because a referee needs no more; the list of all legal moves, and the reading of a FEN, are
the package's. The tests hold both against each other. It is one long module because states, legality and the
reading of positions share the same bitboards.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import chess

from tourney.errors import PositionError
from tourney.games.actions import IntAction, IntActions
from tourney.games.base import CHANCE, OVER, AnyGame, State
from tourney.games.chess.game import SQUARES, STARTS, Move, strings
from tourney.games.registry import find_game

FIFTY: Final = 100
"""Half-moves without capture or pawn move after which the game is drawn."""

_BIT = chess.BB_SQUARES
_KNIGHT, _KING, _PAWN = chess.BB_KNIGHT_ATTACKS, chess.BB_KING_ATTACKS, chess.BB_PAWN_ATTACKS
_DIAGONALS, _DIAGONAL = chess.BB_DIAG_MASKS, chess.BB_DIAG_ATTACKS
_RANK_MASKS, _RANK = chess.BB_RANK_MASKS, chess.BB_RANK_ATTACKS
_FILE_MASKS, _FILE = chess.BB_FILE_MASKS, chess.BB_FILE_ATTACKS
_BETWEEN = chess.between
_ALL: Final = chess.BB_ALL
_LAST: Final = chess.BB_RANK_1 | chess.BB_RANK_8
_LIGHT, _DARK = chess.BB_LIGHT_SQUARES, chess.BB_DARK_SQUARES
_WHITE, _BLACK = 1, 2
_KING_SIDE, _QUEEN_SIDE = ((6, 5), (62, 61)), ((2, 3), (58, 59))
"""Where king and rook stand after castling: of White, of Black."""
_CASTLING: Final = tuple(zip((1 << 7, 1, 1 << 63, 1 << 56), "KQkq", strict=True))
_CASTLING_960: Final = tuple(
    (1 << rank * 8 + file, files[file])
    for rank, files in ((0, "ABCDEFGH"), (7, "abcdefgh"))
    for file in range(7, -1, -1)
)
_HEAVY_KINDS = 2
"""Kinds of a promotion by code: 1 knight, 2 bishop, 3 rook, 4 queen."""


class ChessAction(IntAction):
    """A move; ``str`` gives it as UCI does."""

    __slots__ = ()

    def __str__(self) -> str:
        return strings()[self]


class ChessActions(IntActions):
    """A list of moves."""

    __slots__ = ()
    kind = ChessAction


class ChessState(State[Move]):
    """A position of chess or Chess960, with the positions since the last irreversible move.

    ``white`` and ``black`` are the squares of each side, then come those of each kind of piece; ``castling``
    the rooks that may still castle; ``passed`` the square of a legal capture en passant, else 0; ``quiet``
    the half-moves since the last capture or pawn move; ``ply`` those since the start.
    """

    __slots__ = (
        *("actor", "bishops", "black", "castling", "chess960", "end", "kings", "knights", "mover"),
        *("passed", "pawns", "ply", "queens", "quiet", "rooks", "seen", "white"),
    )

    seats = 2
    actor: int
    """The seat to act, or OVER."""
    mover: int
    """The seat whose turn it is or would be."""
    white: int
    black: int
    pawns: int
    knights: int
    bishops: int
    rooks: int
    queens: int
    kings: int
    castling: int
    passed: int
    quiet: int
    ply: int
    chess960: bool
    end: str
    """Why the game is over, or ""."""
    seen: tuple[tuple[int, ...], ...]
    """What distinguishes the positions since the last irreversible move, this one the last."""

    @property
    def game(self) -> AnyGame:
        """The rules of chess or of Chess960."""
        return find_game("chess960" if self.chess960 else "chess")

    # -- what a referee asks --------------------------------------------------------------------------------

    def is_legal(self, action: Move) -> bool:  # noqa: C901 - in one place, as each call costs a referee time
        """Say whether a move is legal, without a list of all moves."""
        if self.actor == OVER or isinstance(action, str) or action >= STARTS:
            return False
        origin, target = action & 63, action >> 6 & 63
        start, end = _BIT[origin], _BIT[target]
        if self.mover == _WHITE:
            own, others = self.white, self.black
        else:
            own, others = self.black, self.white
        if not own & start:
            return False
        occupied = own | others
        if self.pawns & start:
            if (action > 4095) != bool(end & _LAST):
                return False
            step = target - origin if self.mover == _WHITE else origin - target
            if step == 8:
                if occupied & end:
                    return False
            elif step == 16:
                middle = _BIT[(origin + target) >> 1]
                if occupied & (end | middle) or (origin >> 3) != (1 if self.mover == _WHITE else 6):
                    return False
            elif not _PAWN[self.mover == _WHITE][origin] & end:
                return False
            elif not others & end:
                # The square en passant is kept only where such a capture is legal, by which pawn is open.
                return target == self.passed != 0 and self._passing_is_safe(origin, target)
            return self._is_safe(start, end)
        if action > 4095:
            return False
        if self.kings & start:
            if own & end or not _KING[origin] & end:
                return self._may_castle(origin, target)
            return not self._attacked(target, occupied & ~start | end, others & ~end)
        if own & end:
            return False
        if self.knights & start:
            reached = _KNIGHT[origin]
        elif self.bishops & start:
            reached = _DIAGONAL[origin][_DIAGONALS[origin] & occupied]
        elif self.rooks & start:
            reached = (
                _RANK[origin][_RANK_MASKS[origin] & occupied] | _FILE[origin][_FILE_MASKS[origin] & occupied]
            )
        else:
            reached = (
                _DIAGONAL[origin][_DIAGONALS[origin] & occupied]
                | _RANK[origin][_RANK_MASKS[origin] & occupied]
                | _FILE[origin][_FILE_MASKS[origin] & occupied]
            )
        return bool(reached & end) and self._is_safe(start, end)

    def play(self, action: Move) -> "ChessState":  # noqa: C901 - as is_legal
        """Return the state after a legal move, or the position that an opening sets up."""
        if isinstance(action, str):
            return parse_state(action[1:].replace("_", " "), chess960=self.chess960)
        origin, target = action & 63, action >> 6 & 63
        start, end = _BIT[origin], _BIT[target]
        new: ChessState = _new(ChessState)
        mover = self.mover
        if mover == _WHITE:
            own, others = self.white, self.black
        else:
            own, others = self.black, self.white
        pawns, knights, bishops, rooks = self.pawns, self.knights, self.bishops, self.rooks
        queens, kings, castling = self.queens, self.kings, self.castling
        gone = ~end
        passed = 0
        quiet = self.quiet + 1
        if own & end or (kings & start and not _KING[origin] & end):
            own, rooks, kings = self._castled(origin, target, own)
            castling &= ~(chess.BB_RANK_1 if mover == _WHITE else chess.BB_RANK_8)
        else:
            own = own & ~start | end
            if others & end:
                others &= gone
                pawns &= gone
                knights &= gone
                bishops &= gone
                rooks &= gone
                queens &= gone
                quiet = 0
            if pawns & start:
                quiet = 0
                pawns &= ~start
                kind = action >> 12
                if kind:
                    if kind == 4:
                        queens |= end
                    elif kind == 1:
                        knights |= end
                    elif kind == _HEAVY_KINDS:
                        bishops |= end
                    else:
                        rooks |= end
                else:
                    pawns |= end
                    if target == self.passed != 0:
                        taken = _BIT[target - 8 if mover == _WHITE else target + 8]
                        others &= ~taken
                        pawns &= ~taken
                    elif target - origin in (16, -16):
                        passed = (origin + target) >> 1
            elif knights & start:
                knights = knights & ~start | end
            elif bishops & start:
                bishops = bishops & ~start | end
            elif rooks & start:
                rooks = rooks & ~start | end
            elif queens & start:
                queens = queens & ~start | end
            else:
                kings = kings & ~start | end
                if castling:
                    castling &= ~(chess.BB_RANK_1 if mover == _WHITE else chess.BB_RANK_8)
            if castling:
                castling &= ~(start | end)
        if mover == _WHITE:
            new.white, new.black, new.mover = own, others, _BLACK
        else:
            new.white, new.black, new.mover = others, own, _WHITE
        new.pawns, new.knights, new.bishops, new.rooks = pawns, knights, bishops, rooks
        new.queens, new.kings, new.castling = queens, kings, castling
        new.quiet, new.ply, new.chess960 = quiet, self.ply + 1, self.chess960
        new.passed = passed
        if passed and not new._passing_is_legal():
            new.passed = 0
        key = (own, others, knights, bishops, rooks, kings, castling, new.passed)
        new.seen = (*self.seen, key) if quiet else (key,)
        new._settle(key)
        return new

    def _settle(self, key: tuple[int, ...]) -> None:
        """Find out whether the game is over."""
        end = ""
        if not self._any_legal():
            end = "checkmate" if self._in_check() else "stalemate"
        elif not (self.pawns | self.rooks | self.queens) and self._is_drawn_by_material():
            end = "insufficient-material"
        elif self.quiet >= FIFTY:
            end = "fifty-moves"
        elif self.quiet >= 8 and self.seen.count(key) > 2:
            end = "repetition"
        self.end = end
        self.actor = OVER if end else self.mover

    # -- attacks --------------------------------------------------------------------------------------------

    def _attacked(self, square: int, occupied: int, others: int) -> bool:
        """Say whether the other side, left with ``others``, attacks a square on a board so occupied."""
        return bool(
            _DIAGONAL[square][_DIAGONALS[square] & occupied] & (self.bishops | self.queens) & others
            or (_RANK[square][_RANK_MASKS[square] & occupied] | _FILE[square][_FILE_MASKS[square] & occupied])
            & (self.rooks | self.queens)
            & others
            or _KNIGHT[square] & self.knights & others
            or _PAWN[self.mover == _WHITE][square] & self.pawns & others
            or _KING[square] & self.kings & others
        )

    def _is_safe(self, start: int, end: int) -> bool:
        """Say whether the mover's king is safe after a move of another piece, not en passant."""
        if self.mover == _WHITE:
            own, others = self.white, self.black
        else:
            own, others = self.black, self.white
        king = (self.kings & own).bit_length() - 1
        occupied = (own | others) & ~start | end
        others &= ~end
        return not (
            _DIAGONAL[king][_DIAGONALS[king] & occupied] & (self.bishops | self.queens) & others
            or (_RANK[king][_RANK_MASKS[king] & occupied] | _FILE[king][_FILE_MASKS[king] & occupied])
            & (self.rooks | self.queens)
            & others
            or _KNIGHT[king] & self.knights & others
            or _PAWN[self.mover == _WHITE][king] & self.pawns & others
        )

    def _in_check(self) -> bool:
        own, others = (self.white, self.black) if self.mover == _WHITE else (self.black, self.white)
        return self._attacked((self.kings & own).bit_length() - 1, own | others, others)

    def _passing_is_safe(self, origin: int, target: int) -> bool:
        """Say whether the mover's king is safe after a capture en passant."""
        own, others = (self.white, self.black) if self.mover == _WHITE else (self.black, self.white)
        taken = _BIT[target - 8 if self.mover == _WHITE else target + 8]
        king = (self.kings & own).bit_length() - 1
        occupied = (own | others) & ~_BIT[origin] & ~taken | _BIT[target]
        return not self._attacked(king, occupied, others & ~taken)

    def _passing_is_legal(self) -> bool:
        """Say whether the side to move may capture on the square ``passed``."""
        own = self.white if self.mover == _WHITE else self.black
        pawns = _PAWN[self.mover != _WHITE][self.passed] & self.pawns & own
        while pawns:
            lowest = pawns & -pawns
            if self._passing_is_safe(lowest.bit_length() - 1, self.passed):
                return True
            pawns ^= lowest
        return False

    # -- castling -------------------------------------------------------------------------------------------

    def _rook_of(self, origin: int, target: int) -> int:
        """Return the square of the rook that this king's move castles with, or -1."""
        if self.chess960:
            return target if self.castling & _BIT[target] and origin >> 3 == target >> 3 else -1
        side = self.mover - 1
        if origin != (4, 60)[side] or target not in (_KING_SIDE[side][0], _QUEEN_SIDE[side][0]):
            return -1
        rook = ((0, 7), (56, 63))[side][target > origin]
        return rook if self.castling & _BIT[rook] else -1

    def _may_castle(self, origin: int, target: int) -> bool:
        rook = self._rook_of(origin, target)
        own, others = (self.white, self.black) if self.mover == _WHITE else (self.black, self.white)
        if rook < 0 or not own & _BIT[rook]:
            return False
        king_to, rook_to = (_KING_SIDE if rook > origin else _QUEEN_SIDE)[self.mover - 1]
        occupied = (own | others) & ~_BIT[origin] & ~_BIT[rook]
        way = _BETWEEN(origin, king_to) | _BIT[king_to]
        if occupied & (way | _BETWEEN(rook, rook_to) | _BIT[rook_to]):
            return False
        if self._attacked(origin, own | others, others):
            return False
        # The king's squares on its way are tried without the king; the rook shields where it ends only.
        squares = _BETWEEN(origin, king_to)
        while squares:
            lowest = squares & -squares
            if self._attacked(lowest.bit_length() - 1, occupied | _BIT[rook], others):
                return False
            squares ^= lowest
        return not self._attacked(king_to, occupied | _BIT[rook_to], others)

    def _castled(self, origin: int, target: int, own: int) -> tuple[int, int, int]:
        """Return the mover's squares, the rooks and the kings after castling."""
        rook = self._rook_of(origin, target)
        king_to, rook_to = (_KING_SIDE if rook > origin else _QUEEN_SIDE)[self.mover - 1]
        away = ~(_BIT[origin] | _BIT[rook])
        return (
            own & away | _BIT[king_to] | _BIT[rook_to],
            self.rooks & ~_BIT[rook] | _BIT[rook_to],
            self.kings & ~_BIT[origin] | _BIT[king_to],
        )

    # -- ends -----------------------------------------------------------------------------------------------

    def _any_legal(self) -> bool:
        """Say whether the side to move has a legal move: tries the likely ones, then lists all."""
        if self.mover == _WHITE:
            own, others = self.white, self.black
            ahead = (self.pawns & own) << 8
            back = -8
        else:
            own, others = self.black, self.white
            ahead = (self.pawns & own) >> 8
            back = 8
        ahead &= ~(own | others)
        if ahead:
            end = ahead & -ahead
            if self._is_safe(_BIT[end.bit_length() - 1 + back], end):
                return True
            end = _BIT[ahead.bit_length() - 1]
            if self._is_safe(_BIT[end.bit_length() - 1 + back], end):
                return True
        king = self.kings & own
        steps = _KING[king.bit_length() - 1] & ~own
        without = (own | others) & ~king
        while steps:
            lowest = steps & -steps
            if not self._attacked(lowest.bit_length() - 1, without | lowest, others & ~lowest):
                return True
            steps ^= lowest
        return any(self.board().generate_legal_moves())

    def _is_drawn_by_material(self) -> bool:
        """Say whether neither side could mate: without pawns, rooks and queens."""
        if not self.knights:
            return not self.bishops & _LIGHT or not self.bishops & _DARK
        return not self.bishops and not self.knights & (self.knights - 1)

    # -- what others ask ------------------------------------------------------------------------------------

    def board(self) -> chess.Board:
        """Return a board of the package, without history."""
        board = chess.Board(None, chess960=self.chess960)
        board.pawns, board.knights, board.bishops = self.pawns, self.knights, self.bishops
        board.rooks, board.queens, board.kings = self.rooks, self.queens, self.kings
        board.occupied_co[chess.WHITE], board.occupied_co[chess.BLACK] = self.white, self.black
        board.occupied = self.white | self.black
        board.turn = self.mover == _WHITE
        board.castling_rights = self.castling
        board.ep_square = self.passed or None
        board.halfmove_clock = self.quiet
        board.fullmove_number = self.ply // 2 + 1
        return board

    def legal_actions(self) -> Sequence[int]:
        """List the legal moves, sorted by their strings."""
        if self.actor == OVER:
            return ()
        codes = [
            move.from_square | move.to_square << 6 | (move.promotion - 1 << 12 if move.promotion else 0)
            for move in self.board().generate_legal_moves()
        ]
        codes.sort(key=strings().__getitem__)
        return ChessActions(codes)

    def ranks(self) -> tuple[int, ...] | None:
        """Return the ranks, or None while the game goes on."""
        if not self.end:
            return None
        if self.end != "checkmate":
            return (1, 1)
        return (2, 1) if self.mover == _WHITE else (1, 2)

    def reason(self) -> str:
        """Return why the game is over, or ""."""
        return self.end

    def irreversible(self) -> bool:
        """Say whether the last move was a capture or a pawn's."""
        return self.quiet == 0

    def ending(self) -> int:
        """Return the number of pieces after a capture or pawn move, without castling rights; else 0.

        Only then the tables' win, draw or loss holds under the rule of fifty moves.
        """
        return 0 if self.quiet or self.castling else (self.white | self.black).bit_count()

    def position(self) -> str:
        """Return the FEN, of Chess960 with the files of the rooks that may castle."""
        kinds = (self.white, self.pawns, self.knights, self.bishops, self.rooks, self.queens, self.kings)
        ranks = map(_rank_text, *[squares.to_bytes(8) for squares in kinds])
        if self.chess960:
            castling = "".join([name for bit, name in _CASTLING_960 if self.castling & bit])
        else:
            castling = "".join([name for bit, name in _CASTLING if self.castling & bit])
        return (
            f"{'/'.join(ranks)} {'w' if self.mover == _WHITE else 'b'} {castling or '-'}"
            f" {SQUARES[self.passed] if self.passed else '-'} {self.quiet} {self.ply // 2 + 1}"
        )


_new = object.__new__


@lru_cache(maxsize=1 << 16)
def _rank_text(white: int, *kinds: int) -> str:
    """Return a rank of a FEN; bit 0 is the file a, ``kinds`` are the squares of each kind of piece."""
    text = ""
    for file in range(8):
        bit = 1 << file
        letter = next((letter for letter, squares in zip("pnbrqk", kinds, strict=True) if squares & bit), "")
        if letter:
            text += letter.upper() if white & bit else letter
        else:
            text = text[:-1] + str(int(text[-1]) + 1) if text[-1:].isdecimal() else text + "1"
    return text


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
        """Return equal weights."""
        return _EQUAL

    def is_legal(self, action: Move) -> bool:
        """Say whether it is a starting position."""
        return isinstance(action, int) and action >= STARTS

    def play(self, action: Move) -> State[Move]:
        """Return the starting position of that number."""
        assert isinstance(action, int)  # noqa: S101 - a set-up follows the draw
        return from_board(chess.Board.from_chess960_pos(action - STARTS), chess960=True)

    def ranks(self) -> None:
        """Return None: the game goes on."""

    def reason(self) -> str:
        """Return ""."""
        return ""

    def position(self) -> str:
        """Return ``draw``."""
        return "draw"


def from_board(board: chess.Board, *, chess960: bool) -> ChessState:
    """Return the state of a board of the package; its history is not read."""
    state: ChessState = _new(ChessState)
    state.white, state.black = board.occupied_co[chess.WHITE], board.occupied_co[chess.BLACK]
    state.pawns, state.knights, state.bishops = board.pawns, board.knights, board.bishops
    state.rooks, state.queens, state.kings = board.rooks, board.queens, board.kings
    state.castling = board.clean_castling_rights()
    state.mover = _WHITE if board.turn else _BLACK
    state.passed = (board.ep_square or 0) if board.has_legal_en_passant() else 0
    state.quiet = board.halfmove_clock
    state.ply = 2 * (board.fullmove_number - 1) + (not board.turn)
    state.chess960 = chess960
    own, others = (state.white, state.black) if board.turn else (state.black, state.white)
    key = (others, own, state.knights, state.bishops, state.rooks, state.kings, state.castling, state.passed)
    state.seen = (key,)
    state._settle(key)  # noqa: SLF001 - of this module
    return state


MAX_MOVE: Final = 6_351
"""The largest move number of a FEN: no game has more moves."""


def parse(text: str, *, chess960: bool) -> State[Move]:
    """Return the state of a position string: a FEN, or in Chess960 ``draw``. Raises PositionError."""
    return DRAW if chess960 and text == "draw" else parse_state(text, chess960=chess960)


def parse_state(text: str, *, chess960: bool) -> ChessState:
    """Return the state of a FEN as ``position`` prints it. Raises PositionError."""
    if len(text) > 120 or len(text.split(" ")) != 6:
        raise PositionError(f"{text[:60]!r} is no FEN of six fields")
    try:
        board = chess.Board(text, chess960=chess960)
    except ValueError as error:
        raise PositionError(f"{text[:90]!r} is no FEN: {str(error)[:100]}") from error
    state = _checked(board, text, chess960=chess960)
    if state.position() != text:
        raise PositionError(f"{text[:90]!r} is not in the form of this game: write {state.position()!r}")
    return state


def _checked(board: chess.Board, text: str, *, chess960: bool) -> ChessState:
    """Return the state of a board. Raises PositionError for one that no game reaches."""
    status = board.status()
    if status != chess.STATUS_VALID:
        raise PositionError(f"{text[:90]!r} is no position of chess: {_words(status)}")
    if board.halfmove_clock > FIFTY or board.fullmove_number > MAX_MOVE:
        raise PositionError(f"{text[:90]!r} counts more moves than a game can have")
    return from_board(board, chess960=chess960)


def read_epd(text: str, *, chess960: bool) -> ChessState:
    """Return the state of an EPD or a FEN in any of their usual forms. Raises PositionError."""
    words = text.split()
    try:
        if len(words) == 6 and words[4].isdecimal():
            board = chess.Board(" ".join(words), chess960=chess960)
        else:
            board = chess.Board(None, chess960=chess960)
            counts = board.set_epd(text)
            board.halfmove_clock, board.fullmove_number = (
                count if isinstance(count, int) and count >= 0 else default
                for count, default in ((counts.get("hmvc"), 0), (counts.get("fmvn"), 1))
            )
    except (ValueError, AssertionError) as error:
        raise PositionError(f"{text[:90]!r} is no EPD: {str(error)[:100]}") from error
    return _checked(board, text, chess960=chess960)


def is_fresh(state: State[Move]) -> bool:
    """Say whether nothing was played yet but the draw of Chess960."""
    return isinstance(state, ChessState) and state.ply == state.quiet == 0 and len(state.seen) == 1


def _words(status: chess.Status) -> str:
    return ", ".join(
        flag.name.lower().replace("_", " ") for flag in chess.Status if flag and flag.name and status & flag
    )


_STARTS = tuple(sorted(range(STARTS, STARTS + 960), key=lambda code: str(code - STARTS)))
_EQUAL = (1,) * 960
START: Final = from_board(chess.Board(), chess960=False)
DRAW: Final = DrawState()
