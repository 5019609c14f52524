"""The run lock: one run of a tournament at a time."""

import errno
import fcntl
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import pytest

from tests.support.command import ROOT
from tests.support.tournaments import begin, refused
from tourney.errors import StoreError, UsageError
from tourney.store.database import Database
from tourney.store.run_lock import Running

HOLD = """
import sys
from tourney.store.database import Database
with Database.open(sys.argv[1]) as repository, repository.run_lock(repository.tournaments.get(), 12.5):
    print("held", flush=True)
    sys.stdin.read()
"""


def hold_lock(database: Path) -> "subprocess.Popen[str]":
    """Start a process that holds the lock of the tournament until its input ends."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(database)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def end(process: "subprocess.Popen[str]") -> int:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.close()
    process.stdout.close()
    return process.wait(600)


def test_second_run_starts_only_after_the_first_ends(repository: Database, database: Path) -> None:
    tournament = begin(repository)
    other = begin(repository, name="other")
    assert repository.running(tournament.id) is None
    with repository.run_lock(tournament, since=0.0):
        pass
    # The process locks the tournament that began last.
    process = hold_lock(database)
    running = repository.running(other.id)
    assert running is not None
    assert (running.pid, running.since, running.done) == (process.pid, 12.5, 0)
    with (
        refused(UsageError, "other is being run by another process already"),
        repository.run_lock(other, since=0.0),
    ):
        pass
    with repository.run_lock(tournament, since=0.0):  # another tournament of the same database
        assert repository.running(other.id) is not None
    assert end(process) == 0
    assert repository.running(other.id) is None
    with repository.run_lock(other, since=0.0):
        pass
    assert [path.name for path in database.parent.glob("*lock*")] == []


def test_crash_releases_the_lock(repository: Database, database: Path) -> None:
    tournament = begin(repository)
    process = hold_lock(database)
    os.kill(process.pid, signal.SIGKILL)
    assert end(process) == -signal.SIGKILL
    assert repository.running(tournament.id) is None
    with repository.run_lock(tournament, since=0.0):
        assert (repository.running(tournament.id) or process).pid == os.getpid()


def test_second_run_is_refused_by_any_path(
    repository: Database, database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = begin(repository)
    repository.close()
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "alias.db").symlink_to(database)
    (tmp_path / "folder").symlink_to(database.parent)
    process = hold_lock(database)
    monkeypatch.chdir(folder)
    with database.open("rb") as opened:
        for path in (
            "alias.db",
            f"../folder/{database.name}",
            os.path.relpath(database),
            f"/proc/self/fd/{opened.fileno()}",
        ):
            with Database.open(path) as again:
                running = again.running(other.id)
                assert running is not None
                assert running.pid == process.pid
                with refused(UsageError, "is being run by another process"), again.run_lock(other, since=0.0):
                    pass
    assert end(process) == 0


def test_lock_belongs_to_the_file_itself(repository: Database, database: Path) -> None:
    """Without the file beside the database, as seen from a folder where the database is mounted."""
    tournament = begin(repository)
    process = hold_lock(database)
    for path in database.parent.glob("*.lock"):
        path.unlink()
    assert repository.running(tournament.id) == Running(0, 0.0, 0)
    with (
        refused(UsageError, "is being run by another process"),
        repository.run_lock(tournament, since=0.0),
    ):
        pass
    assert end(process) == 0
    assert repository.running(tournament.id) is None


BIND = """
import subprocess, sys
from tests.store.test_run_lock import end, hold_lock
from tests.support.tournaments import refused
from tourney.errors import StoreError, UsageError
from tourney.store.database import Database
from pathlib import Path
database, folder, file = map(Path, sys.argv[1:])
process = hold_lock(database)
subprocess.run(["mount", "--bind", database.parent, folder], check=True)
subprocess.run(["mount", "--bind", database, file], check=True)
with Database.open(str(folder / database.name)) as repository:
    tournament = repository.tournaments.get()
    assert repository.running(tournament.id).pid == process.pid
    with refused(UsageError, "is being run by another process"), repository.run_lock(tournament, since=0.0):
        pass
with refused(StoreError, "is mounted as a single file", "mount its folder"):
    Database.open(str(file), write=True)
with Database.open(str(file)) as repository:
    assert repository.running(1) is not None
assert end(process) == 0
"""


def test_bind_mounts_are_the_same_database(repository: Database, database: Path, tmp_path: Path) -> None:
    apart = ["unshare", "--mount"]
    if subprocess.run([*apart, "true"], capture_output=True, check=False).returncode:
        pytest.skip("only the superuser may mount")
    begin(repository)
    repository.close()
    (tmp_path / "mounted").mkdir()
    (tmp_path / "file.db").touch()
    places = [str(database), str(tmp_path / "mounted"), str(tmp_path / "file.db")]
    subprocess.run([*apart, sys.executable, "-c", BIND, *places], cwd=ROOT, check=True, timeout=600)


LOCKED = """
import fcntl, os, struct, sys
fd = os.open(sys.argv[1], os.O_RDWR)
lock = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, (1 << 30) + 2, 510, 0)
print(struct.unpack("hhqqi4x", fcntl.fcntl(fd, fcntl.F_GETLK, lock))[0] != fcntl.F_UNLCK)
"""
"""Prints whether another process holds SQLite's shared lock of a database."""


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_run_lock_leaves_sqlite_its_own_locks(repository: Database, database: Path) -> None:
    """The kernel drops a process's locks on a file when the process closes any descriptor of it."""
    tournament = begin(repository)

    def locked() -> bool:
        words = [sys.executable, "-c", LOCKED, str(database)]
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout == "True\n"

    repository.tournaments.get()
    assert locked()
    for _ in range(3):
        with repository.run_lock(tournament, since=0.0):
            assert repository.running(tournament.id) is not None
    assert locked()
    repository.running(tournament.id)
    before = descriptors()
    for _ in range(20):
        repository.running(tournament.id)
    assert descriptors() == before
    repository.close()
    assert descriptors() < before
    assert not locked()


def test_file_system_without_locks_is_named(repository: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    tournament = begin(repository)

    def refuse(*_: object) -> NoReturn:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "fcntl", refuse)
    with (
        refused(StoreError, "has no locks (No locks available)", "local disk"),
        repository.run_lock(tournament, since=0.0),
    ):
        pass
