"""Worker processes behind the standard library's executor; a pool that breaks is replaced."""

import multiprocessing
import os
from concurrent.futures import Future, ProcessPoolExecutor
from functools import partial
from typing import Any

from tourney.errors import InputError
from tourney.run.monitoring.progress import Playing
from tourney.run.workers import worker
from tourney.run.workers.executor import MatchTask, WorkerReply
from tourney.run.workers.processes import WorkerContext, adopt_orphans, kill_orphans

MAX_BATCH = 32
BATCH_SECONDS = 0.025
Played = tuple[list[WorkerReply | InputError], float]
"""What comes back of a lot: an answer a match, and the seconds that it took."""
STOP_SECONDS = 5.0
"""How long a worker may take to end its bots when all is to stop at once."""


class LocalExecutor:
    """Worker processes on this machine, each pinned to ``cpus`` processors (0: to none) with its bots.

    They are spawned, not forked: they share neither memory nor the database's locks with the coordinator,
    and import no more than playing needs.

    To send a lot and its answers costs about a millisecond of the coordinator's time, as much as a match of
    quick bots. So such matches travel in lots: as many as took BATCH_SECONDS lately, MAX_BATCH at most.
    A lot's answers come together, when all of it is played. Matches whose bots are started anew cost so much
    more that they travel alone.
    """

    def __init__(self, workers: int, *, cpus: int = 1) -> None:
        self.workers = workers
        self._cpus = cpus
        self._lot = 1
        self._held: list[tuple[MatchTask, Future[WorkerReply]]] = []
        self._context = WorkerContext()
        self._draining = self._context.Event()
        self._board: Any = self._context.RawArray("d", 2 * workers)
        adopt_orphans()
        self._executor = self._start()

    def running(self) -> tuple[Playing, ...]:
        """Return what is being played now, by number."""
        shown = list(self._board)
        pairs = sorted(zip(shown[::2], shown[1::2], strict=True))
        return tuple(Playing(int(number), since) for number, since in pairs if number)

    @property
    def ahead(self) -> int:
        """Two lots a worker: one that is played, and one that waits."""
        return 2 * self.workers * self._lot

    def submit(self, task: MatchTask) -> "Future[WorkerReply]":
        """Hand in a match. Raises BrokenExecutor where a worker was lost."""
        future: Future[WorkerReply] = Future()
        future.set_running_or_notify_cancel()  # whoever drains waits for it; a worker answers it unplayed
        self._held.append((task, future))
        if len(self._held) >= self._lot:
            self.hand_over()
        return future

    def hand_over(self) -> None:
        """Send what is held back. Raises BrokenExecutor where a worker was lost."""
        held, self._held = self._held, []
        if held:
            lot = self._executor.submit(worker.play_batch, [task for task, _ in held])
            together = all(task.reuse for task, _ in held)
            lot.add_done_callback(partial(self._share, [future for _, future in held], together))

    def _share(self, futures: "list[Future[WorkerReply]]", together: bool, lot: "Future[Played]") -> None:
        """Give each match of a lot its answer; those of a lot that was never begun get none.

        ``together``: matches like these may travel together, as many as the time that they took allows.
        """
        if lot.cancelled():
            return
        error = lot.exception()
        if error is not None:
            for future in futures:
                future.set_exception(error)
            return
        answers, seconds = lot.result()
        quick = int(BATCH_SECONDS * len(answers) / max(seconds, 1e-6)) if together else 1
        self._lot = max(1, min(MAX_BATCH, quick))
        for future, answer in zip(futures, answers, strict=True):
            if isinstance(answer, WorkerReply):
                future.set_result(answer)
            else:
                future.set_exception(answer)

    def replace(self) -> None:
        """Put a new pool in the place of one that broke; the bots of a worker that was killed end now."""
        self._executor.shutdown(wait=True, cancel_futures=True)
        kill_orphans()
        self._held.clear()
        self._lot = 1
        self._board[:] = [0.0] * len(self._board)
        self._executor = self._start()

    def drain(self) -> None:
        """Begin no further match."""
        self._draining.set()

    def close(self) -> None:
        """Wait for what is being played, and end the workers."""
        self._executor.shutdown(wait=True, cancel_futures=True)
        kill_orphans()

    def stop(self) -> None:
        """End the workers, who end their bots; those that do not in time are killed."""
        self._draining.set()
        workers = multiprocessing.active_children()
        self._executor.shutdown(wait=False, cancel_futures=True)
        for process in workers:
            process.terminate()
        for process in workers:
            process.join(STOP_SECONDS)
            if process.is_alive():
                process.kill()
                process.join(STOP_SECONDS)
        kill_orphans()

    def _start(self) -> ProcessPoolExecutor:
        slots = self._context.SimpleQueue()
        for slot in range(self.workers):
            slots.put(slot)
        return ProcessPoolExecutor(
            self.workers,
            mp_context=self._context,
            initializer=worker.initialize,
            initargs=(slots, self._cpus, self._draining, self._board),
        )


def default_workers() -> int:
    """Return the number of processors that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1
