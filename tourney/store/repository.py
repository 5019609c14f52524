"""The repository: the one way to read and write what is stored.

Reading gives frozen values and plain tuples, always in schedule order, never in completion order. Only a
run's coordinator writes. ``Repository.open`` takes a path or a database URL::

    with Repository.open("tourney.db") as repository:
        tournament = repository.tournament()            # the one begun last
        for line in repository.standings(tournament.id):
            ...
"""

from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Self

from tourney.store.engine import open_engine, transaction
from tourney.store.kept import Kept
from tourney.store.matches import Matches
from tourney.store.results import Results
from tourney.store.schedules import Schedules


class Repository(Schedules, Matches, Results, Kept):
    """Reads and writes one database. Methods raise StoreError where the database fails them."""

    @classmethod
    def open(
        cls, url: str, *, create: bool = False, write: bool = False, busy: float | None = None
    ) -> "Repository":
        """Open a database by path or URL; ``create`` makes one that is missing.

        ``write`` says that the caller means to write, so that a read-only file or folder is refused now.
        ``busy``: how many seconds a writer waits for another one. Raises StoreError, in one sentence,
        for what is not ours, damaged, half-written, too new or too old.
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
