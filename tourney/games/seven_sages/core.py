"""The core of The Seven Sages: a ``Scratch`` on a board of bytes with a border, walked square by square.

A *cell* is 17 times (file + 1) plus (rank + 1), so that every direction is one offset and the border ends
every walk. Codes are the actions of ``board``. It is one long module because one module is compiled: C values
(names with an underscore) are not seen from another one.
"""

from typing import Any

from tourney.games.seven_sages.board import (
    BARBARIAN,
    CITIES,
    DIRECTIONS,
    LAST_PLY,
    LAST_ROUND,
    PASS,
    PLACE,
    SIZE,
    SQUARES,
    START_FOOL,
    START_SAGES,
    WINNING_POINTS,
    SevenSagesAction,
    is_oust,
    leaving_square,
    oust_square,
    plain_target,
    rest_square,
)
from tourney.games.seven_sages.moves import OTHER_TOUCH, OWN_TOUCH
from tourney.games.seven_sages.worth import LINE, POINT, RANK, THREAT
from tourney.games.values import LIMIT, SCALE, WIN

_COMPILED = not __file__.endswith(".py")
_CELLS = 289
_WIDTH = 17
_EMPTY, _FOOL, _BORDER = 0, 3, 4
"""What a cell holds; 1 and 2 are the sages of the seats."""
_KINGDOM = 0
"""The terrain of a cell: kingdom, 1 and 2 the seats' cities, 3 barbarian country, 4 the border."""
_MOST = 2560
"""More than the legal actions of any position: 7 sages of 56 plain moves and 8 ousts of 174 squares."""

_PASS, _LAST_PLY, _LAST_ROUND, _WINNING_POINTS = PASS, LAST_PLY, LAST_ROUND, WINNING_POINTS
_OWN_TOUCH, _OTHER_TOUCH = OWN_TOUCH, OTHER_TOUCH
_POINT, _THREAT, _RANK, _LINE = POINT, THREAT, RANK, LINE
_LIMIT, _SCALE, _WIN = LIMIT, SCALE, WIN
_GAMMA, _MULTIPLY_1, _MULTIPLY_2 = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
_MASK = 0xFFFFFFFFFFFFFFFF


def _cell(square: int) -> int:
    return _WIDTH * (square // SIZE + 1) + square % SIZE + 1


def _terrain(square: int) -> int:
    if BARBARIAN >> square & 1:
        return 3
    return 1 if CITIES[1] >> square & 1 else 2 if CITIES[2] >> square & 1 else 0


def _by_cell(values: list[int], other: int) -> list[int]:
    """Return the values of the squares by cell, with another one on the border."""
    table = [other] * _CELLS
    for square, value in enumerate(values):
        table[_cell(square)] = value
    return table


_SQUARE_OF = _by_cell(list(range(len(SQUARES))), 0)
_TERRAIN = _by_cell([_terrain(square) for square in range(len(SQUARES))], 4)
_BLANK = _by_cell([0] * len(SQUARES), 4)
_HEADS = PASS >> 16
_HEAD_CELL = [_cell(leaving_square(head << 16)) for head in range(_HEADS)]
_HEAD_OUSTS = [int(is_oust(head << 16)) for head in range(_HEADS)]
_MOVE_TO_CELL = [_cell(plain_target(place << 8)) for place in range(len(SQUARES))]
_FOOL_CELL = [_cell(oust_square(place << 8)) for place in range(len(SQUARES))]
_REST_CELL = [_cell(rest_square(place)) for place in range(len(SQUARES))]


def _summands(cells: list[int], shift: int) -> list[int]:
    """Return by cell its index in a list of cells, shifted."""
    table = [0] * _CELLS
    for place, cell in enumerate(cells):
        table[cell] = place << shift
    return table


_PLAIN_FROM = _summands([c if not o else 0 for c, o in zip(_HEAD_CELL, _HEAD_OUSTS, strict=True)], 16)
_OUST_FROM = _summands([c if o else 0 for c, o in zip(_HEAD_CELL, _HEAD_OUSTS, strict=True)], 16)
_MOVE_TO = _summands(_MOVE_TO_CELL, 8)
_OUST_AT = _summands(_FOOL_CELL, 8)
_REST_AT = _by_cell(list(PLACE), 0)

_OFFSET = [_WIDTH * files + ranks for files, ranks in DIRECTIONS]
"""By direction, clockwise from north."""
_WAYS = [0, 4, 2, 6, 1, 7, 0, 4, 2, 6, 3, 5]
"""The six directions of plain moves of seat 1, then of seat 2."""
_START = [_cell(square) for sages in START_SAGES for square in sages]
_START_FOOL = _cell(START_FOOL)
_NEAR = 37


def _lines() -> list[int]:
    """Return by difference of cells, plus 36: the offset of neighbours, 100 more if one cell is between."""
    table = [0] * (2 * _NEAR - 1)
    for offset in _OFFSET:
        table[offset + _NEAR - 1] = offset
        table[2 * offset + _NEAR - 1] = 100 + offset
    return table


_LINES = _lines()


def _zeros(length: int) -> list[int]:
    return [0] * length


_STAMP = _zeros(1)
"""Workspace, shared by all scratches: a mark in it counts only if it equals the newest stamp."""
_BARRED = _zeros(_CELLS)
"""By cell: the stamp of the sage that would complete a line there."""
_RESTED = _zeros(_CELLS)
"""By cell: the stamp of the drive that brought the fool there; ``_GOALS`` has a city cell's points."""
_GOALS = _zeros(_CELLS)
_KNOWN = _zeros(8 * _CELLS)
"""By reflection (8 times the cell, plus the heading): the stamp of the drive that had it."""
_STACK = _zeros(8 * _CELLS)
"""Reflections of a drive still to be followed."""
_RESTS = _zeros(_CELLS)
"""The cells that a drive brings the fool to."""
_PAIRS = _zeros(84)
_MOVES = _zeros(_MOST)


def _sort(count: int) -> None:
    """Sort the first moves of ``_MOVES`` (Shell sort with the gaps of Ciura 2001): quicker when compiled."""
    for gap in (132, 57, 23, 10, 4, 1):
        for k in range(gap, count):
            move = _MOVES[k]
            j = k
            while j >= gap and _MOVES[j - gap] > move:
                _MOVES[j] = _MOVES[j - gap]
                j -= gap
            _MOVES[j] = move


class SevenSagesScratch:
    """A position of The Seven Sages; no history counts."""

    def __init__(self) -> None:
        self.seats = 2
        self._board = _zeros(_CELLS)
        self._sages = _zeros(14)
        self._fool = 0
        self._seat = 1
        self._over = 0
        self._red = 0
        self._blue = 0
        self._round = 1
        self._ply = 0
        self._starter = 1
        self._x = 0
        self._count = 0
        self._rest_count = 0
        self._set(_START, _START_FOOL)

    def load(self, state: Any) -> None:
        """Take over a state of the game."""
        at = state.fields
        self._set([_cell(square) for square in (*at.red, *at.blue)], _cell(at.fool))
        self._seat, self._starter = at.seat, at.starter
        self._red, self._blue = at.points
        self._round, self._ply = at.round_, at.ply
        self._over = state.actor == -1

    def copy(self) -> "SevenSagesScratch":
        """Return a new scratch with the same position."""
        found = SevenSagesScratch()
        found.copy_from(self)
        return found

    def copy_from(self, other: "SevenSagesScratch") -> None:
        """Take over the position of another scratch."""
        self._board[:] = other._board
        self._sages[:] = other._sages
        self._fool = other._fool
        self._seat = other._seat
        self._over = other._over
        self._red = other._red
        self._blue = other._blue
        self._round = other._round
        self._ply = other._ply
        self._starter = other._starter

    def _set(self, sages: list[int], fool: int) -> None:
        """Put sages and fool on an empty board."""
        for cell in range(_CELLS):
            self._board[cell] = _BLANK[cell]
        for k in range(14):
            self._sages[k] = sages[k]
            self._board[self._sages[k]] = 1 if k < 7 else 2
        self._fool = fool
        self._board[self._fool] = 3

    def _new_round(self, number: int, starter: int) -> None:
        for k in range(14):
            self._board[self._sages[k]] = 0
        self._board[self._fool] = 0
        for k in range(14):
            self._sages[k] = _START[k]
            self._board[self._sages[k]] = 1 if k < 7 else 2
        self._fool = _START_FOOL
        self._board[self._fool] = 3
        self._round, self._ply = number, 0
        self._seat = self._starter = starter

    def actor(self) -> int:
        """Return the seat to act or OVER."""
        return -1 if self._over else self._seat

    def ranks(self) -> tuple[int, ...] | None:
        """Return the ranks by points, or None while not over."""
        if not self._over:
            return None
        return (1 if self._red >= self._blue else 2, 1 if self._blue >= self._red else 2)

    def actions(self) -> list[int]:
        """List the legal actions, sorted."""
        if self._over:
            return []
        self._list()
        if _COMPILED:
            _sort(self._count)
        found: list[int] = []
        for k in range(self._count):
            found.append(_MOVES[k])
        if not _COMPILED:
            found.sort()
        return found

    def candidates(self) -> list[int]:
        """List the legal actions: all are worth a search."""
        return self.actions()

    def weights(self) -> list[int]:
        """Return nothing: chance never acts."""
        return []

    def encode(self, action: Any) -> Any:
        """Return the code of an action: its value."""
        return int(action)

    def decode(self, code: Any) -> Any:
        """Return the action of a code. Raises ValueError for a code out of range."""
        self._check(code)
        return SevenSagesAction(code)

    def key(self) -> Any:
        """Return sages, fool, points, round and seats, as bytes and an int."""
        counters = self._red + 8 * (self._blue + 8 * (self._round + 16 * (self._seat + 4 * self._starter)))
        return bytes(self._board[:_CELLS]), counters

    def _check(self, code: int) -> None:
        if code < 0 or code > _PASS or (code >> 8 & 255) >= 225 or (code & 255) >= 225:
            raise ValueError(f"{code} is no code of seven-sages")

    def play(self, code: int) -> None:
        """Play a legal action."""
        self._check(code)
        if self._over:
            raise ValueError(f"code {code} cannot be played: the game is over")
        self._play(code)

    def values(self) -> tuple[int, ...]:
        """Return the values as ``SevenSagesHeuristics`` does."""
        red = self._value()
        return red, -red

    def outlook(self, codes: list[int]) -> list[tuple[int, ...]]:
        """Return for each code the values of the position after it."""
        after = self.copy()
        found: list[tuple[int, ...]] = []
        for code in codes:
            after.play(code)
            red = after._value()
            found.append((red, -red))
            after.copy_from(self)
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
        """List the legal actions of the seat to act, by sage, direction and distance."""
        self._count = 0
        seat = self._seat
        first = 0 if seat == 1 else 7
        pairs = self._find_pairs(first)
        home = 0
        for k in range(first, first + 7):
            if _TERRAIN[self._sages[k]] == seat:
                home += 1
        for k in range(first, first + 7):
            cell = self._sages[k]
            if self._bar(cell, pairs, seat):
                self._list_moves(cell, seat, home > 0 and _TERRAIN[cell] != seat)
        fool = self._fool
        for direction in range(8):
            offset = _OFFSET[direction]
            cell = fool + offset
            while self._board[cell] == 0:
                cell += offset
            if self._board[cell] == seat and self._bar(cell, pairs, seat):
                if _BARRED[fool] != _STAMP[0]:
                    self._list_ousts(cell, direction ^ 4, seat)
        if not self._count:
            _MOVES[0] = _PASS
            self._count = 1

    def _list_moves(self, cell: int, seat: int, closed: int) -> None:
        """Add the plain moves of a sage; ``closed`` says that it may not end in its own city."""
        stamp = _STAMP[0]
        count = self._count
        for k in range(6 * seat - 6, 6 * seat):
            offset = _OFFSET[_WAYS[k]]
            target = cell + offset
            while self._board[target] == 0:
                terrain = _TERRAIN[target]
                if terrain != 3 - seat and _BARRED[target] != stamp and not (closed and terrain == seat):
                    _MOVES[count] = _PLAIN_FROM[cell] + _MOVE_TO[target]
                    count += 1
                target += offset
        self._count = count

    def _list_ousts(self, cell: int, heading: int, seat: int) -> None:
        """Add the ousts of a sage with a free line to the fool."""
        self._drive(cell, heading, seat)
        count = self._count
        base = _OUST_FROM[cell] + _OUST_AT[self._fool]
        for k in range(self._rest_count):
            _MOVES[count] = base + _REST_AT[_RESTS[k]]
            count += 1
        self._count = count

    def _find_pairs(self, first: int) -> int:
        """Note pairs of a side's sages, neighbours or with one cell between; return their number.

        Four ints each: the two cells, and two where a third sage completes a line.
        """
        pairs = 0
        for j in range(first + 1, first + 7):
            high = self._sages[j]
            for k in range(first, j):
                low = self._sages[k]
                apart = high - low
                if apart > 36 or apart < -36:
                    continue
                offset = _LINES[apart + 36]
                if not offset:
                    continue
                _PAIRS[pairs] = low
                _PAIRS[pairs + 1] = high
                if offset > 50:
                    _PAIRS[pairs + 2] = _PAIRS[pairs + 3] = low + offset - 100
                else:
                    _PAIRS[pairs + 2] = low - offset
                    _PAIRS[pairs + 3] = high + offset
                pairs += 4
        return pairs // 4

    def _bar(self, cell: int, pairs: int, seat: int) -> int:
        """Mark by a new stamp the cells where this sage completes a line; return 0 if the others have one."""
        _STAMP[0] += 1
        for k in range(0, 4 * pairs, 4):
            if _PAIRS[k] != cell and _PAIRS[k + 1] != cell:
                for third in range(k + 2, k + 4):
                    at = _PAIRS[third]
                    if self._board[at] == seat and at != cell:
                        return 0
                    _BARRED[at] = _STAMP[0]
        return 1

    def _drive(self, cell: int, heading: int, seat: int) -> None:
        """Find where an oust can bring the fool: cells in ``_RESTS``, a city's points in ``_GOALS``."""
        _STAMP[0] += 1
        self._rest_count = 0
        fool = self._fool
        self._board[cell] = 0
        self._board[fool] = seat
        depth = self._walk(fool, heading, seat, 2, 0, 0)
        while depth:
            depth -= 1
            square = _STACK[depth] >> 3
            heading = _STACK[depth] & 7
            points = _OWN_TOUCH if self._board[square + _OFFSET[heading]] == seat else _OTHER_TOUCH
            if square != fool:
                self._rest(square)
                depth = self._walk(square, heading ^ 4, seat, points, 1, depth)
            depth = self._walk(square, (heading + 6) & 7, seat, points, 1, depth)
            depth = self._walk(square, (heading + 2) & 7, seat, points, 1, depth)
        self._board[cell] = seat
        self._board[fool] = 3

    def _walk(self, square: int, heading: int, seat: int, points: int, rests: int, depth: int) -> int:
        """Drive the fool in one direction; return the depth of the stack with a new reflection on it."""
        offset = _OFFSET[heading]
        step = square + offset
        while self._board[step] == 0 and _TERRAIN[step] == 0:
            if rests:
                self._rest(step)
            step += offset
        if self._board[step] == 0:
            if _TERRAIN[step] == 3 - seat:
                if _RESTED[step] != _STAMP[0]:
                    _GOALS[step] = 0
                    self._rest(step)
                if points > _GOALS[step]:
                    _GOALS[step] = points
        elif self._board[step] != 4:
            reflection = (step - offset) * 8 + heading
            if _KNOWN[reflection] != _STAMP[0]:
                _KNOWN[reflection] = _STAMP[0]
                _STACK[depth] = reflection
                return depth + 1
        return depth

    def _rest(self, cell: int) -> None:
        if _RESTED[cell] != _STAMP[0]:
            _RESTED[cell] = _STAMP[0]
            _RESTS[self._rest_count] = cell
            self._rest_count += 1

    def _play(self, code: int) -> None:
        """Play a legal action."""
        seat = self._seat
        if code == _PASS:
            self._end_ply()
            return
        head = code >> 16
        cell = _HEAD_CELL[head]
        fool = self._fool
        target = fool
        points = 0
        if _HEAD_OUSTS[head]:
            rest = _REST_CELL[code & 255]
            if _TERRAIN[rest] == 3 - seat:
                points = self._score(cell, rest, seat)
            self._fool = rest
        else:
            target = _MOVE_TO_CELL[code >> 8 & 255]
        self._board[cell] = 0
        self._board[target] = seat
        self._board[self._fool] = 3
        for k in range(14):
            if self._sages[k] == cell:
                self._sages[k] = target
        if points:
            self._end_round(points)
        else:
            self._end_ply()

    def _score(self, cell: int, rest: int, seat: int) -> int:
        """Return the points of an oust into a city cell."""
        for direction in range(8):
            offset = _OFFSET[direction]
            at = self._fool + offset
            while self._board[at] == 0:
                at += offset
            if at == cell:
                self._drive(cell, direction ^ 4, seat)
                return _GOALS[rest] if _RESTED[rest] == _STAMP[0] else 0
        return 0

    def _end_ply(self) -> None:
        """End an action without a score; the 120th starts the next round."""
        self._ply += 1
        if self._ply < _LAST_PLY:
            self._seat = 3 - self._seat
        elif self._round == _LAST_ROUND:
            self._seat = 3 - self._seat
            self._over = 1
        else:
            self._new_round(self._round + 1, 3 - self._starter)

    def _end_round(self, points: int) -> None:
        """End an action that scored; the other seat begins the next round."""
        seat = self._seat
        if seat == 1:
            self._red += points
        else:
            self._blue += points
        if self._red >= _WINNING_POINTS or self._blue >= _WINNING_POINTS or self._round == _LAST_ROUND:
            self._ply += 1
            self._seat = 3 - seat
            self._over = 1
        else:
            self._new_round(self._round + 1, 3 - seat)

    def _value(self) -> int:
        """Return Red's value; Blue's is its negative."""
        if self._over:
            return 0 if self._red == self._blue else _WIN if self._red > self._blue else -_WIN
        seat = self._seat
        fool = self._fool
        edge = 0
        most = 0
        for direction in range(8):
            offset = _OFFSET[direction]
            cell = fool + offset
            while self._board[cell] == 0:
                cell += offset
            if self._board[cell] == seat:
                edge += _LINE
                self._drive(cell, direction ^ 4, seat)
                most = max(most, self._most_points(seat))
            elif self._board[cell] == 3 - seat:
                edge -= _LINE
        edge += _THREAT * most
        total = _POINT * (self._red - self._blue) + _RANK * (fool % _WIDTH - 8)
        total += edge if seat == 1 else -edge
        return _LIMIT * total // (_SCALE + total) if total >= 0 else -(_LIMIT * -total // (_SCALE - total))

    def _most_points(self, seat: int) -> int:
        """Return the most points that the last drive scores."""
        most = 0
        for k in range(self._rest_count):
            cell = _RESTS[k]
            if _TERRAIN[cell] == 3 - seat and _GOALS[cell] > most:
                most = _GOALS[cell]
        return most
