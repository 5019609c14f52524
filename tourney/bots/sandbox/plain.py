"""The plain sandbox: no containment, but a process group, the exact environment, and limits if wanted."""

from collections.abc import Mapping
from typing import Self

from tourney.bots.catalogue.command import BotCommand
from tourney.bots.sandbox.cgroup_search import find_cgroups
from tourney.bots.sandbox.cgroups import Cgroups
from tourney.bots.sandbox.processes import output_of
from tourney.bots.sandbox.sandbox import Degree, Launch, ResourceLimits, Sandbox, all_degrees, program
from tourney.schema import SandboxLevel


class PlainSandbox(Sandbox):
    """Starts bots without containment.

    ``prlimit`` and ``setpriv`` are the paths of these programs, or None to do without. The first sets
    limits; the second makes the kernel kill the bot's first process when its referee dies.
    """

    name = "plain"

    def __init__(
        self,
        level: SandboxLevel,
        prlimit: str | None = None,
        setpriv: str | None = None,
        cgroups: Cgroups = Cgroups(()),  # noqa: B008 - a frozen value
    ) -> None:
        super().__init__(level, cgroups)
        self._prlimit = prlimit
        self._setpriv = setpriv

    @classmethod
    def open(cls, level: SandboxLevel) -> Self:
        """The sandbox with all limits that work here; with the level "off", without limits."""
        setpriv = program("setpriv")
        # Old versions cannot tie a process to its parent's life.
        if setpriv is not None and output_of([setpriv, "--pdeathsig", "KILL", "--", "true"]) is None:
            setpriv = None
        if level == "off":
            return cls(level, setpriv=setpriv)
        return cls(level, program("prlimit"), setpriv, find_cgroups())

    @property
    def protections(self) -> Mapping[str, Degree]:
        """The degree of every protection."""
        # The bot's environment is exact, but the bot can read that of other processes.
        held: dict[str, Degree] = {"environment": "partial", "process-group": "enforced"}
        if self._prlimit:
            held.update(dict.fromkeys(("address-space", "open-files", "file-size", "core-dumps"), "enforced"))
        if self._setpriv:
            held["referee-death"] = "partial"
        return all_degrees(held | self._by_cgroups())

    def prepare(self, command: BotCommand, limits: ResourceLimits, *, writable: bool = False) -> Launch:  # noqa: ARG002 - every folder is writable
        """The command line that starts a bot."""
        cgroup = self._make_cgroup(limits)
        argv = [] if cgroup is None else cgroup.join_words()
        if self._setpriv is not None:
            argv += [self._setpriv, "--pdeathsig", "KILL", "--"]
        if self._prlimit is not None:
            argv += prlimit_words(self._prlimit, limits)
        return Launch([*argv, *command.argv], cgroup=cgroup)


def prlimit_words(prlimit: str, limits: ResourceLimits, *, processes: bool = False) -> list[str]:
    """The ``prlimit`` command that goes before a bot's.

    The kernel counts ``processes`` per user, so only bots with a user of their own can have that limit.
    """
    return [
        prlimit,
        f"--as={limits.address_mb << 20}",
        f"--fsize={limits.file_mb << 20}",
        f"--nofile={limits.open_files}",
        "--core=0",
        *([f"--nproc={limits.processes}"] if processes else []),
        "--",
    ]
