"""The database: the one way to the stored data; upgrades, backups and copies of it.

Reading gives frozen values and plain tuples, always in schedule order, never in completion order. Only a
run's coordinator writes. ``Database.open`` takes a path or a database URL::

    with Database.open("tourney.db") as database:
        tournament = database.tournaments.get()            # the one begun last
        for result in database.matches.results(tournament.id):
            ...
"""

import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Self

import sqlalchemy as sa
from msgspec import msgpack
from sqlalchemy.engine import URL, Engine

from tourney.errors import StoreDamaged, StoreError, UsageError
from tourney.store import migrations, sqlite
from tourney.store.baselines import Baselines
from tourney.store.derived import Analyses, Lucks, RatingData
from tourney.store.engine import (
    Access,
    is_sqlite,
    open_engine,
    opened,
    parse_url,
    place_of,
    revision_of,
    shown,
    transaction,
)
from tourney.store.matches import Matches
from tourney.store.records import Records
from tourney.store.rows import each
from tourney.store.run_lock import Running, run_lock, running_now
from tourney.store.schedules import Schedules
from tourney.store.tables import CHECKPOINT, LUCK, METADATA, SCHEDULE, TOURNAMENT
from tourney.store.totals import Totals
from tourney.store.tournaments import StoredHosts, Tournaments
from tourney.store.values import Tournament

_CHUNK = 1000


class Database:
    """An open database, or one transaction on it; an attribute for each subject that it stores.

    All methods raise StoreError where the database fails them.
    """

    def __init__(self, access: Access) -> None:
        self._access = access
        self.tournaments = Tournaments(access)
        self.schedules = Schedules(access)
        self.matches = Matches(access)
        self.records = Records(access)
        self.analyses = Analyses(access)
        self.lucks = Lucks(access)
        self.totals = Totals(access)
        self.hosts = StoredHosts(access)
        self.ratings = RatingData(access)
        self.baselines = Baselines(access)

    @classmethod
    def open(
        cls, url: str, *, create: bool = False, write: bool = False, busy: float | None = None
    ) -> "Database":
        """Open a database by path or URL; ``create`` makes one that is missing.

        ``write`` refuses a read-only file or folder now. ``busy`` is how many seconds a writer waits for
        another one. Raises StoreError, in one sentence, for a file that is not ours, damaged, half-written,
        too new or too old.
        """
        return cls(Access(open_engine(url, create=create, write=write or create, busy=busy)))

    def close(self) -> None:
        """Close the database."""
        self._access.engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def snapshot(self) -> Iterator["Database"]:
        """Give a database whose reads all see one moment, though a run may be writing."""
        with self._access.read() as connection:
            access = self._access
            yield Database(Access(access.engine, connection, writes=access.writes, luck=access.luck))

    @contextmanager
    def transaction(self) -> Iterator["Database"]:
        """Give a database whose reads and writes are one transaction: all is stored, or nothing."""
        with self._access.write() as connection:
            yield Database(Access(self._access.engine, connection, writes=True, luck=self._access.luck))

    def content_digest(self, tournament: int) -> str:
        """A digest of all that is stored of a tournament, but for what follows: root, checkpoints, luck."""
        return self._digest(tournament, [t for t in METADATA.sorted_tables if t not in (CHECKPOINT, LUCK)])

    def luck_digest(self, tournament: int) -> str:
        """A digest of the luck that is kept of a tournament's matches."""
        return self._digest(tournament, [LUCK])

    def _digest(self, tournament: int, tables: Sequence[sa.Table]) -> str:
        digest = hashlib.sha256()
        with self._access.read() as connection:
            for table in tables:
                query = sa.select(*(column for column in table.c if column is not TOURNAMENT.c.root))
                query = query.where(_of(table, tournament, shared=True)).order_by(*table.primary_key)
                for row in each(connection, query):
                    digest.update(msgpack.encode(tuple(row)))
        return digest.hexdigest()

    def give_space_back(self) -> bool:
        """Let an SQLite file shrink by the removed rows; return whether it did.

        It does not while a run goes on or another program uses the file, nor on a server; then the next
        rows use the space.
        """
        url = self._access.engine.url
        if not is_sqlite(url) or any(self.running(tournament.id) for tournament in self.tournaments.all()):
            return False
        return sqlite.shrink(sqlite.path_of(url))

    def take_out(self, tournament: Tournament, backup: Path) -> int:
        """Move a tournament to the new SQLite file ``backup``; return how many rows went.

        The file is complete before anything is removed. Raises UsageError if it is there already, and
        StoreError; then the database is as it was.
        """
        if backup.exists():
            raise UsageError(f"{backup} is there already; name another file by --backup")
        try:
            with opened(str(backup), create=True, write=True) as copy:
                count = _copy(self._access.engine, copy, tournament.id)
        except BaseException:
            backup.unlink(missing_ok=True)
            raise
        with self._access.write() as connection:
            # Rows that refer to others go before these.
            for table in reversed(METADATA.sorted_tables):
                connection.execute(sa.delete(table).where(_of(table, tournament.id)))
        return count

    @contextmanager
    def run_lock(self, tournament: Tournament, since: float) -> Iterator[None]:
        """Hold the lock of a tournament's run; ``since`` is its start, in seconds since the epoch.

        Raises UsageError if another process holds it. A crash releases it.
        """
        try:
            done = self.schedules.progress(tournament.id).done
        except StoreDamaged:
            done = 0  # the lock holder may be repairing it
        running = Running(os.getpid(), since, done)
        with run_lock(self._access.engine, tournament.id, tournament.name, running):
            yield

    def running(self, tournament: int) -> Running | None:
        """The run of a tournament that is going on, or None."""
        return running_now(self._access.engine, tournament)

    @property
    def place(self) -> Path:
        """The path that the database's other files lie beside and are named after."""
        return place_of(self._access.engine.url)


def upgrade_database(url: str) -> tuple[str, str]:
    """Bring a database to the newest revision, in one transaction; return its revision before and after."""
    with opened(url, write=True, old=True) as engine:
        before = revision_of(engine) or ""
        newest = migrations.newest()
        if before != newest:
            with transaction(engine, write=True) as connection:
                migrations.upgrade(connection)
        return before, newest


def remove_empty(url: str) -> None:
    """Remove an SQLite file that holds no tournament and that no other program has open; else do nothing."""
    parsed = parse_url(url)
    if not is_sqlite(parsed) or not (path := sqlite.path_of(parsed)).exists():
        return
    with opened(url) as engine, transaction(engine) as connection:
        used = connection.execute(sa.select(TOURNAMENT.c.id)).first() is not None
    # The last program that closes a file takes away the log beside it.
    if not used and not path.with_name(f"{path.name}-wal").exists():
        path.unlink(missing_ok=True)


def backup_database(url: str, target: Path) -> None:
    """Copy an SQLite database to a new file, also while it is written. Raises UsageError for servers."""
    parsed = parse_url(url)
    if not is_sqlite(parsed):
        raise UsageError(f"{shown(parsed)} is on a server: use its own tools, or `tourney db copy`")
    sqlite.backup(sqlite.path_of(parsed), target)


def copy_database(source: str, target: str) -> int:
    """Copy all rows into an empty database, made if it is missing; return how many. All or nothing.

    Raises StoreError if the target holds a tournament already.
    """
    check_apart(source, target)
    with opened(source) as origin, opened(target, create=True, write=True) as copy:
        return _copy(origin, copy)


def check_apart(source: str, target: str) -> None:
    """Raise UsageError if two URLs are of one database."""
    if _identity(parse_url(target)) == _identity(parse_url(source)):
        raise UsageError(f"{shown(source)} is both source and target; name another database")


def _identity(url: URL) -> object:
    """A value that is equal for all URLs of one database: the file itself, if it exists."""
    if not is_sqlite(url):
        return url
    path = sqlite.path_of(url)
    return (path.stat().st_dev, path.stat().st_ino) if path.exists() else path


def _of(table: sa.Table, tournament: int, *, shared: bool = False) -> sa.ColumnElement[bool]:
    """The rows of a table that belong to a tournament; with ``shared`` also rows of no tournament."""
    for column in ("tournament_id", "match_id", "id"):
        if column in table.c:
            if column == "tournament_id" or table is TOURNAMENT:
                return table.c[column] == tournament
            mine = sa.select(SCHEDULE.c.id).where(SCHEDULE.c.tournament_id == tournament)
            return table.c[column].in_(mine)
    return sa.true() if shared else sa.false()


def _copy(origin: Engine, copy: Engine, tournament: int | None = None) -> int:
    """Copy all rows, or those of a tournament."""
    count = 0
    with transaction(origin) as reader, transaction(copy, write=True) as writer:
        if writer.execute(sa.select(sa.func.count()).select_from(TOURNAMENT)).scalar():
            raise StoreError(f"the database {shown(copy.url)} is not empty: name another one")
        for table in METADATA.sorted_tables:
            query = sa.select(table)
            if tournament is not None:
                query = query.where(_of(table, tournament))
            rows = reader.execute(query, execution_options={"yield_per": _CHUNK})
            for chunk in rows.mappings().partitions():
                values = [dict(row) for row in chunk]
                writer.execute(sa.insert(table), values)
                count += len(values)
        if copy.dialect.name == "postgresql":
            for table in (TOURNAMENT, SCHEDULE):
                # Ids were given; the server's own counter must go on after them.
                writer.execute(
                    sa.select(
                        sa.func.setval(
                            sa.func.pg_get_serial_sequence(table.name, "id"),
                            sa.select(sa.func.coalesce(sa.func.max(table.c.id), 1)).scalar_subquery(),
                        )
                    )
                )
    return count
