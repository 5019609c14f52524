"""Clusters of games, and counts of them: all that a fit needs of the results, whatever their order.

Games of one cluster are one observation. They share seed, dice and opening (a *mirrored group*; where each
match has dice of its own, it is a group by itself), or the two groups have the same players and opening line,
or a game that was played twice: equal entrants by seat, equal actions. Where all games of a pool have one
line, it is the game's start and joins nothing.

Clusters differ in size then, and a table of few players may have few of them. Kish's number of clusters of
sizes n, (sum n)^2 / sum n^2 (L. Kish, "Survey Sampling", 1965), says how many equal ones they are worth.
Where a table has fewer than ``FEW``, too few to measure how they vary, each of its games counts less than 1:
so that in all they are as many games as that number of mirrored groups.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain, groupby
from operator import attrgetter
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tourney.match.evidence import MeanLuck, clusters_of, mean_luck
from tourney.ratings.method import Forfeits, rated
from tourney.schedule.row import ResultRow

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

FEW: Final = 12
"""The clusters below which the games of a table count less."""

Game = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]
"""Entrants' numbers, ranks and luck by seat; () where the luck is not known."""
Found = Counter[tuple[Game, ...]]
"""How often each cluster of games, sorted, occurs."""


class Clusters:
    """Clusters of results that come group by group; void matches are left out.

    Equal round, table and repeat make a group, or without ``shared_dice`` each match by itself. Without
    ``luck`` the luck of matches counts for nothing. Without ``joined`` nothing else joins games: for tiny
    games, in which equal games are chance and not repetition.
    """

    def __init__(
        self, *, shared_dice: bool = True, joined: bool = True, luck: bool = True, forfeits: Forfeits = "loss"
    ) -> None:
        self._labels = 3 if shared_dice else 4
        self._joined, self._luck, self._forfeits = joined, luck, forfeits
        self._groups: list[tuple[Game, ...]] = []
        self._same: dict[tuple[Game, ...], tuple[Game, ...]] = {}
        self._plays: dict[tuple[tuple[int, ...], str], int] = {}
        self._lines: dict[tuple[frozenset[int], str], int] = {}
        self._line_names: set[str] = set()
        self._alike: list[tuple[int, int]] = []
        self._lined: list[tuple[int, int]] = []
        self._unknown = 0

    def take(self, results: Iterable[ResultRow]) -> None:
        """Take in whole groups, in the order of their keys; read one by one."""
        for _, rows in groupby(rated(results, self._forfeits), key=lambda row: row.key[: self._labels]):
            group, games = len(self._groups), list[Game]()
            for row in rows:
                line, play, luck, _ = row.evidence
                games.append((row.entrants, row.ranks, luck if self._luck else ()))
                if not play:
                    self._unknown += 1
                elif (first := self._plays.setdefault((row.entrants, play), group)) != group:
                    self._alike.append((first, group))
                if line:
                    self._line_names.add(line)
                    if (first := self._lines.setdefault((frozenset(row.entrants), line), group)) != group:
                        self._lined.append((first, group))
            whole = tuple(sorted(games))
            self._groups.append(self._same.setdefault(whole, whole))  # equal ones are kept once

    @property
    def distinct(self) -> int:
        """The number of different games; those of which only the result is known all differ."""
        return self._unknown + len(self._plays)

    def found(self) -> Found:
        """The clusters."""
        alike = [*self._alike, *(self._lined if len(self._line_names) > 1 else ())] if self._joined else ()
        if not alike:
            return Counter(self._groups)
        members: defaultdict[int, list[Game]] = defaultdict(list)
        for cluster, games in zip(clusters_of(len(self._groups), alike), self._groups, strict=True):
            members[cluster] += games
        return Counter(tuple(sorted(games)) for games in members.values())

    def half(self, entrants: Iterable[int], seats: int, *, last: bool) -> "Counts":
        """The counts of the first or the last half of the groups of each table, as they came, none joined."""
        tables: defaultdict[frozenset[int], list[tuple[Game, ...]]] = defaultdict(list)
        for games in self._groups:
            tables[frozenset(games[0][0])].append(games)
        halves = (
            groups[len(groups) // 2 :] if last else groups[: len(groups) // 2] for groups in tables.values()
        )
        return Counts.of_clusters(Counter(chain.from_iterable(halves)), entrants, seats)

    def counts(self, entrants: Iterable[int], seats: int) -> "Counts":
        """Their counts. Raise ValueError as ``Counts.of_clusters``."""
        return Counts.of_clusters(self.found(), entrants, seats, self.distinct)


def _weights(found: Found) -> dict[tuple[int, ...], float]:
    """What a game counts at the tables of these entrants, where it is less than 1."""
    sizes: defaultdict[tuple[int, ...], list[tuple[int, int, int]]] = defaultdict(list)
    for games, times in found.items():
        tables: defaultdict[tuple[int, ...], list[tuple[int, ...]]] = defaultdict(list)
        for seating, *_ in games:
            tables[tuple(sorted(seating))].append(seating)
        for table, seatings in tables.items():
            sizes[table].append((len(seatings), len(set(seatings)), times))
    weights = {}
    for who, clusters in sizes.items():
        total = sum(size * times for size, _, times in clusters)
        number = total**2 / sum(size**2 * times for size, _, times in clusters)
        group = sum(size * seatings * times for size, seatings, times in clusters) / total
        if number < FEW and number * group < total:
            weights[who] = number * group / total
    return weights


@dataclass(frozen=True, eq=False, slots=True)
class Counts:
    """G games in C clusters of a pool of n entrants, k seats.

    ``entrants``: their numbers, ascending. ``seating`` (G, k): positions in ``entrants``; ``ranks`` (G, k).
    ``cluster`` (G): each game's cluster; ``times`` (C): the occurrences of each cluster. ``weight`` (G): what
    a game counts, 1 but where there are few clusters. ``luck`` (G, k), in units, 0 where it is not known.
    ``distinct``: the number of different games.
    """

    entrants: tuple[int, ...]
    seats: int
    seating: Ints
    ranks: Ints
    cluster: Ints
    times: Ints
    weight: Floats
    luck: Ints
    distinct: int

    @classmethod
    def of_results(
        cls, results: Iterable[ResultRow], entrants: Iterable[int], seats: int, **how: Any
    ) -> "Counts":
        """Count results in any order by ``Clusters(**how)``. Raise ValueError as ``of_clusters``."""
        clusters = Clusters(**how)
        clusters.take(sorted(results, key=attrgetter("key")))
        return clusters.counts(entrants, seats)

    @classmethod
    def of_clusters(
        cls, found: Found, entrants: Iterable[int], seats: int, distinct: int | None = None
    ) -> "Counts":
        """Counts from those of clusters; their games must not be void.

        Raise ValueError for a game with another number of seats, an entrant that the pool lacks, or one that
        sits twice.
        """
        entrants = tuple(sorted(entrants))
        place = {number: k for k, number in enumerate(entrants)}
        # Sorted, so that floating-point sums do not depend on the order of the results.
        clusters = sorted(found.items())
        games = [game for cluster, _ in clusters for game in cluster]
        for sat, ranked, _ in games:
            if len(sat) != seats or len(ranked) != seats or len(set(sat)) != seats:
                raise ValueError(f"{sat} are not {seats} different entrants with a rank each")
        try:
            seating = [[place[number] for number in sat] for sat, _, _ in games]
        except KeyError as error:
            raise ValueError(f"a match has an entrant {error} that is not in the pool") from error
        weights, unknown = _weights(found), (0,) * seats
        weight = [weights.get(tuple(sorted(sat)), 1.0) if weights else 1.0 for sat, _, _ in games]
        rows = [ranked + (luck or unknown) for _, ranked, luck in games]
        table = np.array(rows, dtype=np.int64).reshape(-1, 2 * seats)
        sizes = np.array([len(cluster) for cluster, _ in clusters], dtype=np.int64)
        times = np.array([count for _, count in clusters], dtype=np.int64)
        return cls(
            entrants,
            seats,
            np.array(seating, dtype=np.int64).reshape(-1, seats),
            table[:, :seats],
            np.repeat(np.arange(len(sizes)), sizes),
            times,
            np.array(weight, dtype=np.float64),
            table[:, seats:],
            int(sizes @ times) if distinct is None else distinct,
        )

    def taken_off(self) -> list[set[int]]:
        """For each entrant those off which it took points at a table of two, as positions."""
        links: list[set[int]] = [set() for _ in self.entrants]
        for (a, b), (first_rank, second_rank) in zip(self.seating.tolist(), self.ranks.tolist(), strict=True):
            if first_rank <= second_rank:
                links[a].add(b)
            if second_rank <= first_rank:
                links[b].add(a)
        return links

    def met(self) -> list[set[int]]:
        """For each entrant those that it met where it had the first seat, as positions."""
        links: list[set[int]] = [set() for _ in self.entrants]
        for first, *others in self.seating.tolist():
            links[first].update(others)
        return links

    def mean_lucks(self) -> dict[int, MeanLuck]:
        """The mean luck of each entrant with games, by clusters; empty where no luck is known."""
        if not self.luck.any():
            return {}
        keys, inverse = np.unique(self.seating * len(self.times) + self.cluster[:, None], return_inverse=True)
        sums = np.bincount(inverse.reshape(-1), self.luck.reshape(-1), len(keys))
        who, times = keys // len(self.times), self.times[keys % len(self.times)]
        games = np.bincount(self.seating.reshape(-1), np.repeat(self.game_times, self.seats), self.size)
        lucks = {}
        for place in np.flatnonzero(games).tolist():
            mine = np.repeat(sums[who == place], times[who == place])
            lucks[self.entrants[place]] = mean_luck(np.rint(mine).astype(int).tolist(), int(games[place]))
        return lucks

    def without_luck_of(self, entrants: Iterable[int]) -> "Counts":
        """The same without luck in the matches of some entrants."""
        places = [self.entrants.index(number) for number in entrants]
        theirs: NDArray[np.bool_] = np.isin(self.seating, places).max(axis=1, initial=False, keepdims=True)
        return replace(self, luck=np.where(theirs, 0, self.luck))

    @property
    def size(self) -> int:
        """The number of entrants."""
        return len(self.entrants)

    @property
    def game_times(self) -> Ints:
        """The occurrences of each game, (G)."""
        return self.times[self.cluster]

    @property
    def game_weights(self) -> Floats:
        """What all occurrences of each game count in a fit, (G)."""
        weights: Floats = self.times[self.cluster] * self.weight
        return weights


def components(links: Sequence[Iterable[int]], *, strong: bool = False) -> list[list[int]]:
    """The groups of entrants that are connected by links, which each has to others, of either direction.

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
