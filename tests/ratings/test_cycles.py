"""Cycles and the evaluations that allow for them, held against OpenSpiel's."""

import sys
from collections.abc import Sequence
from importlib import import_module
from itertools import combinations, permutations
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from tourney.ratings.batch import Batch, rate
from tourney.ratings.counts import Counts, Floats
from tourney.ratings.cycles import MOST, alpha_rank, maximal_lottery
from tourney.schedule.row import MatchKey, ResultRow
from tourney.seeds import stream


def margins(size: int, seed: int, *, coarse: bool = False) -> Floats:
    """A skew-symmetric matrix; a ``coarse`` one has many equal entries, and therefore many equilibria."""
    sample = stream(seed, "margins", size)
    found = np.zeros((size, size))
    for a, b in combinations(range(size), 2):
        found[a, b] = (sample(5) - 2) / 10 if coarse else (sample(8_001) - 4_000) / 10_000
    return found - found.T


@pytest.fixture
def spiel(monkeypatch: pytest.MonkeyPatch) -> tuple[Any, Any]:
    """OpenSpiel's alpha-rank and Nash averaging; its drawings, which need matplotlib, are left out."""
    pytest.importorskip("pyspiel", reason="tourney[openspiel] is not installed")
    pytest.importorskip("cvxpy", reason="cvxpy is not installed")
    name = "open_spiel.python.egt.alpharank_visualizer"
    monkeypatch.setitem(sys.modules, name, ModuleType(name))
    return (
        import_module("open_spiel.python.egt.alpharank"),
        import_module("open_spiel.python.algorithms.nash_averaging"),
    )


@pytest.mark.slow
@pytest.mark.parametrize("size", [2, 3, 5, 8, 20])
@pytest.mark.parametrize("coarse", [False, True])
@pytest.mark.filterwarnings("ignore:Solution may be inaccurate")
def test_evaluations_are_those_of_open_spiel(spiel: tuple[Any, Any], size: int, coarse: bool) -> None:
    alpharank, nash_averaging = spiel
    for seed in range(6):
        game = margins(size, seed, coarse=coarse)
        lottery = maximal_lottery(game)
        assert (game @ lottery).max() < 1e-9, "no bot beats the lottery"
        theirs = nash_averaging._max_entropy_symmetric_nash(game, eps=0)[:, 0]
        assert lottery == pytest.approx(theirs, abs=1e-3)
        shares = alpharank.compute([game + 0.5], use_inf_alpha=True, inf_alpha_eps=0.01)[2]
        assert alpha_rank(game + 0.5) == pytest.approx(shares, abs=1e-9)


def test_known_lotteries() -> None:
    """Paper beats by less than the others; of equal bots each has the same share."""
    rock = np.array([[0, -0.1, 0.3], [0.1, 0, -0.2], [-0.3, 0.2, 0]])
    assert maximal_lottery(rock) == pytest.approx([2 / 6, 3 / 6, 1 / 6])
    assert maximal_lottery(np.zeros((4, 4))) == pytest.approx([0.25] * 4)
    twins = np.array([[0, 0, 0.1], [0, 0, 0.1], [-0.1, -0.1, 0]])
    assert maximal_lottery(twins) == pytest.approx([0.5, 0.5, 0])
    assert list(alpha_rank(np.array([[0.5]]))) == [1]


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
    (cycle,) = found.cycles
    start = cycle.entrants.index(0)
    assert cycle.entrants[start:] + cycle.entrants[:start] == (0, 1, 2)
    assert cycle.probability > 0.95
    assert all(0.6 < score < 0.8 for score in cycle.scores)
    lottery = {line.entrant: line.lottery for line in found.evaluations}
    assert lottery[3] == 0
    assert sum(lottery.values()) == pytest.approx(1, abs=0.002)
    assert {line.entrant: line.against for line in found.evaluations}[3] < 0.4


def test_one_number_a_bot_needs_no_cycles() -> None:
    assert rated(LINE).cycles is None


def test_numbers_and_order_of_bots_change_no_evaluation() -> None:
    expected = None
    for order in permutations((0, 1, 2, 3)):
        found = rated(CIRCLE, order).cycles
        assert found is not None
        by_bot = {order.index(line.entrant): line[1:] for line in found.evaluations}
        cycles = {
            (frozenset(order.index(n) for n in cycle.entrants), cycle.probability) for cycle in found.cycles
        }
        expected = expected or (by_bot, cycles)
        assert (by_bot, cycles) == expected


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
    assert batch.cycles.seats == 3
    assert {frozenset(cycle.entrants) for cycle in batch.cycles.cycles} == {frozenset({0, 1, 2})}


def test_large_pools_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tourney.ratings.cycles.MOST", 3)
    found = rated(CIRCLE).cycles
    assert found is not None
    assert (found.cycles, found.evaluations) == ((), ())
    assert found.deviation > 0.1
    assert MOST == 100
