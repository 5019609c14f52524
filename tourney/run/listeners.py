"""Listeners of a run: displays for terminals and pipes, the log, and the status for `tourney status`.

The log is JSON lines, rotated. Every line is an object with ``time`` (ISO 8601, UTC) and ``event``: ``say``
(a message), ``match``, ``bench``, ``pulse`` (a heartbeat, once a minute), ``notify``, ``end`` or ``dropped``.
A log that cannot be written stops nothing: its lines are dropped, and counted in ``dropped`` later.
"""

import json
import os
import stat
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Concatenate, ParamSpec

import msgspec

from tourney.errors import UsageError
from tourney.files import descriptor_of
from tourney.prepared_types import prepared
from tourney.run.summary import RunProgress, RunStatus, progress_text, span_text
from tourney.store.values import Tournament
from tourney.texts import counted

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

PLAIN_EVERY = 10.0  # seconds between two lines without a terminal
MAX_BYTES = 10_000_000  # of a log file; then it is renamed and a new one begins
KEEP = 5  # renamed log files: with the present one, at most 60 MB
HEARTBEAT_SECONDS = 60.0  # between two lines that show a silent run to be alive


class Listener:
    """Gets the events of a run. This one ignores them; a display overrides the methods it needs."""

    def progress(self, progress: RunProgress) -> None:
        """Take the progress after results were stored."""

    def say(self, text: str) -> None:
        """Take a message for people."""

    def state(self, lines: Sequence[str]) -> None:
        """Take the state of a question, which replaces the one before where that can be shown."""
        for line in lines:
            self.say(line)

    def event(self, name: str, data: Mapping[str, object]) -> None:
        """Take an event for the log (``match``, ``bench`` and others), as JSON data."""

    def heartbeat(self, progress: RunProgress, status: RunStatus) -> None:
        """Take the progress and the status of the run, about once a second."""


P = ParamSpec("P")


def _each(
    method: Callable[Concatenate[Listener, P], None],
) -> Callable[Concatenate["Listeners", P], None]:
    name = method.__name__

    def passed_on(self: "Listeners", /, *args: P.args, **kwargs: P.kwargs) -> None:
        for listener in self.listeners:
            getattr(listener, name)(*args, **kwargs)

    return passed_on


class Listeners(Listener):
    """Passes everything on to several listeners."""

    def __init__(self, *listeners: Listener) -> None:
        self.listeners = listeners

    progress = _each(Listener.progress)
    say = _each(Listener.say)
    state = _each(Listener.state)
    event = _each(Listener.event)
    heartbeat = _each(Listener.heartbeat)


class PlainListener(Listener):
    """Writes a line at intervals, for pipes; ``write`` prints it."""

    def __init__(self, write: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._write = write
        self._clock = clock
        self._next = self._next_idle = clock() + PLAIN_EVERY
        self._next_state = clock()

    def progress(self, progress: RunProgress) -> None:
        """Write the progress if the last line is old."""
        now = self._clock()
        if now >= self._next:
            self._next = now + PLAIN_EVERY
            self._next_idle = now + HEARTBEAT_SECONDS
            self._write(progress_text(progress))

    def heartbeat(self, progress: RunProgress, status: RunStatus) -> None:
        """Write a line if no result has come for long, as matches may take minutes; first after seconds."""
        now = self._clock()
        if now >= self._next_idle and status.playing:
            self._next_idle = now + HEARTBEAT_SECONDS
            self._write(f"{progress_text(progress)}; {counted(len(status.playing), 'match')} being played")

    def say(self, text: str) -> None:
        """Write a message."""
        self._write(text)

    def state(self, lines: Sequence[str]) -> None:
        """Write the state if the last one is old."""
        now = self._clock()
        if now >= self._next_state:
            self._next_state = now + PLAIN_EVERY
            super().state(lines)


@contextmanager
def rich_listener(console: "Console", title: str) -> Iterator[Listener]:
    """Show a progress bar on a terminal until the end, and yield its listener."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn  # noqa: PLC0415 - slow to import
    from rich.text import Text  # noqa: PLC0415 - as above

    shown: list[Text] = []

    class StateProgress(Progress):
        """A bar with the state of a question below it."""

        def get_renderables(self) -> Iterator["RenderableType"]:
            yield from super().get_renderables()
            yield from shown

    fields = ("task.description", "task.fields[rate]", "task.fields[left]", "task.fields[faults]")
    first, *others = (TextColumn(f"{{{field}}}", markup=False) for field in fields)
    columns = (first, BarColumn(bar_width=None), MofNCompleteColumn(), *others)
    with StateProgress(*columns, console=console, transient=False, refresh_per_second=4) as bar:
        task = bar.add_task(title, total=None, rate="", left="", faults="")

        class RichListener(Listener):
            """Moves the bar, and prints messages above it."""

            def progress(self, progress: RunProgress) -> None:
                bar.update(
                    task,
                    total=progress.rows,
                    completed=progress.done,
                    rate=f"{progress.rate:.1f}/s" if progress.rate is not None else "",
                    left=span_text(progress.left),
                    faults=counted(progress.faults, "fault") if progress.faults else "no faults",
                )

            def say(self, text: str) -> None:
                bar.console.print(text, markup=False, highlight=False)

            def state(self, lines: Sequence[str]) -> None:
                shown[:] = map(Text, lines)

        yield RichListener()


class RunLog(Listener):
    """Writes the events of a run to ``path``; older ones are in ``path.1`` (newest) to ``path.KEEP``."""

    def __init__(self, path: Path, clock: Callable[[], float] = time.time) -> None:
        self.path = path
        self._clock = clock
        self._fd = -1
        self._size = 0
        self._dropped = 0
        self._next_heartbeat = 0.0

    def open(self) -> None:
        """Open the file now. Raises UsageError if that fails; without this call lines are dropped instead."""
        try:
            self._open()
        except OSError as error:
            raise UsageError(
                f"the log {self.path} cannot be written: {error.strerror}; name another file by --log"
            ) from error

    @property
    def begun(self) -> bool:
        """Whether the file is open."""
        return self._fd >= 0

    def say(self, text: str) -> None:
        """Write a message."""
        self.event("say", {"text": text})

    def event(self, name: str, data: Mapping[str, object]) -> None:
        """Write an event."""
        if self._dropped:
            self._write("dropped", {"lines": self._dropped})
        self._write(name, data)

    def heartbeat(self, progress: RunProgress, status: RunStatus) -> None:
        """Write the state of the run, once a minute."""
        now = self._clock()
        if now < self._next_heartbeat:
            return
        self._next_heartbeat = now + HEARTBEAT_SECONDS
        self.event(
            "pulse",
            {
                "done": progress.done,
                "rows": progress.rows,
                "faults": progress.faults,
                "void": progress.void,
                "rate": None if progress.rate is None else round(progress.rate, 3),
                "left": None if progress.left is None else round(progress.left),
                "playing": [[match.number, _time(match.since)] for match in status.playing],
                "paused": status.paused,
                "rss-kb": rss_kb(),
            },
        )

    def close(self) -> None:
        """Close the file."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def _write(self, event: str, data: Mapping[str, object]) -> None:
        line = json.dumps({"time": _time(self._clock()), "event": event, **data}).encode("ascii") + b"\n"
        try:
            if self._fd < 0:
                self._open()
            # A single event may be longer than a file; then it has a file of its own.
            if self._regular and self._size and self._size + len(line) > MAX_BYTES:
                self._rotate()
                self._open()
            written = os.write(self._fd, line)
            self._size += written
        except OSError:
            self._dropped += 1
            return
        if written < len(line):
            self._dropped += 1
            with suppress(OSError):  # the disk is full: leave no half line
                os.ftruncate(self._fd, self._size - written)
                self._size -= written
        elif event == "dropped":  # their number is in the log now
            self._dropped = 0

    def _open(self) -> None:
        # Without waiting for the reader of a FIFO: a log never stops a run.
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NONBLOCK | os.O_CLOEXEC
        self._fd = os.open(self.path, flags, 0o644)
        status = os.fstat(self._fd)
        self._size = status.st_size
        # Only regular files are renamed: not devices, FIFOs or descriptors as /dev/stderr.
        self._regular = stat.S_ISREG(status.st_mode) and descriptor_of(self.path) is None

    def _rotate(self) -> None:
        self.close()
        for number in range(KEEP - 1, 0, -1):
            with suppress(FileNotFoundError):
                self._old(number).replace(self._old(number + 1))
        self.path.resolve().replace(self._old(1))

    def _old(self, number: int) -> Path:
        path = self.path.resolve()  # a symbolic link stays, and its target is renamed
        return path.with_name(f"{path.name}.{number}")


def rss_kb() -> int | None:
    """This process's resident memory in KiB, or None if it is unknown."""
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return None
    return pages * (os.sysconf("SC_PAGE_SIZE") // 1024)


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")


def withdrawn_path(place: Path, tournament: Tournament) -> Path:
    """The file of a tournament's matches that were withdrawn; one JSON object a line."""
    return place.with_name(f"{place.name}-{tournament.name}.withdrawn.jsonl")


def status_path(place: Path, tournament: int) -> Path:
    """The status file of a tournament's run; ``place`` as in ``tourney.store.engine.place_of``."""
    return place.with_name(f"{place.name}-run-{tournament}.json")


def read_status(path: Path) -> RunStatus:
    """The status of a run; an empty one without a readable file."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=prepared(RunStatus))
    except (OSError, ValueError):
        return RunStatus()


class StatusFile(Listener):
    """Writes the status file at each heartbeat that changes it, whole or not at all; deletes it at the end.

    A failing disk stops nothing. The file is valid only while the run's lock is held; a crash may leave an
    old one behind.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._last: RunStatus | None = None

    def heartbeat(self, _progress: RunProgress, status: RunStatus) -> None:
        """Write the status if it changed."""
        if status == self._last:
            return
        self._last = status
        fresh = self._path.with_name(f".{self._path.name}.new")
        with suppress(OSError):
            fresh.write_bytes(msgspec.json.encode(status))
            fresh.replace(self._path)  # in one step: `tourney status` never reads half a file
        with suppress(OSError):
            fresh.unlink(missing_ok=True)

    def close(self) -> None:
        """Delete the file."""
        with suppress(OSError):
            self._path.unlink(missing_ok=True)
