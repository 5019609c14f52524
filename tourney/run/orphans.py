"""Bots whose worker was killed: the coordinator inherits them and ends them."""

import ctypes
import os
import signal
from contextlib import suppress
from pathlib import Path

_PR_SET_CHILD_SUBREAPER = 36


def adopt_orphans() -> bool:
    """Let this process become the parent of its descendants' orphans; say whether the kernel can do that."""
    try:
        done: int = ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    except (OSError, AttributeError):
        return False
    return done == 0


def kill_orphans() -> tuple[int, ...]:
    """Kill and reap the children that lead a session of their own; return them.

    Every bot does and no worker does, so to be called when no bot is this process's own.
    """
    killed = []
    for pid in children_of(os.getpid()):
        with suppress(OSError):
            if os.getsid(pid) != pid:
                continue
            os.killpg(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            killed.append(pid)
            with suppress(ChildProcessError):  # the rest of its group is inherited too
                while True:
                    os.waitpid(-pid, 0)
    return tuple(killed)


def children_of(pid: int) -> tuple[int, ...]:
    """Return a process's children, as far as the kernel tells."""
    found: list[int] = []
    for path in sorted(Path(f"/proc/{pid}/task").glob("*/children")):
        with suppress(OSError, ValueError):
            found += map(int, path.read_text("ascii").split())
    return tuple(found)
