"""The coordinator: submits matches in schedule order, and stores their results; only it writes.

The schedule alone decides what is played. The order in which matches finish changes neither the next rounds
(``tourney.run.engine.recorder``) nor the stored results.
Only the main thread touches its state: workers and signals reach it through a queue.
"""

import signal
import time
from collections import Counter, deque
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Future
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Final

from tourney.errors import InputError, StoreError, TourneyError, WorkerError
from tourney.match.result import Cause
from tourney.run.engine.bench_policy import (
    BenchDecision,
    BenchPolicy,
    PlayOrder,
    Unfinished,
    bench_text,
    stop_text,
)
from tourney.run.engine.containment_floor import lowered_in
from tourney.run.engine.recorder import NumberedRow, Recorder, RowArguments, spec_of
from tourney.run.engine.run_control import MatchRetries, RunControl, catch_signals
from tourney.run.engine.withdrawal import CaughtHosts, check_hosts
from tourney.run.summary import End, RunStatus, Summary
from tourney.run.workers.executor import MAX_FAILURES, MatchExecutor, MatchTask, WorkerReply, played_on
from tourney.schedule.player_history import MAX_STARTUP_FAILURES
from tourney.schedule.row import Row
from tourney.store.database import Database
from tourney.store.values import MatchResult, StoredEntrant

_IDLE_SECONDS: Final = 1.0  # between heartbeats, and the longest wait for an event
MAX_VOIDS_BY_MEMORY: Final = 2
"""Matches of a bot that are void as memory was full; a further one counts as its crash."""
Event = Future[WorkerReply] | int  # a match that has ended, or the number of a signal


class Coordinator:
    """Plays one tournament from its stored state to its end. The caller holds the tournament's lock.

    ``bots`` is the folder of the bot store; it holds the bots of all entrants.
    """

    def __init__(
        self,
        database: Database,
        tournament: int,
        executor: MatchExecutor,
        bots: Path,
        control: RunControl | None = None,
    ) -> None:
        control = control or RunControl()
        self._database = database
        self._executor = executor
        self._bots = str(bots)
        self._listener = control.listener
        self._deadline = control.deadline
        self._clock = control.clock
        self._floor = control.floor
        self._tournament = database.tournaments.by_id(tournament)
        self._entrants = database.tournaments.entrants(tournament)
        self._recorder = Recorder(database, self._tournament, control)
        self._arguments = RowArguments(database, self._tournament)
        self._order = PlayOrder.of(self._tournament, self._entrants)
        self._order.add(database.schedules.rows(tournament))
        self._policy = BenchPolicy(
            control.max_faults, [entrant.number for entrant in self._entrants if entrant.broken], self._order
        )
        for faulty in database.matches.faulty(tournament):
            self._policy.count(*faulty)
        self._match_retries = MatchRetries(any_played=self._recorder.progress().done > 0)
        self._pending: deque[NumberedRow] = deque()  # in the order of play, not submitted yet
        self._failed: deque[NumberedRow] = deque()  # to be replayed, one at a time after all others
        self._alone: set[int] = set()  # played while no other match was
        self._absent: dict[int, dict[str, str]] = {}  # by match, entrants that lose it without playing
        self._voids_by_memory = Counter(
            {
                self._entrants[number].entrant.digest: count
                for number, count in database.totals.out_of_memory(tournament)
            }
        )
        self._running: dict[Future[WorkerReply], NumberedRow] = {}  # submitted
        self._discarded: set[int] = set()  # submitted, but their results do not count
        self._benched: set[int] = set()
        self._caught = CaughtHosts(database, self._tournament)
        self._too_many_faults = False
        self._events: SimpleQueue[Event] = SimpleQueue()
        self._signal = 0  # the first one
        self._end: End | None = None
        self._error: TourneyError | None = None
        self._last_heartbeat = control.clock()
        self._status = RunStatus()
        self._reported = 0  # matches of this run in the last heartbeat

    def run(self) -> Summary:
        """Play until all is played, the time is up, or a signal comes.

        Raises InputError for a bot or spec that cannot be used, WorkerError where the machine cannot play,
        and StoreError where it cannot store. Stored results stay; the next start plays the other matches, or
        takes their results from the spool.
        """
        with catch_signals(self._events.put):  # a handler may only queue, as it interrupts any step
            self._run()
        retry = self._recorder.retry
        return Summary(
            self._end or End.FINISHED,
            self._signal,
            self._recorder.progress(),
            retry.count,
            retry.total,
            again=dict(self._match_retries.total),
            load=self._recorder.load,
            workers=self._executor.workers,
        )

    def _run(self) -> None:
        orderly = False  # unless the end is reached: any exception stops the workers at once
        try:
            self._pending.extend(self._order.sorted(self._recorder.pending()))
            while self._advance():
                self._handle_events()
            orderly = self._end is not End.STOPPED
            if self._error is not None:
                raise self._error
        except TourneyError:
            with suppress(StoreError):  # store the matches played before the error
                self._recorder.store(at_once=True)
                self._refuse_caught()
                if self._caught.machines:
                    check_hosts(self._database, self._tournament)
            raise
        finally:
            if orderly:
                self._executor.close()
            else:
                self._executor.stop()

    def _advance(self) -> bool:
        """Pair and submit all that is possible; return whether there is anything to wait for."""
        while True:
            self._settle()
            self._check_deadline()
            self._refuse_caught()
            self._pair()
            self._submit_all()
            if self._end is not End.STOPPED and self._running:
                return True
            if self._end is not None:
                self._recorder.store_last()
                if self._end is End.TIME and self._recorder.finished:
                    self._end = End.FINISHED  # the matches in progress at the deadline were the last
                return False
            self._recorder.store()
            if not self._pair():
                break
        if self._too_many_faults and not self._recorder.retry.paused:
            self._end = End.FAULTS
        return self._recorder.retry.paused

    def _handle_events(self) -> None:
        """Wait for the next event, handle it and all others that have come, and store due results."""
        due = self._recorder.due_in
        try:
            event = self._events.get(timeout=_IDLE_SECONDS if due is None else min(due, _IDLE_SECONDS))
            while True:
                self._handle(event)
                event = self._events.get_nowait()
        except Empty:
            pass
        self._recorder.store_due()
        self._recorder.warn_of_overload(self._executor.workers)
        now = self._clock()
        if now - self._last_heartbeat >= _IDLE_SECONDS:
            self._last_heartbeat = now
            self._send_heartbeat()

    def _send_heartbeat(self) -> None:
        progress = self._recorder.progress()
        paused = self._recorder.retry.why or self._executor.paused()
        status = RunStatus(self._executor.running(), paused, self._executor.workers)
        new_match = progress.played > self._reported
        self._reported = progress.played
        # For people and other programs, so by the clock of the wall.
        self._status = status.following(self._status, new_match=new_match, now=time.time())
        self._listener.heartbeat(progress, self._status)

    def _handle(self, event: Event) -> None:
        if isinstance(event, int):
            self._handle_signal(event)
            return
        if event not in self._running or event.cancelled():
            return
        error = event.exception()
        if isinstance(error, BrokenExecutor):
            self._replace_workers()
            return
        number, row = self._running.pop(event)
        if number in self._discarded:
            self._discarded.remove(number)
        elif isinstance(error, InputError):
            # A bot or spec that cannot be used ends the run, after the matches in progress.
            self._error = self._error or error
            self._drain(End.DRAINED)
        elif isinstance(error, WorkerError):
            raise error
        elif error is not None:
            self._retry({number: row}, f"{type(error).__name__}: {error}")
        else:
            self._handle_reply(event.result(), row)

    def _handle_reply(self, reply: WorkerReply, row: Row) -> None:
        self._refuse_caught()
        machine = played_on(reply.played)
        if machine in self._caught.machines:  # the result was on its way when the host was caught
            self._failed.append((reply.number, row))
        elif reply.played is not None and (lower := lowered_in(reply.played.measured, self._floor)):
            why = f"its bots were contained less than the run promises: {', '.join(lower)}"
            self._retry({reply.number: row}, why)
        elif reply.played is not None:
            self._caught.may_count(machine)
            self._match_retries.played()
            self._deadline.add((reply.played.wall_ms or 0) / 1000)
            self._finish(MatchResult(reply.number, reply.played), row)
        elif reply.failure is not None:
            if reply.blame is not None:
                self._match_retries.blame(reply.number, reply.blame, alone=reply.number in self._alone)
            self._retry({reply.number: row}, reply.failure, reply.cause, reply.plays)
        elif self._end is None:
            self._end_in_time()

    def _handle_signal(self, number: int) -> None:
        if not self._signal:
            self._signal = number
            why = "the terminal is gone" if number == signal.SIGHUP else "stopping"
            self._listener.say(f"{why}: finishing the matches in progress; a second signal stops at once")
            self._drain(End.DRAINED)
        elif number != signal.SIGHUP:  # a terminal may send more than one
            self._end = End.STOPPED

    def _drain(self, end: End) -> None:
        self._end = end
        self._executor.drain()
        for future in list(self._running):
            if future.cancel():  # not begun; its event is ignored
                del self._running[future]

    def _finish(self, result: MatchResult, row: Row) -> None:
        if self._policy.finish(result, row):
            self._add(result, row)

    def _add(self, result: MatchResult, row: Row) -> None:
        """Store a result that counts, unless its host was caught since: then this run ends."""
        if played_on(result.played) not in self._caught.machines:
            self._recorder.add(result, row)

    def _refuse_caught(self) -> None:
        """Refuse the hosts that the executor caught; the run ends if results of theirs may count already."""
        for machine, why in self._caught.refuse_new(self._executor.caught()):
            if self._error is None:
                self._error = WorkerError(f"the host {machine} is refused: {why}; run again without it")
                self._drain(End.DRAINED)

    def _settle(self) -> None:
        """Decide about undecided rows, as far as possible."""
        for number, row, decision, result in self._policy.settle(self._unfinished):
            if decision.kind == "play":
                if result is not None:
                    self._add(result, row)
                continue
            self._discard({number})
            if decision.kind == "benched":
                self._bench(number, row, decision)
            else:
                self._discard(self._policy.clear())
                self._stop_for_faults(decision)

    def _discard(self, numbers: Collection[int]) -> None:
        """Let the results of these rows not count; those being played go on to their end."""
        self._discarded |= {number for number, _ in self._running.values() if number in numbers}
        self._failed = deque(item for item in self._failed if item[0] not in numbers)

    def _unfinished(self) -> Sequence[tuple[int, Sequence[int]]]:
        """The rows that were submitted and have no result."""
        out = (*self._running.values(), *self._failed)
        return [(number, row.seats) for number, row in out if number not in self._discarded]

    def _submit_all(self) -> None:
        """Submit as many rows as the executor accepts, and again after workers are lost."""
        while True:
            self._submit_next()
            try:
                self._executor.flush()
            except BrokenExecutor:
                self._replace_workers()
            else:
                return

    def _submit_next(self) -> None:
        """Fill the executor in schedule order; rows that failed come last, one at a time."""
        unfinished = list(self._unfinished())
        while self._end is None and not self._recorder.retry.paused:
            queue = self._next_queue(unfinished)
            if queue is None or self._check_deadline():
                return
            number, row = queue.popleft()
            task = MatchTask(
                number,
                spec_of(self._tournament, self._entrants, row, self._arguments.of(row)),
                self._bots,
                self._tournament.run.sandbox,
                self._tournament.run.reuse,
                start_by=self._deadline.start_by,
                absent=self._absent.get(number, {}),
                floor=tuple(sorted(self._floor.items())),
                luck=self._recorder.needs_luck,
            )
            try:
                future = self._executor.submit(task)
            except BrokenExecutor:
                queue.appendleft((number, row))
                self._replace_workers()
                unfinished = list(self._unfinished())
                continue
            self._running[future] = (number, row)
            if queue is self._failed and not self._executor.remote:
                self._alone.add(number)
            if queue is self._pending:  # rows to be replayed are among the unfinished already
                unfinished.append((number, row.seats))
            future.add_done_callback(self._events.put)

    def _next_queue(self, unfinished: Unfinished) -> deque[NumberedRow] | None:
        """The queue whose first row to submit, or None; rows of benched entrants become void."""
        while self._pending and max(len(self._running), self._policy.undecided) < self._executor.capacity:
            number, row = self._pending[0]
            decision = self._policy.hand_out(number, row, unfinished)
            if decision.kind == "play":
                return self._pending
            if decision.kind == "wait":
                break
            if decision.kind == "stop":
                self._stop_for_faults(decision)
                break
            self._pending.popleft()
            if decision.kind == "benched":
                self._bench(number, row, decision)
        return self._failed if self._failed and not self._running else None

    def _bench(self, number: int, row: Row, decision: BenchDecision) -> None:
        stored = self._entrants[decision.entrant]
        note = f"benched: {stored.name} failed at start-up {MAX_STARTUP_FAILURES} times"
        if stored.broken:  # the start of the run has said so
            note = f"benched: {stored.broken}"
        elif decision.entrant not in self._benched:
            self._benched.add(decision.entrant)
            self._listener.say(bench_text(self._tournament, stored.name, number, decision))
            data = {"entrant": stored.name, "matches": list(decision.matches), "from": number}
            self._listener.event("bench", data)
        self._recorder.add(MatchResult(number, None, note, stored.number), row)

    def _stop_for_faults(self, decision: BenchDecision) -> None:
        """Submit no further row of the schedule; the submitted ones are played to their end."""
        self._listener.say(stop_text(decision))
        self._too_many_faults = True
        self._pending.clear()

    def _check_deadline(self) -> bool:
        """End the run if the matches that have not started do not fit any more; return whether it did."""
        waiting = self._pending or self._failed or len(self._running) > self._executor.workers
        if self._end is not None or not waiting or self._deadline.fits(self._clock()):
            return False
        self._end_in_time()
        return True

    def _end_in_time(self) -> None:
        self._listener.say("time is up: no further match starts")
        self._drain(End.TIME)

    def _replace_workers(self) -> None:
        """Replace the workers after one died; every match that was submitted is replayed, alone."""
        # Which match killed the worker is not known: alone, the guilty one fails alone.
        running = self._running
        self._running = {}
        self._executor.restart()
        lost: dict[int, Row] = {}
        for future, (number, row) in running.items():
            if future.done() and not future.cancelled() and future.exception() is None:
                self._running[future] = (number, row)
                self._handle(future)
            elif number not in self._discarded:
                lost[number] = row
        self._discarded.clear()  # discarded matches that are lost are not replayed
        self._retry(lost, "a worker process died")

    def _retry(self, rows: Mapping[int, Row], why: str, cause: Cause = "machine", plays: int = 1) -> None:
        """Replay matches that a failure of the machine stopped; a third failed play makes one void."""
        again = self._match_retries.failed(rows, why, cause, plays)
        for number, row in rows.items():
            replayed = number in again or self._forfeit(number, row)
            data = {"match": number, "cause": cause, "why": why, "void": not replayed}
            self._listener.event("again", data)
            if replayed:
                self._failed.append((number, row))
            else:
                self._give_up(number, row, why)

    def _give_up(self, number: int, row: Row, why: str) -> None:
        """Make a match void, by the bot that used the most memory if that was full."""
        overloaded = self._match_retries.overloaded(number)
        failed = "was overloaded" if overloaded else "failed"
        result = MatchResult(number, None, f"the machine {failed} {MAX_FAILURES} times: {why}")
        result = replace(result, overloaded=overloaded)
        blamed = self._blamed(number, row)
        if blamed is not None:
            note = f"memory was full {MAX_FAILURES} times, and {blamed.name} used the most of it: {why}"
            result = MatchResult(number, None, note, blamed.number, out_of_memory=True)
        self._listener.say(f"match {number} ({self._names(row)}) is void: {result.note}")
        if blamed is not None:
            self._voids_by_memory[blamed.entrant.digest] += 1
            if self._voids_by_memory[blamed.entrant.digest] == MAX_VOIDS_BY_MEMORY:
                self._listener.say(
                    f"{blamed.name} has made {MAX_VOIDS_BY_MEMORY} matches void by a full memory, and a"
                    " further one counts as its crash: end other programs, or play where there is more memory"
                )
        self._finish(result, row)

    def _forfeit(self, number: int, row: Row) -> bool:
        """Whether a match in which memory was full each time is replayed without the bot that filled it.

        Then it counts as the bot's crash: a bot must not be able to choose that a match is void. That is so
        if the bot has used more than its limit, and after MAX_VOIDS_BY_MEMORY matches that are void.
        """
        blamed = self._blamed(number, row)
        if blamed is None or number in self._absent:
            return False
        voids = self._voids_by_memory[blamed.entrant.digest]
        proven = self._match_retries.proven(number)
        if not proven and voids < MAX_VOIDS_BY_MEMORY:
            return False
        reason = (
            "it used more than memory-mb allows" if proven else f"{voids} matches are void by that already"
        )
        words = f"memory was full {MAX_FAILURES} times, {blamed.name} used the most of it, and {reason}"
        self._absent[number] = {blamed.name: f"not started again, as {words}"}
        self._listener.say(f"match {number} ({self._names(row)}) counts as a crash of {blamed.name}: {words}")
        return True

    def _blamed(self, number: int, row: Row) -> StoredEntrant | None:
        """The entrant of a match whose bot used the most memory in the plays in which that was full."""
        name = self._match_retries.blamed(number)
        return next(
            (self._entrants[seated] for seated in row.seats if self._entrants[seated].name == name), None
        )

    def _names(self, row: Row) -> str:
        return " v ".join(self._entrants[entrant].name for entrant in row.seats)

    def _pair(self) -> bool:
        """Pair the next rounds if they are due, and take their rows; return whether there were any."""
        rows = () if self._end is not None else self._recorder.pair()
        # After too many faults due rounds are still paired: which are due must not depend on the workers.
        self._order.add(rows)
        if not self._too_many_faults:
            self._pending.extend(self._order.sorted(rows))
        return bool(rows)
