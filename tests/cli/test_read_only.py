"""Reading a database in a folder that is not writable, without creating files beside it."""

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.support import genuine
from tests.support.command import ROOT, invoke
from tests.support.tournaments import refused
from tourney.errors import StoreUnavailable
from tourney.store import sqlite
from tourney.store.database import Database
from tourney.store.engine import Access

AS_ANOTHER = """
import os, shutil, sys, tempfile
from tourney.errors import StoreError
from tourney.results.standings import compute_standings
from tourney.store.database import Database

def read(path):
    try:
        with Database.open(path) as opened, opened.snapshot() as repository:
            t = repository.tournaments.get().id
            names = [line.name for line in compute_standings(repository, t)]
            return f'{names} {repository.records.get(t, 1).seed}'
    except StoreError as error:
        return str(error)

with tempfile.TemporaryDirectory() as own:
    read(shutil.copy(sys.argv[1], own))
if os.geteuid() == 0:
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
print(read(sys.argv[1]))
"""
"""Reads a database as a user without write access: root becomes another user.

The first read uses the copy, so all modules load while the checkout is readable.
"""

READERS = (
    ("standings",),
    ("ratings", "--method", "trueskill"),
    ("status",),
    ("show", "1"),
    ("export", "--what", "entrants"),
    ("verify", "1"),
    ("db", "check"),
    ("db", "backup", "copy.db"),
    ("report", "--out", "report"),
)


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that every user can read; the test makes it read-only."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "archive"
        path.mkdir()
        (Path(name) / "out").mkdir(mode=0o777)
        (Path(name) / "out").chmod(0o777)
        Path(name).chmod(0o755)
        yield path
        path.chmod(0o755)


@pytest.fixture
def archive(folder: Path) -> Path:
    """A database with a finished tournament in that folder."""
    path = folder / "tourney.db"
    with Database.open(str(path), create=True) as repository:
        genuine.play_all(repository, genuine.begin(repository, ("drawn-1", "drawn-2")))
    return path


def read_as_other_user(path: Path) -> str:
    path.parent.chmod(0o555)
    words = [sys.executable, "-c", AS_ANOTHER, str(path)]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.stderr == ""
    assert done.stdout.count("\n") == 1
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("mode", [0o444, 0o644])
def test_database_in_read_only_folder_is_read(archive: Path, mode: int) -> None:
    archive.chmod(mode)
    before = archive.read_bytes()
    said = read_as_other_user(archive)
    assert said.startswith("['drawn-")
    assert said.rpartition(" ")[2].strip().isdigit()
    assert [path.name for path in archive.parent.iterdir()] == ["tourney.db"]
    assert archive.read_bytes() == before


def test_database_with_leftover_wal_is_refused(archive: Path) -> None:
    """After a crash, only SQLite can move the results from the WAL into the database, which writes."""
    with closing(sqlite3.connect(archive)) as writer:
        writer.execute("UPDATE tournament SET created = 'now'")
        writer.commit()
        wal = archive.with_name("tourney.db-wal")
        kept = archive.parent.parent / "kept"
        shutil.copy(wal, kept)
    kept.rename(wal)
    wal.chmod(0o644)
    said = read_as_other_user(archive)
    assert said.startswith(f"the database {archive} cannot be read where it lies: tourney.db-wal beside it")
    assert "copy both files to a folder of your own" in said


def test_reading_commands_create_no_files(archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They leave the database and its folder unchanged."""
    access = os.access

    def read_only(path: str | Path, mode: int, **how: bool) -> bool:
        """Root may write everywhere, so what is there for another user is made up."""
        return not (mode == os.W_OK and Path(path).is_relative_to(archive.parent)) and access(
            path, mode, **how
        )

    monkeypatch.setattr(os, "access", read_only)
    monkeypatch.chdir(archive.parent.parent / "out")
    before = archive.read_bytes()
    for words in READERS:
        done = invoke(*words, "--db", str(archive))
        assert (words, done.exit_code) == (words, 0), done.stderr
        assert [path.name for path in archive.parent.iterdir()] == ["tourney.db"], words
    assert archive.read_bytes() == before
    assert Path("report", "index.html").is_file()


def test_write_during_frozen_read_is_reported(archive: Path) -> None:
    """A frozen database is not locked, so the data read may be inconsistent."""
    engine = sqlite.make_engine(archive, frozen=True)
    repository = Database(Access(engine))
    with (
        refused(StoreUnavailable, str(archive), "was written to while it was read"),
        repository.snapshot() as moment,
    ):
        assert moment.tournaments.get().name == "cup"
        with closing(sqlite3.connect(archive)) as writer:
            writer.execute("UPDATE tournament SET created = 'now'")
            writer.commit()
    engine.dispose()
