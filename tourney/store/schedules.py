"""The repository's part on schedules, and on the run that plays one."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tourney.schedule.row import Row
from tourney.store import reading, writing
from tourney.store.access import Access
from tourney.store.engine import place_of
from tourney.store.run_lock import Running, run_lock, running_now
from tourney.store.values import RowCounts, Tournament


class Schedules(Access):
    """Reads and writes schedules."""

    def add_rows(
        self, tournament: int, rows: Sequence[Row], *, complete: bool
    ) -> tuple[tuple[int, Row], ...]:
        """Store rows that were drawn, and return them with their numbers, on from those stored.

        ``complete``: no further row will be drawn. Raises StoreError if a key does not come after all stored
        ones: a round drawn is never drawn again.
        """
        with self._write() as connection:
            return writing.add_rows(connection, tournament, rows, complete)

    def rows(self, tournament: int) -> Iterator[tuple[int, Row]]:
        """Yield the schedule: each match's number and row, in schedule order."""
        with self._read() as connection:
            yield from reading.rows(connection, tournament)

    def pending(self, tournament: int) -> tuple[tuple[int, Row], ...]:
        """Return the rows without a result, with their numbers, in schedule order."""
        with self._read() as connection:
            return tuple(reading.rows(connection, tournament, pending=True))

    def progress(self, tournament: int) -> RowCounts:
        """Return how far a tournament is."""
        with self._read() as connection:
            return reading.progress(connection, tournament)

    @contextmanager
    def run_lock(self, tournament: Tournament, since: float) -> Iterator[None]:
        """Hold the lock of a tournament's run; ``since`` is when it began, seconds since the epoch.

        Raises UsageError if another process holds it. A crash does not leave it behind.
        """
        running = Running(os.getpid(), since, self.progress(tournament.id).done)
        with run_lock(self._engine, tournament.id, tournament.name, running):
            yield

    def running(self, tournament: int) -> Running | None:
        """Return the run of a tournament that goes on now, or None."""
        return running_now(self._engine, tournament)

    @property
    def place(self) -> Path:
        """The path that the database's other files lie beside and are named after."""
        return place_of(self._engine.url)
