"""Storing results in batches: matches that finish within a tenth of a second share a transaction."""

import time
from collections.abc import Callable

from tourney.store.repository import Repository
from tourney.store.values import Finished

BATCH_SECONDS = 0.1
BATCH_MATCHES = 1000


class Writer:
    """Collects finished matches and stores them; a match counts as done when ``flush`` has returned."""

    def __init__(
        self, repository: Repository, tournament: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._repository = repository
        self._tournament = tournament
        self._clock = clock
        self._waiting: list[Finished] = []
        self._due = 0.0

    @property
    def due_in(self) -> float | None:
        """Seconds until what waits should be stored, 0 or more; None if nothing waits."""
        if not self._waiting:
            return None
        if len(self._waiting) >= BATCH_MATCHES:
            return 0.0
        return max(0.0, self._due - self._clock())

    def add(self, finished: Finished) -> None:
        """Take a finished match."""
        if not self._waiting:
            self._due = self._clock() + BATCH_SECONDS
        self._waiting.append(finished)

    def flush(self) -> tuple[Finished, ...]:
        """Store what waits, in one transaction, and return it. Raises StoreError; then nothing was stored."""
        stored = tuple(sorted(self._waiting, key=lambda finished: finished.number))
        if stored:
            self._repository.record_results(self._tournament, stored)
            self._waiting.clear()
        return stored
