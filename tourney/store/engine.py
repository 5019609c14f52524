"""Open databases by path or URL, and run transactions; refuse all other files in one sentence."""

import logging
import re
import shlex
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import URL, Connection, Engine, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError, SQLAlchemyError

from tourney.errors import StoreDamaged, StoreError, StoreUnavailable, UsageError
from tourney.store import migrations, sqlite

if TYPE_CHECKING:
    from tourney.store.column_reading import ComputedLuck

POSTGRESQL = "postgresql+psycopg"
"""The one server, by the one driver, that is tested."""
LOCK_CLASS = 0x54524E59
"""The first of the two numbers of our advisory locks on a server: "TRNY"."""
_MAKING = 0
"""The second of the lock under which tables are made; those of runs are the tournaments' ids, from 1."""


# An interrupted read raises its own error; SQLAlchemy would print it a second time.
logging.getLogger("sqlalchemy").addHandler(logging.NullHandler())


def parse_url(url: str) -> URL:
    """The URL of a database that was named by a path or a URL. Raises UsageError."""
    if "://" not in url:
        return URL.create("sqlite", database=url)
    try:
        parsed = make_url(url)
    except ArgumentError as error:
        raise UsageError(f"{url!r} is neither a path nor a database URL, as {POSTGRESQL}://...") from error
    if parsed.get_backend_name() == "sqlite" and parsed.database in {None, "", ":memory:"}:
        raise UsageError(f"{url!r} names no file: give the path of a database")
    if parsed.drivername in {"postgres", "postgresql"}:
        return parsed.set(drivername=POSTGRESQL)
    if not is_sqlite(parsed) and parsed.drivername != POSTGRESQL:
        raise UsageError(
            f"a database of the kind {parsed.drivername!r} cannot be used: name an SQLite file, or"
            f" {POSTGRESQL}://..."
        )
    return parsed


def place_of(url: str | URL) -> Path:
    """The path that a database's other files lie beside and are named after.

    That is the file of an SQLite database, and ``tourney`` in the current folder for one on a server.
    """
    parsed = parse_url(url) if isinstance(url, str) else url
    return sqlite.path_of(parsed) if is_sqlite(parsed) else Path("tourney").absolute()


def is_sqlite(url: URL) -> bool:
    """Say whether a URL is of an SQLite file."""
    return url.get_backend_name() == "sqlite"


def shown(url: str | URL) -> str:
    """A database's name for messages: a path, or a URL without its password. Raises UsageError."""
    parsed = parse_url(url) if isinstance(url, str) else url
    return str(parsed.database) if is_sqlite(parsed) else parsed.render_as_string(hide_password=True)


def open_engine(
    url: str,
    *,
    create: bool = False,
    write: bool = False,
    old: bool = False,
    damaged: bool = False,
    busy: float | None = None,
) -> Engine:
    """Open a database by path or URL.

    ``create`` makes one that is missing; ``write`` refuses what cannot be written now; ``old`` lets pass one
    that must be upgraded, and ``damaged`` one whose damage is to be listed; ``busy`` is how many seconds to
    wait for another writer. Raises StoreError, in one sentence, for a database that is not ours, damaged,
    half-written, made by a newer Tourney, or out of reach.
    """
    parsed = parse_url(url)
    name = shown(parsed)
    if is_sqlite(parsed):
        path = sqlite.path_of(parsed)
        if create and not path.exists():
            sqlite.create(path)
        frozen = sqlite.is_frozen(path) if damaged else sqlite.check(path, write=write)
        engine = sqlite.make_engine(path, busy, frozen=frozen)
    else:
        engine = _server_engine(parsed)
    try:
        if not is_sqlite(parsed) and create:
            _create_on_server(engine)
        _check_revision(engine, name, old=old, damaged=damaged)
    except SQLAlchemyError as error:
        engine.dispose()
        raise store_error(name, error) from error
    # An open connection would outlive the error, and keep the file's locks and log.
    except BaseException:
        engine.dispose()
        raise
    return engine


@contextmanager
def opened(
    url: str, *, create: bool = False, write: bool = False, old: bool = False, damaged: bool = False
) -> Iterator[Engine]:
    """Open a database as ``open_engine`` does, and close it at the end."""
    engine = open_engine(url, create=create, write=write, old=old, damaged=damaged)
    try:
        yield engine
    finally:
        engine.dispose()


@contextmanager
def transaction(engine: Engine, *, write: bool = False, latest: bool = False) -> Iterator[Connection]:
    """Give a connection within one transaction: committed at the end, rolled back on an error.

    Reads within it see one moment; on a server with ``latest`` each sees what was committed before it, so
    that a writer who waited for a lock goes on from there. Raises StoreError where the database fails.
    """
    options = {"isolation_level": "READ COMMITTED"} if latest and not is_sqlite(engine.url) else {}
    try:
        with (
            engine.connect().execution_options(**{sqlite.WRITE: write}, **options) as connection,
            connection.begin(),
        ):
            yield connection
    except SQLAlchemyError as error:
        raise store_error(shown(engine.url), error) from error


class Access:
    """A database, or one transaction on it: with a ``connection`` all reads are of that transaction.

    So are the writes if ``writes``; otherwise each has a transaction of its own. ``luck``: that of matches by
    their ids that was computed and cannot be read here, because it could not be kept, or was kept later.
    """

    def __init__(
        self,
        engine: Engine,
        connection: Connection | None = None,
        *,
        writes: bool = False,
        luck: "dict[int, ComputedLuck] | None" = None,
    ) -> None:
        self.engine = engine
        self.connection = connection
        self.writes = writes
        self.luck: dict[int, ComputedLuck] = {} if luck is None else luck

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Give a connection whose reads all see one moment."""
        if self.connection is not None:
            yield self.connection
        else:
            with transaction(self.engine) as connection:
                yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """Give a connection within a transaction that writes."""
        if self.connection is not None and self.writes:
            yield self.connection
        else:
            with transaction(self.engine, write=True) as connection:
                yield connection


class Subject:
    """One subject of the store: its methods read and write by the same access as those of the others."""

    def __init__(self, access: Access) -> None:
        self._access = access

    def _replace(self, table: sa.Table, key: dict[str, object], **values: object) -> None:
        """Replace the row of a key."""
        with self._access.write() as connection:
            connection.execute(sa.delete(table).filter_by(**key))
            connection.execute(sa.insert(table).values(**key, **values))

    def _remove(self, table: sa.Table, **key: object) -> None:
        """Remove the rows whose columns have these values."""
        with self._access.write() as connection:
            connection.execute(sa.delete(table).filter_by(**key))


def insert_rows(connection: Connection, table: sa.Table, rows: Sequence[Mapping[str, object]]) -> None:
    """Insert rows, each with all columns.

    They go to the driver as they are: SQLAlchemy takes half as long to translate them as SQLite to store
    them, and a server takes a copy in half of the time of insertions.
    """
    if not rows:
        return
    dialect = connection.dialect
    name = dialect.identifier_preparer.format_table(table)
    columns = ", ".join(map(dialect.identifier_preparer.format_column, table.columns))
    values = map(itemgetter(*table.columns.keys()), rows)
    if dialect.name == "sqlite":
        marks = ", ".join("?" for _ in table.columns)
        text = f"INSERT INTO {name} ({columns}) VALUES ({marks})"  # noqa: S608 - the names are those of our tables
        connection.exec_driver_sql(text, list(values))
        return
    driver: Any = dialect.dbapi
    cursor: Any = connection.connection.cursor()
    text = f"COPY {name} ({columns}) FROM STDIN"
    try:
        with cursor, cursor.copy(text) as copy:
            for row in values:
                copy.write_row(row)
    except driver.Error as error:
        lost = isinstance(error, driver.OperationalError)
        raise (sa.exc.OperationalError if lost else sa.exc.DBAPIError)(text, None, error) from error


_CONCURRENT: Final = {"40001", "40P01", "23505"}
"""PostgreSQL's codes for a write that another one overtook: serialization, deadlock, and a key that is taken.

Every key is looked up before it is inserted, so a taken one has been inserted by another process since.
"""


def store_error(name: str, error: SQLAlchemyError) -> StoreError:
    """The error for a failure that a database driver reports."""
    cause = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    if getattr(cause, "sqlstate", None) in _CONCURRENT:
        return StoreUnavailable(
            f"another process wrote to the database {name} at the same moment: start again"
        )
    text = " ".join(str(cause).split()) or type(cause).__name__
    advice = sqlite.advice(text)
    # A lost server may come back; only some failures of a file are temporary.
    on_server = isinstance(error, OperationalError) and not isinstance(cause, sqlite3.Error)
    kind = StoreUnavailable if on_server or sqlite.may_pass(text) else StoreError
    return kind(f"the database {name} failed: {text}{advice}")


def revision_of(engine: Engine) -> str | None:
    """The revision of a database, or None if it bears none."""
    with transaction(engine) as connection:
        if not sa.inspect(connection).has_table("alembic_version"):
            return None
        return connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar()


def unknown_revision(revision: str | None) -> bool:
    """Whether no version of Tourney gives a revision, as far as this one can know."""
    listed = revision in migrations.REVISIONS or revision in migrations.UNRELEASED
    return not listed and not _is_later(revision)


def _is_later(revision: str | None) -> bool:
    """Whether a revision's number comes after that of the newest one."""
    number = re.fullmatch(r"v?([0-9]{1,9})", revision or "", re.ASCII)
    return number is not None and int(number[1]) > int(migrations.newest().removeprefix("v"))


def revision_text(name: str, revision: str | None) -> str:
    """The sentence on a revision that no version of Tourney gives."""
    return (
        f"the database {name} bears the revision {revision}, which no version of Tourney gives (this one"
        f" knows {', '.join(migrations.REVISIONS)}): it was altered; restore a backup"
    )


def _check_revision(engine: Engine, name: str, *, old: bool, damaged: bool) -> None:
    revision = revision_of(engine)
    if revision is None:
        raise StoreError(
            f"the database {name} holds no tables of Tourney: it is another program's, or was never"
            " finished; name another one"
        )
    newest = migrations.newest()
    if revision in migrations.UNRELEASED:
        raise StoreError(
            f"the database {name} was made by a development version of Tourney (revision {revision}), from"
            " before the first release, and cannot be upgraded: export each tournament with that version"
            " (`tourney export --what tournament --measured`) and import the files into a new database"
        )
    if unknown_revision(revision):
        if damaged:
            return
        raise StoreDamaged(revision_text(name, revision))
    if revision not in migrations.REVISIONS:
        raise StoreError(
            f"the database {name} was made by a newer Tourney (revision {revision}, this one knows"
            f" up to {newest}): upgrade Tourney"
        )
    if revision != newest and not old:
        raise StoreError(
            f"the database {name} was made by an older Tourney (revision {revision}, now {newest}):"
            f" run `tourney db upgrade --db {shlex.quote(name)}`, best after `tourney db backup`"
        )


def _server_engine(url: URL) -> Engine:
    try:
        # Every transaction of ours reads one moment, as SQLite's do.
        return sa.create_engine(url, isolation_level="REPEATABLE READ")
    except ImportError as error:
        raise UsageError(
            f"PostgreSQL needs psycopg ({error}): install tourney[postgres], or name an SQLite file"
        ) from error


def _create_on_server(engine: Engine) -> None:
    # One process makes the tables; another that begins at the same time waits, and then sees them.
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as guard:
        guard.execute(sa.select(sa.func.pg_advisory_lock(LOCK_CLASS, _MAKING)))
        try:
            with transaction(engine, write=True) as connection:
                if not sa.inspect(connection).get_table_names():
                    migrations.create(connection)
        finally:
            guard.execute(sa.select(sa.func.pg_advisory_unlock(LOCK_CLASS, _MAKING)))


def database_exists(url: str) -> bool:
    """Say whether there is something at a path, or a table in a server's database. Raises StoreError."""
    parsed = parse_url(url)
    if is_sqlite(parsed):
        return sqlite.path_of(parsed).exists()
    engine = _server_engine(parsed)
    try:
        with transaction(engine) as connection:
            return bool(sa.inspect(connection).get_table_names())
    finally:
        engine.dispose()
