"""The core of Element: a ``Scratch`` on a board of bytes with a border, walked square by square.

A *cell* is 13 times (column + 1) plus (row + 1), so that every direction is one offset and the border ends
every walk. What a cell holds is a code of ``board``, or 11 on the border. Codes of actions are those of
``board`` too. Which placements can leave the own sage captured is decided as in ``turn``. It is one long
module because one module is compiled: C values (names with an underscore) are not seen from another one.
"""

from typing import Any

from tourney.games.element.board import (
    ACTIONS,
    COMPASS,
    DIRECTIONS,
    DRAW_0,
    EARTH,
    ELEMENTS,
    END,
    FIRE,
    FLOW_TO,
    HANDS,
    JUMP,
    MOST_DRAWN,
    MOUNTAIN,
    PLACES,
    RANGE_EARTH,
    RIVER_TO,
    SAGE,
    SIZE,
    SQUARES,
    STEP,
    WATER,
    WHIRLWIND,
)
from tourney.games.element.placing import MAY_TAKE
from tourney.games.element.position import ACT, CHANCE, DRAW, FLOW, LAST_TURN, MOST_STEPS, RIVER
from tourney.games.element.worth import DANGER, FEW, FREEDOM, MOST_JUMPS, NEAR
from tourney.games.values import LIMIT, SCALE, WIN

_CELLS = 169
_WIDTH = 13
_BORDER = 11
_WIND, _FIRE, _WATER = WHIRLWIND, FIRE, WATER
_EARTH, _RANGE, _MOUNTAIN, _SAGE = EARTH, RANGE_EARTH, MOUNTAIN, SAGE
"""What a cell holds besides nothing (0) and 1 to 4 Winds."""
_AIRS, _EARTHS, _FIRES, _WATERS = range(4)
_DRAWS, _CHANCE, _ACTS, _RIVERS, _FLOWS = range(5)
"""The phases."""
_PHASES = (DRAW, CHANCE, ACT, RIVER, FLOW)
_DRAW_0, _END, _JUMP, _STEP = DRAW_0, END, JUMP, STEP
_FLOW_0, _RIVER_0 = min(FLOW_TO.values()), min(RIVER_TO.values())
_CODES = max(HANDS) + 1
_STONES = min(HANDS)
_SQUARES = len(SQUARES)
_MOST_DRAWN, _MOST_STEPS, _LAST_TURN = MOST_DRAWN, MOST_STEPS, LAST_TURN
_LONGEST = SIZE
"""The most stones of a river."""
_MOST = 512
"""More than the legal actions of any position."""
_DANGER, _FEW, _MOST_JUMPS, _MOST_WAYS = DANGER, FEW, MOST_JUMPS, len(FREEDOM) - 1
_LIMIT, _SCALE, _WIN = LIMIT, SCALE, WIN
_GAMMA, _MULTIPLY_1, _MULTIPLY_2 = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
_MASK = 0xFFFFFFFFFFFFFFFF


def _zeros(length: int) -> list[int]:
    return [0] * length


_CELL = [_WIDTH * (column + 1) + row + 1 for column, row in PLACES]
"""By square."""


def _by_cell(values: list[int], other: int) -> list[int]:
    """Return the values of the squares by cell, with another one on the border."""
    table = [other] * _CELLS
    for square, value in enumerate(values):
        table[_CELL[square]] = value
    return table


_SQUARE = _by_cell(list(range(_SQUARES)), 0)
_BLANK = _by_cell(_zeros(_SQUARES), _BORDER)
_OFFSET = [_WIDTH * columns + rows for columns, rows in DIRECTIONS]
"""By direction, clockwise from north; those of the compass are even."""
_COMPASS = list(COMPASS.values())


def _rooms() -> list[int]:
    """Return by direction and cell: the squares beyond the cell."""
    table = _zeros(8 * _CELLS)
    for direction, offset in enumerate(_OFFSET):
        for cell in _CELL:
            at = cell + offset
            while _BLANK[at] == 0:
                table[direction * _CELLS + cell] += 1
                at += offset
    return table


_ROOM = _rooms()
_TAKES = [int(code in MAY_TAKE[letter]) for letter in ELEMENTS for code in range(16)]
"""By letter and code: whether the stone may be placed there."""
_VALID = [int(code in ACTIONS) for code in range(_CODES)]
_SIZES = [
    [code for code, hand in sorted(HANDS.items()) if len(hand) == size] for size in range(MOST_DRAWN + 1)
]
_FIRST_HAND = [sum(map(len, _SIZES[:size])) for size in range(MOST_DRAWN + 2)]
"""By number of stones: where its hands begin in the table of outcomes."""
_OUTCOMES = [code for codes in _SIZES for code in codes]
_STONES_OF = [HANDS[code].count(letter) for code in sorted(HANDS) for letter in ELEMENTS]
"""By hand, in the order of codes, and letter: the number of stones."""
_FREEDOM, _NEAR = list(FREEDOM), list(NEAR)

_MOVES = _zeros(_MOST)
"""Workspace, shared by all scratches: the actions listed last."""
_WEIGHTS = _zeros(_MOST)
"""At chance: their weights."""
_STEPS = _zeros(8)
"""The cells of a sage's steps, as listed last."""
_DOUBT = _zeros(8)
_FED = _zeros(4)
_OUTS = _zeros(16)
"""The cells within one step or jump of the own sage."""
_CLEAR = _zeros(_CELLS)
"""By cell: whether a river may flow there; paths being tried are cleared."""
_SAVED = _zeros(_CELLS)
_STACK = _zeros(_CELLS)
_WAYS = _zeros(4)


class ElementScratch:
    """A position of Element; no history counts."""

    def __init__(self) -> None:
        self.seats = 2
        self._board = _by_cell(_zeros(_SQUARES), _BORDER)
        self._used = _zeros(_CELLS)
        self._used_count = 0
        self._sages = _zeros(4)
        self._hand = _zeros(4)
        self._bag = _zeros(4)
        self._path = _zeros(_LONGEST)
        self._path_length = 0
        self._river_length = 0
        self._head = 0
        self._direction = 0
        self._seat = 1
        self._phase = 0
        self._steps = 0
        self._turn = 0
        self._drawn = 0
        self._captured = 0
        self._over = 0
        self._x = 0
        self._count = 0
        self._length = 0

    def load(self, state: Any) -> None:
        """Take over a state of the game."""
        at = state.fields
        self.seats = len(at.sages)
        for cell in range(_CELLS):
            self._board[cell] = _BLANK[cell]
            self._used[cell] = 0
        for square in range(_SQUARES):
            self._board[_CELL[square]] = at.board[square]
        for square in at.used:
            self._used[_CELL[square]] = 1
        self._used_count = len(at.used)
        for k in range(4):
            self._sages[k] = _CELL[at.sages[k]] if k < self.seats else 0
            self._hand[k] = at.hand.count(ELEMENTS[k])
            self._bag[k] = at.bag[k]
        self._seat, self._steps, self._turn, self._drawn = at.seat, at.steps, at.turn, at.drawn
        self._phase = _PHASES.index(at.phase)
        self._head = _CELL[at.head] if self._phase >= _RIVERS else 0
        self._direction = COMPASS[at.direction] if self._phase == _FLOWS else 0
        self._path_length = self._river_length = 0
        if self._phase == _FLOWS:
            self._river_length = len(at.river)
            for square in at.path_squares:
                self._path[self._path_length] = _CELL[square]
                self._path_length += 1
        self._look()

    def copy(self) -> "ElementScratch":
        """Return a new scratch with the same position."""
        found = ElementScratch()
        found.copy_from(self)
        return found

    def copy_from(self, other: "ElementScratch") -> None:
        """Take over the position of another scratch."""
        self.seats = other.seats
        if self._used_count or other._used_count:
            self._used[:] = other._used
        self._board[:] = other._board
        self._sages[:] = other._sages
        self._hand[:] = other._hand
        self._bag[:] = other._bag
        for k in range(other._path_length):
            self._path[k] = other._path[k]
        self._used_count = other._used_count
        self._path_length = other._path_length
        self._river_length = other._river_length
        self._head = other._head
        self._direction = other._direction
        self._seat = other._seat
        self._phase = other._phase
        self._steps = other._steps
        self._turn = other._turn
        self._drawn = other._drawn
        self._captured = other._captured
        self._over = other._over

    def actor(self) -> int:
        """Return the seat to act, CHANCE or OVER."""
        if self._over:
            return -1
        return 0 if self._phase == _CHANCE else self._seat

    def ranks(self) -> tuple[int, ...] | None:
        """Return the ranks, or None while not over."""
        if not self._over:
            return None
        return tuple([self._rank(seat) for seat in range(self.seats)])

    def _rank(self, seat: int) -> int:
        """Return the rank of a seat, from 0: 1 if its prey is captured, or if none is."""
        winners = 0
        for k in range(self.seats):
            if self._captured >> k & 1:
                winners += 1
        if not winners or self._captured >> (seat + 1) % self.seats & 1:
            return 1
        return 1 + winners

    def actions(self) -> list[int]:
        """List the legal actions or outcomes, sorted."""
        if self._over:
            return []
        self._list()
        found = [_MOVES[k] for k in range(self._count)]
        found.sort()
        return found

    def candidates(self) -> list[int]:
        """List all actions but the placements far from the prey, of which one for each stone is kept."""
        legal = self.actions()
        if self._phase != _ACTS or len(legal) < _FEW:
            return legal
        prey = self._sages[self._seat % self.seats]
        farthest = [-1, -1, -1, -1]
        most = [0, 0, 0, 0]
        for code in legal:
            if code < _DRAW_0 and not self._is_near(code, prey):
                away = self._away(code, prey)
                if away > most[code >> 7]:
                    most[code >> 7] = away
                    farthest[code >> 7] = code
        return [
            code
            for code in legal
            if code >= _DRAW_0 or code == farthest[code >> 7] or self._is_near(code, prey)
        ]

    def _is_near(self, code: int, prey: int) -> int:
        """Say whether a placement is as near to the prey as its stone needs."""
        cell = _CELL[code & 127]
        columns = abs(cell // _WIDTH - prey // _WIDTH)
        rows = abs(cell % _WIDTH - prey % _WIDTH)
        return 1 if columns <= _NEAR[code >> 7] and rows <= _NEAR[code >> 7] else 0

    def _away(self, code: int, prey: int) -> int:
        """Return the orthogonal steps from a placement to the prey."""
        cell = _CELL[code & 127]
        return abs(cell // _WIDTH - prey // _WIDTH) + abs(cell % _WIDTH - prey % _WIDTH)

    def weights(self) -> list[int]:
        """Return the ways to draw each outcome; empty for a seat."""
        if self._over or self._phase != _CHANCE:
            return []
        self._list()
        return [_WEIGHTS[k] for k in range(self._count)]

    def encode(self, action: Any) -> Any:
        """Return the action: codes are actions."""
        return int(action)

    def decode(self, code: Any) -> Any:
        """Return the action of a code. Raises ValueError for a code out of range."""
        self._check(code)
        return ACTIONS[code]

    def key(self) -> Any:
        """Return the whole position, as bytes and ints."""
        small = self._seat + 8 * (self._phase + 8 * (self._steps + 8 * (self._turn + 256 * self._drawn)))
        for k in range(4):
            small = 8 * small + self._hand[k]
        small = 8 * (256 * small + self._head) + self._direction
        used = bytes(self._used[:_CELLS]) if self._used_count else b""
        path = tuple([self._path[k] for k in range(self._path_length)])
        return bytes(self._board[:_CELLS]), used, small, path

    def _check(self, code: int) -> None:
        if code < 0 or code >= _CODES or not _VALID[code]:
            raise ValueError(f"{code} is no code of element")

    def play(self, code: int) -> None:
        """Play a legal action."""
        self._check(code)
        self._play(code)

    def values(self) -> tuple[int, ...]:
        """Return the values as ``ElementHeuristics`` does."""
        if not self._over:
            for k in range(self.seats):
                _WAYS[k] = self._ways(self._sages[k])
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
        """Return a random legal action, or an outcome by weight."""
        self._list()
        if self._phase != _CHANCE:
            return _MOVES[self._draw(self._count)]
        total = 0
        for k in range(self._count):
            total += _WEIGHTS[k]
        rest = self._draw(total)
        for k in range(self._count):
            rest -= _WEIGHTS[k]
            if rest < 0:
                return _MOVES[k]
        return _MOVES[0]

    def _draw(self, total: int) -> int:
        """Return the next random integer below a total."""
        x = (self._x + _GAMMA) & _MASK
        self._x = x
        z = ((x ^ (x >> 30)) * _MULTIPLY_1) & _MASK
        z = ((z ^ (z >> 27)) * _MULTIPLY_2) & _MASK
        return ((z ^ (z >> 31)) >> 32) * total >> 32

    # What is legal

    def _add(self, code: int) -> None:
        if self._count < _MOST:
            _MOVES[self._count] = code
            self._count += 1

    def _list(self) -> None:
        """List the legal actions, or the outcomes in their order with their weights."""
        self._count = 0
        if self._phase == _ACTS:
            self._list_turn()
        elif self._phase == _DRAWS:
            left = self._bag[0] + self._bag[1] + self._bag[2] + self._bag[3]
            for number in range(min(_MOST_DRAWN, left) + 1):
                self._add(_DRAW_0 + number)
        elif self._phase == _CHANCE:
            self._list_outcomes()
        elif self._phase == _RIVERS:
            for k in range(4):
                if self._is_open(self._head, _COMPASS[k]):
                    self._add(_RIVER_0 + k)
        else:
            self._list_flow()

    def _list_outcomes(self) -> None:
        for k in range(_FIRST_HAND[self._drawn], _FIRST_HAND[self._drawn + 1]):
            hand = 4 * (_OUTCOMES[k] - _STONES)
            weight = 1
            for letter in range(4):
                weight *= self._combinations(self._bag[letter], _STONES_OF[hand + letter])
            if weight:
                _WEIGHTS[self._count] = weight
                self._add(_OUTCOMES[k])

    def _combinations(self, number: int, drawn: int) -> int:
        """Return the ways to draw 0 to 4 of a number of stones."""
        found = 1
        for k in range(drawn):
            found = found * (number - k) // (k + 1)
        return found

    def _list_turn(self) -> None:
        """List placements, or else the end of the turn, jumps and steps."""
        own = self._sages[self._seat - 1]
        steps = self._find_steps(own)
        for letter in range(4):
            if self._hand[letter]:
                self._list_placements(letter, own, steps)
        if not self._count:
            self._add(_END)
        for direction in range(8):
            landing = self._landing(own, direction)
            if landing and not self._is_run_used(own, direction) and not self._is_captured_at(own, landing):
                self._add(_JUMP + _SQUARE[landing])
        if self._steps:
            # No step leaves the own sage captured, since it could step back.
            for k in range(steps):
                self._add(_STEP + _SQUARE[_STEPS[k]])

    def _is_run_used(self, own: int, direction: int) -> int:
        """Say whether the run of Winds found last has a used square."""
        if self._used_count:
            cell = own
            for _ in range(self._length):
                cell += _OFFSET[direction]
                if self._used[cell]:
                    return 1
        return 0

    def _is_captured_at(self, own: int, landing: int) -> int:
        """Say whether the own sage would be captured where it lands."""
        self._board[own] = 0
        self._board[landing] = _SAGE
        captured = self._is_captured(landing)
        self._board[landing] = 0
        self._board[own] = _SAGE
        return captured

    def _is_range(self, cell: int) -> int:
        return 1 if self._board[cell] == _RANGE or self._board[cell] == _MOUNTAIN else 0

    def _is_barred(self, cell: int, direction: int) -> int:
        """Say whether ranges on both flanks bar a diagonal step."""
        one = cell + _OFFSET[direction - 1]
        two = cell + _OFFSET[direction + 1 & 7]
        return 1 if self._is_range(one) and self._is_range(two) else 0

    def _find_steps(self, sage: int) -> int:
        """Note the cells of a sage's steps, orthogonal ones first; return their number."""
        found = 0
        for direction in range(0, 8, 2):
            if self._board[sage + _OFFSET[direction]] == 0:
                _STEPS[found] = sage + _OFFSET[direction]
                found += 1
        for direction in range(1, 8, 2):
            if self._board[sage + _OFFSET[direction]] == 0 and not self._is_barred(sage, direction):
                _STEPS[found] = sage + _OFFSET[direction]
                found += 1
        return found

    def _landing(self, sage: int, direction: int) -> int:
        """Return where a jump lands, over used or unused Wind, or 0; note the length of the run."""
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
        """Say whether a sage has no step and no jump."""
        for direction in range(8):
            if self._board[sage + _OFFSET[direction]] == 0:
                if not (direction & 1) or not self._is_barred(sage, direction):
                    return 0
        for direction in range(8):
            if self._landing(sage, direction):
                return 0
        return 1

    def _find_doubts(self, letter: int, own: int, steps: int) -> int:
        """Note the cells where a stone could leave the own sage captured; return their number.

        Add 16 if besides an Earth that may enlarge a range could, and 32 for any cell.
        """
        if steps == 0:
            return 32
        doubts = 0
        if steps == 1:
            _DOUBT[0] = _STEPS[0]
            doubts = 1
        if letter == _FIRES and steps <= 5:
            return self._find_fed(steps)
        if letter == _EARTHS:
            orthogonal = 0
            for direction in range(0, 8, 2):
                if self._board[own + _OFFSET[direction]] == 0:
                    orthogonal += 1
            if orthogonal == 0:
                return doubts + 16
            if orthogonal == 1:
                _DOUBT[0] = _STEPS[0]
                return 1
        return doubts

    def _is_doubtful(self, doubts: int, cell: int) -> int:
        """Say whether a stone on a cell could leave the own sage captured, by what ``_find_doubts`` found."""
        if doubts & 32 or (doubts & 16 and self._may_grow(cell)):
            return 1
        for k in range(doubts & 15):
            if _DOUBT[k] == cell:
                return 1
        return 0

    def _clear_open(self) -> None:
        """Mark the cells where a river may flow."""
        for cell in range(_CELLS):
            _CLEAR[cell] = self._board[cell] == 0 or self._board[cell] == _FIRE

    def _list_placements(self, letter: int, own: int, steps: int) -> None:
        """List the legal placements of a stone; ``steps`` are the own sage's, as found last."""
        doubts = self._find_doubts(letter, own, steps)
        if letter == _WATERS:
            self._clear_open()
        count = self._count
        takes = 16 * letter
        base = letter << 7
        for square in range(_SQUARES):
            cell = _CELL[square]
            if not _TAKES[takes + self._board[cell]]:
                continue
            shortest = self._shortest_river(cell) if letter == _WATERS else 0
            if shortest:
                if not self._is_possible(cell, shortest, own, steps):
                    continue
            elif doubts and self._is_doubtful(doubts, cell) and self._captures_own(letter, cell, own):
                continue
            _MOVES[count] = base + square
            count += 1
        self._count = count

    def _find_fed(self, steps: int) -> int:
        """Note the cells from which a Fire can close all steps; return their number."""
        doubts = self._find_feeders(_STEPS[0])
        _DOUBT[0] = _STEPS[0]
        for k in range(doubts):
            _DOUBT[k + 1] = _FED[k]
        doubts += 1
        for k in range(1, steps):
            fed = self._find_feeders(_STEPS[k])
            kept = 0
            for j in range(doubts):
                also = 1 if _DOUBT[j] == _STEPS[k] else 0
                for i in range(fed):
                    if _FED[i] == _DOUBT[j]:
                        also = 1
                if also:
                    _DOUBT[kept] = _DOUBT[j]
                    kept += 1
            doubts = kept
        return doubts

    def _find_feeders(self, target: int) -> int:
        """Note the cells from which a placed Fire sends a free Fire to a cell; return their number."""
        found = 0
        for direction in range(0, 8, 2):
            cell = target + _OFFSET[direction]
            if self._board[cell] == _FIRE:
                while self._board[cell] == _FIRE:
                    cell += _OFFSET[direction]
                if self._board[cell] != _BORDER:
                    _FED[found] = cell
                    found += 1
        return found

    def _may_grow(self, cell: int) -> int:
        """Say whether an Earth on a cell could enlarge a range: as a mountain, or linked to one."""
        if self._board[cell] == _EARTH:
            return 1
        for direction in range(8):
            if self._is_range(cell + _OFFSET[direction]):
                return 1
        return 0

    def _captures_own(self, letter: int, cell: int, own: int) -> int:
        """Say whether a placement leaves the own sage captured, by trying it."""
        _SAVED[:] = self._board
        airs, earths, fires, waters = self._bag[0], self._bag[1], self._bag[2], self._bag[3]
        self._apply(letter, cell)
        captured = self._is_captured(own)
        self._board[:] = _SAVED
        self._bag[0], self._bag[1], self._bag[2], self._bag[3] = airs, earths, fires, waters
        return captured

    # Rivers

    def _run(self, head: int, direction: int) -> int:
        """Return the number of stones of a river: the headwater and the unbroken Water beyond."""
        length = 1
        cell = head + _OFFSET[direction]
        while self._board[cell] == _WATER:
            length += 1
            cell += _OFFSET[direction]
        return length

    def _shortest_river(self, head: int) -> int:
        """Return the number of stones of the shortest river that a Water here forms, or 0."""
        shortest = 0
        for direction in range(0, 8, 2):
            if self._board[head + _OFFSET[direction]] == _WATER:
                length = self._run(head, direction)
                if not shortest or length < shortest:
                    shortest = length
        return shortest

    def _is_possible(self, head: int, shortest: int, own: int, steps: int) -> int:
        """Say whether a Water here has a river with a full path; ``_CLEAR`` is of the board as it stands."""
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
                    possible = self._has_way_out(head, direction, own)
            self._board[head] = before
        _CLEAR[head] = 1
        return possible

    def _is_open(self, head: int, direction: int) -> int:
        """Say whether the river of a direction has a full path; the headwater lies on the board."""
        if self._board[head + _OFFSET[direction]] != _WATER:
            return 0
        self._clear_open()
        return self._has_way_out(head, direction, self._sages[self._seat - 1])

    def _has_way_out(self, head: int, direction: int, own: int) -> int:
        """Say whether a river, whole on the board, has a path that leaves the own sage a way out."""
        length = self._run(head, direction)
        return self._flows(self._find_outs(head, direction, length, own), head, length)

    def _find_outs(self, head: int, direction: int, length: int, own: int) -> int:
        """Note the cells within one step or jump of the own sage after a river has left."""
        for k in range(length):
            self._board[head + k * _OFFSET[direction]] = 0
        outs = 0
        for way in range(8):
            cell = own + _OFFSET[way]
            if self._board[cell] == 0 and (not (way & 1) or not self._is_barred(own, way)):
                _OUTS[outs] = cell
                outs += 1
        for way in range(8):
            cell = self._landing(own, way)
            if cell:
                _OUTS[outs] = cell
                outs += 1
        for k in range(length):
            self._board[head + k * _OFFSET[direction]] = _WATER
        return outs

    def _flows(self, outs: int, tip: int, left: int) -> int:
        """Say whether a path can go on for ``left`` clear cells without covering all of ``_OUTS``."""
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
            found = self._has_path(tip, left)
            _CLEAR[_OUTS[k]] = 1
            if found:
                return 1
        return 0

    def _has_path(self, tip: int, left: int) -> int:
        """Say whether ``left`` clear cells can follow ``tip``."""
        if left <= 0:
            return 1
        for direction in range(0, 8, 2):
            cell = tip + _OFFSET[direction]
            if _CLEAR[cell]:
                _CLEAR[cell] = 0
                found = self._has_path(cell, left - 1)
                _CLEAR[cell] = 1
                if found:
                    return 1
        return 0

    def _list_flow(self) -> None:
        """List the directions in which the flow can go on to a full path."""
        own = self._sages[self._seat - 1]
        self._clear_open()
        for k in range(self._path_length):
            _CLEAR[self._path[k]] = 0
        tip = self._path[self._path_length - 1] if self._path_length else self._head
        left = self._river_length - self._path_length - 1
        for k in range(4):
            cell = tip + _OFFSET[_COMPASS[k]]
            if _CLEAR[cell]:
                outs = self._find_outs(self._head, self._direction, self._river_length, own)
                kept = 0
                for j in range(outs):
                    if _OUTS[j] != cell and not self._is_on_path(_OUTS[j]):
                        _OUTS[kept] = _OUTS[j]
                        kept += 1
                _CLEAR[cell] = 0
                if self._flows(kept, cell, left):
                    self._add(_FLOW_0 + k)
                _CLEAR[cell] = 1

    def _is_on_path(self, cell: int) -> int:
        for k in range(self._path_length):
            if self._path[k] == cell:
                return 1
        return 0

    # Playing

    def _play(self, code: int) -> None:
        """Play a legal action."""
        if code < _DRAW_0:
            self._place(code >> 7, _CELL[code & 127])
        elif code < _END:
            self._drawn = code - _DRAW_0
            self._phase = _CHANCE
            if not self._drawn:
                self._act(0)
        elif code == _END:
            self._end_turn()
        elif code < _JUMP:
            self._flow(_COMPASS[code - _FLOW_0])
        elif code < _RIVER_0:
            self._jump(_CELL[code & 127])
        elif code < _STEP:
            if self._phase == _RIVERS:
                self._direction = _COMPASS[code - _RIVER_0]
                self._begin_flow()
        elif code < _STONES:
            self._steps -= 1
            self._move(_CELL[code & 127])
        else:
            self._act(4 * (code - _STONES) + 1)
        self._look()

    def _look(self) -> None:
        """See whether the game is over."""
        self._captured = 0
        self._over = self._phase == _DRAWS and self._turn >= _LAST_TURN
        if self._phase == _ACTS:
            for k in range(self.seats):
                if k != self._seat - 1 and self._is_captured(self._sages[k]):
                    self._captured |= 1 << k
                    self._over = 1

    def _act(self, hand: int) -> None:
        """Take a hand, by its place in the table plus 1 (0: none), and begin to act."""
        held = 0
        for letter in range(4):
            number = _STONES_OF[hand - 1 + letter] if hand else 0
            self._hand[letter] = number
            self._bag[letter] -= number
            held += number
        self._steps = _MOST_STEPS - held
        self._phase = _ACTS
        self._drawn = 0

    def _end_turn(self) -> None:
        """Put the hand back, and let the next seat draw."""
        for letter in range(4):
            self._bag[letter] += self._hand[letter]
            self._hand[letter] = 0
        if self._used_count:
            for cell in range(_CELLS):
                self._used[cell] = 0
            self._used_count = 0
        self._seat = self._seat % self.seats + 1
        self._phase = _DRAWS
        self._steps = 0
        self._turn += 1

    def _move(self, cell: int) -> None:
        self._board[self._sages[self._seat - 1]] = 0
        self._board[cell] = _SAGE
        self._sages[self._seat - 1] = cell

    def _jump(self, landing: int) -> None:
        """Jump over the run of Winds that leads to a cell, whose squares are used then."""
        own = self._sages[self._seat - 1]
        for direction in range(8):
            if self._landing(own, direction) == landing:
                cell = own
                for _ in range(self._length):
                    cell += _OFFSET[direction]
                    if not self._used[cell]:
                        self._used[cell] = 1
                        self._used_count += 1
        self._move(landing)

    def _place(self, letter: int, cell: int) -> None:
        """Place a stone; a river with one open direction takes it at once."""
        self._hand[letter] -= 1
        self._apply(letter, cell)
        if letter == _FIRES:
            self._forget_used()
        if letter != _WATERS or not self._shortest_river(cell):
            return
        self._head = cell
        ways = 0
        for k in range(4):
            if self._is_open(cell, _COMPASS[k]):
                ways += 1
                self._direction = _COMPASS[k]
        if ways == 1:
            self._begin_flow()
        else:
            self._direction = 0
            self._phase = _RIVERS

    def _forget_used(self) -> None:
        """Squares that lost their Wind are no longer used."""
        if self._used_count:
            for cell in range(_CELLS):
                if self._used[cell] and (self._board[cell] == 0 or self._board[cell] > _WIND):
                    self._used[cell] = 0
                    self._used_count -= 1

    def _begin_flow(self) -> None:
        self._phase = _FLOWS
        self._path_length = 0
        self._river_length = self._run(self._head, self._direction)

    def _flow(self, direction: int) -> None:
        """Add a cell to the path; when it is full, move the river there."""
        tip = self._path[self._path_length - 1] if self._path_length else self._head
        if self._phase != _FLOWS or self._board[tip + _OFFSET[direction]] == _BORDER:
            return
        self._path[self._path_length] = tip + _OFFSET[direction]
        self._path_length += 1
        if self._path_length < self._river_length:
            return
        for k in range(self._river_length):
            self._board[self._head + k * _OFFSET[self._direction]] = 0
        for k in range(self._path_length):
            if self._board[self._path[k]] == _FIRE:
                self._bag[_FIRES] += 1
            self._board[self._path[k]] = _WATER
        self._phase = _ACTS
        self._head = self._direction = 0
        self._path_length = self._river_length = 0

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

    def _spread_fire(self, cell: int) -> None:
        """Put free Fires at the ends of runs of Fire: north, east, south, west, while the bag has some."""
        found = 0
        for direction in range(0, 8, 2):
            at = cell + _OFFSET[direction]
            if self._board[at] == _FIRE:
                while self._board[at] == _FIRE:
                    at += _OFFSET[direction]
                if self._board[at] <= _WIND:
                    _FED[found] = at
                    found += 1
        for k in range(found):
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
        depth = 0
        if linked:
            _STACK[0] = cell
            depth = 1
        while depth:
            depth -= 1
            at = _STACK[depth]
            for direction in range(8):
                other = at + _OFFSET[direction]
                if self._board[other] == _EARTH:
                    self._board[other] = _RANGE
                    _STACK[depth] = other
                    depth += 1

    # Values

    def _ways(self, sage: int) -> int:
        """Return a sage's freedom: its steps, and its jumps as far as they count."""
        found = self._find_steps(sage)
        jumps = 0
        for direction in range(8):
            if self._landing(sage, direction):
                jumps += 1
        return found + min(jumps, _MOST_JUMPS)

    def _value(self, seat: int) -> int:
        """Return the value for a seat, from 0; ``_WAYS`` has the freedom of all sages."""
        if self._over:
            own = self._rank(seat)
            balance = 0
            for other in range(self.seats):
                rank = self._rank(other)
                balance += 1 if rank > own else -1 if rank < own else 0
            # Python rounds a quotient down, C towards 0: the sign is put aside.
            others = self.seats - 1
            return _WIN * balance // others if balance >= 0 else -(_WIN * -balance // others)
        prey = (seat + 1) % self.seats
        total = _FREEDOM[min(_WAYS[seat], _MOST_WAYS)] - _FREEDOM[min(_WAYS[prey], _MOST_WAYS)]
        hunter = self._seat - 1
        stones = self._hand[0] + self._hand[1] + self._hand[2] + self._hand[3]
        if self._phase == _DRAWS:
            stones = _MOST_DRAWN
        elif self._phase == _CHANCE:
            stones = self._drawn
        if _WAYS[(hunter + 1) % self.seats] <= stones:
            if seat == hunter:
                total += _DANGER
            elif seat == (hunter + 1) % self.seats:
                total -= _DANGER
        return _LIMIT * total // (_SCALE + total) if total >= 0 else -(_LIMIT * -total // (_SCALE - total))
