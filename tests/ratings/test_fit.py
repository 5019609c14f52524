"""Covariances: the sandwich against a plain computation, and the published envelope."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.ratings.pools import results_of
from tourney.ratings.batch import estimate
from tourney.ratings.counts import Counts, Floats
from tourney.ratings.fit import Prior, squared_scores, upper_envelope
from tourney.schedule.row import MatchKey, ResultRow


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_squared_scores_add_up_over_clusters(seats: int) -> None:
    results = results_of(seats, 5, 24 * seats)
    counts = Counts.of_results(results, range(5), seats)
    likelihood, mode, _ = estimate(counts, Prior())
    scores = likelihood.scores(mode.x)
    by_hand = np.zeros((likelihood.size, likelihood.size))
    for cluster, times in enumerate(counts.times):
        mine = scores.cluster == cluster
        vector = np.bincount(scores.parameter[mine], weights=scores.value[mine], minlength=likelihood.size)
        by_hand += times * np.outer(vector, vector)
    assert np.allclose(squared_scores(scores, counts.times, likelihood.size), by_hand)


def test_equal_games_in_a_cluster_make_one_observation() -> None:
    """With each game doubled, the sandwich counts one observation, the inverse Hessian two."""
    single = [
        ResultRow(MatchKey(1, k, 1, 1), ((0, 1), (1, 0))[k % 2], ((1, 2), (2, 1))[(k % 2) ^ (k * 7 % 10 > 5)])
        for k in range(1, 401)
    ]
    doubled = [result._replace(key=result.key._replace(order=order)) for result in single for order in (1, 2)]
    spreads = []
    for results in (single, doubled):
        _, _, covariance = estimate(Counts.of_results(results, range(2), 2), Prior(rating=1e5, seat=1.0))
        gap = np.array([1, -1, 0, 0])
        spreads.append([float(gap @ c @ gap) for c in (covariance.hessian, covariance.sandwich)])
    (hessian_1, sandwich_1), (hessian_2, sandwich_2) = spreads
    assert sandwich_2 == pytest.approx(sandwich_1, rel=0.02)
    assert hessian_2 == pytest.approx(hessian_1 / 2, rel=0.02)


def matrices(size: int) -> st.SearchStrategy[Floats]:
    values = st.lists(st.floats(-3, 3), min_size=size * size, max_size=size * size)
    return values.map(lambda v: np.array(v).reshape(size, size)).map(lambda m: m @ m.T)


@settings(max_examples=60, deadline=None)
@given(matrices(4), matrices(4))
def test_envelope_is_above_both(one: Floats, other: Floats) -> None:
    base = other + 0.1 * np.eye(4)
    envelope = upper_envelope(one, base)
    assert np.allclose(envelope, envelope.T)
    for below in (one, base):
        assert np.linalg.eigvalsh(envelope - below).min() > -1e-7
    assert np.allclose(upper_envelope(base / 2, base), base)
    assert np.allclose(upper_envelope(3 * base, base), 3 * base)


def test_sandwich_is_too_narrow_for_a_perfect_score() -> None:
    """Without a surprising result the sandwich is narrow; the published covariance is not."""
    results = [
        ResultRow(MatchKey(1, k, 1, order), ((0, 1), (1, 0))[order - 1], ((1, 2), (2, 1))[order - 1])
        for k in range(1, 21)
        for order in (1, 2)
    ]
    _, _, covariance = estimate(Counts.of_results(results, range(2), 2), Prior())
    gap = np.array([1, -1, 0, 0])
    hessian, sandwich, published = (
        float(gap @ c @ gap) ** 0.5 for c in (covariance.hessian, covariance.sandwich, covariance.published)
    )
    assert sandwich < 0.7 * hessian
    assert 0.97 * hessian < published < 1.03 * hessian
