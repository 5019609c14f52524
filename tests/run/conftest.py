"""A new database for each test of runs."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tourney.store.database import Database


@pytest.fixture
def repository(tmp_path: Path) -> Iterator[Database]:
    with Database.open(str(tmp_path / "tourney.db"), create=True) as opened:
        yield opened
