"""The sequential test: its ratio, bounds and error rates, and extreme results."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.rating_pools import pair_shares
from tourney.errors import UsageError
from tourney.ratings.sprt import SCORES, Sprt, elo_of, estimate, expected_score
from tourney.ratings.superiority import uniforms

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
    """A few equal pairs have no variance, but are no certain result."""
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
