"""One run of a tournament at a time: a lock that the system itself releases when its holder dies.

For SQLite it is a locked byte of the database file, far behind all bytes that SQLite stores or locks: so it
belongs to the file, by whatever path it was opened. A locked file beside the database describes the run; it
also keeps out earlier versions of Tourney, which lock nothing else. On a PostgreSQL server the lock is an
advisory lock of a session, whose application name describes the run to everybody.
"""

import errno
import fcntl
import os
import struct
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final

import msgspec
import sqlalchemy as sa
from msgspec import Struct
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.exc import SQLAlchemyError

from tourney.errors import StoreError, StoreUnavailable, UsageError
from tourney.prepared_types import prepared
from tourney.store import sqlite
from tourney.store.engine import LOCK_CLASS, is_sqlite, shown, store_error

_ATTEMPTS = 20  # to take a lock: a reader of the file holds a shared one for a moment
_PAUSE = 0.01  # seconds between attempts
_PROGRAM = "tourney"  # the first word of the session's name on a server, which status reads
_FIRST_BYTE = 1 << 62
"""The byte of tournament 0. SQLite locks bytes from 1 GiB on, and stores at most 2**48."""
_BY_FILE = hasattr(fcntl, "F_OFD_SETLK")
"""Whether the system has locks that belong to an open file; elsewhere there is only the file beside it."""


class Running(Struct, frozen=True):
    """A run that goes on: its process, when it began (seconds since the epoch), matches done by then."""

    pid: int
    since: float
    done: int


UNKNOWN: Final = Running(0, 0.0, 0)
"""A run that nothing describes."""


def lock_path(engine: Engine, tournament: int) -> Path:
    """The lock file of a tournament, beside its database."""
    database = sqlite.path_of(engine.url)
    return database.with_name(f"{database.name}-run-{tournament}.lock")


@contextmanager
def run_lock(engine: Engine, tournament: int, name: str, running: Running) -> Iterator[None]:
    """Hold the lock of a tournament. Raises UsageError if another run holds it.

    SQLite: a byte of the database and a file beside it, locked by the kernel for the process. Servers: an
    advisory lock of the session, which ends with the connection.
    """
    if is_sqlite(engine.url):
        with (
            _file_lock(lock_path(engine, tournament), name, running),
            _byte_lock(sqlite.path_of(engine.url), tournament, name),
        ):
            yield
    else:
        label = f"{_PROGRAM} {running.pid} {running.since:.3f} {running.done}"
        with _server_lock(engine, tournament, name, label):
            yield


def running_now(engine: Engine, tournament: int) -> Running | None:
    """The run of a tournament that goes on now, or None. Raises StoreError."""
    if not is_sqlite(engine.url):
        return _running_on_server(engine, tournament)
    described = _described(engine, tournament)
    if described is None and _byte_is_locked(sqlite.path_of(engine.url), tournament):
        return UNKNOWN  # by another path, whose folder is another one
    return described


def _described(engine: Engine, tournament: int) -> Running | None:
    """The run that the locked file beside the database describes, or None."""
    try:
        fd = os.open(lock_path(engine, tournament), os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        # A shared lock succeeds at once if no run holds the lock; a run that starts now tries again.
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        with suppress(msgspec.MsgspecError):
            return msgspec.json.decode(os.read(fd, 4096), type=prepared(Running))
        return UNKNOWN
    else:
        return None
    finally:
        os.close(fd)


@contextmanager
def _byte_lock(path: Path, tournament: int, name: str) -> Iterator[None]:
    """Lock a tournament's byte of the database. Raises UsageError if it is locked."""
    if not _BY_FILE:
        yield
        return
    with sqlite.descriptor(path, os.O_RDWR) as fd:
        try:
            fcntl.fcntl(fd, fcntl.F_OFD_SETLK, _byte(fcntl.F_WRLCK, tournament))
        except OSError as error:
            if error.errno in (errno.EAGAIN, errno.EACCES):
                raise already_running(name) from None
            raise StoreError(
                f"the file system of {path} has no locks ({error.strerror}): move the database to a local"
                " disk"
            ) from error
        try:
            yield
        finally:
            with suppress(OSError):
                fcntl.fcntl(fd, fcntl.F_OFD_SETLK, _byte(fcntl.F_UNLCK, tournament))


def _byte_is_locked(path: Path, tournament: int) -> bool:
    if not _BY_FILE:
        return False
    try:
        with sqlite.descriptor(path, os.O_RDONLY) as fd:
            lock = fcntl.fcntl(fd, fcntl.F_OFD_GETLK, _byte(fcntl.F_WRLCK, tournament))
    except OSError:
        return False
    return bool(struct.unpack(_FLOCK, lock)[0] != fcntl.F_UNLCK)


_FLOCK = "hhqqi4x"
"""The C structure ``flock``: kind, origin of the offset, offset, length and process."""


def _byte(kind: int, tournament: int) -> bytes:
    return struct.pack(_FLOCK, kind, os.SEEK_SET, _FIRST_BYTE + tournament, 1, 0)


@contextmanager
def _file_lock(path: Path, name: str, running: Running) -> Iterator[None]:
    fd = _acquire(path, name)
    try:
        os.ftruncate(fd, 0)
        os.pwrite(fd, msgspec.json.encode(running), 0)
        yield
    finally:
        # Removed while still locked, so that no other process locks a file about to be removed.
        with suppress(OSError):
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
    raise already_running(name)


def _is_at(fd: int, path: Path) -> bool:
    """Say whether an open file is still the one at a path; its last holder may have removed it."""
    with suppress(OSError):
        return os.path.samestat(os.fstat(fd), path.stat())
    return False


_HELD = sa.text(
    "SELECT activity.application_name FROM pg_locks AS held JOIN pg_stat_activity AS activity USING (pid)"
    " WHERE held.locktype = 'advisory' AND held.granted AND held.objsubid = 2"
    " AND held.classid::bigint = :class AND held.objid::bigint = :tournament"
    " AND held.database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)


class _Session:
    """The session that holds, or tries to take, the lock of a tournament."""

    def __init__(self, engine: Engine, tournament: int, label: str) -> None:
        self._engine = engine
        self._tournament = tournament
        self._label = label
        self._connection: Connection | None = None

    def hold(self) -> bool:
        """Say whether the lock is held: still, or taken now by a connection of its own."""
        if self._connection is not None:
            with suppress(SQLAlchemyError):
                self._connection.execute(sa.select(1))
                return True
            self._close()
        with ExitStack() as stack:
            connection = self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")
            stack.callback(connection.close)
            connection.execute(sa.select(sa.func.set_config("application_name", self._label, False)))
            wanted = sa.select(sa.func.pg_try_advisory_lock(LOCK_CLASS, self._tournament))
            if connection.execute(wanted).scalar():
                stack.pop_all()
                self._connection = connection
        return self._connection is not None

    def drop(self) -> None:
        """Give the lock back; one whose connection was lost is gone already."""
        if self._connection is not None:
            with suppress(SQLAlchemyError):
                unlock = sa.func.pg_advisory_unlock(LOCK_CLASS, self._tournament)
                self._connection.execute(sa.select(unlock))
            self._close()

    def _close(self) -> None:
        if self._connection is not None:
            with suppress(SQLAlchemyError):
                self._connection.close()
            self._connection = None


@contextmanager
def _server_lock(engine: Engine, tournament: int, name: str, label: str) -> Iterator[None]:
    """Hold the lock of a tournament on a server.

    Each writing transaction first makes sure that the lock is held. If the connection was lost and another
    run took the lock, writing raises StoreUnavailable until that run ends.
    """
    place = shown(engine.url)
    session = _Session(engine, tournament, label)
    try:
        taken = session.hold()
    except SQLAlchemyError as error:
        raise store_error(place, error) from error
    if not taken:
        raise already_running(name)

    def begin(connection: Connection) -> None:
        if connection.get_execution_options().get(sqlite.WRITE) and not session.hold():
            raise StoreUnavailable(
                f"the connection to {place} was lost, and another process runs {name} since then"
            )

    sa.event.listen(engine, "begin", begin)
    try:
        yield
    finally:
        sa.event.remove(engine, "begin", begin)
        session.drop()


def _running_on_server(engine: Engine, tournament: int) -> Running | None:
    try:
        with engine.connect() as connection:
            label = connection.execute(_HELD, {"class": LOCK_CLASS, "tournament": tournament}).scalar()
    except SQLAlchemyError as error:
        raise store_error(shown(engine.url), error) from error
    if label is None:
        return None
    with suppress(ValueError):
        program, pid, since, done = str(label).split(" ")
        if program == _PROGRAM:
            return Running(int(pid), float(since), int(done))
    return UNKNOWN


def already_running(name: str) -> UsageError:
    """The error for a start of a tournament that another process runs."""
    return UsageError(
        f"{name} is being run by another process already: wait for it, or stop it (see `tourney status`)"
    )
