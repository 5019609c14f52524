"""Methods of tuning: exact values, the same for one seed, and better than the first on a known surface."""

from decimal import Decimal
from importlib.util import find_spec
from unittest.mock import patch

import pytest

from tourney import errors
from tourney.addons.lab.tuning_methods import (
    METHODS,
    SAMPLERS,
    Duel,
    Method,
    OptunaSearch,
    SearchTerms,
    Values,
    default_rate,
    grid_size,
    method_of,
)
from tourney.bots.catalogue.manifest import Parameter
from tourney.errors import UsageError
from tourney.ratings.sequential import expected_score
from tourney.seeds import U64, derive

A = Parameter(value=10, low=0, high=40, step=4)
B = Parameter(value=0.5, low=0, high=1, step=0.05)
AVAILABLE = [
    pytest.param(
        name, marks=pytest.mark.skipif(name in SAMPLERS and not find_spec("optuna"), reason="no optuna")
    )
    for name in METHODS
]


def terms(pairs: int = 40, batch: int = 8, draws: int = 7) -> SearchTerms:
    return SearchTerms(("a", "b"), (A, B), pairs, batch, draws, default_rate(2))


def worth(values: Values) -> float:
    """The Elo of values on a surface whose best ones are 24 and 0.8."""
    a, b = map(float, values)
    return -0.4 * (a - 24) ** 2 - 400 * (b - 0.8) ** 2


def run(method: Method, surface: bool = True) -> list[Duel]:
    """Let a method search by made-up pairs without draws, and return all that was played."""
    played: list[Duel] = []
    while method.count:
        duels = method.propose()
        scores = []
        for number, (one, other) in enumerate(duels, len(played)):
            chance = expected_score(worth(one) - worth(other)) if surface else 0.5
            games = [derive(9, "game", number, k) / U64 < chance for k in range(2)]
            scores.append(sum(games) / 2)
        method.learn(scores)
        played += duels
    return played


@pytest.mark.parametrize("name", AVAILABLE)
def test_same_seed_searches_the_same_way(name: str) -> None:
    """Equal scores give equal values; another seed gives others; all are on the grid, within bounds."""
    one, again, other = (method_of(name, terms(draws=draws)) for draws in (7, 7, 8))
    played = run(one)
    assert played == run(again)
    assert (one.values, one.gain) == (again.values, again.gain)
    assert played != run(other)
    assert len(played) == 40
    for duel in played:
        for a, b in duel:
            assert Decimal(0) <= a <= 40
            assert a == round(a)
            assert Decimal(0) <= b <= 1
            assert b == round(b, 2)
    assert one.propose() == ()


@pytest.mark.parametrize("name", AVAILABLE)
def test_search_comes_nearer_to_the_best_values(name: str) -> None:
    method = method_of(name, terms(pairs=600, batch=20))
    run(method)
    assert worth(method.values) > worth(method.terms.start) + 60


def test_spsa_is_that_of_fishtest() -> None:
    """The first pair and the first move, by hand: c, a and R of pair 1 of 40, with A = 4."""
    method = method_of("spsa", terms(batch=1))
    ((up, down),) = method.propose()
    c = 4 * 40**0.101
    rate = 0.0194 * (44 / 5) ** 0.602 / 40**0.202
    sign = 1 if up[0] > down[0] else -1
    assert abs(float(up[0] - down[0]) - sign * 2 * c) <= 1
    method.learn([1.0])
    assert float(method.values[0]) == round(10 + rate * c * sign * 2)
    # At the last pair the shift is the step, and the rate that of the terms.
    last = method_of("spsa", terms(pairs=1, batch=1))
    ((up, down),) = last.propose()
    assert {abs(up[0] - down[0]), abs(up[1] - down[1])} == {Decimal(8), Decimal("0.10")}


def test_whole_numbers_always_differ_in_a_pair() -> None:
    """A step below half a unit is widened to it, or both sides would play with the same value."""
    fine = Parameter(value=5, low=0, high=10, step=1)
    method = method_of("spsa", SearchTerms(("a",), (fine,), 30, 30, 3, default_rate(1)))
    assert all(up != down for up, down in method.propose())


def test_pair_that_does_not_count_moves_nothing() -> None:
    method = method_of("spsa", terms(batch=2))
    method.propose()
    method.learn([None, None])
    assert (method.values, method.done, method.gain.elo) == (method.terms.start, 2, 0.0)


def test_candidates_below_half_are_not_taken() -> None:
    method = method_of("random", terms())
    while method.count:
        method.learn([0.5] * len(method.propose()))
    assert method.values == method.terms.start


def test_default_rate_is_van_den_berghs() -> None:
    """5 Elo, chi-squared at 95 % by tables: 3.841, 5.991 and 9.488."""
    for count, quantile in ((1, 3.841), (2, 5.991), (4, 9.488)):
        assert float(default_rate(count)) == pytest.approx(8 * 5 / (347.4356 * quantile), rel=0.03)


def test_grid_has_all_values_of_a_parameter() -> None:
    assert (grid_size(A), grid_size(B)) == (41, 101)


TERMS = SearchTerms(("a",), (Parameter(value=3, low=0, high=10, step=1),), 15, 1, 5, Decimal("0.1"))


@pytest.mark.parametrize("sampler", SAMPLERS.values())
def test_search_asks_within_bounds_and_the_same_again(sampler: str) -> None:
    pytest.importorskip("optuna")
    pytest.importorskip("cmaes")
    ways = []
    for _ in range(2):
        search = OptunaSearch(TERMS, sampler)
        way: list[int] = []
        while search.count:
            ((tried, first),) = search.propose()
            assert int(first[0]) == 3
            assert int(tried[0]) in range(11)
            search.learn([1 - abs(int(tried[0]) - 7) / 10])
            way.append(int(tried[0]))
        ways.append(way)
    assert len(ways[0]) == 15
    assert ways[0] == ways[1]


def test_missing_package_is_named_with_its_extra() -> None:
    with (
        patch.object(errors, "import_module", side_effect=ImportError),
        pytest.raises(UsageError, match=r"pip install 'tourney\[tune\]'"),
    ):
        OptunaSearch(TERMS, "TPESampler")
