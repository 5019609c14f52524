"""The recorder: stores results in batches, pairs the next rounds, and counts how far the tournament is."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from pathlib import Path
from typing import Final, NamedTuple

from msgspec import structs

from tourney.errors import StoreError, StoreUnavailable
from tourney.match.spec import MatchSpec
from tourney.results.luck import needs_luck, results_for_format
from tourney.results.standings import load_setup, planned_matches, setup_of
from tourney.results.until import next_rounds
from tourney.run.engine.run_control import RunControl, WriteRetry
from tourney.run.engine.spool import read_spool
from tourney.run.summary import ENOUGH, RunLoad, RunProgress, start_cause
from tourney.run.workers.executor import played_on
from tourney.schedule.format import Format, History, SeatArguments, TablePlace, find_format
from tourney.schedule.row import ResultRow, Row
from tourney.store.database import Database
from tourney.store.values import MatchResult, StoredEntrant, Tournament
from tourney.texts import counted


class RowArguments:
    """Looks up the arguments that a format gives the bots at a table; most formats give none."""

    def __init__(self, database: Database, tournament: Tournament) -> None:
        self._database = database
        self._tournament = tournament
        self._format = find_format(tournament.plan.format)
        self.given = type(self._format).arguments is not Format.arguments
        self._history = History()
        self._known: Mapping[TablePlace, SeatArguments] = {}

    def of(self, row: Row) -> SeatArguments:
        """The arguments at a row's table; the results of all rounds before it must be stored. () for none."""
        if not self.given:
            return ()
        place = (row.round, row.table)
        if place not in self._known:
            last = self._history.results[-1].number if self._history.results else 0
            entrants = self._database.tournaments.entrants(self._tournament.id)
            setup = setup_of(self._tournament.plan, self._tournament.seed, entrants)
            stored = results_for_format(self._database, self._tournament, setup, after=last)
            new = [result for result in stored if result.key.round < row.round]
            self._history.extend((result.row for result in new), new)
            self._known = self._format.arguments(setup, self._history)
        return self._known.get(place, ())


class RunHistory:
    """The rows of a tournament and the results that its format may see.

    It is filled from the store at the start. What is stored later is added here too.
    """

    def __init__(self, database: Database, tournament: Tournament) -> None:
        self._lag = find_format(tournament.plan.format).lag
        self._history = History()
        self._unfinished: Counter[int] = Counter()
        # Results of rounds that may not be seen yet: they come in any order.
        self._hidden: defaultdict[int, list[ResultRow]] = defaultdict(list)
        self._seen = 0
        self.extend(row for _, row in database.schedules.rows(tournament.id))
        setup = load_setup(database, tournament.id)
        self.take(results_for_format(database, tournament, setup))

    def extend(self, rows: Iterable[Row]) -> None:
        """Take in the rows of new rounds."""
        new = tuple(rows)
        self._history.extend(rows=new)
        self._unfinished.update(row.round for row in new)

    def take(self, results: Iterable[ResultRow]) -> None:
        """Take in stored results, in any order."""
        for result in results:
            self._hidden[result.key.round].append(result)
            self._unfinished[result.key.round] -= 1

    def ready(self) -> History | None:
        """The history for the next pairing, with the results of rounds up to the last one less the lag.

        None while one of these rounds is unfinished.
        """
        while self._seen < self._history.rounds - self._lag:
            if self._unfinished[self._seen + 1]:
                return None
            self._seen += 1
            self._history.extend(results=sorted(self._hidden.pop(self._seen, ()), key=attrgetter("key")))
        return self._history


NumberedRow = tuple[int, Row]  # a row of the schedule, after its match's number

BATCH_SECONDS: Final = 0.1  # the longest a result waits for others to be stored with it
BATCH_MATCHES: Final = 1000  # this many waiting results are stored at once


class PairedRounds(NamedTuple):
    """The rows of rounds that were paired, and whether they are the last ones."""

    rows: tuple[NumberedRow, ...]
    complete: bool


def pair_next(database: Database, tournament: int, history: RunHistory | None = None) -> PairedRounds | None:
    """Pair and store the next rounds.

    None while they cannot be paired, and when all rounds are. They can be paired when all rounds up to the
    last one less the format's ``lag`` are finished: the format sees the results of those and no others, and
    only the entrants of these rounds and the next. Where the schedule ends before some entrants were to join,
    as it was longer before rounds were withdrawn, they join now. ``history`` is the run's, which is
    extended.
    """
    with database.snapshot() as moment:
        stored = moment.tournaments.by_id(tournament)
        if stored.complete:
            return None
        entrants = moment.tournaments.entrants(tournament)
        history = history or RunHistory(moment, stored)
    history_now = history.ready()
    if history_now is None:
        return None
    format_ = find_format(stored.plan.format)
    drawn = history_now.rounds
    setup = setup_of(stored.plan, stored.seed, entrants_after(entrants, drawn))
    pairings = next_rounds(format_, setup, history_now)
    if not (pairings.rows or pairings.complete):
        raise ValueError(f"the format {format_.name} paired nothing and would wait for ever")
    drawn = max((row.round for row in pairings.rows), default=drawn)
    late = [
        replace(entrant, joined=drawn + 1)
        for entrant in entrants
        if entrant.joined > drawn + 1 and (entrant.left is None or entrant.left > entrant.joined)
    ]
    if not (pairings.complete and late):
        added = database.schedules.add(tournament, pairings.rows, complete=pairings.complete)
        history.extend(row for _, row in added)
        return PairedRounds(added, pairings.complete)
    with database.transaction() as writer:
        added = writer.schedules.add(tournament, pairings.rows, complete=False)
        writer.tournaments.change_entrants(tournament, late)
    history.extend(row for _, row in added)
    # Without rows there is no result to wait for: those who join now are paired at once.
    return PairedRounds(added, complete=False) if added else pair_next(database, tournament, history)


def entrants_after(entrants: Sequence[StoredEntrant], rounds: int) -> list[StoredEntrant]:
    """The entrants as they were known when ``rounds`` rounds were drawn."""
    # Numbers go by the time of entry; one that joins again after its bot was broken keeps its number.
    last_number = max((entrant.number for entrant in entrants if entrant.joined <= rounds + 1), default=-1)
    return [
        entrant
        if entrant.left is None or entrant.left <= rounds + 1
        else replace(entrant, left=None)  # it had not left yet
        for entrant in entrants[: last_number + 1]
    ]


def spec_of(
    tournament: Tournament, entrants: Sequence[StoredEntrant], row: Row, arguments: SeatArguments = ()
) -> MatchSpec:
    """The spec of a row of the schedule: everything that decides its match.

    ``arguments`` are given by the format to the seats of its table (``RowArguments``).
    """
    plan = tournament.plan
    seed = plan.seed_of(tournament.seed, row)
    seats = [entrants[number].entrant for number in row.seats]
    if arguments:
        seats = [
            structs.replace(entrant, args=(*entrant.args, *arguments[number]))
            for entrant, number in zip(seats, row.seats, strict=True)
        ]
    return MatchSpec(
        game=plan.game,
        options=plan.options,
        seats=tuple(seats),
        seed=seed,
        limits=plan.limits,
        opening=plan.opening_of(tournament.seed, row),
    )


def replay_spool(database: Database, tournament: Tournament, path: Path, say: Callable[[str], None]) -> int:
    """Store the results of a spool that an earlier run left; return how many. The caller holds the lock.

    Rows that have a result keep it. A damaged line, a record that does not belong to its row, or a result of
    a refused host is skipped; its match is replayed. Raises StoreError for a spool
    of another tournament, and where the results cannot be stored; then the spool stays.
    """
    spooled = read_spool(path, tournament)
    if spooled is None:
        return 0
    entrants = database.tournaments.entrants(tournament.id)
    open_rows = dict(database.schedules.pending(tournament.id))
    refused = {refusal.host for refusal in database.hosts.refused(tournament.id)}
    # The database may have taken results that it did not confirm before the earlier run ended.
    waiting = [item for item in spooled.results if item.number in open_rows]
    accepted = [item for item in waiting if played_on(item.played) not in refused]
    taken = []
    arguments = RowArguments(database, tournament)
    for item in accepted:
        row = open_rows[item.number]
        spec = spec_of(tournament, entrants, row, arguments.of(row))
        record = spec if item.played is None else item.played.record.spec
        if (record.game, record.seed, record.seats) == (spec.game, spec.seed, spec.seats):
            taken.append(item)
    database.matches.add(tournament.id, taken)
    if taken:
        say(f"stored {counted(len(taken), 'result')} that an earlier run kept in {path}")
    for count, noun, whose in (
        (spooled.damaged + len(accepted) - len(taken), "damaged line", f"of {path}"),
        (len(waiting) - len(accepted), "result", "of hosts that are refused"),
    ):
        if count:
            say(f"skipped {counted(count, noun)} {whose}: those matches are replayed")
    path.unlink(missing_ok=True)
    return len(taken)


class Recorder:
    """All that a run reads from and writes to its tournament; ``load`` is that of the matches it stored.

    A result counts as done when it is stored; then the listener gets its event. A write that fails pauses the
    run, as ``retry`` says, and meanwhile results wait in the spool. ``needs_luck``: the tournament's pairings
    depend on the luck of its matches, which therefore comes with them.
    """

    def __init__(self, database: Database, tournament: Tournament, control: RunControl) -> None:
        self._database = database
        self._tournament = tournament.id
        entrants = database.tournaments.entrants(tournament.id)
        self._names = [entrant.name for entrant in entrants]
        self.needs_luck = needs_luck(tournament, setup_of(tournament.plan, tournament.seed, entrants))
        self._listener = control.listener
        self._clock = control.clock
        self._spool = control.spool
        self.retry = WriteRetry(control.retry_seconds, control.clock, control.listener.say)
        self._started = control.clock()
        # How far the tournament is, as stored; ``_played`` counts the matches of this run.
        counts = database.schedules.progress(tournament.id)
        self._rows = counts.rows
        self._done = counts.done
        self._void = counts.void
        self._planned = planned_matches(tournament, entrants, counts.rows)
        self._faults = sum(count for _, _, count in database.totals.faults(tournament.id))
        self._played = 0
        self.load = RunLoad()
        self._warned = False
        self._unstarted = set[int]()  # entrants whose failed start was said
        self._complete = tournament.complete
        self._history: RunHistory | None = None
        # Results that wait to be stored, by number: when they are due, and whether the spool has them all.
        self._waiting: dict[int, tuple[MatchResult, Row]] = {}
        self._due = 0.0
        self._spooled = False

    def pending(self) -> Sequence[NumberedRow]:
        """The rows without a result; to be called once, at the start."""
        self._listener.progress(self.progress())
        return self._database.schedules.pending(self._tournament)

    def progress(self) -> RunProgress:
        """How far the tournament is."""
        seconds = self._clock() - self._started
        # Results may lead to more rows than were foreseen.
        rows = self._rows if self._complete else max(self._rows, self._planned)
        return RunProgress(rows, self._done, self._played, self._faults, self._void, seconds)

    @property
    def finished(self) -> bool:
        """Whether all rounds are paired and all their results stored."""
        return self._complete and self._done == self._rows

    @property
    def due_in(self) -> float | None:
        """Seconds until the next write is due, at least 0; None if none is."""
        if self.retry.paused:
            return self.retry.due_in
        if not self._waiting:
            return None
        return 0.0 if len(self._waiting) >= BATCH_MATCHES else max(0.0, self._due - self._clock())

    def add(self, result: MatchResult, row: Row) -> None:
        """Take a result that counts; it is stored together with results that come soon after it."""
        if not self._waiting:
            self._due = self._clock() + BATCH_SECONDS
        self._waiting[result.number] = (result, row)

    def store_due(self) -> None:
        """Store the waiting results if they are due; in a pause, write them to the spool."""
        due = self.due_in
        if due is not None and due <= 0:
            self.store()
        elif self.retry.paused:
            self._spool_waiting()

    def store(self, *, at_once: bool = False) -> None:
        """Store the waiting results in one transaction; where that fails the run pauses.

        Between the attempts of a pause this does nothing, except ``at_once``. Raises StoreError.
        """
        if not self._waiting or not self.retry.may_try(at_once=at_once):
            return
        # By number, not by arrival: the stored rows do not show which worker was quick.
        stored = [self._waiting[number] for number in sorted(self._waiting)]
        for result, _ in stored:
            # Workers have computed it; an executor of another package may not know that it is wanted.
            if self.needs_luck and result.played is not None:
                result.played.find_luck()
        try:
            self._database.matches.add(self._tournament, [result for result, _ in stored])
        except StoreError as error:
            self._spool_waiting()
            if not isinstance(error, StoreUnavailable):
                raise
            self.retry.failed(error, self._whereabouts)
            return
        self._waiting.clear()
        if self._spool is not None:
            self._spool.clear()
        self.retry.succeeded()
        if self._history is not None:
            self._history.take(result.result_row(row) for result, row in stored)
        for result, row in stored:
            self._listener.event("match", result_data(result, [self._names[number] for number in row.seats]))
            self._count(result)
            self._warn_of_failed_starts(result, row)
        self._listener.progress(self.progress())

    def store_last(self) -> None:
        """Store the waiting results at the end of the run. Raises StoreUnavailable."""
        self.store(at_once=True)
        if self._waiting:
            raise StoreUnavailable(f"{self.retry.why}; {self._whereabouts}")

    def pair(self) -> Sequence[NumberedRow]:
        """Pair and store the next rounds if they can be paired, and return their rows. Raises StoreError."""
        # A cheap test first: this runs after every event, and asking the format would read the store.
        waits = self._history is not None and self._history.ready() is None
        if self._complete or waits or not self.retry.may_try():
            return ()
        try:
            if self._history is None:
                with self._database.snapshot() as moment:
                    self._history = RunHistory(moment, moment.tournaments.by_id(self._tournament))
            paired = pair_next(self._database, self._tournament, self._history)
        except StoreUnavailable as error:
            self._history = None  # rows may be stored although the database did not say so
            self.retry.failed(error, self._whereabouts)
            return ()
        if not self._waiting:
            self.retry.succeeded()
        if paired is None:
            return ()
        self._complete = paired.complete
        if self._complete:
            self._history = None  # nothing asks for it any more
        self._rows += len(paired.rows)
        return paired.rows

    def warn_of_overload(self, workers: int) -> None:
        """Say once, after enough turns, that the machine is overloaded."""
        if not self._warned and self.load.turns >= ENOUGH and (advice := self.load.advice(workers)):
            self._warned = True
            self._listener.say(advice)

    def _count(self, result: MatchResult) -> None:
        self._done += 1
        if result.played is None:
            self._void += 1
            return
        self._played += 1
        self.load.add(result.played.load)
        self._faults += len(result.played.outcome.faults)
        self._void += result.played.outcome.void

    def _warn_of_failed_starts(self, result: MatchResult, row: Row) -> None:
        """Say once for each entrant why it did not start: a wrong option loses all of its matches."""
        if result.played is None:
            return
        for seat, kind, _ in result.played.outcome.faults:
            entrant = row.seats[seat - 1]
            if kind != "startup" or entrant in self._unstarted:
                continue
            self._unstarted.add(entrant)
            self._listener.say(
                f"{self._names[entrant]} did not start in match {result.number} and loses it:"
                f" {start_cause(result.played.log, seat)}"
            )

    def _spool_waiting(self) -> None:
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


def result_data(result: MatchResult, entrants: Sequence[str]) -> dict[str, object]:
    """A result as JSON data for the log; ``entrants`` are the names in seat order."""
    data: dict[str, object] = {"match": result.number, "entrants": list(entrants)}
    if result.played is None:
        return {**data, "void": result.note}
    outcome = result.played.outcome
    data |= {"ranks": list(outcome.ranks), "reason": outcome.reason, "digest": result.played.digest}
    if outcome.faults:
        data["faults"] = [list(fault) for fault in outcome.faults]
    if result.played.evidence.luck:
        data["evidence"] = result.played.evidence.text
    return {**data, "ms": result.played.wall_ms}
