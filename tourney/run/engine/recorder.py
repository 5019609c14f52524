"""The recorder: stores results in batches, pairs the next rounds, and counts how far the tournament is."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from tourney.errors import StoreError, StoreUnavailable
from tourney.match.record import spec_of as spec_of_record
from tourney.match.spec import MatchSpec
from tourney.results.standings import history_of, setup_of
from tourney.results.until import next_rounds
from tourney.run.engine.retry import WriteRetry
from tourney.run.engine.spool import Spool, read_spool
from tourney.run.monitoring.load import RunLoad
from tourney.run.monitoring.progress import Listener, Progress, counted
from tourney.run.workers.executor import played_on
from tourney.schedule.format import find_format
from tourney.schedule.row import Row
from tourney.store.repository import Repository
from tourney.store.values import MatchResult, StoredEntrant, Tournament

NumberedRow = tuple[int, Row]
"""A row of the schedule, after its match's number."""

BATCH_SECONDS: Final = 0.1
"""The longest a result waits for others to be stored with it."""
BATCH_MATCHES: Final = 1000
"""This many waiting results are stored at once."""


def pair_next(repository: Repository, tournament: int) -> tuple[tuple[NumberedRow, ...], bool] | None:
    """Pair and store the next rounds; return their rows, and whether they are the last.

    None while they cannot be paired, and when all rounds are. They can be paired when all rounds up to the
    last one less the format's ``lag`` are finished: the format sees the results of those and no others, and
    only the entrants of these rounds and the next. Where the schedule ends before some entrants were to join,
    as it was longer before a host was set aside, they join now.
    """
    with repository.snapshot() as moment:
        stored = moment.tournament_by_id(tournament)
        if stored.complete:
            return None
        format_ = find_format(stored.plan.format)
        entrants = moment.entrants(tournament)
        rows = tuple(row for _, row in moment.rows(tournament))
        drawn = rows[-1].round if rows else 0
        seen = drawn - format_.lag
        history = history_of(rows, moment.results(tournament), seen)
    if len(history.results) < sum(row.round <= seen for row in rows):
        return None
    setup = setup_of(stored.plan, stored.seed, entrants_after(entrants, drawn))
    pairings = next_rounds(format_, setup, history)
    if not (pairings.rows or pairings.complete):
        raise ValueError(f"the format {format_.name} paired nothing and would wait for ever")
    drawn = max((row.round for row in pairings.rows), default=drawn)
    late = [
        replace(one, joined=drawn + 1)
        for one in entrants
        if one.joined > drawn + 1 and (one.left is None or one.left > one.joined)
    ]
    if not (pairings.complete and late):
        return repository.add_rows(tournament, pairings.rows, complete=pairings.complete), pairings.complete
    with repository.transaction() as writer:
        added = writer.add_rows(tournament, pairings.rows, complete=False)
        writer.change_entrants(tournament, late)
    return (added, False) if added else pair_next(repository, tournament)


def entrants_after(entrants: Sequence[StoredEntrant], rounds: int) -> list[StoredEntrant]:
    """Return the entrants as they were known when so many rounds were drawn."""
    # Numbers go by the time of entry; one that joins again after its bot was broken keeps its number.
    known = max((one.number for one in entrants if one.joined <= rounds + 1), default=-1)
    return [
        replace(one, left=one.left if one.left is not None and one.left <= rounds + 1 else None)
        for one in entrants[: known + 1]
    ]


def spec_of(tournament: Tournament, entrants: Sequence[StoredEntrant], row: Row) -> MatchSpec:
    """Return the spec of a row of the schedule: everything that decides its match."""
    plan = tournament.plan
    seed = plan.seed_of(tournament.seed, row)
    return MatchSpec(
        game=plan.game,
        options=plan.options,
        seats=tuple(entrants[number].entrant for number in row.seats),
        seed=seed,
        limits=plan.limits,
        opening=plan.opening_of(seed, row),
    )


def replay_spool(
    repository: Repository, tournament: Tournament, path: Path, say: Callable[[str], None]
) -> int:
    """Store the results of a spool that an earlier run left; return how many. The caller holds the lock.

    Rows that have a result keep it. A damaged line, a record that does not belong to its row, or a result of
    a host whose results were taken back is skipped; its match is played again. Raises StoreError for a spool
    of another tournament, and where the results cannot be stored; then the spool stays.
    """
    spooled = read_spool(path, tournament)
    if spooled is None:
        return 0
    entrants = repository.entrants(tournament.id)
    open_rows = dict(repository.pending(tournament.id))
    aside = {old.host for old in repository.replaced(tournament.id) if old.host}
    waiting = [item for item in spooled.results if item.number in open_rows]
    found = [item for item in waiting if played_on(item.played) not in aside]
    taken = []
    for item in found:
        spec = spec_of(tournament, entrants, open_rows[item.number])
        record = spec if item.played is None else spec_of_record(item.played.record)
        if (record.game, record.seed, record.seats) == (spec.game, spec.seed, spec.seats):
            taken.append(item)
    repository.record_results(tournament.id, taken)
    damaged = spooled.damaged + len(found) - len(taken)
    if taken:
        say(f"stored {counted(len(taken), 'result')} that an earlier run kept in {path}")
    if damaged:
        say(f"skipped {counted(damaged, 'damaged line')} of {path}: those matches are played again")
    if forged := len(waiting) - len(found):
        many = counted(forged, "result")
        say(f"skipped {many} of hosts that were set aside: those matches are played again")
    path.unlink(missing_ok=True)
    return len(taken)


class Recorder:
    """All that a run reads from and writes to its tournament; ``load`` is that of the matches it stored.

    A result counts as done when it is stored; then ``listener`` gets its event. A write that fails pauses the
    run, as ``retry`` says, and meanwhile results wait in the ``spool``.
    """

    def __init__(
        self,
        repository: Repository,
        tournament: Tournament,
        listener: Listener,
        clock: Callable[[], float],
        retry: WriteRetry,
        spool: Spool | None,
    ) -> None:
        self._repository = repository
        self._tournament = tournament.id
        self._names = [entrant.name for entrant in repository.entrants(tournament.id)]
        self._listener = listener
        self._clock = clock
        self._retry = retry
        self._spool = spool
        self._started = clock()
        # How far the tournament is, as stored; ``_played`` counts the matches of this run.
        counts = repository.progress(tournament.id)
        self._rows, self._done, self._void = counts.rows, counts.done, counts.void
        self._faults = sum(count for _, _, count in repository.faults(tournament.id))
        self._played = 0
        self.load = RunLoad()
        # The rounds: whether all are paired, the last one, and how many rows of each have no stored result.
        self._complete = tournament.complete
        self._settled = all(old.host is None for old in repository.replaced(tournament.id))
        self._lag = find_format(tournament.plan.format).lag
        self._last_round = counts.rounds
        self._unfinished: Counter[int] = Counter()
        # Results that wait to be stored, by number: when they are due, and whether the spool has them all.
        self._waiting: dict[int, tuple[MatchResult, Row]] = {}
        self._due = 0.0
        self._spooled = False

    def pending(self) -> Sequence[NumberedRow]:
        """Return the rows without a result; to be called once, at the start."""
        rows = self._repository.pending(self._tournament)
        self._expect(rows)
        self._listener.progress(self.progress())
        return rows

    def progress(self) -> Progress:
        """Return how far the tournament is."""
        seconds = self._clock() - self._started
        return Progress(self._rows, self._done, self._played, self._faults, self._void, seconds)

    @property
    def finished(self) -> bool:
        """Whether all rounds are paired and all their results stored."""
        return self._complete and not self._unfinished

    @property
    def due_in(self) -> float | None:
        """Seconds until the next write is due, at least 0; None if none is."""
        if self._retry.paused:
            return self._retry.due_in
        if not self._waiting:
            return None
        return 0.0 if len(self._waiting) >= BATCH_MATCHES else max(0.0, self._due - self._clock())

    def add(self, result: MatchResult, row: Row) -> None:
        """Take a result that counts, to be stored with those that come soon after it."""
        if not self._waiting:
            self._due = self._clock() + BATCH_SECONDS
        self._waiting[result.number] = (result, row)

    def store_due(self) -> None:
        """Store the waiting results if they are due; in a pause, write them to the spool."""
        due = self.due_in
        if due is not None and due <= 0:
            self.store()
        elif self._retry.paused:
            self._write_spool()

    def store(self, *, at_once: bool = False) -> None:
        """Store the waiting results in one transaction; where that fails the run pauses.

        Between the attempts of a pause this does nothing, except ``at_once``. Raises StoreError.
        """
        if not self._waiting or not self._retry.may_try(at_once=at_once):
            return
        stored = [self._waiting[number] for number in sorted(self._waiting)]
        try:
            self._repository.record_results(self._tournament, [result for result, _ in stored])
        except StoreError as error:
            self._write_spool()
            if not isinstance(error, StoreUnavailable):
                raise
            self._retry.failed(error, self._whereabouts)
            return
        self._waiting.clear()
        if self._spool is not None:
            self._spool.clear()
        self._retry.succeeded()
        for result, row in stored:
            self._listener.event("match", result_data(result, [self._names[number] for number in row.seats]))
            self._count(result, row)
        self._listener.progress(self.progress())

    def store_last(self) -> None:
        """Store the waiting results at the end of the run. Raises StoreUnavailable."""
        self.store(at_once=True)
        if self._waiting:
            raise StoreUnavailable(f"{self._retry.why}; {self._whereabouts}")

    def pair(self) -> Sequence[NumberedRow]:
        """Pair and store the next rounds if they can be paired, and return their rows. Raises StoreError.

        None while matches of a host that was set aside are played again (``distrust.settle``).
        """
        due = self._settled and not self._complete
        due = due and all(number > self._last_round - self._lag for number in self._unfinished)
        if not (due and self._retry.may_try()):
            return ()
        try:
            paired = pair_next(self._repository, self._tournament)
        except StoreUnavailable as error:
            self._retry.failed(error, self._whereabouts)
            return ()
        if not self._waiting:
            self._retry.succeeded()
        if paired is None:
            return ()
        rows, self._complete = paired
        self._expect(rows)
        self._rows += len(rows)
        return rows

    def _expect(self, rows: Iterable[NumberedRow]) -> None:
        for _, row in rows:
            self._unfinished[row.round] += 1
            self._last_round = max(self._last_round, row.round)

    def _count(self, result: MatchResult, row: Row) -> None:
        """Count a stored result."""
        self._done += 1
        self._unfinished[row.round] -= 1
        if not self._unfinished[row.round]:
            del self._unfinished[row.round]
        if result.played is None:
            self._void += 1
            return
        self._played += 1
        self.load.add(result.played.load)
        self._faults += len(result.played.outcome.faults)
        self._void += result.played.outcome.void

    def _write_spool(self) -> None:
        results = [result for result, _ in self._waiting.values()]
        self._spooled = self._spool is not None and self._spool.keep(results)

    @property
    def _whereabouts(self) -> str:
        """Where the waiting results are, in words."""
        count = len(self._waiting)
        if not count:
            return "no result waits"
        waits = f"{count} results wait" if count > 1 else "1 result waits"
        if self._spooled and self._spool is not None:
            return f"{waits} in {self._spool.path}, for the next start to store"
        return f"{waits} in memory only, as the disk cannot be written"


def result_data(result: MatchResult, entrants: Sequence[str]) -> dict[str, Any]:
    """Return a result as JSON data for the log; ``entrants`` are the names in seat order."""
    data: dict[str, Any] = {"match": result.number, "entrants": list(entrants)}
    if result.played is None:
        return {**data, "void": result.note}
    outcome = result.played.outcome
    data |= {"ranks": list(outcome.ranks), "reason": outcome.reason, "digest": result.played.digest}
    if outcome.faults:
        data["faults"] = [list(fault) for fault in outcome.faults]
    return {**data, "ms": result.played.wall_ms}
