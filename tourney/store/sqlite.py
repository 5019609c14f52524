"""SQLite files: made whole or not at all, checked at the start, opened with settings that survive a crash.

WAL with synchronous FULL: what was committed survives the power going out, and readers do not stop a writer.
"""

import os
import sqlite3
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from glob import escape
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import quote

import sqlalchemy as sa
from sqlalchemy.dialects import registry
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.engine import URL, Connection, Engine
from sqlalchemy.util import LRUCache

from tourney.errors import StoreDamaged, StoreError, StoreUnavailable
from tourney.files import is_mount_point, make_temporary, sweep, writing_by_path
from tourney.store import migrations

DRIVER: Final = "sqlite+tourney"
"""The name of the dialect below in URLs of SQLAlchemy."""
COMPILED: Final[LRUCache[object, object]] = LRUCache(1000)
"""The compiled statements of all engines: a process compiles each once, not once a database."""

APPLICATION_ID = 0x54524E59
"""The application id of our SQLite files, at byte 68 of the header: "TRNY"."""

WRITE = "tourney_write"
"""The execution option of a connection that means to write."""

_MAGIC = b"SQLite format 3\x00"
_BUSY_SECONDS = 30.0  # for another writer to finish; a run waits less, as it can spool its results
_SHRINK_SECONDS = 5.0  # to wait for other programs, before the space of removed rows stays in the file
_OPEN: Final[Counter[tuple[int, int]]] = Counter()
"""How many connections of this process a file has, by its device and number.

The kernel takes all locks that a process has on a file as soon as the process closes any descriptor of it,
and SQLite knows of its own descriptors only. Without its locks a connection seems gone: another process would
take away the log beside the file, with all that is written to it from then on.
"""
_KEPT: Final[dict[tuple[int, int, int], list[int]]] = {}
"""Idle descriptors of ``descriptor``, by a file's device, number and open flags, for the same reason."""
_COUNTING = threading.Lock()


class Dialect(SQLiteDialect_pysqlite):
    """SQLite's dialect, whose instances are equal: the keys of ``COMPILED`` hold them."""

    supports_statement_cache = True

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self)

    def __hash__(self) -> int:
        return hash(type(self))


registry.register(DRIVER.replace("+", "."), __name__, Dialect.__name__)


class _Connection(sqlite3.Connection):
    """A connection that is counted in ``_OPEN``."""

    file: tuple[int, int] | None = None

    def close(self) -> None:
        """Close; closing again does nothing."""
        super().close()
        if self.file is not None:
            with _COUNTING:
                _OPEN[self.file] -= 1
                if not _OPEN[self.file]:
                    for key in [key for key in _KEPT if key[:2] == self.file]:
                        for idle in _KEPT.pop(key):
                            os.close(idle)
            self.file = None


def _file(place: Path | int) -> tuple[int, int]:
    status = os.stat(place)  # noqa: PTH116 - of a descriptor too
    return status.st_dev, status.st_ino


def path_of(url: URL) -> Path:
    """The file of an SQLite URL, without symbolic links.

    SQLite's own files and those of a run lie beside this one, also if it is opened by another name.
    """
    return Path(os.path.realpath(str(url.database)))


@contextmanager
def descriptor(path: Path, flags: int) -> Iterator[int]:
    """Give a descriptor of a database that is not closed before this process's connections to it are.

    It holds no locks of its own at the beginning; the caller releases those that it takes. Raises OSError.
    """
    with _COUNTING:
        idle = _KEPT.get((*_file(path), flags), [])
        borrowed = idle.pop() if idle else os.open(path, flags | os.O_CLOEXEC)
    try:
        yield borrowed
    finally:
        file = _file(borrowed)
        with _COUNTING:
            if _OPEN[file]:
                _KEPT.setdefault((*file, flags), []).append(borrowed)
            else:
                os.close(borrowed)


def connect(path: Path, busy: float | None = None, *, frozen: bool = False) -> sqlite3.Connection:
    """Connect to a file that is there; never makes one. ``busy``: seconds to wait for another writer.

    ``frozen``: as of ``check``; it is read as it lies there, and nothing is locked or made beside it.
    """
    mode = "ro&immutable=1" if frozen else "rw"
    connection = sqlite3.connect(
        f"file:{quote(str(path))}?mode={mode}",
        uri=True,
        timeout=_BUSY_SECONDS if busy is None else busy,
        isolation_level=None,  # transactions are begun below, so that a reader has one moment too
        check_same_thread=False,  # SQLAlchemy's pool hands a connection to one thread at a time
        factory=_Connection,
    )
    connection.file = _file(path)
    with _COUNTING:
        _OPEN[connection.file] += 1
    try:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA synchronous = FULL")
    except BaseException:
        connection.close()
        raise
    return connection


def make_engine(path: Path, busy: float | None = None, *, frozen: bool = False) -> Engine:
    """An engine on a file; it neither makes nor checks it. ``frozen`` as of ``check``."""
    engine = sa.create_engine(
        URL.create(DRIVER, database=str(path)),
        creator=lambda: connect(path, busy, frozen=frozen),
        execution_options={"compiled_cache": COMPILED},
    )

    def begin(connection: Connection) -> None:
        # A writer takes the lock at once: one that began as a reader could not wait for it.
        write = connection.get_execution_options().get(WRITE, False)
        if write:
            _refuse_other(connection.connection.dbapi_connection, path)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")

    sa.event.listen(engine, "begin", begin)
    if frozen:
        before = _stamp(path)

        def commit(_connection: Connection) -> None:
            # Another program may have written meanwhile: the pages read may be of two moments.
            if _stamp(path) != before:
                raise StoreUnavailable(f"the database {path} was written to while it was read: start again")

        sa.event.listen(engine, "commit", commit)
    return engine


def _refuse_other(connection: Any, path: Path) -> None:
    """Raise StoreUnavailable if the file that a connection writes to is not the one at its path any more."""
    with suppress(OSError):
        if connection.file == _file(path):
            return
    raise StoreUnavailable(
        f"the database {path} was removed or replaced while it was in use: what is written to the old file is"
        " lost; put that file back, or stop what uses it"
    )


def _stamp(path: Path) -> tuple[int, int, int]:
    status = path.stat()
    return status.st_mtime_ns, status.st_size, _size_of_wal(path)


def _size_of_wal(path: Path) -> int:
    """The bytes of the log, which are not yet in the file itself."""
    with suppress(OSError):
        return path.with_name(f"{path.name}-wal").stat().st_size
    return 0


def create(path: Path) -> None:
    """Make a database under a temporary name, and link it to its own once it is complete.

    Does nothing if another process was quicker. Raises StoreError.
    """
    fresh = path.with_name(f".{path.name}.new-{os.getpid()}")
    held = -1
    try:
        _sweep(path)
        fresh.unlink(missing_ok=True)
        held = make_temporary(fresh, 0o644)
        with closing(sqlite3.connect(fresh, isolation_level=None)) as connection:
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        engine = make_engine(fresh)
        try:
            with engine.connect().execution_options(**{WRITE: True}) as writer, writer.begin():
                migrations.create(writer)
        finally:
            engine.dispose()
        with closing(sqlite3.connect(fresh, isolation_level=None)) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
        with suppress(FileExistsError):
            os.link(fresh, path)
    except (OSError, sqlite3.Error, sa.exc.SQLAlchemyError) as error:
        cause = getattr(error, "orig", None) or error
        why = getattr(cause, "strerror", None) or str(cause)
        raise StoreError(
            f"the database {path} cannot be made: {why}; name a folder that is there and can be written to"
        ) from error
    finally:
        with suppress(OSError):
            fresh.unlink(missing_ok=True)
        if held >= 0:
            os.close(held)


def _sweep(path: Path) -> None:
    """Remove what killed processes left when they made this database or wrote to its folder."""
    for pattern in (f".{escape(path.name)}.new-*[0-9]", ".tourney-*.new"):
        sweep(path.parent, pattern, ("-journal", "-wal", "-shm"))


CHECKED_AT_EACH_OPENING: Final = 1 << 28
"""Bytes of a file that SQLite checks whole before it is read; beyond that it takes seconds each time."""


def check(path: Path, *, write: bool = False) -> bool:
    """Raise StoreError for a file that is missing, not ours, or (``write``) cannot be written.

    The error is StoreDamaged for a damaged one. Of a file above ``CHECKED_AT_EACH_OPENING`` that is only
    read, damage is found where it is read. Return whether it is frozen: read-only, with no log beside it.
    SQLite would make one; so ``connect`` to it with ``frozen``.
    """
    if path.is_char_device() or path.is_block_device() or path.is_fifo() or path.is_socket():
        raise StoreError(f"{path} is a device, a pipe or a socket and no database; name a file")
    _check_file(path)
    read_only = not write and _is_read_only(path)
    frozen = read_only and not _size_of_wal(path)
    if not frozen:
        _refuse_names(path)
    if write:
        _sweep(path)
    if write and is_mount_point(path):
        raise StoreError(
            f"the database {path} is mounted as a single file: SQLite's log would lie beside it, unseen under"
            " the other name; mount its folder instead"
        )
    try:
        with closing(connect(path, frozen=frozen)) as connection:
            connection.execute("SELECT count(*) FROM sqlite_master")
            checked = write or path.stat().st_size <= CHECKED_AT_EACH_OPENING
            problem = connection.execute("PRAGMA quick_check(1)").fetchone()[0] if checked else "ok"
            if problem != "ok":
                raise StoreDamaged(
                    f"the database {path} is damaged ({' '.join(problem.split())}): restore a backup"
                )
            if write:
                connection.execute("BEGIN IMMEDIATE")
                connection.execute("ROLLBACK")
    except sqlite3.Error as error:
        if read_only and _size_of_wal(path):
            raise StoreError(
                f"the database {path} cannot be read where it lies: {path.name}-wal beside it holds what"
                " was stored last, and to read that SQLite must be able to write there; copy both files to a"
                " folder of your own, or make this one writable"
            ) from error
        shared = path.with_name(f"{path.name}-shm")
        what = advice(str(error))
        if shared.exists() and not os.access(shared, os.W_OK):
            what = f"; {shared} cannot be written: remove it while no program uses the database"
        kind = StoreDamaged if "damaged" in what else StoreError
        raise kind(f"the database {path} cannot be used: {error}{what}") from error
    return frozen


def _is_read_only(path: Path) -> bool:
    return not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK))


def is_frozen(path: Path) -> bool:
    """Whether a file must be read as it lies there, as ``check`` returns it, without a check."""
    return _is_read_only(path) and not _size_of_wal(path)


def _check_file(path: Path) -> None:
    """Raise StoreError for a file that is none of ours, or that breaks off.

    One that this process has open has passed before, and closing it here would drop its locks.
    """
    try:
        if _OPEN[_file(path)]:
            return
        with path.open("rb") as file:
            header = file.read(100)
    except FileNotFoundError as error:
        raise StoreError(f"there is no database {path}; `tourney run FILE.toml` makes one") from error
    except OSError as error:
        raise StoreError(f"the database {path} cannot be read: {error.strerror or error}") from error
    if not header:
        raise StoreError(f"the database {path} is an empty file: remove it, and a new one is made")
    if not header.startswith(_MAGIC[: len(header)]):
        raise StoreError(f"the file {path} is not an SQLite database; name another one")
    if len(header) < 100:
        raise StoreDamaged(f"the database {path} is damaged: it breaks off in its header; restore a backup")
    if int.from_bytes(header[68:72], "big") != APPLICATION_ID:
        raise StoreError(f"the database {path} is another program's; name another one")
    page = int.from_bytes(header[16:18], "big")
    # SQLite would take the missing part of a page for zeros.
    if not _size_of_wal(path) and path.stat().st_size % (page if page > 1 else 65536):
        raise StoreDamaged(f"the database {path} is damaged: it breaks off within a page; restore a backup")


def _refuse_names(path: Path) -> None:
    """Raise StoreError for a file with more than one name: SQLite would write a log beside each of them."""
    if path.stat().st_nlink == 1:
        return
    # A process that makes a database, or was killed when it did, leaves a second name for a moment.
    for pattern in (f".{escape(path.name)}.new-*", ".tourney-*.new"):
        for lock in path.parent.glob(pattern):
            with suppress(OSError):
                if lock.samefile(path):
                    lock.unlink()
    if (count := path.stat().st_nlink) > 1:
        raise StoreError(
            f"the database {path} has {count} names (hard links), but SQLite's log lies beside only one of"
            f" them: remove the other names (`find / -inum {path.stat().st_ino}` lists them), or use a copy"
        )


_ADVICE: Final = {
    "readonly": "make the file and its folder writable",
    "unable to open": "make the file and its folder writable",
    "locked": "another program holds it: close that, and start again",
    "full": "free some space, and start again: nothing that was committed is lost",
    "malformed": "it is damaged: restore a backup",
    "not a database": "it is damaged: restore a backup",
    "disk I/O": "the disk failed or is full: see to it, and start again",
}
"""Advice about an SQLite error, by words that it uses."""


def advice(text: str) -> str:
    """Advice about an SQLite error; "" if there is none."""
    return next((f"; {what}" for word, what in _ADVICE.items() if word in text), "")


def may_pass(text: str) -> bool:
    """Say whether an SQLite error may pass, by itself or once a person helps: damage does not."""
    return any(word in text and "damaged" not in what for word, what in _ADVICE.items())


def backup(source: Path, target: Path) -> None:
    """Copy a database, one that is being written too, whole or not at all.

    Raises StoreError, and UsageError for a target that is there already or is not a place for a file.
    """
    frozen = check(source)
    with writing_by_path(target, new=True) as fresh:
        try:
            with closing(connect(source, frozen=frozen)) as origin, closing(sqlite3.connect(fresh)) as copy:
                origin.backup(copy)
        except sqlite3.Error as error:
            raise StoreError(f"{target} cannot be written: {error}{advice(str(error))}") from error
        finally:
            for name in ("wal", "shm", "journal"):
                with suppress(OSError):
                    fresh.with_name(f"{fresh.name}-{name}").unlink(missing_ok=True)


def shrink(path: Path) -> bool:
    """Rewrite a database without the space of removed rows; return whether that could be done.

    A crash leaves it as it was. It needs as much free space as the database itself.
    """
    try:
        with closing(connect(path, _SHRINK_SECONDS)) as connection:
            connection.execute("VACUUM")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except sqlite3.Error:
        return False
    return True


class Orphan(NamedTuple):
    """A row that refers to a missing one: its table, and a sentence on it."""

    table: str
    sentence: str


def full_check(path: Path, most: int) -> tuple[tuple[str, ...], tuple[Orphan, ...]]:
    """At most ``most`` problems that SQLite's thorough check finds, and the orphaned rows.

    A damaged file is read as far as it can be. Raises StoreError as ``check`` does for all others.
    """
    opening = ""
    try:
        check(path)
    except StoreDamaged as error:
        opening = str(error)
    problems: list[str] = []
    orphans: list[Orphan] = []
    try:
        with closing(connect(path, frozen=is_frozen(path))) as connection:
            for (text,) in connection.execute(f"PRAGMA integrity_check({most})"):
                # Problems of one tree come as one text, below a line that names the file.
                problems += [line for line in text.splitlines() if line != "ok" and line[:3] != "***"]
            orphans += (
                Orphan(table, f"row {row} of {table} refers to a row of {parent} that is missing")
                for table, row, parent, _ in connection.execute("PRAGMA foreign_key_check")
            )
    except sqlite3.Error as error:
        if "damaged" not in (what := advice(str(error))):
            raise StoreError(f"the database {path} cannot be used: {error}{what}") from error
        opening = opening or f"the database {path} cannot be read whole: {error}"
    if opening and not any(problem in opening for problem in problems):
        problems.insert(0, opening)
    return tuple(problems), tuple(orphans)
