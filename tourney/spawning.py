"""Spawned processes: they do not run their parent's main module, and leave the terminal's signals to it."""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker
from multiprocessing.context import SpawnContext, SpawnProcess
from multiprocessing.process import BaseProcess
from types import ModuleType
from typing import Any

TERMINAL_SIGNALS = frozenset({signal.SIGINT, signal.SIGHUP})
"""The signals that a terminal sends to all processes of a run; only their parent handles them."""


class WorkerProcess(SpawnProcess):
    """A spawned process that does not import its parent's main module.

    The standard library runs that module's file again in each child, for functions that it defines; a worker
    needs none of them. So it starts faster, and also where the main module is no file.

    Terminal signals are blocked at its start, until it calls ``unblock_terminal_signals``.
    """

    @staticmethod
    def _Popen(process_obj: BaseProcess) -> Any:  # noqa: N802 - the standard library's name
        main = sys.modules["__main__"]
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
