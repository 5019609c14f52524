"""Worker processes: how their bots' orphans are ended.

A worker adopts what its bots leave behind, the coordinator adopts the bots of a worker that was killed; each
ends what it adopts.
"""

import ctypes
import os
import signal
from collections.abc import Callable, Collection
from contextlib import suppress
from functools import cache

from tourney.bots.sandbox.process_tree import children_of, signal_tree

_PR_SET_CHILD_SUBREAPER = 36
_ATTEMPTS = 100
_MOST_BYTES = 1 << 16


def adopt_orphans() -> bool:
    """Make this process the parent of its descendants' orphans; return whether the kernel can do that."""
    try:
        done: int = ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    except (OSError, AttributeError):
        return False
    return done == 0


def kill_orphans() -> int:
    """Kill and reap this process's children in other sessions, with their descendants; return how many.

    Bots and the processes they start have other sessions, workers do not. To be called only when no bot of
    this process itself plays.
    """
    own = os.getsid(0)
    return _kill(lambda: [pid for pid in children_of(os.getpid()) if _session(pid) not in (own, None)])


def kill_strays(known: Collection[int]) -> int:
    """Kill and reap this process's children that are not ``known``, with their descendants; return how many.

    For a process whose only children are bots: any other escaped from a bot whose match is over.
    """
    return _kill(lambda: [pid for pid in _children() if pid not in known])


def _kill(find: Callable[[], list[int]]) -> int:
    """Kill and reap processes until none is found."""
    count = 0
    for _ in range(_ATTEMPTS):
        found = find()
        if not found:
            break
        for pid in found:
            signal_tree(pid, signal.SIGKILL)
            with suppress(ChildProcessError):
                os.waitpid(pid, 0)
            count += 1
    return count


def _session(pid: int) -> int | None:
    try:
        return os.getsid(pid)
    except OSError:
        return None


def _children() -> list[int]:
    """Return the children of this process's first thread, which starts the bots and adopts all orphans.

    This runs after each match, so the kernel's file stays open: opening takes 20 times as long as reading.
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
