"""Sandboxes: what stands between a bot and the host. A level is asked for; what holds is said aloud.

``strict`` means every protection, or none of the bots is started; ``auto`` the best that works on this
machine; ``off`` a process group and nothing else, and only where it is asked for. A sandbox that cannot be
had or does not start is a SandboxError: the machine's failure and no bot's loss.
"""

import errno
import shutil
import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, Literal

from tourney.bots.channel import Channel
from tourney.bots.command import BotCommand
from tourney.bots.dead import DeadChannel
from tourney.bots.group import ProcessGroup, start
from tourney.bots.process import ProcessChannel
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
        "privileges": "no program gives the bot new privileges",
        "own-user": "the bot runs under a user of its own, which owns nothing",
        "address-space": "each process's memory is bounded",
        "total-memory": "the memory of all the bot's processes together is bounded",
        "process-count": "the number of the bot's processes is bounded",
        "file-size": "the size of a file is bounded",
        "core-dumps": "no core dumps are written",
        "system-calls": "dangerous system calls are refused",
    }
)
"""The protections by name, each in a line for people, in the order in which they are shown."""

MAX_FILE_BYTES: Final = 64 * 1024 * 1024
MAX_PROCESSES: Final = 512
"""Processes and threads of the user that a contained bot runs under."""
_BOTS_FAULT = frozenset(
    {errno.ENOENT, errno.EACCES, errno.EPERM, errno.ENOEXEC, errno.ENOTDIR, errno.EISDIR, errno.ELOOP}
    | {errno.E2BIG, errno.EINVAL, errno.ENAMETOOLONG, errno.ETXTBSY, errno.ELIBBAD}
)
"""What exec says of a program that cannot be run; all else is the machine's."""


class Sandbox(ABC):
    """Starts bots. ``level`` is what was asked for, ``kind`` a word for what does it."""

    kind: str

    def __init__(self, level: Level) -> None:
        self.level: Level = level

    @property
    @abstractmethod
    def protections(self) -> Mapping[str, Degree]:
        """The degree of every one of PROTECTIONS, in their order."""

    @abstractmethod
    def wrap(self, command: BotCommand, memory_mb: int) -> list[str]:
        """Return the words that start a bot inside, to be run in its folder."""

    @abstractmethod
    def check(self) -> None:
        """Start a program that does nothing. Raises SandboxError if the sandbox does not work now."""

    def group(self, process: "subprocess.Popen[bytes]") -> ProcessGroup:
        """Return the processes of a bot that was started."""
        return ProcessGroup(process)

    def spawn(
        self, command: BotCommand, *, memory_mb: int, clock: Callable[[], int] = time.monotonic_ns
    ) -> Channel:
        """Start a bot and return the channel to it. ``memory_mb`` is what each process of it may address.

        A program that cannot be run gives a channel that is closed from the start: that is the bot's fault.
        Raises SandboxError where the machine cannot start it.
        """
        if not command.folder.is_dir():
            raise SandboxError(f"the bot's folder {command.folder} is gone; add the bot again")
        try:
            process, pipes = start(self.wrap(command, memory_mb), cwd=command.folder, env=command.environ)
        except OSError as error:
            if error.errno in _BOTS_FAULT:
                return DeadChannel(f"{command.argv[0]} cannot be run: {error.strerror}")
            raise SandboxError(f"this machine cannot start a bot: {error.strerror}") from error
        return ProcessChannel(self.group(process), pipes, clock=clock)

    def as_json(self) -> dict[str, object]:
        """Return what is kept beside every record: level, kind, and each protection's degree."""
        return {"level": self.level, "kind": self.kind, "protections": dict(self.protections)}


class PlainSandbox(Sandbox):
    """No containment: a process group and the exact environment, with limits where ``prlimit`` sets them.

    ``limits`` is the path of the program ``prlimit``, or None to set none.
    """

    kind = "plain"

    def __init__(self, level: Level, limits: str | None = None) -> None:
        super().__init__(level)
        self._limits = limits

    @property
    def protections(self) -> Mapping[str, Degree]:
        """The degree of every protection."""
        held: dict[str, Degree] = {"environment": "enforced", "process-group": "enforced"}
        if self._limits:
            held.update({"address-space": "enforced", "file-size": "enforced", "core-dumps": "enforced"})
        return degrees(held)

    def wrap(self, command: BotCommand, memory_mb: int) -> list[str]:
        """Return the words that start a bot."""
        if self._limits is None:
            return list(command.argv)
        return [*limit_words(self._limits, memory_mb), *command.argv]

    def check(self) -> None:
        """Do nothing: there is nothing here that could fail."""


def degrees(held: Mapping[str, Degree]) -> dict[str, Degree]:
    """Return the degree of every protection; those not named are absent."""
    return {name: held.get(name, "absent") for name in PROTECTIONS}


def limit_words(prlimit: str, memory_mb: int) -> list[str]:
    """Return the words of ``prlimit`` that go before a bot's command."""
    return [
        prlimit,
        f"--as={memory_mb << 20}",
        f"--fsize={MAX_FILE_BYTES}",
        "--core=0",
        "--",
    ]


def open_sandbox(level: Level) -> Sandbox:
    """Return the sandbox of a level, tried on this machine. Raises SandboxError for what cannot be had."""
    from tourney.bots.bubblewrap import Bubblewrap  # noqa: PLC0415 - it builds on this module

    if level == "off":
        return PlainSandbox("off")
    try:
        sandbox: Sandbox = Bubblewrap.probe(level)
    except SandboxError as error:
        if level == "strict":
            raise SandboxError(f'sandbox = "strict" cannot be had: {error}') from error
        return PlainSandbox("auto", limits=shutil.which("prlimit"))
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
