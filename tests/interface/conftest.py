"""A database with a finished tournament, for the tests of readers and frames."""

from collections.abc import Iterator

import pytest

import tourney
from tests.support import genuine
from tests.support.tournaments import begin
from tourney.store.database import Database


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A finished tournament of six matches, one void, and one of which nothing is played."""
    path = str(tmp_path_factory.mktemp("read") / "t.db")
    with Database.open(path, create=True) as database:
        begin(database, 3, name="planned")
        genuine.play_all(database, genuine.begin(database), void=(2,))
    return path


@pytest.fixture
def database(url: str) -> Iterator[tourney.DatabaseReader]:
    with tourney.open_database(url) as opened:
        yield opened
