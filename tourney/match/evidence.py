"""What a match is worth as evidence, beside its result: its opening line, its play, and its luck.

All follows from the record, and is kept beside it, so that ratings need not read records. Two matches with
the same entrants by seat and equal plays are the same game played twice.
"""

import hashlib
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple, Self

from tourney.games.registry import known_game
from tourney.match.luck import luck_of
from tourney.match.record import Record

_BYTES: Final = 6
"""Of a hash: among the matches of two entrants, equal ones by chance are out of the question."""


class Evidence(NamedTuple):
    """``line`` and ``play``: hashes of the opening's actions ("" without one) and of all actions and ranks.

    ``luck``: of each seat, () where it is not known (``tourney.match.luck``); ``values``: the version of the
    value function behind it. A match without a record has no evidence.
    """

    line: str = ""
    play: str = ""
    luck: tuple[int, ...] = ()
    values: int = 0

    @classmethod
    def of(cls, record: Record) -> Self:
        """The evidence of a record."""
        actions = [f"{actor} {action}" for actor, action in record.actions]
        left = record.opening.length
        line = 0
        while left > 0 and line < len(actions):
            left -= record.actions[line][0] != 0
            line += 1
        if not actions:
            return cls()
        luck = luck_of(record)
        game = known_game(record.game) if luck else None
        ranks = ",".join(map(str, record.outcome.ranks))
        return cls(
            _hash(actions[:line]) if line else "",
            _hash([*actions, ranks]),
            luck,
            0 if game is None else game.value_version,
        )

    @property
    def text(self) -> str:
        """The evidence as it is stored; the inverse of ``read``."""
        luck = f"{self.values}:{','.join(map(str, self.luck))}" if self.luck else ""
        return f"{self.line} {self.play} {luck}" if self.play else ""

    def fits(self, kept: "Evidence") -> bool:
        """Whether kept evidence may be that of the same record: luck by other values cannot be compared."""
        other = kept.values and kept.values != self.values
        return kept[:2] == self[:2] if other else kept == self

    @classmethod
    def read(cls, text: str, seats: int) -> Self:
        """The evidence of a text. Raises ValueError for another form."""
        if not text:
            return cls()
        line, play, rest = text.split(" ")
        if {len(line), len(play)} - {0, 2 * _BYTES} or not play:
            raise ValueError("its hashes have another length")
        if not rest:
            return cls(line, play)
        values, _, numbers = rest.partition(":")
        luck = tuple(map(int, numbers.split(",")))
        if len(luck) != seats:
            raise ValueError("it has the luck of another number of seats")
        return cls(line, play, luck, int(values))


def _hash(words: list[str]) -> str:
    return hashlib.blake2b("/".join(words).encode("ascii"), digest_size=_BYTES).hexdigest()


NONE: Final = Evidence()
"""Nothing is known."""


def clusters_of(groups: int, alike: Iterable[Sequence[int]]) -> list[int]:
    """The cluster of each group, by one of its groups, after all groups that are alike were joined."""
    root = list(range(groups))

    def find(group: int) -> int:
        while root[group] != group:
            root[group] = group = root[root[group]]
        return group

    for first, *others in alike:
        for other in others:
            root[find(other)] = find(first)
    return [find(group) for group in range(groups)]
