"""Commands write to files, links, devices, FIFOs and descriptors through the one writer."""

import os
import sqlite3
import stat
import subprocess
import threading
from pathlib import Path

import pytest

from tests.support.command import PROGRAM, invoke
from tests.support.tournaments import begin, played
from tourney.run.engine.recorder import spec_of
from tourney.store.database import Database
from tourney.store.values import MatchResult

EXPORTS = [("records",), ("standings",), ("standings", "--format", "parquet"), ("trf",)]


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A database with a finished tournament of made-up matches."""
    path = str(tmp_path_factory.mktemp("db") / "tourney.db")
    with Database.open(path, create=True) as repository:
        tournament = begin(repository)
        entrants = repository.tournaments.entrants(tournament.id)
        rows = repository.schedules.pending(tournament.id)
        repository.matches.add(
            tournament.id, [MatchResult(n, played(spec_of(tournament, entrants, row))) for n, row in rows]
        )
    return path


@pytest.mark.slow
@pytest.mark.parametrize("words", EXPORTS)
def test_export_writes_the_same_bytes_everywhere(db: str, tmp_path: Path, words: tuple[str, ...]) -> None:
    plain = tmp_path / "plain"
    command = ("export", "--db", db, "--what", *words, "--out")
    assert invoke(*command, str(plain)).exit_code == 0
    whole = plain.read_bytes()
    assert whole
    (tmp_path / "target").write_bytes(b"old")
    (tmp_path / "link").symlink_to("target")
    assert invoke(*command, str(tmp_path / "link")).exit_code == 0
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_bytes() == whole
    os.mkfifo(tmp_path / "fifo")
    found: list[bytes] = []
    reader = threading.Thread(target=lambda: found.append((tmp_path / "fifo").read_bytes()))
    reader.start()
    assert invoke(*command, str(tmp_path / "fifo")).exit_code == 0
    reader.join(600)
    assert found == [whole]
    done = subprocess.run([*PROGRAM, *command, "/dev/stdout"], capture_output=True, check=True, timeout=600)
    assert done.stdout == whole
    assert invoke(*command, os.devnull).exit_code == 0
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)


def test_export_refuses_before_it_reads(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"old")
    (tmp_path / "file").chmod(0o444)
    for name, words in (("file", "is read-only: make it writable"), (".", "is a folder: name a file")):
        done = invoke("export", "--db", str(tmp_path / "none.db"), "--out", str(tmp_path / name))
        assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
        assert words in done.stderr
    assert (tmp_path / "file").read_bytes() == b"old"


def test_dash_is_standard_output(db: str) -> None:
    assert invoke("export", "--db", db, "--out", "-").stdout == invoke("export", "--db", db).stdout
    assert not Path("-").exists()


def test_full_device_ends_with_one_sentence(db: str) -> None:
    done = invoke("export", "--db", db, "--out", "/dev/full")
    assert (done.exit_code, done.stderr) == (
        3,
        "error: /dev/full cannot be written: No space left on device; free some space, and start again\n",
    )


def test_backup_may_go_to_standard_output(db: str, tmp_path: Path) -> None:
    command = [*PROGRAM, "db", "backup", "/dev/stdout", "--db", db]
    done = subprocess.run(command, capture_output=True, check=True, timeout=600)
    (tmp_path / "copy.db").write_bytes(done.stdout)
    with sqlite3.connect(tmp_path / "copy.db") as copy:
        assert copy.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert copy.execute("SELECT count(*) FROM match").fetchone() == (6,)
    copy.close()
