"""The probabilities of the two models, and their derivatives."""

import math
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.ratings.pools import results_of
from tourney.ratings.classic import likelihood_of
from tourney.ratings.counts import Counts, Floats
from tourney.ratings.fit import Prior, maximise, pair_totals
from tourney.ratings.likelihood import Davidson, Likelihood
from tourney.ratings.plackett_luce import PlackettLuce, orders
from tourney.schedule.row import MatchKey, ResultRow


def numbers(size: int, spread: float = 1.0) -> Floats:
    """Return irregular parameters."""
    return spread * np.sin(np.arange(1, size + 1) ** 2)


def one(ranks: tuple[int, ...]) -> Counts:
    """Return the counts of a single match of entrants 0, 1, ... in seat order."""
    seats = len(ranks)
    return Counts.of_results(
        [ResultRow(MatchKey(1, 1, 1, 1), tuple(range(seats)), ranks)], range(seats), seats
    )


def probability(model: Likelihood, x: Floats) -> float:
    """Return the probability of the results."""
    return math.exp(model.at(x).value)


MODELS = [
    pytest.param(kind, seats, id=f"{kind.__name__}-{seats}")
    for kind, seats in ((Davidson, 2), (PlackettLuce, 2), (PlackettLuce, 3), (PlackettLuce, 4))
]


@pytest.mark.parametrize(("kind", "seats"), MODELS)
def test_derivatives_match_the_value(kind: type[Davidson | PlackettLuce], seats: int) -> None:
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
    model = likelihood_of(counts)
    information = model.at(np.array(values[: model.size])).information
    assert np.linalg.eigvalsh(information).min() > -1e-9


def test_davidson_outcomes_follow_the_model() -> None:
    x = numbers(5)
    a, b, nu = math.exp(x[0] + x[2]), math.exp(x[1] + x[3]), math.exp(x[4])
    weights = {(1, 2): a, (1, 1): nu * math.sqrt(a * b), (2, 1): b}
    for ranks, weight in weights.items():
        assert probability(Davidson(one(ranks)), x) == pytest.approx(weight / sum(weights.values()))


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_orders_follow_the_sequential_choice_model(seats: int) -> None:
    x = numbers(2 * seats)
    strengths = np.exp(x[:seats] + x[seats:])
    total = 0.0
    for ranks in permutations(range(1, seats + 1)):
        found = probability(PlackettLuce(one(ranks)), x)
        left, expected = list(range(seats)), 1.0
        for rank in range(1, seats + 1):
            seat = ranks.index(rank)
            expected *= strengths[seat] / sum(strengths[other] for other in left)
            left.remove(seat)
        assert found == pytest.approx(expected)
        total += found
    assert total == pytest.approx(1)


@pytest.mark.parametrize("seats", [3, 4])
def test_tie_is_the_mean_of_its_possible_orders(seats: int) -> None:
    x = numbers(2 * seats)
    strict = {ranks: probability(PlackettLuce(one(ranks)), x) for ranks in permutations(range(1, seats + 1))}
    for values in product(range(seats), repeat=seats):
        ranks = tuple(1 + sum(other < mine for other in values) for mine in values)
        fitting = [
            p
            for order, p in strict.items()
            if all((ranks[i] < ranks[j]) <= (order[i] < order[j]) for i in range(seats) for j in range(seats))
        ]
        last = math.factorial(ranks.count(max(ranks)))
        # The orders of the last place are not counted: a constant that changes no estimate.
        assert probability(PlackettLuce(one(ranks)), x) == pytest.approx(last * np.mean(fitting))
        assert len(orders(ranks)) * last == len(fitting)


def test_two_bots_have_the_closed_form_estimate() -> None:
    """For w wins, d draws and l losses in both seats: odds w / l, nu = d / sqrt(wl), up to a weak prior."""
    w, d, lost = 40, 30, 10
    results = []
    for k in range(w + d + lost):
        ranks = (1, 2) if k < w else (1, 1) if k < w + d else (2, 1)
        results.append(ResultRow(MatchKey(1, k + 1, 1, 1), (0, 1), ranks))
        results.append(ResultRow(MatchKey(1, k + 1, 1, 2), (1, 0), ranks[::-1]))
    counts = Counts.of_results(results, range(2), 2)
    weak = Prior(rating=1e7, seat=1e7, draws=1e5)
    mode = maximise(Davidson(counts), weak.precision(2, 2, draws=True))
    assert mode.x[0] - mode.x[1] == pytest.approx(math.log(w / lost), abs=1e-6)
    assert mode.x[2] - mode.x[3] == pytest.approx(0, abs=1e-6)
    assert math.exp(mode.x[4]) == pytest.approx(d / math.sqrt(w * lost), abs=1e-6)


def test_single_winner_games_are_rated_by_winners() -> None:
    """Shared last places carry no information: strengths are proportional to wins."""
    wins = (50, 30, 10)
    results = [
        ResultRow(MatchKey(1, k + 1, 1, 1), (0, 1, 2), tuple(1 if seat == winner else 2 for seat in range(3)))
        for k, winner in enumerate(winner for winner, times in enumerate(wins) for _ in range(times))
    ]
    counts = Counts.of_results(results, range(3), 3)
    # Every entrant keeps its seat, so a strong prior holds the seats at 0.
    mode = maximise(PlackettLuce(counts), Prior(rating=1e7, seat=1e-4).precision(3, 3, draws=False))
    strengths = np.exp(mode.x[:3])
    assert np.allclose(strengths / strengths.sum(), np.array(wins) / sum(wins), atol=1e-5)
    totals = pair_totals(PlackettLuce(counts).meetings(mode.x), 3)
    assert np.allclose(totals.half_points / 2, totals.expected, atol=1e-3)
    assert totals.undecided.tolist() == [10, 30, 50]


@pytest.mark.parametrize(("kind", "seats"), MODELS)
def test_expected_points_add_up_to_the_scored_points(kind: type[Davidson | PlackettLuce], seats: int) -> None:
    """At the maximum for two seats, every entrant's score equals its expected score."""
    counts = Counts.of_results(results_of(seats, 6, 120), range(6), seats)
    model = kind(counts)
    weak = Prior(rating=1e6, seat=1e6, draws=1e4).precision(6, seats, draws=model.has_draws)
    x = maximise(model, weak).x
    totals = pair_totals(model.meetings(x), 6)
    assert (totals.a < totals.b).all()
    assert totals.games.sum() == len(results_of(seats, 6, 120)) * seats * (seats - 1) // 2
    if seats == 2:
        gap = totals.half_points / 2 - totals.expected
        for number in range(6):
            mine = gap[totals.a == number].sum() - gap[totals.b == number].sum()
            assert mine == pytest.approx(0, abs=1e-3)
    residuals = model.residuals(x)
    n = 6
    for a, b, half_points, expected in zip(
        totals.a, totals.b, totals.half_points, totals.expected, strict=True
    ):
        mine = residuals.parameter == a * n + b
        summed = np.sum((residuals.value * counts.times[residuals.cluster])[mine])
        assert summed == pytest.approx(half_points / 2 - expected)


@pytest.mark.slow
@pytest.mark.parametrize("seats", [3, 4])
def test_shared_ranks_leave_expected_scores_of_the_model(seats: int) -> None:
    """For each shape of ranks, a pair's mean points over all its results equal the expected points."""
    shapes = {tuple(sorted(ranks)) for ranks in product(range(seats), repeat=seats)}
    utility = 2 * numbers(seats)
    for shape in sorted(shapes):
        points, expected, decided = (np.zeros((seats, seats)) for _ in range(3))
        for ranks in sorted(set(permutations(shape))):
            tidy = tuple(1 + sum(other < mine for other in ranks) for mine in ranks)
            model = PlackettLuce(one(tidy))
            x = np.concatenate([utility, np.zeros(seats)])
            weight = len(orders(tidy)) * probability(model, x)
            met = model.meetings(x)
            for a, b, level, half_points, mean in zip(
                met.a, met.b, met.undecided, met.half_points, met.expected, strict=True
            ):
                if not level:
                    decided[a, b] += weight
                    points[a, b] += weight * half_points / 2
                    expected[a, b] += weight * mean
            residuals = model.residuals(x)
            assert np.allclose(residuals.value, met.half_points / 2 - met.expected)
        assert np.allclose(points, expected), shape
        assert np.all(decided < 1 + 1e-12)
