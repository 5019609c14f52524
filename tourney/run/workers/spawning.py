"""How worker processes are spawned: without the program that spawns them, and out of a terminal's reach."""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker
from multiprocessing.context import SpawnContext, SpawnProcess
from multiprocessing.process import BaseProcess
from types import ModuleType
from typing import Any

FROM_TERMINALS = frozenset({signal.SIGINT, signal.SIGHUP})
"""What a terminal sends to all processes of a run, which are the coordinator's business alone."""


class PlainProcess(SpawnProcess):
    """A spawned process that does not import its parent's main module.

    The standard library runs that module's file again in each child, for functions that are defined there;
    a worker's are not. So it starts quicker, and also where the main module is no file to be run again.

    It starts with what terminals send blocked, until it has said what to do then (``hear_terminals``).
    """

    @staticmethod
    def _Popen(process_obj: BaseProcess) -> Any:  # noqa: N802 - the standard library's name
        main = sys.modules["__main__"]
        sys.modules["__main__"] = ModuleType("__main__")
        try:
            with _blocked():
                return SpawnProcess._Popen(process_obj)  # noqa: SLF001 - it is the one seam there is
        finally:
            sys.modules["__main__"] = main


class PlainContext(SpawnContext):
    """The context of such processes, for executors, queues and events.

    The standard library's tracker of semaphores, a process that unlinks those which a killed run leaves
    behind, is started with it: it does this silently, and lives on when the terminal goes.
    """

    Process = PlainProcess

    def __init__(self) -> None:
        super().__init__()
        sys.warnoptions.append("ignore:resource_tracker")
        try:
            with _blocked():
                resource_tracker.ensure_running()
        finally:
            sys.warnoptions.remove("ignore:resource_tracker")


def hear_terminals() -> None:
    """Deliver to this process, which was spawned, what terminals send; its handlers must stand."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, FROM_TERMINALS)


@contextmanager
def _blocked() -> Iterator[None]:
    """Block what terminals send, for this thread and whatever it starts."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, FROM_TERMINALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
