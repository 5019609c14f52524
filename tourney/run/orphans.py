"""Processes that lost their parent: who inherits them ends them.

A worker inherits what its bots leave behind, the coordinator the bots of a worker that was killed.
"""

import ctypes
import os
import signal
from collections.abc import Collection
from contextlib import suppress

from tourney.bots.family import children_of, signal_family

_PR_SET_CHILD_SUBREAPER = 36
_LOOKS = 100


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
            signal_family(pid, signal.SIGKILL)
            with suppress(ChildProcessError):
                os.waitpid(pid, 0)
        killed += found
    return tuple(killed)


def _session(pid: int) -> int | None:
    try:
        return os.getsid(pid)
    except OSError:
        return None


def kill_strangers(known: Collection[int]) -> int:
    """Kill and reap this process's children that are not known, with all their families; return how many.

    For a process that has no children but bots: what else there is escaped from one whose match is over.
    """
    count = 0
    for _ in range(_LOOKS):
        strangers = [pid for pid in children_of(os.getpid()) if pid not in known]
        if not strangers:
            break
        for pid in strangers:
            signal_family(pid, signal.SIGKILL)
            with suppress(ChildProcessError):
                os.waitpid(pid, 0)
            count += 1
    return count
