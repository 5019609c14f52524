"""A new database for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tourney.store.database import Database


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "tourney.db"


@pytest.fixture
def repository(database: Path) -> Iterator[Database]:
    with Database.open(str(database), create=True) as opened:
        yield opened
