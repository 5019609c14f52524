"""Bots under bubblewrap: namespaces of their own, a read-only system, and nothing else of the host."""

import fcntl
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Self

from tourney.bots.catalogue.command import BotCommand
from tourney.bots.sandbox.base import Bounds, Cell, Degree, Level, Sandbox, degrees, limit_words, program
from tourney.bots.sandbox.cgroups import Cgroups, find_cgroups
from tourney.bots.sandbox.process_group import NamespaceGroup, ProcessGroup
from tourney.bots.sandbox.seccomp import seccomp_filter
from tourney.bots.sandbox.users import Users, hand_back, hand_over
from tourney.errors import SandboxError

BOT_FOLDER: Final = "/bot"
TMP_BYTES: Final = 64 * 1024 * 1024
SHM_BYTES: Final = 64 * 1024 * 1024

EXTRAS: Final = frozenset({"seccomp", "cgroups", "process-limit", "disable-userns"})
"""What is used where it works; each is left out where the sandbox does not start with it."""

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_ETC = ("alternatives", "ld.so.cache", "ld.so.conf", "ld.so.conf.d")
_MADE = frozenset(map(Path, ("/", "/etc", "/tmp")))  # noqa: S108 - inside
_ASIDE = "7>&1 1>&2"
_OUTER = ["/bin/sh", "-c", f'exec "$@" {_ASIDE}', "sh"]
_INNER = ["/bin/sh", "-c", 'exec "$@" 1>&7 7>&-', "sh"]
"""Bubblewrap's own processes keep what lies below 3 open: so the bot's output is put aside while they start,
or nobody would notice that a bot closed it."""
_UNSET = ["-u", "PWD", "-u", "OLDPWD", "-u", "SHLVL", "-u", "_"]
_ALWAYS: Final[tuple[str, ...]] = (
    *("environment", "process-group", "all-processes", "referee-death", "process-table", "network", "system"),
    *("host-files", "bot-folder", "private-tmp", "privileges", "own-user"),
    *("address-space", "open-files", "file-size", "core-dumps"),
)


class Bubblewrap(Sandbox):
    """Bubblewrap with namespaces, read-only mounts, limits, and ``extras``, some of EXTRAS.

    Where the referee is root each bot runs under a user of its own, otherwise in a user namespace. Made by
    ``probe``, which tries it first.
    """

    kind = "bubblewrap"

    def __init__(self, level: Level, extras: frozenset[str], users: Users, cgroups: Cgroups) -> None:
        super().__init__(level, cgroups if "cgroups" in extras else Cgroups(()))
        self._extras = extras
        self._users = users
        self._filter = seccomp_filter() if "seccomp" in extras else None
        bwrap = _needed("bwrap")
        self._prlimit = _needed("prlimit")
        self._env = _needed("env")
        self._setpriv = _needed("setpriv") if users.range is not None else None
        root = users.range is not None
        closed = "disable-userns" in extras and not root
        self._fixed = [bwrap, *_namespaces(root=root, closed=closed), *_system(), *_private()]

    @classmethod
    def probe(cls, level: Level) -> Self:
        """Return the sandbox, with all that works here. Raises SandboxError that says why there is none."""
        users, cgroups = Users.of_this_host(), find_cgroups()
        if os.geteuid() == 0 and users.range is None:
            raise SandboxError("this root's user namespace holds no users that bots could run under")
        whole = cls(level, EXTRAS, users, cgroups)
        if whole.works():
            return whole
        working = cls(level, frozenset(), users, cgroups)
        working.check()
        for extra in sorted(EXTRAS):
            more = cls(level, working._extras | {extra}, users, cgroups)
            if more.works():
                working = more
        return working

    def works(self) -> bool:
        """Say whether a program starts in it now."""
        try:
            self.check()
        except SandboxError:
            return False
        return True

    @property
    def protections(self) -> Mapping[str, Degree]:
        """The degree of every protection."""
        held: dict[str, Degree] = self._by_cgroups() | dict.fromkeys(_ALWAYS, "enforced")
        if self._filter is not None:
            held.update(dict.fromkeys(("system-calls", "user-namespaces", "processors"), "enforced"))
        if "disable-userns" in self._extras and self._setpriv is None:
            held["user-namespaces"] = "enforced"
        if "process-limit" in self._extras:
            held["process-count"] = "enforced"
        return degrees(held)

    def cell(self, command: BotCommand, bounds: Bounds, *, writable: bool = False) -> Cell:
        """Return what starts a bot: its folder is ``/bot``, and its working directory."""
        cgroup = self._cgroup(bounds)
        user = self._users.take()
        words = list(_OUTER) if cgroup is None else cgroup.join_words(_ASIDE)
        if user is None:
            # Then the bot may read the environment of bubblewrap itself, to which shells add.
            words += [self._env, *_UNSET]
        words += self._fixed
        shown = [path for path in command.read_only if not path.is_relative_to("/usr")]
        # Parents that bubblewrap makes by itself are closed to all but root.
        for parent in sorted({parent for path in shown for parent in path.parents} - _MADE):
            words += ["--perms", "0755", "--dir", str(parent)]
        for path in shown:
            words += ["--ro-bind", str(path), str(path)]
        words += ["--bind" if writable else "--ro-bind", str(command.folder), BOT_FOLDER, "--remount-ro", "/"]
        fds: tuple[int, ...] = ()
        if self._filter is not None:
            fds = (_memory_file(self._filter),)
            words += ["--seccomp", str(fds[0])]
        words += ["--chdir", "/", "--"]
        if self._setpriv is not None:
            words += [self._setpriv, f"--reuid={user}", f"--regid={user}", "--clear-groups"]
            words += ["--inh-caps=-all", "--bounding-set=-all", "--no-new-privs", "--"]
        words += limit_words(self._prlimit, bounds, processes="process-limit" in self._extras)
        # The folder may be closed to all but the bot; and some shells, and bubblewrap, set variables.
        words += [*_INNER, self._env, "-C", BOT_FOLDER, *_UNSET]
        if writable and user is not None:
            hand_over(command.folder, user)

        def release() -> None:
            self._users.give_back(user)
            if writable and user is not None:
                hand_back(command.folder)

        return Cell([*words, *command.argv], fds, cgroup, user, release)

    def group(self, process: "subprocess.Popen[bytes]", cell: Cell) -> ProcessGroup:
        """Return the processes of a bot that was started in a cell."""
        return NamespaceGroup(process, cell.cgroup, cell.release)


def _memory_file(content: bytes) -> int:
    """Return a descriptor to read this from, beyond those that a shell names by a digit.

    Each start has its own, for the place in it is shared.
    """
    low = os.memfd_create("filter", os.MFD_CLOEXEC)
    try:
        fd = fcntl.fcntl(low, fcntl.F_DUPFD_CLOEXEC, 10)
    finally:
        os.close(low)
    os.write(fd, content)
    os.lseek(fd, 0, os.SEEK_SET)
    return fd


def _needed(name: str) -> str:
    path = program(name)
    if path is None:
        raise SandboxError(f"the program {name} is not installed")
    return path


def _namespaces(*, root: bool, closed: bool) -> list[str]:
    """Root needs no user namespace, and must keep what it takes to become the bot's own user."""
    words = ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"]
    if root:
        words += ["--cap-drop", "ALL"]
        for capability in ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP"):
            words += ["--cap-add", capability]
    else:
        words.append("--unshare-user")
        if closed:
            words.append("--disable-userns")
    return [*words, "--hostname", "bot", "--die-with-parent"]


def _system() -> list[str]:
    words = ["--perms", "0755", "--dir", "/etc"]
    for path in map(Path, _SYSTEM):
        if path.is_symlink():
            words += ["--symlink", str(path.readlink()), str(path)]
        elif path.is_dir():
            words += ["--ro-bind", str(path), str(path)]
    for name in _ETC:
        words += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
    # A Java machine's own settings, which it cannot do without.
    for path in sorted(Path("/etc").glob("java*")):
        words += ["--ro-bind-try", str(path), str(path)]
    return words


def _private() -> list[str]:
    """Mount what is the bot's own; the last step makes the rest of ``/dev`` read-only."""
    return [
        *("--proc", "/proc", "--dev", "/dev"),
        *("--perms", "1777", "--size", str(SHM_BYTES), "--tmpfs", "/dev/shm"),  # noqa: S108 - in its own /dev
        *("--remount-ro", "/dev"),
        *("--perms", "1777", "--size", str(TMP_BYTES), "--tmpfs", "/tmp"),  # noqa: S108 - in its own root
    ]
