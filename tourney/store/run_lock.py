"""One run of a tournament at a time: a lock that the system itself takes away when its holder dies."""

import contextlib
import fcntl
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy.engine import Engine

from tourney.errors import StoreError, UsageError
from tourney.parsing import parse_json
from tourney.store import postgres, sqlite
from tourney.store.engine import is_sqlite

_ATTEMPTS = 20
_PAUSE = 0.01
_PROGRAM = "tourney"


@dataclass(frozen=True, slots=True)
class Running:
    """A run that goes on: its process, when it began (seconds since the epoch), matches done by then."""

    pid: int
    since: float
    done: int


def lock_path(engine: Engine, tournament: int) -> Path:
    """Return the lock file of a tournament, beside its database."""
    database = sqlite.path_of(engine.url)
    return database.with_name(f"{database.name}-run-{tournament}.lock")


@contextmanager
def run_lock(engine: Engine, tournament: int, name: str, running: Running) -> Iterator[None]:
    """Hold the lock of a tournament. Raises UsageError if another run holds it.

    SQLite: a file beside the database, locked by the kernel for the process and gone at the end. Servers: an
    advisory lock of the session, which ends with the connection.
    """
    if is_sqlite(engine.url):
        with _file_lock(lock_path(engine, tournament), name, running):
            yield
    else:
        label = f"{_PROGRAM} {running.pid} {running.since:.3f} {running.done}"
        with postgres.run_lock(engine, tournament, name, label):
            yield


def running_now(engine: Engine, tournament: int) -> Running | None:
    """Return the run of a tournament that goes on now, or None. Raises StoreError."""
    if not is_sqlite(engine.url):
        return _running_on_server(engine, tournament)
    try:
        fd = os.open(lock_path(engine, tournament), os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        # A shared lock is had at once if nobody runs; whoever begins meanwhile tries more than once.
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        with contextlib.suppress(ValueError, KeyError, TypeError):
            data = parse_json(os.read(fd, 4096))
            return Running(int(data["pid"]), float(data["since"]), int(data["done"]))
        return Running(0, 0.0, 0)
    else:
        return None
    finally:
        os.close(fd)


@contextmanager
def _file_lock(path: Path, name: str, running: Running) -> Iterator[None]:
    fd = _acquire(path, name)
    try:
        os.ftruncate(fd, 0)
        text = json.dumps({"pid": running.pid, "since": running.since, "done": running.done})
        os.pwrite(fd, text.encode("ascii"), 0)
        yield
    finally:
        # Gone while it is still held, so that nobody can lock a file that is about to go.
        with contextlib.suppress(OSError):
            path.unlink()
        os.close(fd)


def _acquire(path: Path, name: str) -> int:
    for attempt in range(_ATTEMPTS):
        if attempt:
            time.sleep(_PAUSE)
        try:
            fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise StoreError(f"the lock {path} cannot be made: {error.strerror}") from error
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(fd)
            continue
        if _is_at(fd, path):
            return fd
        os.close(fd)
    raise UsageError(
        f"{name} is being run by another process already: wait for it, or stop it (see `tourney status`)"
    )


def _is_at(fd: int, path: Path) -> bool:
    """Say whether an open file is still the one at a path; its last holder may have removed it."""
    try:
        there = path.stat()
    except OSError:
        return False
    mine = os.fstat(fd)
    return (mine.st_dev, mine.st_ino) == (there.st_dev, there.st_ino)


def _running_on_server(engine: Engine, tournament: int) -> Running | None:
    label = postgres.running_label(engine, tournament)
    if label is None:
        return None
    with contextlib.suppress(ValueError):
        program, pid, since, done = label.split(" ")
        if program == _PROGRAM:
            return Running(int(pid), float(since), int(done))
    return Running(0, 0.0, 0)
