"""The tally of a run: how the tournament stands, counted on as results are stored."""

import time
from collections.abc import Callable, Sequence
from typing import Any

from tourney.errors import StoreError, StoreUnavailable
from tourney.run.engine.pairing import Rounds
from tourney.run.engine.retry import WriteRetry
from tourney.run.engine.spool import Spool
from tourney.run.monitoring.progress import Listener, Progress
from tourney.schedule.row import Row
from tourney.store.repository import Repository
from tourney.store.values import MatchResult, Tournament


class Counters:
    """Counts rows, results, faults and voids: those that were stored before, and what comes.

    ``played``: matches that this run played and stored. ``done``: rows with a result, whoever played them.
    """

    def __init__(self, repository: Repository, tournament: int) -> None:
        before = repository.progress(tournament)
        self.rows = before.rows
        self.done = before.done
        self.played = 0
        self._void = before.void
        self._faults = sum(count for _, _, count in repository.faults(tournament))

    def note(self, finished: MatchResult) -> None:
        """Count a result that was stored."""
        self.done += 1
        if finished.played is None:
            self._void += 1
            return
        self.played += 1
        outcome = finished.played.outcome
        self._faults += len(outcome.faults)
        self._void += outcome.void

    def progress(self, seconds: float) -> Progress:
        """Return how it stands, so many seconds after the run's start."""
        return Progress(self.rows, self.done, self.played, self._faults, self._void, seconds)


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
        self._waiting: list[MatchResult] = []
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

    def add(self, finished: MatchResult) -> None:
        """Take a finished match."""
        if not self._waiting:
            self._due = self._clock() + BATCH_SECONDS
        self._waiting.append(finished)

    def flush(self) -> tuple[MatchResult, ...]:
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


Rows = Sequence[tuple[int, Row]]


class Recorder:
    """All that a run reads and writes of its tournament; what cannot be written now is a pause.

    ``patience`` keeps the pauses, and raises StoreUnavailable at its end. ``listener`` hears of every result
    that is stored. ``rounds`` and ``tally`` are as stored.
    """

    def __init__(
        self,
        repository: Repository,
        tournament: Tournament,
        listener: Listener,
        clock: Callable[[], float],
        patience: WriteRetry,
        spool: Spool | None,
    ) -> None:
        self._repository = repository
        self._tournament = tournament
        self._names = [entrant.name for entrant in repository.entrants(tournament.id)]
        self._listener = listener
        self._clock = clock
        self._began = clock()
        self._writer = Writer(repository, tournament.id, clock, spool)
        self._row_of: dict[int, Row] = {}  # of results that wait
        self.patience = patience
        self.rounds = Rounds(repository, tournament)
        self.tally = Counters(repository, tournament.id)

    def pending(self) -> Rows:
        """Return the rows without a result, once, at the start."""
        rows = self._repository.pending(self._tournament.id)
        self.rounds.take(row for _, row in rows)
        self._listener.progress(self.progress())
        return rows

    def add(self, finished: MatchResult, row: Row) -> None:
        """Take a result that counts, to be stored with those that come soon after it."""
        self._row_of[finished.number] = row
        self._writer.add(finished)

    @property
    def paused(self) -> bool:
        """Whether the database could not be written at the last attempt."""
        return self.patience.paused

    @property
    def due_in(self) -> float | None:
        """Seconds until what waits should be stored, 0 or more; None if nothing waits."""
        return self.patience.due_in if self.paused else self._writer.due_in

    def store(self) -> None:
        """Store what is due; in a pause, keep in the spool what waits."""
        due = self.due_in
        if due is not None and due <= 0:
            self.flush()
        elif self.paused:
            self._writer.spool()

    def flush(self, *, at_once: bool = False) -> None:
        """Store what waits; from now on it is done. If it cannot be stored the run pauses."""
        if self._writer.due_in is None or not self.patience.may_try(at_once=at_once):
            return
        try:
            stored = self._writer.flush()
        except StoreUnavailable as error:
            self.patience.fail(error, self._writer.whereabouts)
            return
        self.patience.succeed()
        for finished in stored:
            row = self._row_of.pop(finished.number)
            self._listener.event(
                "match", result_data(finished, [self._names[number] for number in row.seats])
            )
            self.rounds.finish(row)
            self.tally.note(finished)
        self._listener.progress(self.progress())

    def last_flush(self) -> None:
        """Store what waits, when there is no more time to wait for it. Raises StoreUnavailable."""
        self.flush(at_once=True)
        if self._writer.due_in is not None:
            raise StoreUnavailable(f"{self.patience.why}; {self._writer.whereabouts}")

    def draw(self) -> Rows:
        """Draw and store the next rounds if their time has come; return their rows."""
        if not (self.rounds.due and self.patience.may_try()):
            return ()
        try:
            drawn = self.rounds.draw()
        except StoreUnavailable as error:
            self.patience.fail(error, self._writer.whereabouts)
            return ()
        if self._writer.due_in is None:
            self.patience.succeed()
        if drawn is None:
            return ()
        self.tally.rows += len(drawn.rows)
        return drawn.rows

    def progress(self) -> Progress:
        """Return how the tournament stands."""
        return self.tally.progress(self._clock() - self._began)


def result_data(finished: MatchResult, entrants: Sequence[str]) -> dict[str, Any]:
    """Return a result as JSON data; ``entrants`` are named in seat order."""
    data: dict[str, Any] = {"match": finished.number, "entrants": list(entrants)}
    if finished.played is None:
        return {**data, "void": finished.note}
    outcome = finished.played.outcome
    data |= {"ranks": list(outcome.ranks), "reason": outcome.reason, "digest": finished.played.digest}
    if outcome.faults:
        data["faults"] = [list(fault) for fault in outcome.faults]
    return {**data, "ms": finished.played.wall_ms}
