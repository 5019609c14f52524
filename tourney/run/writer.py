"""Storing results in batches: matches that finish within a tenth of a second share a transaction."""

import time
from collections.abc import Callable

from tourney.errors import StoreError
from tourney.run.spool import Spool
from tourney.store.repository import Repository
from tourney.store.values import Finished

BATCH_SECONDS = 0.1
BATCH_MATCHES = 1000


class Writer:
    """Collects finished matches and stores them; a match counts as done when ``flush`` has returned."""

    def __init__(
        self,
        repository: Repository,
        tournament: int,
        clock: Callable[[], float] = time.monotonic,
        spool: Spool | None = None,
    ) -> None:
        self._repository = repository
        self._tournament = tournament
        self._clock = clock
        self._spool = spool
        self._waiting: list[Finished] = []
        self._safe = False
        self._due = 0.0

    @property
    def due_in(self) -> float | None:
        """Seconds until what waits should be stored, 0 or more; None if nothing waits."""
        if not self._waiting:
            return None
        if len(self._waiting) >= BATCH_MATCHES:
            return 0.0
        return max(0.0, self._due - self._clock())

    @property
    def whereabouts(self) -> str:
        """Where the results are that could not be stored, in words."""
        count = len(self._waiting)
        if not count:
            return "no result waits"
        waits = f"{count} results wait" if count > 1 else "1 result waits"
        if self._safe and self._spool is not None:
            return f"{waits} in {self._spool.path} and would be taken in at the next start"
        return f"{waits} in memory only, as nothing can be written to the disk"

    def add(self, finished: Finished) -> None:
        """Take a finished match."""
        if not self._waiting:
            self._due = self._clock() + BATCH_SECONDS
        self._waiting.append(finished)

    def flush(self) -> tuple[Finished, ...]:
        """Store what waits, in one transaction, and return it.

        Raises StoreError; then nothing was stored, and what waits is in the spool as far as it takes it.
        """
        stored = tuple(sorted(self._waiting, key=lambda finished: finished.number))
        if stored:
            try:
                self._repository.record_results(self._tournament, stored)
            except StoreError:
                self.spool()
                raise
            self._waiting.clear()
            if self._spool is not None:
                self._spool.clear()
        return stored

    def spool(self) -> None:
        """Put what waits into the spool."""
        self._safe = self._spool is not None and self._spool.keep(self._waiting)
