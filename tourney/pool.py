"""Processes for pure work, such as rendering: tasks go out in order, and the replies come back in order."""

import gc
import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from multiprocessing.connection import wait
from typing import Any, Final, Self, TypeVar

from tourney.errors import WorkerError
from tourney.spawning import TERMINAL_SIGNALS, WorkerContext, unblock_terminal_signals

A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")

_GARBAGE: Final = 20_000
"""New objects between two searches for cycles."""


class Pool:
    """Runs functions in ``processes`` processes, or in this one if there is only one.

    The processes start with the first task and end with ``close``, or with this process. ``work`` says what
    they do ("renders pages"); for each there are ``ahead`` tasks in flight, and their replies in memory.
    """

    def __init__(self, processes: int, work: str, ahead: int) -> None:
        self.processes = processes
        self._work = work
        self._ahead = ahead
        self._executor: ProcessPoolExecutor | None = None

    def run(
        self, function: Callable[[A], B], tasks: Iterable[tuple[C, A]], *, here: bool = False
    ) -> Iterator[tuple[C, B]]:
        """Start tasks, and return an iterator of the replies in order, each with its key.

        Some tasks are taken and begun at once, so that the processes work while the caller does. ``here``:
        run them in this process anyway, because they are few. The iterator raises WorkerError if a process
        was killed.
        """
        if here or self.processes == 1:
            return ((key, function(task)) for key, task in tasks)
        left = iter(tasks)
        flying = deque(self._submitted(function, islice(left, self._ahead * self.processes)))
        return self._replies(flying, self._submitted(function, left))

    def _submitted(
        self, function: Callable[[A], B], tasks: Iterable[tuple[C, A]]
    ) -> Iterator[tuple[C, Future[B]]]:
        for key, task in tasks:
            yield key, self._started().submit(function, task)

    def _replies(
        self, flying: deque[tuple[C, Future[B]]], left: Iterator[tuple[C, Future[B]]]
    ) -> Iterator[tuple[C, B]]:
        try:
            while flying:
                key, future = flying.popleft()
                reply = future.result()
                flying.extend(islice(left, 1))
                yield key, reply
        except BrokenProcessPool as error:
            raise WorkerError(
                f"a process that {self._work} was killed, perhaps because the memory was full; start again"
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

    Such work leaves hardly any cycles, but makes many objects that a search would visit.
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
