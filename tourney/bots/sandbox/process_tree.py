"""Process trees, found in /proc: their members, signals to them, and what they use and wait for.

That is best effort, and protections that rest on it are therefore "partial": a fork bomb can outrun a search,
and a process whose parents died has left the tree. The size of what is measured is bounded.
"""

import os
import signal
import time
from contextlib import suppress
from typing import Final

MEASURED: Final = 32
"""Processes of a tree whose time is read: the oldest."""
MEASURED_THREADS: Final = 128
_SEARCHES: Final = 64
_REAPED_USER, _REAPED_SYSTEM = 13, 14
"""Fields of /proc/PID/stat after the name: the time of children that were reaped."""
_PROCESSOR = 36
"""Likewise: the processor on which a thread ran last."""


def children_of(pid: int) -> list[int]:
    """The children of a process, as far as /proc shows them."""
    found: list[int] = []
    try:
        threads = os.listdir(f"/proc/{pid}/task")  # noqa: PTH208 - asked for each match
    except OSError:
        return found
    for thread in threads:
        with suppress(OSError, ValueError):
            found += map(int, read_proc(f"/proc/{pid}/task/{thread}/children").split())
    return found


def process_tree(pid: int, most: int | None = None) -> list[int]:
    """A process and its descendants, parents first; the search stops soon after ``most`` if given."""
    found = [pid]
    for member in found:
        if most is not None and len(found) > most:
            break
        found += children_of(member)
    return found


def signal_tree(pid: int, number: signal.Signals, *, spare: int = 0) -> None:
    """Signal a process tree until a search finds no new process; skip its first ``spare`` members."""
    signalled: set[int] = set()
    for _ in range(_SEARCHES):
        new = [member for member in process_tree(pid)[spare:] if member not in signalled]
        if not new:
            return
        for member in new:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(member, number)
        signalled.update(new)


def tree_cpu_ns(pid: int) -> int | None:
    """The processor time of a tree's oldest processes, with reaped children; None if all are gone."""
    total, seen = 0, False
    tick = 1_000_000_000 // os.sysconf("SC_CLK_TCK")
    for member in process_tree(pid, MEASURED)[:MEASURED]:
        with suppress(OSError, ValueError, IndexError):
            total += time.clock_gettime_ns((~member << 3) | 2)  # the kernel's number of its CPU clock
            seen = True
            fields = read_proc(f"/proc/{member}/stat").rpartition(b")")[2].split()
            total += (int(fields[_REAPED_USER]) + int(fields[_REAPED_SYSTEM])) * tick
    return total if seen else None


def tree_run_delay_ns(pid: int) -> int | None:
    """Time that a tree's threads waited for a processor; None if unknown or if it is too large."""
    members = process_tree(pid, MEASURED)
    threads_read, delays = 0, []
    for member in members if len(members) <= MEASURED else []:
        with suppress(OSError, ValueError, IndexError):  # it may exit meanwhile
            for thread in os.listdir(f"/proc/{member}/task"):  # noqa: PTH208 - asked in turns
                threads_read += 1
                if threads_read > MEASURED_THREADS:
                    return None
                delays.append(int(read_proc(f"/proc/{member}/task/{thread}/schedstat").split()[1]))
    return sum(delays) if delays else None


def runnable_threads() -> dict[int, list[int]]:
    """The threads that run or could run now, as far as /proc shows them: by process, each one's processor."""
    found: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):  # noqa: PTH208 - asked in turns
        if name.isdigit():
            with suppress(OSError, ValueError, IndexError):  # it may exit meanwhile
                for thread in os.listdir(f"/proc/{name}/task"):  # noqa: PTH208 - likewise
                    fields = read_proc(f"/proc/{name}/task/{thread}/stat").rpartition(b")")[2].split()
                    if fields[0] == b"R":
                        found.setdefault(int(name), []).append(int(fields[_PROCESSOR]))
    return found


def host_kills() -> int:
    """The number of processes that the kernel has killed because memory was full; 0 if it does not say."""
    with suppress(OSError, ValueError):
        return int(read_proc("/proc/vmstat").partition(b"\noom_kill ")[2].split(None, 1)[0] or 0)
    return 0


def read_proc(path: str) -> bytes:
    """The content of a file of /proc, in few system calls. Raises OSError."""
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        parts = []
        while part := os.read(fd, 65_536):
            parts.append(part)
        return b"".join(parts)
    finally:
        os.close(fd)
