"""Counts: equal from groups and from results, in any order."""

from collections import Counter

import numpy as np
import pytest

from tests.ratings.pools import results_of, shuffled
from tourney.match.evidence import Evidence
from tourney.ratings.batch import rate
from tourney.ratings.counts import Counts, Game
from tourney.schedule.row import MatchKey, ResultRow


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
    groups: dict[tuple[int, ...], list[Game]] = {}
    for result in results:
        groups.setdefault(result.key[:3], []).append((result.entrants, result.ranks, ()))
    found = Counter(tuple(sorted(games)) for games in groups.values())
    counted = Counts.of_clusters(found, range(4), 2)
    assert same(counted, Counts.of_results(results, range(4), 2))
    assert counted.times.max() > 1, "some group should occur more than once"
    twice = Counts.of_clusters(found + found, range(4), 2)
    assert np.array_equal(twice.times, 2 * counted.times)


def test_void_and_forfeited_games_are_left_out() -> None:
    sound = ResultRow(MatchKey(1, 1, 1, 1), (0, 1), (1, 2))
    void = ResultRow(MatchKey(1, 1, 1, 2), (1, 0), (1, 1), ("startup", "startup"), void=True)
    fault = ResultRow(MatchKey(1, 1, 2, 1), (0, 1), (1, 2), (None, "crash"))
    assert Counts.of_results([sound, void, fault], range(2), 2).times.sum() == 2
    only = Counts.of_results([sound, void, fault], range(2), 2, forfeits="void")
    assert same(only, Counts.of_results([sound], range(2), 2))


@pytest.mark.parametrize(
    ("entrants", "ranks", "message"),
    [((0, 7), (1, 2), "not in the pool"), ((1, 1), (1, 2), "different"), ((0, 1, 2), (1, 2, 3), "not 2")],
)
def test_impossible_results_are_refused(
    entrants: tuple[int, ...], ranks: tuple[int, ...], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        Counts.of_results([ResultRow(MatchKey(1, 1, 1, 1), entrants, ranks)], range(3), 2)


def repeated(pairs: int, *, distinct: int = 1, line: str = "") -> list[ResultRow]:
    """Mirrored pairs of two bots, of which the first moves always wins; only ``distinct`` ones differ."""
    return [
        ResultRow(
            MatchKey(1, 1, pair + 1, order),
            ((0, 1), (1, 0))[order - 1],
            (1, 2),
            evidence=Evidence(line and f"{line}{pair % distinct}", f"{pair % distinct}"),
        )
        for pair in range(pairs)
        for order in (1, 2)
    ]


def test_games_that_repeat_are_one_observation() -> None:
    counted = Counts.of_results(repeated(50), range(2), 2)
    assert (counted.distinct, counted.times.tolist()) == (2, [1])
    assert counted.game_weights.sum() == pytest.approx(2)
    alone = rate(Counts.of_results(repeated(1), range(2), 2)).ratings[0]
    again = rate(counted).ratings[0]
    assert (again.low, again.high, again.games) == (alone.low, alone.high, 100)
    every = Counts.of_results(repeated(50), range(2), 2, joined=False)
    assert (every.times.sum(), every.game_weights.sum(), every.distinct) == (50, 100, 2)


def test_games_of_one_opening_line_are_one_cluster() -> None:
    """A pool with a single line begins there, as a game without openings does."""
    rows = [
        row._replace(evidence=row.evidence._replace(play=f"{number}"))
        for number, row in enumerate(repeated(30, distinct=3, line="x"))
    ]
    counted = Counts.of_results(rows, range(2), 2)
    assert (counted.times.sum(), counted.distinct) == (3, 60)
    assert counted.game_weights.sum() == pytest.approx(6)
    single = [row._replace(evidence=row.evidence._replace(line="x")) for row in rows]
    assert Counts.of_results(single, range(2), 2).times.sum() == 30


def test_many_clusters_of_unlike_sizes_count_in_full() -> None:
    assert Counts.of_results(repeated(50, distinct=25), range(2), 2).game_weights.sum() == 100
