"""The repository: the one way to read and write what is stored.

Reading gives frozen values and plain tuples, always in schedule order, never in completion order. Only a
run's coordinator writes. ``Repository.open`` takes a path or a database URL::

    with Repository.open("tourney.db") as repository:
        tournament = repository.tournament()            # the one begun last
        for line in repository.standings(tournament.id):
            ...
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self

from sqlalchemy.engine import Connection, Engine

from tourney.errors import RecordError, UsageError
from tourney.match.played import LogLine
from tourney.match.record import Record
from tourney.schedule.format import History, Setup
from tourney.schedule.registry import FORMATS
from tourney.schedule.row import Row
from tourney.store import codec, importing, rating_data, reading, sqlite, writing
from tourney.store.bulletin import Bulletin, bulletin_path, read_bulletin
from tourney.store.engine import open_engine, transaction
from tourney.store.lock import Running, run_lock, running_now
from tourney.store.setup import history_of, setup_of
from tourney.store.standings import rank_standings
from tourney.store.values import (
    Checkpoint,
    DrawProbability,
    Finished,
    GroupCount,
    Match,
    Measured,
    PairTotal,
    Plan,
    Progress,
    ResultRow,
    RunSettings,
    Standing,
    StoredEntrant,
    Tournament,
)


class Repository:
    """Reads and writes one database. Methods raise StoreError where the database fails them."""

    def __init__(self, engine: Engine, connection: Connection | None = None) -> None:
        self._engine = engine
        self._connection = connection

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

    # -- tournaments ------------------------------------------------------------------------------------

    def tournaments(self) -> tuple[Tournament, ...]:
        """Return all tournaments, in the order in which they were begun."""
        with self._read() as connection:
            return reading.tournaments(connection)

    def tournament(self, name: str | None = None) -> Tournament:
        """Return a tournament by name, or the one begun last. Raises UsageError if there is none."""
        found = self.tournaments()
        if not found:
            raise UsageError("the database holds no tournament yet: begin one with `tourney run FILE.toml`")
        if name is None:
            return found[-1]
        for tournament in found:
            if tournament.name == name:
                return tournament
        names = ", ".join(t.name for t in found)
        raise UsageError(f"there is no tournament {name!r} in this database; there are: {names}")

    def tournament_by_id(self, tournament: int) -> Tournament:
        """Return a tournament by id. Raises UsageError if there is none."""
        for found in self.tournaments():
            if found.id == tournament:
                return found
        raise UsageError(f"there is no tournament with the id {tournament} in this database")

    def begin(
        self,
        plan: Plan,
        *,
        seed: int,
        seed_chosen: bool,
        run: RunSettings,
        entrants: Sequence[StoredEntrant],
        created: str,
    ) -> Tournament:
        """Store a new tournament with its entrants. Raises UsageError if the name is taken."""
        with self._write() as connection:
            return writing.begin(connection, plan, seed, seed_chosen, run, entrants, created)

    def import_records(
        self, name: str, records: Callable[[], Iterable[tuple[str, Record]]], created: str
    ) -> Tournament:
        """Store checked records as a finished tournament of the format ``import``, all or none.

        ``records`` gives the records each time it is called, each with the place it comes from, for errors.
        Raises RecordError for records that do not belong together, UsageError if the name is taken.
        """
        with self._write() as connection:
            return importing.import_records(connection, name, records(), records(), created)

    def amend(
        self,
        tournament: int,
        *,
        rounds: int | None,
        run: RunSettings,
        entrants: Sequence[StoredEntrant] = (),
        left: Mapping[int, int] | None = None,
    ) -> None:
        """Change what a later file may change: ``rounds``, run settings, entrants added at the end.

        ``left`` says of entrants that were withdrawn, by number, which is the first round without them.
        """
        with self._write() as connection:
            writing.amend(connection, tournament, rounds, run, entrants, left or {})

    def entrants(self, tournament: int) -> tuple[StoredEntrant, ...]:
        """Return a tournament's entrants by number."""
        with self._read() as connection:
            return reading.entrants(connection, tournament)

    # -- the schedule -----------------------------------------------------------------------------------

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

    def progress(self, tournament: int) -> Progress:
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

    def bulletin(self, tournament: int) -> Bulletin:
        """Return what the run of a tournament shows; empty where none goes on, or none is known of."""
        if self.running(tournament) is None:
            return Bulletin()
        return read_bulletin(bulletin_path(sqlite.path_of(self._engine.url), tournament))

    # -- matches ----------------------------------------------------------------------------------------

    def record_results(self, tournament: int, finished: Sequence[Finished]) -> None:
        """Store finished matches with their logs and measurements, all in one transaction.

        They count as done when this returns. A row that has a result already keeps it: nothing is stored
        twice.
        """
        with self._write() as connection:
            writing.record_results(connection, tournament, finished)

    def matches(
        self, tournament: int, *, entrant: int | None = None, finished: bool = False
    ) -> Iterator[Match]:
        """Yield matches in schedule order: all, those of an entrant, or only those that have a result."""
        with self._read() as connection:
            yield from reading.matches(connection, tournament, entrant=entrant, finished=finished)

    def match(self, tournament: int, number: int) -> Match:
        """Return a match by its number. Raises UsageError if there is none."""
        with self._read() as connection:
            for match in reading.matches(connection, tournament, number=number):
                return match
        raise UsageError(f"there is no match {number} in this tournament; see `tourney status`")

    def find_match(self, text: str, tournament: str | None = None) -> Match:
        """Return the match that a person named: ``12``, or ``autumn-cup/12``.

        A bare number is of the named tournament, or of the one begun last. Raises UsageError.
        """
        name, slash, number = text.rpartition("/")
        if not (number.isascii() and number.isdigit() and len(number) < 10):
            raise UsageError(f"{text!r} is no match: name one by its number, as 12 or autumn-cup/12")
        return self.match(self.tournament(name if slash else tournament).id, int(number))

    def record(self, tournament: int, number: int) -> Record:
        """Return a match's record as JSON data, its digest unchecked.

        Raises UsageError if there is none yet or the match is void for want of a working machine, and
        RecordError if the stored bytes do not unpack.
        """
        with self._read() as connection:
            blob = reading.record_blob(connection, tournament, number)
        if blob is None:
            match = self.match(tournament, number)
            why = "has not been played yet" if match.result is None else f"is void: {match.result.note}"
            raise UsageError(f"match {number} {why}, so it has no record")
        return self._unpack_record(number, blob)

    def disagreement(self, tournament: int, number: int, record: Record) -> str | None:
        """Return what the tables say of a match that does not follow from its record, or None."""
        from tourney.store.agreement import disagreement  # noqa: PLC0415 - for verify alone

        with self._read() as connection:
            return disagreement(connection, tournament, number, record)

    def records(self, tournament: int) -> Iterator[tuple[int, Record]]:
        """Yield the numbers and records of a tournament in schedule order, those without a record left out.

        Raises RecordError as ``record`` does.
        """
        with self._read() as connection:
            for number, blob in reading.record_blobs(connection, tournament):
                yield number, self._unpack_record(number, blob)

    def log(self, tournament: int, number: int) -> tuple[LogLine, ...]:
        """Return a match's log; empty if there is none."""
        with self._read() as connection:
            blob = reading.log_blob(connection, tournament, number)
        return () if blob is None else codec.unpack_log(blob)

    def measured(self, tournament: int, number: int) -> Measured:
        """Return what was measured of a match; empty if nothing was."""
        with self._read() as connection:
            blob = reading.measured_blob(connection, tournament, number)
        data: Measured = {} if blob is None else codec.unpack(blob)
        return data

    # -- results, for ratings and tables ----------------------------------------------------------------

    def results(self, tournament: int, *, after: int = 0) -> Iterator[ResultRow]:
        """Yield the finished matches as plain tuples in schedule order, void ones too (they say so).

        Only those of a number above ``after``: what was rated up to there need not be read again.
        """
        with self._read() as connection:
            yield from reading.results(connection, tournament, after=after)

    def group_counts(self, tournament: int) -> Iterator[GroupCount]:
        """Yield how often each outcome of a mirrored group of two seats occurred, void matches left out.

        The order means nothing. Made for two seats; with more, read ``results``.
        """
        with self._read() as connection:
            yield from rating_data.group_counts(connection, tournament)

    def settled(self, tournament: int) -> int:
        """Return how many matches from the first on all have a result: that prefix will never change."""
        with self._read() as connection:
            return rating_data.settled(connection, tournament)

    def pair_totals(self, tournament: int) -> tuple[PairTotal, ...]:
        """Return what each entrant scored against each other; pairs that never met are left out."""
        with self._read() as connection:
            return reading.pair_totals(connection, tournament)

    def setup(self, tournament: int) -> Setup:
        """Return a tournament as its format sees it, the matches apart."""
        stored = self.tournament_by_id(tournament)
        return setup_of(stored.plan, stored.seed, self.entrants(tournament))

    def history(self, tournament: int) -> History:
        """Return all rows drawn and all results there are, as a format sees them."""
        with self._read() as connection:
            rows = (row for _, row in reading.rows(connection, tournament))
            return history_of(rows, reading.results(connection, tournament))

    def standings(self, tournament: int) -> tuple[Standing, ...]:
        """Return the standings, by what the tournament's format ranks by; equal entrants by number."""
        stored = self.tournament_by_id(tournament)
        format_ = FORMATS.get(stored.plan.format)
        with self._read() as connection:
            entrants = reading.entrants(connection, tournament)
            tallies = reading.tallies(connection, tournament)
            pairs = reading.pair_totals(connection, tournament)
            faults = reading.faults(connection, tournament)
            lines = None
            if format_ is not None and format_.ranks:
                history = Repository(self._engine, connection).history(tournament)
                lines = format_.table(setup_of(stored.plan, stored.seed, entrants), history)
        by_mean = format_ is not None and format_.by_mean
        return rank_standings(entrants, stored.seats, tallies, pairs, faults, lines=lines, by_mean=by_mean)

    def faults(self, tournament: int) -> tuple[tuple[int, str, int], ...]:
        """Return ``(entrant number, kind, count)`` of all faults, sorted."""
        with self._read() as connection:
            return reading.faults(connection, tournament)

    def strikes(self, tournament: int) -> tuple[tuple[int, tuple[int, ...], tuple[str | None, ...]], ...]:
        """Return number, entrants and faults (in seat order) of the matches that hold a fault, by number."""
        with self._read() as connection:
            return reading.faulty(connection, tournament)

    def benched(self, tournament: int) -> tuple[tuple[int, int], ...]:
        """Return ``(entrant number, matches void for it)`` of the entrants that are benched, sorted."""
        with self._read() as connection:
            return reading.benched(connection, tournament)

    def void_for(self, tournament: int, name: str) -> tuple[int, ...]:
        """Return the numbers of the matches that are void as the entrant of this name is benched."""
        with self._read() as connection:
            return reading.void_for(connection, tournament, name)

    def take_back(self, tournament: int, numbers: Sequence[int]) -> None:
        """Remove results, so that their rows are played again, and the ratings kept of them.

        Only for a person who asks for it: everything else treats a result as final.
        """
        with self._write() as connection:
            writing.take_back(connection, tournament, numbers)

    def recent_seconds(self, tournament: int, count: int) -> tuple[float, ...]:
        """Return how long matches took, as measured, of the ``count`` last ones in schedule order."""
        with self._read() as connection:
            blobs = reading.recent_measured(connection, tournament, count)
        return tuple(codec.unpack(blob).get("wall-ms", 0) / 1000 for blob in blobs)

    # -- what ratings keep ------------------------------------------------------------------------------

    def draw_probability(self, game: str, seats: int) -> DrawProbability | None:
        """Return the draw probability kept for a game and a number of seats, or None."""
        with self._read() as connection:
            return rating_data.draw_probability(connection, game, seats)

    def keep_draw_probability(self, game: str, seats: int, value: DrawProbability) -> None:
        """Keep a draw probability for all tournaments of a game and a number of seats."""
        with self._write() as connection:
            rating_data.keep_draw_probability(connection, game, seats, value)

    def checkpoint(self, tournament: int, settings: str) -> Checkpoint | None:
        """Return the checkpoint kept under these settings, or None. Raises RecordError if it is damaged."""
        with self._read() as connection:
            return rating_data.checkpoint(connection, tournament, settings)

    def keep_checkpoint(self, tournament: int, settings: str, value: Checkpoint) -> None:
        """Keep a checkpoint; ``settings`` (up to 250 characters) says what was rated by."""
        with self._write() as connection:
            rating_data.keep_checkpoint(connection, tournament, settings, value)

    def verdict(self, tournament: int) -> dict[str, Any] | None:
        """Return what a comparison came to (JSON data), or None before its end."""
        with self._read() as connection:
            return rating_data.verdict(connection, tournament)

    def keep_verdict(self, tournament: int, data: dict[str, Any]) -> None:
        """Keep what a comparison came to."""
        with self._write() as connection:
            rating_data.keep_verdict(connection, tournament, data)

    # ---------------------------------------------------------------------------------------------------

    @staticmethod
    def _unpack_record(number: int, blob: bytes) -> dict[str, Any]:
        try:
            data = codec.unpack(blob)
        except RecordError as error:
            raise RecordError(f"the record of match {number} is damaged: {error}") from error
        if not isinstance(data, dict):
            raise RecordError(f"the record of match {number} is damaged: it is no JSON object")
        return data

    @contextmanager
    def _read(self) -> Iterator[Connection]:
        if self._connection is not None:
            yield self._connection
        else:
            with transaction(self._engine) as connection:
                yield connection

    @contextmanager
    def _write(self) -> Iterator[Connection]:
        with transaction(self._engine, write=True) as connection:
            yield connection
