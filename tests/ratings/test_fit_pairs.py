"""Scores of pairs: at the maximum all that was scored was expected."""

import numpy as np
import pytest

from tests.ratings.pools import results_of
from tourney.ratings.counts import Counts
from tourney.ratings.fit import maximise, pair_totals
from tourney.ratings.likelihood import Expected, Prior


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_expected_points_add_up_to_the_scored_points(seats: int) -> None:
    """At the maximum, every entrant's score equals its expected score."""
    counts = Counts.of_results(results_of(seats, 6, 120), range(6), seats)
    model = Expected(counts)
    x = maximise(model, Prior(rating=1e6, seat=1e6).precision(counts)).x
    totals = pair_totals(model.meetings(x), 6)
    assert (totals.a < totals.b).all()
    assert totals.games.sum() == counts.game_times.sum() * seats * (seats - 1) // 2
    gap = totals.points - totals.expected
    for number in range(6):
        mine = gap[totals.a == number].sum() - gap[totals.b == number].sum()
        assert mine == pytest.approx(0, abs=1e-3)
    residuals = model.by_pair(model.residual(x))
    for a, b, residual in zip(totals.a, totals.b, gap, strict=True):
        mine = residuals.parameter == a * 6 + b
        summed = np.sum((residuals.value * counts.times[residuals.cluster])[mine])
        assert summed == pytest.approx(residual)
