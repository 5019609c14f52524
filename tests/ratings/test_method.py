"""Rating methods share one interface."""

import pytest

from tests.ratings.pools import results_of
from tourney.errors import UsageError
from tourney.ratings.batch import rate
from tourney.ratings.counts import Counts
from tourney.ratings.method import METHODS
from tourney.ratings.trueskill import SkillPool, share_ranks


def test_every_own_method_is_found_by_its_name() -> None:
    assert [method.name for method in METHODS.all()] == list(METHODS.own) == ["batch", "trueskill"]


@pytest.mark.parametrize("seats", [2, 3])
def test_methods_give_the_tables_of_their_models(seats: int) -> None:
    results = results_of(seats, 5, 40)
    skills = SkillPool.of(range(5)).after(results).table()
    assert METHODS.find("trueskill").rate(results, range(5), seats) == share_ranks(skills, seats)
    counts = Counts.of_results(results, range(5), seats)
    assert METHODS.find("batch").rate(results, range(5), seats) == rate(counts).ratings


@pytest.mark.parametrize("name", METHODS.own)
def test_lines_have_the_columns_and_the_results_in_any_order(name: str) -> None:
    method, results = METHODS.find(name), results_of(2, 5, 40)
    table = method.rate(results, range(5), 2)
    assert table == method.rate(reversed(results), range(5), 2)
    assert [line.rank for line in table] == sorted(line.rank for line in table)
    names = [measure.name for measure in method.measures]
    assert {type(getattr(line, name)) for line in table for name in names} <= {int, float}


def test_unknown_method_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UsageError, match="no rating method 'elo'; the rating methods are: batch, trueskill"):
        METHODS.find("elo")
