"""The board of Element: steps and jumps of sages, effects of stones, and paths of rivers.

The board is bytes with a border: a *cell* is 13 times (column + 1) plus (row + 1), so that every direction is
one offset and the border ends every walk. A cell has a code of ``board``, or 11 on the border.

A river's path leaves the headwater cell by cell, over different cells that are empty or hold Fire. It is
*full* when it has as many cells as the river and leaves the mover's own sage a way out. A depth-first search
for the first full path is fast: on an open board its first try succeeds, and on a crowded one there are few
tries. A river has at most 11 stones, and the worst board found by annealing visits about 500 cells.
"""

from tourney.games.core_base import Core, spread, zeros
from tourney.games.element import board as element

_CELLS = 169
_WIDTH = 13
_BORDER = 11
_WIND = element.WHIRLWIND
_FIRE = element.FIRE
_WATER = element.WATER
_EARTH = element.EARTH
_RANGE = element.RANGE_EARTH
_MOUNTAIN = element.MOUNTAIN
_SAGE = element.SAGE
"""Codes of cells, besides 0 for an empty one and 1 to 4 for as many Winds."""
_AIRS, _EARTHS, _FIRES, _WATERS = range(4)
_SQUARES = len(element.SQUARES)

_CELL = [_WIDTH * (column + 1) + row + 1 for column, row in element.PLACES]  # by square


_BLANK = spread(zeros(_SQUARES), _CELL, _CELLS, _BORDER)
_OFFSET = [_WIDTH * columns + rows for columns, rows in element.DIRECTIONS]
"""By direction, clockwise from north; the even ones are the compass's."""
_COMPASS = list(element.COMPASS.values())


def _rooms() -> list[int]:
    """By direction and cell: the squares beyond the cell."""
    table = zeros(8 * _CELLS)
    for direction, offset in enumerate(_OFFSET):
        for cell in _CELL:
            at = cell + offset
            while _BLANK[at] == 0:
                table[direction * _CELLS + cell] += 1
                at += offset
    return table


_ROOM = _rooms()

# Workspace
_STEPS = zeros(8)  # the cells of a sage's steps, as listed last
_FED = zeros(4)  # the cells of free Fires, or the ends of their runs
_OUTS = zeros(16)  # the cells within one step or jump of the own sage
_CLEAR = zeros(_CELLS)  # by cell: whether a river may flow there; paths being tried are cleared
_STACK = zeros(_CELLS)


class ElementBoard(Core):
    """The board, the sages and the bag."""

    def __init__(self) -> None:
        super().__init__()
        self._board = zeros(_CELLS)
        self._sages = zeros(4)
        self._bag = zeros(4)
        self._length = 0  # the length of the run of Winds found last

    def _is_range(self, cell: int) -> int:
        return 1 if self._board[cell] == _RANGE or self._board[cell] == _MOUNTAIN else 0

    def _is_barred(self, cell: int, direction: int) -> int:
        """Whether ranges on both flanks bar a diagonal step."""
        left = cell + _OFFSET[direction - 1]
        right = cell + _OFFSET[direction + 1 & 7]
        return 1 if self._is_range(left) and self._is_range(right) else 0

    def _find_steps(self, sage: int) -> int:
        """Note the cells of a sage's steps, orthogonal ones first; return their number."""
        count = 0
        for direction in range(0, 8, 2):
            if self._board[sage + _OFFSET[direction]] == 0:
                _STEPS[count] = sage + _OFFSET[direction]
                count += 1
        for direction in range(1, 8, 2):
            if self._board[sage + _OFFSET[direction]] == 0 and not self._is_barred(sage, direction):
                _STEPS[count] = sage + _OFFSET[direction]
                count += 1
        return count

    def _landing(self, sage: int, direction: int) -> int:
        """The landing cell of a jump over used or unused Wind, or 0; note the length of the run."""
        offset = _OFFSET[direction]
        cell = sage + offset
        if self._board[cell] == 0 or self._board[cell] > _WIND:
            return 0
        if direction & 1 and self._is_barred(sage, direction):
            return 0
        winds = 0
        self._length = 0
        while self._board[cell] > 0 and self._board[cell] <= _WIND:
            winds += self._board[cell]
            self._length += 1
            cell += offset
        if winds >= _ROOM[direction * _CELLS + sage]:
            return 0
        cell = sage + offset * (winds + 1)
        return cell if self._board[cell] == 0 else 0

    def _is_captured(self, sage: int) -> int:
        """Whether a sage has no step and no jump."""
        for direction in range(8):
            if self._board[sage + _OFFSET[direction]] == 0:
                if not (direction & 1) or not self._is_barred(sage, direction):
                    return 0
        for direction in range(8):
            if self._landing(sage, direction):
                return 0
        return 1

    def _apply(self, letter: int, cell: int) -> None:
        """Put a stone on the board and carry out its effect, except a river's."""
        before = self._board[cell]
        if letter == _AIRS:
            if before == _EARTH:
                self._bag[_EARTHS] += 1
                self._board[cell] = 1
            else:
                self._board[cell] = min(before, _WIND - 1) + 1
        elif letter == _EARTHS:
            if before == _WATER:
                self._bag[_WATERS] += 1
            self._add_earth(cell, before)
        elif letter == _FIRES:
            self._bag[_AIRS] += before
            self._board[cell] = _FIRE
            self._spread_fire(cell)
        else:
            if before == _FIRE:
                self._bag[_FIRES] += 1
            self._board[cell] = _WATER

    def _find_ends(self, cell: int, most: int) -> int:
        """Note in ``_FED`` the cells behind the runs of Fire beside a cell: north, east, south, west.

        Only those with a code of at most ``most``; return their number.
        """
        count = 0
        for direction in range(0, 8, 2):
            at = cell + _OFFSET[direction]
            if self._board[at] == _FIRE:
                while self._board[at] == _FIRE:
                    at += _OFFSET[direction]
                if self._board[at] <= most:
                    _FED[count] = at
                    count += 1
        return count

    def _spread_fire(self, cell: int) -> None:
        """Put free Fires at the ends of runs of Fire, while the bag has some."""
        ends = self._find_ends(cell, _WIND)
        for k in range(ends):
            if self._bag[_FIRES] > 0:
                self._bag[_FIRES] -= 1
                self._bag[_AIRS] += self._board[_FED[k]]
                self._board[_FED[k]] = _FIRE

    def _add_earth(self, cell: int, before: int) -> None:
        """Put an Earth on a cell, which makes a mountain of an Earth there, and update the ranges."""
        linked = 1
        if before == _EARTH or before == _RANGE:
            self._board[cell] = _MOUNTAIN
        else:
            linked = 0
            for direction in range(8):
                if self._is_range(cell + _OFFSET[direction]):
                    linked = 1
            self._board[cell] = _RANGE if linked else _EARTH
        if linked:
            self._spread_range(cell)

    def _spread_range(self, cell: int) -> None:
        """Add all Earth linked to a cell of a range to the range."""
        _STACK[0] = cell
        depth = 1
        while depth:
            depth -= 1
            at = _STACK[depth]
            for direction in range(8):
                neighbour = at + _OFFSET[direction]
                if self._board[neighbour] == _EARTH:
                    self._board[neighbour] = _RANGE
                    _STACK[depth] = neighbour
                    depth += 1

    def _clear_open(self) -> None:
        """Mark the cells where a river may flow."""
        for cell in range(_CELLS):
            _CLEAR[cell] = self._board[cell] == 0 or self._board[cell] == _FIRE

    def _run(self, head: int, direction: int) -> int:
        """The number of stones of a river: the headwater and the unbroken Water beyond."""
        length = 1
        cell = head + _OFFSET[direction]
        while self._board[cell] == _WATER:
            length += 1
            cell += _OFFSET[direction]
        return length

    def _shortest_river(self, head: int) -> int:
        """The number of stones of the shortest river that a Water here forms, or 0."""
        shortest = 0
        for direction in range(0, 8, 2):
            if self._board[head + _OFFSET[direction]] == _WATER:
                length = self._run(head, direction)
                if not shortest or length < shortest:
                    shortest = length
        return shortest

    def _is_possible(self, head: int, shortest: int, sage: int, steps: int) -> int:
        """Whether a Water here has a river with a full path; ``_CLEAR`` is of the board as it stands."""
        open_ = 1 if steps > shortest else 0
        for k in range(steps):
            away = abs(_STEPS[k] // _WIDTH - head // _WIDTH) + abs(_STEPS[k] % _WIDTH - head % _WIDTH)
            if away == 0 or away > shortest:
                open_ = 1
        _CLEAR[head] = 0
        possible = 0
        if open_:
            # A step stays open: the path is too short to close all, or one is out of its reach, or one is the
            # headwater's, which the river leaves. Longer rivers need longer paths, so the shortest decides.
            possible = self._has_path(head, shortest)
        else:
            before = self._board[head]
            self._board[head] = _WATER
            for direction in range(0, 8, 2):
                if not possible and self._board[head + _OFFSET[direction]] == _WATER:
                    possible = self._has_way_out(head, direction, sage)
            self._board[head] = before
        _CLEAR[head] = 1
        return possible

    def _is_open(self, head: int, direction: int) -> int:
        """Whether the river of a direction has a full path; the headwater lies on the board."""
        if self._board[head + _OFFSET[direction]] != _WATER:
            return 0
        self._clear_open()
        return self._has_way_out(head, direction, self._sages[self._seat - 1])

    def _has_way_out(self, head: int, direction: int, sage: int) -> int:
        """Whether a river, whole on the board, has a path that leaves the own sage a way out."""
        length = self._run(head, direction)
        return self._flows(self._find_outs(head, direction, length, sage), head, length)

    def _find_outs(self, head: int, direction: int, length: int, sage: int) -> int:
        """Note the cells within one step or jump of the own sage after a river has left."""
        for k in range(length):
            self._board[head + k * _OFFSET[direction]] = 0
        outs = 0
        for way in range(8):
            cell = sage + _OFFSET[way]
            if self._board[cell] == 0 and (not (way & 1) or not self._is_barred(sage, way)):
                _OUTS[outs] = cell
                outs += 1
        for way in range(8):
            cell = self._landing(sage, way)
            if cell:
                _OUTS[outs] = cell
                outs += 1
        for k in range(length):
            self._board[head + k * _OFFSET[direction]] = _WATER
        return outs

    def _flows(self, outs: int, tip: int, left: int) -> int:
        """Whether a path can go on for ``left`` clear cells without covering all of ``_OUTS``."""
        if not outs:
            return 0
        covered = 1 if outs <= left else 0
        for k in range(outs):
            if not _CLEAR[_OUTS[k]]:
                covered = 0
        if not covered:
            return self._has_path(tip, left)
        for k in range(outs):
            _CLEAR[_OUTS[k]] = 0
            flows = self._has_path(tip, left)
            _CLEAR[_OUTS[k]] = 1
            if flows:
                return 1
        return 0

    def _has_path(self, tip: int, left: int) -> int:
        """Whether ``left`` clear cells can follow ``tip``."""
        if left <= 0:
            return 1
        for direction in range(0, 8, 2):
            cell = tip + _OFFSET[direction]
            if _CLEAR[cell]:
                _CLEAR[cell] = 0
                continues = self._has_path(cell, left - 1)
                _CLEAR[cell] = 1
                if continues:
                    return 1
        return 0
