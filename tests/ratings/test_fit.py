"""Covariances: the sandwich against a plain computation, and the published envelope."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.ratings.pools import results_of
from tourney.match.evidence import POINT, Evidence
from tourney.ratings.batch import rate, strengths
from tourney.ratings.counts import Counts, Floats
from tourney.ratings.fit import Estimate, estimate, squared_scores, upper_envelope
from tourney.ratings.likelihood import Prior
from tourney.ratings.superiority import uniforms
from tourney.schedule.row import MatchKey, ResultRow


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_squared_scores_add_up_over_clusters(seats: int) -> None:
    results = results_of(seats, 5, 24 * seats)
    counts = Counts.of_results(results, range(5), seats)
    found = estimate(counts)
    likelihood = found.likelihood
    scores = likelihood.scores(found.mean)
    by_hand = np.zeros((likelihood.size, likelihood.size))
    for cluster, times in enumerate(counts.times):
        mine = scores.cluster == cluster
        vector = np.bincount(scores.parameter[mine], weights=scores.value[mine], minlength=likelihood.size)
        by_hand += times * np.outer(vector, vector)
    assert np.allclose(squared_scores(scores, counts.times, likelihood.size), by_hand)


def plain_covariances(found: Estimate, counts: Counts) -> list[Floats]:
    """The inverse Hessian, and the sandwich."""
    inverse = np.linalg.inv(found.raw.hessian).astype(np.float64)
    clusters = int(counts.times.sum())
    meat = squared_scores(found.likelihood.scores(found.raw.x), counts.times, len(inverse))
    meat *= clusters / (clusters - 1)
    return [inverse, inverse @ (meat + found.raw.precision) @ inverse]


def test_equal_games_in_a_cluster_make_one_observation() -> None:
    """With each game doubled, the sandwich counts one observation, the inverse Hessian two."""
    single = [
        ResultRow(MatchKey(1, k, 1, 1), ((0, 1), (1, 0))[k % 2], ((1, 2), (2, 1))[(k % 2) ^ (k * 7 % 10 > 5)])
        for k in range(1, 401)
    ]
    doubled = [result._replace(key=result.key._replace(order=order)) for result in single for order in (1, 2)]
    spreads = []
    for results in (single, doubled):
        counts = Counts.of_results(results, range(2), 2)
        plain = plain_covariances(estimate(counts, prior=Prior(rating=1e5, seat=1.0)), counts)
        gap = np.array([1, -1, 0, 0])
        spreads.append([float(gap @ c @ gap) for c in plain])
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
    counts = Counts.of_results(results, range(2), 2)
    found = estimate(counts, flat=True)
    gap = np.array([1, -1, 0, 0])
    hessian, sandwich, published = (
        float(gap @ c @ gap) ** 0.5 for c in (*plain_covariances(found, counts), found.covariance)
    )
    assert sandwich < 0.7 * hessian
    assert 0.97 * hessian < published < 1.03 * hessian


def lucky(matches: int, share: float, seed: int) -> Counts:
    """Games of two bots whose luck decides most of them; it is known in this share."""
    rows = []
    for number in range(matches):
        luck, noise = uniforms(2, "lucky", seed, number) - 0.5
        won = luck + 0.4 * noise > 0
        known = int(POINT * share * luck)
        evidence = Evidence("", f"{number}", (known, -known), 1)
        rows.append(
            ResultRow(MatchKey(1, 1, number + 1, 1), (0, 1), (1, 2) if won else (2, 1), evidence=evidence)
        )
    return Counts.of_results(rows, range(2), 2, shared_dice=False)


def test_luck_is_subtracted_where_it_pays() -> None:
    """Both bots are equal: what is left of a gap is smaller, and so is its error."""
    gap, gaps = np.array([1, -1, 0, 0]), []
    for seed in range(30):
        found = estimate(lucky(100, 1.0, seed))
        assert found.share > 0.5
        error = float(gap @ found.covariance @ gap) ** 0.5
        gaps.append((float(gap @ found.mean), float(gap @ found.lucky), error))
    without, within, errors = np.array(gaps).T
    assert without.std() < 0.7 * within.std()
    assert np.mean(np.abs(without) < 1.96 * errors) > 0.9
    assert estimate(lucky(100, 0.0, 1)).share == 0


def test_luck_of_a_bot_that_may_know_the_dice_stays() -> None:
    counts = lucky(100, 1.0, 1)
    known = replace(counts, luck=np.abs(counts.luck) * np.where(counts.seating == 0, 1, -1))
    found = estimate(known)
    assert found.luck[0].alarm
    assert (found.share, found.mean.tolist()) == (0, found.lucky.tolist())


def test_versions_of_few_games_do_not_stretch_the_scale() -> None:
    """Two bots, 400 Elo apart, meet a hundred versions of a third between them, each for two games."""
    draws = uniforms(400, "versions")
    results = []
    for number in range(400):
        strong, version = number % 2, 2 + number // 4
        wins = draws[number] < 1 / (1 + 10 ** (-(200 if strong else -200) / 400))
        results.append(
            ResultRow(MatchKey(1, number + 1, 1, 1), (strong, version), (1, 2) if wins else (2, 1))
        )
    counts = Counts.of_results(results, range(102), 2, shared_dice=False, joined=False)
    flat, _ = strengths(counts, flat=True)
    elo, matrix = strengths(counts)
    deviation = float(matrix[0, 0] + matrix[1, 1] - 2 * matrix[0, 1]) ** 0.5
    assert flat[1] - flat[0] > 500, "without a population the scale is stretched"
    assert abs(float(elo[1] - elo[0]) - 400) < 2 * deviation < 200


def single_games(bots: int, games: int, seed: int) -> Counts:
    """Games of each two of some equal bots, none drawn, each with dice of its own."""
    rows = []
    for table, (a, b) in enumerate(combinations(range(bots), 2), 1):
        for game, drawn in enumerate(uniforms(games, "single-games", seed, a, b), 1):
            ranks = (1, 2) if drawn < 0.5 else (2, 1)
            rows.append(ResultRow(MatchKey(1, table, game, 1), (a, b), ranks))
    return Counts.of_results(rows, range(bots), 2)


def test_fit_of_pairs_with_few_games_is_not_tested() -> None:
    """Of 20 equal bots in single games the test of fit would reject one pool in five at 1 %."""
    batches = [rate(single_games(20, 1, seed), pairs=False) for seed in range(12)]
    assert {batch.pool.goodness.p_value for batch in batches} == {None}
    assert {batch.cycles for batch in batches} == {None}
    assert rate(single_games(20, 3, 0), pairs=False).pool.goodness.p_value is None
    assert rate(single_games(20, 4, 0), pairs=False).pool.goodness.p_value is not None


@pytest.mark.parametrize(
    ("seats", "results"),
    [
        (2, (((0, 1), (1, 1)), ((0, 2), (1, 1)), ((1, 2), (1, 1)))),
        (2, (((0, 1), (1, 2)), ((2, 1), (2, 1)), ((2, 3), (1, 2)), ((0, 3), (2, 1)))),
        (3, (((0, 1, 2), (1, 1, 1)),)),
    ],
    ids=["three draws", "ring", "three seats tied"],
)
def test_pool_without_variance_by_chance_is_rated(
    seats: int, results: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]
) -> None:
    rows = [ResultRow(MatchKey(1, table, 1, 1), *one) for table, one in enumerate(results, 1)]
    batch = rate(Counts.of_results(rows, sorted({n for row in rows for n in row.entrants}), seats))
    assert {(line.rank, line.elo, line.score) for line in batch.ratings} == {(1, 0.0, 0.5)}
    assert batch.pool.goodness[1:3] == (None, None)
