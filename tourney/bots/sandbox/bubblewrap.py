"""The bubblewrap sandbox: namespaces, a read-only system, and nothing else of the host.

Where the referee is root, each bot runs under a user of its own: limits on processes count per user, and
processes of one user may signal each other. Otherwise it runs in a user namespace.
"""

import os
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final, Self

from tourney.bots.catalogue.command import PYTHON, BotCommand, command_of, interpreter_paths
from tourney.bots.sandbox.bot_processes import NamespaceProcesses
from tourney.bots.sandbox.cgroup_search import find_cgroups
from tourney.bots.sandbox.cgroups import Cgroups
from tourney.bots.sandbox.kernel_rules import READABLE, landlock_words, seccomp_filter
from tourney.bots.sandbox.launcher import AS_IT_IS, PLACE, compiled_launcher
from tourney.bots.sandbox.plain import prlimit_words
from tourney.bots.sandbox.processes import OUTPUT, high, output_of
from tourney.bots.sandbox.sandbox import Degree, Launch, ResourceLimits, Sandbox, all_degrees, program
from tourney.bots.sandbox.visible_files import (
    BOT_FOLDER,
    Copy,
    add_accounts,
    add_figures,
    add_file,
    add_folder,
    add_shown,
    can_move,
    is_private,
    memory_file,
    moved,
    private_words,
    system_paths,
    system_words,
)
from tourney.errors import SandboxError
from tourney.schema import SandboxLevel

EXTRAS: Final = frozenset(
    {"seccomp", "cgroups", "process-limit", "disable-userns", "empty-tmp", "landlock", "launcher"}
)
"""Optional parts: each is left out if the sandbox does not start with it."""

USERS_PER_PROCESS: Final = 32  # users that one referee hands out; more bots than that at a time share them
_USER_RANGES: Final = ((1_879_048_192, 268_304_384), (61_184, 4_336), (10_000, 50_000), (1, 65_533))
"""First user and count, the best range first: a container's user namespace may lack the high ones."""

_PACKAGES: Final = {
    "bwrap": "bubblewrap",
    "env": "coreutils",
    **dict.fromkeys(("prlimit", "setpriv"), "util-linux"),
}
_UNSET = ["-u", "PWD", "-u", "OLDPWD", "-u", "SHLVL", "-u", "_"]
_SHELL = "/bin/sh"
_LIMITS = "/proc/self/limits"
_ADDED = "line PWD OLDPWD SHLVL _"  # variables that some shells, and bubblewrap, set
_HOLD = f"echo >&{OUTPUT} && read -r line && cd {BOT_FOLDER} && unset {_ADDED}"
"""What a shell does before it becomes the bot: it says that it is ready, waits for a line, and enters the
bot's folder, which perhaps only the bot may enter."""
_ALWAYS: Final[tuple[str, ...]] = (
    *("environment", "process-group", "all-processes", "referee-death", "process-table", "network", "system"),
    *("host-files", "bot-folder", "private-files", "private-tmp", "privileges", "own-user"),
    *("address-space", "open-files", "file-size", "core-dumps"),
)

_BY_FILTER: Final = ("system-calls", "user-namespaces", "file-locks", "processors")


class Users:
    """Hands out unnamed users to bots; ``range`` is (first, count), or None if this process cannot switch.

    The numbers follow from this process's own, so workers need not coordinate, and lie where no distribution
    puts users.
    """

    def __init__(self, range_: tuple[int, int] | None, process: int | None = None) -> None:
        self.range = range_
        self._process = os.getpid() if process is None else process
        self._taken: dict[int, int] = {}

    @classmethod
    def of_this_host(cls) -> "Users":
        """The users that this process may become: none unless it is root."""
        if os.geteuid() != 0:
            return cls(None)
        return cls(find_range(Path("/proc/self/uid_map").read_text("ascii")))

    def take(self) -> int | None:
        """A user that no bot of this process has, or the one shared by the fewest bots."""
        if self.range is None:
            return None
        first, count = self.range
        # Neighbouring processes get other users, until their numbers wrap around in the range.
        users = (first + (self._process * USERS_PER_PROCESS + k) % count for k in range(USERS_PER_PROCESS))
        user = min(users, key=lambda user: self._taken.get(user, 0))
        self._taken[user] = self._taken.get(user, 0) + 1
        return user

    def give_back(self, user: int | None) -> None:
        """Take back the user of a bot that has ended."""
        if user is not None:
            self._taken[user] -= 1


def find_range(uid_map: str) -> tuple[int, int] | None:
    """The best range that lies wholly within a ``/proc/PID/uid_map``, or None."""
    held = [(int(inside), int(count)) for inside, _, count in (line.split() for line in uid_map.splitlines())]
    for first, count in _USER_RANGES:
        if any(start <= first and first + count <= start + size for start, size in held):
            return first, count
    return None


class Bubblewrap(Sandbox):
    """Bubblewrap with namespaces, read-only mounts, limits, and ``extras``, some of EXTRAS."""

    name = "bubblewrap"
    processes = NamespaceProcesses
    source_folder = "/source"
    holds = True

    def __init__(self, level: SandboxLevel, extras: frozenset[str], users: Users, cgroups: Cgroups) -> None:
        super().__init__(level, cgroups if "cgroups" in extras else Cgroups(()))
        self._extras = extras
        self._users = users
        self._filters = "seccomp" in extras and seccomp_filter() is not None
        self._bwrap = _needed("bwrap")
        self._env = _needed("env")
        self._prlimit = _needed("prlimit")
        root = users.range is not None
        self._launcher = compiled_launcher() if "launcher" in extras else None
        self._setpriv = _needed("setpriv") if root and self._launcher is None else None
        closed = "disable-userns" in extras and not root
        perl = program("perl") if "landlock" in extras and self._launcher is None else None
        self._landlock = [] if perl is None else landlock_words(perl)
        self._reads_listed = "landlock" in extras and (self._launcher is not None or perl is not None)
        self._fixed = [*_namespaces(root=root, closed=closed), *system_words(), *private_words()]

    @classmethod
    def open(cls, level: SandboxLevel) -> Self:
        """The sandbox with all extras that work here. Raises SandboxError if it does not start."""
        users = Users.of_this_host()
        cgroups = find_cgroups()
        # As root without other users, a bot would run as root inside, with the rights of every file's owner.
        if os.geteuid() == 0 and users.range is None:
            raise SandboxError("the user namespace of this root has no users for the bots")
        whole = cls(level, EXTRAS, users, cgroups)
        if whole._works():
            return whole
        working = cls(level, frozenset(), users, cgroups)
        working.check()
        # One by one: a part that does not work here must not cost the others.
        for extra in sorted(EXTRAS):
            more = cls(level, working._extras | {extra}, users, cgroups)
            if more._works():
                working = more
        return working

    def _works(self) -> bool:
        try:
            self.check()
            # The interpreter that runs Tourney may lie below /tmp, and not work in another place.
            if "empty-tmp" in self._extras and any(map(is_private, interpreter_paths())):
                words = (PYTHON, "-B", "-s", "-c", "import tourney.bot")
                self.check_command(command_of(words, Path("/usr")))
                return can_move(PYTHON)
        except SandboxError:
            return False
        return True

    @property
    def protections(self) -> Mapping[str, Degree]:
        """The degree of every protection."""
        held: dict[str, Degree] = self._by_cgroups() | dict.fromkeys(_ALWAYS, "enforced")
        held["system-figures"] = "enforced" if self._filters and self._reads_listed else "partial"
        if self._filters:
            held.update(dict.fromkeys(_BY_FILTER, "enforced"))
            accounted: Degree = "enforced" if "total-memory" in held else "partial"
            held |= {"sockets": accounted, "page-cache": accounted if self._reads_listed else "partial"}
        if "disable-userns" in self._extras and self._users.range is None:
            held["user-namespaces"] = "enforced"
        if "process-limit" in self._extras:
            held["process-count"] = "enforced"
        if "empty-tmp" not in self._extras:
            held["private-tmp"] = "partial"
        return all_degrees(held)

    @property
    def starter(self) -> str:
        """The compiled launcher, or the programs that take its place."""
        if self._launcher is not None:
            return "the compiled launcher"
        why = "it does not start here" if compiled_launcher() is not None else "it is not compiled"
        perl = "Perl, " if self._landlock else ""
        return f"setpriv, {perl}and a shell in place of the launcher, as {why}"

    @property
    def shown(self) -> Sequence[Path]:
        """The paths of the system, the interpreter, the SDK and the games."""
        return (*system_paths(), *interpreter_paths())

    def weakened(self, folder: Path, memory_mb: int) -> Mapping[str, str]:
        """The partial protection with its reason if a bot's files are too large to be copied."""
        return Copy.of(folder, memory_mb).weakened

    def prepare(self, command: BotCommand, limits: ResourceLimits, *, writable: bool = False) -> Launch:
        """Prepare the start of a bot: its folder is shown as ``/bot``, and is its working directory."""
        if "empty-tmp" in self._extras:
            command = moved(command)
        user = self._users.take()
        launch = Launch([], words=list(self._fixed), release=lambda: self._users.give_back(user))
        try:
            launch.cgroup = self._make_cgroup(limits)
            self._add_mounts(launch, command, limits, writable=writable)
            add_accounts(launch, *((os.getuid(), os.getgid()) if user is None else (user, user)))
            # By /proc a bot could lower its weight (autogroup) so as to wait for a processor on purpose, move
            # the machine's number of logins, or leave notes on pages (clear_refs).
            launch.words += ["--remount-ro", "/", "--remount-ro", "/proc", "--chdir", "/"]
            # Bubblewrap reads its options when it is in its groups, so all that it starts is in them.
            words, launch.words_to = os.pipe()
            launch.fds.append(high(words))
        except BaseException:
            launch.abandon()
            raise
        launch.argv = [self._bwrap, "--args", str(launch.fds[-1]), "--"]
        if self._launcher is not None:
            launch.argv += self._launcher_words(command, limits, user, writable=writable)
            return launch
        if self._setpriv is not None:
            launch.argv += [self._setpriv, f"--reuid={user}", f"--regid={user}", "--clear-groups"]
            launch.argv += ["--inh-caps=-all", "--bounding-set=-all", "--no-new-privs", "--"]
        launch.argv += [*([] if writable else self._landlock), *self._inner_words(command, limits)]
        return launch

    def _add_mounts(
        self, launch: Launch, command: BotCommand, limits: ResourceLimits, *, writable: bool
    ) -> None:
        """Add the files that a bot or a build sees besides the system, and its filter of system calls."""
        if self._launcher is not None:
            # A copy for each sandbox: one file for all would be a place of which bots could leave traces.
            add_file(launch, memory_file(self._launcher), "--file", PLACE, "0555")
        add_shown(launch, command.read_only, move="empty-tmp" in self._extras)
        add_figures(launch, limits.memory_mb)
        if writable:
            launch.words += ["--ro-bind", str(command.folder), self.source_folder]
            launch.words += ["--perms", "0777", "--size", str(limits.folder_mb << 20), "--tmpfs", BOT_FOLDER]
        else:
            add_folder(launch, command.folder, limits.memory_mb)
        if self._filters and (program := seccomp_filter(build=writable)) is not None:
            launch.fds.append(memory_file(program))
            launch.words += ["--seccomp", str(launch.fds[-1])]

    def _launcher_words(
        self, command: BotCommand, limits: ResourceLimits, user: int | None, *, writable: bool
    ) -> list[str]:
        """The words of the launcher (``launcher.c``), which does what the chain of programs below does."""
        processes = limits.processes if "process-limit" in self._extras else AS_IT_IS
        bounds = (limits.address_mb << 20, limits.file_mb << 20, limits.open_files, processes)
        return [
            PLACE,
            AS_IT_IS if user is None else str(user),
            READABLE if self._reads_listed and not writable else AS_IT_IS,
            ",".join(map(str, bounds)),
            BOT_FOLDER,
            *(f"{name}={value}" for name, value in command.env.items()),
            *("--", "--"),
            *command.argv,
        ]

    def _inner_words(self, command: BotCommand, limits: ResourceLimits) -> list[str]:
        """The words that limit a process in the sandbox, let it wait, and make it the bot."""
        bounded = "process-limit" in self._extras
        flag = _processes_flag()
        before = [] if flag else prlimit_words(self._prlimit, limits, processes=bounded)
        bounds = [_ulimits(limits, flag if bounded else "")] if flag else []
        # The variables come last, because the programs before take longer with a language.
        env = [f"{name}={value}" for name, value in command.env.items()]
        # By their numbers, quoted: the shell parses no value and no word of the bot's.
        names = " ".join(f'"${{{k}}}"' for k in range(1, len(env) + 1))
        export = [f"export {names}", f"shift {len(env)}"] if env else []
        script = " && ".join([*bounds, _HOLD, *export, f'exec "$@" 1>&{OUTPUT} {OUTPUT}>&-'])
        last = [] if _shell_is_exact() else [self._env, *_UNSET]
        return [*before, _SHELL, "-c", script, "sh", *env, *last, *command.argv]


def _ulimits(limits: ResourceLimits, flag: str) -> str:
    """The commands of a shell that set limits; ``flag`` limits processes, "" if they are not limited."""
    limited = {"v": limits.address_mb << 10, "f": limits.file_mb << 11, "n": limits.open_files, "c": 0}
    if flag:
        limited[flag] = limits.processes
    return " && ".join(f"ulimit -{key} {value}" for key, value in limited.items())


@cache
def _processes_flag() -> str:
    """The flag with which the shell's ``ulimit`` limits processes, as it differs from shell to shell.

    The answer is "" if the kernel does not have the limits afterwards: then a program has to set them.
    """
    limits = ResourceLimits(memory_mb=1 << 10, processes=100, file_mb=1, open_files=100)
    wanted = {"address space": 1 << 30, "file size": 1 << 20, "open files": 100}
    wanted |= {"core file size": 0, "processes": 100}
    for flag in "pu":
        script = f'{_ulimits(limits, flag)} && exec "$@"'
        printed = output_of([_SHELL, "-c", script, "sh", "/bin/cat", _LIMITS]) or ""
        rows = {line[:26].strip(): line[26:].split()[:2] for line in printed.splitlines()}
        if all(rows.get(f"Max {name}") == [str(value)] * 2 for name, value in wanted.items()):
            return flag
    return ""


@cache
def _shell_is_exact() -> bool:
    """Whether the shell, after ``unset``, adds no variable to the program that replaces it."""
    script = f'unset {_ADDED}; export "$1" && shift && exec "$@"'
    return output_of([_SHELL, "-c", script, "sh", "A=1", _needed("env")]) == "A=1\n"


def _needed(name: str) -> str:
    path = program(name)
    if path is None:
        raise SandboxError(
            f"the program {name} is not installed; install {_PACKAGES[name]} (see"
            " docs/explanation/containment.md)"
        )
    return path


def _namespaces(*, root: bool, closed: bool) -> list[str]:
    """Root needs no user namespace, and must keep the capabilities to become the bot's user.

    The session is new because a bot of bubblewrap's own user could end bubblewrap, which is outside the
    namespace, by a signal to the process group.
    """
    words = ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"]
    if root:
        words += ["--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
        words += ["--cap-add", "CAP_SETPCAP"]
    else:
        words += ["--unshare-user", *(["--disable-userns"] if closed else [])]
    return [*words, "--hostname", "bot", "--die-with-parent", "--new-session"]
