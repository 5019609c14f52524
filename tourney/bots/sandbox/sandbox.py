"""Sandboxes: their protections, their way of starting bots, and the choice for a level.

Tourney's own are ``bubblewrap`` and ``plain``, others come from the entry points of ``tourney.sandboxes``.
"""

import errno
import os
import shutil
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar, Final, Literal, Self

from tourney.bots.catalogue.command import BotCommand
from tourney.bots.channel.interface import Channel, FailedChannel
from tourney.bots.channel.process import ProcessChannel
from tourney.bots.metering import HOST_ADDRESS_MB, HOST_MB
from tourney.bots.sandbox.bot_processes import BotProcesses, HeldBot, last_line
from tourney.bots.sandbox.cgroups import Cgroup, Cgroups
from tourney.bots.sandbox.exposure import find_exposed
from tourney.bots.sandbox.host_limits import ADDRESS_MB, FILE_MB, OPEN_FILES, PROCESSES, with_limits
from tourney.bots.sandbox.processes import TRY_SECONDS, Pipes, start_held, start_process
from tourney.errors import SandboxError, UsageError
from tourney.plugins import Registry
from tourney.protocol import HELLO
from tourney.schema import SandboxLevel

Degree = Literal["enforced", "partial", "absent"]

PROTECTIONS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "environment": "the environment holds the protocol's five variables and no other",
        "process-group": "the bot's process group ends with the match",
        "all-processes": "every process that the bot started ends with the match, in any session",
        "referee-death": "the bot ends when the process that referees it does",
        "process-table": "the bot sees only its own processes",
        "network": "there is no network, not even the host's loopback",
        "system": "the system's files are read-only",
        "host-files": "no other file of the host is visible: database, other bots, home",
        "bot-folder": "the bot's own folder is read-only",
        "private-files": "the bot's files are a copy of its own, which ends with the match",
        "private-tmp": "/tmp and /dev/shm are private and of bounded size",  # noqa: S108 - words
        "privileges": "the bot has no privileges, and no program gives it any",
        "own-user": "the bot's user has no rights to anything outside the sandbox",
        "user-namespaces": "the bot cannot make namespaces of its own",
        "address-space": "each process's memory is bounded",
        "total-memory": "the memory of all the bot's processes together is bounded",
        "process-count": "the number of the bot's processes is bounded",
        "open-files": "the number of files that a process has open is bounded",
        "file-size": "the size of a file is bounded",
        "core-dumps": "no core dumps are written",
        "system-calls": "dangerous system calls are refused",
        "page-cache": "a bot finds no trace of what an earlier match read of the system's files",
        "file-locks": "locks and watches on the system's files do not reach other bots",
        "sockets": "all sockets are UNIX ones, and what is queued in them counts as the bot's memory",
        "system-figures": "the figures of the whole machine in /proc are hidden or fixed",
        "processors": "the bot stays on the processors that it was given",
        "processor-time": "the processor time of all the bot's processes is known",
        "waiting-time": "the time in which the bot could run but had no processor is known",
        "freezing": "all the bot's processes can be stopped and continued",
    }
)
"""The protections by name, each with its meaning, in the order in which they are shown."""


def all_degrees(degrees: Mapping[str, Degree]) -> dict[str, Degree]:
    """The degree of every protection, in order; "absent" for missing ones."""
    return {name: degrees.get(name, "absent") for name in PROTECTIONS}


_BY_GROUPS: Final[tuple[tuple[frozenset[str], tuple[str, ...]], ...]] = (
    (frozenset({"core"}), ("all-processes", "processor-time", "freezing")),
    (frozenset({"core", "pressure"}), ("waiting-time",)),
    (frozenset({"memory"}), ("total-memory",)),
    (frozenset({"pids"}), ("process-count",)),
)
MAX_PROCESSES: Final = PROCESSES  # processes and threads of a bot: a Java machine alone starts dozens
_BOTS_FAULT = frozenset(
    {errno.ENOENT, errno.EACCES, errno.EPERM, errno.ENOEXEC, errno.ENOTDIR, errno.EISDIR, errno.ELOOP}
    | {errno.E2BIG, errno.EINVAL, errno.ENAMETOOLONG, errno.ETXTBSY, errno.ELIBBAD}
)
"""Errors of exec that mean a bad program; all others mean a problem of the machine."""
_REHEARSAL_MS = 3_000  # time for a bot to exit at the end of its input, before its first match
_NAMED: Final = 4  # protections that a sentence names
_SEARCHED = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"


@dataclass(frozen=True, slots=True)
class ResourceLimits:
    """Limits of a bot or a build; ``memory_mb`` for each process and for all, ``file_mb`` for each file.

    ``folder_mb`` bounds a build's folder, where the sandbox gives it one in memory. ``hosted``: it is a
    module's host process, which needs memory and address space beside the module's.
    """

    memory_mb: int = 4096
    processes: int = MAX_PROCESSES
    file_mb: int = FILE_MB
    open_files: int = OPEN_FILES
    folder_mb: int = 2048
    hosted: bool = False

    @property
    def total_mb(self) -> int:
        """The memory of all processes together."""
        return self.memory_mb + HOST_MB * self.hosted

    @property
    def address_mb(self) -> int:
        """The address space of each process."""
        return self.memory_mb + HOST_ADDRESS_MB * self.hosted


@dataclass(slots=True)
class Launch:
    """A bot that is ready to start: its command line inside the sandbox, and its resources.

    ``fds`` are inherited, and closed here once the bot has started. ``release`` is called when it has ended.
    For a sandbox that holds its bots, ``words`` are written to the descriptor ``words_to`` once the first
    process is in its groups, each with a NUL after it. ``weakened``: see ``Channel``.
    """

    argv: list[str]
    fds: list[int] = field(default_factory=list)
    cgroup: Cgroup | None = None
    release: Callable[[], None] | None = None
    words: list[str] = field(default_factory=list)
    words_to: int = -1
    weakened: Mapping[str, str] = field(default_factory=dict)

    def send_words(self) -> None:
        """Write ``words``; a sandbox that does not read them has died, and says why on standard error."""
        content = os.fsencode("".join(f"{word}\0" for word in self.words))
        with suppress(BrokenPipeError):
            while content:
                content = content[os.write(self.words_to, content) :]

    def close_fds(self) -> None:
        """Close the descriptors that only the start needs."""
        fds = [*self.fds, self.words_to]
        self.fds = []
        self.words_to = -1
        for fd in fds:
            if fd >= 0:
                os.close(fd)

    def abandon(self) -> None:
        """Release everything when the start has failed."""
        self.close_fds()
        if self.cgroup is not None:
            self.cgroup.remove()
        if self.release is not None:
            self.release()


class Sandbox(ABC):
    """Starts bots. ``name`` is its name in the registry, ``level`` the level that was asked for.

    ``processes`` is the class that looks after a bot's processes. ``source_folder``: where a build finds the
    bot's files, if it works in an empty folder in memory; "" if on disk. ``holds``: whether it can be made
    before its bot starts: then its bots wait as ``HeldBot`` says. ``most_processes`` is the limit of
    processes of a bot, which is lower where the machine allows few. ``fallen``: why "auto" chose it and none
    that contains bots, or "".
    """

    name: str
    processes: type[BotProcesses] = BotProcesses
    source_folder: str = ""
    holds: ClassVar[bool] = False
    most_processes: int = MAX_PROCESSES
    fallen: str = ""

    def __init__(self, level: SandboxLevel, cgroups: Cgroups = Cgroups(())) -> None:  # noqa: B008 - a frozen value
        self.level: SandboxLevel = level
        self._cgroups = cgroups
        self._numbers = count(1)

    @classmethod
    @abstractmethod
    def open(cls, level: SandboxLevel) -> Self:
        """The best that works on this machine. Raises SandboxError with the reason if nothing does."""

    @property
    def starter(self) -> str:
        """The programs that turn a sandbox into the bot, for people; "" where nothing is between them."""
        return ""

    @property
    @abstractmethod
    def protections(self) -> Mapping[str, Degree]:
        """The degree of every one of PROTECTIONS, in their order."""

    @property
    def shown(self) -> Sequence[Path]:
        """The paths of the host that every bot sees; () if they are not known, as without containment."""
        return ()

    def refuse_exposed(self, private: Mapping[str, Path]) -> None:
        """Raise UsageError if bots would see one of these paths, keyed by description."""
        if exposure := find_exposed(private, self.shown):
            raise UsageError(
                f"{exposure.what} {exposure.path} lies in {exposure.shown}, which every bot can read; move"
                " it, or the environment that runs Tourney, to another folder"
            )

    @abstractmethod
    def prepare(self, command: BotCommand, limits: ResourceLimits, *, writable: bool = False) -> Launch:
        """Prepare the start of a bot in its folder, which is read-only unless ``writable``, for a build.

        With a ``source_folder`` a build gets its folder there, and an empty one in memory to work in.
        Raises OSError or SandboxError if the machine cannot provide it.
        """

    def check(self) -> None:
        """Start a program that starts another. Raises SandboxError if the sandbox does not work now."""
        words = ("/bin/sh", "-c", "(true); exit 0")
        env = {"PATH": "/usr/bin:/bin"}
        self.check_command(BotCommand(words, Path("/usr"), env))

    def check_command(self, command: BotCommand) -> None:
        """Run a program that ends by itself. Raises SandboxError if it fails."""
        try:
            group, pipes = self.start(command, ResourceLimits(memory_mb=ADDRESS_MB))
        except OSError as error:
            raise SandboxError(with_limits(f"{self.name} does not start here: {error}")) from error
        try:
            ended = group.exited(TRY_SECONDS * 1000)
            last_error = last_line(pipes.stderr)
        finally:
            group.end(pipes)
            self.settle()
        if not ended or group.returncode != 0:
            why = last_error or (f"exit code {group.returncode}" if ended else "it hangs")
            raise SandboxError(with_limits(f"{self.name} does not work here ({why})"))

    def start(
        self, command: BotCommand, limits: ResourceLimits, *, writable: bool = False, merged: bool = False
    ) -> tuple[BotProcesses, Pipes]:
        """Start a program inside; return its processes and its streams, which the caller ends.

        ``writable``: its folder is, as ``prepare`` says. ``merged``: standard error goes to standard output.
        Raises OSError or SandboxError.
        """
        launch = self.prepare(command, limits, writable=writable)
        if self.holds:
            return self._hold(launch, merged=merged).release()
        try:
            process, pipes = start_process(
                launch.argv, cwd=command.folder, env=command.env, pass_fds=launch.fds, merged=merged
            )
        except BaseException:
            launch.abandon()
            raise
        launch.close_fds()
        return self.processes(process, launch.cgroup, launch.release, launch.weakened), pipes

    def spawn(self, command: BotCommand, *, memory_mb: int) -> Channel:
        """Start a bot and return the channel to it. ``memory_mb`` bounds each process, and all together.

        A program that cannot be run is the bot's fault and gives a channel that is closed from the start.
        Raises SandboxError if the machine cannot start it.
        """
        with _starting():
            try:
                group, pipes = self.start(*self._checked(command, memory_mb))
            except OSError as error:
                # An error that names another file concerns one of the sandbox's own programs, not the bot.
                bots_file = error.filename in (None, command.argv[0], str(command.folder))
                if error.errno not in _BOTS_FAULT or not bots_file:
                    raise
                return FailedChannel(f"{command.argv[0]} cannot be run: {error.strerror}")
            return ProcessChannel(group, pipes)

    def start_host(self, command: BotCommand, *, memory_mb: int) -> tuple[BotProcesses, Pipes]:
        """Start the host process of a module, as ``start`` does. Raises SandboxError."""
        with _starting():
            return self.start(*self._checked(command, memory_mb))

    def weakened(self, folder: Path, memory_mb: int) -> Mapping[str, str]:  # noqa: ARG002 - the same for all bots here
        """The protections that are only partial for a bot with these files, each with the reason."""
        return {}

    def rehearse(self, command: BotCommand, *, memory_mb: int) -> None:
        """Start a bot before its first match and end it, so that the system files it reads are cached.

        After a match that is dropped where control groups bound memory, and the next match would wait for the
        disk. A bot that has heard of no match can leave no message in it. Raises SandboxError.
        """
        if "memory" not in self._cgroups.gives:
            return
        try:
            group, pipes = self.start(*self._checked(command, memory_mb))
        except OSError:
            return  # its matches find that out
        try:
            with suppress(OSError):
                os.write(pipes.stdin, HELLO)
            os.close(pipes.stdin)
            # Closed above, so that `end` does not close the number again: it may belong to another file by
            # then.
            pipes = pipes._replace(stdin=-1)
            group.exited(_REHEARSAL_MS)
        finally:
            group.end(pipes, keep_caches=True)

    def hold(self, command: BotCommand, *, memory_mb: int) -> HeldBot:
        """Make a sandbox for a bot that starts later, as ``spawn`` would start it; only if it ``holds``.

        This returns at once: the sandbox is made meanwhile. Raises SandboxError.
        """
        with _starting():
            return self._hold(self.prepare(*self._checked(command, memory_mb)))

    def _hold(self, launch: Launch, *, merged: bool = False) -> HeldBot:
        """Start a sandbox that holds its bot. Raises OSError."""
        try:
            process, pipes = start_held(launch.argv, launch.fds, merged=merged)
        except BaseException:
            launch.abandon()
            raise
        group = self.processes(process, launch.cgroup, launch.release, launch.weakened)
        held = HeldBot(self.name, group, pipes)
        try:
            if launch.cgroup is not None:
                launch.cgroup.add(process.pid)
            launch.send_words()
        except BaseException:
            held.end()
            raise
        finally:
            launch.close_fds()
        return held

    def settle(self) -> int:
        """Wait for the killed processes of ended bots, remove their groups; the bytes that stay cached."""
        return self._cgroups.settle(wait=True)

    def sweep(self) -> None:
        """Remove the control groups of bots whose referees were killed."""
        self._cgroups.sweep()

    def _checked(self, command: BotCommand, memory_mb: int) -> tuple[BotCommand, ResourceLimits]:
        if not command.folder.is_dir():
            raise SandboxError(f"the bot's folder {command.folder} is gone; add the bot again")
        limits = ResourceLimits(memory_mb, processes=self.most_processes, hosted=command.hosted)
        return command, limits

    def _make_cgroup(self, limits: ResourceLimits) -> Cgroup | None:
        number = str(next(self._numbers))
        return self._cgroups.make(number, memory=limits.total_mb << 20, processes=limits.processes)

    def _by_cgroups(self) -> dict[str, Degree]:
        """The protections that depend on control groups: enforced if these have everything needed."""
        held: dict[str, Degree] = dict.fromkeys(("processor-time", "waiting-time", "freezing"), "partial")
        for needed, names in _BY_GROUPS:
            if needed <= self._cgroups.gives:
                held.update(dict.fromkeys(names, "enforced"))
        return held


def program(name: str) -> str | None:
    """The path of a system program, or None if it is not installed."""
    return shutil.which(name, path=_SEARCHED)


@contextmanager
def _starting() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise SandboxError(with_limits(f"this machine cannot start a bot: {error.strerror}")) from error


SANDBOXES: Final = Registry[Sandbox](
    "sandbox",
    "sandboxes",
    Sandbox,
    SandboxError,
    "sandboxes",
)


def open_sandbox(level: SandboxLevel, private: Mapping[str, Path] = MappingProxyType({})) -> Sandbox:
    """The sandbox of a level, tried on this machine. Raises SandboxError if that is not possible.

    "off" is the plain one. Otherwise bubblewrap comes first, then those of plugins by name. If none of them
    works, "auto" is the plain one and "strict" fails, as it does for one that lacks a protection. ``private``
    are paths that no bot may see, by what they are: one that bots would see raises UsageError.
    """
    sandbox = _open(level)
    sandbox.refuse_exposed(private)
    return sandbox


def _open(level: SandboxLevel) -> Sandbox:
    if level == "off":
        return SANDBOXES.find_class("plain").open("off")
    reasons = []
    for name in _containing():
        kind = SANDBOXES.find_class(name)  # raises for a broken plugin, even with "auto"
        try:
            sandbox = kind.open(level)
            if level == "strict":
                require_all(sandbox)
        except SandboxError as error:
            reasons.append(str(error))
        else:
            return sandbox
    if level == "strict":
        raise SandboxError(f'sandbox = "strict" is not possible: {"; ".join(reasons)}')
    sandbox = SANDBOXES.find_class("plain").open("auto")
    sandbox.fallen = "; ".join(reasons)
    return sandbox


def _containing() -> Iterator[str]:
    """Yield the names of the sandboxes that contain bots; plugins are looked for only if they are needed."""
    yield "bubblewrap"
    yield from (name for name in SANDBOXES.names() if name not in SANDBOXES.own)


def require_all(sandbox: Sandbox) -> None:
    """Raise SandboxError, with the names, if a sandbox does not enforce all protections."""
    missing = [f"{name} ({degree})" for name, degree in sandbox.protections.items() if degree != "enforced"]
    if missing:
        lacks = with_limits(f"{sandbox.name} lacks {', '.join(missing)} on this machine")
        raise SandboxError(f'{lacks}; use sandbox = "auto" for the best that works here')


_RANKS: Final[Mapping[str, int]] = {"enforced": 2, "partial": 1, "absent": 0}


def lowered(now: Mapping[str, str], before: Mapping[str, str]) -> list[str]:
    """The protections whose degree is lower now than before, as "network (absent)"."""
    return [
        f"{name} ({degree})"
        for name in PROTECTIONS
        if _RANKS[degree := now.get(name, "absent")] < _RANKS[before.get(name, "absent")]
    ]


def lowest(readings: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """Each protection's lowest degree."""
    return {
        name: min((reading.get(name, "absent") for reading in readings), key=_RANKS.__getitem__)
        for name in PROTECTIONS
    }


def weaker_text(sandbox: Sandbox, lower: Sequence[str]) -> str:
    """A clause on the protections that a sandbox lacks, with the reason if known."""
    shown = ", ".join(lower[:_NAMED])
    more = f" and {len(lower) - _NAMED} more" if len(lower) > _NAMED else ""
    text = f"{sandbox.name} has less of {shown}{more}"
    return f"{text}, as {sandbox.fallen}" if sandbox.fallen else with_limits(text)
