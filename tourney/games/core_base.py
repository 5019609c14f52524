"""The base of every core: what a core offers, its random numbers, and the scale of values.

A *core* is one mutable position of machine words, with the rules of its game and its values for a search.
States hold one each and never change it (``tourney.games.core_game``); a search plays in copies. Actions are
*codes*, ints from 0 to 2**62, here and in ``State``; a code's meaning does not depend on the position.

This source and a game's own (``tourney/games/GAME/core*.py``) are compiled as one module, with the C types
of the ``.pxd`` files beside them; without a compiler they run as they stand. See ``tourney.games.compiled``.
So a core imports nothing but constants, numbers must fit the machine's words, and files are long.

Randomness is SplitMix64 (Steele, Lea and Flood 2014), compiled or plain the same. A playout starts with
``x = seed``, from 0 to 2**64 - 1. A draw below ``total`` (at most 2**32) is::

    x = x + 0x9E3779B97F4A7C15
    z = x;  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;  z = (z ^ z >> 27) * 0x94D049BB133111EB
    draw = ((z ^ z >> 31) >> 32) * total >> 32

all modulo 2**64.
"""

from collections.abc import Hashable, Iterable, Sequence
from operator import itemgetter
from typing import Any, TypeVar

S = TypeVar("S")
"""The class of a game's states."""

COMPILED = not __file__.endswith(".py")

WIN = 600_000
"""The value of a win against all others. Divisible by 2 and 3, so that shares of several seats are whole."""
LIMIT = 500_000
"""A position that is not over has a value between -LIMIT and LIMIT."""
SCALE = 1_000
"""The advantage that is worth half of LIMIT: "clearly better"."""

Values = tuple[int, ...]
"""A value per seat, in seat order."""

_GAMMA = 0x9E3779B97F4A7C15
_MULTIPLY_1 = 0xBF58476D1CE4E5B9
_MULTIPLY_2 = 0x94D049BB133111EB
_MASK = 0xFFFFFFFFFFFFFFFF


def squash(advantage: int) -> int:
    """Map an advantage of any size to a value: ``LIMIT * x / (|x| + SCALE)``, rounded towards 0."""
    if advantage < 0:
        return -(LIMIT * -advantage // (SCALE - advantage))
    return LIMIT * advantage // (SCALE + advantage)


def results(ranks: Sequence[int]) -> Values:
    """Values of a finished game: ``WIN * (seats worse - seats better) / (seats - 1)``."""
    others = max(len(ranks) - 1, 1)
    return tuple(
        WIN * (sum(rank > mine for rank in ranks) - sum(rank < mine for rank in ranks)) // others
        for mine in ranks
    )


def _mix(x: int) -> int:
    """SplitMix64's output for a state."""
    z = ((x ^ (x >> 30)) * _MULTIPLY_1) & _MASK
    z = ((z ^ (z >> 27)) * _MULTIPLY_2) & _MASK
    return z ^ (z >> 31)


def random_words(seed: int, count: int) -> list[int]:
    """Random integers of 64 bits, for tables."""
    return [_mix((seed + k * _GAMMA) & _MASK) for k in range(1, count + 1)]


def zeros(length: int) -> list[int]:
    """An array; compiled, it is one of machine words."""
    return [0] * length


def spread(values: Iterable[int], cells: Sequence[int], size: int, other: int = 0) -> list[int]:
    """A table of ``size`` cells: values at some of them, and another one elsewhere."""
    table = [other] * size
    for cell, value in zip(cells, values, strict=True):
        table[cell] = value
    return table


# Workspace, shared by all cores of a process: valid until the next call of a core.
MOVES = zeros(4096)
"""The codes listed last."""
WEIGHTS = zeros(512)
"""At chance: their weights."""
ADVANTAGES = zeros(4)
"""By seat, from 0: its advantage in the position valued last."""
TEXT = zeros(512)
"""Characters of a position string."""


def _sort_moves(count: int) -> None:
    """Sort the first of ``MOVES``: Shell sort with the gaps of Ciura 2001."""
    # Compiled, ``MOVES`` is a C array: Python's sort would need a list of int objects first.
    for gap in (132, 57, 23, 10, 4, 1):
        for k in range(gap, count):
            move = MOVES[k]
            j = k
            while j >= gap and MOVES[j - gap] > move:
                MOVES[j] = MOVES[j - gap]
                j -= gap
            MOVES[j] = move


class Core:
    """One mutable position of a game.

    It keeps what the rules need of the history (counters, repetitions). Legality is checked only where a
    method says so, but no code crashes the process: one out of range raises ValueError, another illegal one
    gives a position without meaning. Made without arguments a core has no meaning either, until it takes over
    another one or, in Tourney's own games, loads a parsed position.

    A game's class defines ``copy_from``, ``ranks``, ``reason``, ``position``, ``key``, ``decode`` and the
    methods with an underscore; search needs ``actor`` to ``trace``.
    """

    def __init__(self) -> None:
        self.seats = 0
        self._seat = 0  # the seat whose turn it is, from 1; games say what it is when the game is over
        self._over = 0
        self._x = 0

    def _blank(self) -> "Core":
        """Make a core of the same class, quickly: compiled, without ``__init__`` all fields are 0."""
        return Core()

    def copy(self) -> "Core":
        """A new core with the same position."""
        twin = self._blank()
        twin.copy_from(self)
        return twin

    def copy_from(self, other: "Core") -> None:
        """Take over the position of another core of the same class."""
        raise NotImplementedError

    def state(self, kind: type[S]) -> S:
        """A state of a class that holds this core."""
        # Setting two slots of an empty state is quicker than calling a constructor with arguments.
        made: Any = kind()
        made.core = self
        made.actor = self.actor()
        return made  # type: ignore[no-any-return] # a state of that class

    def state_after(self, kind: type[S], code: int) -> S:
        """The state after a legal action. Raises ValueError for a code out of range."""
        self._admit(code)
        after = self._blank()
        after.copy_from(self)
        after._play(code)
        # A state is the start of playouts, and these must not depend on the way to the position.
        after._settle()
        return after.state(kind)

    def state_if_legal(self, kind: type[S], code: int) -> S | None:
        """The state after an action, or None if it is illegal."""
        return self.state_after(kind, code) if self.is_legal(code) else None

    def actor(self) -> int:
        """The seat to act, CHANCE or OVER, as ``State.actor``."""
        return -1 if self._over else self._seat

    def actions(self) -> list[int]:
        """Codes of the legal actions, or of chance's outcomes, sorted like their strings."""
        count = 0 if self._over else self._list()
        if not COMPILED:
            return sorted([MOVES[k] for k in range(count)])
        _sort_moves(count)
        return [MOVES[k] for k in range(count)]

    def texts(self, names: list[str]) -> tuple[str, ...]:
        """Strings of the legal actions, sorted; ``names`` has the string of every code at its index."""
        if not COMPILED:
            return tuple([names[code] for code in self.actions()])
        # Read from the C array: ``actions`` would make an int object of every code in between.
        count = 0 if self._over else self._list()
        _sort_moves(count)
        return tuple([names[MOVES[k]] for k in range(count)])

    def is_legal(self, code: int) -> bool:
        """Whether an action is legal, or an outcome possible."""
        return not self._over and self._is_listed(code, self._list())

    def _is_listed(self, code: int, count: int) -> bool:
        for k in range(count):
            if MOVES[k] == code:
                return True
        return False

    def candidates(self) -> list[int]:
        """Codes of the legal actions worth a search, in the order of ``actions``: by default all."""
        return self.actions()

    def weights(self) -> list[int]:
        """Weights of chance's outcomes in the order of ``actions``; empty for a seat."""
        return [WEIGHTS[k] for k in range(self._list())] if self.actor() == 0 else []

    def outcome(self, u: int) -> int:
        """The outcome that chance has by a random integer of 64 bits, as ``State.outcome``."""
        count = self._list()
        total = 0
        for k in range(count):
            total += WEIGHTS[k]
        # ``u`` is a Python int even when compiled: the product needs more than 64 bits.
        return self._weighed(count, u * total >> 64)

    def state_by_chance(self, kind: type[S], u: int) -> tuple[int, S]:
        """The outcome that chance has by a random integer of 64 bits, and the state after it."""
        code = self.outcome(u)
        return code, self.state_after(kind, code)

    def play(self, code: int) -> None:
        """Play a legal action. Raises ValueError for a code out of range, and when the game is over."""
        self._admit(code)
        self._play(code)

    def ranks(self) -> tuple[int, ...] | None:
        """Each seat's rank, or None while not over."""
        return tuple([self._rank(seat) for seat in range(self.seats)]) if self._over else None

    def reason(self) -> str:
        """Why the game is over, as a word, or "" while not over."""
        raise NotImplementedError

    def position(self) -> str:
        """The position string."""
        raise NotImplementedError

    def decode(self, code: int) -> Hashable:
        """The game's action of a code. Raises ValueError for a code out of range."""
        raise NotImplementedError

    def key(self) -> Hashable:
        """A key for a transposition table: equal only where the game goes on alike."""
        raise NotImplementedError

    def values(self) -> Values:
        """Value of the position for each seat: its result if it is over, else by the advantages."""
        if not self._over:
            self._weigh()
        # Written out, because a loop would fill a list first, and searches ask for values most of all.
        if self.seats == 2:
            return self._value(0), self._value(1)
        if self.seats == 3:
            return self._value(0), self._value(1), self._value(2)
        return self._value(0), self._value(1), self._value(2), self._value(3)

    def advantages(self) -> Values:
        """Each seat's advantage in a position that is not over: 0 is even, SCALE is clearly better."""
        self._weigh()
        return tuple([ADVANTAGES[seat] for seat in range(self.seats)])

    def outlook(self, codes: list[int]) -> list[Values]:
        """For each legal code the values of the position after it; the position stays as it is."""
        outlook: list[Values] = []
        # One copy serves all codes: taking an action back costs less than copying the position again.
        after = self.copy()
        for code in codes:
            after.play(code)
            outlook.append(after.values())
            after._take_back(code, self)
        return outlook

    def prospects(self) -> list[Values]:
        """For each outcome of chance the values after it; if a seat then acts, after its best action."""
        values: dict[Hashable, Values] = {}
        keys: list[Hashable] = []  # equal for dice that tell the same
        after = self.copy()
        for code in self.actions():
            after.play(code)
            key = after.key()
            keys.append(key)
            if key not in values:
                seat = after.actor() - 1
                values[key] = (
                    max(after.outlook(after.actions()), key=itemgetter(seat)) if seat >= 0 else after.values()
                )
            after.copy_from(self)
        return [values[key] for key in keys]

    def draw(self, code: int) -> tuple[Values, Values, int]:
        """Chance's mean values, the values after one outcome, and the widest distance of any from a mean."""
        values = self.prospects()
        codes = self.actions()
        self._list()  # sorted, as the codes are
        total = most = 0
        for k in range(len(values)):
            total += 2 * WEIGHTS[k]  # doubled, so that half of it, added below, rounds to the nearest
        means: list[int] = []
        for seat in range(self.seats):
            scaled = total // 2
            for k in range(len(values)):
                scaled += 2 * WEIGHTS[k] * values[k][seat]
            # Python rounds a quotient down, C towards 0: the sign is put aside.
            mean = scaled // total if scaled >= 0 else -((total - 1 - scaled) // total)
            means.append(mean)
            for after in values:
                most = max(most, after[seat] - mean, mean - after[seat])
        return tuple(means), values[codes.index(code)], most

    def playout(self, seed: int, most: int) -> int:
        """Play random actions until the game is over or ``most`` are played; return how many.

        Uniform over the legal actions of a seat, and by weight over chance's outcomes. ``most`` is from 0 to
        2**31 - 1. The same seed gives the same actions everywhere.
        """
        self._x = seed
        played = 0
        while played < most and not self._over:
            self._play(self._choose())
            played += 1
        return played

    def trace(self, seed: int, most: int) -> list[int]:
        """Play as ``playout`` does, and return the codes."""
        codes: list[int] = []
        self._x = seed
        while len(codes) < most and not self._over:
            code = self._choose()
            self._play(code)
            codes.append(code)
        return codes

    def _choose(self) -> int:
        """Draw a legal action, or an outcome by weight."""
        count = self._list()
        if self.actor() > 0:
            return MOVES[self._draw(count)]
        total = 0
        for k in range(count):
            total += WEIGHTS[k]
        return self._weighed(count, self._draw(total))

    def _weighed(self, count: int, rest: int) -> int:
        """The first outcome whose cumulative weight exceeds a number."""
        for k in range(count):
            rest -= WEIGHTS[k]
            if rest < 0:
                return MOVES[k]
        return MOVES[0]

    def _draw(self, total: int) -> int:
        """The next random integer below a total."""
        self._x = (self._x + _GAMMA) & _MASK
        # Multiplying and shifting is quicker than a remainder. Its bias is below total / 2**32.
        return (_mix(self._x) >> 32) * total >> 32

    def _value(self, seat: int) -> int:
        """The value for a seat, from 0; call ``_weigh`` first while the game is not over."""
        return self._result(seat) if self._over else squash(ADVANTAGES[seat])

    def _result(self, seat: int) -> int:
        """The value of a finished game for a seat, from 0, as in ``results``."""
        mine = self._rank(seat)
        balance = 0
        for k in range(self.seats):
            rank = self._rank(k)
            balance += 1 if rank > mine else -1 if rank < mine else 0
        # Exact for up to four seats, so it does not matter that Python rounds down and C towards 0.
        return WIN * balance // (self.seats - 1)

    def _take_back(self, code: int, before: "Core") -> None:  # noqa: ARG002 - for quicker ways
        """Take over the position before a code was played."""
        self.copy_from(before)

    def _settle(self) -> None:
        """Put lists of pieces in the order of their squares.

        A playout draws from actions as they are listed, so its start must not depend on the way to it.
        """

    def _check(self, code: int) -> int:
        """Raise ValueError for a code out of range."""
        raise NotImplementedError

    def _admit(self, code: int) -> int:
        """Raise ValueError for a code that cannot be played here at all."""
        if self._over:
            raise ValueError(f"code {code} cannot be played: the game is over")
        return self._check(code)

    def _list(self) -> int:
        """List the legal actions in any order in ``MOVES``, or the outcomes sorted, with ``WEIGHTS``.

        Return their number. The order must be the same compiled and plain.
        """
        return 0

    def _play(self, code: int) -> None:
        """Play a legal action."""

    def _rank(self, seat: int) -> int:  # noqa: ARG002 - for the games
        """The rank of a seat, from 0, in a finished game."""
        return 1

    def _weigh(self) -> None:
        """Note each seat's advantage in ``ADVANTAGES``."""
