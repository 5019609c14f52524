"""Counts: equal from groups and from results, in any order."""

import numpy as np
import pytest

from tests.ratings.pools import results_of, shuffled
from tourney.ratings.counts import Counts
from tourney.schedule.row import MatchKey, ResultRow
from tourney.store.totals import SeatedResult


def same(one: Counts, other: Counts) -> bool:
    """Return whether two counts are equal to the last byte."""
    return (one.entrants, one.seats) == (other.entrants, other.seats) and all(
        np.array_equal(getattr(one, name), getattr(other, name))
        for name in ("seating", "ranks", "cluster", "times")
    )


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_order_of_results_does_not_matter(seats: int) -> None:
    results = results_of(seats, 6, 60)
    counted = Counts.of_results(results, range(6), seats)
    assert same(Counts.of_results(shuffled(results, 1), reversed(range(6)), seats), counted)
    assert counted.game_times.sum() == len(results)


def test_groups_and_results_give_equal_counts() -> None:
    results = results_of(2, 4, 80)
    groups: dict[tuple[int, ...], list[SeatedResult]] = {}
    for result in results:
        game: SeatedResult = (result.entrants, result.ranks, (None, None))
        groups.setdefault(result.key[:3], []).append(game)
    counted = Counts.of_groups(((games, 1) for games in groups.values()), range(4), 2)
    assert same(counted, Counts.of_results(results, range(4), 2))
    assert counted.times.max() > 1, "some group should occur more than once"
    twice = Counts.of_groups(((games[::-1], 2) for games in groups.values()), range(4), 2)
    assert np.array_equal(twice.times, 2 * counted.times)


def test_void_and_forfeited_games_are_left_out() -> None:
    sound = ResultRow(MatchKey(1, 1, 1, 1), (0, 1), (1, 2))
    void = ResultRow(MatchKey(1, 1, 1, 2), (1, 0), (1, 1), ("startup", "startup"), void=True)
    fault = ResultRow(MatchKey(1, 1, 2, 1), (0, 1), (1, 2), (None, "crash"))
    assert Counts.of_results([sound, void, fault], range(2), 2).times.sum() == 2
    only = Counts.of_results([sound, void, fault], range(2), 2, "void")
    assert same(only, Counts.of_results([sound], range(2), 2))
    games = [(fault.entrants, fault.ranks, fault.faults)]
    assert Counts.of_groups([(games, 3)], range(2), 2, "void").times.size == 0


@pytest.mark.parametrize(
    ("entrants", "ranks", "message"),
    [((0, 7), (1, 2), "not in the pool"), ((1, 1), (1, 2), "different"), ((0, 1, 2), (1, 2, 3), "not 2")],
)
def test_impossible_results_are_refused(
    entrants: tuple[int, ...], ranks: tuple[int, ...], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        Counts.of_results([ResultRow(MatchKey(1, 1, 1, 1), entrants, ranks)], range(3), 2)
