"""The core of Nine-Tile Cyvasse: a ``Scratch`` on bytes per square with a border, walked step by step.

A *cell* is the board's square number plus 14, so that every direction is one offset and squares outside the
board, which hold ``_BORDER``, end every walk. Codes are the actions of ``actions``. Repetitions are counted
by 64-bit hashes of the pieces. It is one long module because one module is compiled: C values (names with an
underscore) are not seen from another one.
"""

from typing import Any

from tourney.games.cyvasse.actions import (
    CAPTURES_FROM,
    DONE,
    MOVES_FROM,
    RIDE_TO,
    TO,
    CyvasseAction,
    lay_king,
    lay_tile,
    put,
)
from tourney.games.cyvasse.board import (
    BIT,
    BY_RANK,
    CROSSBOWS,
    DIRECTIONS,
    DRAGON,
    ELEPHANT,
    FACES,
    HEAVY_HORSE,
    KINDS,
    KING,
    LENGTHS,
    LIGHT_HORSE,
    MOUNTAIN,
    NAMES,
    PLAIN,
    PLANS,
    PUT_ORDER,
    RABBLE,
    SIDE,
    SIZE,
    SLOT,
    SPEARS,
    STRIDE,
    TILES,
    TOWER,
    TREBUCHET,
    UNLAID,
    WATER,
    WIDTH,
    spread,
    squares_of,
)
from tourney.games.cyvasse.state import QUIET_LIMIT, REPETITIONS, TURN_LIMIT, SetUp
from tourney.games.cyvasse.worth import BEST_ROWS, MISPLACED, NEAR_KING, TOWARD_KING, WORTH
from tourney.games.values import LIMIT, SCALE, WIN

_COMPILED = not __file__.endswith(".py")
_CELLS = 145
_SHIFT = 14
_SQUARES = 88
_BORDER = 31
"""The piece outside the board. An empty square holds 0, White's pieces are 1 + kind, Black's 11 + kind."""
_PLAIN, _MOUNTAIN, _WATER, _UNLAID, _OUTSIDE = 0, 1, 2, 3, 4
_GROUND = {PLAIN: _PLAIN, MOUNTAIN: _MOUNTAIN, WATER: _WATER, UNLAID: _UNLAID}
_LAY_KING, _LAY_TILES, _PUT_PIECES, _PLAY = 0, 1, 2, 3
"""The phases."""
_HISTORY = 128
"""More boards than turns without a capture."""
_MOST = 4096

_RABBLE, _SPEARS, _LIGHT, _HORSE, _ELEPHANT = RABBLE, SPEARS, LIGHT_HORSE, HEAVY_HORSE, ELEPHANT
_CROSSBOWS, _TREBUCHET, _DRAGON, _TOWER, _KING = CROSSBOWS, TREBUCHET, DRAGON, TOWER, KING
_ALL_TILES = (1 << len(TILES)) - 1
_PUTS = len(PUT_ORDER)
_QUIET_LIMIT, _TURN_LIMIT, _REPETITIONS = QUIET_LIMIT, TURN_LIMIT, REPETITIONS
_DONE = DONE
_KING_CODE, _TILE_CODE, _PUT_CODE = lay_king(PLANS[1][0].king), lay_tile(0, False), put(BY_RANK[0])
_CODES = 1 << 24
"""Codes of the set-up are not below this."""
_NEAR_KING, _TOWARD_KING, _MISPLACED = NEAR_KING, TOWARD_KING, MISPLACED
_LIMIT, _SCALE, _WIN = LIMIT, SCALE, WIN
_GAMMA, _MULTIPLY_1, _MULTIPLY_2 = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
_MASK = 0xFFFFFFFFFFFFFFFF


def _zeros(length: int) -> list[int]:
    return [0] * length


def _by_cell(values: Any) -> list[int]:
    """Return the values of the squares by cell."""
    table = _zeros(_CELLS)
    for square in BY_RANK:
        table[square + _SHIFT] = values[square]
    return table


def _head_cells() -> list[int]:
    """Return by the prefix of a code: the cell of its origin."""
    cells = _zeros(2 * _SQUARES + 1)
    for square in BY_RANK:
        cells[MOVES_FROM[square] >> 14] = cells[CAPTURES_FROM[square] >> 14] = square + _SHIFT
    return cells


def _head_takes() -> list[int]:
    """Return by the prefix of a code: 1 for a capture."""
    captures = _zeros(2 * _SQUARES + 1)
    for square in BY_RANK:
        captures[CAPTURES_FROM[square] >> 14] = 1
    return captures


def _kings() -> list[int]:
    """Return by the king square's place among the strings of its actions: the seat's plan, 0 to 2."""
    table = _zeros(6)
    for plans in PLANS.values():
        for k, plan in enumerate(plans):
            table[lay_king(plan.king) - _KING_CODE] = k
    return table


def _distances() -> list[int]:
    """Return by the King's cell and another one what a piece there is worth, as the heuristics have it."""
    table = _zeros(_CELLS * _CELLS)
    for king in BY_RANK:
        near = spread(spread(1 << king - 1))
        row = (king + _SHIFT) * _CELLS + _SHIFT
        for worth, mask in ((_TOWARD_KING, spread(spread(near))), (_NEAR_KING, near)):
            for square in squares_of(mask):
                if square < SIZE and NAMES[square]:
                    table[row + square] += worth
    return table


def _rows() -> list[int]:
    """Return by piece and cell what its row costs in the set-up, for White."""
    table = _zeros(21 * _CELLS)
    for kind in range(len(KINDS)):
        for square in BY_RANK:
            row = square // STRIDE
            back = len(LENGTHS) - 1 - row
            table[(1 + kind) * _CELLS + square + _SHIFT] = -_MISPLACED * abs(row - BEST_ROWS[kind])
            table[(11 + kind) * _CELLS + square + _SHIFT] = _MISPLACED * abs(back - BEST_ROWS[kind])
    return table


def _hashes() -> list[int]:
    """Return random 64-bit numbers by piece and cell."""
    found = []
    x = 20261122
    for _ in range(21 * _CELLS):
        x = (x + _GAMMA) & _MASK
        z = ((x ^ (x >> 30)) * _MULTIPLY_1) & _MASK
        z = ((z ^ (z >> 27)) * _MULTIPLY_2) & _MASK
        found.append(z ^ (z >> 31))
    return found


_ORDER = [square + _SHIFT for square in BY_RANK]
"""The cells in the order of their names."""
_BLANK = [0 if 0 <= c - _SHIFT < SIZE and NAMES[c - _SHIFT] else _BORDER for c in range(_CELLS)]
_OFFSET = list(DIRECTIONS)
_NEAR = [c + d if 0 <= c + d < _CELLS and not _BLANK[c + d] else c for c in range(_CELLS) for d in _OFFSET]
"""By cell, six each: its neighbours, and the cell itself for those outside the board."""
_FROM, _TAKES_FROM = _by_cell(MOVES_FROM), _by_cell(CAPTURES_FROM)
_ONTO, _RIDE = _by_cell(TO), _by_cell(RIDE_TO)
_HEAD_CELL, _HEAD_TAKES = _head_cells(), _head_takes()
_PLAN_OF_KING = _kings()
_BOTH = [plan for seat in (1, 2) for plan in PLANS[seat]]
"""The plans of White, then of Black."""
_KING_CELL = [plan.king + _SHIFT for plan in _BOTH]
_LAYS_KING = [lay_king(plan.king) for plan in _BOTH]
_COVERS = [s + _SHIFT for plan in _BOTH for s in plan.covers]
_BLOCKS = [s + _SHIFT for plan in _BOTH for block in plan.blocks for s in block.squares]
_SHAPES = [int(block.shape == "R") for plan in _BOTH for block in plan.blocks]
_FACES = [_GROUND[kind] for face in (*FACES["L"], *FACES["R"]) for kind in face]
_TURNS = [int(face != face[::-1]) for face in (*FACES["L"], *FACES["R"])]
_SIDE = _by_cell([1 if SIDE[1] & BIT[s] else 2 if SIDE[2] & BIT[s] else 0 for s in range(SIZE)])
_PUT_KIND = [SLOT[ord(code)] for code in PUT_ORDER]
_STEPS = [kind.move for kind in KINDS]
_HEAVY = [int(kind.armour == 2) for kind in KINDS]
_BARE = [int(kind.armour == 0) for kind in KINDS]
_ENGAGES = [int(distance in kind.engages) for kind in KINDS for distance in range(5)]
_WORTH = list(WORTH)
_DISTANCES, _ROWS, _HASHES = _distances(), _rows(), _hashes()

_STAMP = _zeros(1)
"""Workspace, shared by all scratches: a mark in it counts only if it equals the newest stamp."""
_MAY = _zeros(_CELLS)
"""By cell, in bits: 1 a move may end there, 2 pieces cross it, 4 a Dragon crosses it, 8 it holds an enemy."""
_TOUCHES = _zeros(1)
"""Whether the last moves listed touched an enemy."""
_HELD = _zeros(_CELLS)
"""By cell: marks the neighbours of enemy Towers."""
_JUDGED = _zeros(_CELLS)
"""By cell: marks the enemies of which ``_ENGAGED`` says whether they are sufficiently engaged."""
_ENGAGED = _zeros(_CELLS)
_SEEN = _zeros(_CELLS)
"""By cell: the walk that came there."""
_WALK = _zeros(1)
_QUEUE = _zeros(_CELLS)
_OWN = _zeros(_CELLS)
"""The cells of the acting seat's pieces."""
_MOVES = _zeros(_MOST)


def _sort(count: int) -> None:
    """Sort the first moves of ``_MOVES`` (Shell sort with the gaps of Ciura 2001): quicker when compiled."""
    for gap in (57, 23, 10, 4, 1):
        for k in range(gap, count):
            move = _MOVES[k]
            j = k
            while j >= gap and _MOVES[j - gap] > move:
                _MOVES[j] = _MOVES[j - gap]
                j -= gap
            _MOVES[j] = move


class CyvasseScratch:
    """A position of Nine-Tile Cyvasse with the hashes of the boards since the last capture."""

    def __init__(self) -> None:
        self.seats = 2
        self._piece = _BLANK[:]
        self._terrain = _zeros(_CELLS)
        self._phase = _LAY_KING
        self._seat = 1
        self._plan = 0
        self._left = _ALL_TILES
        self._placed = 0
        self._rabble = 0
        self._quiet = 0
        self._turn = 0
        self._over = 0
        self._hash = 0
        self._boards = _zeros(_HISTORY)
        self._known = 0
        self._total = 0
        self._white = 0
        self._black = 0
        self._x = 0

    def load(self, state: Any) -> None:
        """Take over a state of the game."""
        for k in range(_CELLS):
            self._piece[k] = _BLANK[k]
            self._terrain[k] = _OUTSIDE
        ground: str = state.ground if isinstance(state, SetUp) else _ground_text(state.ground)
        for square in BY_RANK:
            code = state.board[square]
            self._terrain[square + _SHIFT] = _GROUND[ground[square]]
            if code in SLOT:
                self._piece[square + _SHIFT] = _piece_of(code)
        self._known = self._over = self._plan = self._left = self._placed = 0
        if isinstance(state, SetUp):
            self._load_set_up(state)
            return
        self._phase = _PLAY
        self._seat, self._quiet, self._turn = state.counters
        self._rabble = state.rabble + _SHIFT if state.rabble else 0
        for board in state.boards:
            self._boards[self._known] = _hash_of(board)
            self._known += 1
        self._hash = _hash_of(state.board)
        self._find_kings()
        ranks = state.ranks()
        if ranks is not None:
            self._over = 3 if ranks == (1, 1) else ranks.index(1) + 1

    def _load_set_up(self, state: Any) -> None:
        self._seat, self._placed = state.actor, state.placed
        for tile in state.left:
            self._left |= 1 << (tile - 1)
        self._rabble = self._quiet = self._turn = 0
        self._hash = 0
        if state.plan is None:
            self._phase = _LAY_KING
            return
        self._plan = PLANS[state.actor].index(state.plan)
        self._phase = _LAY_TILES if state.left else _PUT_PIECES

    def copy(self) -> "CyvasseScratch":
        """Return a new scratch with the same position."""
        found = CyvasseScratch()
        found.copy_from(self)
        return found

    def copy_from(self, other: "CyvasseScratch") -> None:
        """Take over the position of another scratch."""
        self._piece[:] = other._piece
        self._terrain[:] = other._terrain
        for k in range(other._known):
            self._boards[k] = other._boards[k]
        self._copy_counters(other)

    def _take_back(self, code: int, before: "CyvasseScratch") -> None:
        """Take over the position before a code was played."""
        if code >= _CODES:
            self.copy_from(before)
            return
        if code != _DONE:
            cell = _HEAD_CELL[code >> 14]
            self._piece[cell] = before._piece[cell]
            for d in range(6):  # a Trebuchet steps away from what it takes
                self._piece[cell + _OFFSET[d]] = before._piece[cell + _OFFSET[d]]
            cell = _ORDER[code >> 7 & 127]
            self._piece[cell] = before._piece[cell]
            if code & 127:
                cell = _ORDER[(code & 127) - 1]
                self._piece[cell] = before._piece[cell]
        self._boards[0] = before._boards[0]
        self._copy_counters(before)

    def _copy_counters(self, other: "CyvasseScratch") -> None:
        self._known = other._known
        self._hash = other._hash
        self._total = other._total
        self._white = other._white
        self._black = other._black
        self._phase = other._phase
        self._seat = other._seat
        self._plan = other._plan
        self._left = other._left
        self._placed = other._placed
        self._rabble = other._rabble
        self._quiet = other._quiet
        self._turn = other._turn
        self._over = other._over

    def actor(self) -> int:
        """Return the seat to act or OVER."""
        return -1 if self._over else self._seat

    def ranks(self) -> tuple[int, ...] | None:
        """Return the ranks, or None while not over."""
        if not self._over:
            return None
        return (2 if self._over == 2 else 1, 2 if self._over == 1 else 1)

    def actions(self) -> list[int]:
        """List the legal actions, sorted."""
        if self._over:
            return []
        count = self._list()
        if _COMPILED:
            _sort(count)
        found: list[int] = []
        for k in range(count):
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
        return CyvasseAction(code)

    def _check(self, code: int) -> None:
        if not (_KING_CODE <= code < _PUT_CODE + _SQUARES or _in_play(code)):
            raise ValueError(f"{code} is no code of cyvasse")

    def key(self) -> Any:
        """Return pieces, terrain, phase and seat; turns and repetitions are left out."""
        counters = self._seat + 4 * (
            self._phase + 4 * (self._rabble + 256 * (self._placed + 32 * self._left))
        )
        return bytes(self._piece[:_CELLS]), bytes(self._terrain[:_CELLS]), counters

    def play(self, code: int) -> None:
        """Play a legal action."""
        self._check(code)
        if (code >= _CODES) != (self._phase < _PLAY) or self._over:
            raise ValueError(f"{code} is no code of this phase of cyvasse")
        if code < _CODES and code != _DONE and self._piece[_HEAD_CELL[code >> 14]] in {0, _BORDER}:
            raise ValueError(f"{code} is the code of a move from an empty square")
        self._play_code(code)

    def values(self) -> tuple[int, ...]:
        """Return the values as ``CyvasseHeuristics`` does."""
        white = self._value()
        return white, -white

    def outlook(self, codes: list[int]) -> list[tuple[int, ...]]:
        """Return for each code the values of the position after it."""
        after = self.copy()
        found: list[tuple[int, ...]] = []
        for code in codes:
            after.play(code)
            white = after._value()
            found.append((white, -white))
            after._take_back(code, self)
        return found

    def playout(self, seed: int, most: int) -> int:
        """Play random actions until the game is over or ``most`` are played; return how many."""
        self._x = seed
        played = 0
        while played < most and not self._over:
            self._play_code(_MOVES[self._draw(self._list())])
            played += 1
        return played

    def trace(self, seed: int, most: int) -> list[int]:
        """Play as ``playout`` does, and return the codes."""
        self._x = seed
        found: list[int] = []
        while len(found) < most and not self._over:
            code = _MOVES[self._draw(self._list())]
            self._play_code(code)
            found.append(code)
        return found

    def _draw(self, total: int) -> int:
        """Return the next random integer below a total."""
        x = (self._x + _GAMMA) & _MASK
        self._x = x
        z = ((x ^ (x >> 30)) * _MULTIPLY_1) & _MASK
        z = ((z ^ (z >> 27)) * _MULTIPLY_2) & _MASK
        return ((z ^ (z >> 31)) >> 32) * total >> 32

    def _list(self) -> int:
        """List the legal actions in ``_MOVES``; return their number."""
        if self._phase < _PLAY:
            return self._list_set_up()
        if self._rabble:
            return self._list_rabble()
        return self._list_turn()

    def _list_set_up(self) -> int:
        count = 0
        seat = self._seat
        if self._phase == _LAY_KING:
            for k in range(3):
                _MOVES[k] = _LAYS_KING[3 * seat - 3 + k]
            return 3
        if self._phase == _LAY_TILES:
            faces = 8 * _SHAPES[self._block()]
            for tile in range(8):
                if self._left >> tile & 1:
                    for turned in range(1 + _TURNS[faces + tile]):
                        _MOVES[count] = _TILE_CODE + 2 * tile + 2 + turned
                        count += 1
            return count
        for k in range(_SQUARES):
            cell = _ORDER[k]
            if _SIDE[cell] == seat and self._terrain[cell] != _MOUNTAIN and self._piece[cell] == 0:
                _MOVES[count] = _PUT_CODE + k
                count += 1
        return count

    def _block(self) -> int:
        """Return the index of the block to be laid, among those of all plans."""
        laid = 8
        for tile in range(8):
            laid -= self._left >> tile & 1
        return 8 * (3 * self._seat - 3 + self._plan) + laid

    def _list_rabble(self) -> int:
        """List ``done`` and the moves of every Rabble but the one that moved."""
        self._mark(10 * self._seat - 10)
        rabble = 10 * self._seat - 9 + _RABBLE
        _MOVES[0] = _DONE
        count = 1
        for k in range(_SQUARES):
            cell = _ORDER[k]
            if self._piece[cell] == rabble and cell != self._rabble:
                count = self._list_steps(cell, count)
        return count

    def _list_turn(self) -> int:
        """List the moves and captures at the start of a turn."""
        base = 10 * self._seat - 10
        own = self._mark(base)
        count = 0
        for k in range(own):
            cell = _OWN[k]
            kind = self._piece[cell] - base - 1
            if kind == _TOWER:
                continue
            _TOUCHES[0] = 0
            if _STEPS[kind] == 1:
                count = self._list_steps(cell, count)
            else:
                count = self._list_walks(cell, _STEPS[kind], 4 if kind == _DRAGON else 2, count)
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
        own = 0
        spears = 0
        for k in range(_SQUARES):
            cell = _ORDER[k]
            piece = self._piece[cell]
            mountain = self._terrain[cell] == _MOUNTAIN
            if piece == 0:
                _MAY[cell] = 4 if mountain else 7
            elif base < piece <= base + 10:
                _MAY[cell] = 6
                _OWN[own] = cell
                own += 1
            else:
                _MAY[cell] = 12
                if piece == 11 - base + _SPEARS:
                    _QUEUE[spears] = cell
                    spears += 1
                elif piece == 11 - base + _TOWER:
                    for d in range(6):
                        _HELD[cell + _OFFSET[d]] = stamp
        ahead = 3 if base == 0 else 2
        for k in range(spears):
            _MAY[_QUEUE[k] + _OFFSET[ahead]] &= 9
            _MAY[_QUEUE[k] + _OFFSET[ahead + 2]] &= 9
        return own

    def _list_steps(self, cell: int, count: int) -> int:
        """Add the moves to empty neighbours."""
        start = _FROM[cell]
        for d in range(6):
            target = cell + _OFFSET[d]
            may = _MAY[target]
            if may & 1:
                _MOVES[count] = start + _ONTO[target]
                count += 1
            elif may & 8:
                _TOUCHES[0] = 1
        return count

    def _list_walks(self, cell: int, steps: int, passes: int, count: int) -> int:
        """Add the moves of up to some steps over squares with a bit of ``_MAY``."""
        start = _FROM[cell]
        seen, may_of, queue = _SEEN, _MAY, _QUEUE
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
                        _MOVES[count] = start + _ONTO[target]
                        count += 1
                    if may & passes:
                        queue[end] = target
                        end += 1
            begin = last
        _TOUCHES[0] = touches & 8
        return count

    def _list_captures(self, cell: int, kind: int, base: int, count: int) -> int:
        """Add the captures along lines, and how horses ride on."""
        start = _TAKES_FROM[cell]
        limit = 2 if kind == _ELEPHANT else _STEPS[kind]
        passes = 4 if kind == _DRAGON else 2
        for d in range(6):
            if kind == _SPEARS and (d < 2 or (d & 1) != (base > 0)):
                continue
            target = cell
            for distance in range(1, limit + 1):
                target += _OFFSET[d]
                may = _MAY[target]
                if may & 8 and self._is_engaged(target, base):
                    _MOVES[count] = start + _ONTO[target]
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
        capture = _MOVES[count - 1]
        target = taken
        for _ in range(steps):
            target += _OFFSET[d]
            may = _MAY[target]
            if may & 1:
                _MOVES[count] = capture + _RIDE[target]
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
                        _MOVES[count] = _TAKES_FROM[cell] + _ONTO[target]
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
                _MOVES[count] = _FROM[cell] + _ONTO[target]
                count += 1
            elif may & 8 and self._is_engaged(target, base):
                _MOVES[count] = _TAKES_FROM[cell] + _ONTO[target]
                count += 1
        return count

    def _is_engaged(self, cell: int, base: int) -> int:
        """Say whether the enemy piece on a cell is sufficiently engaged."""
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
            other = cell
            for distance in range(1, 5):
                other += _OFFSET[d]
                piece = self._piece[other]
                if piece == _BORDER:
                    break
                if base < piece <= base + 10:
                    if self._engages(other, piece - base - 1, distance, d, base, kind == _TOWER):
                        missing -= 1
                        if not missing:
                            return 1
                elif piece != 0:
                    break
                if self._terrain[other] == _MOUNTAIN:
                    break
        return 0

    def _engages(self, cell: int, kind: int, distance: int, d: int, base: int, tower: int) -> int:
        """Say whether an own piece engages an enemy at a distance; ``d`` leads from the enemy to it."""
        if not _ENGAGES[5 * kind + distance] or self._terrain[cell] == _WATER:
            return 0
        if kind == _SPEARS and (d < 2 or (d & 1) == (base > 0)):
            return 0
        return _HELD[cell] != _STAMP[0] or (tower and distance == 1)

    def _play_code(self, code: int) -> None:
        """Play a legal action."""
        if code >= _CODES:
            self._play_set_up(code)
            return
        if code == _DONE:
            self._next_turn(self._quiet + 1)
            return
        cell = _HEAD_CELL[code >> 14]
        end = _ORDER[code >> 7 & 127]
        base = 10 * self._seat - 10
        piece = self._piece[cell]
        if _HEAD_TAKES[code >> 14]:
            taken = self._piece[end]
            self._put(end, taken, 0)
            if piece == base + 1 + _TREBUCHET:
                end = self._behind(cell, end)
            elif code & 127:
                end = _ORDER[(code & 127) - 1]
            self._put(cell, piece, 0)
            self._put(end, 0, piece)
            self._known = 0
            if taken == 11 - base + _KING:
                self._over = self._seat
            self._next_turn(0)
            return
        self._put(cell, piece, 0)
        self._put(end, 0, piece)
        if piece == base + 1 + _RABBLE and not self._rabble and self._can_move_rabble(end, piece):
            self._rabble = end
            return
        self._next_turn(self._quiet + 1)

    def _put(self, cell: int, before: int, after: int) -> None:
        """Replace what a cell holds, with the hash and White's advantage."""
        self._piece[cell] = after
        self._hash ^= _HASHES[before * _CELLS + cell] ^ _HASHES[after * _CELLS + cell]
        if before == 1 + _KING or before == 11 + _KING or after == 1 + _KING or after == 11 + _KING:
            self._white = 0
        elif self._white:
            self._total += self._worth(after, cell) - self._worth(before, cell)

    def _behind(self, cell: int, target: int) -> int:
        """Return the neighbour of a cell away from a target on a line, or the cell itself off the lines."""
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
        """Say whether a Rabble other than the one on a cell can move."""
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

    def _next_turn(self, quiet: int) -> None:
        """Begin the other seat's turn, unless the game is over then."""
        self._seat = 3 - self._seat
        self._rabble = 0
        self._quiet = quiet
        self._turn += 1
        self._begin_turn()

    def _begin_turn(self) -> None:
        """Note the board, and end the game where the rules say so; a captured King has ended it before."""
        self._boards[self._known & (_HISTORY - 1)] = self._hash
        self._known += 1
        if self._over:
            return
        if not self._can_act():
            self._over = 3 - self._seat
        elif self._is_repeated() or self._quiet >= _QUIET_LIMIT or self._turn >= _TURN_LIMIT:
            self._over = 3

    def _can_act(self) -> int:
        base = 10 * self._seat - 10
        for k in range(_SQUARES):
            cell = _ORDER[k]
            piece = self._piece[cell]
            if base < piece <= base + 10 and piece != base + 1 + _TOWER and self._can_step(cell):
                return 1
        return self._list_turn() > 0

    def _is_repeated(self) -> int:
        times = 0
        k = self._known - 1
        while k >= 0:
            if self._boards[k] == self._hash:
                times += 1
            k -= 2
        return times >= _REPETITIONS

    def _play_set_up(self, code: int) -> None:
        base = 10 * self._seat - 10
        if self._phase == _LAY_KING:
            self._plan = _PLAN_OF_KING[(code - _KING_CODE) % 6]
            plan = 3 * self._seat - 3 + self._plan
            for k in range(6):
                self._terrain[_COVERS[6 * plan + k]] = _PLAIN
            self._piece[_KING_CELL[plan]] = base + 1 + _KING
            self._phase = _LAY_TILES
        elif self._phase == _LAY_TILES:
            block = self._block()
            tile = ((code - _TILE_CODE) // 2 - 1) & 7
            face = 4 * (8 * _SHAPES[block] + tile)
            for k in range(4):
                turned = 3 - k if code & 1 else k
                self._terrain[_BLOCKS[4 * block + k]] = _FACES[face + turned]
            self._left &= ~(1 << tile)
            if not self._left:
                self._phase = _PUT_PIECES
                self._placed = 0
        else:
            cell = _ORDER[(code - _PUT_CODE) % _SQUARES if code >= _PUT_CODE else 0]
            self._piece[cell] = base + 1 + _PUT_KIND[self._placed]
            self._placed += 1
            if self._placed == _PUTS:
                self._end_set_up()

    def _end_set_up(self) -> None:
        """Go on with Black's set-up, or begin to play."""
        self._placed = 0
        if self._seat == 1:
            self._phase = _LAY_KING
            self._seat = 2
            self._plan = 0
            self._left = _ALL_TILES
            return
        self._phase = _PLAY
        self._seat = 1
        self._plan = 0
        self._hash = 0
        for k in range(_SQUARES):
            self._hash ^= _HASHES[self._piece[_ORDER[k]] * _CELLS + _ORDER[k]]
        self._known = 0
        self._find_kings()
        self._begin_turn()

    def _value(self) -> int:
        """Return White's value; Black's is its negative."""
        if self._over:
            return 0 if self._over == 3 else _WIN if self._over == 1 else -_WIN
        total = 0
        if self._phase < _PLAY:
            for k in range(_SQUARES):
                total += _ROWS[self._piece[_ORDER[k]] * _CELLS + _ORDER[k]]
        else:
            if not self._white:
                self._find_kings()
            total = self._total
        return _LIMIT * total // (_SCALE + total) if total >= 0 else -(_LIMIT * -total // (_SCALE - total))

    def _worth(self, piece: int, cell: int) -> int:
        """Return what a piece on a cell adds to White's advantage."""
        if piece == 0 or piece == 1 + _KING or piece == 11 + _KING:
            return 0
        if piece <= 10:
            return _WORTH[piece - 1] + _DISTANCES[self._black + cell]
        return -_WORTH[piece - 11] - _DISTANCES[self._white + cell]

    def _find_kings(self) -> None:
        """Find the Kings, and add up White's advantage in play."""
        self._white = 0
        self._black = 0
        for k in range(_SQUARES):
            piece = self._piece[_ORDER[k]]
            if piece == 1 + _KING:
                self._white = _ORDER[k] * _CELLS
            elif piece == 11 + _KING:
                self._black = _ORDER[k] * _CELLS
        self._total = 0
        for k in range(_SQUARES):
            self._total += self._worth(self._piece[_ORDER[k]], _ORDER[k])


def _in_play(code: int) -> bool:
    """Say whether a code is in the range of actions in play."""
    if code == _DONE:
        return True
    inside = 0 <= code >> 14 <= 2 * _SQUARES and (code >> 7 & 127) < _SQUARES and (code & 127) <= _SQUARES
    return 0 <= code < _CODES and inside


def _piece_of(code: int) -> int:
    """Return the piece of a code on the board of a state."""
    slot = SLOT[code]
    return slot + 1 if slot < WIDTH else slot - WIDTH + 11


def _ground_text(ground: Any) -> str:
    """Return a character per square number of a complete terrain."""
    found = []
    for square in range(SIZE):
        bit = 1 << square - 1 if square else 0
        found.append(MOUNTAIN if ground.mountains & bit else WATER if ground.water & bit else PLAIN)
    return "".join(found)


def _hash_of(board: bytes) -> int:
    """Return the hash of a board of a state."""
    found = 0
    for square in BY_RANK:
        piece = _piece_of(board[square]) if board[square] in SLOT else 0
        found ^= _HASHES[piece * _CELLS + square + _SHIFT]
    return found
