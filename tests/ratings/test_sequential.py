"""Tests and intervals of pairs: ratios, bounds, error rates at every look, coverage, and extreme results."""

import math
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.rating_pools import pair_shares
from tourney.errors import UsageError
from tourney.ratings.batch import rate
from tourney.ratings.counts import Counts
from tourney.ratings.sequential import (
    SCORES,
    PlannedGames,
    Sprt,
    elo_of,
    estimate,
    estimate_now,
    evidence,
    expected_score,
    holm,
    needed,
)
from tourney.ratings.superiority import uniforms
from tourney.schedule.boundary import ALPHA, multiplier
from tourney.seeds import U64, derive

counts = st.lists(st.integers(0, 2000), min_size=5, max_size=5)


def test_bounds_are_walds() -> None:
    assert Sprt().upper == -Sprt().lower == pytest.approx(math.log(19))
    assert Sprt(alpha=0.01, beta=0.1).upper == pytest.approx(math.log(90))
    assert Sprt(alpha=0.01, beta=0.1).lower == pytest.approx(math.log(0.1 / 0.99))


def test_elo_and_score_are_inverse() -> None:
    assert expected_score(0) == 0.5
    assert expected_score(400) == pytest.approx(10 / 11)
    for elo in (-300.0, -1.0, 0.0, 20.0, 700.0):
        assert elo_of(expected_score(elo)) == pytest.approx(elo)


def test_ratio_without_draws_is_the_binomial_ratio() -> None:
    """A mean fixes a distribution of two outcomes: log p1/p0 a win, log (1-p1)/(1-p0) a loss."""
    p0, p1 = expected_score(0), expected_score(20)
    expected = 300 * math.log(p1 / p0) + 250 * math.log((1 - p1) / (1 - p0))
    assert Sprt().llr((250, 0, 0, 0, 300)) == pytest.approx(expected, abs=0.01)


def test_ratio_of_many_pairs_is_the_normal_approximation() -> None:
    """The ratio tends to N (s1 - s0) (2 s - s0 - s1) / (2 var)."""
    pairs = (600, 1300, 2500, 1400, 650)
    total = sum(pairs)
    shares = np.array(pairs) / total
    mean = float(shares @ SCORES)
    variance = float(shares @ (np.array(SCORES) - mean) ** 2)
    s0, s1 = expected_score(0), expected_score(20)
    normal = total * (s1 - s0) * (2 * mean - s0 - s1) / (2 * variance)
    assert Sprt().llr(pairs) == pytest.approx(normal, rel=0.03)


@given(counts)
def test_swapped_sides_give_the_opposite_decision(pairs: list[int]) -> None:
    ratio = Sprt(-15, 25).llr(pairs)
    assert math.isfinite(ratio)
    assert Sprt(-25, 15).llr(pairs[::-1]) == pytest.approx(-ratio, abs=1e-6)


@given(counts, st.integers(0, 3), st.integers(1, 50))
def test_better_pair_raises_the_ratio(pairs: list[int], place: int, times: int) -> None:
    """Replacing pairs by better ones never makes H1 less likely, if every outcome occurred."""
    pairs = [count + 5 for count in pairs]
    moved = min(times, pairs[place] - 1)
    better = list(pairs)
    better[place] -= moved
    better[place + 1] += moved
    assert Sprt().llr(better) > Sprt().llr(pairs) - 1e-9


@pytest.mark.parametrize(
    ("pairs", "decision"),
    [
        ((0, 0, 0, 0, 0), None),
        ((0, 0, 0, 0, 20), None),
        ((0, 0, 0, 0, 60), "H1"),
        ((0, 0, 20, 0, 0), None),
        ((0, 0, 60, 0, 0), "H0"),
        ((60, 0, 0, 0, 0), "H0"),
    ],
)
def test_few_equal_pairs_give_no_certainty(pairs: tuple[int, ...], decision: str | None) -> None:
    """A few equal pairs have no variance, but are not a certain result."""
    assert Sprt().decide(pairs) == decision


def decide(elo: float, runs: int, batch: int = 8) -> tuple[float, float]:
    """Return how often H1 is taken at a true difference, and after how many pairs on average."""
    test = Sprt(0, 50)
    bounds = np.cumsum(pair_shares(elo, mirrored=True))
    taken = length = 0
    for run in range(runs):
        pairs, part = np.zeros(5, dtype=int), 0
        while (decision := test.decide(pairs.tolist())) is None:
            sampled = np.searchsorted(bounds, uniforms(batch, "test", "sprt", int(elo), run, part))
            pairs += np.bincount(np.minimum(sampled, 4), minlength=5)
            part += 1
        taken += decision == "H1"
        length += int(pairs.sum())
    return taken / runs, length / runs


def test_error_rates_stay_within_alpha_and_beta() -> None:
    """500 simulated comparisons each: alpha and beta are 0.05; three standard errors are 0.03."""
    at_h0, pairs_h0 = decide(0, 500)
    at_h1, pairs_h1 = decide(50, 500)
    between, pairs_between = decide(25, 200)
    assert at_h0 <= 0.08
    assert at_h1 >= 0.92
    assert 0.3 < between < 0.7
    assert max(pairs_h0, pairs_h1) < pairs_between
    assert pairs_h1 < 250, "a fixed number of games would be several hundreds"


@given(counts)
def test_elo_of_pairs_is_always_finite(pairs: list[int]) -> None:
    found = estimate(pairs)
    if found is None:
        assert sum(pairs) == 0
        return
    assert found.pairs == sum(pairs)
    assert found.low < found.elo < found.high
    assert -2500 < found.elo < 2500
    assert 0 <= found.los <= 1
    turned = estimate(pairs[::-1])
    assert turned is not None
    assert turned.elo == pytest.approx(-found.elo, abs=1e-6)
    assert turned.low == pytest.approx(-found.high, abs=1e-6)


def test_estimate_of_many_pairs_is_the_sample_mean() -> None:
    found = estimate((1000, 2000, 3000, 2500, 1500))
    assert found is not None
    assert found.score == pytest.approx(0.5375)
    assert found.elo == pytest.approx(elo_of(0.5375), abs=0.1)
    variance = sum(n * (s - 0.5375) ** 2 for n, s in zip((1000, 2000, 3000, 2500, 1500), SCORES, strict=True))
    error = math.sqrt(variance / 10_000**2)
    assert found.high - found.elo == pytest.approx(elo_of(0.5375 + 1.96 * error) - elo_of(0.5375), rel=0.01)
    assert found.los > 0.9999


@pytest.mark.parametrize(
    "wrong",
    [
        {"elo0": 20.0, "elo1": 20.0},
        {"elo0": 30.0},
        {"elo1": 2000.0},
        {"elo0": math.nan},
        {"alpha": 0.0},
        {"alpha": 0.5},
        {"beta": math.nan},
        {"beta": -1.0},
    ],
)
def test_meaningless_test_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(UsageError):
        Sprt(**wrong)


@pytest.mark.parametrize(
    "shares", [(0.25, 0, 0.5, 0, 0.25), (0.02, 0.05, 0.86, 0.05, 0.02), (0.0, 0.0, 0.02, 0.0, 0.98)]
)
def test_pairs_rarely_ever_exclude_the_truth(shares: tuple[float, ...]) -> None:
    runs, length = 300, 256
    truth = elo_of(sum(share * score for share, score in zip(shares, SCORES, strict=True)))
    drawn = uniforms(runs * length, "test", "sequences", *map(str, shares)).reshape(runs, length)
    outcomes = np.searchsorted(np.cumsum(shares), drawn)
    ever = fixed = 0
    for run in outcomes:
        counts = [0] * 5
        missed = fooled = False
        for t, outcome in enumerate(run, 1):
            counts[int(outcome)] += 1
            if t % 4 == 0:
                found, once = estimate_now(counts, length), estimate(counts)
                assert found is not None
                assert once is not None
                missed = missed or not found.low <= truth <= found.high
                fooled = fooled or not once.low <= truth <= once.high
        ever += missed
        fixed += fooled
    assert ever / runs <= ALPHA
    assert fixed > ever


def test_unbounded_side_is_infinite() -> None:
    found = estimate_now((0, 0, 0, 0, 12), 100)
    assert found is not None
    assert found.high == math.inf
    assert found.width == math.inf
    assert math.isfinite(found.low) or found.low == -math.inf


def test_look_widens_intervals_and_ranges() -> None:
    games = [((0, 1), (1, 2), (None, None)), ((1, 0), (2, 1), (None, None))]
    lost = [((0, 1), (2, 1), (None, None)), ((1, 0), (1, 2), (None, None))]
    counts = Counts.of_groups([(games, 40), (lost, 20)], range(2), 2)
    end, now = rate(counts), rate(counts, look=PlannedGames(120, 2))
    for fixed, looked in zip(end.ratings, now.ratings, strict=True):
        assert looked.elo == fixed.elo
        ratio = (looked.high - looked.low) / (fixed.high - fixed.low)
        assert 1.5 < ratio < 1.7
        assert looked.best_rank <= fixed.best_rank
        assert looked.worst_rank >= fixed.worst_rank
    assert now.pairs[0].los == end.pairs[0].los
    assert now.pairs[0].low < end.pairs[0].low


def test_look_plans_even_games() -> None:
    look = PlannedGames(100, 2)
    even = (400 / math.log(10)) ** 2 / (100 / 4)
    assert look.deviations(even, 1.0) == pytest.approx(multiplier(1.0))
    assert look.deviations(4 * even, 1.0) == pytest.approx(multiplier(0.25))


def batches(run: int, elo: float, drawn: float, count: int = 24, size: int = 8) -> Iterator[list[int]]:
    """Yield batches of pairs of a bot that is ``elo`` stronger, with this share of drawn games."""
    won = expected_score(elo) - drawn / 2
    for batch in range(count):
        counts = [0] * 5
        for pair in range(size):
            points = 0
            for game in (1, 2):
                u = derive(run, "pair", batch, pair, game) / U64
                points += 2 if u < won else 1 if u < won + drawn else 0
            counts[points] += 1
        yield counts


@pytest.mark.slow
@pytest.mark.parametrize("drawn", [0.0, 0.6])
def test_true_nulls_are_rarely_rejected_at_any_look(drawn: float) -> None:
    """In at most 5 % of runs that are watched for 24 batches; with 200 runs 16 is three deviations above."""
    for null, alternative in ((0, 40), (0, -40), (30, 70)):
        runs = [list(batches(run, null, drawn)) for run in range(200)]
        wrong = sum(evidence(run, null, alternative) >= needed(1, 0.05) for run in runs)
        assert wrong <= 16


def test_true_alternatives_are_mostly_found() -> None:
    found = sum(evidence(batches(run, 80, 0.3), 0, 80) >= needed(1, 0.05) for run in range(50))
    assert found >= 45


def test_first_bet_follows_from_the_alternative_alone() -> None:
    gap = expected_score(20) - 0.5
    bet = gap / (0.125 + gap**2)
    assert evidence([[0, 0, 0, 0, 1]], 0, 20) == pytest.approx(math.log1p(bet / 2), abs=1e-6)
    assert evidence([[1, 0, 0, 0, 0]], 0, 20) == 0
    assert evidence([[1, 0, 0, 0, 0]], 0, -20) == evidence([[0, 0, 0, 0, 1]], 0, 20)


def test_evidence_never_falls() -> None:
    run = list(batches(3, 40, 0.2))
    looks = [evidence(run[:k], 0, 40) for k in range(len(run) + 1)]
    assert looks[0] == 0
    assert looks == sorted(looks)
    assert looks[-1] > 0


def test_holm_rejects_step_by_step() -> None:
    enough = [needed(k, 0.05) for k in (1, 2, 3)]
    assert holm([], 0.05) == ()
    assert holm([enough[0]], 0.05) == (True,)
    assert holm([enough[1], enough[2], enough[0]], 0.05) == (True, True, True)
    assert holm([enough[1], enough[2], enough[0] - 0.01], 0.05) == (True, True, False)
    assert holm([enough[1], enough[1], enough[1]], 0.05) == (False, False, False)
