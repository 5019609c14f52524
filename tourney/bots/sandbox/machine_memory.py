"""The memory that this process and its bots may use together, by the machine and its control groups.

And the number of processes that they may have.
"""

import os
import resource
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from tourney.bots.sandbox.cgroup_search import own_groups

_PROC: Final = Path("/proc")
_MEMINFO_UNIT: Final = 1024
_FIRST_CHARACTERS: Final = 200


class MachineMemory(NamedTuple):
    """Memory in bytes.

    ``total`` is what can ever be used here: the machine's memory, or the lowest limit of a control group that
    this process is in. ``available`` is what of it is free now, or would be freed for a program that asks: it
    changes with every program. ``place`` names what bounds the total, in words.
    """

    total: int
    available: int
    place: str


class MemoryGauge:
    """Reads the memory of this machine or container again and again: its limits are read once."""

    def __init__(self, proc: Path = _PROC) -> None:
        self._meminfo = proc / "meminfo"
        self._total = _meminfo(self._meminfo).get("MemTotal", _physical())
        # Above ``memory.high`` the kernel does not kill, but slows the group until it almost stands still.
        names = ("memory.max", "memory.high", "memory.limit_in_bytes")
        limits = [(group, [*_figures(group, *names), *_above(group)]) for group in memory_groups(proc)]
        # A limit above the machine's memory bounds nothing; version 1 has one in each group.
        self._limits = [
            (group, min(sizes)) for group, sizes in limits if min(sizes, default=self._total) < self._total
        ]

    def memory(self) -> MachineMemory:
        """The memory as it is now."""
        total = min([self._total, *(limit for _, limit in self._limits)])
        return MachineMemory(total, self.available(), "this container" if self._limits else "this machine")

    def available(self) -> int:
        """The bytes that are available now."""
        available = _meminfo(self._meminfo).get("MemAvailable", self._total)
        for group, limit in self._limits:
            used = next(iter(_figures(group, "memory.current", "memory.usage_in_bytes")), 0)
            available = min(available, limit - max(0, used - _reclaimable(group)))
        return max(0, available)


def _physical() -> int:
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGESIZE")


def machine_memory(proc: Path = _PROC) -> MachineMemory:
    """The memory of this machine or container.

    Swap does not count: bots have none where control groups bound them, and a bot that swaps times out.
    """
    return MemoryGauge(proc).memory()


def memory_groups(proc: Path = _PROC) -> tuple[Path, ...]:
    """The control groups that count this process's memory: its own, then its ancestors."""
    groups = own_groups(proc / "self")
    return groups.get("memory") or groups.get("", ())


def free_processes(proc: Path = _PROC) -> int | None:
    """The number of processes and threads that can still be started here; None without a limit.

    Control groups limit them (containers often), and for all but root the limit of the user, of whose
    processes it is not known how many there are.
    """
    room = [
        limit - next(iter(_figures(group, "pids.current")), 0)
        for group in process_groups(proc)
        for limit in _figures(group, "pids.max")
    ]
    soft, _ = resource.getrlimit(resource.RLIMIT_NPROC)
    if os.geteuid() != 0 and soft != resource.RLIM_INFINITY:
        room.append(soft)
    return max(0, min(room)) if room else None


def process_groups(proc: Path = _PROC) -> tuple[Path, ...]:
    """The control groups that count this process among others: its own, then its ancestors."""
    groups = own_groups(proc / "self")
    return groups.get("pids") or groups.get("", ())


def oom_kills(groups: Iterable[Path] = (), proc: Path = _PROC) -> int:
    """The number of processes that the kernel has killed because memory was full; 0 if unknown.

    The first of ``groups`` that counts them decides: on a machine with many containers, kills in other
    containers would excuse a bot. Otherwise it is the count of the whole machine.
    """
    for text in (*_texts(groups, "memory.events", "memory.oom_control"), *_texts([proc], "vmstat")):
        for line in text.splitlines():
            word, _, count = line.partition(" ")
            if word == "oom_kill" and count.isdigit():
                return int(count)
    return 0


def _meminfo(file: Path) -> dict[str, int]:
    """The figures of ``/proc/meminfo`` that are used here, in bytes; the kernel writes them first."""
    figures = {}
    for text in _texts([file.parent], file.name):
        for line in text[:_FIRST_CHARACTERS].splitlines():
            name, _, value = line.partition(":")
            if name in ("MemTotal", "MemAvailable"):
                with suppress(ValueError, IndexError):
                    figures[name] = int(value.split()[0]) * _MEMINFO_UNIT
    return figures


def _figures(group: Path, *names: str) -> Iterator[int]:
    """The numbers in files of a group; ``max``, and a file that is missing, give none."""
    for name in names:
        with suppress(OSError, ValueError):
            yield int((group / name).read_text("ascii"))


def _above(group: Path) -> Iterator[int]:
    """The lowest limit of a group of version 1 and its ancestors, including hidden ones in a container."""
    for name, value in _statistics(group):
        if name == "hierarchical_memory_limit":
            yield value


def _reclaimable(group: Path) -> int:
    """The bytes of files that a group has cached: the kernel drops them before it kills anything."""
    figures = dict(_statistics(group))
    # Version 1 writes the sums with those of the subgroups under names of their own.
    prefix = "total_" if "total_inactive_file" in figures else ""
    return sum(figures.get(f"{prefix}{name}", 0) for name in ("inactive_file", "active_file"))


def _statistics(group: Path) -> Iterator[tuple[str, int]]:
    for text in _texts([group], "memory.stat"):
        for line in text.splitlines():
            name, _, value = line.partition(" ")
            if value.isdigit():
                yield name, int(value)


def _texts(folders: Iterable[Path], *names: str) -> Iterator[str]:
    """The contents of the files of these names that can be read."""
    for folder in folders:
        for name in names:
            with suppress(OSError, UnicodeDecodeError):
                yield (folder / name).read_text("ascii")
