"""The database of a test, a tournament on a cluster of this process, and its results on this machine."""

import pytest

from tests.addons.cluster.clusters import Cup, play
from tests.run.conftest import repository
from tests.support.executors import FuturesExecutor, Immediate
from tourney.store.database import Database

__all__ = ["case", "cup", "repository"]


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, dict[int, str]]:
    """A format whose rounds follow from results, and the digests of a run on this machine."""
    with Database.open(str(tmp_path_factory.mktemp("local") / "t.db"), create=True) as repository:
        local = Cup(repository, "swiss", 4, 4)
        local.run(FuturesExecutor(Immediate, play))
        return "swiss", local.digests


@pytest.fixture
def cup(repository: Database, case: tuple[str, dict[int, str]]) -> Cup:
    return Cup(repository, case[0], 4, 4)
