"""Cycles: which bots beat each other in a circle."""

from collections.abc import Sequence
from itertools import combinations, permutations

import pytest

from tourney.ratings.batch import Batch, rate
from tourney.ratings.counts import Counts
from tourney.ratings.cycles import MOST
from tourney.schedule.row import MatchKey, ResultRow


def results(scores: Sequence[Sequence[int]], pairs: int) -> list[ResultRow]:
    """Mirrored pairs of games in which a beats b as often as ``scores`` say, of ten."""
    found = []
    for table, (a, b) in enumerate(combinations(range(len(scores)), 2), 1):
        for game in range(2 * pairs):
            seats = (a, b) if game % 2 == 0 else (b, a)
            wins = (game * 7 // 2 + game % 2 * 5) % 10 < scores[a][b]
            ranks = (1, 2) if wins == (seats[0] == a) else (2, 1)
            found.append(ResultRow(MatchKey(1, table, game // 2 + 1, game % 2 + 1), seats, ranks))
    return found


CIRCLE = [[5, 8, 2, 7], [2, 5, 8, 7], [8, 2, 5, 7], [3, 3, 3, 5]]
LINE = [[5, 6, 7, 8], [4, 5, 6, 7], [3, 4, 5, 6], [2, 3, 4, 5]]


def rated(scores: Sequence[Sequence[int]], order: Sequence[int] = (0, 1, 2, 3)) -> Batch:
    """Rate 20 pairs of games of each two, the bots numbered in an order."""
    turned = [row._replace(entrants=tuple(order[n] for n in row.entrants)) for row in results(scores, 20)]
    return rate(Counts.of_results(turned, sorted(order), 2), pairs=False)


def test_circle_is_found_with_its_probability() -> None:
    found = rated(CIRCLE).cycles
    assert found is not None
    assert found.cycles
    (cycle,) = found.cycles
    start = cycle.entrants.index(0)
    assert cycle.entrants[start:] + cycle.entrants[:start] == (0, 1, 2)
    assert cycle.probability > 0.95
    assert all(0.6 < score < 0.8 for score in cycle.scores)


def test_one_number_a_bot_needs_no_cycles() -> None:
    assert rated(LINE).cycles is None


def test_numbers_and_order_of_bots_change_no_cycle() -> None:
    expected = None
    for order in permutations((0, 1, 2, 3)):
        found = rated(CIRCLE, order).cycles
        assert found is not None
        assert found.cycles
        cycles = {
            (frozenset(order.index(n) for n in cycle.entrants), cycle.probability) for cycle in found.cycles
        }
        expected = expected or cycles
        assert cycles == expected


def test_tables_of_three_count_who_finishes_ahead() -> None:
    """Of three bots, each finishes ahead of the next mostly; a fourth is always last."""
    rows = []
    for group in range(180):
        two = [group % 3, (group + 1) % 3]
        seats = [*(two if group % 5 else two[::-1]), 3]
        for turn in range(3):
            turned = tuple(seats[turn:] + seats[:turn])
            ranks = tuple(seats.index(entrant) + 1 for entrant in turned)
            rows.append(ResultRow(MatchKey(1, group + 1, 1, turn + 1), turned, ranks))
    batch = rate(Counts.of_results(rows, range(4), 3), pairs=False)
    assert batch.cycles is not None
    assert batch.cycles.cycles
    assert batch.cycles.seats == 3
    assert {frozenset(cycle.entrants) for cycle in batch.cycles.cycles} == {frozenset({0, 1, 2})}


def test_large_pools_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tourney.ratings.cycles.MOST", 3)
    found = rated(CIRCLE).cycles
    assert found is not None
    assert found.cycles is None
    assert found.deviation > 0.1
    assert MOST == 100
