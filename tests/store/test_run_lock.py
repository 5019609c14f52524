"""The run lock: one run of a tournament at a time."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from tests.tournaments import begin, refused
from tourney.errors import UsageError
from tourney.store.repository import Repository

HOLD = """
import sys
from tourney.store.repository import Repository
with Repository.open(sys.argv[1]) as repository, repository.run_lock(repository.tournament(), 12.5):
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
    return process.wait(30)


def test_second_run_starts_only_after_the_first_ends(repository: Repository, database: Path) -> None:
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


def test_crash_releases_the_lock(repository: Repository, database: Path) -> None:
    tournament = begin(repository)
    process = hold_lock(database)
    os.kill(process.pid, signal.SIGKILL)
    assert end(process) == -signal.SIGKILL
    assert repository.running(tournament.id) is None
    with repository.run_lock(tournament, since=0.0):
        assert (repository.running(tournament.id) or process).pid == os.getpid()
