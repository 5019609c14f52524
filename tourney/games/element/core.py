"""The rules of Element's turns, and the values of its positions.

An action is illegal if it leaves the mover's own sage captured. Most placements cannot do so, because one of
the sage's steps stays open; only *doubtful* ones are tried out. Stones close steps only on their own cells
and the cells of free Fires, except when a range grows, which closes no orthogonal step.

A stone can be placed on any empty square. So a sage with at most as many ways out as its hunter has stones is
in danger, and with the four stones of a coming turn at most four are too few.

The file is long because a core is one compiled class.
"""

from collections.abc import Hashable

from tourney.games.core_base import ADVANTAGES, COMPILED, MOVES, TEXT, WEIGHTS, Core, spread, zeros
from tourney.games.element import board as element
from tourney.games.element.core_board import (
    _BLANK,
    _BORDER,
    _CELL,
    _CELLS,
    _CLEAR,
    _COMPASS,
    _EARTH,
    _EARTHS,
    _FED,
    _FIRE,
    _FIRES,
    _MOUNTAIN,
    _OFFSET,
    _OUTS,
    _SAGE,
    _SQUARES,
    _STEPS,
    _WATER,
    _WATERS,
    _WIDTH,
    _WIND,
    ElementBoard,
)

_DRAWS, _CHANCE, _ACTS, _RIVERS, _FLOWS = range(5)  # the phases, in the order of ``PHASES``
_DRAW_0 = element.DRAW_0
_END = element.END
_JUMP = element.JUMP
_STEP = element.STEP
_FLOW_0 = min(element.FLOW_TO.values())
_RIVER_0 = min(element.RIVER_TO.values())
_CODES = max(element.HANDS) + 1
_STONES = min(element.HANDS)
_MOST_DRAWN = element.MOST_DRAWN
_MOST_STEPS = element.MOST_STEPS
_LAST_TURN = element.LAST_TURN
_LONGEST = element.SIZE  # the most stones of a river
_SQUARE = spread(range(_SQUARES), _CELL, _CELLS)
_ROWS = [
    _WIDTH * (column + 1) + row + 1
    for row in range(element.SIZE - 1, -1, -1)
    for column in range(element.SIZE)
]
"""The cells of rows 11 to 1, from west to east."""
_NAME_OF = [element.SQUARES[square] for square in _SQUARE]  # by cell; of no meaning for the border
_COMPASS_LETTERS = "".join(element.COMPASS)
_DIRECTION_LETTERS = "n e s w "
_LETTERS = [ord(letter) for letter in element.STONE_LETTERS]
_TAKES = [
    int(code in may_take)
    for may_take in (
        (element.EMPTY, element.EARTH, *range(1, element.WHIRLWIND)),
        (element.EMPTY, element.WATER, element.EARTH, element.RANGE_EARTH),
        (element.EMPTY, *range(1, element.WHIRLWIND + 1)),
        (element.EMPTY, element.FIRE),
    )
    for code in range(16)
]
"""By letter and code: whether the stone may be placed there, by the Rule of Replacement."""
_VALID = [int(bool(name)) for name in element.STRINGS]
_SIZES = [
    [code for code, hand in sorted(element.HANDS.items()) if len(hand) == size]
    for size in range(element.MOST_DRAWN + 1)
]
_FIRST_HAND = [sum(map(len, _SIZES[:size])) for size in range(element.MOST_DRAWN + 2)]
"""By number of stones: where its hands begin in the table of outcomes."""
_OUTCOMES = [code for codes in _SIZES for code in codes]
_STONES_OF = [
    element.HANDS[code].count(letter) for code in sorted(element.HANDS) for letter in element.ELEMENTS
]
"""By hand, in the order of codes, and letter: the number of stones."""

_FREEDOM = [-1_000, -600, -450, -330, -240, -140, -70, -25, 0, 10, 20]
"""The worth of a sage's freedom, by its steps and jumps; more than the last count as the last."""
_MOST_WAYS = len(_FREEDOM) - 1
_MOST_JUMPS = 4  # more jumps of a sage count as this many
_DANGER = 700  # when the seat whose turn it is may wall in its prey in this turn
_NEAR = [1, 1, 2, 2]
"""By stone: how near to the prey a placement is that a search considers; fires spread and rivers flow."""
_FEW = 12  # with fewer legal actions than this all are considered

# Workspace
_DOUBT = zeros(8)
_SAVED = zeros(_CELLS)
_WAYS = zeros(4)  # by seat: the freedom of its sage


class ElementCore(ElementBoard):
    """A position of Element; no history counts."""

    def __init__(self) -> None:
        super().__init__()
        self._used = zeros(_CELLS)
        self._used_count = 0
        self._hand = zeros(4)
        self._path = zeros(_LONGEST)
        self._path_length = self._river_length = self._head = self._direction = 0
        self._phase = self._steps = self._turn = self._drawn = 0
        self._captured = 0  # the seats of captured sages, in bits
        self._count = 0  # the actions listed so far

    def load(self, at: element.ElementPosition) -> None:
        """Take over a position; ``at.path`` is a path that its river can flow, or its beginning."""
        self.seats = len(at.sages)
        for cell in range(_CELLS):
            self._board[cell] = _BLANK[cell]
            self._used[cell] = 0
        for square in range(_SQUARES):
            self._board[_CELL[square]] = at.board[square]
        for square in range(_SQUARES):
            if self._board[_CELL[square]] == _MOUNTAIN:
                self._spread_range(_CELL[square])
        for square in at.used:
            self._used[_CELL[square]] = 1
        self._used_count = len(at.used)
        for k in range(4):
            self._sages[k] = _CELL[at.sages[k]] if k < self.seats else 0
            self._hand[k] = at.hand.count(element.ELEMENTS[k])
            self._bag[k] = at.bag[k]
        self._seat = at.seat
        self._steps = at.steps
        self._turn = at.turn
        self._drawn = at.drawn
        self._phase = element.PHASES.index(at.phase)
        self._head = _CELL[at.head] if self._phase >= _RIVERS else 0
        self._direction = element.COMPASS[at.direction] if self._phase == _FLOWS else 0
        self._path_length = self._river_length = 0
        if self._phase == _FLOWS:
            self._river_length = self._run(self._head, self._direction)
            for square in at.path:
                self._path[self._path_length] = _CELL[square]
                self._path_length += 1
        self._look()

    def _blank(self) -> "Core":
        return ElementCore.__new__(ElementCore) if COMPILED else ElementCore()

    def copy_from(self, other: "Core") -> None:
        source: ElementCore = other  # type: ignore[assignment] # of the same class
        self.seats = source.seats
        self._seat = source._seat
        self._over = source._over
        # Used squares are rare: if neither position has any, both arrays are all 0 already.
        if self._used_count or source._used_count:
            self._used[:] = source._used
        self._board[:] = source._board
        self._sages[:] = source._sages
        self._hand[:] = source._hand
        self._bag[:] = source._bag
        for k in range(source._path_length):
            self._path[k] = source._path[k]
        self._used_count = source._used_count
        self._path_length = source._path_length
        self._river_length = source._river_length
        self._head = source._head
        self._direction = source._direction
        self._phase = source._phase
        self._steps = source._steps
        self._turn = source._turn
        self._drawn = source._drawn
        self._captured = source._captured

    # What positions show

    def actor(self) -> int:
        if self._over:
            return -1
        return 0 if self._phase == _CHANCE else self._seat

    def is_captured(self, seat: int) -> bool:
        """Whether a seat's sage has no step and no jump, regardless of steps left and used Wind."""
        return self._is_captured(self._sages[seat - 1]) > 0

    def codes(self) -> bytes:
        """The codes of the squares, ranges included."""
        return bytes([self._board[_CELL[square]] for square in range(_SQUARES)])

    def river(self) -> tuple[int, ...]:
        """The squares of the river that flows, from its headwater on."""
        offset = _OFFSET[self._direction]
        return tuple([_SQUARE[self._head + k * offset] for k in range(self._river_length)])

    def reason(self) -> str:
        """``capture``, or ``length`` after the last turn; empty while not over."""
        if not self._over:
            return ""
        return "capture" if self._captured else "length"

    def position(self) -> str:
        """``BOARD SAGES SEAT PHASE HAND STEPS USED BAG TURN``."""
        end = 0
        for k in range(_SQUARES):
            if k and k % _LONGEST == 0:
                TEXT[end] = 47
                end += 1
            TEXT[end] = _LETTERS[self._board[_ROWS[k]]]
            end += 1
        board = bytes(TEXT[:end]).decode("ascii")
        sages = ",".join([_NAME_OF[self._sages[k]] for k in range(self.seats)])
        hand = "".join([element.ELEMENTS[k] * self._hand[k] for k in range(4)])
        steps = str(self._steps) if self._phase >= _ACTS else "-"
        used = "-"
        if self._used_count:
            used = ",".join([_NAME_OF[cell] for cell in range(_CELLS) if self._used[cell]])
        bag = f"A{self._bag[0]},E{self._bag[1]},F{self._bag[2]},W{self._bag[3]}"
        turn = f"{self._seat} {self._phase_text()} {hand or '-'} {steps}"
        return f"{board} {sages} {turn} {used} {bag} {self._turn}"

    def _phase_text(self) -> str:
        word = element.PHASES[self._phase]
        if self._phase == _CHANCE:
            return f"{word}-{self._drawn}"
        if self._phase < _RIVERS:
            return word
        head = _NAME_OF[self._head]
        if self._phase == _RIVERS:
            return f"{word}-{head}"
        path = ""
        tip = self._head
        for k in range(self._path_length):
            for way in range(4):
                if tip + _OFFSET[_COMPASS[way]] == self._path[k]:
                    path += _COMPASS_LETTERS[way]
            tip = self._path[k]
        return f"{word}-{head}-{_DIRECTION_LETTERS[self._direction]}-{path or '-'}"

    def key(self) -> Hashable:
        """The whole position, as bytes and ints."""
        small = self._seat + 8 * (self._phase + 8 * (self._steps + 8 * (self._turn + 256 * self._drawn)))
        for k in range(4):
            small = 8 * small + self._hand[k]
        small = 8 * (256 * small + self._head) + self._direction
        used = bytes(self._used[:_CELLS]) if self._used_count else b""
        path = tuple([self._path[k] for k in range(self._path_length)])
        return bytes(self._board[:_CELLS]), used, small, path

    def decode(self, code: int) -> element.ElementAction:
        self._check(code)
        return element.ACTIONS[code]

    def _check(self, code: int) -> int:
        if code < 0 or code >= _CODES or not _VALID[code]:
            raise ValueError(f"{code} is not a code of element")
        return 0

    def candidates(self) -> list[int]:
        """List all actions, but of the placements far from the prey only one for each stone."""
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
        """Whether a placement is as near to the prey as its stone needs."""
        cell = _CELL[code & 127]
        columns = abs(cell // _WIDTH - prey // _WIDTH)
        rows = abs(cell % _WIDTH - prey % _WIDTH)
        return 1 if columns <= _NEAR[code >> 7] and rows <= _NEAR[code >> 7] else 0

    def _away(self, code: int, prey: int) -> int:
        """The orthogonal steps from a placement to the prey."""
        cell = _CELL[code & 127]
        return abs(cell // _WIDTH - prey // _WIDTH) + abs(cell % _WIDTH - prey % _WIDTH)

    def _add(self, code: int) -> None:
        MOVES[self._count] = code
        self._count += 1

    def _list(self) -> int:
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
        return self._count

    def _list_outcomes(self) -> None:
        for k in range(_FIRST_HAND[self._drawn], _FIRST_HAND[self._drawn + 1]):
            hand = 4 * (_OUTCOMES[k] - _STONES)
            weight = 1
            for letter in range(4):
                weight *= self._combinations(self._bag[letter], _STONES_OF[hand + letter])
            if weight:
                WEIGHTS[self._count] = weight
                self._add(_OUTCOMES[k])

    def _combinations(self, number: int, drawn: int) -> int:
        """The ways to draw 0 to 4 of a number of stones."""
        product = 1
        for k in range(drawn):
            product = product * (number - k) // (k + 1)
        return product

    def _list_turn(self) -> None:
        """List placements, or else the end of the turn, jumps and steps."""
        sage = self._sages[self._seat - 1]
        steps = self._find_steps(sage)
        for letter in range(4):
            if self._hand[letter]:
                self._list_placements(letter, sage, steps)
        if not self._count:
            self._add(_END)
        for direction in range(8):
            landing = self._landing(sage, direction)
            if landing and not self._is_run_used(sage, direction) and not self._is_captured_at(sage, landing):
                self._add(_JUMP + _SQUARE[landing])
        if self._steps:
            # No step leaves the own sage captured, since it could step back.
            for k in range(steps):
                self._add(_STEP + _SQUARE[_STEPS[k]])

    def _is_run_used(self, sage: int, direction: int) -> int:
        """Whether the run of Winds found last has a used square."""
        if self._used_count:
            cell = sage
            for _ in range(self._length):
                cell += _OFFSET[direction]
                if self._used[cell]:
                    return 1
        return 0

    def _is_captured_at(self, sage: int, landing: int) -> int:
        """Whether the own sage would be captured where it lands."""
        self._board[sage] = 0
        self._board[landing] = _SAGE
        captured = self._is_captured(landing)
        self._board[landing] = 0
        self._board[sage] = _SAGE
        return captured

    def _find_doubts(self, letter: int, sage: int, steps: int) -> int:
        """Note the cells where a stone could leave the own sage captured; return their number.

        Add 16 if besides an Earth that may enlarge a range could, and 32 for any cell.
        """
        if steps == 0:
            return 32
        doubts = 0
        if steps == 1:
            _DOUBT[0] = _STEPS[0]
            doubts = 1
        # A Fire closes its own cell and the cells of at most four free Fires: of six steps one stays open.
        if letter == _FIRES and steps <= 5:
            return self._find_fed(steps)
        if letter == _EARTHS:
            orthogonal = 0
            for direction in range(0, 8, 2):
                if self._board[sage + _OFFSET[direction]] == 0:
                    orthogonal += 1
            if orthogonal == 0:
                return doubts + 16
            if orthogonal == 1:
                _DOUBT[0] = _STEPS[0]
                return 1
        return doubts

    def _is_doubtful(self, doubts: int, cell: int) -> int:
        """Whether a stone on a cell could leave the own sage captured, by what ``_find_doubts`` found."""
        if doubts & 32 or (doubts & 16 and self._may_grow(cell)):
            return 1
        for k in range(doubts & 15):
            if _DOUBT[k] == cell:
                return 1
        return 0

    def _find_fed(self, steps: int) -> int:
        """Note the cells from which a Fire can close all steps; return their number."""
        doubts = self._find_ends(_STEPS[0], _BORDER - 1)
        _DOUBT[0] = _STEPS[0]
        for k in range(doubts):
            _DOUBT[k + 1] = _FED[k]
        doubts += 1
        for k in range(1, steps):
            fed = self._find_ends(_STEPS[k], _BORDER - 1)
            remaining = 0
            for j in range(doubts):
                also = 1 if _DOUBT[j] == _STEPS[k] else 0
                for i in range(fed):
                    if _FED[i] == _DOUBT[j]:
                        also = 1
                if also:
                    _DOUBT[remaining] = _DOUBT[j]
                    remaining += 1
            doubts = remaining
        return doubts

    def _may_grow(self, cell: int) -> int:
        """Whether an Earth on a cell could enlarge a range: as a mountain, or linked to one."""
        if self._board[cell] == _EARTH:
            return 1
        for direction in range(8):
            if self._is_range(cell + _OFFSET[direction]):
                return 1
        return 0

    def _captures_own(self, letter: int, cell: int, sage: int) -> int:
        """Whether a placement leaves the own sage captured, by trying it."""
        # A stone's effects reach far (fires spread, ranges grow), so the whole board is put aside.
        _SAVED[:] = self._board
        airs = self._bag[0]
        earths = self._bag[1]
        fires = self._bag[2]
        waters = self._bag[3]
        self._apply(letter, cell)
        captured = self._is_captured(sage)
        self._board[:] = _SAVED
        self._bag[0] = airs
        self._bag[1] = earths
        self._bag[2] = fires
        self._bag[3] = waters
        return captured

    def _list_placements(self, letter: int, sage: int, steps: int) -> None:
        """List the legal placements of a stone; ``steps`` are the own sage's, as found last."""
        doubts = self._find_doubts(letter, sage, steps)
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
                if not self._is_possible(cell, shortest, sage, steps):
                    continue
            elif doubts and self._is_doubtful(doubts, cell) and self._captures_own(letter, cell, sage):
                continue
            MOVES[count] = base + square
            count += 1
        self._count = count

    def _list_flow(self) -> None:
        """List the directions in which the flow can go on to a full path."""
        sage = self._sages[self._seat - 1]
        self._clear_open()
        for k in range(self._path_length):
            _CLEAR[self._path[k]] = 0
        tip = self._path[self._path_length - 1] if self._path_length else self._head
        left = self._river_length - self._path_length - 1
        for k in range(4):
            cell = tip + _OFFSET[_COMPASS[k]]
            if _CLEAR[cell]:
                outs = self._find_outs(self._head, self._direction, self._river_length, sage)
                remaining = 0
                for j in range(outs):
                    if _OUTS[j] != cell and not self._is_on_path(_OUTS[j]):
                        _OUTS[remaining] = _OUTS[j]
                        remaining += 1
                _CLEAR[cell] = 0
                if self._flows(remaining, cell, left):
                    self._add(_FLOW_0 + k)
                _CLEAR[cell] = 1

    def _is_on_path(self, cell: int) -> int:
        for k in range(self._path_length):
            if self._path[k] == cell:
                return 1
        return 0

    def _play(self, code: int) -> None:
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
        if self._phase == _ACTS:  # not while a river flows, which may wall in a sage and free it again
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
        sage = self._sages[self._seat - 1]
        for direction in range(8):
            if self._landing(sage, direction) == landing:
                cell = sage
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

    def _ways(self, sage: int) -> int:
        """A sage's freedom: its steps, and its jumps as far as they count."""
        steps = self._find_steps(sage)
        jumps = 0
        for direction in range(8):
            if self._landing(sage, direction):
                jumps += 1
        return steps + min(jumps, _MOST_JUMPS)

    def _rank(self, seat: int) -> int:
        """Rank 1 for each seat whose prey is captured, or for all seats after the last turn."""
        winners = 0
        for k in range(self.seats):
            if self._captured >> k & 1:
                winners += 1
        if not winners or self._captured >> (seat + 1) % self.seats & 1:
            return 1
        return 1 + winners

    def _weigh(self) -> None:
        """Compare each seat's freedom with its prey's freedom, and look for danger."""
        for k in range(self.seats):
            _WAYS[k] = self._ways(self._sages[k])
        hunter = self._seat - 1
        stones = self._hand[0] + self._hand[1] + self._hand[2] + self._hand[3]
        if self._phase == _DRAWS:
            stones = _MOST_DRAWN
        elif self._phase == _CHANCE:
            stones = self._drawn
        for seat in range(self.seats):
            prey = (seat + 1) % self.seats
            total = _FREEDOM[min(_WAYS[seat], _MOST_WAYS)] - _FREEDOM[min(_WAYS[prey], _MOST_WAYS)]
            ADVANTAGES[seat] = total
        prey = (hunter + 1) % self.seats
        if _WAYS[prey] <= stones:
            ADVANTAGES[hunter] += _DANGER
            ADVANTAGES[prey] -= _DANGER
