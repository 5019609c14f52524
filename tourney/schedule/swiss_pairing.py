"""Pairing of a Swiss round for two seats, in two steps: pairs across score groups, then pairs within them.

The first step chooses the floats: pairs across score groups, and the bye, which counts as an opponent below
all others. It minimises the following sums over all pairs, in this order:

1. repeated meetings and repeated byes (0 wherever a round without them exists);
2. the difference of the scores;
3. the square of the distance in score groups;
4. entrants that float the same way as in the round before (down: the opponent has less, or is the bye);
5. entrants that float the same way as two rounds before;
6. the smaller of two seat balances on the same side of 0, when both sat first too often, or too seldom;
7. the distance of an entrant that floats down from the lower end of its group, after those with a better
   float history;
8. the distance of an entrant that floats up from the upper end, likewise.

The second step pairs the rest of each group within it.

Only few pairs are examined; the others cannot be in the best choice. Let R be the largest number of opponents
that an entrant present has met (or the number of byes given). Exchanging partners proves of the best choice:

(a) A pair has at most 4 R entrants strictly between its scores: every pair that one of them is in could be
    exchanged with it for the better, unless one of two exchanges repeats a meeting; at most 2 R of these
    pairs are in the way, with two entrants each.
(b) A group is large from 2 R + 2 + F entrants on, where at most F of a group float. The rest of a large group
    can always be paired: each of its entrants may meet at least half of the others (Dirac, 1952). So none
    floats past it, because two of it could be put between; and an entrant that floats down from it is one of
    the first R + F + 1 with its balance in the order of 4, 5 and 7, since at most R of these have met the
    opponent and at most F - 1 float as well; likewise up. All others of the group only decide whether an odd
    number remains.
(c) Between two neighbouring scores an odd number of pairs crosses if an odd number of entrants has the higher
    score or more, so the sum of 2 has a least value, and a choice that exceeds it by e sends at most
    2 + 2 e / w of a group across, w being the least difference of two scores. A choice made with a smaller F
    is made again with this one.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, combinations, groupby, pairwise

from tourney.schedule.matching import Edge, match_levels, match_matrix

NO_COST = (0, 0, 0, 0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class PairingCard:
    """The data of an entrant that the pairing uses.

    ``score`` in units; ``rank`` from 0 in seeding order. ``floated``: 1 up, -1 down, 0 neither, in the round
    before and two rounds before. ``balance``: rounds in which it came first in its pair less those in which
    it came second; ``last``: 1 or -1 for its last pair, 0 before the first. ``bye``: whether it has had one.
    """

    number: int
    score: int
    rank: int
    met: frozenset[int] = frozenset()
    floated: tuple[int, int] = (0, 0)
    balance: int = 0
    last: int = 0
    bye: bool = False


Pairs = tuple[tuple[int, int], ...]
"""Indices of cards; the index after the last stands for the bye."""


def choose_floats(cards: Sequence[PairingCard], seed: int) -> Pairs:
    """Return the pairs across groups, and those within a group that must repeat a meeting.

    ``cards`` are sorted by score (best first), then by rank. With an odd number one gets the bye.
    """
    step = _Step(cards, seed)
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
    def __init__(self, cards: Sequence[PairingCard], seed: int) -> None:
        self.seed = seed
        self.cards = cards
        self.size = len(cards) + len(cards) % 2
        self.scores = [card.score for card in cards]
        index = {card.number: k for k, card in enumerate(cards)}
        self.foes = [{index[n] for n in card.met if n in index} for card in cards]
        if self.size > len(cards):
            self.scores.append(min(self.scores, default=0) - 1)
            self.foes.append({k for k, card in enumerate(cards) if card.bye})
            for k in self.foes[-1]:
                self.foes[k].add(len(cards))
        self.most = max(map(len, self.foes), default=0)
        self.groups = [list(group) for _, group in groupby(range(self.size), key=lambda k: self.scores[k])]
        self.group = [g for g, members in enumerate(self.groups) for _ in members]
        self.balances = [card.balance for card in cards] + [0] * (self.size - len(cards))
        self.down = self._turns(-1)
        self.up = self._turns(1)

    def _turns(self, way: int) -> list[tuple[int, int, int, int]]:
        """Return for each entrant whether it floated this way in the last round and in the one before.

        Third comes its turn to float in its group, last its turn among those of its balance.
        """
        turns = [(0, 0, 0, 0)] * self.size
        for members in self.groups:
            listed: list[tuple[int, int, int, int]] = []
            for k in members if way > 0 else reversed(members):
                last, before = self.cards[k].floated if k < len(self.cards) else (0, 0)
                listed.append((int(last == way), int(before == way), len(listed), k))
            alike = Counter[int]()
            for turn, (last, before, _, k) in enumerate(sorted(listed)):
                turns[k] = (last, before, turn, alike[self.balances[k]])
                alike[self.balances[k]] += 1
        return turns

    def large(self, floats: int) -> set[int]:
        """Return the large groups: their rest can be paired whichever entrants float."""
        least = 2 * self.most + 2 + floats
        return {g for g, members in enumerate(self.groups) if len(members) >= least}

    def choose(self, floats: int) -> Pairs | None:
        """Return the best choice with at most ``floats`` of a group, or None if there is none."""
        large = self.large(floats)
        turns = self.most + floats + 1
        nodes = [
            k
            for k in range(self.size)
            if self.group[k] not in large or min(self.down[k][3], self.up[k][3]) < turns
        ]
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
        """Return the cost of a pair of different scores, a having more."""
        down, up = self.down[a], self.up[b]
        one, other = self.balances[a], self.balances[b]
        return (
            self.scores[a] - self.scores[b],
            (self.group[b] - self.group[a]) ** 2,
            down[0] + up[0],
            down[1] + up[1],
            min(abs(one), abs(other)) if one * other > 0 else 0,
            down[2],
            up[2],
        )

    def needed(self, chosen: Pairs) -> int:
        """Return the most of a group that may float in any choice as good as this one."""
        widths = [self.scores[upper[0]] - self.scores[lower[0]] for upper, lower in pairwise(self.groups)]
        above = accumulate(map(len, self.groups))
        excess = sum(self.scores[a] - self.scores[b] for a, b in chosen)
        excess -= sum(width * (count % 2) for width, count in zip(widths, above, strict=False))
        return 2 + 2 * (excess // min(widths, default=1))

    def choose_again(self) -> Pairs:
        """Return the best choice where a meeting or a bye must be repeated."""
        edges: list[Edge] = [
            (
                a,
                b,
                (int(b in self.foes[a]), *(NO_COST if self.group[a] == self.group[b] else self.cost(a, b))),
            )
            for a, b in combinations(range(self.size), 2)
        ]
        pairs = match_levels(self.size, edges, self.seed)
        return tuple((a, b) for a, b in pairs if self.group[a] != self.group[b] or b in self.foes[a])


def pair_group(group: Sequence[PairingCard], seed: int) -> Pairs:
    """Return the pairs of a group of even size, in the order of rank, as indices into it.

    Raise ValueError where a meeting would have to be repeated.
    """
    import numpy as np  # noqa: PLC0415 - slow to import, and only this needs it

    count = len(group)
    half = count // 2
    folded = [(group[k], group[k + half]) for k in range(half)]
    middle = sorted(card.balance for card in group)[half] if count else 0
    if all(b.number not in a.met and _apart(a, b, middle) == 0 for a, b in folded):
        return tuple((k, k + half) for k in range(half))
    places = np.arange(count, dtype=np.int64)
    off = (np.abs(places[:, None] - places[None, :]) - half) ** 2
    balances = np.array([card.balance for card in group], dtype=np.int64)
    # A round changes the sum of the squares of both balances by 2 - 2 |a - b|. With the distances from the
    # middle added, which sum up to the same for all pairings, the cost is never below 0, and it is 0 where
    # the balances lie on both sides of the middle.
    far = np.abs(balances - middle)
    uneven = far[:, None] + far[None, :] - np.abs(balances[:, None] - balances[None, :])
    cost = uneven * (count**3 // 8 + 1) + off
    index = {card.number: k for k, card in enumerate(group)}
    allowed = ~np.eye(count, dtype=np.bool_)
    for k, card in enumerate(group):
        for number in card.met:
            if number in index:
                allowed[k, index[number]] = allowed[index[number], k] = False
    return match_matrix(cost, allowed, seed)


def _apart(a: PairingCard, b: PairingCard, middle: int) -> int:
    return abs(a.balance - middle) + abs(b.balance - middle) - abs(a.balance - b.balance)


def pair_round(cards: Sequence[PairingCard], floats: Pairs, seed: int) -> Pairs:
    """Return all pairs of a round as indices into ``cards``, which are sorted by score, then by rank."""
    gone = {k for pair in floats for k in pair}
    pairs = list(floats)
    for _, group in groupby(range(len(cards)), key=lambda k: cards[k].score):
        left = [k for k in group if k not in gone]
        pairs += [(left[a], left[b]) for a, b in pair_group([cards[k] for k in left], seed)]
    return tuple(sorted(pairs))
