"""The boundary of intervals that hold at every look: its formula and its tuning."""

import math

import numpy as np
import pytest

from tourney.schedule.until_rule import ALPHA, multiplier, tuned


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
