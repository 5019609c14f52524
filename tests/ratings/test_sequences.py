"""Intervals that hold at every look: the boundary, its tuning, and simulated coverage."""

import math

import numpy as np
import pytest

from tourney.ratings.batch import rate
from tourney.ratings.counts import Counts
from tourney.ratings.sequences import ALPHA, Look, estimate_now, multiplier, p_value, tuned
from tourney.ratings.sprt import SCORES, elo_of, estimate
from tourney.ratings.superiority import uniforms


def test_boundary_is_the_published_formula() -> None:
    t, planned = 300, 1024
    rho = math.sqrt(tuned() / planned)
    one = t * rho**2
    expected = math.sqrt(2 * (one + 1) / one * math.log(math.sqrt(one + 1) / ALPHA))
    assert multiplier(t / planned) == pytest.approx(expected)


def test_interval_is_nearly_narrowest_at_planned_length() -> None:
    best = min(
        math.sqrt((1 + 1 / known) * (math.log1p(known) - 2 * math.log(ALPHA)))
        for known in np.linspace(1, 30, 3000)
    )
    assert multiplier(1.0) == pytest.approx(best, rel=0.01)
    assert multiplier(1.0) / 1.959964 == pytest.approx(1.55, abs=0.01)
    assert multiplier(0.0) == math.inf


def test_p_value_is_level_at_boundary() -> None:
    for share in (0.05, 1.0, 3.0):
        assert p_value(multiplier(share), share) == pytest.approx(ALPHA)
    assert p_value(0.0, 1.0) == 1.0
    assert p_value(5.0, 0.0) == 1.0


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
    end, now = rate(counts), rate(counts, look=Look(120, 2))
    for fixed, looked in zip(end.ratings, now.ratings, strict=True):
        assert looked.elo == fixed.elo
        ratio = (looked.high - looked.low) / (fixed.high - fixed.low)
        assert 1.5 < ratio < 1.7
        assert looked.best_rank <= fixed.best_rank
        assert looked.worst_rank >= fixed.worst_rank
    assert now.pairs[0].los == end.pairs[0].los
    assert now.pairs[0].low < end.pairs[0].low


def test_look_plans_even_games() -> None:
    look = Look(100, 2)
    even = (400 / math.log(10)) ** 2 / (100 / 4)
    assert look.deviations(even, 1.0) == pytest.approx(multiplier(1.0))
    assert look.deviations(4 * even, 1.0) == pytest.approx(multiplier(0.25))
