"""The corrections v and w against moments of a truncated normal computed by quadrature."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tourney.ratings.truncated_normal import W_MAX, draw, win

NODES, WEIGHTS = np.polynomial.legendre.leggauss(120)


def moments(t: float, low: float, high: float) -> tuple[float, float]:
    """Return mean and variance of a normal around t, cut to low..high, by Gauss-Legendre over 60 panels."""
    edges = np.linspace(low, high, 61)
    half = (edges[1:] - edges[:-1]) / 2
    z = ((edges[1:] + edges[:-1]) / 2)[:, None] + half[:, None] * NODES[None, :]
    log = t * z - z * z / 2
    p = np.exp(log - log.max()) * half[:, None] * WEIGHTS[None, :]
    p /= p.sum()
    mean = float((p * z).sum())
    return mean, float((p * (z - mean) ** 2).sum())


@pytest.mark.parametrize("margin", [1e-8, 1e-4, 1e-3, 0.0099, 0.0101, 0.1, 0.5, 1.0, 3.0, 8.0])
@pytest.mark.parametrize("t", [-30.0, -1.0, 0.0, 0.01, 0.999, 3.0, 7.9, 8.5, 20.0, 60.0])
def test_draw_is_the_truncated_normal(t: float, margin: float) -> None:
    v, w = draw(t, margin)
    mean, variance = moments(t, -margin, margin)
    assert v == pytest.approx(mean - t, rel=1e-6, abs=1e-9)
    assert 1 - w == pytest.approx(max(variance, 1 - W_MAX), rel=1e-4)


@pytest.mark.parametrize("margin", [0.0, 0.3])
@pytest.mark.parametrize("t", [-60.0, -20.0, -8.5, -7.5, -1.0, 0.0, 2.0])
def test_win_is_the_truncated_normal(t: float, margin: float) -> None:
    v, w = win(t, margin)
    # A normal cut below at the margin lies within 12 of the margin or of its mean.
    scale = min(12.0, 45 / max(1.0, margin - t))
    mean, variance = moments(t, margin, max(margin, t) + scale)
    assert v == pytest.approx(mean - t, rel=1e-6, abs=1e-9)
    assert 1 - w == pytest.approx(variance, rel=1e-4)


def test_margin_zero_gives_the_limit() -> None:
    assert draw(2.5, 0.0) == (-2.5, W_MAX)
    assert draw(2.5, 1e-9)[0] == pytest.approx(-2.5)


@given(st.floats(-1e9, 1e9), st.floats(0, 1e9))
def test_corrections_exist_for_every_input(t: float, margin: float) -> None:
    for v, w in (win(t, margin), draw(t, margin)):
        assert math.isfinite(v)
        assert 0 <= w <= W_MAX
    assert win(t, margin)[0] >= 0


@given(st.floats(0, 100), st.floats(0, 10))
def test_draws_are_symmetric(t: float, margin: float) -> None:
    v, w = draw(t, margin)
    assert draw(-t, margin) == (-v, w)
    assert v <= 0
