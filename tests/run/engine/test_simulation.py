"""The coordinator in a simulated hostile world: the tournament ends as in a calm one."""

from collections import Counter

import pytest

from tests.support.simulation import MISFORTUNES, try_seed

SEEDS = 120
"""`python -m scripts.nightly simulation` tries ten thousand."""


@pytest.mark.slow
def test_tournament_ends_alike_in_any_world() -> None:
    """Root, schedule, void matches and standings are those of a straight run, and every misfortune occurs."""
    happened, wrong = Counter[str](), []
    for seed in range(SEEDS):
        found, why = try_seed(seed)
        happened += found
        if why:
            wrong.append(why)
    assert wrong == []
    assert set(MISFORTUNES) <= set(happened)


def test_seed_gives_the_same_world_again() -> None:
    """A seed that fails is a report that reproduces."""
    first = try_seed(1)
    assert first[1] == ""
    assert try_seed(1) == first
