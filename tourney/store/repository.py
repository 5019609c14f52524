"""The repository: the one way to read and write the database.

Reading gives frozen values and plain tuples, always in schedule order, never in completion order. Only a
run's coordinator writes. ``Repository.open`` takes a path or a database URL::

    with Repository.open("tourney.db") as repository:
        tournament = repository.tournament()            # the one begun last
        for result in repository.results(tournament.id):
            ...
"""

from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Self

from tourney.store.engine import open_engine, transaction
from tourney.store.matches import Matches
from tourney.store.rating_cache import RatingCache
from tourney.store.totals import Totals


class Repository(Matches, Totals, RatingCache):
    """Reads and writes one database. Methods raise StoreError where the database fails them."""

    @classmethod
    def open(
        cls, url: str, *, create: bool = False, write: bool = False, busy: float | None = None
    ) -> "Repository":
        """Open a database by path or URL; ``create`` makes one that is missing.

        ``write`` refuses a read-only file or folder now. ``busy`` is how many seconds a writer waits for
        another one. Raises StoreError, in one sentence, for a file that is not ours, damaged, half-written,
        too new or too old.
        """
        return cls(open_engine(url, create=create, write=write or create, busy=busy))

    def close(self) -> None:
        """Close the database."""
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def snapshot(self) -> Iterator["Repository"]:
        """Give a repository whose reads all see one moment, though a run may be writing."""
        if self._connection is not None:
            yield self
            return
        with transaction(self._engine) as connection:
            yield Repository(self._engine, connection)

    @contextmanager
    def transaction(self) -> Iterator["Repository"]:
        """Give a repository whose reads and writes are one transaction: all is stored, or nothing."""
        with self._write() as connection:
            yield Repository(self._engine, connection, writes=True)
