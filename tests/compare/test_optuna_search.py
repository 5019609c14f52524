"""Samplers of Optuna: bounds, determinism, and the sentence without the package."""

from decimal import Decimal
from unittest.mock import patch

import pytest

from tourney import errors
from tourney.bots.catalogue.tunable import Parameter
from tourney.compare.optuna_search import OptunaSearch
from tourney.compare.tuning_methods import SAMPLERS, SearchTerms
from tourney.errors import UsageError

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
