"""The core of Sage Stones: a ``Scratch`` on a board of bytes, with tables of the lines of captures.

Squares and codes are those of ``board``: 10 times the column plus the row, and 70 plus the index of a roll.
It is one module because one module is compiled: C values (names with an underscore) are not seen from
another one.
"""

from typing import Any

from tourney.games.sage_stones.board import (
    COLUMNS,
    EMPTY,
    FIRST_ROLL,
    HEIGHT,
    RAYS,
    ROLLS,
    SIX,
    SQUARES,
    STEP,
    StonesAction,
)
from tourney.games.sage_stones.worth import COLUMN_WEIGHTS, EXPOSED, IN_HAND, IN_TURN, SAFETY
from tourney.games.values import LIMIT, WIN

_CELLS = 70
_HEIGHT, _STEP, _FIRST_ROLL, _SIX, _WIDTH = HEIGHT, STEP, FIRST_ROLL, SIX, len(COLUMNS)
_ROLLS = len(ROLLS)
_ROLL_LIMIT = 500
_EXPOSED = EXPOSED
_BEST, _WIN = LIMIT - 1, WIN
"""The highest value of a position that is not over, and that of a win."""
_GAMMA, _MULTIPLY_1, _MULTIPLY_2 = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
_MASK = 0xFFFFFFFFFFFFFFFF
_ROLL_OF = [number for number, roll in enumerate(ROLLS) for _ in range(roll.weight)]
"""The index of each of the 27 rolls' outcome."""
_WEIGHT = [roll.weight for roll in ROLLS]
_COLUMN_OF = [-1 if roll.column is None else roll.column for roll in ROLLS]
_AGAIN_OF = [int(roll.again) for roll in ROLLS]
_IN_HAND, _SAFETY, _COLUMN_WEIGHTS = list(IN_HAND), list(SAFETY), list(COLUMN_WEIGHTS)
_IN_TURN = [*IN_TURN[3], 0, *IN_TURN[4]]
_IS_SQUARE = [int(square in SQUARES) for square in range(_CELLS)]
_RAY_STEPS = 8
"""The most squares of a line, and lines from a square."""


def _lines() -> list[int]:
    """Return the squares of the lines from each square: 8 lines of 8 squares, ended by -1."""
    table = [-1] * (_CELLS * _RAY_STEPS * _RAY_STEPS)
    for square, rays in RAYS.items():
        for number, ray in enumerate(rays):
            for k, place in enumerate(ray):
                table[(square * _RAY_STEPS + number) * _RAY_STEPS + k] = place
    return table


_LINES = _lines()


def _zeros(length: int) -> list[int]:
    return [0] * length


_STRENGTH = _zeros(4)
"""Workspace, shared by all scratches: the strength of each colour in the position valued last."""
_LOST = _zeros(4)
"""By colour: its exposure."""
_RUN = _zeros(4)
"""By colour: its stones in a line so far."""
_TAKEN = _zeros(16)
"""By colour, and colour of stones: what it captures from a square."""
_TAKEN_BEST = _zeros(16)
_TOTAL_BEST = _zeros(4)


class SageStonesScratch:
    """A position of Sage Stones; no history counts."""

    def __init__(self) -> None:
        self.seats = 2
        self._board = _zeros(_CELLS)
        self._hands = _zeros(4)
        self._colours = 4
        self._stones = 10
        self._play_on = 0
        self._colour = 1
        self._column = -1
        self._again = 0
        self._rolls = 0
        self._over = 0
        self._x = 0

    def load(self, state: Any) -> None:
        """Take over a state of the game."""
        table, letters = state.table, state.board
        self.seats = table.seats
        self._colours = len(state.hands)
        self._stones, self._play_on = table.stones, table.play_on
        for square in range(_CELLS):
            self._board[square] = 0
            if _IS_SQUARE[square] and letters[square] != EMPTY:
                self._board[square] = letters[square] - 48
        for k in range(4):
            self._hands[k] = state.hands[k] if k < len(state.hands) else 0
        self._colour, self._again, self._rolls = state.colour, state.again, state.rolls
        self._column = -1 if state.column is None else state.column
        self._over = state.actor == -1

    def copy(self) -> "SageStonesScratch":
        """Return a new scratch with the same position."""
        found = SageStonesScratch()
        found.copy_from(self)
        return found

    def copy_from(self, other: "SageStonesScratch") -> None:
        """Take over the position of another scratch."""
        self.seats = other.seats
        self._board[:] = other._board
        self._hands[:] = other._hands
        self._colours = other._colours
        self._stones = other._stones
        self._play_on = other._play_on
        self._colour = other._colour
        self._column = other._column
        self._again = other._again
        self._rolls = other._rolls
        self._over = other._over

    def actor(self) -> int:
        """Return the seat to act, CHANCE or OVER."""
        return self._actor()

    def _actor(self) -> int:
        if self._over:
            return -1
        return 0 if self._column < 0 else (self._colour - 1) % self.seats + 1

    def ranks(self) -> tuple[int, ...] | None:
        """Return the ranks, or None while not over."""
        if not self._over:
            return None
        return tuple([self._rank(seat) for seat in range(self.seats)])

    def _rank(self, seat: int) -> int:
        """Return the rank of a seat, from 0, in a finished game."""
        if not self._play_on:
            for k in range(self._colours):
                if self._hands[k] == 0:
                    return 1 if k % self.seats == seat else 2
        rank = 1
        own = self._standing(seat)
        for other in range(self.seats):
            if self._standing(other) < own:
                rank += 1
        return rank

    def _standing(self, seat: int) -> int:
        """Return how a seat stands: by the rank of its best colour, else by its fewest stones in hand."""
        best = 1000
        for k in range(seat, self._colours, self.seats):
            own = self._hands[k]
            own = 100 + own if own >= 0 else -own
            if own < best:
                best = own
        return best

    def actions(self) -> list[int]:
        """List the ten rolls, or the empty squares of the column."""
        actor = self._actor()
        if actor < 0:
            return []
        if not actor:
            return [_FIRST_ROLL + k for k in range(_ROLLS)]
        start = _STEP * self._column
        return [square for square in range(start, start + _HEIGHT) if self._board[square] == 0]

    def candidates(self) -> list[int]:
        """List the legal actions: all are worth a search."""
        return self.actions()

    def weights(self) -> list[int]:
        """Return how many of the 27 rolls have each outcome; empty for a seat."""
        return [] if self._actor() else [_WEIGHT[k] for k in range(_ROLLS)]

    def encode(self, action: Any) -> Any:
        """Return the action: codes are actions."""
        return int(action)

    def decode(self, code: Any) -> Any:
        """Return the action of a code. Raises ValueError for a code out of range."""
        self._check(code)
        return StonesAction(code)

    def key(self) -> Any:
        """Return board, hands and phase, as bytes and an int."""
        phase = self._colour + 8 * (self._column + 1 + 8 * (self._again + 2 * (self._over + 2 * self.seats)))
        for k in range(4):
            phase = 32 * phase + self._hands[k] + 8
        return bytes(self._board[:_CELLS]), phase

    def _check(self, code: int) -> None:
        if code < 0 or code >= _FIRST_ROLL + _ROLLS or (code < _FIRST_ROLL and not _IS_SQUARE[code]):
            raise ValueError(f"{code} is no code of sage-stones")

    def play(self, code: int) -> None:
        """Play a legal action."""
        self._check(code)
        self._play(code)

    def values(self) -> tuple[int, ...]:
        """Return the values as ``StonesHeuristics`` does."""
        if not self._over:
            self._weigh()
        return tuple([self._value(seat) for seat in range(self.seats)])

    def outlook(self, codes: list[int]) -> list[tuple[int, ...]]:
        """Return for each code the values of the position after it."""
        after = self.copy()
        found: list[tuple[int, ...]] = []
        for code in codes:
            after.play(code)
            found.append(after.values())
            after.copy_from(self)
        return found

    def playout(self, seed: int, most: int) -> int:
        """Play random actions until the game is over or ``most`` are played; return how many."""
        self._x = seed
        played = 0
        while played < most and not self._over:
            self._play(self._choose())
            played += 1
        return played

    def trace(self, seed: int, most: int) -> list[int]:
        """Play as ``playout`` does, and return the codes."""
        self._x = seed
        found: list[int] = []
        while len(found) < most and not self._over:
            code = self._choose()
            self._play(code)
            found.append(code)
        return found

    def _choose(self) -> int:
        """Return a random outcome by weight, or a random empty square of the column."""
        if self._column < 0:
            return _FIRST_ROLL + _ROLL_OF[self._draw(27)]
        start = _STEP * self._column
        free = 0
        for square in range(start, start + _HEIGHT):
            if self._board[square] == 0:
                free += 1
        free = self._draw(free)
        square = start
        while square < start + _HEIGHT - 1 and (self._board[square] or free):
            if self._board[square] == 0:
                free -= 1
            square += 1
        return square

    def _draw(self, total: int) -> int:
        """Return the next random integer below a total."""
        x = (self._x + _GAMMA) & _MASK
        self._x = x
        z = ((x ^ (x >> 30)) * _MULTIPLY_1) & _MASK
        z = ((z ^ (z >> 27)) * _MULTIPLY_2) & _MASK
        return ((z ^ (z >> 31)) >> 32) * total >> 32

    def _play(self, code: int) -> None:
        """Play a legal action."""
        if code >= _FIRST_ROLL:
            self._roll(code - _FIRST_ROLL)
        else:
            self._place(code)

    def _is_full(self, column: int) -> int:
        for square in range(_STEP * column, _STEP * column + _HEIGHT):
            if self._board[square] == 0:
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
        """Return all stones to the hands, except those of finished colours."""
        for square in range(_CELLS):
            self._board[square] = 0
        for k in range(self._colours):
            if self._hands[k] >= 0:
                self._hands[k] = self._stones
        self._next_turn()

    def _place(self, square: int) -> None:
        own = self._colour
        self._board[square] = own
        self._hands[own - 1] -= 1
        if self._hands[own - 1] == 0:
            self._last_stone()
            return
        self._capture(square, own)
        if self._again and self._rolls < _ROLL_LIMIT:
            self._column = -1
            self._again = 0
        else:
            self._next_turn()

    def _capture(self, square: int, own: int) -> None:
        """Return captured runs to their hands; two lines of a square never capture the same stone."""
        for line in range(square * _RAY_STEPS, square * _RAY_STEPS + _RAY_STEPS):
            start = line * _RAY_STEPS
            end = start
            while end < start + _RAY_STEPS and _LINES[end] >= 0:
                stone = self._board[_LINES[end]]
                if stone == 0 or stone == own:
                    break
                end += 1
            if end < start + _RAY_STEPS and _LINES[end] >= 0 and self._board[_LINES[end]] == own:
                for k in range(start, end):
                    stone = self._board[_LINES[k]]
                    self._board[_LINES[k]] = 0
                    if self._hands[stone - 1] >= 0:
                        self._hands[stone - 1] += 1

    def _last_stone(self) -> None:
        """End the game or, with play-on, rank the colour and continue while two are left."""
        if not self._play_on:
            self._end()
            return
        finished = 0
        for k in range(self._colours):
            if self._hands[k] < 0:
                finished += 1
        self._hands[self._colour - 1] = -1 - finished
        if finished + 1 >= self.seats - 1:
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

    def _value(self, seat: int) -> int:
        """Return the value for a seat, from 0; if the game is not over, after ``_weigh``."""
        if self._over:
            own = self._rank(seat)
            balance = 0
            for other in range(self.seats):
                rank = self._rank(other)
                balance += 1 if rank > own else -1 if rank < own else 0
            # Python rounds a quotient down, C towards 0: the sign is put aside.
            others = self.seats - 1
            return _WIN * balance // others if balance >= 0 else -(_WIN * -balance // others)
        total = 0
        finished = 0
        for k in range(self._colours):
            total += _STRENGTH[k]
            if self._hands[k] < 0:
                finished += 1
        mine = _STRENGTH[seat]
        if self._play_on:
            if self._hands[seat] < 0:
                return 2 * _BEST * (self.seats + self._hands[seat]) // (self.seats - 1) - _BEST
            left = self.seats - finished
            span = 2 * _BEST * (left - 1) // (self.seats - 1)
            return span * (left - 1) * mine // ((left - 1) * mine + total - mine) - _BEST
        for k in range(seat + self.seats, self._colours, self.seats):
            mine += _STRENGTH[k]
        return (self.seats * mine * _BEST // total + (self.seats - 2) * _BEST) // (self.seats - 1) - _BEST

    def _weigh(self) -> None:
        """Find the strength of each colour."""
        for k in range(4):
            _LOST[k] = 0
        for column in range(_WIDTH):
            self._expose(column)
        for k in range(self._colours):
            _STRENGTH[k] = 0
            if self._hands[k] >= 0:
                turn = _IN_TURN[
                    4 * self._colours - 12 + (k + self._colours + 1 - self._colour) % self._colours
                ]
                lost = min(_LOST[k], _EXPOSED - 1)
                _STRENGTH[k] = (_IN_HAND[self._hands[k]] * _SAFETY[lost] * turn >> 16) + 1

    def _expose(self, column: int) -> None:
        """Add what all colours' best captures in a column take, by its weight, to the exposures."""
        for k in range(4):
            _TOTAL_BEST[k] = 0
            for j in range(4):
                _TAKEN_BEST[4 * k + j] = 0
        hands = self._hands
        seats = self.seats
        for square in range(_STEP * column, _STEP * column + _HEIGHT):
            if self._board[square] == 0 and self._take_from(square):
                for k in range(self._colours):
                    total = 0
                    if hands[k] >= 0:
                        for j in range(self._colours):
                            if _TAKEN[4 * k + j] and hands[j] >= 0:
                                same = (k + 12 - j) % seats == 0
                                total += -_TAKEN[4 * k + j] if same else _TAKEN[4 * k + j]
                    if total > _TOTAL_BEST[k]:
                        _TOTAL_BEST[k] = total
                        for j in range(4):
                            _TAKEN_BEST[4 * k + j] = _TAKEN[4 * k + j]
        for k in range(4):
            for j in range(4):
                _LOST[j] += _TAKEN_BEST[4 * k + j] * _COLUMN_WEIGHTS[column]

    def _take_from(self, square: int) -> int:
        """Find what each colour captures by a stone on an empty square; return whether any does."""
        found = 0
        board = self._board
        for line in range(square * _RAY_STEPS, square * _RAY_STEPS + _RAY_STEPS):
            start = line * _RAY_STEPS
            if _LINES[start] < 0 or board[_LINES[start]] == 0:
                continue
            seen = 0
            for at in range(start, start + _RAY_STEPS):
                if _LINES[at] < 0 or board[_LINES[at]] == 0:
                    break
                colour = board[_LINES[at]] - 1
                if not seen:
                    for k in range(4):
                        _RUN[k] = 0
                elif not seen >> colour & 1:
                    if not found:
                        found = 1
                        for k in range(16):
                            _TAKEN[k] = 0
                    for k in range(4):
                        _TAKEN[4 * colour + k] += _RUN[k]
                seen |= 1 << colour
                _RUN[colour] += 1
        return found
