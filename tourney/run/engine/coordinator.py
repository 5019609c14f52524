"""The coordinator: hands rows to the workers in schedule order and stores what comes back. Only it writes.

What is played depends on the schedule alone: the order in which matches finish decides nothing, neither what
is drawn next (``tourney.run.engine.pairing``) nor what is stored of it.
"""

import signal
import time
from collections import deque
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import BrokenExecutor, Future
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue

from tourney.errors import InputError, StoreError, TourneyError
from tourney.run.engine.bench_policy import BenchPolicy, Decision, Open, UndecidedRows, bench_text, stop_text
from tourney.run.engine.pairing import spec_of
from tourney.run.engine.recorder import Recorder
from tourney.run.engine.retry import MAX_FAILURES, PAUSES, MatchRetries, WriteRetry
from tourney.run.engine.spool import Spool
from tourney.run.engine.stopping import Deadline, catch_signals
from tourney.run.monitoring.progress import Heartbeat, Listener
from tourney.run.monitoring.summary import End, Summary
from tourney.run.workers.executor import MatchExecutor, MatchTask, WorkerReply
from tourney.schedule.player_history import MAX_STARTUP_FAILURES
from tourney.schedule.row import Row
from tourney.store.repository import Repository
from tourney.store.values import MatchResult

_IDLE_SECONDS = 1.0
_LOST = "a worker process died"


class Coordinator:
    """One run of one tournament, from what is stored to its end.

    ``bots`` is the folder of the bot store, which must hold all entrants' bots. Needs the tournament's lock.
    ``max_faults``: stop once so many faults were counted. ``patience``: seconds for which a database that
    cannot be written is borne, with an attempt after each of the ``pauses``; what waits meanwhile is kept in
    the ``spool``. ``listener.pulse`` is called about once a second.
    """

    def __init__(
        self,
        repository: Repository,
        tournament: int,
        pool: MatchExecutor,
        bots: Path,
        *,
        listener: Listener | None = None,
        timetable: Deadline | None = None,
        clock: Callable[[], float] = time.monotonic,
        max_faults: int | None = None,
        patience: float = 0.0,
        pauses: Sequence[float] = PAUSES,
        spool: Spool | None = None,
    ) -> None:
        self._pool = pool
        self._bots = str(bots)
        self._listener = listener or Listener()
        self._timetable = timetable or Deadline()
        self._clock = clock
        self._tournament = repository.tournament_by_id(tournament)
        self._entrants = repository.entrants(tournament)
        bearing = WriteRetry(patience, clock, self._listener.say, pauses)
        self._recorder = Recorder(repository, self._tournament, self._listener, clock, bearing, spool)
        umpire = BenchPolicy(max_faults)
        for strike in repository.faulty_matches(tournament):
            umpire.note(*strike)
        self._docket = UndecidedRows(umpire)
        self._recalled: set[int] = set()  # are being played, and do not count
        self._benched: set[int] = set()
        self._enough = False
        self._events: SimpleQueue[Future[WorkerReply] | int] = SimpleQueue()
        self._pending: deque[tuple[int, Row]] = deque()
        self._alone: deque[tuple[int, Row]] = deque()
        self._flying: dict[Future[WorkerReply], tuple[int, Row]] = {}
        self._signals: list[int] = []
        self._end: End | None = None
        self._error: InputError | None = None
        self._failures = MatchRetries(before=self._recorder.tally.done > 0)
        self._pulsed = clock()

    def run(self) -> Summary:
        """Play until all is played, the time is up, or a signal comes.

        Raises WorkerError where the machine cannot play, StoreError where it cannot store; what was stored
        before stays, and all else is played at the next start or taken in from the spool.
        """
        with catch_signals(self._events.put):
            self._run()
        first = self._signals[0] if self._signals else 0
        recorder, patience = self._recorder, self._recorder.patience
        return Summary(self._end or End.FINISHED, first, recorder.progress(), patience.count, patience.total)

    def _run(self) -> None:
        orderly = False
        try:
            self._pending.extend(self._recorder.pending())
            while self._advance():
                self._step()
            orderly = self._end is not End.STOPPED
            if self._error is not None:
                raise self._error
        except TourneyError:
            # What was played is not to be lost for it.
            with suppress(StoreError):
                self._recorder.flush(at_once=True)
            raise
        finally:
            if orderly:
                self._pool.close()
            else:
                self._pool.stop()

    def _advance(self) -> bool:
        """Draw and hand out what can be; say whether there is anything left to wait for."""
        while True:
            self._decide()
            self._time_has_come()
            self._draw()
            self._hand_out()
            if self._end is not End.STOPPED and self._flying:
                return True
            if self._end is not None:
                self._recorder.last_flush()
                if self._end is End.TIME and self._recorder.rounds.over:
                    self._end = End.FINISHED  # what was being played when the time was up was all there was
                return False
            self._recorder.flush()
            if not self._draw():
                break
        if self._enough and not self._recorder.paused:
            self._end = End.FAULTS
        return self._recorder.paused

    def _step(self) -> None:
        """Wait for the next event; take it and all that came with it; store what is due."""
        due = self._recorder.due_in
        try:
            event = self._events.get(timeout=_IDLE_SECONDS if due is None else min(due, _IDLE_SECONDS))
            while True:
                self._hear(event)
                event = self._events.get_nowait()
        except Empty:
            pass
        self._recorder.store()
        self._beat()

    def _beat(self) -> None:
        now = self._clock()
        if now - self._pulsed >= _IDLE_SECONDS:
            self._pulsed = now
            self._listener.heartbeat(
                Heartbeat(self._recorder.progress(), self._pool.running(), self._recorder.patience.why)
            )

    def _hear(self, event: "Future[WorkerReply] | int") -> None:
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
        if number in self._recalled:
            self._recalled.remove(number)
            return
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
            self._failures.played()
            self._timetable.note((answer.played.wall_ms or 0) / 1000)
            self._take(MatchResult(number, answer.played), row)
        elif answer.failure is not None:
            self._fail(number, row, answer.failure)
        elif self._end is None:
            self._time_is_up()

    def _take(self, finished: MatchResult, row: Row) -> None:
        if self._docket.take(finished, row):
            self._recorder.add(finished, row)

    def _decide(self) -> None:
        """Decide about rows that were handed out undecided, as far as can be."""
        for number, row, call, finished in self._docket.decide(self._open):
            if call.kind == "play":
                if finished is not None:
                    self._recorder.add(finished, row)
                continue
            self._recall({number})
            if call.kind == "benched":
                self._bench(number, row, call)
            else:
                self._recall(self._docket.clear())
                self._stop_early(call)

    def _recall(self, numbers: Collection[int]) -> None:
        """Let rows not count that were handed out; those that are being played go on to their end."""
        self._recalled |= {number for number, _ in self._flying.values() if number in numbers}
        self._alone = deque(item for item in self._alone if item[0] not in numbers)

    def _open(self) -> Sequence[tuple[int, Sequence[int]]]:
        """Return the rows that were handed out and have no result."""
        out = (*self._flying.values(), *self._alone)
        return [(number, row.seats) for number, row in out if number not in self._recalled]

    def _hear_signal(self, number: int) -> None:
        self._signals.append(number)
        if len(self._signals) == 1:
            why = "the terminal is gone" if number == signal.SIGHUP else "stopping"
            self._listener.say(
                f"{why}: matches that are being played are finished first; once more stops at once"
            )
            self._drain(End.DRAINED)
        elif number != signal.SIGHUP:  # which nobody sends on purpose, and terminals send more than once
            self._end = End.STOPPED

    def _drain(self, end: End) -> None:
        self._end = end
        self._pool.drain()
        for future in list(self._flying):
            if future.cancel():
                del self._flying[future]

    def _hand_out(self) -> None:
        """Hand out what the pool takes; where workers are lost over it, what is left to be tried again."""
        while True:
            self._fill()
            try:
                self._pool.hand_over()
            except BrokenExecutor:
                self._lose_workers()
            else:
                return

    def _fill(self) -> None:
        """Fill the pool in schedule order; rows that failed before come last, one at a time."""
        open_ = list(self._open())
        while self._end is None and not self._recorder.paused:
            queue = self._call(open_)
            if queue is None:
                return
            if self._time_has_come():
                return
            number, row = queue.popleft()
            task = MatchTask(
                number=number,
                spec=spec_of(self._tournament, self._entrants, row),
                bots=self._bots,
                sandbox=self._tournament.run.sandbox,
                reuse=self._tournament.run.reuse,
                begin_by=self._timetable.begin_by,
            )
            try:
                future = self._pool.submit(task)
            except BrokenExecutor:
                self._pending.appendleft((number, row))
                self._lose_workers()
                open_ = list(self._open())
                continue
            self._flying[future] = (number, row)
            if queue is self._pending:  # those that are tried again were open before
                open_.append((number, row.seats))
            future.add_done_callback(self._events.put)

    def _call(self, open_: Open) -> "deque[tuple[int, Row]] | None":
        """Return the queue whose head is handed out next, or None; rows of who is benched become void."""
        while self._pending and max(len(self._flying), len(self._docket)) < self._pool.ahead:
            number, row = self._pending[0]
            call = self._docket.call(number, row, open_)
            if call.kind == "play":
                return self._pending
            if call.kind == "wait":
                break
            if call.kind == "stop":
                self._stop_early(call)
                break
            self._pending.popleft()
            if call.kind == "benched":
                self._bench(number, row, call)
        return self._alone if self._alone and not self._flying else None

    def _bench(self, number: int, row: Row, call: Decision) -> None:
        name = self._entrants[call.entrant].name
        if call.entrant not in self._benched:
            self._benched.add(call.entrant)
            self._listener.say(bench_text(name, number, call))
            self._listener.event("bench", {"entrant": name, "matches": list(call.matches), "from": number})
        note = f"benched: {name} failed at start-up {MAX_STARTUP_FAILURES} times"
        self._recorder.add(MatchResult(number, None, note, call.entrant), row)

    def _stop_early(self, call: Decision) -> None:
        """Begin nothing of the schedule from here on; what was handed out is played to its end."""
        self._listener.say(stop_text(call))
        self._enough = True
        self._pending.clear()

    def _time_has_come(self) -> bool:
        """End the run if what is not begun does not fit any more, by what is known now; say if it did."""
        not_begun = self._pending or self._alone or len(self._flying) > self._pool.workers
        if self._end is not None or not not_begun or self._timetable.fits(self._clock()):
            return False
        self._time_is_up()
        return True

    def _time_is_up(self) -> None:
        self._listener.say("the time is up: no further match is begun")
        self._drain(End.TIME)

    def _lose_workers(self) -> None:
        """Replace a pool that broke. Who broke it is unknown: all that were out are tried again, alone."""
        flying, self._flying = self._flying, {}
        self._pool.replace()
        lost: dict[int, Row] = {}
        for future, (number, row) in flying.items():
            if future.done() and not future.cancelled() and future.exception() is None:
                self._flying[future] = (number, row)
                self._hear(future)
            elif number not in self._recalled:
                lost[number] = row
        self._recalled.clear()
        again = self._failures.note_lost(lost, _LOST)
        for number, row in lost.items():
            if number in again:
                self._alone.append((number, row))
            else:
                self._make_void(number, row, _LOST)

    def _fail(self, number: int, row: Row, why: str) -> None:
        if self._failures.note(number, why):
            self._alone.append((number, row))
        else:
            self._make_void(number, row, why)

    def _make_void(self, number: int, row: Row, why: str) -> None:
        names = " v ".join(self._entrants[entrant].name for entrant in row.seats)
        note = f"the machine failed {MAX_FAILURES} times: {why}"
        self._listener.say(f"match {number} ({names}) is void: {note}")
        self._take(MatchResult(number, None, note), row)

    def _draw(self) -> bool:
        """Draw the next rounds if their time has come, and take their rows; say whether any came."""
        rows = () if self._end is not None else self._recorder.draw()
        # After too many faults rounds are still drawn that are due, lest it depend on the workers which are.
        if not self._enough:
            self._pending.extend(rows)
        return bool(rows)
