"""The moves of Nine-Tile Cyvasse on bytes per square with a border, walked step by step.

A *cell* is the board's square number plus 14, so that every direction is one offset and squares outside the
board, which hold ``_BORDER``, end every walk. A piece that enters the front squares of enemy Spears stops
there. A piece on water engages nothing; one next to enemy Towers engages only those Towers, at distance 1.
"""

from tourney.games.core_base import MOVES, Core, spread, zeros
from tourney.games.cyvasse import board as cyvasse

_CELLS = 145
_SHIFT = 14
_SQUARES = 88
_BORDER = 31
"""The piece outside the board. An empty square holds 0, White's pieces are 1 + kind, Black's 11 + kind."""
_PLAIN, _MOUNTAIN, _WATER, _UNLAID, _OUTSIDE = 0, 1, 2, 3, 4
_RABBLE, _SPEARS, _LIGHT, _HORSE, _ELEPHANT, _CROSSBOWS, _TREBUCHET, _DRAGON, _TOWER, _KING = range(10)
"""The kinds, in the order of ``KINDS``."""
_DONE = cyvasse.DONE


_ORDER = [square + _SHIFT for square in cyvasse.BY_RANK]  # the cells in the order of their names
_BLANK = spread(zeros(_SQUARES), _ORDER, _CELLS, _BORDER)
_OFFSET = list(cyvasse.DIRECTIONS)
_NEAR = [c + d if 0 <= c + d < _CELLS and not _BLANK[c + d] else c for c in range(_CELLS) for d in _OFFSET]
"""By cell, six each: its neighbours, and the cell itself for those outside the board."""
_ALL_CELLS = range(_SHIFT, _SHIFT + cyvasse.SIZE)  # of square numbers, also of those that are not squares
_FROM = spread(cyvasse.MOVES_FROM, _ALL_CELLS, _CELLS)
_TAKES_FROM = spread(cyvasse.CAPTURES_FROM, _ALL_CELLS, _CELLS)
_ONTO = spread(cyvasse.TO, _ALL_CELLS, _CELLS)
_RIDE = spread(cyvasse.RIDE_TO, _ALL_CELLS, _CELLS)
_REACH = [kind.move for kind in cyvasse.KINDS]
_HEAVY = [int(kind.armour == 2) for kind in cyvasse.KINDS]
_BARE = [int(kind.armour == 0) for kind in cyvasse.KINDS]
_ENGAGES = [int(distance in kind.engages) for kind in cyvasse.KINDS for distance in range(5)]

# Workspace
_STAMP = zeros(1)  # a mark in the workspace counts only if it equals the newest stamp
_MAY = zeros(_CELLS)
"""By cell, in bits: 1 a move may end there, 2 pieces cross it, 4 a Dragon crosses it, 8 it holds an enemy."""
_TOUCHES = zeros(1)  # whether the last moves listed touched an enemy
_HELD = zeros(_CELLS)  # by cell: marks the neighbours of enemy Towers
_JUDGED = zeros(_CELLS)
"""By cell: marks the enemies of which ``_ENGAGED`` says whether they are sufficiently engaged."""
_ENGAGED = zeros(_CELLS)
_SEEN = zeros(_CELLS)  # by cell: the walk that came there
_WALK = zeros(1)
_QUEUE = zeros(_CELLS)
_OWN = zeros(_CELLS)  # the cells of the acting seat's pieces


class CyvasseBoard(Core):
    """The terrain and the pieces in play."""

    def __init__(self) -> None:
        super().__init__()
        self._piece = zeros(_CELLS)
        self._terrain = zeros(_CELLS)
        self._rabble = 0  # the cell of the Rabble that moved first in this turn, or 0

    def _list_rabble(self) -> int:
        """List ``done`` and the moves of every Rabble except the one that moved first."""
        self._mark(10 * self._seat - 10)
        rabble = 10 * self._seat - 9 + _RABBLE
        MOVES[0] = _DONE
        count = 1
        for k in range(_SQUARES):
            cell = _ORDER[k]
            if self._piece[cell] == rabble and cell != self._rabble:
                count = self._list_steps(cell, count)
        return count

    def _list_turn(self) -> int:
        """List the moves and captures at the start of a turn."""
        base = 10 * self._seat - 10
        pieces = self._mark(base)
        count = 0
        for k in range(pieces):
            count = self._list_piece(_OWN[k], base, count)
        return count

    def _list_piece(self, cell: int, base: int, count: int) -> int:
        """Add the moves and captures of a piece.

        Each of these functions gets and returns the number of actions listed so far.
        """
        kind = self._piece[cell] - base - 1
        if kind == _TOWER:
            return count
        _TOUCHES[0] = 0
        if _REACH[kind] == 1:
            count = self._list_steps(cell, count)
        else:
            count = self._list_walks(cell, _REACH[kind], 4 if kind == _DRAGON else 2, count)
        if kind == _TREBUCHET:
            count = self._list_shots(cell, base, count)
        elif kind == _ELEPHANT or (_TOUCHES[0] and kind != _CROSSBOWS):
            count = self._list_captures(cell, kind, base, count)
        if kind == _KING:
            count = self._list_over_towers(cell, base, count)
        return count

    def _mark(self, base: int) -> int:
        """Fill in ``_MAY``, mark Towers with a new stamp, and note the own pieces; return their number."""
        _STAMP[0] += 1
        stamp = _STAMP[0]
        pieces = 0
        spears = 0
        for k in range(_SQUARES):
            cell = _ORDER[k]
            piece = self._piece[cell]
            mountain = self._terrain[cell] == _MOUNTAIN
            if piece == 0:
                _MAY[cell] = 4 if mountain else 7
            elif base < piece <= base + 10:
                _MAY[cell] = 6
                _OWN[pieces] = cell
                pieces += 1
            else:
                _MAY[cell] = 12
                if piece == 11 - base + _SPEARS:
                    _QUEUE[spears] = cell
                    spears += 1
                elif piece == 11 - base + _TOWER:
                    for d in range(6):
                        _HELD[cell + _OFFSET[d]] = stamp
        ahead = 3 if base == 0 else 2
        # Front squares of enemy Spears: a move may end there or capture, but nothing passes. The bits 1 and 8
        # stay. This comes last because every square must have its bits before.
        for k in range(spears):
            _MAY[_QUEUE[k] + _OFFSET[ahead]] &= 9
            _MAY[_QUEUE[k] + _OFFSET[ahead + 2]] &= 9
        return pieces

    def _list_steps(self, cell: int, count: int) -> int:
        """Add the moves to empty neighbours."""
        start = _FROM[cell]
        for d in range(6):
            target = cell + _OFFSET[d]
            may = _MAY[target]
            if may & 1:
                MOVES[count] = start + _ONTO[target]
                count += 1
            elif may & 8:
                _TOUCHES[0] = 1
        return count

    def _list_walks(self, cell: int, steps: int, passes: int, count: int) -> int:
        """Add the moves of up to some steps over squares with a bit of ``_MAY``."""
        start = _FROM[cell]
        seen = _SEEN
        may_of = _MAY
        queue = _QUEUE
        _WALK[0] += 1
        walk = _WALK[0]
        seen[cell] = walk
        queue[0] = cell
        begin = 0
        end = 1
        touches = 0
        for _ in range(steps):
            last = end
            for k in range(begin, last):
                near = 6 * queue[k]
                for target in _NEAR[near : near + 6]:
                    if seen[target] == walk:
                        continue
                    seen[target] = walk
                    may = may_of[target]
                    touches |= may
                    if may & 1:
                        MOVES[count] = start + _ONTO[target]
                        count += 1
                    if may & passes:
                        queue[end] = target
                        end += 1
            begin = last
        _TOUCHES[0] = touches & 8
        return count

    def _list_captures(self, cell: int, kind: int, base: int, count: int) -> int:
        """Add the captures along lines, and the rides of horses after them."""
        start = _TAKES_FROM[cell]
        limit = 2 if kind == _ELEPHANT else _REACH[kind]
        passes = 4 if kind == _DRAGON else 2
        for d in range(6):
            if kind == _SPEARS and (d < 2 or (d & 1) != (base > 0)):
                continue
            target = cell
            for distance in range(1, limit + 1):
                target += _OFFSET[d]
                may = _MAY[target]
                if may & 8 and self._is_engaged(target, base):
                    MOVES[count] = start + _ONTO[target]
                    count += 1
                    if kind == _LIGHT or kind == _HORSE:
                        count = self._list_rides(target, d, limit - distance, count)
                if not may & passes or (kind == _ELEPHANT and not may & 1):
                    break
        return count

    def _list_rides(self, taken: int, d: int, steps: int, count: int) -> int:
        """Add the ends of a ride beyond a captured piece; the capture is the last of ``_MOVES``."""
        if not _MAY[taken] & 4:
            return count
        capture = MOVES[count - 1]
        target = taken
        for _ in range(steps):
            target += _OFFSET[d]
            may = _MAY[target]
            if may & 1:
                MOVES[count] = capture + _RIDE[target]
                count += 1
            if not may & 2:
                break
        return count

    def _list_shots(self, cell: int, base: int, count: int) -> int:
        """Add the Trebuchet's captures, each with a step away."""
        if self._terrain[cell] == _WATER or _HELD[cell] == _STAMP[0]:
            return count
        for d in range(6):
            if not _MAY[cell + _OFFSET[d ^ 1]] & 1:
                continue
            target = cell
            for distance in range(1, 5):
                target += _OFFSET[d]
                if _MAY[target] & 8:
                    if distance > 1 and self._is_engaged(target, base):
                        MOVES[count] = _TAKES_FROM[cell] + _ONTO[target]
                        count += 1
                    break
                if self._terrain[target] == _MOUNTAIN or self._terrain[target] == _OUTSIDE:
                    break
        return count

    def _list_over_towers(self, cell: int, base: int, count: int) -> int:
        """Add the King's moves and captures over his Towers."""
        for d in range(6):
            over = cell + _OFFSET[d]
            if self._piece[over] != base + 1 + _TOWER or not _MAY[over] & 2:
                continue
            target = over + _OFFSET[d]
            may = _MAY[target]
            if may & 1:
                MOVES[count] = _FROM[cell] + _ONTO[target]
                count += 1
            elif may & 8 and self._is_engaged(target, base):
                MOVES[count] = _TAKES_FROM[cell] + _ONTO[target]
                count += 1
        return count

    def _is_engaged(self, cell: int, base: int) -> int:
        """Whether the enemy piece on a cell is sufficiently engaged."""
        # Many pieces reach the same enemy, so each is judged once for each list.
        if _JUDGED[cell] != _STAMP[0]:
            _JUDGED[cell] = _STAMP[0]
            _ENGAGED[cell] = self._judge(cell, base)
        return _ENGAGED[cell]

    def _judge(self, cell: int, base: int) -> int:
        kind = (self._piece[cell] - 1) % 10
        if _BARE[kind]:
            return 1
        missing = 1 + _HEAVY[kind]
        for d in range(6):
            square = cell
            for distance in range(1, 5):
                square += _OFFSET[d]
                piece = self._piece[square]
                if piece == _BORDER:
                    break
                if base < piece <= base + 10:
                    if self._engages(square, piece - base - 1, distance, d, base, kind == _TOWER):
                        missing -= 1
                        if not missing:
                            return 1
                elif piece != 0:
                    break
                if self._terrain[square] == _MOUNTAIN:
                    break
        return 0

    def _engages(self, cell: int, kind: int, distance: int, d: int, base: int, tower: int) -> int:
        """Whether an own piece engages an enemy at a distance; ``d`` leads from the enemy to it."""
        if not _ENGAGES[5 * kind + distance] or self._terrain[cell] == _WATER:
            return 0
        if kind == _SPEARS and (d < 2 or (d & 1) == (base > 0)):
            return 0
        return _HELD[cell] != _STAMP[0] or (tower and distance == 1)

    def _behind(self, cell: int, target: int) -> int:
        """The next cell on the line from a target through a cell; the cell itself if there is no line."""
        for d in range(6):
            at = cell
            for _ in range(4):
                at += _OFFSET[d]
                if self._terrain[at] == _OUTSIDE:
                    break
                if at == target and self._terrain[cell + _OFFSET[d ^ 1]] != _OUTSIDE:
                    return cell + _OFFSET[d ^ 1]
        return cell

    def _can_move_rabble(self, first: int, rabble: int) -> int:
        """Whether a Rabble other than the one on a cell can move."""
        for k in range(_SQUARES):
            cell = _ORDER[k]
            if self._piece[cell] == rabble and cell != first:
                if self._can_step(cell):
                    return 1
        return 0

    def _can_step(self, cell: int) -> int:
        for d in range(6):
            target = cell + _OFFSET[d]
            if self._piece[target] == 0 and self._terrain[target] != _MOUNTAIN:
                return 1
        return 0

    def _can_act(self) -> int:
        base = 10 * self._seat - 10
        for k in range(_SQUARES):
            cell = _ORDER[k]
            piece = self._piece[cell]
            if base < piece <= base + 10 and piece != base + 1 + _TOWER and self._can_step(cell):
                return 1
        return self._list_turn() > 0
