"""One pool of records for all tests of the checkers."""

from pathlib import Path

import pytest

from tests.seeds.pool import fill
from tests.support.command import invoke


@pytest.fixture(scope="session")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a database with tournaments of every format and game, all played."""
    path = tmp_path_factory.mktemp("pool") / "pool.db"
    fill(path)
    return path


@pytest.fixture(scope="session")
def names(database: Path) -> list[str]:
    """Return the names of its tournaments."""
    done = invoke("status", "--format", "csv", "--db", str(database))
    assert done.exit_code == 0
    return [line.split(",")[0] for line in done.stdout.splitlines()[1:]]


@pytest.fixture(scope="session")
def records(database: Path, names: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a file of all records of the pool, as exported."""
    path = tmp_path_factory.mktemp("records") / "pool.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for name in names:
            done = invoke("export", name, "--db", str(database))
            assert done.exit_code == 0, done.stderr
            file.write(done.stdout)
    return path
