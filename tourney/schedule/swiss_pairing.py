"""Who floats: which entrants of a Swiss round for two seats meet one of another score.

A round is paired in two steps. This is the first: the pairs across score groups (and the bye, which is taken
for an opponent below all others) are chosen such that, in this order, the following are as small as they can
be, each summed over all pairs:

1. meetings again, and byes again (0 wherever a round without them is possible at all);
2. the difference of the scores;
3. the square of the number of score groups by which the two are apart;
4. those who float the same way as in the round before (down: the opponent has less, or is the bye);
5. those who float the same way as two rounds before;
6. how far both leads lie on the same side of 0, both having been named first too often, or too seldom;
7. how far the one who floats down stands from the lower end of its group, behind those with a better history;
8. how far the one who floats up stands from the upper end, likewise.

What is left of every group is paired within it, in the second step (``tourney.schedule.swiss_pairing``).

Only few pairs are looked at, and the rest is proved to be of no use. Let R be the most opponents that anybody
present has met (or the number of byes given). Exchanging partners proves of the best choice:

(a) A pair has at most 4 R entrants strictly between its scores: every pair that one of them is in could be
    exchanged with it for the better, unless one of two exchanges repeats a meeting, and at most 2 R of these
    pairs are in the way, with two entrants each.
(b) A group is called large from 2 R + 2 + F entrants on, where at most F of a group float. What is left of a
    large group can always be paired: everybody in it may meet at least half of the others (Dirac, 1952). So
    nobody floats past it, as two of it could be put between; and who floats down from it is one of the first
    R + F + 1 of its lead in the order of 4, 5 and 7, since of these at most R have met the opponent and at
    most F - 1 float as well; likewise up. All others of the group only decide whether an odd number is left.
(c) Between two neighbouring scores an odd number of pairs crosses if an odd number of entrants has the higher
    one or more, so the sum of 2 has a least value, and a choice that exceeds it by e sends at most
    2 + 2 e / w of a group across, w being the least difference of two scores. If a choice was made with a
    smaller F it is made again with this one.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby

from tourney.schedule.matching import Edge, match_levels, match_matrix

NO_COST = (0, 0, 0, 0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Contender:
    """An entrant who is to be paired.

    ``score`` in units; ``rank`` from 0 in seeding order. ``floated``: 1 up, -1 down, 0 neither, in the round
    before and two rounds before. ``lead``: how often it was named first less how often second; ``last``: 1 if
    it was named first when it last had an opponent, -1 if second, 0 if it had none. ``bye``: it had one.
    """

    number: int
    score: int
    rank: int
    met: frozenset[int] = frozenset()
    floated: tuple[int, int] = (0, 0)
    lead: int = 0
    last: int = 0
    bye: bool = False


Pairs = tuple[tuple[int, int], ...]
"""Indices into the field; the index that follows the last stands for the bye."""


def choose_floats(field: Sequence[Contender], seed: int) -> Pairs:
    """Return the pairs across groups, and those within a group who have to meet again.

    ``field`` is sorted by score (best first), then by rank. With an odd number one gets the bye.
    """
    step = _Step(field, seed)
    floats = 2
    while True:
        chosen = step.choose(floats)
        if chosen is not None:
            needed = step.needed(chosen)
            if needed <= floats:
                return chosen
            floats = needed
        elif step.large(floats):
            floats *= 2
        else:
            return step.choose_again()


class _Step:
    def __init__(self, field: Sequence[Contender], seed: int) -> None:
        self.seed = seed
        self.field = field
        self.size = len(field) + len(field) % 2
        self.scores = [contender.score for contender in field]
        index = {contender.number: k for k, contender in enumerate(field)}
        self.foes = [{index[n] for n in contender.met if n in index} for contender in field]
        if self.size > len(field):
            self.scores.append(min(self.scores, default=0) - 1)
            self.foes.append({k for k, contender in enumerate(field) if contender.bye})
            for k in self.foes[-1]:
                self.foes[k].add(len(field))
        self.most = max(map(len, self.foes), default=0)
        self.groups = [list(group) for _, group in groupby(range(self.size), key=lambda k: self.scores[k])]
        self.group = [g for g, members in enumerate(self.groups) for _ in members]
        self.leads = [contender.lead for contender in field] + [0] * (self.size - len(field))
        self.down = self._turns(-1)
        self.up = self._turns(1)

    def _turns(self, way: int) -> list[tuple[int, int, int, int]]:
        """Return of each whether it floated so last and before, and its turn in its group's order for it.

        Last, its turn among those of its lead.
        """
        turns = [(0, 0, 0, 0)] * self.size
        for members in self.groups:
            listed: list[tuple[int, int, int, int]] = []
            for k in members if way > 0 else reversed(members):
                last, before = self.field[k].floated if k < len(self.field) else (0, 0)
                listed.append((int(last == way), int(before == way), len(listed), k))
            alike = Counter[int]()
            for turn, (last, before, _, k) in enumerate(sorted(listed)):
                turns[k] = (last, before, turn, alike[self.leads[k]])
                alike[self.leads[k]] += 1
        return turns

    def large(self, floats: int) -> set[int]:
        """Return the large groups: what is left of them can be paired, whoever floats."""
        least = 2 * self.most + 2 + floats
        return {g for g, members in enumerate(self.groups) if len(members) >= least}

    def choose(self, floats: int) -> Pairs | None:
        """Return the best choice with so many floats a group, or None if there is none."""
        large = self.large(floats)
        turns = self.most + floats + 1
        nodes = [k for k in range(self.size) if self.group[k] not in large or self._may_float(k, turns)]
        place = {k: at for at, k in enumerate(nodes)}
        edges: list[Edge] = []
        fillers = 0
        for g, members in enumerate(self.groups):
            inside = [place[k] for k in members if k in place]
            if g not in large:
                edges += [
                    (a, b, NO_COST) for a, b in combinations(inside, 2) if nodes[b] not in self.foes[nodes[a]]
                ]
                continue
            if (len(members) - len(inside)) % 2:
                inside.append(len(nodes) + fillers)
                fillers += 1
            edges += [(a, b, NO_COST) for a, b in combinations(inside, 2)]
        edges += [(place[a], place[b], self.cost(a, b)) for a, b in self._across(nodes, large)]
        pairs = match_levels(len(nodes) + fillers, edges, self.seed)
        if 2 * len(pairs) < len(nodes) + fillers:
            return None
        found = [(nodes[a], nodes[b]) for a, b in pairs if a < len(nodes) and b < len(nodes)]
        return tuple((a, b) for a, b in found if self.group[a] != self.group[b])

    def _may_float(self, k: int, turns: int) -> bool:
        return self.down[k][3] < turns or self.up[k][3] < turns

    def _across(self, nodes: Sequence[int], large: set[int]) -> Iterator[tuple[int, int]]:
        """Yield the pairs of different scores that the best choice may hold."""
        starts = [0]
        for members in self.groups:
            starts.append(starts[-1] + len(members))
        for at, a in enumerate(nodes):
            for b in nodes[at + 1 :]:
                g, h = self.group[a], self.group[b]
                if g == h:
                    continue
                if starts[h] - starts[g + 1] > 4 * self.most or (
                    h > g + 1 and not large.isdisjoint(range(g + 1, h))
                ):
                    break
                if b not in self.foes[a]:
                    yield a, b

    def cost(self, a: int, b: int) -> tuple[int, ...]:
        """Return what a pair of different scores costs, a having more."""
        down, up = self.down[a], self.up[b]
        return (
            self.scores[a] - self.scores[b],
            (self.group[b] - self.group[a]) ** 2,
            down[0] + up[0],
            down[1] + up[1],
            min(abs(self.leads[a]), abs(self.leads[b])) if self.leads[a] * self.leads[b] > 0 else 0,
            down[2],
            up[2],
        )

    def needed(self, chosen: Pairs) -> int:
        """Return how many of a group may float, at most, in any choice that is as good as this one."""
        excess = sum(self.scores[a] - self.scores[b] for a, b in chosen)
        least, above = 1, 0
        for upper, lower in zip(self.groups, self.groups[1:], strict=False):
            above += len(upper)
            width = self.scores[upper[0]] - self.scores[lower[0]]
            least = width if upper is self.groups[0] else min(least, width)
            excess -= width * (above % 2)
        return 2 + 2 * (excess // least)

    def choose_again(self) -> Pairs:
        """Return the best choice where somebody has to meet an opponent, or have a bye, again."""
        edges: list[Edge] = []
        for a, b in combinations(range(self.size), 2):
            cost = NO_COST if self.group[a] == self.group[b] else self.cost(a, b)
            edges.append((a, b, (int(b in self.foes[a]), *cost)))
        pairs = match_levels(self.size, edges, self.seed)
        return tuple((a, b) for a, b in pairs if self.group[a] != self.group[b] or b in self.foes[a])


def pair_group(group: Sequence[Contender], seed: int) -> Pairs:
    """Return the pairs of a group, an even number, in the order of rank, as indices into it.

    Raises ValueError where somebody would have to meet an opponent again.
    """
    import numpy as np  # noqa: PLC0415 - slow to import, and only this needs it

    count = len(group)
    half = count // 2
    folded = [(group[k], group[k + half]) for k in range(half)]
    middle = sorted(contender.lead for contender in group)[half] if count else 0
    if all(b.number not in a.met and _apart(a, b, middle) == 0 for a, b in folded):
        return tuple((k, k + half) for k in range(half))
    places = np.arange(count, dtype=np.int64)
    off = (np.abs(places[:, None] - places[None, :]) - half) ** 2
    leads = np.array([contender.lead for contender in group], dtype=np.int64)
    # The squares of both leads after the round are least for the pair's difference: 2 - 2 |a - b| more than
    # before. With the distances from the middle added, which sum up to the same whoever meets whom, the cost
    # is never below 0, and it is 0 where the leads lie on both sides of the middle.
    far = np.abs(leads - middle)
    uneven = far[:, None] + far[None, :] - np.abs(leads[:, None] - leads[None, :])
    cost = uneven * (count**3 // 8 + 1) + off
    index = {contender.number: k for k, contender in enumerate(group)}
    allowed = ~np.eye(count, dtype=np.bool_)
    for k, contender in enumerate(group):
        for number in contender.met:
            if number in index:
                allowed[k, index[number]] = allowed[index[number], k] = False
    return match_matrix(cost, allowed, seed)


def _apart(a: Contender, b: Contender, middle: int) -> int:
    return abs(a.lead - middle) + abs(b.lead - middle) - abs(a.lead - b.lead)


def pair_round(field: Sequence[Contender], floats: Pairs, seed: int) -> Pairs:
    """Return all pairs of a round as indices into ``field``, which is sorted by score, then by rank."""
    gone = {k for pair in floats for k in pair}
    pairs = list(floats)
    start = 0
    while start < len(field):
        end = start
        while end < len(field) and field[end].score == field[start].score:
            end += 1
        left = [k for k in range(start, end) if k not in gone]
        pairs += [(left[a], left[b]) for a, b in pair_group([field[k] for k in left], seed)]
        start = end
    return tuple(sorted(pairs))
