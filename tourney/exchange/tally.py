"""Count games: a number for each kind of game, and 20 bytes for each game."""

import hashlib
from array import array
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from tourney.exchange.foreign_game import ForeignGame
from tourney.match.evidence import clusters_of

Ints = NDArray[np.int64]

_ALONE: Final = 0
"""The label of a game that belongs to no group."""


class Kind(NamedTuple):
    """What ratings and tables know of a game: players (numbers), ranks and faults by seat, and its end."""

    players: tuple[int, ...]
    ranks: tuple[int, ...]
    faults: tuple[str | None, ...]
    reason: str


class Tally:
    """Games by kind and group, in order. Players are numbered in order of appearance."""

    def __init__(self) -> None:
        self._players: dict[str, int] = {}
        self._numbers: dict[Kind, int] = {}
        self._labels = array("Q")
        self._sequence = array("I")
        self._plays = array("Q")

    @property
    def games(self) -> int:
        """The number of games."""
        return len(self._sequence)

    @property
    def players(self) -> tuple[str, ...]:
        """The players' names by number."""
        return tuple(self._players)

    @property
    def seats(self) -> int | None:
        """The number of players in each game, or None before the first."""
        return next((len(kind.players) for kind in self._numbers), None)

    def add(self, game: ForeignGame, scope: int = 0) -> None:
        """Count a game; labels of pairs hold within a ``scope``, the number of the file."""
        players = self._players
        names, ranks, pair, mirrored, _, _, reason, faults, play = game
        numbers = tuple([players.setdefault(name, len(players)) for name in names])
        kind = Kind(numbers, ranks, faults or (None,) * len(ranks), reason)
        self._sequence.append(self._numbers.setdefault(kind, len(self._numbers)))
        self._labels.append(_label(scope, names, pair, mirrored=mirrored) if pair else _ALONE)
        self._plays.append(play)

    def extend(self, later: Self) -> None:
        """Count the games of another tally, which come after these."""
        players = [self._players.setdefault(name, len(self._players)) for name in later._players]
        kinds = array("I")
        for kind in later._numbers:
            same = kind._replace(players=tuple([players[number] for number in kind.players]))
            kinds.append(self._numbers.setdefault(same, len(self._numbers)))
        self._sequence.extend(kinds[number] for number in later._sequence)
        self._labels.extend(later._labels)
        self._plays.extend(later._plays)

    def kinds(self) -> Iterator[tuple[Kind, int]]:
        """Yield each kind of game with its number of games."""
        times = np.bincount(np.array(self._sequence, dtype=np.int64), minlength=len(self._numbers))
        yield from zip(self._numbers, times.tolist(), strict=True)

    def games_of(self) -> dict[str, int]:
        """The number of each player's games."""
        counts = [0] * len(self._players)
        for kind, times in self.kinds():
            for number in kind.players:
                counts[number] += times
        return dict(zip(self._players, counts, strict=True))

    @property
    def distinct(self) -> int:
        """The number of different games; those whose moves are not known all differ."""
        return self.games - sum(len(same) - 1 for same in self._repeats())

    def groups(self, *, joined: bool = True) -> Iterator[tuple[tuple[Kind, ...], int]]:
        """Yield each group of kinds with its occurrences; a game of no group is one by itself.

        ``joined`` groups hold a game with the same players and moves.
        """
        kinds = list(self._numbers)
        starts, sizes, order = self._grouped(joined=joined)
        sequence = np.array(self._sequence, dtype=np.int64)[order]
        # Nearly all groups have one of a few sizes, and there may be a million: NumPy counts those of a size.
        for size in np.unique(sizes):
            members = np.sort(sequence[starts[sizes == size][:, None] + np.arange(size)], axis=1)
            distinct, times = np.unique(members, axis=0, return_counts=True)
            for numbers, count in zip(distinct.tolist(), times.tolist(), strict=True):
                yield tuple(kinds[number] for number in numbers), count

    def rows(self) -> Iterator[tuple[int, int, Kind]]:
        """Yield all games as group (from 1), place in it (from 1) and kind.

        Groups come in the order of their first games.
        """
        kinds = list(self._numbers)
        starts, sizes, order = self._grouped(joined=False)
        sequence = np.array(self._sequence, dtype=np.int64)[order]
        # ``order`` is stable, so a group begins with its earliest game.
        for rank, index in enumerate(np.argsort(order[starts], kind="stable"), 1):
            start = int(starts[index])
            for place in range(int(sizes[index])):
                yield rank, place + 1, kinds[sequence[start + place]]

    def only(self, names: Iterable[str]) -> "Tally":
        """A tally of the games between these players alone."""
        selected = Tally()
        selected._players = {name: place for place, name in enumerate(names)}
        number = {self._players[name]: place for name, place in selected._players.items()}
        renumbered: dict[int, int] = {}
        for old, kind in enumerate(self._numbers):
            if all(player in number for player in kind.players):
                renumbered[old] = len(renumbered)
                players = tuple(number[player] for player in kind.players)
                selected._numbers[kind._replace(players=players)] = renumbered[old]
        for label, old, play in zip(self._labels, self._sequence, self._plays, strict=True):
            if old in renumbered:
                selected._labels.append(label)
                selected._sequence.append(renumbered[old])
                selected._plays.append(play)
        return selected

    def _repeats(self) -> list[Ints]:
        """The places of the games with the same players and moves, where there are several."""
        plays = np.array(self._plays, dtype=np.uint64)
        seats = {kind.players: number for number, kind in enumerate(self._numbers)}
        who = np.array([seats[kind.players] for kind in self._numbers], dtype=np.int64)
        who = who[np.array(self._sequence, dtype=np.int64)] if len(plays) else who
        order = np.lexsort((who, plays))
        same = (plays[order[1:]] == plays[order[:-1]]) & (who[order[1:]] == who[order[:-1]])
        same &= plays[order[1:]] != 0
        if not same.any():
            return []
        runs = np.split(order, np.flatnonzero(~same) + 1)
        return [np.sort(run) for run in runs if len(run) > 1]

    def _grouped(self, *, joined: bool) -> tuple[Ints, Ints, Ints]:
        """Where each group starts among the games ordered by group, its size, and these games' places.

        Places are those in the file; within a group that was not joined they ascend.
        """
        labels = np.array(self._labels, dtype=np.uint64)
        order = np.argsort(labels, kind="stable")
        labels = labels[order]
        new = np.ones(len(labels), dtype=bool)
        new[1:] = labels[1:] != labels[:-1]
        runs = np.flatnonzero(new)
        within = np.arange(len(labels)) - np.repeat(runs, np.diff(np.append(runs, len(labels))))
        mirrored = (labels & np.uint64(1)).astype(bool)
        new |= (labels == _ALONE) | (mirrored & (within % 2 == 0))
        group = np.cumsum(new) - 1
        if joined and (repeats := self._repeats()):
            at = np.empty_like(order)
            at[order] = group
            group = np.array(clusters_of(int(group[-1]) + 1, (at[same].tolist() for same in repeats)))[group]
            again = np.argsort(group, kind="stable")
            group, order = group[again], order[again]
        starts = np.flatnonzero(np.diff(group, prepend=-1))
        return starts, np.diff(np.append(starts, len(order))), order


def _label(scope: int, names: tuple[str, ...], pair: str, *, mirrored: bool) -> int:
    """A label as 64 bits, never ``_ALONE``; the last bit says whether games go two by two."""
    # Names, because the numbers of players differ between the tallies of ranges.
    text = f"{scope}/{sorted(names)}/{pair}"
    data = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    # The last bit is not part of the hash; a hash of 0 would read as a game of no group.
    return int.from_bytes(data, "big") & ~1 | (1 if mirrored else 0) or 2


def without_rare(tally: Tally, least: int) -> tuple[Tally, int]:
    """A tally of the games between players with at least ``least`` games, and the number left out.

    Leaving out games makes others rare, so this is repeated until all are frequent.
    """
    gone = 0
    while True:
        rare = {name for name, count in tally.games_of().items() if count < least}
        if not rare:
            return tally, gone
        remaining = tally.only(name for name in tally.players if name not in rare)
        gone += tally.games - remaining.games
        tally = remaining
