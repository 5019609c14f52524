"""Worker processes on this machine, by the standard library's executor."""

import multiprocessing
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from ctypes import Array, c_double
from functools import cached_property, partial
from multiprocessing.synchronize import Event
from typing import ClassVar, Final

from tourney.games.registry import find_game
from tourney.match.match_memory import ALL_FIT, MatchesAtOnce, MatchMemory, plan_matches, refuse_unfit
from tourney.match.result import Playing
from tourney.run.workers import worker
from tourney.run.workers.executor import MatchExecutor, MatchTask, Run, WorkerReply
from tourney.run.workers.worker import BatchReplies, adopt_orphans, kill_orphans
from tourney.spawning import WorkerContext

MAX_BATCH: Final = 32  # all of a batch is replayed when its worker dies
BATCH_SECONDS: Final = 0.025  # the time of a batch of matches with ``reuse``
AHEAD_BATCH: Final = 2
"""The most matches of a batch without it: more would wait behind a slow one while other workers are idle.

Without a sandbox nothing is made ahead, so there each match travels alone.
"""
AHEAD_SECONDS: Final = 0.25  # the time of a batch without it: within a batch, sandboxes are made ahead
STOP_SECONDS: Final = 5.0  # the time a worker has to end its bots when the run stops at once


class LocalExecutor(MatchExecutor):
    """Worker processes on this machine, each pinned to ``cpus`` processors (0: to none) with its bots.

    At the start of a run there may be fewer than asked for: as many as fit into memory with their bots.
    ``first`` is the number of its first worker among all on this machine, which share the processors.
    ``plan`` bounds the bots that a worker keeps for later matches, and the processes of each bot.

    They are spawned, not forked: they share neither memory nor the database's locks with the coordinator, and
    import only what playing needs.

    Sending a batch and its replies costs about a millisecond of the coordinator's time, as much as a match of
    quick bots. So such matches travel in batches: as many as took BATCH_SECONDS lately, MAX_BATCH at most.
    The replies to a batch come together, when all of it is played. Where each match starts its own bots, a
    batch lets the worker make the sandboxes of its next match while it plays; long matches, which travel
    alone, would gain little by that.
    """

    name: ClassVar[str] = "local"

    def __init__(self, workers: int, *, cpus: int = 1, first: int = 0, plan: MatchesAtOnce = ALL_FIT) -> None:
        super().__init__(workers, cpus=cpus)
        self._cpus = cpus
        self._first = first
        self._plan = plan
        self._batch = 1
        self._most = workers
        self._held: list[tuple[MatchTask, Future[WorkerReply]]] = []
        self._executor: ProcessPoolExecutor | None = None
        """The workers, from the first match on: a run without one starts no process."""
        adopt_orphans()

    def begin(self, run: Run) -> None:
        """Play as many matches at a time as fit into memory. Raises SandboxError if not even one does."""
        if not find_game(run.game).outside:  # nothing bounds what an outside referee starts
            refuse_unfit(run.memory)
            self.fit(run.memory, run.say)

    def fit(self, need: MatchMemory, say: Callable[[str], None]) -> None:
        """Take no more workers than have the memory that their matches ``need``, and at least one."""
        self._plan = plan_matches(need, self.workers)
        self.workers = self._plan.matches
        if self._plan.text:
            say(self._plan.text)
        if self._executor is not None:
            self._executor.shutdown(wait=True)
            self._executor = None

    def running(self) -> tuple[Playing, ...]:
        """The matches being played, by number."""
        shown = [] if self._executor is None else list(self._playing)
        pairs = sorted(zip(shown[::2], shown[1::2], strict=True))
        return tuple(Playing(int(number), since) for number, since in pairs if number)

    @property
    def capacity(self) -> int:
        """Two batches a worker: one that is played, and one that waits."""
        return 2 * self.workers * self._batch

    def submit(self, task: MatchTask) -> "Future[WorkerReply]":
        """Submit a match. Raises BrokenExecutor where a worker was lost."""
        future: Future[WorkerReply] = Future()
        future.set_running_or_notify_cancel()  # a drain waits for it: a worker answers it as not started
        self._held.append((task, future))
        if len(self._held) >= self._batch:
            self.flush()
        return future

    def flush(self) -> None:
        """Send the matches held back. Raises BrokenExecutor where a worker was lost."""
        held = self._held
        self._held = []
        if held:
            self._executor = self._executor or self._start()
            batch = self._executor.submit(worker.play_batch, [task for task, _ in held])
            batch.add_done_callback(partial(self._set_replies, held))

    def _set_replies(
        self, held: "list[tuple[MatchTask, Future[WorkerReply]]]", batch: "Future[BatchReplies]"
    ) -> None:
        """Give each match of a batch its reply; matches of a cancelled batch get none.

        How long they took decides the size of the next batch.
        """
        if batch.cancelled():
            return
        error = batch.exception()
        if error is not None:
            for _, future in held:
                future.set_exception(error)
            return
        replies, seconds = batch.result()
        wanted, most = _batch_of([task for task, _ in held])
        self._batch = max(1, min(most, int(wanted * len(replies) / max(seconds, 1e-6))))
        for (_, future), reply in zip(held, replies, strict=True):
            if isinstance(reply, WorkerReply):
                future.set_result(reply)
            else:
                future.set_exception(reply)

    def restart(self) -> None:
        """Start new workers after one was lost; the bots of the lost worker end now."""
        self.close()
        self._executor = None
        self._held.clear()
        self._batch = 1  # alone, until it is known again how long matches take
        self._playing[:] = [0.0] * len(self._playing)

    def drain(self) -> None:
        """Start no further match."""
        self._draining.set()

    def close(self) -> None:
        """Wait for the matches being played, and end the workers."""
        if self._executor is not None:
            self._executor.shutdown(wait=True, cancel_futures=True)
        kill_orphans()

    def stop(self) -> None:
        """Ask the workers to end with their bots; kill workers that do not end in time."""
        self._draining.set()
        workers = multiprocessing.active_children()  # before the shutdown, which forgets them
        if self._executor is not None:
            self._executor.shutdown(wait=False, cancel_futures=True)
        for process in workers:
            process.terminate()
        for process in workers:
            process.join(STOP_SECONDS)
            if process.is_alive():
                process.kill()
                process.join(STOP_SECONDS)
        kill_orphans()

    @cached_property
    def _context(self) -> WorkerContext:
        return WorkerContext()

    @cached_property
    def _draining(self) -> Event:
        return self._context.Event()

    @cached_property
    def _playing(self) -> "Array[c_double]":
        return self._context.RawArray(c_double, 2 * self._most)

    def _start(self) -> ProcessPoolExecutor:
        slots = self._context.SimpleQueue()
        for slot in range(self.workers):
            slots.put(slot)
        return ProcessPoolExecutor(
            self.workers,
            mp_context=self._context,
            initializer=worker.initialize,
            initargs=(slots, self._cpus, self._draining, self._playing, self._first, self._plan),
        )


def _batch_of(tasks: Sequence[MatchTask]) -> tuple[float, int]:
    if all(task.reuse for task in tasks):
        return BATCH_SECONDS, MAX_BATCH
    return (AHEAD_SECONDS, 1) if tasks[0].sandbox == "off" else (AHEAD_SECONDS, AHEAD_BATCH)
