"""Spawned processes, and a pool of them for pure work such as rendering.

They do not run their parent's main module, and leave the terminal's signals to it.
"""

import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import islice
from multiprocessing import resource_tracker
from multiprocessing.connection import wait
from multiprocessing.context import SpawnContext, SpawnProcess
from multiprocessing.process import BaseProcess
from types import ModuleType
from typing import TYPE_CHECKING, Self, TypeVar

from tourney.errors import WorkerError
from tourney.garbage import collect_seldom

if TYPE_CHECKING:
    from multiprocessing.popen_spawn_posix import Popen

TERMINAL_SIGNALS = frozenset({signal.SIGINT, signal.SIGHUP})
"""The signals that a terminal sends to all processes of a run; only their parent handles them."""


class WorkerProcess(SpawnProcess):
    """A spawned process that does not import its parent's main module.

    The standard library runs that module's file again in each child, for functions that it defines; a worker
    needs none of them. So it starts faster, and also where the main module is not a file.

    Terminal signals are blocked at its start, until it calls ``unblock_terminal_signals``.
    """

    @staticmethod
    def _Popen(process_obj: BaseProcess) -> "Popen":  # noqa: N802 - the standard library's name
        main = sys.modules["__main__"]
        # The spawn method reads __main__ to tell the child which file to import; an empty module names none.
        sys.modules["__main__"] = ModuleType("__main__")
        try:
            with terminal_signals_blocked():
                return SpawnProcess._Popen(process_obj)  # noqa: SLF001 - it is the one seam there is
        finally:
            sys.modules["__main__"] = main


class WorkerContext(SpawnContext):
    """The context of such processes, for executors, queues and events.

    It also starts the standard library's resource tracker, a process that unlinks the semaphores of a killed
    run: silently, and so that it outlives the terminal.
    """

    Process = WorkerProcess

    def __init__(self) -> None:
        super().__init__()
        sys.warnoptions.append("ignore:resource_tracker")
        try:
            with terminal_signals_blocked():
                resource_tracker.ensure_running()
        finally:
            sys.warnoptions.remove("ignore:resource_tracker")


def unblock_terminal_signals() -> None:
    """Let terminal signals reach this spawned process, once its handlers are set."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, TERMINAL_SIGNALS)


@contextmanager
def terminal_signals_blocked() -> Iterator[None]:
    """Block terminal signals for this thread and the processes it starts."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, TERMINAL_SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")


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
        started = self._submitted(function, tasks)
        return self._replies(deque(islice(started, self._ahead * self.processes)), started)

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
                # One new task for each reply: replies that were not read yet stay bounded.
                flying.extend(islice(left, 1))
                yield key, reply
        except BrokenProcessPool as error:
            raise WorkerError(
                f"a process that {self._work} was killed, perhaps because the memory was full; start again"
                " with --processes 1"
            ) from error

    def close(self) -> None:
        """End the processes; their unfinished tasks are lost."""
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
    """The number of processors that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


def _begin() -> None:
    """Leave the terminal's signals to the parent, end with it, and look for garbage seldom."""
    collect_seldom()
    for number in TERMINAL_SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    unblock_terminal_signals()
    when_orphaned()


def when_orphaned(do: Callable[[], object] = lambda: os._exit(1)) -> None:
    """Do something, in a thread, as soon as the parent of this spawned process is gone.

    The default is to end as a killed process would: nothing that the parent waited for is needed.
    """
    parent = multiprocessing.parent_process()

    def watch() -> None:
        if parent is not None:
            wait([parent.sentinel])
            do()

    threading.Thread(target=watch, name="parent-watch", daemon=True).start()
