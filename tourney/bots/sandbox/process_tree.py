"""A process and all that descend from it, as /proc tells: what is done where there are no control groups.

Whoever looks may be late: a process that forks without end can escape a look, and one whose parents died may
have left the family. So what is built on this is said to be partial. And whoever looks at a family that grows
faster than one can look would look for ever: so what is measured is bounded.
"""

import os
import signal
import time
from contextlib import suppress
from typing import Final

MEASURED: Final = 32
"""How many processes of a family are asked for their time: the eldest."""
MEASURED_THREADS: Final = 128
_LOOKS: Final = 64
_REAPED_USER, _REAPED_SYSTEM = 13, 14
"""Where the time of children that are gone lies in /proc/PID/stat, behind the name."""


def children_of(pid: int) -> list[int]:
    """Return a process's children, as far as the kernel tells."""
    found: list[int] = []
    try:
        threads = os.listdir(f"/proc/{pid}/task")  # noqa: PTH208 - asked for each match
    except OSError:
        return found
    for thread in threads:
        with suppress(OSError, ValueError):
            found += map(int, _read(f"/proc/{pid}/task/{thread}/children").split())
    return found


def family_of(pid: int, most: int | None = None) -> list[int]:
    """Return a process and its descendants, parents first; not many more than ``most`` if that is given."""
    found = [pid]
    for member in found:
        if most is not None and len(found) > most:
            break
        found += children_of(member)
    return found


def signal_family(pid: int, number: signal.Signals, *, spare: int = 0) -> None:
    """Signal all of a family until a look finds nobody new; ``spare`` so many of its first members."""
    told: set[int] = set()
    for _ in range(_LOOKS):
        new = [member for member in family_of(pid)[spare:] if member not in told]
        if not new:
            return
        for member in new:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(member, number)
        told.update(new)


def family_cpu_ns(pid: int) -> int | None:
    """Return the processor time of a family, and of its children that were waited for; None if it is gone.

    Of a large family it is that of the eldest.
    """
    total, seen = 0, False
    tick = 1_000_000_000 // os.sysconf("SC_CLK_TCK")
    for member in family_of(pid, MEASURED)[:MEASURED]:
        with suppress(OSError, ValueError, IndexError):
            total += time.clock_gettime_ns((~member << 3) | 2)  # the kernel's number of its CPU clock
            seen = True
            fields = _read(f"/proc/{member}/stat").rpartition(b")")[2].split()
            total += (int(fields[_REAPED_USER]) + int(fields[_REAPED_SYSTEM])) * tick
    return total if seen else None


def _read(path: str) -> bytes:
    """Return what a file of /proc holds, in few calls. Raises OSError."""
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        parts = []
        while part := os.read(fd, 65_536):
            parts.append(part)
        return b"".join(parts)
    finally:
        os.close(fd)


def family_waited_ns(pid: int) -> int | None:
    """Return how long the threads of a family waited for a processor; None where nobody counts.

    Nobody counts in a large family, either.
    """
    members = family_of(pid, MEASURED)
    looked, counts = 0, []
    for member in members if len(members) <= MEASURED else []:
        with suppress(OSError, ValueError, IndexError):  # it may go while one looks
            for thread in os.listdir(f"/proc/{member}/task"):  # noqa: PTH208 - asked in turns
                looked += 1
                if looked > MEASURED_THREADS:
                    return None
                counts.append(int(_read(f"/proc/{member}/task/{thread}/schedstat").split()[1]))
    return sum(counts) if counts else None
