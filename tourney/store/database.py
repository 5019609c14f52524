"""The database: the one way to what is stored.

Reading gives frozen values and plain tuples, always in schedule order, never in completion order. Only a
run's coordinator writes. ``Database.open`` takes a path or a database URL::

    with Database.open("tourney.db") as database:
        tournament = database.tournaments.get()            # the one begun last
        for result in database.matches.results(tournament.id):
            ...
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from tourney.errors import StoreDamaged
from tourney.store import sqlite
from tourney.store.baselines import Baselines
from tourney.store.engine import Access, is_sqlite, open_engine, place_of, transaction
from tourney.store.hosts import StoredHosts
from tourney.store.matches import Matches
from tourney.store.rating_data import RatingData
from tourney.store.records import Records
from tourney.store.run_lock import Running, run_lock, running_now
from tourney.store.schedules import Schedules
from tourney.store.totals import Totals
from tourney.store.tournaments import Tournaments
from tourney.store.values import Tournament


class Database:
    """An open database, or one transaction on it; an attribute for each subject that it stores.

    All methods raise StoreError where the database fails them.
    """

    def __init__(self, access: Access) -> None:
        self._access = access
        self.tournaments = Tournaments(access)
        self.schedules = Schedules(access, self.tournaments)
        self.matches = Matches(access, self.tournaments, self.schedules)
        self.records = Records(access, self.tournaments, self.matches)
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

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def snapshot(self) -> Iterator["Database"]:
        """Give a database whose reads all see one moment, though a run may be writing."""
        if self._access.connection is not None:
            yield self
            return
        with transaction(self._access.engine) as connection:
            yield Database(Access(self._access.engine, connection))

    @contextmanager
    def transaction(self) -> Iterator["Database"]:
        """Give a database whose reads and writes are one transaction: all is stored, or nothing."""
        with self._access.write() as connection:
            yield Database(Access(self._access.engine, connection, writes=True))

    def give_space_back(self) -> bool:
        """Let an SQLite file shrink by what was removed from it; return whether it did.

        It does not while a run goes on or another program uses the file, nor on a server; then the space is
        used again for what is stored next.
        """
        url = self._access.engine.url
        if not is_sqlite(url) or any(self.running(one.id) for one in self.tournaments.all()):
            return False
        return sqlite.shrink(sqlite.path_of(url))

    @contextmanager
    def run_lock(self, tournament: Tournament, since: float) -> Iterator[None]:
        """Hold the lock of a tournament's run; ``since`` is its start, in seconds since the epoch.

        Raises UsageError if another process holds it. A crash releases it.
        """
        try:
            done = self.schedules.progress(tournament.id).done
        except StoreDamaged:
            done = 0  # who holds the lock may be about to put that right
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
