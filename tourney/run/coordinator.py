"""The coordinator: hands rows to the workers in schedule order and stores what comes back. Only it writes.

What is played depends on the schedule alone: the order in which matches finish decides nothing, neither what
is drawn next (``tourney.run.draw``) nor what is stored of it.
"""

import time
from collections import Counter, deque
from collections.abc import Callable, Iterable
from concurrent.futures import BrokenExecutor, Future
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from queue import Empty, SimpleQueue

from tourney.errors import InputError, StoreError, TourneyError, WorkerError
from tourney.match.record import Outcome
from tourney.run.draw import draw_next, spec_of
from tourney.run.pool import Pool
from tourney.run.progress import Listener, Tick
from tourney.run.signals import catching
from tourney.run.task import Answer, MatchTask
from tourney.run.timetable import Timetable
from tourney.run.writer import Writer
from tourney.schedule.registry import find_format
from tourney.schedule.row import Row
from tourney.store.repository import Repository
from tourney.store.values import Finished

MAX_FAILURES = 3
"""After so many failures of the infrastructure a match is void."""
MAX_FAILURES_IN_A_ROW = 12
"""After so many at the first attempt, with no match played in between, it is the machine: the run stops."""
_IDLE_SECONDS = 1.0


class End(Enum):
    """How a run ended."""

    FINISHED = "finished"
    TIME = "time"
    DRAINED = "drained"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class Summary:
    """What a run did: how it ended, by which signal (0: none), and how the tournament stands."""

    end: End
    signal: int
    tick: Tick


class Coordinator:
    """One run of one tournament, from what is stored to its end.

    ``bots`` is the folder of the bot store, which must hold all entrants' bots. Needs the tournament's lock.
    """

    def __init__(
        self,
        repository: Repository,
        tournament: int,
        pool: Pool,
        bots: Path,
        *,
        listener: Listener | None = None,
        timetable: Timetable | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._repository = repository
        self._pool = pool
        self._bots = str(bots)
        self._listener = listener or Listener()
        self._timetable = timetable or Timetable()
        self._clock = clock
        self._tournament = repository.tournament_by_id(tournament)
        self._entrants = repository.entrants(tournament)
        self._writer = Writer(repository, tournament, clock)
        self._events: SimpleQueue[Future[Answer] | int] = SimpleQueue()
        self._pending: deque[tuple[int, Row]] = deque()
        self._alone: deque[tuple[int, Row]] = deque()
        self._flying: dict[Future[Answer], tuple[int, Row]] = {}
        self._open: Counter[int] = Counter()  # rows without a stored result, by round
        self._round_of: dict[int, int] = {}  # of matches that were handed out
        self._failures: Counter[int] = Counter()
        self._failed_in_a_row = 0
        self._signals: list[int] = []
        self._end: End | None = None
        self._error: InputError | None = None
        self._heard = 0
        self._played = 0
        self._window = 2 * pool.workers
        before = repository.progress(tournament)
        self._rows, self._done, self._void = before.rows, before.done, before.void
        self._last_round = before.rounds
        self._complete = self._tournament.complete
        self._lag = find_format(self._tournament.plan.format).lag
        self._faults = sum(count for _, _, count in repository.faults(tournament))
        self._began = clock()

    def run(self) -> Summary:
        """Play until all is played, the time is up, or a signal comes.

        Raises WorkerError where the machine cannot play, StoreError where it cannot store; what was stored
        before stays, and all else is played at the next start.
        """
        with catching(self._events.put):
            self._run()
        return Summary(self._end or End.FINISHED, self._signals[0] if self._signals else 0, self._tick())

    def _run(self) -> None:
        orderly = False
        try:
            self._take(self._repository.pending(self._tournament.id))
            self._listener.tick(self._tick())
            while self._advance():
                self._step()
            orderly = self._end is not End.STOPPED
            if self._error is not None:
                raise self._error
        except TourneyError:
            # What was played is not to be lost for it.
            with suppress(StoreError):
                self._flush()
            raise
        finally:
            if orderly:
                self._pool.close()
            else:
                self._pool.stop()

    def _advance(self) -> bool:
        """Draw and hand out what can be; say whether there is anything left to wait for."""
        self._draw()
        self._hand_out()
        if self._end is End.STOPPED:
            self._flush()
            return False
        if self._flying:
            return True
        self._flush()
        if self._end is None and self._draw():
            self._hand_out()
        return bool(self._flying)

    def _step(self) -> None:
        """Wait for the next event; take it and all that came with it; store what is due."""
        due = self._writer.due_in
        try:
            event = self._events.get(timeout=_IDLE_SECONDS if due is None else due)
            while True:
                self._hear(event)
                event = self._events.get_nowait()
        except Empty:
            pass
        due = self._writer.due_in
        if due is not None and due <= 0:
            self._flush()

    def _hear(self, event: "Future[Answer] | int") -> None:
        if isinstance(event, int):
            self._hear_signal(event)
            return
        if event not in self._flying or event.cancelled():
            return
        error = event.exception()
        if isinstance(error, BrokenExecutor):
            self._lose_workers()
            return
        number, row = self._flying.pop(event)
        if isinstance(error, InputError):
            # A bot or a spec that cannot be used: no use in going on, but what is being played is kept.
            self._error = self._error or error
            self._drain(End.DRAINED)
            return
        if error is not None:
            self._fail(number, row, f"{type(error).__name__}: {error}")
            return
        answer = event.result()
        if answer.played is not None:
            self._failed_in_a_row = 0
            self._heard += 1
            self._timetable.note(answer.played.measured.get("wall-ms", 0) / 1000)
            self._writer.add(Finished(number, answer.played))
        elif answer.failure is not None:
            self._fail(number, row, answer.failure)

    def _hear_signal(self, number: int) -> None:
        self._signals.append(number)
        if len(self._signals) == 1:
            self._listener.say(
                "stopping: matches that are being played are finished first; once more stops at once"
            )
            self._drain(End.DRAINED)
        else:
            self._end = End.STOPPED

    def _drain(self, end: End) -> None:
        self._end = end
        self._pool.drain()
        for future in list(self._flying):
            if future.cancel():
                del self._flying[future]

    def _hand_out(self) -> None:
        """Fill the window in schedule order; rows that failed before come last, one at a time."""
        while self._end is None and (
            (self._pending and len(self._flying) < self._window) or (self._alone and not self._flying)
        ):
            if not self._timetable.fits(self._clock()):
                self._listener.say("the time is up: no further match is begun")
                self._drain(End.TIME)
                return
            number, row = (self._pending or self._alone).popleft()
            self._round_of[number] = row.round
            task = MatchTask(
                number=number,
                spec=spec_of(self._tournament, self._entrants, row),
                bots=self._bots,
                sandbox=self._tournament.run.sandbox,
                reuse=self._tournament.run.reuse,
            )
            try:
                future = self._pool.submit(task)
            except BrokenExecutor:
                self._pending.appendleft((number, row))
                self._lose_workers()
                continue
            self._flying[future] = (number, row)
            future.add_done_callback(self._events.put)

    def _lose_workers(self) -> None:
        """Replace a pool that broke. Who broke it is unknown: all that were out are tried again, alone."""
        flying, self._flying = self._flying, {}
        self._pool.replace()
        first = any(not self._failures[number] for number, _ in flying.values())
        for future, (number, row) in flying.items():
            if future.done() and not future.cancelled() and future.exception() is None:
                self._flying[future] = (number, row)
                self._hear(future)
            else:
                self._fail(number, row, "a worker process died", lost=True)
        if first:
            self._count_failure("a worker process died")

    def _fail(self, number: int, row: Row, why: str, *, lost: bool = False) -> None:
        self._failures[number] += 1
        if not lost and self._failures[number] == 1:
            self._count_failure(why)
        if self._failures[number] < MAX_FAILURES:
            self._alone.append((number, row))
            return
        if not (self._heard or self._done):
            raise WorkerError(
                f"match {number} failed {MAX_FAILURES} times and no other was played: {why};"
                " see to it, and run again"
            )
        names = " v ".join(self._entrants[entrant].name for entrant in row.seats)
        note = f"the machine failed {MAX_FAILURES} times: {why}"
        self._listener.say(f"match {number} ({names}) is void: {note}")
        self._writer.add(Finished(number, None, note))

    def _count_failure(self, why: str) -> None:
        self._failed_in_a_row += 1
        if self._failed_in_a_row >= MAX_FAILURES_IN_A_ROW:
            raise WorkerError(
                f"{self._failed_in_a_row} times in a row a match could not be played: {why};"
                " see to it, and run again: nothing that was stored is lost"
            )

    def _flush(self) -> None:
        """Store what waits; from now on it is done."""
        stored = self._writer.flush()
        for finished in stored:
            round_ = self._round_of.pop(finished.number)
            self._open[round_] -= 1
            if not self._open[round_]:
                del self._open[round_]
            self._done += 1
            if finished.played is None:
                self._void += 1
                continue
            self._played += 1
            outcome = Outcome.from_json(finished.played.record["outcome"])
            self._faults += len(outcome.faults)
            self._void += outcome.void
        if stored:
            self._listener.tick(self._tick())

    def _draw(self) -> bool:
        """Draw the next rounds if their time has come, and take their rows; say whether any came."""
        if self._complete or self._end is not None:
            return False
        if any(round_ <= self._last_round - self._lag for round_ in self._open):
            return False
        drawn = draw_next(self._repository, self._tournament.id)
        if drawn is None:
            return False
        self._complete = drawn.complete
        self._rows += len(drawn.rows)
        self._take(drawn.rows)
        return bool(drawn.rows)

    def _take(self, rows: Iterable[tuple[int, Row]]) -> None:
        for number, row in rows:
            self._pending.append((number, row))
            self._open[row.round] += 1
            self._last_round = max(self._last_round, row.round)

    def _tick(self) -> Tick:
        seconds = self._clock() - self._began
        return Tick(self._rows, self._done, self._played, self._faults, self._void, seconds)
