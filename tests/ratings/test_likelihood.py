"""The expected scores of the model, and its derivatives."""

import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.ratings.pools import results_of
from tourney.ratings.counts import Counts, Floats
from tourney.ratings.fit import maximise, squared_scores
from tourney.ratings.likelihood import NODES, WEIGHTS, Expected, Prior, Winners
from tourney.ratings.sequential import ELO
from tourney.schedule.row import MatchKey, ResultRow


def numbers(size: int, spread: float = 1.0) -> Floats:
    """Return irregular parameters."""
    return spread * np.sin(np.arange(1, size + 1) ** 2)


@pytest.mark.parametrize("kind", [Expected, Winners])
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_derivatives_match_the_value(seats: int, kind: type[Expected]) -> None:
    results = results_of(seats, 6, 60)
    assert any(len(set(result.ranks)) < seats for result in results), "the pool should hold ties"
    counts = Counts.of_results(results, range(6), seats)
    model = kind(counts)
    x = numbers(model.size)
    point = model.at(x)
    h = 1e-5
    steps = h * np.eye(model.size)
    by_value = [(model.at(x + step).value - model.at(x - step).value) / (2 * h) for step in steps]
    by_slope = [(model.at(x - step).gradient - model.at(x + step).gradient) / (2 * h) for step in steps]
    assert np.allclose(by_value, point.gradient, atol=1e-6)
    assert np.allclose(by_slope, point.information, atol=1e-6)
    scores = model.scores(x)
    summed = np.bincount(
        scores.parameter, weights=scores.value * counts.times[scores.cluster], minlength=model.size
    )
    assert np.allclose(summed, point.gradient)


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 4), st.lists(st.floats(-4, 4), min_size=11, max_size=11))
def test_information_is_never_negative(seats: int, values: list[float]) -> None:
    """The likelihood is concave, also with ties, so Newton's method has one maximum."""
    counts = Counts.of_results(results_of(seats, 5, 30), range(5), seats)
    model = Expected(counts)
    information = model.at(np.array(values[: model.size])).information
    assert np.linalg.eigvalsh(information).min() > -1e-9


def test_winners_of_tables_of_four_give_their_strengths_back() -> None:
    """By the choice axiom each wins in proportion to its strength; the order of losers is noise."""
    weights = (8, 4, 2, 1)
    games = []
    for winner, times in enumerate(weights):
        order = [winner, *(number for number in range(4) if number != winner)]
        games += [tuple(order.index(number) + 1 for number in range(4))] * (200 * times)
    results = [ResultRow(MatchKey(1, at, 1, 1), (0, 1, 2, 3), ranks) for at, ranks in enumerate(games, 1)]
    model = Winners(Counts.of_results(results, range(4), 4, joined=False))
    strengths = maximise(model, model.precision(Prior(seat=0.01))).x[:4]
    assert np.allclose(np.diff(strengths), -math.log(2), atol=0.01)


def test_information_of_wins_is_the_variance_of_their_scores() -> None:
    """In even games of three, one each: the sum of squared scores equals the information."""
    orders = list(permutations((1, 2, 3)))
    results = [ResultRow(MatchKey(1, at, 1, 1), (0, 1, 2), ranks) for at, ranks in enumerate(orders, 1)]
    counts = Counts.of_results(results, range(3), 3, joined=False)
    for kind in (Expected, Winners):
        model = kind(counts)
        even = np.zeros(model.size)
        scores = squared_scores(model.scores(even), counts.times, model.size)[:3, :3]
        assert np.allclose(scores, model.at(even).information[:3, :3])


def two(wins: int, draws: int, losses: int) -> Counts:
    """Return the counts of games of two, each result once in either seat."""
    results = []
    for k in range(wins + draws + losses):
        ranks = (1, 2) if k < wins else (1, 1) if k < wins + draws else (2, 1)
        results.append(ResultRow(MatchKey(1, k + 1, 1, 1), (0, 1), ranks))
        results.append(ResultRow(MatchKey(1, k + 1, 1, 2), (1, 0), ranks[::-1]))
    return Counts.of_results(results, range(2), 2)


@pytest.mark.parametrize(("wins", "draws", "losses"), [(40, 340, 20), (1, 199, 0), (70, 0, 10)])
def test_gap_of_two_bots_means_their_expected_score(wins: int, draws: int, losses: int) -> None:
    counts = two(wins, draws, losses)
    model = Expected(counts)
    mode = maximise(model, Prior(rating=1e7, seat=1e7).precision(counts))
    score = (wins + draws / 2) / (wins + draws + losses)
    assert ELO * (mode.x[0] - mode.x[1]) == pytest.approx(400 * math.log10(score / (1 - score)), abs=1e-4)
    assert mode.x[2] - mode.x[3] == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_information_is_the_variance_of_even_scores(seats: int) -> None:
    """The score of a seat over all orders of equals has the variance that the model expects."""
    results = [
        ResultRow(MatchKey(1, k + 1, 1, 1), tuple(range(seats)), ranks)
        for k, ranks in enumerate(permutations(range(1, seats + 1)))
    ]
    counts = Counts.of_results(results, range(seats), seats)
    model = Expected(counts)
    scores = model.scores(np.zeros(model.size))
    mine = scores.parameter == 0
    squares = np.sum(counts.times[scores.cluster[mine]] * scores.value[mine] ** 2)
    assert squares == pytest.approx(model.at(np.zeros(model.size)).information[0, 0])


def test_nodes_are_those_of_gauss_and_hermite() -> None:
    nodes, weights = np.polynomial.hermite_e.hermegauss(15)
    assert pytest.approx(nodes, abs=1e-14) == NODES
    assert pytest.approx(weights / weights.sum(), rel=1e-12) == WEIGHTS
