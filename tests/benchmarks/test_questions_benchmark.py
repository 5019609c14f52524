"""The simulations of intervals at every look: tables of a few runs."""

from dataclasses import replace

import pytest

from benchmarks.questions import HARD, Size, pairs_table, search, width_table
from tourney.schedule.adaptive import Adaptive
from tourney.schedule.round_robin import RoundRobin

pytestmark = pytest.mark.benchmark

FEW = Size(pairs=60, ratings=1, best=1)


def test_watched_fixed_intervals_err_far_more_often() -> None:
    head, *lines = pairs_table(FEW, seed=1)
    shares = [[float(cell.removesuffix(" %")) for cell in line[1:]] for line in lines]
    assert len(head) == 5
    assert max(found[0] for found in shares) <= 10
    assert sum(found[2] for found in shares) > 5 * sum(found[0] for found in shares)


def test_widths_are_least_at_the_plan() -> None:
    _, (_, *widths) = width_table()
    assert min(map(float, widths)) == float(widths[4]) == 1.55


def test_search_ends_at_its_limit_of_games() -> None:
    equal = replace(HARD[0], games=240)
    for format_ in (Adaptive(), RoundRobin()):
        named, games = search(format_, equal, seed=3)
        assert named is None
        assert games <= equal.games
