"""Minimum-cost matchings with several levels of costs."""

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tourney.schedule import matching
from tourney.schedule.matching import Edge, match_levels, match_matrix
from tourney.seeds import derive, uniform

if TYPE_CHECKING:
    from tourney.schedule.matching import Mask, Matrix


def best(nodes: frozenset[int], edges: dict[frozenset[int], tuple[int, ...]]) -> list[tuple[object, ...]]:
    """Return the costs of the best of all matchings with the most pairs."""
    if not nodes:
        return [(0,)]
    first = min(nodes)
    found: list[tuple[object, ...]] = list(best(nodes - {first}, edges))
    for pair, cost in edges.items():
        if first in pair and pair <= nodes:
            for tail in best(nodes - pair, edges):
                sums = cost if len(tail) == 1 else tuple(a + b for a, b in zip(cost, tail[1:], strict=True))  # type: ignore[operator]  # the sums are integers
                found.append((tail[0] - 1, *sums))  # type: ignore[operator]  # likewise the number of pairs
    return found


@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(
        st.sets(st.integers(0, 6), min_size=2, max_size=2).map(frozenset),
        st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 9)),
        min_size=1,
        max_size=14,
    ),
    st.integers(0, 2**64 - 1),
)
def test_cheapest_of_the_largest_matchings_is_found(
    edges: dict[frozenset[int], tuple[int, ...]], seed: int
) -> None:
    """Compared with all matchings: the most pairs first, then the costs level by level."""
    listed: list[Edge] = [(min(pair), max(pair), cost) for pair, cost in edges.items()]
    pairs = match_levels(7, listed, seed)
    assert len({node for pair in pairs for node in pair}) == 2 * len(pairs)
    costs = [edges[frozenset(pair)] for pair in pairs]
    assert (-len(pairs), *map(sum, zip(*costs, strict=True))) == min(best(frozenset(range(7)), edges))


def test_matching_ignores_edge_order_and_ties() -> None:
    """All perfect matchings cost the same; the seed alone chooses."""
    edges: list[Edge] = [(a, b, (1, 0)) for a, b in combinations(range(8), 2)]
    found = {match_levels(8, edges[k:] + edges[:k], 5) for k in range(len(edges))}
    assert len(found) == 1
    assert len({match_levels(8, edges, seed) for seed in range(20)}) > 5


def test_costs_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="costs of a matching of 2 nodes take 131 bits"):
        match_levels(2, [(0, 1, (1 << 130,))], 1)
    assert match_levels(2, [(0, 1, (1 << 90,))], 1) == ((0, 1),)
    assert match_levels(4, [], 1) == ()


def test_lowest_levels_are_dropped_when_weights_overflow() -> None:
    """The levels that fit decide as they would without those that do not."""
    samples = [uniform(derive(5, "level", a, b), 1 << 30) for a, b in combinations(range(8), 2)]
    pairs = list(combinations(range(8), 2))
    few: list[Edge] = [(a, b, (x >> 27, x >> 10)) for (a, b), x in zip(pairs, samples, strict=True)]
    more: list[Edge] = [(a, b, (*costs, x << 70, x)) for (a, b, costs), x in zip(few, samples, strict=True)]
    assert match_levels(8, more, 1) == match_levels(8, few, 1)
    fits: list[Edge] = [(a, b, (*costs, x)) for (a, b, costs), x in zip(few, samples, strict=True)]
    assert match_levels(8, fits, 1) == match_levels(8, few, 1)  # the first two leave no tie


def matrix(count: int, seed: int, high: int, kept: int) -> "tuple[Matrix, Mask]":
    """Return costs below ``high``; ``kept`` of a hundred pairs are allowed, and a perfect matching always."""
    cost = np.zeros((count, count), dtype=np.int64)
    allowed = np.zeros((count, count), dtype=np.bool_)
    for a, b in combinations(range(count), 2):
        cost[a, b] = cost[b, a] = uniform(derive(seed, "cost", a, b), high)
        allowed[a, b] = allowed[b, a] = uniform(derive(seed, "kept", a, b), 100) < kept
    for a in range(0, count, 2):
        allowed[a, a + 1] = allowed[a + 1, a] = True
    return cost, allowed


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 45), st.integers(0, 2**64 - 1), st.sampled_from([2, 10, 10**6]), st.integers(0, 100))
def test_omitted_edges_do_not_change_the_cost(half: int, seed: int, high: int, kept: int) -> None:
    """The matching of a few edges costs the same as that of all edges."""
    cost, allowed = matrix(2 * half, seed, high, kept)
    pairs = match_matrix(cost, allowed, seed)
    assert len(pairs) == half
    assert all(allowed[pair] for pair in pairs)
    edges: list[Edge] = [
        (a, b, (int(cost[a, b]),)) for a, b in combinations(range(2 * half), 2) if allowed[a, b]
    ]
    whole = match_levels(2 * half, edges, seed)
    assert sum(int(cost[pair]) for pair in pairs) == sum(int(cost[pair]) for pair in whole)


def test_bad_prices_do_not_change_the_matching(monkeypatch: pytest.MonkeyPatch) -> None:
    cost, allowed = matrix(90, 4, 1000, 70)
    good = match_matrix(cost, allowed, 4)
    monkeypatch.setattr(matching, "_ROUNDS", 0)
    assert match_matrix(cost, allowed, 4) == good
    monkeypatch.setattr(matching, "_potentials", lambda cost, _: np.zeros(len(cost), dtype=np.int64))
    assert match_matrix(cost, allowed, 4) == good


@pytest.mark.parametrize("seed", range(12))
def test_first_matching_found_may_be_improved(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """With few edges and no prices, only the bound decides when to stop."""
    cost, allowed = matrix(56, seed, 1000, 100)
    good = match_matrix(cost, allowed, seed)
    monkeypatch.setattr(matching, "_AROUND", 3)
    monkeypatch.setattr(matching, "_potentials", lambda cost, _: np.zeros(len(cost), dtype=np.int64))
    assert match_matrix(cost, allowed, seed) == good


@pytest.mark.parametrize("count", [3, 4, 60])
def test_graph_without_a_perfect_matching_is_refused(count: int) -> None:
    """A star has none, nor has an odd number of nodes."""
    allowed = np.zeros((count, count), dtype=np.bool_)
    allowed[0, 1:] = allowed[1:, 0] = True
    with pytest.raises(ValueError, match="no perfect matching"):
        match_matrix(np.ones((count, count), dtype=np.int64), allowed, 1)
