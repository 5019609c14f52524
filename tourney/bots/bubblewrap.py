"""Bots under bubblewrap: namespaces of their own, a read-only system, and nothing else of the host."""

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from tourney.bots.command import BotCommand
from tourney.bots.group import ProcessGroup
from tourney.bots.sandbox import MAX_PROCESSES, Degree, Level, Sandbox, degrees, limit_words
from tourney.errors import SandboxError

BOT_FOLDER: Final = "/bot"
TMP_BYTES: Final = 64 * 1024 * 1024
SHM_BYTES: Final = 64 * 1024 * 1024
NOBODY: Final = 65534
"""The user that a bot runs under where the referee runs as root."""

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_ETC = ("alternatives", "ld.so.cache", "ld.so.conf", "ld.so.conf.d")
_MADE = frozenset(map(Path, ("/", "/etc", "/tmp")))  # noqa: S108 - inside
_PROBE_SECONDS = 20
_EXEC_FAILED = 128


class Bubblewrap(Sandbox):
    """Bubblewrap with namespaces, read-only mounts and limits. As root, bots run as nobody.

    Made by ``probe`` only, which tries it first.
    """

    kind = "bubblewrap"

    def __init__(self, level: Level, bwrap: str, prlimit: str, setpriv: str | None) -> None:
        super().__init__(level)
        self._prlimit = prlimit
        self._setpriv = setpriv
        self._fixed = [bwrap, *_namespaces(root=setpriv is not None), *_system(), *_private()]

    @classmethod
    def probe(cls, level: Level) -> "Bubblewrap":
        """Return the sandbox if a program starts in it here. Raises SandboxError that says why not."""
        bwrap, prlimit = _program("bwrap"), _program("prlimit")
        setpriv = _program("setpriv") if os.geteuid() == 0 else None
        sandbox = cls(level, bwrap, prlimit, setpriv)
        sandbox.check()
        return sandbox

    @property
    def protections(self) -> Mapping[str, Degree]:
        """The degree of every protection."""
        held: dict[str, Degree] = dict.fromkeys(
            (
                "environment",
                "process-group",
                "all-processes",
                "referee-death",
                "process-table",
                "network",
                "system",
                "host-files",
                "bot-folder",
                "private-tmp",
                "privileges",
                "address-space",
                "file-size",
                "core-dumps",
            ),
            "enforced",
        )
        # As root all bots are the same nobody, and share one count of processes; else they are the referee's
        # own user in another namespace, which older kernels count together with all that the user runs.
        held["own-user"] = held["process-count"] = "partial"
        return degrees(held)

    def wrap(self, command: BotCommand, memory_mb: int) -> list[str]:
        """Return the words that start a bot: its folder is ``/bot``, and its working directory."""
        words = list(self._fixed)
        shown = [path for path in command.read_only if not path.is_relative_to("/usr")]
        # Parents that bubblewrap makes by itself are closed to all but root.
        for parent in sorted({parent for path in shown for parent in path.parents} - _MADE):
            words += ["--perms", "0755", "--dir", str(parent)]
        for path in shown:
            words += ["--ro-bind", str(path), str(path)]
        words += [
            "--ro-bind",
            str(command.folder),
            BOT_FOLDER,
            "--remount-ro",
            "/",
            "--chdir",
            BOT_FOLDER,
            "--",
        ]
        if self._setpriv is not None:
            words += [self._setpriv, f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
            words += ["--inh-caps=-all", "--bounding-set=-all", "--no-new-privs", "--"]
        limits = [self._prlimit, f"--nproc={MAX_PROCESSES}", *limit_words(self._prlimit, memory_mb)[1:]]
        return [*words, *limits, *command.argv]

    def check(self) -> None:
        """Start a program that does nothing in it."""
        nothing = BotCommand(argv=("true",), folder=Path("/usr"), env=(("PATH", "/usr/bin:/bin"),))
        try:
            done = subprocess.run(  # noqa: S603 - our own words
                self.wrap(nothing, 1024),
                env=nothing.environ,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_PROBE_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise SandboxError(f"bubblewrap does not start here: {error}") from error
        if done.returncode != 0:
            said = done.stderr.decode("utf-8", "backslashreplace").strip().splitlines()
            why = said[-1][:200] if said else f"exit code {done.returncode}"
            raise SandboxError(f"bubblewrap does not work here ({why})")

    def group(self, process: "subprocess.Popen[bytes]") -> ProcessGroup:
        """Return the processes of a bot that was started."""
        return _Group(process)


class _Group(ProcessGroup):
    """The process group of bubblewrap: killing it ends the process namespace, and all in it."""

    _bot: int | None = None

    def cpu_pid(self) -> int | None:
        """Return the bot's own process: the child of the namespace's first process, which is ours."""
        if self._bot is None:
            first = _only_child(self.pid)
            self._bot = _only_child(first) if first is not None else None
        return self._bot

    def exit_words(self, code: int) -> str:
        """Say what an exit code means: beyond 128 it is the bot's signal, passed on."""
        return f"killed by signal {code - 128}" if code > _EXEC_FAILED else f"exited with code {code}"


def _only_child(pid: int) -> int | None:
    try:
        words = Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split()
    except OSError:
        return None
    return int(words[0]) if len(words) == 1 else None


def _program(name: str) -> str:
    path = shutil.which(name, path="/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin")
    if path is None:
        raise SandboxError(f"the program {name} is not installed")
    return path


def _namespaces(*, root: bool) -> list[str]:
    """Root needs no user namespace, and must keep what it takes to become nobody."""
    words = ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"]
    if root:
        words += ["--cap-drop", "ALL"]
        for capability in ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP"):
            words += ["--cap-add", capability]
    else:
        words.append("--unshare-user")
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
    for path in sorted(
        Path("/etc").glob("java*")
    ):  # a Java machine's own settings, which it cannot do without
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
