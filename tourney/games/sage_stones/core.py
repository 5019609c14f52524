"""The rules of Sage Stones, and the values of its positions.

The board is the bytes of ``board``, and captures are looked up in tables of their lines. The chance of a
colour to place the first last stone is its strength, as a share of all strengths: a product of three factors,
for its stones in hand, for its stones that may be captured, and for its turn. The factors are those of a
multinomial logit, fitted to 9,000 games of a bot that looks one action ahead by them.

The file is long because a core is one compiled class.
"""

from collections.abc import Hashable

from tourney.games.core_base import ADVANTAGES, COMPILED, LIMIT, MOVES, WEIGHTS, Core, Values, zeros
from tourney.games.sage_stones import board as stones

_CELLS = 70
# a stone on the board is ``_ONES`` plus its colour
_EMPTY = stones.EMPTY
_ONES = ord("0")
_HEIGHT = stones.HEIGHT
_WIDTH = stones.WIDTH
_STEP = stones.STEP
_FIRST_ROLL = stones.FIRST_ROLL
_SIX = stones.SIX
_ROLLS = len(stones.ROLLS)
_ROLL_LIMIT = stones.ROLL_LIMIT
_WEIGHT_OF = [roll.weight for roll in stones.ROLLS]
_COLUMN_OF = [-1 if roll.column is None else roll.column for roll in stones.ROLLS]
_AGAIN_OF = [int(roll.again) for roll in stones.ROLLS]
_IS_SQUARE = [int(square in stones.SQUARES) for square in range(_CELLS)]
_HANDS = [*(f"#{rank}" for rank in (4, 3, 2, 1)), *map(str, range(16))]
"""By a colour's hand, or minus its rank, plus 4: how a position string has it."""
_PHASES = ["roll", "", *(f"{name}{again}" for name in stones.COLUMNS for again in ("", "+"))]
"""By column, from -1 (none), and whether another turn follows."""
_RAY_STEPS = 8  # the most squares of a line, and lines from a square


def _lines() -> list[int]:
    """Squares of the lines from each square: 8 lines of 8 squares, ended by -1."""
    table = [-1] * (_CELLS * _RAY_STEPS * _RAY_STEPS)
    for square, rays in stones.RAYS.items():
        for number, ray in enumerate(rays):
            for k, place in enumerate(ray):
                table[(square * _RAY_STEPS + number) * _RAY_STEPS + k] = place
    return table


_LINES = _lines()

_IN_HAND = [0, 8972, 2954, 1436, 849, 568, 387, 260, 190, 139, 100, 77, 59, 46, 35, 27]  # by stones in hand
_EXPOSED = 256  # the number of entries of ``_SAFETY``; more exposure counts as the last


def _safety() -> list[int]:
    table: list[int] = []
    safety = 1 << 16
    while len(table) < _EXPOSED:
        table.append(safety)
        safety = safety * 9748 // 10000
    return table


_SAFETY = _safety()
"""By exposure: over all colours and columns, the stones lost to the colour's best capture there, times the
weight of the column's rolls (of 27)."""
_IN_TURN = [122, 100, 0, 0, 122, 100, 82, 0, 122, 107, 94, 82]
"""With two colours, three, then four: for the colour in turn, the next one, and so on.

The games of the fit had three and four; two colours have the first factors of three."""
_COLUMN_WEIGHTS = [1, 3, 6, 1, 6, 3, 1]  # by column: the rolls of 27 that name it
_ROW = 20  # the entries of a square in ``_TAKEN``
_SIGN = [-1 if (k - j) % max(seats, 1) == 0 else 1 for seats in range(5) for k in range(4) for j in range(4)]
"""By seats and two colours: -1 if both are of one seat."""
_BEST = LIMIT - 1  # the highest value of a position that is not over

# Workspace
_STRENGTH = zeros(4)  # by colour: its strength
_LOST = zeros(4)  # by colour: its exposure
_RUN = zeros(4)  # by colour: its stones in a line so far
_TAKEN = zeros(_ROW * _CELLS)
"""By square: what each colour captures of each, then what each gains: others' stones less its own seat's.

Finished colours count nothing."""
_TAKES = zeros(_CELLS)  # by square: whether any colour captures from there
_FRESH = zeros(_CELLS)  # by square: whether its captures have to be found, as ``_TAKEN`` is of another board
_STALE = zeros(8)  # by column: whether one of its squares is fresh
_SURVEYED = zeros(
    _CELLS
)  # the board of ``_TAKEN``, then 8 times its number of seats plus that of its colours
_KEPT = zeros(4 * 7)  # by column and colour: its part of the exposure on the board of ``_TAKEN``
_TAKEN_BEST = zeros(16)
_TOTAL_BEST = zeros(4)


class StonesCore(Core):
    """A position of Sage Stones; no history counts."""

    def __init__(self) -> None:
        super().__init__()
        self._settings = ""
        self._board = zeros(_CELLS)
        self._hands = zeros(4)
        self._colours = self._stones = self._play_on = self._colour = 0
        self._column = 0  # -1 while no stone is next
        self._again = self._rolls = 0
        self._surveyed = 0  # whether the board is one action after the board of ``_TAKEN``

    def load(self, at: stones.StonesPosition) -> None:
        """Take over a parsed position."""
        self._settings = str(at.settings)
        self.seats = at.settings.seats
        self._colours = len(at.hands)
        self._stones = at.settings.stones
        self._play_on = at.settings.play_on
        for square in range(_CELLS - 1):
            self._board[square] = at.board[square]
        for k in range(self._colours):
            self._hands[k] = at.hands[k]
        self._colour = at.colour
        self._column = at.column
        self._again = at.again
        self._rolls = at.rolls
        self._over = at.phase == "over"

    def _blank(self) -> "Core":
        return StonesCore.__new__(StonesCore) if COMPILED else StonesCore()

    def copy_from(self, other: "Core") -> None:
        source: StonesCore = other  # type: ignore[assignment] # of the same class
        self.seats = source.seats
        self._over = source._over
        self._settings = source._settings
        self._board[:] = source._board
        self._hands[:] = source._hands
        self._colours = source._colours
        self._stones = source._stones
        self._play_on = source._play_on
        self._colour = source._colour
        self._column = source._column
        self._again = source._again
        self._rolls = source._rolls

    def actor(self) -> int:
        if self._over:
            return -1
        return 0 if self._column < 0 else (self._colour - 1) % self.seats + 1

    def reason(self) -> str:
        """``last-stone`` or ``rolls``; empty while not over."""
        if not self._over:
            return ""
        if not self._play_on:
            for k in range(self._colours):
                if self._hands[k] == 0:
                    return "last-stone"
            return "rolls"
        return "last-stone" if self._finished() >= self.seats - 1 else "rolls"

    def position(self) -> str:
        """``BOARD COLOUR PHASE HANDS ROLLS OPTIONS``."""
        phase = "over" if self._over else _PHASES[2 * self._column + 2 + self._again]
        hands = ",".join([_HANDS[self._hands[k] + 4] for k in range(self._colours)])
        board = bytes(self._board[: _CELLS - 1]).decode("ascii")
        return f"{board} {self._colour} {phase} {hands} {self._rolls} {self._settings}"

    def key(self) -> Hashable:
        """Board, hands and phase, as bytes and an int; the number of rolls is left out."""
        phase = self._colour + 8 * (self._column + 1 + 8 * (self._again + 2 * (self._over + 2 * self.seats)))
        for k in range(4):
            phase = 32 * phase + self._hands[k] + 8  # from -4 (a rank) to 15 stones
        return bytes(self._board[: _CELLS - 1]), phase

    def decode(self, code: int) -> stones.StonesAction:
        self._check(code)
        return stones.StonesAction(code)

    def _check(self, code: int) -> int:
        if code < 0 or code >= _FIRST_ROLL + _ROLLS or (code < _FIRST_ROLL and not _IS_SQUARE[code]):
            raise ValueError(f"{code} is not a code of sage-stones")
        return 0

    def is_legal(self, code: int) -> bool:
        """Whether a square is an empty one of the column, or a roll is next."""
        if self._over:
            return False
        if self._column < 0:
            return _FIRST_ROLL <= code < _FIRST_ROLL + _ROLLS
        start = _STEP * self._column
        return start <= code < start + _HEIGHT and self._board[code] == _EMPTY

    def _list(self) -> int:
        """List the ten rolls, or the empty squares of the column."""
        if self._column < 0:
            for k in range(_ROLLS):
                MOVES[k] = _FIRST_ROLL + k
                WEIGHTS[k] = _WEIGHT_OF[k]
            return _ROLLS
        start = _STEP * self._column
        count = 0
        for square in range(start, start + _HEIGHT):
            if self._board[square] == _EMPTY:
                MOVES[count] = square
                count += 1
        return count

    def _play(self, code: int) -> None:
        if code >= _FIRST_ROLL:
            self._roll(code - _FIRST_ROLL)
        else:
            self._place(code)

    def _is_full(self, column: int) -> int:
        for square in range(_STEP * column, _STEP * column + _HEIGHT):
            if self._board[square] == _EMPTY:
                return 0
        return 1

    def _roll(self, number: int) -> None:
        """Choose the column: column 6 replaces a full one; if both are full, clear the board."""
        self._rolls += 1
        column = _COLUMN_OF[number]
        again = _AGAIN_OF[number]
        if column < 0:
            self._next_turn()
            return
        if self._is_full(column):
            if self._is_full(_SIX):
                self._wipe()
                return
            column = _SIX
            again = 0
        self._column = column
        self._again = again

    def _wipe(self) -> None:
        """Put all stones of unfinished colours back into the hands; the first of these colours rolls."""
        for square in range(_CELLS):
            if _IS_SQUARE[square]:
                self._board[square] = _EMPTY
        for k in range(self._colours):
            if self._hands[k] >= 0:
                self._hands[k] = self._stones
        if self._rolls < _ROLL_LIMIT:
            self._colour = self._colours  # the next one is the first that has not finished
        self._next_turn()

    def _place(self, square: int) -> None:
        colour = self._colour
        self._board[square] = _ONES + colour
        self._hands[colour - 1] -= 1
        if self._hands[colour - 1] == 0:  # a last stone captures nothing
            self._last_stone()
            return
        self._capture(square, _ONES + colour)
        if self._again and self._rolls < _ROLL_LIMIT:
            self._column = -1
            self._again = 0
        else:
            self._next_turn()

    def _capture(self, square: int, capturer: int) -> None:
        """Put captured runs back into their hands; two lines of a square never capture the same stone."""
        for line in range(square * _RAY_STEPS, square * _RAY_STEPS + _RAY_STEPS):
            start = line * _RAY_STEPS
            end = start
            while end < start + _RAY_STEPS and _LINES[end] >= 0:
                stone = self._board[_LINES[end]]
                if stone == _EMPTY or stone == capturer:
                    break
                end += 1
            if end < start + _RAY_STEPS and _LINES[end] >= 0 and self._board[_LINES[end]] == capturer:
                for k in range(start, end):
                    stone = self._board[_LINES[k]] - _ONES
                    self._board[_LINES[k]] = _EMPTY
                    if self._hands[stone - 1] >= 0:
                        self._hands[stone - 1] += 1

    def _finished(self) -> int:
        """The number of colours that have finished, with play-on."""
        finished = 0
        for k in range(self._colours):
            if self._hands[k] < 0:
                finished += 1
        return finished

    def _last_stone(self) -> None:
        """End the game or, with play-on, rank the colour and continue while two are left."""
        if not self._play_on:
            self._end()
            return
        self._hands[self._colour - 1] = -1 - self._finished()
        if self._finished() >= self.seats - 1:
            self._end()
        else:
            self._next_turn()

    def _next_turn(self) -> None:
        """Let the next unfinished colour roll, or end the game after the last roll."""
        self._column = -1
        self._again = 0
        if self._rolls >= _ROLL_LIMIT:
            self._end()
            return
        for _ in range(self._colours):
            self._colour = self._colour % self._colours + 1
            if self._hands[self._colour - 1] >= 0:
                return

    def _end(self) -> None:
        self._column = -1
        self._again = 0
        self._over = 1

    def _rank(self, seat: int) -> int:
        """Rank finished colours in their order, then seats by the fewest stones in a hand.

        Without play-on all seats but the winner's share rank 2.
        """
        if not self._play_on:
            for k in range(self._colours):
                if self._hands[k] == 0:
                    return 1 if k % self.seats == seat else 2
        rank = 1
        standing = self._standing(seat)
        for rival in range(self.seats):
            if self._standing(rival) < standing:
                rank += 1
        return rank

    def _standing(self, seat: int) -> int:
        """A sort key for seats: the rank of the seat's best colour, else 100 + its fewest stones in hand."""
        best = 1000
        for k in range(seat, self._colours, self.seats):
            place = self._hands[k]
            place = 100 + place if place >= 0 else -place
            if place < best:
                best = place
        return best

    def _value(self, seat: int) -> int:
        """The expected result, if each seat wins with its colours' share of the strengths.

        With play-on the finished colours have their ranks. The others' chance is between the next rank and
        the last one.
        """
        if self._over:
            return self._result(seat)
        total = 0
        for k in range(self._colours):
            total += _STRENGTH[k]
        mine = _STRENGTH[seat]
        if self._play_on:
            if self._hands[seat] < 0:
                return 2 * _BEST * (self.seats + self._hands[seat]) // (self.seats - 1) - _BEST
            left = self.seats - self._finished()
            span = 2 * _BEST * (left - 1) // (self.seats - 1)
            return span * (left - 1) * mine // ((left - 1) * mine + total - mine) - _BEST
        if self.seats == 2 and self._colours == 4:
            mine += _STRENGTH[seat + 2]
        return (self.seats * mine * _BEST // total + (self.seats - 2) * _BEST) // (self.seats - 1) - _BEST

    def outlook(self, codes: list[int]) -> list[Values]:
        """For each legal code the values of the position after it; the position stays as it is.

        A changed square changes only the captures from the first empty squares on its lines. The captures
        from all other squares are found once, for all codes of all columns.
        """
        if self._column < 0 or self._play_on:
            return Core.outlook(self, codes)
        self._survey()
        outlook: list[Values] = []
        after: StonesCore = self.copy()  # type: ignore[assignment] # of the same class
        for code in codes:
            after.play(code)
            after._surveyed = 1
            outlook.append(after.values())
            after._surveyed = 0
            after.copy_from(self)
        return outlook

    def _survey(self) -> None:
        """Find the captures of a stone on each empty square, and the exposures by column."""
        owners = 8 * self.seats + self._colours
        current = int(_SURVEYED[_CELLS - 1] == owners)
        for square in range(_CELLS - 1):
            if _SURVEYED[square] != self._board[square]:
                current = 0
                _SURVEYED[square] = self._board[square]
        if current:
            return
        _SURVEYED[_CELLS - 1] = owners
        for square in range(_CELLS):
            _FRESH[square] = 0
            if _IS_SQUARE[square] and self._board[square] == _EMPTY:
                _TAKES[square] = self._take_from(square, _ROW * square)
        for column in range(_WIDTH):
            for k in range(4):
                _LOST[k] = 0
            self._expose(column)
            for k in range(4):
                _KEPT[4 * column + k] = _LOST[k]

    def _refresh(self) -> None:
        """Mark the squares whose captures may differ from the board of ``_TAKEN``."""
        fresh = int(not self._surveyed)
        for square in range(_CELLS):
            _FRESH[square] = fresh
        for column in range(_WIDTH):
            _STALE[column] = fresh
        if fresh:
            return
        for square in range(_CELLS - 1):
            if self._board[square] != _SURVEYED[square]:
                _FRESH[square] = 1
                _STALE[square // _STEP] = 1
                for line in range(square * _RAY_STEPS, square * _RAY_STEPS + _RAY_STEPS):
                    for k in range(line * _RAY_STEPS, line * _RAY_STEPS + _RAY_STEPS):
                        if _LINES[k] < 0:
                            break
                        if _SURVEYED[_LINES[k]] == _EMPTY:
                            _FRESH[_LINES[k]] = 1
                            _STALE[_LINES[k] // _STEP] = 1
                            break

    def _weigh(self) -> None:
        """Find the strength of each colour; there are no advantages."""
        for k in range(4):
            ADVANTAGES[k] = 0
            _LOST[k] = 0
        self._refresh()
        for column in range(_WIDTH):
            if _STALE[column]:
                self._expose(column)
            else:
                for k in range(4):
                    _LOST[k] += _KEPT[4 * column + k]
        for k in range(self._colours):
            _STRENGTH[k] = 0
            if self._hands[k] >= 0:
                turn = _IN_TURN[
                    4 * self._colours - 8 + (k + self._colours + 1 - self._colour) % self._colours
                ]
                lost = min(_LOST[k], _EXPOSED - 1)
                # Integers, so that plain and compiled agree; 1 more, so that the sum is never 0.
                _STRENGTH[k] = (_IN_HAND[self._hands[k]] * _SAFETY[lost] * turn >> 16) + 1

    def _expose(self, column: int) -> None:
        """Add what all colours' best captures in a column take, by its weight, to the exposures.

        A colour captures most stones of other seats less its own seat's; finished colours count nothing.
        """
        for k in range(4):
            _TOTAL_BEST[k] = 0
            for j in range(4):
                _TAKEN_BEST[4 * k + j] = 0
        for square in range(_STEP * column, _STEP * column + _HEIGHT):
            if self._board[square] != _EMPTY:
                continue
            row = _ROW * (_CELLS - 1) if _FRESH[square] else _ROW * square  # no square is the last cell
            if self._take_from(square, row) if _FRESH[square] else _TAKES[square]:
                for k in range(self._colours):
                    if _TAKEN[row + 16 + k] > _TOTAL_BEST[k]:
                        _TOTAL_BEST[k] = _TAKEN[row + 16 + k]
                        for j in range(4):
                            _TAKEN_BEST[4 * k + j] = _TAKEN[row + 4 * k + j]
        for k in range(4):
            for j in range(4):
                _LOST[j] += _TAKEN_BEST[4 * k + j] * _COLUMN_WEIGHTS[column]

    def _take_from(self, square: int, row: int) -> int:
        """Find each colour's captures by a stone on an empty square; return whether there are any.

        ``row`` is the index of the square's first entry in ``_TAKEN``. Along a line, a stone captures the
        stones before the first one of its own colour.
        """
        captures = 0
        board = self._board
        for line in range(square * _RAY_STEPS, square * _RAY_STEPS + _RAY_STEPS):
            start = line * _RAY_STEPS
            if _LINES[start] < 0 or board[_LINES[start]] == _EMPTY:
                continue
            seen = 0
            for at in range(start, start + _RAY_STEPS):
                if _LINES[at] < 0 or board[_LINES[at]] == _EMPTY:
                    break
                colour = board[_LINES[at]] - _ONES - 1
                if not seen:
                    for k in range(4):
                        _RUN[k] = 0
                elif not seen >> colour & 1:
                    if not captures:
                        captures = 1
                        for k in range(16):
                            _TAKEN[row + k] = 0
                    for k in range(4):
                        _TAKEN[row + 4 * colour + k] += _RUN[k]
                seen |= 1 << colour
                _RUN[colour] += 1
        if captures:
            self._gain(row)
        return captures

    def _gain(self, row: int) -> None:
        """Find what each colour gains in a row of ``_TAKEN``."""
        for k in range(self._colours):
            _TAKEN[row + 16 + k] = 0
            if self._hands[k] >= 0:
                for j in range(self._colours):
                    if self._hands[j] >= 0:
                        sign = _SIGN[16 * self.seats + 4 * k + j]
                        _TAKEN[row + 16 + k] += sign * _TAKEN[row + 4 * k + j]
