"""Counts: which mirrored groups of games occurred, and how often. All that a fit needs of the results.

Games that share seed, dice and opening are not independent; so the group is the unit (a *cluster*), and
groups of the same games are counted together. The order in which results come plays no part.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tourney.ratings.method import Forfeits, rated
from tourney.schedule.row import ResultRow

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class GameLike(Protocol):
    """A game of a group; per seat: the entrant's number, its rank, its fault's kind or None."""

    @property
    def entrants(self) -> tuple[int, ...]: ...  # noqa: D102 - described above
    @property
    def ranks(self) -> tuple[int, ...]: ...  # noqa: D102 - described above
    @property
    def faults(self) -> tuple[str | None, ...]: ...  # noqa: D102 - described above


Game = tuple[tuple[int, ...], tuple[int, ...]]
"""Entrants and ranks, by seat."""


@dataclass(frozen=True, eq=False, slots=True)
class Counts:
    """G games in C clusters of a pool of n entrants, k seats.

    ``entrants``: their numbers, ascending. ``seating`` (G, k): positions in ``entrants``; ``ranks`` (G, k).
    ``cluster`` (G): each game's cluster; ``times`` (C): how often the cluster occurred.
    """

    entrants: tuple[int, ...]
    seats: int
    seating: Ints
    ranks: Ints
    cluster: Ints
    times: Ints

    @classmethod
    def of_groups(
        cls,
        groups: Iterable[tuple[Sequence[GameLike], int]],
        entrants: Iterable[int],
        seats: int,
        forfeits: Forfeits = "loss",
    ) -> "Counts":
        """Count groups, each given with the number of times it occurred; none of their games is void.

        ``forfeits="void"`` leaves games with a fault out. Raises ValueError for a game with another number of
        seats, with an entrant that the pool lacks, or one that sits twice.
        """
        found: Counter[tuple[Game, ...]] = Counter()
        for games, times in groups:
            kept = [
                (game.entrants, game.ranks) for game in games if not (forfeits == "void" and any(game.faults))
            ]
            if kept:
                found[tuple(sorted(kept))] += times
        return cls._of(found, tuple(sorted(entrants)), seats)

    @classmethod
    def of_results(
        cls,
        results: Iterable[ResultRow],
        entrants: Iterable[int],
        seats: int,
        forfeits: Forfeits = "loss",
    ) -> "Counts":
        """Count results; those whose keys agree in round, table and repeat are a cluster. Raises as above."""
        groups: defaultdict[tuple[int, ...], list[Game]] = defaultdict(list)
        for result in rated(results, forfeits):
            groups[tuple(result.key[:3])].append((result.entrants, result.ranks))
        found = Counter(tuple(sorted(games)) for games in groups.values())
        return cls._of(found, tuple(sorted(entrants)), seats)

    @classmethod
    def _of(cls, found: Counter[tuple[Game, ...]], entrants: tuple[int, ...], seats: int) -> "Counts":
        place = {number: k for k, number in enumerate(entrants)}
        seating: list[list[int]] = []
        ranks: list[tuple[int, ...]] = []
        cluster: list[int] = []
        times: list[int] = []
        # Sorted: floating-point sums come out the same, whatever order the results came in.
        for index, (games, count) in enumerate(sorted(found.items())):
            times.append(count)
            for sat, ranked in games:
                if len(sat) != seats or len(ranked) != seats or len(set(sat)) != seats:
                    raise ValueError(f"{sat} are no {seats} different entrants with a rank each")
                try:
                    seating.append([place[number] for number in sat])
                except KeyError as error:
                    raise ValueError(f"a match has an entrant {error} that is not in the pool") from error
                ranks.append(ranked)
                cluster.append(index)
        return cls(
            entrants,
            seats,
            np.array(seating, dtype=np.int64).reshape(-1, seats),
            np.array(ranks, dtype=np.int64).reshape(-1, seats),
            np.array(cluster, dtype=np.int64),
            np.array(times, dtype=np.int64),
        )

    @property
    def size(self) -> int:
        """The number of entrants."""
        return len(self.entrants)

    @property
    def game_times(self) -> Ints:
        """How often each game occurred, (G)."""
        return self.times[self.cluster]
