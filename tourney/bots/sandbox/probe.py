"""What a sandbox holds back, found out by a canary that tries: protections as they are, not as claimed."""

import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

from tourney.bots.catalogue.command import BotCommand, environment, interpreter_paths
from tourney.bots.channel.base import Channel
from tourney.bots.sandbox import canary
from tourney.bots.sandbox.base import MAX_PROCESSES, PROTECTIONS, Degree, ResourceLimits, Sandbox
from tourney.errors import SandboxError

MEMORY_MB: Final = 512
BURN_SECONDS: Final = 0.5
_PATIENCE_NS: Final = 60 * 10**9
_GONE_SECONDS: Final = 3.0
_TICKS: Final = 20
_LOOKS: Final = 10
_SIGKILL_PENDS: Final = 1 << (signal.SIGKILL - 1)

TRIED: Final[Mapping[str, tuple[str, ...]]] = {
    "environment": ("variables",),
    "process-table": ("see-referee", "signal-referee"),
    "network": ("loopback", "abstract-socket", "routes"),
    "system": ("system",),
    "host-files": ("read", "write", "home"),
    "bot-folder": ("own-folder",),
    "private-tmp": ("shared-tmp", "fill"),
    "privileges": ("rights",),
    "own-user": ("somebody",),
    "user-namespaces": ("namespaces",),
    "address-space": ("map",),
    "total-memory": ("memory-by-children",),
    "process-count": ("processes",),
    "open-files": ("open-files",),
    "file-size": ("large-file",),
    "core-dumps": ("core-dump",),
    "system-calls": ("system-calls",),
    "processors": ("processors",),
}
"""The probes for each protection that a bot can try by itself. The others need a look from outside."""
_APART: Final = ("memory-by-children",)
"""Probes that may end the canary: each has one of its own."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What came of one protection: the degree to which it holds, and in words what was tried."""

    protection: str
    degree: Degree
    said: str


def probe_sandbox(sandbox: Sandbox) -> Iterator[Finding]:
    """Yield a finding for every protection, in their order. Raises SandboxError where no canary starts."""
    with _Examination(sandbox) as examination:
        probes = [probe for probes in TRIED.values() for probe in probes]
        results = examination.try_all([probe for probe in probes if probe not in _APART])
        for probe in _APART:
            results |= examination.try_all([probe])
        outside: dict[str, Callable[[], Finding]] = {
            "process-group": lambda: examination.outlive("process-group", ("child",)),
            "all-processes": lambda: examination.outlive("all-processes", ("child", "daemon")),
            "referee-death": examination.orphan,
            "processor-time": examination.work_unseen,
            "freezing": examination.hold_still,
        }
        for name in PROTECTIONS:
            if name in TRIED:
                yield _judge(name, [results[probe] for probe in TRIED[name]])
            else:
                yield outside[name]()


class _Examination:
    """A folder with secrets, listeners, and canaries that are to get at them."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._stack = ExitStack()
        self._token = secrets.token_hex(8)
        self._facts: dict[str, Any] = {}
        self._folder = Path()

    def __enter__(self) -> Self:
        """Lay out what canaries are to find."""
        with self._stack as stack:
            home = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="tourney-doctor-")))
            home.chmod(0o755)
            self._folder = home / "bot"
            self._folder.mkdir()
            secret = home / "tourney.db"
            secret.write_bytes(b"secret")
            port = stack.enter_context(_listener(socket.AF_INET, ("127.0.0.1", 0))).getsockname()[1]
            abstract = f"tourney-doctor-{self._token}"
            stack.enter_context(_listener(socket.AF_UNIX, f"\0{abstract}"))
            self._facts = {
                "token": self._token,
                "secret": str(secret),
                "shared": str(home),
                "home": str(Path.home()),
                "private": _private_entries(Path.home()),
                "fill_mb": 160,
                "referee": os.getpid(),
                "referee_words": Path("/proc/self/cmdline").read_bytes().hex(),
                "port": port,
                "abstract": abstract,
                "user": os.getuid(),
                "user_namespace": str(Path("/proc/self/ns/user").readlink()),
                "memory_mb": MEMORY_MB,
                "processes": MAX_PROCESSES + 64,
                "files": 2 * ResourceLimits().open_files,
                "file_mb": ResourceLimits().file_mb,
                "burn": BURN_SECONDS,
            }
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        """End all canaries and take everything away."""
        for pid in self.left():
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        self._stack.close()

    def command(self, probes: Sequence[str], **facts: object) -> BotCommand:
        """Return what starts a canary."""
        plan = json.dumps({**self._facts, **facts, "probes": list(probes)})
        program = str(Path(canary.__file__).resolve())
        words = (sys.executable, "-I", "-S", "-B", program, plan)
        return BotCommand(words, self._folder, environment(), interpreter_paths())

    @contextmanager
    def canary(self, probes: Sequence[str], **facts: object) -> Iterator[Channel]:
        """Start a canary and end it."""
        channel = self._sandbox.spawn(self.command(probes, **facts), memory_mb=MEMORY_MB)
        try:
            yield channel
        finally:
            channel.close(0)

    def try_all(self, probes: Sequence[str]) -> dict[str, tuple[bool, str]]:
        """Let one canary try all; what it did not live to tell did not work."""
        results = dict.fromkeys(probes, (False, "the canary was killed"))
        with self.canary(probes) as channel:
            heard, why = _hear(channel)
            for line in heard:
                name, could, words = line.split(" ", 2)
                results[name] = (could == "could", words)
            if not heard and len(probes) > 1:
                errors = " ".join(channel.take_stderr())[-300:]
                raise SandboxError(f"the canary does not start in the sandbox: {why} {errors}".rstrip())
        return results

    def outlive(self, name: str, ways: Sequence[str]) -> Finding:
        """Let canaries leave processes behind, and look for them when the match would be over."""
        outcomes = []
        for way in ways:
            with self.canary([way]) as channel:
                _hear(channel)
            left = self.gone()
            outcomes.append(
                (bool(left), f"{way}: {'outlived the match' if left else 'ended with the match'}")
            )
        return _judge(name, outcomes)

    def orphan(self) -> Finding:
        """Kill a process that referees canaries, and look for them."""
        outcomes = []
        for way in ("itself", "daemon"):
            words = [sys.executable, "-B", "-m", "tourney.bots.sandbox.probe", self._sandbox.level]
            command = self.command([way] if way in canary.PROBES else [])
            plan = json.dumps([list(command.argv), str(command.folder)])
            with subprocess.Popen([*words, plan], stdout=subprocess.PIPE) as referee:  # noqa: S603 - our own words
                assert referee.stdout is not None  # noqa: S101 - a pipe was asked for
                up = referee.stdout.readline()
                referee.kill()
            if not up:
                raise SandboxError("the canary's referee does not start")
            left = self.gone()
            self._sandbox.sweep()
            outcomes.append((bool(left), f"{way}: {'outlived its referee' if left else 'died with it'}"))
        return _judge("referee-death", outcomes)

    def work_unseen(self) -> Finding:
        """Let a canary work by a child that nobody waits for, and look whether its time is known."""
        with self.canary(["unseen-work"]) as channel:
            heard, _ = _hear(channel)
            used = channel.cpu_ms() or 0
        if not heard:
            return Finding("processor-time", "absent", "the canary could not try")
        seen = used >= BURN_SECONDS * 1000
        said = f"{used} ms are known of at least {BURN_SECONDS * 1000:.0f} ms that a child used"
        return Finding("processor-time", "enforced" if seen else "partial", said)

    def hold_still(self) -> Finding:
        """Freeze canaries that write without end, and listen, as long as one that is not frozen writes."""
        outcomes = []
        for way in ("child", "daemon"):
            with (
                _on_one_processor(),
                self.canary([way], ticks=True) as channel,
                self.canary(["child"], ticks=True) as control,
            ):
                _hear(channel)
                _hear(control)
                channel.freeze()
                still = _falls_silent(channel, control)
                channel.thaw()
            outcomes.append((not still, f"{way}: {'held still' if still else 'went on'}"))
        return _judge("freezing", outcomes)

    def gone(self) -> list[int]:
        """Wait for all canaries to be gone; return those that are not, and kill them.

        Those that were killed before are waited for longer: a busy machine lets them go late.
        """
        soon = time.monotonic() + _GONE_SECONDS
        late = soon + _PATIENCE_NS / 1e9
        while left := self.left():
            now = time.monotonic()
            if now >= late or (now >= soon and not any(map(_is_dying, left))):
                break
            time.sleep(0.01)
        for pid in left:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        return left

    def left(self) -> list[int]:
        """Return the canaries that are there, in whatever session or namespace."""
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                words = (process / "cmdline").read_bytes()
                if self._token.encode("ascii") in words and int(process.name) != os.getpid():
                    found.append(int(process.name))
        return found


def _judge(name: str, outcomes: Collection[tuple[bool, str]]) -> Finding:
    """Return a finding: enforced if no probe worked, absent if all did."""
    worked = [said for could, said in outcomes if could]
    if not worked:
        return Finding(name, "enforced", "; ".join(dict.fromkeys(said for _, said in outcomes)))
    return Finding(name, "absent" if len(worked) == len(outcomes) else "partial", "; ".join(worked))


def _hear(channel: Channel) -> tuple[list[str], str]:
    """Return a canary's lines until it is done, and how it ended if it ended before."""
    lines: list[str] = []
    channel.request(b"")
    deadline = time.monotonic_ns() + _PATIENCE_NS
    while (event := channel.wait(deadline)).kind == "line" and event.text != "done":
        if event.text != "tick":
            lines.append(event.text)
    return lines, event.text


def _falls_silent(channel: Channel, control: Channel) -> bool:
    """Say whether nothing more comes of a canary that writes all the time, while another one's ticks come."""
    for _ in range(_LOOKS):
        channel.pending()
        channel.request(b"")
        for _ in range(_TICKS):
            control.request(b"")
            if control.wait(time.monotonic_ns() + _PATIENCE_NS).kind != "line":
                return False
        if not channel.pending():
            return True
    return False


@contextmanager
def _on_one_processor() -> Iterator[None]:
    """Let what is started here share a processor, so that none of it runs much while another cannot."""
    try:
        before = os.sched_getaffinity(0)
    except AttributeError:  # not Linux
        yield
        return
    os.sched_setaffinity(0, {min(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def _is_dying(pid: int) -> bool:
    """Say whether a process was killed and has not got round to it."""
    with suppress(OSError, ValueError):
        for line in Path(f"/proc/{pid}/status").read_text("ascii", "replace").splitlines():
            name, _, value = line.partition(":")
            if name in ("SigPnd", "ShdPnd") and int(value, 16) & _SIGKILL_PENDS:
                return True
    return False


def _private_entries(home: Path) -> list[str]:
    """Return the entries of a home folder that no bot is shown: all that the interpreter does not need."""
    shown = interpreter_paths()
    if home in (Path("/"), Path("/tmp")):  # noqa: S108 - everybody's own
        return []
    with suppress(OSError):
        return sorted(p.name for p in home.iterdir() if not any(s.is_relative_to(p) for s in shown))
    return []


@contextmanager
def _listener(family: int, address: Any) -> Iterator[socket.socket]:
    with socket.socket(family, socket.SOCK_STREAM) as listening:
        listening.bind(address)
        listening.listen()
        yield listening


def _referee(level: str, plan: str) -> None:
    """Start a canary, say so, and wait to be killed."""
    from tourney.bots.sandbox.base import open_sandbox  # noqa: PLC0415 - for this alone

    words, folder = json.loads(plan)
    sandbox = open_sandbox(level)  # type: ignore[arg-type]  # our own words
    channel = sandbox.spawn(
        BotCommand(tuple(words), Path(folder), environment(), interpreter_paths()), memory_mb=MEMORY_MB
    )
    _hear(channel)
    sys.stdout.write("up\n")
    sys.stdout.flush()
    signal.pause()


if __name__ == "__main__":
    _referee(*sys.argv[1:])
