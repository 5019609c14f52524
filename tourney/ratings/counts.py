"""Counts of mirrored groups of games: all that a fit needs of the results, whatever their order.

Games that share seed, dice and opening are not independent, so the unit is the group (a *cluster*); equal
groups are counted together. Where each match has dice of its own it is a group by itself.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from tourney.ratings.method import Forfeits, rated
from tourney.schedule.row import ResultRow

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


Game = tuple[tuple[int, ...], tuple[int, ...]]
"""Entrants' numbers and ranks, by seat."""
GameWithFaults = tuple[tuple[int, ...], tuple[int, ...], tuple[str | None, ...]]
"""The same with each seat's fault: its kind or None."""

Clusters = Counter[tuple[Game, ...]]
"""How often each cluster of games, sorted, occurs."""


def clusters(results: Iterable[ResultRow], *, shared_dice: bool = True) -> Clusters:
    """Count clusters of results, none of them void, which come in the order of their keys; read one by one.

    Equal round, table and repeat make a cluster, or without ``shared_dice`` each match by itself.
    """
    # Three parts of a key (round, table, repeat) name a mirrored group, all four a match.
    labels = 3 if shared_dice else 4
    groups = groupby(results, key=lambda result: result.key[:labels])
    return Counter(tuple(sorted((one.entrants, one.ranks) for one in group)) for _, group in groups)


class ClusterSums:
    """The clusters of results that come in whole rounds; void matches are left out."""

    def __init__(self, *, shared_dice: bool = True) -> None:
        self._shared_dice = shared_dice
        self.clusters: Clusters = Counter()

    def add(self, results: Iterable[ResultRow]) -> None:
        """Count further results, in schedule order."""
        self.clusters.update(clusters(rated(results), shared_dice=self._shared_dice))


@dataclass(frozen=True, eq=False, slots=True)
class Counts:
    """G games in C clusters of a pool of n entrants, k seats.

    ``entrants``: their numbers, ascending. ``seating`` (G, k): positions in ``entrants``; ``ranks`` (G, k).
    ``cluster`` (G): each game's cluster; ``times`` (C): the occurrences of each cluster.
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
        groups: Iterable[tuple[Sequence[GameWithFaults], int]],
        entrants: Iterable[int],
        seats: int,
        forfeits: Forfeits = "loss",
    ) -> "Counts":
        """Count groups, each given with its occurrences; their games must not be void.

        ``forfeits="void"`` leaves out games with a fault. Raise ValueError for a game with another number of
        seats, an entrant that the pool lacks, or one that sits twice.
        """
        found: Clusters = Counter()
        for games, times in groups:
            kept = [
                (numbers, ranks) for numbers, ranks, faults in games if forfeits == "loss" or not any(faults)
            ]
            if kept:
                found[tuple(sorted(kept))] += times
        return cls.of_clusters(found, entrants, seats)

    @classmethod
    def of_results(
        cls,
        results: Iterable[ResultRow],
        entrants: Iterable[int],
        seats: int,
        forfeits: Forfeits = "loss",
        *,
        shared_dice: bool = True,
        ordered: bool = False,
    ) -> "Counts":
        """Count results, in the clusters of ``clusters``. Raise ValueError as ``of_groups``.

        They may come in any order; ``ordered`` ones come in the order of their keys and are read one by one.
        """
        in_order = results if ordered else sorted(results, key=attrgetter("key"))
        found = clusters(rated(in_order, forfeits), shared_dice=shared_dice)
        return cls.of_clusters(found, entrants, seats)

    @classmethod
    def of_clusters(cls, found: Clusters, entrants: Iterable[int], seats: int) -> "Counts":
        """Counts from those of clusters. Raise ValueError as ``of_groups``."""
        entrants = tuple(sorted(entrants))
        place = {number: k for k, number in enumerate(entrants)}
        seating: list[list[int]] = []
        ranks: list[tuple[int, ...]] = []
        cluster: list[int] = []
        times: list[int] = []
        # Sorted, so that floating-point sums do not depend on the order of the results.
        for index, (games, count) in enumerate(sorted(found.items())):
            times.append(count)
            for sat, ranked in games:
                if len(sat) != seats or len(ranked) != seats or len(set(sat)) != seats:
                    raise ValueError(f"{sat} are not {seats} different entrants with a rank each")
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

    def taken_off(self) -> list[set[int]]:
        """For each entrant those off which it took points at a table of two, as positions."""
        links: list[set[int]] = [set() for _ in self.entrants]
        for (a, b), (one, two) in zip(self.seating.tolist(), self.ranks.tolist(), strict=True):
            if one <= two:
                links[a].add(b)
            if two <= one:
                links[b].add(a)
        return links

    @property
    def size(self) -> int:
        """The number of entrants."""
        return len(self.entrants)

    @property
    def game_times(self) -> Ints:
        """The occurrences of each game, (G)."""
        return self.times[self.cluster]


Links = Sequence[Iterable[int]]
"""The entrants to which each entrant points."""


def components(links: Links, *, strong: bool = False) -> list[list[int]]:
    """The groups connected by links of either direction.

    With ``strong``, those within which every entrant reaches every other; none reaches an earlier group.
    """
    import rustworkx  # noqa: PLC0415 - slow to import, and only this needs it

    graph: rustworkx.PyDiGraph[None, None] = rustworkx.PyDiGraph()
    graph.add_nodes_from([None] * len(links))
    graph.add_edges_from_no_data(
        [(source, target) for source, targets in enumerate(links) for target in targets]
    )
    if strong:
        return [list(group) for group in reversed(rustworkx.strongly_connected_components(graph))]
    return [list(part) for part in rustworkx.weakly_connected_components(graph)]


QUANTILE = 1.959963984540054
"""The normal distribution's quantile for intervals of 95 %."""
