"""Pairing of a Swiss round for two seats: pairs across score groups first, then pairs within them.

The first step chooses the floats: pairs across score groups, and the bye, which counts as an opponent below
all others. It minimises the following sums over all pairs, in this order: (1) repeated meetings and repeated
byes, 0 wherever a round without them exists; (2) the difference of the scores; (3) the square of the distance
in score groups; (4) entrants that float the same way as in the round before (down: the opponent has less, or
is the bye); (5) those that float the same way as two rounds before; (6) the smaller of two seat balances on
the same side of 0, when both sat first too often, or too seldom; (7) the distance of an entrant that floats
down from the lower end of its group, after those with a better float history; (8) the distance of an entrant
that floats up from the upper end, likewise. The second step pairs the rest of each group within it. Each is a
minimum-cost matching in integers by rustworkx (Edmonds' blossom algorithm); docs/explanation/formats.md says
why the first step needs to consider few entrants of a large group.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import accumulate, chain, combinations, groupby, pairwise
from typing import Final, NamedTuple

from tourney.schedule.player_history import PairingCard

Pairs = tuple[tuple[int, int], ...]  # indices of cards; the index after the last stands for the bye
Edge = tuple[int, int, tuple[int, ...]]
"""Two nodes and a cost for each level, the most important first, none below 0."""

NO_COST = (0, 0, 0, 0, 0, 0, 0)
LARGEST: Final = 500
"""A larger score group is not paired exactly: each entrant may meet those near its place in the fold only."""
_NEAR: Final = 60  # the most places between the two, tripled as long as there is no pairing
_BITS: Final = 124
_NOISE: Final = 40  # bits of the hash that chooses among equal matchings
_LEAST_NOISE: Final = 16  # bits of noise that must stay when costs are large
_U64: Final = (1 << 64) - 1


def pair_round(cards: Sequence[PairingCard], seed: int) -> Pairs:
    """All pairs of a round; ``cards`` are sorted by score (best first), then by rank.

    With an odd number one entrant gets the bye.
    """
    floats = choose_floats(cards, seed)
    gone = {k for pair in floats for k in pair}
    pairs = list(floats)
    for _, group in groupby(range(len(cards)), key=lambda k: cards[k].score):
        left = [k for k in group if k not in gone]
        pairs += [(left[a], left[b]) for a, b in pair_group([cards[k] for k in left], seed)]
    return tuple(sorted(pairs))


def choose_floats(cards: Sequence[PairingCard], seed: int) -> Pairs:
    """The pairs across groups, and those within a group that must repeat a meeting."""
    step = _FloatChoice(cards, seed)
    floats = 2
    while True:
        # The graph is small because it assumes few floats of each group. A choice that leaves room for a
        # better one with more floats is made again with that number; it grows each time, so the loop ends.
        chosen = step.choose(floats)
        if chosen is not None:
            needed = step.needed(chosen)
            if needed <= floats:
                return chosen
            floats = needed
        elif step.large(floats):
            floats *= 2
        else:
            return step.choose_with_repeats()


class FloatTurn(NamedTuple):
    """An entrant's turn to float one way.

    ``last`` and ``before`` are 1 if it floated this way in the last round, and in the one before.
    ``in_group`` is its turn in its score group, ``among_balance`` that among the group's entrants of its
    balance.
    """

    last: int
    before: int
    in_group: int
    among_balance: int


class _FloatChoice:
    """The first step: indices of cards, their score groups, and the opponents that they have met."""

    def __init__(self, cards: Sequence[PairingCard], seed: int) -> None:
        self.seed = seed
        self.cards = cards
        self.size = len(cards) + len(cards) % 2
        self.scores = [card.score for card in cards]
        index = {card.number: k for k, card in enumerate(cards)}
        self.foes = [{index[n] for n in card.met if n in index} for card in cards]
        if self.size > len(cards):
            self.scores.append(min(self.scores, default=0) - 1)
            self.foes.append({k for k, card in enumerate(cards) if card.byes})
            for k in self.foes[-1]:
                self.foes[k].add(len(cards))
        self.most_foes = max(map(len, self.foes), default=0)
        self.groups = [list(group) for _, group in groupby(range(self.size), key=lambda k: self.scores[k])]
        self.group = [g for g, members in enumerate(self.groups) for _ in members]
        self.balances = [card.balance for card in cards] + [0] * (self.size - len(cards))
        self.down = self._turns(-1)
        self.up = self._turns(1)

    def _turns(self, way: int) -> list[FloatTurn]:
        """The turn of each entrant to float this way."""
        turns = [FloatTurn(0, 0, 0, 0)] * self.size
        for members in self.groups:
            listed: list[tuple[int, int, int, int]] = []
            for k in members if way > 0 else reversed(members):
                last, before = self.cards[k].floated if k < len(self.cards) else (0, 0)
                listed.append((int(last == way), int(before == way), len(listed), k))
            alike = Counter[int]()
            for turn, (last, before, _, k) in enumerate(sorted(listed)):
                turns[k] = FloatTurn(last, before, turn, alike[self.balances[k]])
                alike[self.balances[k]] += 1
        return turns

    def large(self, floats: int) -> set[int]:
        """The groups so large that the rest can be paired without repeats, whichever entrants float."""
        least = 2 * self.most_foes + 2 + floats
        return {g for g, members in enumerate(self.groups) if len(members) >= least}

    def choose(self, floats: int) -> Pairs | None:
        """The best choice with at most ``floats`` of a group, or None if there is none.

        Of a large group only the first in turn are nodes of the graph; all others can be paired with each
        other, so they only decide whether an odd number remains. A filler node stands for that one.
        """
        large = self.large(floats)
        turns = self.most_foes + floats + 1
        listed = [
            [
                k
                for k in members
                if g not in large or min(self.down[k].among_balance, self.up[k].among_balance) < turns
            ]
            for g, members in enumerate(self.groups)
        ]
        nodes = list(chain(*listed))
        place = {k: at for at, k in enumerate(nodes)}
        edges: list[Edge] = []
        count = len(nodes)
        for g, inside in enumerate(listed):
            places = [place[k] for k in inside]
            if (len(self.groups[g]) - len(inside)) % 2:
                places.append(count)
                count += 1
            edges += [
                (a, b, NO_COST)
                for a, b in combinations(places, 2)
                if g in large or nodes[b] not in self.foes[nodes[a]]
            ]
            for h in range(g + 1, len(listed)):
                edges += [
                    (place[a], place[b], self.cost(a, b))
                    for a in inside
                    for b in listed[h]
                    if b not in self.foes[a]
                ]
                if h in large:
                    break  # a float past a large group costs more than two floats with one of its entrants
        pairs = match_levels(count, edges, self.seed)
        if 2 * len(pairs) < count:
            return None
        chosen = [(nodes[a], nodes[b]) for a, b in pairs if b < len(nodes)]
        return tuple((a, b) for a, b in chosen if self.group[a] != self.group[b])

    def cost(self, a: int, b: int) -> tuple[int, ...]:
        """The cost of a pair of different scores, a having more."""
        down = self.down[a]
        up = self.up[b]
        balance_a = self.balances[a]
        balance_b = self.balances[b]
        return (
            self.scores[a] - self.scores[b],
            (self.group[b] - self.group[a]) ** 2,
            down.last + up.last,
            down.before + up.before,
            min(abs(balance_a), abs(balance_b)) if balance_a * balance_b > 0 else 0,
            down.in_group,
            up.in_group,
        )

    def needed(self, chosen: Pairs) -> int:
        """The most of a group that may float in any choice as good as this one.

        An odd number of pairs crosses between two scores if an odd number of entrants has the higher one or
        more; so a least sum of differences is known, and only what exceeds it pays for further floats.
        """
        widths = [self.scores[upper[0]] - self.scores[lower[0]] for upper, lower in pairwise(self.groups)]
        above = accumulate(map(len, self.groups))
        excess = sum(self.scores[a] - self.scores[b] for a, b in chosen)
        excess -= sum(width * (count % 2) for width, count in zip(widths, above, strict=False))
        return 2 + 2 * (excess // min(widths, default=1))

    def choose_with_repeats(self) -> Pairs:
        """The best choice where a meeting or a bye must be repeated: of all pairs."""
        edges: list[Edge] = []
        for a, b in combinations(range(self.size), 2):
            across = NO_COST if self.group[a] == self.group[b] else self.cost(a, b)
            edges.append((a, b, (int(b in self.foes[a]), *across)))
        pairs = match_levels(self.size, edges, self.seed)
        return tuple((a, b) for a, b in pairs if self.group[a] != self.group[b] or b in self.foes[a])


def pair_group(group: Sequence[PairingCard], seed: int) -> Pairs:
    """The pairs of a group of even size, in the order of rank, as indices into it.

    Its first half meets its second half, each entrant the one half a group below it, as far as meetings and
    balances allow. Raises ValueError where a meeting would have to be repeated.
    """
    count = len(group)
    half = count // 2
    middle = sorted(card.balance for card in group)[half] if count else 0
    scale = count**3 // 8 + 1  # more than all squares of distances from the fold together

    def cost(a: int, b: int) -> int:
        # A round changes the sum of the squares of both balances by 2 - 2 |a - b|. With the distances from
        # the middle added, which sum up to the same for all pairings, the cost is never below 0, and it is 0
        # where the balances lie on both sides of the middle.
        balance_a = group[a].balance
        balance_b = group[b].balance
        uneven = abs(balance_a - middle) + abs(balance_b - middle) - abs(balance_a - balance_b)
        return uneven * scale + (b - a - half) ** 2

    if all(group[k + half].number not in group[k].met and not cost(k, k + half) for k in range(half)):
        return tuple((k, k + half) for k in range(half))
    near = count if count <= LARGEST else _NEAR
    while True:
        pairs = _cheapest(
            count,
            (
                (a, b, cost(a, b))
                for a in range(count)
                for b in range(max(a + 1, a + half - near), min(count, a + half + near + 1))
                if group[b].number not in group[a].met
            ),
            seed,
            _NOISE,
        )
        if 2 * len(pairs) == count:
            return pairs
        if near >= count:
            raise ValueError("there is no pairing without a repeated meeting")
        near *= 3


def match_levels(nodes: int, edges: Sequence[Edge], seed: int) -> Pairs:
    """The cheapest of the largest matchings of a graph, as sorted pairs.

    Costs are compared level by level: less on a higher level outweighs everything below. If the sums of all
    levels do not fit into the weights, as few of the lowest levels as possible are left out. Raises
    ValueError if not even the first fits.
    """
    if not edges:
        return ()
    room = _BITS - _LEAST_NOISE - nodes.bit_length()
    weights = [0] * len(edges)
    used = 0
    for level in range(len(edges[0][2])):
        worst = [0] * nodes
        for a, b, costs in edges:
            worst[a] = max(worst[a], costs[level])
            worst[b] = max(worst[b], costs[level])
        bits = (sum(worst) // 2).bit_length()
        if used + bits > room:
            if not level:
                raise ValueError(f"the costs of a matching of {nodes} nodes take {bits} bits")
            break
        used += bits
        for k, (_, _, costs) in enumerate(edges):
            weights[k] = weights[k] << bits | costs[level]
    noise = min(_NOISE, _BITS - used - nodes.bit_length())
    return _cheapest(nodes, ((a, b, w) for (a, b, _), w in zip(edges, weights, strict=True)), seed, noise)


def _cheapest(nodes: int, edges: Iterable[tuple[int, int, int]], seed: int, noise: int) -> Pairs:
    """The cheapest of the largest matchings. Of several the seed decides.

    The lowest bits of a weight are a hash of the seed and the edge. So one of many matchings of equal cost is
    cheapest (Mulmuley, Vazirani and Vazirani, 1987: unique except with probability below edges / 2**noise),
    and the result depends neither on the order of the edges nor on the library's search.
    """
    import rustworkx  # noqa: PLC0415 - slow to import, and only this needs it

    shift = noise + nodes.bit_length()  # so that the hashes of all edges add up to less than a cost of 1
    graph: rustworkx.PyGraph[int, int] = rustworkx.PyGraph(multigraph=True)
    graph.add_nodes_from(range(nodes))
    graph.add_edges_from([(a, b, -(w << shift | _mixed(seed, a, b) >> 64 - noise)) for a, b, w in edges])
    matching = rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=int)
    return tuple(sorted((min(pair), max(pair)) for pair in matching))


def _mixed(seed: int, a: int, b: int) -> int:
    """64 hashed bits of a seed and two numbers (the finaliser of SplitMix64)."""
    z = (seed + (min(a, b) << 32 | max(a, b)) * 0x9E3779B97F4A7C15) & _U64
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & _U64
    z = (z ^ z >> 27) * 0x94D049BB133111EB & _U64
    return z ^ z >> 31
