"""Processes that lost their parent: who inherits them ends them.

A worker inherits what its bots leave behind, the coordinator the bots of a worker that was killed.
"""

import ctypes
import os
import signal
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from multiprocessing import resource_tracker
from multiprocessing.context import SpawnContext, SpawnProcess
from multiprocessing.process import BaseProcess
from types import ModuleType
from typing import Any

from tourney.bots.sandbox.process import children_of, signal_tree

_PR_SET_CHILD_SUBREAPER = 36
_LOOKS = 100
_MOST_BYTES = 1 << 16


def adopt_orphans() -> bool:
    """Let this process become the parent of its descendants' orphans; say whether the kernel can do that."""
    try:
        done: int = ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    except (OSError, AttributeError):
        return False
    return done == 0


def kill_orphans() -> tuple[int, ...]:
    """Kill and reap the children that are in another session than this process; return them.

    Every bot is, and whatever it started, and no worker is. To be called when no bot is this process's own.
    """
    killed: list[int] = []
    own = os.getsid(0)
    for _ in range(_LOOKS):
        found = [pid for pid in children_of(os.getpid()) if _session(pid) not in (own, None)]
        if not found:
            break
        for pid in found:
            signal_tree(pid, signal.SIGKILL)
            with suppress(ChildProcessError):
                os.waitpid(pid, 0)
        killed += found
    return tuple(killed)


def _session(pid: int) -> int | None:
    try:
        return os.getsid(pid)
    except OSError:
        return None


def _children() -> list[int]:
    """Return the children of this process's first thread: it starts the bots, and inherits all orphans.

    Asked after each match, so the kernel's file stays open: to find it takes twenty times as long as to read.
    """
    file = _children_file(os.getpid())
    if file < 0:
        return children_of(os.getpid())
    data = os.pread(file, _MOST_BYTES, 0)
    return list(map(int, data.split())) if len(data) < _MOST_BYTES else children_of(os.getpid())


@cache
def _children_file(pid: int) -> int:
    """Open the kernel's list of the children of a process's first thread; -1 where there is none."""
    try:
        return os.open(f"/proc/{pid}/task/{pid}/children", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return -1


def kill_strays(known: Collection[int]) -> int:
    """Kill and reap this process's children that are not known, with all their families; return how many.

    For a process that has no children but bots: what else there is escaped from one whose match is over.
    """
    count = 0
    for _ in range(_LOOKS):
        strangers = [pid for pid in _children() if pid not in known]
        if not strangers:
            break
        for pid in strangers:
            signal_tree(pid, signal.SIGKILL)
            with suppress(ChildProcessError):
                os.waitpid(pid, 0)
            count += 1
    return count


TERMINAL_SIGNALS = frozenset({signal.SIGINT, signal.SIGHUP})
"""What a terminal sends to all processes of a run, which are the coordinator's business alone."""


class WorkerProcess(SpawnProcess):
    """A spawned process that does not import its parent's main module.

    The standard library runs that module's file again in each child, for functions that are defined there;
    a worker's are not. So it starts quicker, and also where the main module is no file to be run again.

    It starts with what terminals send blocked, until ``unblock_terminal_signals``.
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


class WorkerContext(SpawnContext):
    """The context of such processes, for executors, queues and events.

    The standard library's tracker of semaphores, a process that unlinks those which a killed run leaves
    behind, is started with it: it does this silently, and lives on when the terminal goes.
    """

    Process = WorkerProcess

    def __init__(self) -> None:
        super().__init__()
        sys.warnoptions.append("ignore:resource_tracker")
        try:
            with _blocked():
                resource_tracker.ensure_running()
        finally:
            sys.warnoptions.remove("ignore:resource_tracker")


def unblock_terminal_signals() -> None:
    """Deliver to this process, which was spawned, what terminals send; its handlers must stand."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, TERMINAL_SIGNALS)


@contextmanager
def _blocked() -> Iterator[None]:
    """Block what terminals send, for this thread and whatever it starts."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, TERMINAL_SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
