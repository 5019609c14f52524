"""Control groups limit, measure, freeze and kill all processes of a bot together.

Version 2 has ``cgroup.kill``, ``cgroup.freeze`` and ``cpu.stat`` in every group, ``cpu.pressure`` if the
kernel keeps such accounts, and ``memory.max`` and ``pids.max`` if the controllers are delegated. On a hybrid
machine these two come from version 1. Groups are made below this process's own, or below its nearest ancestor
that offers more; making one and trying it shows what is allowed.

The maker of a group locks its folder for as long as it lives. Its process number would not prove that it
lives: the number may be reused or belong to another namespace, and a zombie keeps its entry in /proc.
"""

import errno
import fcntl
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

PREFIX: Final = "tourney-"
PRESSURE = "cpu.pressure"
_REMOVE_SECONDS = 5.0
_LEAVE_SECONDS = 0.0003
_MOST_SECONDS = 0.01
"""Time between two looks whether killed processes have left a group, at first and at most."""
_DROPS: Final = 50  # times to look whether something is cached, and drop it again
_CLAIMS = 100  # names to try: a process of another namespace with the same number may have taken one


class Home(NamedTuple):
    """A folder to make groups in; its groups have some of ``core``, ``memory``, ``pids``, ``pressure``."""

    folder: Path
    gives: tuple[str, ...]


@dataclass(slots=True)
class Ended:
    """What ended bots left: groups whose killed processes are still there, and bytes that stayed cached."""

    groups: "list[Cgroup]" = field(default_factory=list)
    cached: int = 0


class Cgroup:
    """The groups of one bot, one in each hierarchy; made by ``Cgroups``. ``locks`` hold their folders."""

    def __init__(
        self,
        folders: tuple[Path, ...],
        core: Path | None,
        memory: Path | None,
        locks: tuple[int, ...] = (),
        ended: Ended | None = None,
    ) -> None:
        self.folders = folders
        self._left = list(folders)
        self._ended = ended or Ended()
        self._done: Callable[[], None] | None = None
        self._keep_caches = False
        self.memory = memory
        self._core = core
        self._locks = locks
        self._cpu = self._pressure = -1
        if core is not None:
            self._cpu = os.open(core / "cpu.stat", os.O_RDONLY | os.O_CLOEXEC)

    @property
    def has_core(self) -> bool:
        """Whether it can kill, freeze and measure."""
        return self._core is not None

    def join_words(self) -> list[str]:
        """Words to go before a command: a shell that joins the groups, and becomes it."""
        joins = "".join(f"echo $$ >'{folder}/cgroup.procs' && " for folder in self.folders)
        return ["/bin/sh", "-c", f'{joins}exec "$@"', "sh"]

    def add(self, pid: int) -> None:
        """Move a process that has no children into the groups. Raises OSError."""
        for folder in self.folders:
            with opened(folder / "cgroup.procs", os.O_WRONLY) as fd:
                os.write(fd, b"%d" % pid)

    def kill(self) -> None:
        """Kill all processes of the group."""
        if self._core is not None:
            with suppress(OSError):
                (self._core / "cgroup.kill").write_text("1")
            return
        # Version 1 has no file for that. All groups of a bot have the same members.
        for pid in self.members():
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)

    def freeze(self, *, frozen: bool) -> None:
        """Stop all processes, or let them continue; nothing without ``has_core``."""
        if self._core is not None:
            (self._core / "cgroup.freeze").write_text("1" if frozen else "0")

    def cpu_ns(self) -> int | None:
        """The processor time of all processes ever in the group; None without ``has_core``."""
        if self._cpu < 0:
            return None
        first = os.pread(self._cpu, 64, 0).split(None, 2)
        return int(first[1]) * 1000 if first[0] == b"usage_usec" else None

    def waited_ns(self) -> int | None:
        """The time in which processes of the group could run and none of them did; None if unknown.

        It is the line ``full`` of the group's pressure. While one process runs, its fellows may wait: that
        does not count.
        """
        if self._core is not None and self._pressure < 0:
            with suppress(OSError):
                self._pressure = os.open(self._core / PRESSURE, os.O_RDONLY | os.O_CLOEXEC)
        return full_ns(self._pressure)

    def members(self) -> list[int]:
        """The processes of the group."""
        return _members(self.folders[0])

    def memory_kills(self) -> tuple[int, int]:
        """Number of processes killed because the group met its memory limit, and because the host was full.

        The kernel counts those that it killed for the group's limit together with those that it killed for
        the whole host. Only the former need a group that reached its limit.
        """
        if self.memory is None:
            return 0, 0
        events: dict[str, int] = {}
        for name in ("memory.events", "memory.oom_control"):
            with suppress(OSError, ValueError):
                for line in (self.memory / name).read_text("ascii").splitlines():
                    word, _, count = line.partition(" ")
                    events.setdefault(word, int(count))
        met = events.get("oom", 0)
        for name in ("memory.failcnt", "memory.memsw.failcnt"):
            with suppress(OSError, ValueError):
                met += _figure(self.memory, name)
        with suppress(OSError, ValueError):  # version 1 does not count failures for the kernel's own memory
            limit = _figure(self.memory, "memory.limit_in_bytes")
            met += _figure(self.memory, "memory.max_usage_in_bytes") >= limit
        kills = events.get("oom_kill", 0)
        return (kills, 0) if met else (0, kills)

    def used_mb(self) -> int | None:
        """The most memory that the group has used, in MiB, or its present use if no maximum is counted."""
        for name in ("memory.peak", "memory.max_usage_in_bytes", "memory.current"):
            with suppress(OSError, ValueError):
                if self.memory is not None:
                    return _figure(self.memory, name) >> 20
        return None

    def remove(self) -> None:
        """Kill the remaining processes and remove the groups. Raises nothing: ``sweep`` gets the rest."""
        until = time.monotonic() + _REMOVE_SECONDS
        pause = _LEAVE_SECONDS
        while not self.is_gone() and time.monotonic() < until:
            self.kill()
            time.sleep(pause)  # no event says when the group is free
            pause = min(2 * pause, _MOST_SECONDS)
        self._unlock()

    def leave(self, done: Callable[[], None] | None = None, *, keep_caches: bool = False) -> None:
        """Kill the remaining processes, and ``remove`` the groups and call ``done`` once they have left.

        That is now, before the next groups are made, or in ``Cgroups.settle``. ``keep_caches``: what they
        were the first to read stays cached.
        """
        self._done = done
        self._keep_caches = keep_caches
        if not self.is_gone():
            self.kill()
            self._ended.groups.append(self)

    def is_gone(self) -> bool:
        """Remove the empty groups; return whether none is left."""
        for fd in (self._cpu, self._pressure):
            if fd >= 0:
                os.close(fd)
        self._cpu = self._pressure = -1
        # If one is not empty, the others are not: a process leaves them all at the same time.
        while self._left:
            drop = self._left[0] == self.memory and not self._keep_caches
            cached = drop_caches(self._left[0]) if drop else 0
            if not remove_group(self._left[0]):
                break
            self._ended.cached += cached
            del self._left[0]
        if not self._left:
            self._unlock()
        return not self._left

    def _unlock(self) -> None:
        locks = self._locks
        self._locks = ()
        for fd in locks:
            os.close(fd)
        done = self._done
        self._done = None
        if done is not None:
            done()


@dataclass(frozen=True, slots=True)
class Cgroups:
    """Makes groups for bots. ``homes`` has an entry for each usable hierarchy, and may be empty."""

    homes: tuple[Home, ...]
    ended: Ended = field(default_factory=Ended, compare=False)

    @property
    def gives(self) -> frozenset[str]:
        """Which of ``core``, ``memory``, ``pids`` groups have here."""
        return frozenset(word for home in self.homes for word in home.gives)

    def make(self, name: str, *, memory: int, processes: int) -> Cgroup | None:
        """Make the groups of a bot, limited in bytes and processes; None if there are no homes.

        Raises OSError and leaves no group behind.
        """
        self.settle()
        if not self.homes:
            return None
        made: list[tuple[Path, int]] = []
        core = memory_at = None
        try:
            for home in self.homes:
                folder, lock = claim_group(home.folder, name)
                made.append((folder, lock))
                if "core" in home.gives:
                    core = folder
                if "memory" in home.gives:
                    memory_at = folder
                    _bound_memory(folder, memory)
                if "pids" in home.gives:
                    (folder / "pids.max").write_text(str(processes))
            folders, locks = zip(*made, strict=True)
            return Cgroup(folders, core, memory_at, locks, self.ended)
        except OSError:
            for folder, lock in made:
                remove_group(folder)
                os.close(lock)
            raise

    def settle(self, *, wait: bool = False) -> int:
        """Remove the groups of ended bots that are empty now, or ``wait`` for all of them.

        Returns the bytes that these and earlier ones had read first and that could not be dropped.
        """
        for group in self.ended.groups if wait else ():
            group.remove()
        self.ended.groups[:] = [] if wait else [group for group in self.ended.groups if not group.is_gone()]
        return self.ended.cached

    def sweep(self) -> None:
        """Remove empty groups whose maker is gone."""
        for folder in (folder for home in self.homes for folder in home.folder.glob(f"{PREFIX}*-*")):
            with suppress(OSError), opened(folder, os.O_DIRECTORY) as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                drop_caches(folder)
                remove_group(folder)


@contextmanager
def opened(path: Path, flags: int = os.O_RDONLY) -> Iterator[int]:
    """Open a file or a folder, and close it. Raises OSError."""
    fd = os.open(path, flags | os.O_CLOEXEC)
    try:
        yield fd
    finally:
        os.close(fd)


def full_ns(fd: int) -> int | None:
    """The total of the line ``full`` of a pressure file; None if the kernel has no such line."""
    with suppress(OSError, ValueError):
        return int(os.pread(fd, 256, 0).partition(b"full ")[2].partition(b"total=")[2]) * 1000
    return None


def _bound_memory(folder: Path, size: int) -> None:
    needed = "memory.max"
    others = {"memory.swap.max": "0", "memory.oom.group": "1"}
    if (folder / "memory.limit_in_bytes").exists():
        # Version 1. Its other file is missing if the kernel does not account for swap.
        needed = "memory.limit_in_bytes"
        others = {"memory.memsw.limit_in_bytes": str(size)}
    (folder / needed).write_text(str(size))
    for name, value in others.items():
        with suppress(OSError):
            (folder / name).write_text(value)


def _members(folder: Path) -> list[int]:
    with suppress(OSError):
        return list(map(int, (folder / "cgroup.procs").read_text("ascii").split()))
    return []


def claim_group(parent: Path, name: str) -> tuple[Path, int]:
    """Make a group that belongs to this process until it closes the descriptor or dies. Raises OSError."""
    name = f"{PREFIX}{os.getpid()}-{name}"
    for number in range(_CLAIMS):
        folder = parent / (f"{name}-{number}" if number else name)
        with suppress(FileExistsError):
            folder.mkdir()
            with suppress(FileNotFoundError):  # another process swept it before the lock
                lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
                with suppress(OSError):  # without locks there is no sweeping either
                    fcntl.flock(lock, fcntl.LOCK_SH)
                if folder.exists():
                    return folder, lock
                os.close(lock)
    raise FileExistsError(errno.EEXIST, "no name is free for a control group", str(parent / name))


def remove_group(folder: Path) -> bool:
    """Remove a group that is empty; whether it is gone."""
    try:
        folder.rmdir()
    except OSError as error:
        return isinstance(error, FileNotFoundError)
    return True


def drop_caches(folder: Path) -> int:
    """Drop the pages cached in the name of a group without processes; return the bytes that stay.

    It is what the group was the first to read. Otherwise it stays cached after the match, and the time of a
    read shows that. The kernel drops it to get below a limit of 0, but not the pages that another processor
    has just put on a list of its own: ``memory.force_empty`` and version 2's ``memory.reclaim`` collect these
    first. Only version 1 shows exactly what stays.
    """
    if _members(folder):
        return 0
    for name in ("memory.high", "memory.limit_in_bytes"):
        _write(folder / name, "0")
    left = 0
    with suppress(OSError, ValueError):  # version 2 has none of these files
        for _ in range(_DROPS):
            left = _figure(folder, "memory.usage_in_bytes") - _figure(folder, "memory.kmem.usage_in_bytes")
            if left <= 0:
                return 0
            _write(folder / "memory.force_empty", "0")
    with suppress(OSError, ValueError):
        _write(folder / "memory.reclaim", str(_figure(folder, "memory.current")))
    return left


def _figure(folder: Path, name: str) -> int:
    return int((folder / name).read_text("ascii"))


def _write(file: Path, text: str) -> None:
    """Write to a file of a group. The kernel may lack it, and refuses what it can do in part only."""
    with suppress(OSError), opened(file, os.O_WRONLY) as fd:
        os.write(fd, text.encode("ascii"))
