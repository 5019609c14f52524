"""The protections that there are, by name, and the degrees to which a sandbox gives them."""

import errno
import os
import shutil
import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal

from tourney.bots.catalogue.command import BotCommand
from tourney.bots.channel.base import Channel, FailedChannel
from tourney.bots.channel.process import ProcessChannel
from tourney.bots.sandbox.cgroups import Cgroup, Cgroups, find_cgroups
from tourney.bots.sandbox.process_group import Pipes, ProcessGroup, start
from tourney.errors import SandboxError

Level = Literal["strict", "auto", "off"]
Degree = Literal["enforced", "partial", "absent"]

PROTECTIONS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "environment": "the environment holds the five variables of the protocol and no other",
        "process-group": "the bot's process group ends with the match",
        "all-processes": "every process that the bot started ends with the match, wherever it went",
        "referee-death": "the bot ends when the process that referees it does",
        "process-table": "the bot sees no process but its own",
        "network": "there is no network, not even the host's own",
        "system": "the system's files are read-only",
        "host-files": "no other file of the host is to be seen: database, other bots, home",
        "bot-folder": "the bot's own folder is read-only",
        "private-tmp": "/tmp and /dev/shm are the bot's own and of bounded size",  # noqa: S108 - words
        "privileges": "the bot has no privileges, and no program gives it any",
        "own-user": "the bot's user has no rights to anything outside of the sandbox",
        "user-namespaces": "the bot can make no namespaces of its own",
        "address-space": "each process's memory is bounded",
        "total-memory": "the memory of all the bot's processes together is bounded",
        "process-count": "the number of the bot's processes is bounded",
        "open-files": "the number of files that a process has open is bounded",
        "file-size": "the size of a file is bounded",
        "core-dumps": "no core dumps are written",
        "system-calls": "dangerous system calls are refused",
        "processors": "the bot stays on the processors that it was given",
        "processor-time": "the processor time of all the bot's processes is known",
        "freezing": "all the bot's processes can be held still",
    }
)
"""The protections by name, each in a line for people, in the order in which they are shown."""


def degrees(held: Mapping[str, Degree]) -> dict[str, Degree]:
    """Return the degree of every protection, in order; those not named are absent."""
    return {name: held.get(name, "absent") for name in PROTECTIONS}


MAX_PROCESSES: Final = 512
"""Processes and threads that a bot may have: a Java machine starts some dozens by itself."""
_BOTS_FAULT = frozenset(
    {errno.ENOENT, errno.EACCES, errno.EPERM, errno.ENOEXEC, errno.ENOTDIR, errno.EISDIR, errno.ELOOP}
    | {errno.E2BIG, errno.EINVAL, errno.ENAMETOOLONG, errno.ETXTBSY, errno.ELIBBAD}
)
"""What exec says of a program that cannot be run; all else is the machine's."""
_TRY_SECONDS = 20
_SEARCHED = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a bot, or a build, may use: MiB for each process and for all together, processes, and files."""

    memory_mb: int = 4096
    processes: int = MAX_PROCESSES
    file_mb: int = 64
    open_files: int = 1024


@dataclass(slots=True)
class Cell:
    """What one bot is started in: the words before its command and its own, and what is held for it.

    ``fds`` are inherited, and closed here once it is started. ``user`` is the one it runs under, if that is
    not the referee's.
    """

    words: list[str]
    fds: tuple[int, ...] = ()
    cgroup: Cgroup | None = None
    user: int | None = None
    release: Callable[[], None] | None = None
    closed: bool = field(default=False)

    def close_fds(self) -> None:
        """Close what only the bot's start needed."""
        fds, self.fds = self.fds, ()
        for fd in fds:
            os.close(fd)

    def abandon(self) -> None:
        """Give back what is held where nothing was started."""
        self.close_fds()
        if self.cgroup is not None:
            self.cgroup.remove()
        if self.release is not None:
            self.release()


class Sandbox(ABC):
    """Starts bots. ``level`` is what was asked for, ``kind`` a word for what does it."""

    kind: str

    def __init__(self, level: Level, cgroups: Cgroups = Cgroups(())) -> None:  # noqa: B008 - a frozen value
        self.level: Level = level
        self._cgroups = cgroups
        self._numbers = count(1)

    @property
    @abstractmethod
    def protections(self) -> Mapping[str, Degree]:
        """The degree of every one of PROTECTIONS, in their order."""

    @abstractmethod
    def cell(self, command: BotCommand, bounds: Bounds, *, writable: bool = False) -> Cell:
        """Return what a bot is to be started in, in its folder, which is read-only unless told otherwise.

        Raises OSError or SandboxError where the machine cannot give it.
        """

    def check(self) -> None:
        """Start a program that starts another. Raises SandboxError if the sandbox does not work now."""
        command = BotCommand(("/bin/sh", "-c", "(true); exit 0"), _any_folder(), (("PATH", "/usr/bin:/bin"),))
        try:
            process, pipes, group = self.run(command, Bounds(memory_mb=1024))
        except OSError as error:
            raise SandboxError(f"{self.kind} does not start here: {error}") from error
        try:
            ended = group.exited(_TRY_SECONDS * 1000)
            said = _last_line(pipes.stderr)
        finally:
            group.kill()
            group.reap()
            for fd in pipes:
                os.close(fd)
        if not ended or process.returncode != 0:
            why = said or (f"exit code {process.returncode}" if ended else "it hangs")
            raise SandboxError(f"{self.kind} does not work here ({why})")

    def run(
        self, command: BotCommand, bounds: Bounds, *, writable: bool = False, merged: bool = False
    ) -> tuple["subprocess.Popen[bytes]", Pipes, ProcessGroup]:
        """Start a program inside and return its process, its streams and its group, which the caller ends.

        ``writable``: its folder is. ``merged``: standard error goes where standard output does. Raises
        OSError, or SandboxError.
        """
        cell = self.cell(command, bounds, writable=writable)
        try:
            process, pipes = start(
                cell.words, cwd=command.folder, env=command.environ, pass_fds=cell.fds, merged=merged
            )
        except BaseException:
            cell.abandon()
            raise
        cell.close_fds()
        return process, pipes, self.group(process, cell)

    def group(self, process: "subprocess.Popen[bytes]", cell: Cell) -> ProcessGroup:
        """Return the processes of a bot that was started in a cell."""
        return ProcessGroup(process, cell.cgroup, cell.release)

    def spawn(
        self, command: BotCommand, *, memory_mb: int, clock: Callable[[], int] = time.monotonic_ns
    ) -> Channel:
        """Start a bot and return the channel to it. ``memory_mb`` bounds each process, and all together.

        A program that cannot be run gives a channel that is closed from the start: that is the bot's fault.
        Raises SandboxError where the machine cannot start it.
        """
        if not command.folder.is_dir():
            raise SandboxError(f"the bot's folder {command.folder} is gone; add the bot again")
        try:
            _, pipes, group = self.run(command, Bounds(memory_mb=memory_mb))
        except OSError as error:
            if error.errno in _BOTS_FAULT and error.filename in (None, command.argv[0], str(command.folder)):
                return FailedChannel(f"{command.argv[0]} cannot be run: {error.strerror}")
            raise SandboxError(f"this machine cannot start a bot: {error.strerror}") from error
        return ProcessChannel(group, pipes, clock=clock)

    def sweep(self) -> None:
        """Take away what processes that were killed have left of their bots' control groups."""
        self._cgroups.sweep()

    def as_json(self) -> dict[str, object]:
        """Return what is kept beside every record: level, kind, and each protection's degree."""
        return {"level": self.level, "kind": self.kind, "protections": dict(self.protections)}

    def _cgroup(self, bounds: Bounds) -> Cgroup | None:
        return self._cgroups.make(
            str(next(self._numbers)), memory=bounds.memory_mb << 20, processes=bounds.processes
        )

    def _by_cgroups(self) -> dict[str, Degree]:
        """Return what control groups enforce here."""
        held: dict[str, Degree] = {"processor-time": "partial", "freezing": "partial"}
        gives = self._cgroups.gives
        if "core" in gives:
            held.update(dict.fromkeys(("all-processes", "processor-time", "freezing"), "enforced"))
        if "memory" in gives:
            held["total-memory"] = "enforced"
        if "pids" in gives:
            held["process-count"] = "enforced"
        return held


class PlainSandbox(Sandbox):
    """No containment: a process group and the exact environment; with limits where ``prlimit`` sets them.

    ``limits`` and ``parent`` are the paths of the programs ``prlimit`` and ``setpriv``, or None to do
    without; the latter lets the kernel kill the bot's first process when its referee dies.
    """

    kind = "plain"

    def __init__(
        self,
        level: Level,
        limits: str | None = None,
        parent: str | None = None,
        cgroups: Cgroups = Cgroups(()),  # noqa: B008 - a frozen value
    ) -> None:
        super().__init__(level, cgroups)
        self._limits = limits
        self._parent = parent

    @property
    def protections(self) -> Mapping[str, Degree]:
        """The degree of every protection."""
        # The bot's own environment is exact, but nothing keeps it from looking into other processes'.
        held: dict[str, Degree] = {"environment": "partial", "process-group": "enforced"}
        if self._limits:
            held.update(dict.fromkeys(("address-space", "open-files", "file-size", "core-dumps"), "enforced"))
        if self._parent:
            held["referee-death"] = "partial"
        return degrees(held | self._by_cgroups())

    def cell(self, command: BotCommand, bounds: Bounds, *, writable: bool = False) -> Cell:  # noqa: ARG002 - all is writable
        """Return the words that start a bot."""
        words: list[str] = []
        cgroup = self._cgroup(bounds)
        if cgroup is not None:
            words += cgroup.join_words()
        if self._parent is not None:
            words += [self._parent, "--pdeathsig", "KILL", "--"]
        if self._limits is not None:
            words += limit_words(self._limits, bounds)
        return Cell([*words, *command.argv], cgroup=cgroup)


def limit_words(prlimit: str, bounds: Bounds, *, processes: bool = False) -> list[str]:
    """Return the words of ``prlimit`` that go before a bot's command.

    The limit on ``processes`` counts those of a user: it is for bots that have one of their own.
    """
    return [
        prlimit,
        f"--as={bounds.memory_mb << 20}",
        f"--fsize={bounds.file_mb << 20}",
        f"--nofile={bounds.open_files}",
        "--core=0",
        *([f"--nproc={bounds.processes}"] if processes else []),
        "--",
    ]


def _any_folder() -> Path:
    """Return a folder of the system, for programs that need none of their own."""
    return Path("/usr")


def _last_line(fd: int) -> str:
    """Return the last line in a pipe that nobody writes to any more."""
    with suppress(BlockingIOError):
        lines = os.read(fd, 65_536).decode("utf-8", "backslashreplace").strip().splitlines()
        return lines[-1][:200] if lines else ""
    return ""


def program(name: str) -> str | None:
    """Return the path of a program of the system, or None if it is not installed."""
    return shutil.which(name, path=_SEARCHED)


def open_sandbox(level: Level) -> Sandbox:
    """Return the sandbox of a level, tried on this machine. Raises SandboxError for what cannot be had."""
    from tourney.bots.sandbox.bubblewrap import Bubblewrap  # noqa: PLC0415 - it builds on this module

    if level == "off":
        return PlainSandbox("off", parent=_working(program("setpriv")))
    try:
        sandbox: Sandbox = Bubblewrap.probe(level)
    except SandboxError as error:
        if level == "strict":
            raise SandboxError(f'sandbox = "strict" cannot be had: {error}') from error
        parent = _working(program("setpriv"))
        return PlainSandbox("auto", limits=program("prlimit"), parent=parent, cgroups=find_cgroups())
    if level == "strict":
        refuse_lacking(sandbox)
    return sandbox


def refuse_lacking(sandbox: Sandbox) -> None:
    """Raise SandboxError that names the protections which a sandbox does not enforce, if there are any."""
    lacking = [f"{name} ({degree})" for name, degree in sandbox.protections.items() if degree != "enforced"]
    if lacking:
        raise SandboxError(
            f'sandbox = "strict" cannot be had on this machine, for want of {", ".join(lacking)};'
            ' use sandbox = "auto" for the best that works here'
        )


def _working(setpriv: str | None) -> str | None:
    """Return the program if it can tie a process to its parent's life: older ones cannot."""
    if setpriv is None:
        return None
    with suppress(OSError, subprocess.TimeoutExpired):
        tried = [setpriv, "--pdeathsig", "KILL", "--", "true"]
        done = subprocess.run(tried, env={}, capture_output=True, timeout=_TRY_SECONDS, check=False)  # noqa: S603 - our own words
        if done.returncode == 0:
            return setpriv
    return None


__all__ = [
    "PROTECTIONS",
    "Bounds",
    "Cell",
    "Degree",
    "Level",
    "PlainSandbox",
    "Sandbox",
    "open_sandbox",
    "refuse_lacking",
]
