"""Processes that render: tasks go out in order, a few ahead of the replies, which come back in order."""

import gc
import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import wait
from typing import Any, Final, Self, TypeVar

from tourney.errors import WorkerError
from tourney.spawning import TERMINAL_SIGNALS, WorkerContext, unblock_terminal_signals

A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")

_GARBAGE: Final = 20_000
"""New objects between two searches for cycles."""
AHEAD: Final = 2
"""Tasks in flight for each process: one that it works on, and one that waits."""


class Pool:
    """Runs functions in ``processes`` processes, or in this one if there is only one.

    The processes start with the first task and end with ``close``, or with this process.
    """

    def __init__(self, processes: int) -> None:
        self.processes = processes
        self._executor: ProcessPoolExecutor | None = None

    def run(
        self, function: Callable[[A], B], tasks: Iterable[tuple[C, A]], *, here: bool = False
    ) -> Iterator[tuple[C, B]]:
        """Yield the replies to tasks in order, each with its key; tasks are taken a few ahead.

        ``here``: run them in this process anyway, because they are few. Raises WorkerError if a process was
        killed.
        """
        if here or self.processes == 1:
            for key, task in tasks:
                yield key, function(task)
            return
        flying: deque[tuple[C, Future[B]]] = deque()
        try:
            for key, task in tasks:
                flying.append((key, self._started().submit(function, task)))
                if len(flying) >= AHEAD * self.processes:
                    first, future = flying.popleft()
                    yield first, future.result()
            while flying:
                first, future = flying.popleft()
                yield first, future.result()
        except BrokenProcessPool as error:
            raise WorkerError(
                "a process that renders pages was killed, perhaps because the memory was full; start again"
                " with --processes 1"
            ) from error

    def close(self) -> None:
        """End the processes; what they are working on is lost."""
        if self._executor is not None:
            self._executor.shutdown(wait=True, cancel_futures=True)
            self._executor = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _started(self) -> ProcessPoolExecutor:
        if self._executor is None:
            self._executor = ProcessPoolExecutor(
                self.processes, mp_context=WorkerContext(), initializer=_begin
            )
        return self._executor


def default_processes() -> int:
    """Return the number of processors that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


def _begin() -> None:
    """Leave the terminal's signals to the parent, end with it, and look for garbage seldom.

    Rendering leaves hardly any cycles, but makes many objects that a search would visit.
    """
    gc.freeze()
    gc.set_threshold(_GARBAGE)
    for number in TERMINAL_SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    unblock_terminal_signals()
    parent: Any = multiprocessing.parent_process()
    threading.Thread(target=_end_with, args=(parent.sentinel,), name="parent-watch", daemon=True).start()


def _end_with(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)
