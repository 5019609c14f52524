"""The evidence of a match beside its result: its opening line, its play, and its luck.

All follows from the record, and is kept beside it, so that ratings need not read records. Two matches with
the same entrants by seat and equal plays are the same game played twice. Luck costs several times what the
rules of a match cost, so it is computed only for those who ask for it (``tourney.results.luck``).

Luck is what the dice were worth to each seat. For each draw it is the value of the state after it (of the
best action, where a seat acts), less the mean of the values after all outcomes by weight. Given all that came
before, a draw's luck is 0 on average if the dice are fair and no bot knows them, whatever the bots are, and
however bad the value function is. So luck can be subtracted from results without bias, which leaves less
noise the better the value function is (the chance part of AIVAT: Burch, Schmid, Moravcik, Morrill and
Bowling, "AIVAT: A new variance reduction technique for agent evaluation in imperfect information games", AAAI
2018). A bot that knows the dice has luck that is above 0 on average; ``alarm`` watches for that.

Luck is in whole units of values: ``2 * WIN`` of them are a point. The luck of a match lies from ``-CAP`` to
``CAP``: once its sum comes near, the draws that follow are scaled down by what is left, which is known before
each of them. So the mean stays 0, and a test that bets has bounds.
"""

import hashlib
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple, Self

from tourney.errors import GameError
from tourney.games.base import CHANCE, OVER, AnyAction, AnyGame, AnyState
from tourney.games.core_base import WIN, Values
from tourney.games.registry import known_game
from tourney.match.record import Record

POINT: Final = 2 * WIN
"""The units of a point."""
CAP: Final = POINT * 6 // 10
"""The most luck of a match, in units."""
ALARM: Final = 4.0
"""The standard errors of a bot's mean luck beyond which it may know the dice."""


class Draw(NamedTuple):
    """A draw: the actions before it, and by seat the mean value of all outcomes and that of the drawn one.

    ``most`` is the largest luck, up or down, that any seat could have had from it.
    """

    ply: int
    expected: tuple[int, ...]
    drawn: tuple[int, ...]
    most: int

    @property
    def luck(self) -> tuple[int, ...]:
        """The luck of each seat."""
        return tuple(after - mean for after, mean in zip(self.drawn, self.expected, strict=True))


def has_luck(game: AnyGame) -> bool:
    """Whether luck is known: the game has dice and a value function."""
    return game.has_chance and game.value_version > 0


def subtracted(game: AnyGame) -> bool:
    """Whether the luck of a game is kept beside results, and subtracted."""
    return has_luck(game) and game.subtracts_luck


def draws(record: Record, game: AnyGame) -> Iterator[Draw]:
    """Yield the draws of a record of a game that ``has_luck``. Raises GameError if it breaks the rules."""
    state = game.new(len(record.seats), record.options)
    for ply, (actor, text) in enumerate(record.actions):
        action = game.read_action(state, text)
        if actor == state.actor == CHANCE:
            core = game.scratch(state)
            yield Draw(ply, *(_draw(game, state, action) if core is None else core.draw(action)))
        state = state.play(action)


def _draw(game: AnyGame, state: AnyState, action: AnyAction) -> tuple[Values, Values, int]:
    """The answer of ``Core.draw`` for an outcome, in a game without a core."""
    outcomes = state.legal_actions()
    weights = state.chance_weights()
    values = [_value(game, state.play(outcome)) for outcome in outcomes]
    total = sum(weights)
    means = tuple(
        (2 * sum(w * value for w, value in zip(weights, column, strict=True)) + total) // (2 * total)
        for column in zip(*values, strict=True)
    )
    far = (abs(value[seat] - mean) for value in values for seat, mean in enumerate(means))
    return means, tuple(values[outcomes.index(action)]), max(far)


def _value(game: AnyGame, state: AnyState) -> Sequence[int]:
    """The value of a state for each seat; where a seat acts, after the action that is best for it."""
    if state.actor <= CHANCE:
        return game.values(state)
    mine = state.actor - 1
    return max(game.outlook(state), key=lambda values: values[mine])


def luck_of(record: Record) -> tuple[int, ...]:
    """Each seat's luck in a match; () if it is not known, or is not worth subtracting in this game."""
    game = known_game(record.game)
    if game is None or game.rules != record.rules or not subtracted(game):
        return ()
    total = [0] * len(record.seats)
    try:
        for draw in draws(record, game):
            # Known before the draw, so a draw that is scaled down still has a mean of 0.
            room = CAP - max(map(abs, total))
            for seat, luck in enumerate(draw.luck):
                scaled = (
                    luck if draw.most <= room else abs(luck) * room // draw.most * (1 if luck > 0 else -1)
                )
                total[seat] += scaled
    except GameError:
        return ()  # a record that does not hold has no luck; ``verify`` says what is wrong
    return tuple(total)


class Rise(NamedTuple):
    """How far one action takes a seat: the actions before it, and the seat's value before and after.

    Values are shares of the points to be expected, from 0 to 1, as the game's value function has them.
    """

    ply: int
    before: float
    after: float


def largest_rise(record: Record, seat: int) -> Rise | None:
    """The largest rise of a seat (from 1) by one action or draw that does not end the match.

    None if the game has no value function, or the record breaks its rules.
    """
    game = known_game(record.game)
    if game is None or game.rules != record.rules or not game.value_version:
        return None
    try:
        state = game.new(len(record.seats), record.options)
        values = [game.values(state)[seat - 1]]
        for _, text in record.actions:
            state = state.play(game.read_action(state, text))
            values.append(game.values(state)[seat - 1])
    except GameError:
        return None
    shares = [(value + WIN) / POINT for value in values[: -1 if state.actor == OVER else None]]
    rises = (Rise(ply, *pair) for ply, pair in enumerate(pairwise(shares)))
    return max(rises, key=lambda rise: (rise.after - rise.before, -rise.ply), default=None)


@dataclass(slots=True)
class Coefficient:
    """How much of the luck to subtract, from 0 to 1, as groups of matches seen *before* say.

    It starts at 0, and is 0 while the luck of these groups would raise an alarm. So what is subtracted from a
    group is known before its dice, and a test that holds for any scores whose mean is bounded holds for the
    corrected ones too.
    """

    groups: int = 0
    points: float = 0.0
    luck: float = 0.0
    squares: float = 0.0
    products: float = 0.0

    @property
    def value(self) -> float:
        """The share to subtract from the next groups, a whole number of 1/256."""
        if self.groups < _LEAST or not self.squares or abs(self.luck) > ALARM * math.sqrt(self.squares):
            return 0.0
        slope = (self.products - self.points * self.luck / self.groups) / self.squares
        shrunk = slope * self.groups / (self.groups + _LEAST)
        return min(max(math.floor(256 * shrunk + 0.5), 0), 256) / 256

    def add(self, groups: Iterable[tuple[float, float]]) -> None:
        """Take in groups: each its score and its luck, in points."""
        for score, luck in groups:
            self.groups += 1
            self.points += score
            self.luck += luck
            self.squares += luck * luck
            self.products += score * luck


_LEAST: Final = 8
"""The groups before which nothing is subtracted; also the weight of 0 in the share."""


class MeanLuck(NamedTuple):
    """A bot's mean luck over its matches, in points, and its distance from 0 in standard errors."""

    matches: int
    mean: float
    z: float

    @property
    def alarm(self) -> bool:
        """Whether the dice were better to this bot than chance allows."""
        return self.z > ALARM


def mean_luck(lucks: Sequence[int], matches: int) -> MeanLuck:
    """The mean of a bot's luck, from the luck of its groups of ``matches`` in all."""
    total = sum(lucks)
    squares = sum(luck * luck for luck in lucks)
    if not squares:
        return MeanLuck(matches, 0.0, 0.0)
    return MeanLuck(matches, total / matches / POINT, total / math.sqrt(squares))


_BYTES: Final = 6
"""Of a hash: among the matches of two entrants, equal ones by chance are out of the question."""
HASH: Final = 2 * _BYTES
"""The characters of a hash in the text of evidence."""


class Evidence(NamedTuple):
    """``line`` and ``play``: hashes of the opening's actions ("" without one) and of all actions and ranks.

    ``luck``: of each seat, () where it is not known; ``values``: the version of the value function behind it.
    A match without a record has no evidence.
    """

    line: str = ""
    play: str = ""
    luck: tuple[int, ...] = ()
    values: int = 0

    @classmethod
    def of(cls, record: Record) -> Self:
        """The evidence of a record, with its luck."""
        return cls.without_luck(record).with_luck(record)

    def with_luck(self, record: Record) -> Self:
        """The evidence of this record with its luck, if that is known."""
        luck = luck_of(record) if self.play else ()
        game = known_game(record.game) if luck else None
        return self._replace(luck=luck, values=0 if game is None else game.value_version)

    @property
    def bare(self) -> Self:
        """The evidence less its luck."""
        return self._replace(luck=(), values=0)

    @classmethod
    def without_luck(cls, record: Record) -> Self:
        """The evidence of a record without its luck, for which its game is not needed."""
        actions = [f"{actor} {action}" for actor, action in record.actions]
        left = record.opening.length
        line = 0
        while left > 0 and line < len(actions):
            left -= record.actions[line][0] != 0
            line += 1
        if not actions:
            return cls()
        ranks = ",".join(map(str, record.outcome.ranks))
        return cls(_hash(actions[:line]) if line else "", _hash([*actions, ranks]))

    @property
    def text(self) -> str:
        """The stored form of the evidence; the inverse of ``read``."""
        luck = f"{self.values}:{','.join(map(str, self.luck))}" if self.luck else ""
        return f"{self.line} {self.play} {luck}" if self.play else ""

    def fits(self, stored: "Evidence") -> bool:
        """Whether stored evidence fits this record's: luck by other value functions cannot be compared."""
        incomparable = stored.values and stored.values != self.values
        if incomparable:
            return (stored.line, stored.play) == (self.line, self.play)
        return stored == self

    @classmethod
    def read(cls, text: str, seats: int) -> Self:
        """The evidence of a text. Raises ValueError for another form."""
        if not text:
            return cls()
        line, play, rest = text.split(" ")
        if {len(line), len(play)} - {0, HASH} or not play:
            raise ValueError("its hashes have another length")
        if not rest:
            return cls(line, play)
        values, _, numbers = rest.partition(":")
        return cls(line, play, read_units(numbers, seats), int(values))


def read_units(text: str, seats: int) -> tuple[int, ...]:
    """The luck of each seat from a text as "120,-120". Raises ValueError for another form."""
    luck = tuple(map(int, text.split(",")))
    if len(luck) != seats:
        raise ValueError("it has the luck of another number of seats")
    return luck


def _hash(words: list[str]) -> str:
    return hashlib.blake2b("/".join(words).encode("ascii"), digest_size=_BYTES).hexdigest()


NONE: Final = Evidence()
"""Nothing is known."""


def clusters_of(groups: int, alike: Iterable[Sequence[int]]) -> list[int]:
    """The cluster of each group, by one of its groups, after all groups that are alike were joined."""
    root = list(range(groups))

    def find(group: int) -> int:
        # Each group on the way comes to point at the next but one: a million joins stay quick.
        while root[group] != group:
            root[group] = group = root[root[group]]
        return group

    for first, *others in alike:
        for member in others:
            root[find(member)] = find(first)
    return [find(group) for group in range(groups)]
