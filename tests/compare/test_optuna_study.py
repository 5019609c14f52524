"""Studies of Optuna: bounds, determinism, and the sentence without the package."""

from unittest.mock import patch

import pytest

from tourney.compare import optuna_study
from tourney.compare.optuna_study import Study, version
from tourney.errors import UsageError


@pytest.mark.parametrize("sampler", ["tpe", "cma-es"])
def test_study_asks_within_bounds_and_the_same_again(sampler: str) -> None:
    pytest.importorskip("optuna")
    pytest.importorskip("cmaes")
    ways = []
    for _ in range(2):
        study = Study(sampler, {"a": 11, "b": 2}, 5, [3, 1])
        way = []
        for _ in range(15):
            a, b = study.ask()
            assert a in range(11)
            assert b in range(2)
            study.tell(1 - abs(a - 7) / 10)
            way.append((a, b))
        ways.append(way)
    assert ways[0] == ways[1]


def test_missing_package_is_named_with_its_extra() -> None:
    with (
        patch.object(optuna_study, "import_module", side_effect=ImportError),
        pytest.raises(UsageError, match=r"pip install 'tourney\[tune\]'"),
    ):
        version()
