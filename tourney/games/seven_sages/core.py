"""The rules of The Seven Sages, and what its positions are worth.

The board is bytes with a border: a *cell* is 17 times (file + 1) plus (rank + 1), so that every direction is
one offset and the border ends every walk.

The file is long because a core is one compiled class.
"""

from collections.abc import Hashable

from tourney.games.core_base import ADVANTAGES, COMPILED, MOVES, Core, spread, zeros
from tourney.games.seven_sages import board as seven

_CELLS = 289
_WIDTH = 17
_BORDER = 4
"""Codes of cells: 0 empty, 1 and 2 the seats' sages, 3 the fool, 4 the border.

Its terrain: 0 kingdom, 1 and 2 the seats' cities, 3 barbarian country, 4 the border."""
_PASS = seven.PASS
_WINNING_POINTS = seven.WINNING_POINTS
_LAST_PLY = seven.LAST_PLY
_LAST_ROUND = seven.LAST_ROUND
_OWN_TOUCH = seven.OWN_TOUCH
_OTHER_TOUCH = seven.OTHER_TOUCH
_POINT = 900
_THREAT = 600  # a point that the mover can score at once; the rule of three may still forbid it
_RANK = 20  # a rank that the fool stands nearer to Blue's city
_LINE = 25  # a sage with a free line to the fool


def _cell(square: int) -> int:
    return _WIDTH * (square // seven.SIZE + 1) + square % seven.SIZE + 1


def _terrain(square: int) -> int:
    if seven.BARBARIAN >> square & 1:
        return 3
    return 1 if seven.CITIES[1] >> square & 1 else 2 if seven.CITIES[2] >> square & 1 else 0


_SQUARES = range(len(seven.SQUARES))
_CELL_OF = [_cell(square) for square in _SQUARES]
_NAME_OF = [seven.SQUARES[square] for square in spread(_SQUARES, _CELL_OF, _CELLS)]
"""By cell; of no meaning for the border."""
_TERRAIN = spread([_terrain(square) for square in _SQUARES], _CELL_OF, _CELLS, _BORDER)
_BLANK = spread(zeros(len(_SQUARES)), _CELL_OF, _CELLS, _BORDER)
_HEAD_CELL = [_cell(seven.SQUARE[head.rstrip("-x")]) for head in seven.HEADS]
_HEAD_OUSTS = [int(head.endswith("x")) for head in seven.HEADS]
_FOOL_CELL = [_cell(seven.SQUARE[fool.rstrip(">")]) for fool in seven.FOOLS]
_REST_CELL = [_cell(seven.SQUARE[name]) for name in seven.NAMES]
_MOVE_TO_CELL = _REST_CELL


def _by_head(oust: int) -> list[int]:
    """By cell: the number added to the codes of its plain moves or, with 1, of its ousts."""
    heads = [head for head in range(len(_HEAD_CELL)) if _HEAD_OUSTS[head] == oust]
    return spread([head << 16 for head in heads], [_HEAD_CELL[head] for head in heads], _CELLS)


_PLAIN_FROM = _by_head(0)
_OUST_FROM = _by_head(1)
_MOVE_TO = spread(range(0, len(_REST_CELL) << 8, 1 << 8), _MOVE_TO_CELL, _CELLS)
_OUST_AT = spread(range(0, len(_FOOL_CELL) << 8, 1 << 8), _FOOL_CELL, _CELLS)
_REST_AT = spread(range(len(_REST_CELL)), _REST_CELL, _CELLS)
"""By cell: the summands of codes."""

_OFFSET = [_WIDTH * files + ranks for files, ranks in seven.DIRECTIONS]  # by direction, clockwise from north
_WAYS = [0, 4, 2, 6, 1, 7, 0, 4, 2, 6, 3, 5]  # the six directions of plain moves of seat 1, then of seat 2
_START = [_cell(square) for sages in seven.START_SAGES for square in sages]
_START_FOOL = _cell(seven.START_FOOL)
_NEAR = 37


def _lines() -> list[int]:
    """By difference of cells, plus 36: the offset of neighbours, 100 more if one cell is between."""
    table = [0] * (2 * _NEAR - 1)
    for offset in _OFFSET:
        table[offset + _NEAR - 1] = offset
        table[2 * offset + _NEAR - 1] = 100 + offset
    return table


_LINES = _lines()

_STAMP = zeros(1)  # workspace: a mark in it counts only if it equals the newest stamp
_BARRED = zeros(_CELLS)  # by cell: the stamp of the sage that would complete a line there
_RESTED = zeros(_CELLS)
"""By cell: the stamp of the drive that brought the fool there; ``_GOALS`` has a city cell's points."""
_GOALS = zeros(_CELLS)
_KNOWN = zeros(8 * _CELLS)
"""By reflection (8 times the cell, plus the heading): the stamp of the drive that had it."""
_STACK = zeros(8 * _CELLS)  # reflections of a drive still to be followed
_RESTS = zeros(_CELLS)  # the cells that a drive brings the fool to
_PAIRS = zeros(84)


class SevenSagesCore(Core):
    """A position of The Seven Sages; no history counts.

    When the game is over, ``_seat`` is the seat that did not act last.
    """

    def __init__(self) -> None:
        super().__init__()
        self._board = zeros(_CELLS)
        self._sages = zeros(14)
        self._fool = self._red = self._blue = self._round = self._ply = self._starter = 0
        self._last_ply = _LAST_PLY
        self._rest_count = 0

    def load(self, at: seven.SevenSagesPosition) -> None:
        """Take over a parsed position."""
        self.seats = 2
        for cell in range(_CELLS):
            self._board[cell] = _BLANK[cell]
        for k in range(7):
            self._sages[k] = _cell(at.red[k])
            self._sages[k + 7] = _cell(at.blue[k])
        self._fool = _cell(at.fool)
        self._stand()
        self._seat = at.seat
        self._starter = at.starter
        self._red, self._blue = at.points
        self._round = at.round_
        self._ply = at.ply
        self._last_ply = at.round_actions
        self._over = at.is_over

    def _blank(self) -> "Core":
        return SevenSagesCore.__new__(SevenSagesCore) if COMPILED else SevenSagesCore()

    def copy_from(self, other: "Core") -> None:
        source: SevenSagesCore = other  # type: ignore[assignment] # of the same class
        self.seats = source.seats
        self._seat = source._seat
        self._over = source._over
        self._board[:] = source._board
        self._sages[:] = source._sages
        self._fool = source._fool
        self._red = source._red
        self._blue = source._blue
        self._round = source._round
        self._ply = source._ply
        self._last_ply = source._last_ply
        self._starter = source._starter

    def _settle(self) -> None:
        for first in range(0, 14, 7):
            for k in range(first + 1, first + 7):
                cell = self._sages[k]
                j = k
                while j > first and self._sages[j - 1] > cell:
                    self._sages[j] = self._sages[j - 1]
                    j -= 1
                self._sages[j] = cell

    def _stand(self) -> None:
        """Put sages and fool on an empty board."""
        for k in range(14):
            self._board[self._sages[k]] = 1 if k < 7 else 2
        self._board[self._fool] = 3

    def _new_round(self, number: int, starter: int) -> None:
        for k in range(14):
            self._board[self._sages[k]] = 0
        self._board[self._fool] = 0
        self._sages[:] = _START
        self._fool = _START_FOOL
        self._stand()
        self._round = number
        self._ply = 0
        self._seat = self._starter = starter

    def reason(self) -> str:
        """``points`` if a seat has enough to win, else ``rounds``; empty while not over."""
        if not self._over:
            return ""
        return "points" if max(self._red, self._blue) >= _WINNING_POINTS else "rounds"

    def position(self) -> str:
        """``RED BLUE FOOL SEAT POINTS ROUND PLY STARTER``, and the option if it is not the default."""
        self._settle()  # the order of sages is not part of the position, but it is of the string
        red = ",".join([_NAME_OF[self._sages[k]] for k in range(7)])
        blue = ",".join([_NAME_OF[self._sages[k]] for k in range(7, 14)])
        fool = _NAME_OF[self._fool]
        points = f"{self._red}:{self._blue}"
        option = "" if self._last_ply == _LAST_PLY else f" round-actions={self._last_ply}"
        return f"{red} {blue} {fool} {self._seat} {points} {self._round} {self._ply} {self._starter}{option}"

    def key(self) -> Hashable:
        """Sages, fool, points, round and seats, as bytes and an int; the number of plies is left out."""
        counters = self._red + 8 * (self._blue + 8 * (self._round + 16 * (self._seat + 4 * self._starter)))
        return bytes(self._board[:_CELLS]), counters

    def decode(self, code: int) -> seven.SevenSagesAction:
        self._check(code)
        return seven.SevenSagesAction(code)

    def _check(self, code: int) -> int:
        if code < 0 or code > _PASS or (code >> 8 & 255) >= 225 or (code & 255) >= 225:
            raise ValueError(f"{code} is not a code of seven-sages")
        return 0

    def is_legal(self, code: int) -> bool:
        """Whether an action is legal, by the sage that it moves."""
        if self._over or code < 0 or code >= _PASS:
            return code == _PASS and not self._over and self._is_listed(code, self._list())
        seat = self._seat
        first = 7 * seat - 7
        cell = _HEAD_CELL[code >> 16]
        if self._board[cell] != seat or not self._bar(cell, self._find_pairs(first), seat):
            return False
        count = 0
        if not _HEAD_OUSTS[code >> 16]:
            count = self._list_moves(cell, seat, self._is_home(first, seat), 0)
        elif _BARRED[self._fool] != _STAMP[0]:
            for direction in range(8):
                if self._met(direction) == cell:
                    count = self._list_ousts(cell, direction ^ 4, seat, 0)
        return self._is_listed(code, count)

    def _list(self) -> int:
        """List the legal actions of the seat to act, by sage, direction and distance."""
        count = 0
        seat = self._seat
        first = 7 * seat - 7
        pairs = self._find_pairs(first)
        home = self._is_home(first, seat)
        for k in range(first, first + 7):
            cell = self._sages[k]
            if self._bar(cell, pairs, seat):
                count = self._list_moves(cell, seat, home, count)
        for direction in range(8):
            cell = self._met(direction)
            if self._board[cell] == seat and self._bar(cell, pairs, seat):
                # The oust ends on the fool's square, which must not complete a line of three.
                if _BARRED[self._fool] != _STAMP[0]:
                    count = self._list_ousts(cell, direction ^ 4, seat, count)
        if not count:
            MOVES[0] = _PASS
            return 1
        return count

    def _is_home(self, first: int, seat: int) -> int:
        """Whether a sage of a seat is in its own city; then no other may end there."""
        for k in range(first, first + 7):
            if _TERRAIN[self._sages[k]] == seat:
                return 1
        return 0

    def _met(self, direction: int) -> int:
        """The first cell from the fool on that is not empty, maybe of the border."""
        offset = _OFFSET[direction]
        cell = self._fool + offset
        while self._board[cell] == 0:
            cell += offset
        return cell

    def _list_moves(self, cell: int, seat: int, home: int, count: int) -> int:
        """Add the plain moves of a sage; ``home`` says whether a sage of its seat is in its own city.

        It gets and returns the number of actions listed so far.
        """
        stamp = _STAMP[0]
        # While a sage is in its own city, it may move inside, but no other may enter.
        closed = home and _TERRAIN[cell] != seat
        for k in range(6 * seat - 6, 6 * seat):
            offset = _OFFSET[_WAYS[k]]
            target = cell + offset
            while self._board[target] == 0:
                terrain = _TERRAIN[target]
                if terrain != 3 - seat and _BARRED[target] != stamp and not (closed and terrain == seat):
                    MOVES[count] = _PLAIN_FROM[cell] + _MOVE_TO[target]
                    count += 1
                target += offset
        return count

    def _list_ousts(self, cell: int, heading: int, seat: int, count: int) -> int:
        """Add the ousts of a sage with a free line to the fool."""
        self._drive(cell, heading, seat)
        base = _OUST_FROM[cell] + _OUST_AT[self._fool]
        for k in range(self._rest_count):
            MOVES[count] = base + _REST_AT[_RESTS[k]]
            count += 1
        return count

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
            # A pair with the sage itself is gone once it moves.
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
        # The sage takes the fool's square before the fool moves, so the fool may be driven back against it.
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
            # A drive can go round in circles: each reflection is followed once, which ends the search.
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
        """The points of an oust into a city cell."""
        for direction in range(8):
            if self._met(direction) == cell:
                self._drive(cell, direction ^ 4, seat)
                return _GOALS[rest] if _RESTED[rest] == _STAMP[0] else 0
        return 0

    def _end_ply(self) -> None:
        """End an action without a score; the last of a round starts the next one."""
        self._ply += 1
        if self._ply < self._last_ply:
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

    def _rank(self, seat: int) -> int:
        """Rank seats by their points."""
        mine, theirs = (self._blue, self._red) if seat else (self._red, self._blue)
        return 1 if mine >= theirs else 2

    def _weigh(self) -> None:
        """Compare points, what the mover can score, the fool's rank, and lines to the fool."""
        seat = self._seat
        edge = 0
        most = 0
        for direction in range(8):
            cell = self._met(direction)
            if self._board[cell] == seat:
                edge += _LINE
                self._drive(cell, direction ^ 4, seat)
                for k in range(self._rest_count):
                    if _TERRAIN[_RESTS[k]] == 3 - seat:
                        most = max(most, _GOALS[_RESTS[k]])
            elif self._board[cell] == 3 - seat:
                edge -= _LINE
        edge += _THREAT * most
        total = _POINT * (self._red - self._blue) + _RANK * (self._fool % _WIDTH - 8)
        total += edge if seat == 1 else -edge
        ADVANTAGES[0] = total
        ADVANTAGES[1] = -total
