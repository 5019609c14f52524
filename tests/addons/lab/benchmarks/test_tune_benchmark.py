"""The simulation of tunings: surfaces, luck and the gate, in small."""

import pytest

from benchmarks.tune import SURFACES, Table, tune

pytestmark = pytest.mark.benchmark


def test_spsa_comes_near_the_best_values() -> None:
    found = tune(SURFACES["quadratic"], "spsa", 2000, 1, gate=2000)
    assert found.below < 40
    assert found.gain > 110
    assert found.claim == "better"


def test_flat_surface_gains_nothing() -> None:
    found = tune(SURFACES["flat"], "spsa", 200, 1, gate=200)
    assert (found.below, found.gain) == (0, 0)


def test_luck_explains_scores() -> None:
    """Scores go with their luck, whose mean is about 0."""
    table = Table(SURFACES["dice"], 3)
    values = SURFACES["dice"].first
    pairs = [table.pair(values, values) for _ in range(400)]  # type: ignore[arg-type]  # integers do as well
    assert abs(sum(luck for _, luck in pairs)) / 400 < 0.05
    assert sum((score - 0.5) * luck for score, luck in pairs) > 0
