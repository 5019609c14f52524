"""Superiority, ranks and connections against independent values."""

import math
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tourney.ratings.counts import components
from tourney.ratings.superiority import (
    critical,
    leaders,
    los,
    normals,
    ranges,
    ranks,
    spreads,
    stepped_down,
    uniforms,
)


def test_samples_are_a_function_of_their_labels() -> None:
    first = uniforms(3, "test", 1)
    assert first.tolist() == uniforms(3, "test", 1).tolist() == uniforms(9, "test", 1)[:3].tolist()
    assert first.tolist() != uniforms(3, "test", 2).tolist()
    # A different value would change published numbers.
    assert first[0] == pytest.approx(0.8174224660079792, abs=1e-15)


def test_normal_samples_are_normal() -> None:
    sample = normals(20_001, "test")
    assert sample.shape == (20_001,)
    assert abs(sample.mean()) < 0.03
    assert abs(sample.std() - 1) < 0.02
    for point in (-1.5, -0.5, 0.0, 1.0, 2.0):
        expected = math.erfc(-point / math.sqrt(2)) / 2
        assert abs(np.mean(sample < point) - expected) < 0.012


def test_los_of_a_pair_is_normal() -> None:
    assert los(0, 1) == los(0, 0) == 0.5
    assert los(1.959963984540054, 1) == pytest.approx(0.975)
    assert los(-30, 10) == pytest.approx(1 - los(30, 10))
    assert (los(1, 0), los(-1, 0)) == (1.0, 0.0)


def test_deviation_of_a_difference_uses_the_covariance() -> None:
    shared = np.array([[4.0, 3.0], [3.0, 4.0]])
    assert spreads(shared)[0, 1] == pytest.approx(math.sqrt(2))
    assert spreads(shared).diagonal().tolist() == [0, 0]


def test_best_of_two_has_the_los() -> None:
    covariance = np.array([[2.0, 0.5], [0.5, 1.0]])
    mean = np.array([0.6, 0.0])
    expected = los(0.6, float(spreads(covariance)[0, 1]))
    found = leaders(mean, covariance).shares
    assert found.sum() == pytest.approx(1)
    assert found[0] == pytest.approx(expected, abs=0.012)
    assert leaders(mean, covariance).shares.tolist() == found.tolist()


def test_equal_entrants_are_equally_likely_the_best() -> None:
    found = leaders(np.zeros(8), np.eye(8)).shares
    assert np.all(np.abs(found - 1 / 8) < 0.012)
    assert leaders(np.zeros(1), np.eye(1)).shares.tolist() == [1.0]
    assert leaders(np.zeros(0), np.zeros((0, 0))).shares.tolist() == []


def test_ranges_hold_all_ranks_together_and_are_narrower() -> None:
    """Of 400 pools whose truth is a sample of the posterior, 95 % have every rank in its range."""
    mean = np.linspace(3, -3, 12)
    covariance = 0.6 * np.eye(12) + 0.2
    posterior = leaders(mean, covariance)
    noise = normals(400 * 12, "test", "ranges").reshape(400, 12) @ np.linalg.cholesky(covariance).T
    true_ranks = 1 + np.argsort(np.argsort(-(mean + noise), axis=1), axis=1)
    inside = (posterior.first <= true_ranks) & (true_ranks <= posterior.last)
    assert 0.93 <= np.mean(inside.all(axis=1)) <= 0.985
    first, last = ranges(mean, stepped_down(mean, spreads(covariance)))
    assert (posterior.last - posterior.first).sum() < 0.85 * (last - first).sum()


@pytest.mark.parametrize(("los_of_first", "last"), [(0.965, 2), (0.985, 1)])
def test_order_of_two_is_certain_as_their_difference_is(los_of_first: float, last: int) -> None:
    gap = NormalDist().inv_cdf(los_of_first) * math.sqrt(2)
    assert leaders(np.array([gap, 0.0]), np.eye(2)).last[0] == last


def test_entrants_that_results_do_not_distinguish_have_equal_ranges() -> None:
    posterior = leaders(np.array([1.0, 0.0, 0.0, 0.0, -1.0]), 0.1 * np.eye(5))
    assert len({*zip(posterior.first[1:4].tolist(), posterior.last[1:4].tolist(), strict=True)}) == 1


def test_equal_ratings_share_a_rank() -> None:
    assert ranks(np.array([3.0, 1.0, 3.0, 2.0])).tolist() == [1, 4, 1, 3]


def test_rank_range_covers_all_ranks_that_comparisons_allow() -> None:
    mean = np.array([100.0, 90.0, 0.0])
    spread = np.full((3, 3), 10.0)
    first, last = ranges(mean, critical(len(mean)) * spread)
    assert (first.tolist(), last.tolist()) == ([1, 1, 3], [2, 2, 3])


def test_critical_distance_grows_with_the_pool() -> None:
    assert critical(2) == pytest.approx(1.959963984540054)
    assert critical(1) == critical(2) < critical(3) < critical(50)
    assert 2 * (1 - math.erfc(-critical(50) / math.sqrt(2)) / 2) == pytest.approx(1 - 0.95 ** (1 / 49))


graphs = st.integers(1, 7).flatmap(
    lambda n: st.lists(st.lists(st.integers(0, n - 1), max_size=3), min_size=n, max_size=n)
)


@settings(max_examples=200, deadline=None)
@given(graphs)
def test_strong_components_reach_each_other(links: list[list[int]]) -> None:
    n = len(links)
    reach = np.eye(n, dtype=bool)
    for source, targets in enumerate(links):
        reach[source, targets] = True
    whole = reach | reach.T
    for _ in range(n):
        reach = reach | (reach.astype(int) @ reach.astype(int) > 0)
        whole = whole | (whole.astype(int) @ whole.astype(int) > 0)
    strong = components(links, strong=True)
    assert {frozenset(g) for g in strong} == {
        frozenset(np.flatnonzero(reach[k] & reach[:, k]).tolist()) for k in range(n)
    }
    assert {frozenset(g) for g in components(links)} == {
        frozenset(np.flatnonzero(whole[k]).tolist()) for k in range(n)
    }
    for place, group in enumerate(strong):
        for later in strong[place + 1 :]:
            assert not reach[later[0], group[0]]
