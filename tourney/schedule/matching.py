"""Cheapest matchings in integers: of a few edges with costs on several levels, or of a whole cost matrix.

rustworkx does the work (Edmonds' blossom algorithm) with weights of 128 bits. Their lowest bits hold a number
that the seed gives each edge, so that of many matchings of equal cost one is cheapest (Mulmuley, Vazirani and
Vazirani, 1987: it is unique except with probability below edges / 2**bits). So the result depends neither on
the order of the edges nor on the library's search.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import numpy as np

    Matrix = np.ndarray[tuple[int, int], np.dtype[np.int64]]
    Mask = np.ndarray[tuple[int, int], np.dtype[np.bool_]]
    Vector = np.ndarray[tuple[int], np.dtype[np.int64]]

Edge = tuple[int, int, tuple[int, ...]]
"""Two nodes and a cost for each level, the most important first, none below 0."""

_BITS: Final = 124
_NOISE: Final = 40
_FEWEST: Final = 16
_U64: Final = (1 << 64) - 1
_AROUND: Final = 12
"""Edges per node in the first attempt to match a matrix."""
_SMALL: Final = 48
"""Up to this number of nodes all edges are used at once."""
_ROUNDS: Final = 50
"""The most rounds of an auction per node, finished or not."""


def match_levels(nodes: int, edges: Sequence[Edge], seed: int) -> tuple[tuple[int, int], ...]:
    """Return the cheapest of the largest matchings of a graph, as sorted pairs.

    Costs are compared level by level: less on a higher level outweighs everything below. If the sums of all
    levels do not fit into the weights, as few of the lowest levels as possible are left out. Raise ValueError
    if not even the first fits.
    """
    if not edges:
        return ()
    room = _BITS - _FEWEST - nodes.bit_length()
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
    return _cheapest(nodes, [(a, b, w) for (a, b, _), w in zip(edges, weights, strict=True)], seed, noise)


def match_matrix(cost: "Matrix", allowed: "Mask", seed: int) -> tuple[tuple[int, int], ...]:
    """Return the cheapest perfect matching for a symmetric ``cost`` of at least 0, as sorted pairs.

    ``allowed``, symmetric too, marks the pairs that may be matched. Raise ValueError if there is no perfect
    matching.

    Most edges are left out, because they cannot be in the result: if numbers y satisfy y[i] + y[j] <=
    cost[i][j] for every edge, a matching costs at least the sum of all y plus the slack of any one of its
    edges. So once a matching has slacks that add up to no more than ``limit``, no edge of a slack above
    ``limit`` is in a cheaper one. The result is exact for any y; good ones only make it fast.
    """
    import numpy as np  # noqa: PLC0415 - slow to import, and only this needs it

    count = len(cost)
    upper = np.triu(allowed, 1)
    twice = _potentials(cost, allowed) if count > _SMALL else np.zeros(count, dtype=np.int64)
    slack = 2 * cost - twice[:, None] - twice[None, :]
    slacks = slack[upper]
    first, second = np.nonzero(upper)
    enough = len(slacks) if count <= _SMALL else _AROUND * count
    total: int | None = None
    while True:
        everything = enough >= len(slacks)
        limit = int(slacks.max(initial=0)) if everything else int(np.partition(slacks, enough)[enough])
        if total is not None:
            limit = min(limit, total)
        chosen = slacks <= limit
        edges = zip(first[chosen].tolist(), second[chosen].tolist(), slacks[chosen].tolist(), strict=True)
        pairs = _cheapest(count, edges, seed, _NOISE)
        if 2 * len(pairs) == count:
            total = sum(int(slack[a, b]) for a, b in pairs)
            if total <= limit or everything:
                return pairs
        elif everything:
            raise ValueError("there is no perfect matching")
        enough *= 3


def _cheapest(
    nodes: int, edges: Iterable[tuple[int, int, int]], seed: int, noise: int
) -> tuple[tuple[int, int], ...]:
    import rustworkx  # noqa: PLC0415 - slow to import, and only this needs it

    shift = noise + nodes.bit_length()  # so that the numbers of all edges add up to less than a cost of 1
    graph: rustworkx.PyGraph[int, int] = rustworkx.PyGraph(multigraph=True)
    graph.add_nodes_from(range(nodes))
    graph.add_edges_from([(a, b, -(w << shift | _mixed(seed, a, b) >> 64 - noise)) for a, b, w in edges])
    found = rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=int)
    return tuple(sorted((min(pair), max(pair)) for pair in found))


def _mixed(seed: int, a: int, b: int) -> int:
    """Return 64 hashed bits of a seed and two numbers (the finaliser of SplitMix64)."""
    z = (seed + (min(a, b) << 32 | max(a, b)) * 0x9E3779B97F4A7C15) & _U64
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & _U64
    z = (z ^ z >> 27) * 0x94D049BB133111EB & _U64
    return z ^ z >> 31


def _potentials(cost: "Matrix", allowed: "Mask") -> "Vector":
    """Return twice the numbers y of ``match_matrix``, with a sum near the greatest possible.

    They come from the prices of an auction (Bertsekas, 1988) in which every node bids for a partner: at the
    end each has nearly the best partner at those prices.
    """
    import numpy as np  # noqa: PLC0415 - slow to import, and only this needs it

    count = len(cost)
    far = np.int64(4 * (int(cost[allowed].max(initial=0)) + 1))
    value = np.where(allowed, cost, far)
    prices = np.zeros(count, dtype=np.int64)
    step = max(1, int(far) >> 10)
    rounds = 0
    while True:
        owner = np.full(count, -1, dtype=np.int64)
        has = np.full(count, -1, dtype=np.int64)
        while rounds < _ROUNDS * count:
            bidders = np.flatnonzero(has < 0)
            if not len(bidders):
                break
            rounds += 1
            net = value[bidders] + prices
            best = net.argmin(axis=1)
            least = net[np.arange(len(bidders)), best]
            net[np.arange(len(bidders)), best] = np.iinfo(np.int64).max
            bids = net.min(axis=1) - least + step
            order = np.lexsort((-bidders, bids))  # of several bids for one partner the last one stays
            bidders, best, bids = bidders[order], best[order], bids[order]
            winner = np.full(count, -1, dtype=np.int64)
            winner[best] = np.arange(len(best))
            taken = np.flatnonzero(winner >= 0)
            won = winner[taken]
            losers = owner[taken]
            has[losers[losers >= 0]] = -1
            owner[taken] = bidders[won]
            has[bidders[won]] = taken
            prices[taken] += bids[won]
        if step == 1 or rounds >= _ROUNDS * count:
            break
        step = max(1, step // 5)
    return np.asarray((value + prices).min(axis=1) - prices, dtype=np.int64)
