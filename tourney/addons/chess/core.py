"""The rules of a half-move of chess and Chess960: the legality of one move, the next position, and the ends.

A referee needs no more; lists of legal moves, FEN and notation are the package ``chess``'s. This source is
compiled with the C types of ``core.pxd``, and runs as it stands without a compiler: see
``tourney.games.compiled``. So it imports nothing but typing.

Squares count from 0 (a1) to 63 (h8), and a set of squares is an integer of 64 bits with bit 0 for a1. A code
is from + 64 * to + 4096 * promotion, as ``tourney.addons.chess.game.move_codes`` has them.
"""

from typing import Protocol, TypeVar


class HoldsCore(Protocol):
    """A state of a game: it holds a core and the seat to act."""

    core: "ChessCore"
    actor: int


S = TypeVar("S", bound=HoldsCore)
"""The class of a game's states."""

COMPILED = not __file__.endswith(".py")

_WHITE = 1
_OVER = -1
_QUIETEST = 100  # half-moves without capture or pawn move after which the game is drawn
_KNIGHT_CODE, _BISHOP_CODE, _ROOK_CODE = 1, 2, 3  # by code of a promotion; the queen's is the last
_LAST_CODE = 4

_KNIGHT_STEPS = ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))
_STRAIGHT_STEPS = ((1, 0), (0, 1), (-1, 0), (0, -1))
_DIAGONAL_STEPS = ((1, 1), (1, -1), (-1, -1), (-1, 1))


def _walk(square: int, file_step: int, rank_step: int, most: int = 7) -> list[int]:
    """The squares from one in a direction to the edge of the board, nearest first, at most some."""
    file, rank = square & 7, square >> 3
    squares: list[int] = []
    for _ in range(most):
        file += file_step
        rank += rank_step
        if not (0 <= file < 8 and 0 <= rank < 8):
            break
        squares.append(rank << 3 | file)
    return squares


def _reaches(steps: tuple[tuple[int, int], ...], most: int = 7) -> list[int]:
    """By square, the set of squares reached on an empty board by up to ``most`` of any of these steps."""
    return [
        sum([1 << end for file, rank in steps for end in _walk(square, file, rank, most)])
        for square in range(64)
    ]


def _betweens() -> list[int]:
    """By 64 * one square + another, the squares between them, if they share a rank, file or diagonal."""
    table = [0] * 4096
    for square in range(64):
        for file, rank in _STRAIGHT_STEPS + _DIAGONAL_STEPS:
            between = 0
            for end in _walk(square, file, rank):
                table[square << 6 | end] = between
                between |= 1 << end
    return table


_BIT = [1 << square for square in range(64)]
_KNIGHT = _reaches(_KNIGHT_STEPS, 1)
_KING = _reaches(_STRAIGHT_STEPS + _DIAGONAL_STEPS, 1)
_STRAIGHT = _reaches(_STRAIGHT_STEPS)
_DIAGONAL = _reaches(_DIAGONAL_STEPS)
_PAWN = [0] * 64 + _reaches(((-1, 1), (1, 1)), 1) + _reaches(((-1, -1), (1, -1)), 1)
"""By 64 * seat + square, the squares that a pawn of the seat attacks."""
_BETWEEN = _betweens()
_RANK_1 = 0xFF
_LAST_RANKS = 0xFF000000000000FF
_LIGHT = 0x55AA55AA55AA55AA
_MAGIC = 0x03F79D71B4CB0A89  # of de Bruijn: its 64 windows of 6 bits all differ
_MASK = 0xFFFFFFFFFFFFFFFF


def _indices() -> list[int]:
    """By the window that a square's bit moves to the top of the magic number, the square."""
    table = [0] * 64
    for square in range(64):
        table[(_MAGIC << square & _MASK) >> 58] = square
    return table


_INDEX = _indices()


def _square(bit: int) -> int:
    """The square of a set of one."""
    if not COMPILED:
        return bit.bit_length() - 1
    return _INDEX[(bit * _MAGIC) >> 58]


class ChessCore:
    """A position, with those before it since the last irreversible move. It never changes once it is made.

    ``mover`` is the seat whose turn it is or would be; ``actor`` the same, or -1 if the game is over; ``end``
    says why it is, or is "". ``own`` are the squares of the mover's pieces, ``others`` those of the other
    side's. ``castling`` has the rooks that may still castle, ``passed`` the square of a legal capture en
    passant, or 0. ``quiet`` counts the half-moves since the last capture or pawn move, ``ply`` those since
    the start. ``before`` is the position before the last half-move; None if no position before that move can
    come back.
    """

    def __init__(self) -> None:
        self.before: ChessCore | None = None
        self.own = self.others = 0
        self.pawns = self.knights = self.bishops = self.rooks = self.queens = self.kings = 0
        self.castling = 0
        self.passed = self.quiet = self.ply = 0
        self.mover = self.actor = 0
        self.chess960 = False
        self.end = ""

    def load(
        self,
        mover: int,
        own: int,
        kinds: tuple[int, ...],
        castling: int,
        passed: int,
        quiet: int,
        ply: int,
        chess960: bool,
    ) -> None:
        """Set up a position without history, with ``kinds`` as ``kinds`` gives them."""
        self.pawns, self.knights, self.bishops, self.rooks, self.queens, self.kings = kinds
        self.own = own
        self.others = sum(kinds) - own
        self.castling = castling
        self.passed = passed
        self.quiet = quiet
        self.ply = ply
        self.mover = mover
        self.chess960 = chess960
        self._settle()

    def kinds(self) -> tuple[int, ...]:
        """The squares of the pawns, knights, bishops, rooks, queens and kings of both sides."""
        return (self.pawns, self.knights, self.bishops, self.rooks, self.queens, self.kings)

    def state(self, kind: type[S]) -> S:
        """A state of a class that holds this core."""
        # Setting two slots of an empty state is quicker than calling a constructor with arguments.
        state = kind()
        state.core = self
        state.actor = self.actor
        return state

    def state_after(self, kind: type[S], code: int) -> S:
        """The state after a legal move."""
        return self._after(code).state(kind)

    def state_if_legal(self, kind: type[S], code: int) -> S | None:
        """The state after a move, or None if it is illegal."""
        return self._after(code).state(kind) if self.is_legal(code) else None

    def is_legal(self, code: int) -> bool:
        """Whether a move is legal, without a list of all moves."""
        if self.actor == _OVER or code < 0 or code >> 12 > _LAST_CODE:
            return False
        origin = code & 63
        target = code >> 6 & 63
        start = _BIT[origin]
        end = _BIT[target]
        if not self.own & start:
            return False
        if self.pawns & start:
            return (code > 4095) == ((end & _LAST_RANKS) != 0) and self._pawn_may_move(origin, target)
        if code > 4095:
            return False
        if self.kings & start:
            if self.own & end or not _KING[origin] & end:
                return self._may_castle(origin, target)
            occupied = (self.own | self.others) & ~start | end
            return not self._attacked(target, occupied, self.others & ~end)
        return not self.own & end and self._reaches(origin, target) and self._is_safe(start, end)

    def _reaches(self, origin: int, target: int) -> bool:
        """Whether the knight, bishop, rook or queen of a square attacks another square."""
        start = _BIT[origin]
        end = _BIT[target]
        if self.knights & start:
            return (_KNIGHT[origin] & end) != 0
        if not (
            _STRAIGHT[origin] & end
            if self.rooks & start
            else _DIAGONAL[origin] & end
            if self.bishops & start
            else (_STRAIGHT[origin] | _DIAGONAL[origin]) & end
        ):
            return False
        return not _BETWEEN[origin << 6 | target] & (self.own | self.others)

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
        elif not _PAWN[self.mover << 6 | origin] & end:
            return False
        elif not self.others & end:
            # The square en passant is kept only where such a capture is legal, but not by which pawn.
            return target == self.passed != 0 and self._passing_is_safe(origin, target)
        return self._is_safe(start, end)

    def _after(self, code: int) -> "ChessCore":
        """The position after a legal move."""
        twin = ChessCore.__new__(ChessCore)
        origin = code & 63
        target = code >> 6 & 63
        start = _BIT[origin]
        end = _BIT[target]
        own = self.own
        others = self.others
        passed = 0
        quiet = self.quiet + 1
        twin.pawns = self.pawns
        twin.knights = self.knights
        twin.bishops = self.bishops
        twin.rooks = self.rooks
        twin.queens = self.queens
        twin.kings = self.kings
        twin.castling = self.castling
        rook = -1
        if own & end or (self.kings & start and not _KING[origin] & end):
            rook = self._rook_of(origin, target)
        if rook >= 0:
            home = 0 if self.mover == _WHITE else 56
            king_end = _BIT[home + (6 if rook > origin else 2)]
            rook_end = _BIT[home + (5 if rook > origin else 3)]
            own = own & ~(start | _BIT[rook]) | king_end | rook_end
            twin.rooks = self.rooks & ~_BIT[rook] | rook_end
            twin.kings = self.kings & ~start | king_end
            twin.castling &= ~(_RANK_1 << home)
        else:
            own = own & ~start | end
            if others & end:
                quiet = 0
                others &= ~end
                twin.pawns &= ~end
                twin.knights &= ~end
                twin.bishops &= ~end
                twin.rooks &= ~end
                twin.queens &= ~end
            if self.pawns & start:
                quiet = 0
                twin.pawns &= ~start
                if code > 4095:
                    twin._promote(code >> 12, end)
                else:
                    twin.pawns |= end
                    if target == self.passed != 0:
                        taken = _BIT[target - 8 if self.mover == _WHITE else target + 8]
                        others &= ~taken
                        twin.pawns &= ~taken
                    elif target - origin == 16 or origin - target == 16:
                        passed = (origin + target) >> 1
            elif self.knights & start:
                twin.knights = twin.knights & ~start | end
            elif self.bishops & start:
                twin.bishops = twin.bishops & ~start | end
            elif self.rooks & start:
                twin.rooks = twin.rooks & ~start | end
            elif self.queens & start:
                twin.queens = twin.queens & ~start | end
            else:
                twin.kings = twin.kings & ~start | end
                twin.castling &= ~(_RANK_1 << (0 if self.mover == _WHITE else 56))
            twin.castling &= ~(start | end)
        twin.own = others
        twin.others = own
        twin.mover = 3 - self.mover
        twin.quiet = quiet
        twin.ply = self.ply + 1
        twin.chess960 = self.chess960
        twin.before = self if quiet else None
        # A square where no pawn may capture would make two equal positions differ, and repetitions be missed.
        twin.passed = passed
        if passed and not twin._passing_is_legal():
            twin.passed = 0
        twin._settle()
        return twin

    def _promote(self, kind: int, end: int) -> None:
        """Put the piece of a promotion's code on a square."""
        if kind == _KNIGHT_CODE:
            self.knights |= end
        elif kind == _BISHOP_CODE:
            self.bishops |= end
        elif kind == _ROOK_CODE:
            self.rooks |= end
        else:
            self.queens |= end

    def _settle(self) -> None:
        """Find out whether the game is over: the one place where draws are decided."""
        end = ""
        if not self._any_legal():
            end = "checkmate" if self._in_check() else "stalemate"
        elif self._is_drawn_by_material():
            end = "insufficient-material"
        elif self.quiet >= _QUIETEST:
            end = "fifty-moves"
        elif self.quiet >= 8 and self._has_recurred():  # a position comes back in 4 half-moves at best
            end = "repetition"
        self.end = end
        self.actor = _OVER if end else self.mover

    # -- attacks --------------------------------------------------------------------------------------------

    def _attacked(self, square: int, occupied: int, others: int) -> bool:
        """Whether the other side, left with ``others``, attacks a square on a board so occupied."""
        near = self.knights & _KNIGHT[square] | self.kings & _KING[square]
        if (near | self.pawns & _PAWN[self.mover << 6 | square]) & others:
            return True
        sliders = (self.bishops | self.queens) & _DIAGONAL[square]
        sliders = (sliders | (self.rooks | self.queens) & _STRAIGHT[square]) & others
        while sliders:
            lowest = sliders & -sliders
            if not _BETWEEN[square << 6 | _square(lowest)] & occupied:
                return True
            sliders ^= lowest
        return False

    def _is_safe(self, start: int, end: int) -> bool:
        """Whether the mover's king is safe after a move of another piece, not en passant."""
        occupied = (self.own | self.others) & ~start | end
        return not self._attacked(_square(self.kings & self.own), occupied, self.others & ~end)

    def _in_check(self) -> bool:
        return self._attacked(_square(self.kings & self.own), self.own | self.others, self.others)

    def _passing_is_safe(self, origin: int, target: int) -> bool:
        """Whether the mover's king is safe after a capture en passant."""
        taken = _BIT[target - 8 if self.mover == _WHITE else target + 8]
        occupied = (self.own | self.others) & ~_BIT[origin] & ~taken | _BIT[target]
        return not self._attacked(_square(self.kings & self.own), occupied, self.others & ~taken)

    def _passing_is_legal(self) -> bool:
        """Whether the side to move may capture on the square ``passed``."""
        # From where a pawn of this side attacks the square, one of the other side attacks from the square.
        pawns = _PAWN[(3 - self.mover) << 6 | self.passed] & self.pawns & self.own
        while pawns:
            lowest = pawns & -pawns
            if self._passing_is_safe(_square(lowest), self.passed):
                return True
            pawns ^= lowest
        return False

    # -- castling -------------------------------------------------------------------------------------------

    def _rook_of(self, origin: int, target: int) -> int:
        """The square of the rook that this king's move castles with, or -1."""
        if self.chess960:
            return target if self.castling & _BIT[target] and origin >> 3 == target >> 3 else -1
        home = 0 if self.mover == _WHITE else 56
        if origin != home + 4 or (target != home + 6 and target != home + 2):
            return -1
        rook = home + 7 if target > origin else home
        return rook if self.castling & _BIT[rook] else -1

    def _may_castle(self, origin: int, target: int) -> bool:
        rook = self._rook_of(origin, target)
        if rook < 0 or not self.own & _BIT[rook]:
            return False
        others = self.others
        home = 0 if self.mover == _WHITE else 56
        king_end = home + (6 if rook > origin else 2)
        rook_end = home + (5 if rook > origin else 3)
        occupied = (self.own | others) & ~_BIT[origin] & ~_BIT[rook]
        way = _BETWEEN[origin << 6 | king_end] | _BIT[king_end]
        if occupied & (way | _BETWEEN[rook << 6 | rook_end] | _BIT[rook_end]) or self._in_check():
            return False
        # The squares between are tried without the king. The rook shields only the square where it ends.
        squares = _BETWEEN[origin << 6 | king_end]
        while squares:
            lowest = squares & -squares
            if self._attacked(_square(lowest), occupied | _BIT[rook], others):
                return False
            squares ^= lowest
        return not self._attacked(king_end, occupied | _BIT[rook_end], others)

    # -- ends -----------------------------------------------------------------------------------------------

    def _any_legal(self) -> bool:
        """Whether the side to move has a legal move: the likely ones are tried first."""
        pawns = self.pawns & self.own
        occupied = self.own | self.others
        white = self.mover == _WHITE
        ahead = (pawns << 8 if white else pawns >> 8) & ~occupied
        end = ahead & -ahead
        if end and self._is_safe(end >> 8 if white else end << 8, end):
            return True
        king = self.kings & self.own
        origin = _square(king)
        steps = _KING[origin] & ~self.own
        while steps:
            end = steps & -steps
            if not self._attacked(_square(end), occupied & ~king | end, self.others & ~end):
                return True
            steps ^= end
        return self._any_rarer(origin)

    def _any_rarer(self, king: int) -> bool:
        """Whether any move is legal but those of the king to a square beside it."""
        movers = self.own & ~self.kings
        while movers:
            start = movers & -movers
            origin = _square(start)
            if self.pawns & start:
                steps = start << 8 | start << 16 if self.mover == _WHITE else start >> 8 | start >> 16
                ends = (_PAWN[self.mover << 6 | origin] | steps) & _MASK
            elif self.knights & start:
                ends = _KNIGHT[origin] & ~self.own
            else:
                ends = (_STRAIGHT[origin] | _DIAGONAL[origin]) & ~self.own
            while ends:
                end = ends & -ends
                target = _square(end)
                if self.pawns & start:
                    if self._pawn_may_move(origin, target):
                        return True
                elif self._reaches(origin, target) and self._is_safe(start, end):
                    return True
                ends ^= end
            movers ^= start
        # In Chess960 the rook may jump over a king that stays, and no other move need be there.
        rooks = self.castling & self.own if self.chess960 else 0
        while rooks:
            lowest = rooks & -rooks
            if self._may_castle(king, _square(lowest)):
                return True
            rooks ^= lowest
        return False

    def _is_drawn_by_material(self) -> bool:
        """Whether neither side could mate."""
        if self.pawns | self.rooks | self.queens:
            return False
        if not self.knights:
            return not self.bishops & _LIGHT or not self.bishops & ~_LIGHT
        return not self.bishops and not self.knights & (self.knights - 1)

    def _has_recurred(self) -> bool:
        """Whether the position stands for the third time, with the same moves possible."""
        # No pawn has moved since the first of these positions, so pawns need no look.
        times = 1
        earlier = self.before
        while earlier is not None and earlier.before is not None:
            earlier = earlier.before  # the same side is to move again
            if (
                earlier.own == self.own
                and earlier.others == self.others
                and earlier.knights == self.knights
                and earlier.bishops == self.bishops
                and earlier.rooks == self.rooks
                and earlier.queens == self.queens
                and earlier.kings == self.kings
                and earlier.castling == self.castling
                and earlier.passed == self.passed
            ):
                times += 1
                if times == 3:
                    return True
            earlier = earlier.before
        return False
