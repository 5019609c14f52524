"""Finds out with a canary bot which protections of a sandbox hold in fact."""

import fcntl
import json
import mmap
import os
import re
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple, Self

import tourney
from tourney.bots.catalogue.command import PYTHON, BotCommand, command_of, interpreter_paths
from tourney.bots.channel.interface import Channel
from tourney.bots.sandbox import canary, canary_tools
from tourney.bots.sandbox.canary_tools import CACHED_BYTES, cached_pages, drop_pages, shared_library
from tourney.bots.sandbox.processes import free_processors, started_on
from tourney.bots.sandbox.sandbox import (
    MAX_PROCESSES,
    PROTECTIONS,
    Degree,
    ResourceLimits,
    Sandbox,
    open_sandbox,
)
from tourney.bots.sandbox.visible_files import PRIVATE, is_private, new_place, system_paths
from tourney.errors import SandboxError

MEMORY_MB: Final = 512
BURN_SECONDS: Final = 0.5
_TIMEOUT_NS: Final = 60 * 10**9
_GONE_SECONDS: Final = 3.0
_TICKS: Final = 20
_LOOKS: Final = 10
CROWD: Final = 8  # children of a canary that compete with each other for a processor
_SIGKILL_PENDING: Final = 1 << (signal.SIGKILL - 1)

_MOST_ENTRIES: Final = 100  # of a folder: their names are on the canary's command line
_ALONE: Final = ("memory-by-children", "queued-memory")
"""Probes that may end the canary: each gets a canary of its own."""


class ProbeFinding(NamedTuple):
    """The degree of a protection, and a sentence on the canary's success or failure."""

    protection: str
    degree: Degree
    sentence: str


def probe_sandbox(sandbox: Sandbox, private: Collection[Path] = ()) -> Iterator[ProbeFinding]:
    """Yield a finding for every protection, in their order. Raises SandboxError if no canary starts.

    ``private``: more paths that the canary tries to see, such as a database.

    A protection that holds against the canary counts no more than the sandbox promises.
    """
    with _Probing(sandbox, private) as probing:
        names = [name for tried in canary.TRIED.values() for name in tried if name not in _ALONE]
        results = probing.try_all(names)
        for name in _ALONE:
            results |= probing.try_all([name])
        outside = {
            "process-group": lambda: probing.outlive_match("process-group", ("child",)),
            "all-processes": lambda: probing.outlive_match("all-processes", ("child", "daemon")),
            "referee-death": probing.outlive_referee,
            "processor-time": probing.use_unreaped_time,
            "waiting-time": probing.wait_for_processor,
            "freezing": probing.write_while_frozen,
            "page-cache": probing.leave_traces,
        }
        for protection in PROTECTIONS:
            if protection in canary.TRIED:
                finding = _judge(protection, [results[name] for name in canary.TRIED[protection]])
            else:
                finding = outside[protection]()
            promised = sandbox.protections[protection]
            if finding.degree == "enforced" != promised:
                sentence = f"{finding.sentence}; held this time, which is not promised"
                finding = ProbeFinding(protection, promised, sentence)
            yield finding


class _Probing:
    """A folder with secrets, listeners, and the canaries that try to reach them."""

    def __init__(self, sandbox: Sandbox, private: Collection[Path]) -> None:
        self._sandbox = sandbox
        self._private = private
        self._stack = ExitStack()
        self._token = secrets.token_hex(8)
        self._folder = self._library = Path()
        self._facts: canary_tools.Facts

    def __enter__(self) -> Self:
        with self._stack as stack:
            shared = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="tourney-doctor-")))
            shared.chmod(0o755)
            self._folder = shared / "bot"
            self._folder.mkdir()
            for module in (canary, canary_tools):
                # In folders of the same names, so that they import each other there, too.
                copy = self._folder / (module.__name__.replace(".", "/") + ".py")
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_bytes(Path(str(module.__file__)).read_bytes())
            sample = self._folder / "sample"
            sample.write_bytes(b"sample")
            self._library = Path(stack.enter_context(shared_library()))
            secret = shared / "tourney.db"
            secret.write_bytes(b"secret")
            server = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
            listener = stack.enter_context(socket.socket(socket.AF_UNIX))
            listener.bind(f"\0tourney-doctor-{self._token}")
            listener.listen()
            limits = ResourceLimits()
            self._facts = canary_tools.Facts(
                token=self._token,
                secret=str(secret),
                shared=str(shared),
                private=[
                    (place, names)
                    for folder, names in private_entries(self._private).items()
                    for place in dict.fromkeys((str(folder), str(new_place(folder))))
                ],
                folder=os.fsencode(self._folder).hex(),
                sample=sample.name,
                inode=[sample.stat().st_dev, sample.stat().st_ino],
                kept=str(self._library / "kept"),
                dropped=str(self._library / "dropped"),
                locked=stack.enter_context(held_lock(Path("/usr/bin"))),
                referee=os.getpid(),
                referee_words=Path("/proc/self/cmdline").read_bytes().hex(),
                port=server.getsockname()[1],
                user=os.getuid(),
                user_namespace=str(Path("/proc/self/ns/user").readlink()),
                memory_mb=MEMORY_MB,
                processes=MAX_PROCESSES + 64,
                files=2 * limits.open_files,
                file_mb=limits.file_mb,
                burn=BURN_SECONDS,
                crowd=CROWD,
            )
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        _kill(self._canaries())
        self._stack.close()

    def command(self, names: Sequence[str], *, ticks: bool = False) -> BotCommand:
        """The command that starts a canary."""
        plan = json.dumps(self._facts._replace(probes=tuple(names), ticks=ticks)._asdict())
        # Not -I, which would hide the bot's folder.
        words = (PYTHON, "-E", "-s", "-S", "-B", "-m", canary.__name__, plan)
        return command_of(words, self._folder, self._library)

    @contextmanager
    def canary(self, *names: str, ticks: bool = False) -> Iterator[Channel]:
        """Start a canary and end it."""
        channel = self._sandbox.spawn(self.command(names, ticks=ticks), memory_mb=MEMORY_MB)
        try:
            yield channel
        finally:
            channel.close(0)

    def try_all(self, names: Sequence[str]) -> dict[str, tuple[bool, str]]:
        """Let one canary try all probes; return whether each worked, and its words."""
        results = dict.fromkeys(names, (False, "the canary was killed"))
        with self.canary(*names) as channel:
            lines, why = _hear(channel)
            for line in lines:
                name, could, words = line.split(" ", 2)
                results[name] = (could == "could", words)
            if not lines and len(names) > 1:
                errors = " ".join(channel.stderr())[-300:]
                raise SandboxError(f"the canary does not start in the sandbox: {why} {errors}".rstrip())
        return results

    def outlive_match(self, protection: str, ways: Sequence[str]) -> ProbeFinding:
        """Let canaries leave processes behind, and search for them after the canaries' end."""
        outcomes = []
        for way in ways:
            with self.canary(way) as channel:
                _hear(channel)
            outcomes.append(self._outlived(way, "outlived the match", "ended with the match"))
        return _judge(protection, outcomes)

    def outlive_referee(self) -> ProbeFinding:
        """Kill a process that referees canaries, and look for them."""
        outcomes = []
        for way in ("itself", "daemon"):
            words = [sys.executable, "-B", "-m", "tourney.bots.sandbox.probe", self._sandbox.level]
            command = self.command([way] if way in canary.PROBES else [])
            plan = json.dumps([list(command.argv), str(command.folder)])
            with subprocess.Popen([*words, plan], stdout=subprocess.PIPE) as referee:  # noqa: S603 - a fixed command
                assert referee.stdout is not None  # noqa: S101 - a pipe was asked for
                up = referee.stdout.readline()
                referee.kill()
            if not up:
                raise SandboxError("the canary's referee does not start")
            outcomes.append(self._outlived(way, "outlived its referee", "died with it"))
            self._sandbox.sweep()
        return _judge("referee-death", outcomes)

    def use_unreaped_time(self) -> ProbeFinding:
        """Let a canary work in a child that is never reaped, and check that its time is known."""
        with self.canary("unreaped-child") as channel:
            lines, _ = _hear(channel)
            used = channel.cpu_ms() or 0
        if not lines:
            return ProbeFinding("processor-time", "absent", "the canary could not try")
        seen = used >= BURN_SECONDS * 1000
        sentence = f"{used} ms are known of at least {BURN_SECONDS * 1000:.0f} ms that a child used"
        return ProbeFinding("processor-time", "enforced" if seen else "partial", sentence)

    def wait_for_processor(self) -> ProbeFinding:
        """Let two canaries work on one processor, and check that their waiting is known and not overstated.

        Each works in children that compete with each other too. While one of them works, its canary does not
        wait: so what it waited and what it used cannot be more than the time that passed.
        """
        began = time.monotonic_ns()
        with _on_one_processor(), self.canary("crowd") as first, self.canary("crowd") as second:
            answered = all(_hear(channel)[0] for channel in (first, second))
            readings = [reading for channel in (first, second) if (reading := channel.reading()) is not None]
            passed = (time.monotonic_ns() - began) // 1_000_000
        if not answered or len(readings) < 2:
            return ProbeFinding("waiting-time", "absent", "the canary could not try")
        waited = [reading.waited // 1_000_000 for reading in readings]
        used = [reading.cpu // 1_000_000 for reading in readings]
        waiting_seen = sum(waited) >= BURN_SECONDS * 1000 / 2
        true = all(w + u <= passed * 1.05 for w, u in zip(waited, used, strict=True))
        worked = f"in {passed} ms two canaries worked for {used[0]} and {used[1]} ms"
        sentence = f"{worked} and waited {waited[0]} and {waited[1]}"
        return ProbeFinding("waiting-time", "enforced" if waiting_seen and true else "partial", sentence)

    def leave_traces(self) -> ProbeFinding:
        """Let canaries ask about cached pages, drop some, and read others; check that no trace is left."""
        kept_file = self._library / "kept"
        dropped = self._library / "dropped"
        with _on_one_processor():
            outcomes = [self.try_all(["cache-calls"])["cache-calls"]]
            kept_file.read_bytes()
            self.try_all(["drop-pages"])
            lost = CACHED_BYTES // mmap.PAGESIZE - cached_pages(kept_file)
            outcomes.append((lost > 0, f"dropped {lost} cached pages" if lost else "dropped no page"))
            if is_private(dropped):
                outcomes.append((False, "nothing can be shown to the canary, as /var/tmp cannot be written"))
            elif drop_pages(dropped):
                self.try_all(["read-pages"])
                self._sandbox.settle()  # as before the next match begins
                left = cached_pages(dropped)
                outcomes.append((left > 0, f"left {left} pages cached" if left else "left no page cached"))
            else:
                outcomes.append((False, f"{dropped.parent} is in memory, where all pages are always cached"))
        return _judge("page-cache", outcomes)

    def write_while_frozen(self) -> ProbeFinding:
        """Freeze a canary that writes all the time, and listen while another, not frozen, writes."""
        outcomes = []
        for way in ("child", "daemon"):
            with (
                _on_one_processor(),
                self.canary(way, ticks=True) as channel,
                self.canary("child", ticks=True) as control,
            ):
                _hear(channel)
                _hear(control)
                channel.freeze()
                still = _falls_silent(channel, control)
                channel.thaw()
            outcomes.append((not still, f"{way}: {'held still' if still else 'went on'}"))
        return _judge("freezing", outcomes)

    def _outlived(self, way: str, left_words: str, gone_words: str) -> tuple[bool, str]:
        """Wait for all canaries to be gone and kill the rest; whether there were any, and its words.

        Canaries that were killed before get more time: on a busy machine they go late.
        """
        soon = time.monotonic() + _GONE_SECONDS
        late = soon + _TIMEOUT_NS / 1e9
        while left := self._canaries():
            now = time.monotonic()
            if now >= late or (now >= soon and not any(map(_is_dying, left))):
                break
            time.sleep(0.01)
        _kill(left)
        return bool(left), f"{way}: {left_words if left else gone_words}"

    def _canaries(self) -> list[int]:
        """All canaries that exist, in any session or namespace."""
        pids = []
        for process in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                words = (process / "cmdline").read_bytes()
                if self._token.encode("ascii") in words and int(process.name) != os.getpid():
                    pids.append(int(process.name))
        return pids


@contextmanager
def held_lock(folder: Path) -> Iterator[str]:
    """Hold a lock on a folder of the system."""
    fd = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(fd, fcntl.LOCK_SH)
        yield str(folder)
    finally:
        os.close(fd)


def _kill(pids: Collection[int]) -> None:
    for pid in pids:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)


def _judge(protection: str, outcomes: Collection[tuple[bool, str]]) -> ProbeFinding:
    """A finding: enforced if no probe worked, absent if all did, otherwise partial."""
    worked = [sentence for could, sentence in outcomes if could]
    if not worked:
        return ProbeFinding(
            protection, "enforced", "; ".join(dict.fromkeys(sentence for _, sentence in outcomes))
        )
    degree: Degree = "absent" if len(worked) == len(outcomes) else "partial"
    return ProbeFinding(protection, degree, "; ".join(worked))


def _hear(channel: Channel) -> tuple[list[str], str]:
    """A canary's lines until it is done, and why they ended if it was not."""
    lines: list[str] = []
    channel.request(b"")
    deadline = time.monotonic_ns() + _TIMEOUT_NS
    while (event := channel.wait(deadline)).kind == "line" and event.text != "done":
        if event.text != "tick":
            lines.append(event.text)
    return lines, event.text


def _falls_silent(channel: Channel, control: Channel) -> bool:
    """Whether a canary that writes all the time stops writing while another canary still writes."""
    for _ in range(_LOOKS):
        channel.pending()
        channel.request(b"")
        for _ in range(_TICKS):
            control.request(b"")
            if control.wait(time.monotonic_ns() + _TIMEOUT_NS).kind != "line":
                return False
        if not channel.pending():
            return True
    return False


def _on_one_processor() -> AbstractContextManager[None]:
    """Let processes that start here share a processor, so that none runs ahead of the others."""
    return started_on(free_processors()[:1])


def _is_dying(pid: int) -> bool:
    """Whether a process was killed and has not gone yet."""
    with suppress(OSError, ValueError):
        status = Path(f"/proc/{pid}/status").read_text("ascii", "replace")
        pending = re.findall(r"^(?:SigPnd|ShdPnd):\s*(\w+)$", status, re.MULTILINE)
        return any(int(signals, 16) & _SIGKILL_PENDING for signals in pending)
    return False


def private_entries(more: Collection[Path] = ()) -> dict[Path, list[str]]:
    """The entries that no bot may see, of the folders in which an interpreter and its tournaments lie.

    That is what neither the system's programs nor the interpreter need, and ``more``, wherever it lies.
    """
    shown = (*system_paths(), *interpreter_paths())
    prefixes = map(Path, (sys.prefix, sys.base_prefix))
    folders = (
        Path.home(),
        Path.cwd(),
        *prefixes,
        Path(tourney.__file__).parents[1],
        Path("/usr"),
        Path("/usr/local"),
    )
    entries: dict[Path, list[str]] = {}
    for folder in dict.fromkeys(folders):
        with suppress(OSError):
            hidden = [path.name for path in folder.iterdir() if not _touches(path, shown)]
            # Of a folder that everybody has, bots have their own, with entries of the same names.
            if folder not in (Path("/"), *PRIVATE):
                entries[folder] = sorted(hidden)[:_MOST_ENTRIES]
    for path in filter(os.path.lexists, more):
        entries.setdefault(path.parent, []).append(path.name)
    return entries


def _touches(path: Path, shown: Collection[Path]) -> bool:
    return any(folder.is_relative_to(path) or path.is_relative_to(folder) for folder in shown)


def _referee(level: str, plan: str) -> None:
    """Start a canary, print a line, and wait to be killed."""
    words, folder = json.loads(plan)
    sandbox = open_sandbox(level, {})  # type: ignore[arg-type]  # given by outlive_referee
    channel = sandbox.spawn(command_of(words, Path(folder)), memory_mb=MEMORY_MB)
    _hear(channel)
    sys.stdout.write("up\n")
    sys.stdout.flush()
    signal.pause()


if __name__ == "__main__":
    _referee(*sys.argv[1:])
