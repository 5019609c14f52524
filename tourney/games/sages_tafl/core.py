"""The core of Sages Tafl: a ``Scratch`` on a board of bytes with a border, and lists of pieces.

A *cell* is 11 times (file + 1) plus (rank + 1), so that every direction is one offset and the border ends
every walk. Codes are the actions of ``board``. Boards are counted by 64-bit Zobrist keys, as chess engines
do: two different boards with one key would count as a repetition. It is one long module because one module
is compiled: C values (names with an underscore) are not seen from another one.
"""

from typing import Any

from tourney.games.sages_tafl.board import (
    FROM_TOWER,
    HEIGHT,
    LETTERS,
    OFF,
    PASS,
    PLY_LIMIT,
    QUIET_LIMIT,
    RIVER,
    SAGE_WORTH,
    SHIFT,
    SQUARES,
    TOWER_SQUARES,
    WIN,
    TaflAction,
)
from tourney.games.sages_tafl.worth import POINT, worth
from tourney.games.values import LIMIT, SCALE
from tourney.games.values import WIN as VALUE_OF_WIN

_CELLS = 110
_WIDTH = 11
_BORDER = 7
"""What a cell holds: 0 nothing, 1 to 3 Black's apprentice, skyship and sage, 4 to 6 Red's, 7 the border."""
_SIDE = [3, 1, 1, 1, 2, 2, 2, 4]
"""By what a cell holds: the seat of a piece; 3 nothing, 4 the border."""
_KIND = [0, 1, 2, 3, 1, 2, 3, 0]
_PIECES = 11
"""Pieces of a side: 8 apprentices, 2 skyships and the sage, which is last."""
_MOST = 320
"""More than the legal actions of any position: 8 apprentices of 17, 2 skyships of 12, a sage of 9."""
_PAST = 404
"""More than the boards that one seat can have to move: 400 actions in all."""

_PASS, _OFF, _TARGET = int(PASS), OFF, (1 << SHIFT) - 1
_FROM_TOWER, _FROM_NOWHERE = FROM_TOWER, int(PASS) >> SHIFT
_RIVER, _WIN_POINTS, _SAGE_POINTS = RIVER, WIN, SAGE_WORTH
_QUIET_LIMIT, _PLY_LIMIT = QUIET_LIMIT, PLY_LIMIT
_POINT = POINT
_LIMIT, _SCALE, _WIN = LIMIT, SCALE, VALUE_OF_WIN
_GAMMA, _MULTIPLY_1, _MULTIPLY_2 = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
_MASK = 0xFFFFFFFFFFFFFFFF


def _cell(square: int) -> int:
    return _WIDTH * (square // HEIGHT + 1) + square % HEIGHT + 1


def _zeros(length: int) -> list[int]:
    return [0] * length


def _by_cell(values: list[int], other: int) -> list[int]:
    """Return the values of the squares by cell, with another one on the border."""
    table = [other] * _CELLS
    for square, value in enumerate(values):
        table[_cell(square)] = value
    return table


def _worths() -> list[int]:
    """Return what pieces are worth, by cell plus ``_CELLS`` times the kind."""
    table = _zeros(_CELLS)
    for kind in range(3):
        table += _by_cell([worth(kind, square) for square in range(SQUARES)], 0)
    return table


def _zobrist() -> list[int]:
    """Return a random number for each cell and what it holds; cells 0 and 1 are the towers."""
    x, table = 20261122, []
    for _ in range(8 * _CELLS):
        x = x + _GAMMA & _MASK
        z = (x ^ x >> 30) * _MULTIPLY_1 & _MASK
        z = (z ^ z >> 27) * _MULTIPLY_2 & _MASK
        table.append(z ^ z >> 31)
    return table


_CELL_OF = [_cell(square) for square in range(SQUARES)]
_SQUARE_OF = _by_cell(list(range(SQUARES)), 0)
_RANK_OF = _by_cell([square % HEIGHT for square in range(SQUARES)], -9)
_BLANK = _by_cell(_zeros(SQUARES), _BORDER)
_FOOT = [_cell(square) for side in TOWER_SQUARES for square in side]
"""The cells at the foot of Black's tower, then of Red's."""
_CODE_OF = {letter: 3 * side + kind + 1 for side in (0, 1) for kind, letter in enumerate(LETTERS[side])}
_WORTH = _worths()
_KEYS = _zobrist()
_WEST_END, _EAST_END = _cell(RIVER), _cell(SQUARES - HEIGHT + RIVER)

_ALL_WAYS = [-_WIDTH - 1, -_WIDTH, -_WIDTH + 1, -1, 1, _WIDTH - 1, _WIDTH, _WIDTH + 1]
_STRAIGHT = [-_WIDTH, _WIDTH, -1, 1]
_SLANTS = [-_WIDTH - 1, -_WIDTH + 1, _WIDTH - 1, _WIDTH + 1]
_SECONDS = [
    *(-2 * _WIDTH - 2, -_WIDTH - 1, -_WIDTH - 1),
    *(-2 * _WIDTH, -_WIDTH - 1, -_WIDTH + 1),
    *(-2 * _WIDTH + 2, -_WIDTH + 1, -_WIDTH + 1),
    *(-2, -_WIDTH - 1, _WIDTH - 1),
    *(2, -_WIDTH + 1, _WIDTH + 1),
    *(2 * _WIDTH - 2, _WIDTH - 1, _WIDTH - 1),
    *(2 * _WIDTH, _WIDTH - 1, _WIDTH + 1),
    *(2 * _WIDTH + 2, _WIDTH + 1, _WIDTH + 1),
]
"""A skyship's second steps: each the offset, and those of the two first steps on the way."""

_MOVES = _zeros(_MOST)
"""Workspace, shared by all scratches: the actions listed last."""


class SagesTaflScratch:
    """A position of Sages Tafl, with the keys of the boards that can recur."""

    def __init__(self) -> None:
        self.seats = 2
        self._board = _zeros(_CELLS)
        self._places = _zeros(2 * _PIECES)
        self._towers = _zeros(2)
        self._points = _zeros(2)
        self._past = _zeros(2 * _PAST)
        self._pasts = _zeros(2)
        self._hash = 0
        self._seat = 1
        self._over = 0
        self._winner = 0
        self._quiet = 0
        self._ply = 0
        self._passed = 0
        self._x = 0
        self._count = 0
        for cell in range(_CELLS):
            self._board[cell] = _BLANK[cell]

    def load(self, state: Any) -> None:
        """Take over a state of the game."""
        for cell in range(_CELLS):
            self._board[cell] = _BLANK[cell]
        for k in range(2 * _PIECES):
            self._places[k] = 0
        letters = state.board
        for square in range(SQUARES):
            code = _CODE_OF.get(letters[square], 0)
            if code:
                self._board[_cell(square)] = code
                self._lay(code, _cell(square))
        for side in range(2):
            self._towers[side] = letters[SQUARES + side] in LETTERS[side]
            self._points[side] = state.points[side]
            self._pasts[side] = 0
        self._hash = _hash_of(letters)
        self._seat = state.seat
        for board in state.past:
            self._remember(self._seat - 1, _hash_of(board))
        for board in state.foe_past:
            self._remember(2 - self._seat, _hash_of(board))
        self._quiet, self._ply, self._passed = state.quiet, state.ply, state.passed
        ranks = state.ranks()
        self._over = ranks is not None
        self._winner = 0 if ranks is None or ranks == (1, 1) else 1 if ranks == (1, 2) else 2

    def _lay(self, code: int, cell: int) -> None:
        """Enter a piece of the board in the list of its side."""
        first = 0 if code <= 3 else _PIECES
        kind = _KIND[code]
        low = first if kind == 1 else first + 8 if kind == 2 else first + 10
        while self._places[low]:
            low += 1
        self._places[low] = cell

    def _remember(self, side: int, key: int) -> None:
        """Note a board that can recur."""
        if self._pasts[side] < _PAST:
            self._past[side * _PAST + self._pasts[side]] = key
            self._pasts[side] += 1

    def copy(self) -> "SagesTaflScratch":
        """Return a new scratch with the same position."""
        found = SagesTaflScratch()
        found.copy_from(self)
        return found

    def copy_from(self, other: "SagesTaflScratch") -> None:
        """Take over the position of another scratch."""
        self._copy_small(other)
        for side in range(2):
            for k in range(side * _PAST, side * _PAST + other._pasts[side]):
                self._past[k] = other._past[k]

    def _copy_small(self, other: "SagesTaflScratch") -> None:
        """Take over all but the keys of boards; an action writes one key, the first if it clears them."""
        self._board[:] = other._board
        self._places[:] = other._places
        self._towers[:] = other._towers
        self._points[:] = other._points
        self._pasts[:] = other._pasts
        self._hash = other._hash
        self._seat = other._seat
        self._over = other._over
        self._winner = other._winner
        self._quiet = other._quiet
        self._ply = other._ply
        self._passed = other._passed

    def actor(self) -> int:
        """Return the seat to act or OVER."""
        return -1 if self._over else self._seat

    def ranks(self) -> tuple[int, ...] | None:
        """Return the ranks, or None while not over."""
        if not self._over:
            return None
        return (1 if self._winner != 2 else 2, 1 if self._winner != 1 else 2)

    def actions(self) -> list[int]:
        """List the legal actions, sorted."""
        if self._over:
            return []
        self._list()
        found = [_MOVES[k] for k in range(self._count)]
        found.sort()
        return found

    def candidates(self) -> list[int]:
        """List the legal actions: all are worth a search."""
        return self.actions()

    def weights(self) -> list[int]:
        """Return nothing: chance never acts."""
        return []

    def encode(self, action: Any) -> Any:
        """Return the action: codes are actions."""
        return int(action)

    def decode(self, code: Any) -> Any:
        """Return the action of a code. Raises ValueError for a code out of range."""
        self._check(code)
        return TaflAction(code)

    def key(self) -> Any:
        """Return board, towers, points and seat, as bytes and an int."""
        towers = self._towers[0] + 2 * self._towers[1]
        return bytes(self._board[:_CELLS]), towers + 4 * (
            self._points[0] + 16 * self._points[1]
        ) + 1024 * self._seat

    def _check(self, code: int) -> None:
        if code < 0 or code >> 7 > _FROM_TOWER or (code & _TARGET) > _OFF:
            raise ValueError(f"{code} is no code of sages-tafl")

    def play(self, code: int) -> None:
        """Play a legal action."""
        self._check(code)
        self._play(code)

    def values(self) -> tuple[int, ...]:
        """Return the values as ``TaflHeuristics`` does."""
        black = self._value()
        return black, -black

    def outlook(self, codes: list[int]) -> list[tuple[int, ...]]:
        """Return for each code the values of the position after it."""
        after = self.copy()
        found: list[tuple[int, ...]] = []
        for code in codes:
            after.play(code)
            black = after._value()
            found.append((black, -black))
            after._copy_small(self)
            after._past[0] = self._past[0]
            after._past[_PAST] = self._past[_PAST]
        return found

    def playout(self, seed: int, most: int) -> int:
        """Play random actions until the game is over or ``most`` are played; return how many."""
        self._x = seed
        played = 0
        while played < most and not self._over:
            self._list()
            self._play(_MOVES[self._draw(self._count)])
            played += 1
        return played

    def trace(self, seed: int, most: int) -> list[int]:
        """Play as ``playout`` does, and return the codes."""
        self._x = seed
        found: list[int] = []
        while len(found) < most and not self._over:
            self._list()
            code = _MOVES[self._draw(self._count)]
            self._play(code)
            found.append(code)
        return found

    def _draw(self, total: int) -> int:
        """Return the next random integer below a total."""
        x = (self._x + _GAMMA) & _MASK
        self._x = x
        z = ((x ^ (x >> 30)) * _MULTIPLY_1) & _MASK
        z = ((z ^ (z >> 27)) * _MULTIPLY_2) & _MASK
        return ((z ^ (z >> 31)) >> 32) * total >> 32

    def _list(self) -> None:
        """List the legal actions of the seat to act, by piece."""
        count = 0
        first = 0 if self._seat == 1 else _PIECES
        for k in range(first, first + 8):
            if self._places[k]:
                count = self._list_apprentice(self._places[k], count)
        for k in range(first + 8, first + 10):
            if self._places[k]:
                count = self._list_skyship(self._places[k], count)
        if self._places[first + 10]:
            count = self._list_sage(self._places[first + 10], count)
        elif self._towers[self._seat - 1]:
            for k in range(4 * self._seat - 4, 4 * self._seat):
                if self._board[_FOOT[k]] == 0:
                    _MOVES[count] = (_FROM_TOWER << 7) + _SQUARE_OF[_FOOT[k]]
                    count += 1
        if not count:
            _MOVES[0] = _PASS
            count = 1
        self._count = count

    def _list_apprentice(self, cell: int, count: int) -> int:
        """Add slides along rank and file, steps into the river and out of it, a hop, an escape.

        Each of these functions gets and returns the number of actions listed so far.
        """
        board = self._board
        source = _SQUARE_OF[cell] << 7
        rank = _RANK_OF[cell]
        off = 0
        for way in range(2):
            offset = _STRAIGHT[way]
            target = cell + offset
            while board[target] == 0:
                _MOVES[count] = source + _SQUARE_OF[target]
                count += 1
                target += offset
            if board[target] == _BORDER:
                off = 1
        if rank == _RIVER:
            for target in range(cell - 1, cell + 2):
                if board[target] == 0:
                    _MOVES[count] = source + _SQUARE_OF[target]
                    count += 1
            if off:
                _MOVES[count] = source + _OFF
                count += 1
            return count
        for way in range(2, 4):
            offset = _STRAIGHT[way]
            target = cell + offset
            if _RANK_OF[target] == _RIVER:
                if board[target] == 0:
                    _MOVES[count] = source + _SQUARE_OF[target]
                    count += 1
            else:
                while board[target] == 0 and _RANK_OF[target] != _RIVER:
                    _MOVES[count] = source + _SQUARE_OF[target]
                    count += 1
                    target += offset
        if rank == _RIVER - 1 or rank == _RIVER + 1:
            return self._list_hop(cell, count)
        return count

    def _list_hop(self, cell: int, count: int) -> int:
        """Add a hop from a bank over a friend in the river to the other bank."""
        offset = _RIVER - _RANK_OF[cell]
        if _SIDE[self._board[cell + offset]] == self._seat and self._board[cell + 2 * offset] == 0:
            _MOVES[count] = (_SQUARE_OF[cell] << 7) + _SQUARE_OF[cell + 2 * offset]
            return count + 1
        return count

    def _list_skyship(self, cell: int, count: int) -> int:
        """Add one or two diagonal steps over anything but a skyship."""
        board = self._board
        source = _SQUARE_OF[cell] << 7
        for way in range(4):
            if board[cell + _SLANTS[way]] == 0:
                _MOVES[count] = source + _SQUARE_OF[cell + _SLANTS[way]]
                count += 1
        for k in range(0, 24, 3):
            one = board[cell + _SECONDS[k + 1]]
            two = board[cell + _SECONDS[k + 2]]
            if (one != _BORDER and _KIND[one] != 2) or (two != _BORDER and _KIND[two] != 2):
                target = cell + _SECONDS[k]
                if board[target] == 0:
                    _MOVES[count] = source + _SQUARE_OF[target]
                    count += 1
        return count

    def _list_sage(self, cell: int, count: int) -> int:
        """Add one square in any direction, a hop, or off from an end of the river."""
        source = _SQUARE_OF[cell] << 7
        for way in range(8):
            if self._board[cell + _ALL_WAYS[way]] == 0:
                _MOVES[count] = source + _SQUARE_OF[cell + _ALL_WAYS[way]]
                count += 1
        if cell == _WEST_END or cell == _EAST_END:
            _MOVES[count] = source + _OFF
            count += 1
        if _RANK_OF[cell] == _RIVER - 1 or _RANK_OF[cell] == _RIVER + 1:
            return self._list_hop(cell, count)
        return count

    def _play(self, code: int) -> None:
        """Play a legal action."""
        source = code >> 7
        side = self._seat - 1
        if source == _FROM_NOWHERE:
            self._end_turn(0, self._passed, 1)
            return
        if source == _FROM_TOWER:
            piece = 3 * side + 3
            slot = _PIECES * side + 10
            self._towers[side] = 0
            self._hash ^= _KEYS[8 * side]
        else:
            cell = _CELL_OF[source]
            piece = self._board[cell]
            slot = self._slot(side, cell)
            self._board[cell] = 0
            self._hash ^= _KEYS[8 * cell + piece]
        if code & _TARGET == _OFF:
            self._places[slot] = 0
            self._points[side] += _SAGE_POINTS if _KIND[piece] == 3 else 1
            self._pasts[0] = self._pasts[1] = 0
            self._end_turn(1, 0, 0)
            return
        cell = _CELL_OF[code & _TARGET]
        self._board[cell] = piece
        self._places[slot] = cell
        self._hash ^= _KEYS[8 * cell + piece]
        taken = 0
        foe = 2 - side
        for way in range(4):
            near = cell + _STRAIGHT[way]
            if _SIDE[self._board[near]] == foe and _SIDE[self._board[near + _STRAIGHT[way]]] == self._seat:
                self._take(near, foe - 1)
                taken = 1
        self._end_turn(taken, 0, 0)

    def _slot(self, side: int, cell: int) -> int:
        """Return where a piece stands in the lists; the sage's place for none."""
        for k in range(_PIECES * side, _PIECES * side + 10):
            if self._places[k] == cell:
                return k
        return _PIECES * side + 10

    def _take(self, cell: int, side: int) -> None:
        """Take a piece off the board; a sage returns to its tower."""
        piece = self._board[cell]
        self._board[cell] = 0
        self._hash ^= _KEYS[8 * cell + piece]
        self._places[self._slot(side, cell)] = 0
        if _KIND[piece] == 3:
            self._towers[side] = 1
            self._hash ^= _KEYS[8 * side]
        else:
            self._pasts[0] = self._pasts[1] = 0

    def _end_turn(self, loud: int, passes: int, passed: int) -> None:
        """End an action; ``loud`` says that it was a capture or an escape, ``passes`` that two passed."""
        side = self._seat - 1
        self._quiet = 0 if loud else self._quiet + 1
        self._ply += 1
        self._seat = 2 - side
        self._passed = passed
        if self._points[side] >= _WIN_POINTS:
            self._over = 1
            self._winner = side + 1
        elif (passed and passes) or (loud and self._out_of_reach()) or self._recurs(1 - side):
            self._over = 1
        elif self._quiet >= _QUIET_LIMIT or self._ply >= _PLY_LIMIT:
            self._over = 1
        self._remember(1 - side, self._hash)

    def _recurs(self, side: int) -> int:
        """Say whether the board stood twice before with the same seat to move."""
        times = 0
        past = self._past
        key = self._hash
        for k in range(side * _PAST, side * _PAST + self._pasts[side]):
            if past[k] == key:
                times += 1
        return 1 if times >= 2 else 0

    def _out_of_reach(self) -> int:
        """Say whether neither side has enough pieces left to win."""
        for side in range(2):
            reach = self._points[side]
            for k in range(_PIECES * side, _PIECES * side + 8):
                if self._places[k]:
                    reach += 1
            if self._places[_PIECES * side + 10] or self._towers[side]:
                reach += _SAGE_POINTS
            if reach >= _WIN_POINTS:
                return 0
        return 1

    def _value(self) -> int:
        """Return Black's value; Red's is its negative."""
        if self._over:
            return 0 if self._winner == 0 else _WIN if self._winner == 1 else -_WIN
        board = self._board
        places = self._places
        total = _POINT * (self._points[0] - self._points[1])
        for k in range(_PIECES):
            cell = places[k]
            if cell:
                total += _WORTH[_CELLS * _KIND[board[cell]] + cell]
            cell = places[k + _PIECES]
            if cell:
                total -= _WORTH[_CELLS * _KIND[board[cell]] + cell]
        return _LIMIT * total // (_SCALE + total) if total >= 0 else -(_LIMIT * -total // (_SCALE - total))


def _hash_of(letters: bytes) -> int:
    """Return the key of a board with its towers, as the states have it."""
    found = 0
    for square in range(SQUARES):
        code = _CODE_OF.get(letters[square], 0)
        if code:
            found ^= _KEYS[8 * _cell(square) + code]
    for side in range(2):
        if letters[SQUARES + side] in LETTERS[side]:
            found ^= _KEYS[8 * side]
    return found
