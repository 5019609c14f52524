"""Balanced designs: rounds in which all pairs meet equally often, and groups in which all places are shared.

``Design`` chooses the tables of rounds so that the meetings of two pairs differ by one where possible. It
anneals in integers with samples derived from a seed: the same seed gives the same design on every machine.

``balanced`` orders the entrants of groups. Every mirrored group gives its entrants each seat equally often,
so matches are balanced in any order. The order still decides the seats in a group's first match; ``balanced``
shares these too, by colouring the edges between groups and entrants.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import Final

from tourney.seeds import U64, derive, stream

MOVES: Final = 180_000  # before the best design so far is returned
_PERIOD: Final = 90_000  # moves from the highest temperature to the lowest; then the next cycle starts
_BYE_MOVES: Final = 4  # with byes, one move in this many changes them
_HOT = 512
_COLD = 64
"""Temperatures: a move that costs d more passes with probability 2**(-512 d / temperature)."""


def least_cost(count: int, meetings: int) -> int:
    """The sum over all pairs of their squared meetings when these differ by one at most."""
    pairs = count * (count - 1) // 2
    each, more = divmod(meetings, pairs)
    return more * (each + 1) ** 2 + (pairs - more) * each**2


class Design:
    """The tables of further rounds for entrants 0..count-1; ``before`` holds the earlier rounds.

    If ``seats`` does not divide ``count``, the remainder has a bye; byes of two entrants differ by one at
    most. No entrant sits twice in a round. The cost is the sum over all pairs of their squared meetings in
    all rounds; it is least when meetings differ by one at most. Such a design may not exist: ``run`` returns
    the best one found, of equal costs the one with the smallest spread.

    ``places[r]`` lists the entrants of round r table by table, ``seats`` each; ``byes[r]`` those with a bye,
    and ``bye_counts`` the byes of each entrant in all rounds. ``met`` are the meetings of each pair.
    """

    def __init__(
        self, count: int, seats: int, rounds: int, seed: int, before: Sequence[Sequence[Sequence[int]]] = ()
    ) -> None:
        self.seats = seats
        self.seed = derive(seed, "design", count, seats, len(before), rounds)
        self.met = [[0] * count for _ in range(count)]
        self.places: list[list[int]] = []
        self.byes: list[list[int]] = []
        order = shuffled(count, derive(self.seed, "order"))
        self.bye_counts = bye_counts = [0] * count
        for tables in before:
            playing = {entrant for table in tables for entrant in table}
            for entrant in range(count):
                bye_counts[entrant] += entrant not in playing
        for round_ in range(rounds):
            # Sorting is stable, so the shuffled order decides among equals.
            byes = sorted(order, key=lambda entrant: bye_counts[entrant])[: count % seats]
            for entrant in byes:
                bye_counts[entrant] += 1
            self.byes.append(byes)
            mixed = shuffled(count, derive(self.seed, "round", round_))
            self.places.append([entrant for entrant in mixed if entrant not in byes])
        every = [table for tables in before for table in tables]
        every += [table for places in self.places for table in _tables(places, seats)]
        for table in every:
            for a, b in combinations(table, 2):
                self.met[a][b] += 1
                self.met[b][a] += 1
        self.cost = sum(met * met for line in self.met for met in line) // 2
        self.target = least_cost(count, sum(map(sum, self.met)) // 2)

    def run(self) -> list[list[tuple[int, ...]]]:
        """Anneal until the design is balanced or all moves are made; return the best tables."""
        best = self.cost
        spread = self._spread()
        best_places = [list(places) for places in self.places]
        tables = len(self.met) // self.seats
        spare = len(self.met) % self.seats
        for move in range(MOVES if self.places and (tables > 1 or spare) else 0):
            if best == self.target:
                break
            temperature = _HOT - (_HOT - _COLD) * (move % _PERIOD) // _PERIOD
            u = derive(self.seed, "move", move)
            kind, u = _digit(u, _BYE_MOVES) if spare else (1, u)
            if kind and tables > 1:
                self._move(u, temperature)
            else:
                self._move_bye(u, temperature)
            # A spread below 2 would have the least cost.
            if self.cost < best or (self.cost == best and spread > 2 and self._spread() < spread):
                best = self.cost
                spread = self._spread()
                best_places = [list(places) for places in self.places]
        return [[tuple(sorted(table)) for table in _tables(places, self.seats)] for places in best_places]

    def _spread(self) -> int:
        """The most meetings of a pair less the fewest."""
        pairs = [met for entrant, line in enumerate(self.met) for met in line[:entrant]]
        return max(pairs, default=0) - min(pairs, default=0)

    def _move(self, u: int, temperature: int) -> None:
        """Exchange two entrants of a round, if the round stays as good or the temperature allows it."""
        round_, u = _digit(u, len(self.places))
        places = self.places[round_]
        i, u = _digit(u, len(places))
        first = i // self.seats * self.seats
        j, u = _digit(u, len(places) - self.seats)
        if j >= first:
            j += self.seats
        second = j // self.seats * self.seats
        x = places[i]
        y = places[j]
        of_x = self.met[x]
        of_y = self.met[y]
        ours = [a for a in places[first : first + self.seats] if a != x]
        theirs = [b for b in places[second : second + self.seats] if b != y]
        # A pair that met m times costs m**2: one more meeting adds 2 m + 1, one less takes away 2 m - 1.
        change = 2 * (len(ours) + len(theirs))
        change += 2 * sum(of_y[a] - of_x[a] for a in ours) + 2 * sum(of_x[b] - of_y[b] for b in theirs)
        if not _passes(change, u, temperature):
            return
        places[i] = y
        places[j] = x
        self.cost += change
        for others, here, there, mine, hers in ((ours, x, y, of_x, of_y), (theirs, y, x, of_y, of_x)):
            for tablemate in others:
                mine[tablemate] -= 1
                hers[tablemate] += 1
                self.met[tablemate][here] -= 1
                self.met[tablemate][there] += 1

    def _move_bye(self, u: int, temperature: int) -> None:
        """Move a bye to another entrant, if the round stays as good or the temperature allows it.

        The move changes two rounds, so that both have as many byes as before; or one round, if their byes
        differ by one before and after.
        """
        first, u = _digit(u, len(self.places))
        second, u = _digit(u, len(self.places))
        i, u = _digit(u, len(self.byes[first]))
        x = self.byes[first][i]
        if first == second:
            j, u = _digit(u, len(self.places[first]))
            y = self.places[first][j]
            if self.bye_counts[x] != self.bye_counts[y] + 1:
                return
            turns = [(first, i, j)]
        else:
            k, u = _digit(u, len(self.byes[second]))
            y = self.byes[second][k]
            if x in self.byes[second] or y in self.byes[first]:
                return
            turns = [(first, i, self.places[first].index(y)), (second, k, self.places[second].index(x))]
        change = sum(self._exchange_bye(*turn) for turn in turns)
        if not _passes(change, u, temperature):
            for turn in turns:
                self._exchange_bye(*turn)
            return
        self.cost += change
        if first == second:
            self.bye_counts[x] -= 1
            self.bye_counts[y] += 1

    def _exchange_bye(self, round_: int, i: int, j: int) -> int:
        """Exchange the i-th bye of a round with its j-th place; return the change of the cost."""
        byes = self.byes[round_]
        places = self.places[round_]
        x = byes[i]
        y = places[j]
        first = j // self.seats * self.seats
        others = [tablemate for tablemate in places[first : first + self.seats] if tablemate != y]
        change = 2 * sum(self.met[x][tablemate] - self.met[y][tablemate] + 1 for tablemate in others)
        for tablemate in others:
            for entrant, more in ((x, 1), (y, -1)):
                self.met[entrant][tablemate] += more
                self.met[tablemate][entrant] += more
        byes[i] = y
        places[j] = x
        return change


def _passes(change: int, u: int, temperature: int) -> bool:
    """Whether a move that changes the cost is made; u is its random sample."""
    return change <= 0 or u < U64 >> 512 * change // temperature


def shuffled(count: int, seed: int) -> list[int]:
    """The numbers 0..count-1 in an order that a seed decides."""
    order = list(range(count))
    sample = stream(seed)
    for last in range(count - 1, 0, -1):
        chosen = sample(last + 1)
        order[last], order[chosen] = order[chosen], order[last]
    return order


def _tables(places: Sequence[int], seats: int) -> list[Sequence[int]]:
    return [places[start : start + seats] for start in range(0, len(places), seats)]


def _digit(u: int, total: int) -> tuple[int, int]:
    """A sample from ``range(total)`` and the rest of u for the next one."""
    scaled = u * total
    return scaled >> 64, scaled & (U64 - 1)


def balanced(groups: Sequence[Sequence[int]]) -> list[tuple[int, ...]]:
    """The groups, all of size k, each ordered so that an entrant's places differ by one at most.

    An entrant of d groups becomes nodes of k groups each, and a last one of the rest. Groups and nodes form a
    bipartite graph of degree k, whose edges take k colours (König, 1916): the colour of an edge is the
    entrant's place in the group. A full node has every colour once and the last one none twice.
    """
    if not groups:
        return []
    size = len(groups[0])
    free = [-1] * size
    left: list[list[int]] = []  # left[g][c] is the node at the edge of colour c of group g, or -1
    right: list[list[int]] = []  # right[n][c] likewise the group of node n
    seen: dict[int, int] = {}
    nodes: dict[tuple[int, int], int] = {}
    entrants: list[int] = []
    for number, group in enumerate(groups):
        left.append(free.copy())
        for entrant in group:
            part = (entrant, seen.get(entrant, 0) // size)
            seen[entrant] = seen.get(entrant, 0) + 1
            if part not in nodes:
                nodes[part] = len(entrants)
                entrants.append(entrant)
                right.append(free.copy())
            node = nodes[part]
            colour = left[number].index(-1)
            if right[node][colour] != -1:
                both = [c for c in range(size) if left[number][c] == right[node][c] == -1]
                if both:
                    colour = both[0]
                else:
                    _exchange(left, right, node, (colour, right[node].index(-1)))
            left[number][colour] = node
            right[node][colour] = number
    return [tuple(entrants[node] for node in places) for places in left]


def _exchange(
    left: Sequence[list[int]], right: Sequence[list[int]], node: int, colours: tuple[int, int]
) -> None:
    """Exchange two colours along the path that leaves a right node by the first; the second is free there.

    The path reaches groups by edges of the first colour only, so it never ends where that is free.
    """
    path = []
    at = node
    colour = colours[0]
    on_right = True
    while (end_of_edge := (right if on_right else left)[at][colour]) != -1:
        path.append((end_of_edge, at, colour) if on_right else (at, end_of_edge, colour))
        at = end_of_edge
        colour = sum(colours) - colour
        on_right = not on_right
    for group, end, colour in path:
        left[group][colour] = right[end][colour] = -1
    for group, end, colour in path:
        left[group][sum(colours) - colour] = end
        right[end][sum(colours) - colour] = group
