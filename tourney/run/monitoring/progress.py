"""Progress of a run: its values, the listener that gets them, and displays for terminals and pipes."""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tourney.run.workers.executor import Playing

if TYPE_CHECKING:
    from rich.console import Console

PLAIN_EVERY = 10.0
"""Seconds between two lines without a terminal."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a tournament is: rows paired, rows with a result, faults, and void matches.

    ``played`` and ``seconds`` are those of this run alone.
    """

    rows: int
    done: int
    played: int
    faults: int
    void: int
    seconds: float

    @property
    def rate(self) -> float | None:
        """Matches per second, or None before the first."""
        return self.played / self.seconds if self.played and self.seconds > 0 else None

    @property
    def left(self) -> float | None:
        """Seconds left for the paired rows, or None if unknown."""
        return (self.rows - self.done) / self.rate if self.rate else None


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """The state of a run: its progress, the matches being played, and why it pauses ("" if it does not)."""

    progress: Progress
    playing: tuple[Playing, ...] = ()
    paused: str = ""


class Listener:
    """Gets the events of a run. This one ignores them; a display overrides the methods it needs."""

    def progress(self, progress: Progress) -> None:
        """Take the progress after results were stored."""

    def say(self, text: str) -> None:
        """Take a message for people."""

    def event(self, name: str, data: Mapping[str, Any]) -> None:
        """Take an event for the log (``match``, ``bench`` and others), as JSON data."""

    def heartbeat(self, heartbeat: Heartbeat) -> None:
        """Take the state of the run, about once a second."""


class Listeners(Listener):
    """Passes everything on to several listeners."""

    def __init__(self, *listeners: Listener) -> None:
        self._listeners = listeners

    def progress(self, progress: Progress) -> None:
        """Pass it on."""
        for listener in self._listeners:
            listener.progress(progress)

    def say(self, text: str) -> None:
        """Pass it on."""
        for listener in self._listeners:
            listener.say(text)

    def event(self, name: str, data: Mapping[str, Any]) -> None:
        """Pass it on."""
        for listener in self._listeners:
            listener.event(name, data)

    def heartbeat(self, heartbeat: Heartbeat) -> None:
        """Pass it on."""
        for listener in self._listeners:
            listener.heartbeat(heartbeat)


class PlainListener(Listener):
    """Writes a line at intervals, for pipes; ``write`` prints it."""

    def __init__(self, write: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._write = write
        self._clock = clock
        self._next = clock() + PLAIN_EVERY

    def progress(self, progress: Progress) -> None:
        """Write the progress if the last line is old."""
        now = self._clock()
        if now >= self._next:
            self._next = now + PLAIN_EVERY
            self._write(progress_text(progress))

    def say(self, text: str) -> None:
        """Write a message."""
        self._write(text)


class RichListener(Listener):
    """A progress bar on a terminal."""

    def __init__(self, progress: Any, task: Any, console: "Console") -> None:
        self._progress = progress
        self._task = task
        self._console = console

    def progress(self, progress: Progress) -> None:
        """Move the bar."""
        self._progress.update(
            self._task,
            total=progress.rows,
            completed=progress.done,
            rate=f"{progress.rate:.1f}/s" if progress.rate is not None else "",
            left=span_text(progress.left),
            faults=counted(progress.faults, "fault") if progress.faults else "no faults",
        )

    def say(self, text: str) -> None:
        """Print it above the bar."""
        self._console.print(text, markup=False, highlight=False)


@contextmanager
def rich_listener(console: "Console", title: str) -> Iterator[Listener]:
    """Show a progress bar on a terminal until the end, and yield its listener."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn  # noqa: PLC0415 - slow to import

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}", markup=False),
        TextColumn("{task.fields[left]}", markup=False),
        TextColumn("{task.fields[faults]}", markup=False),
    )
    with Progress(*columns, console=console, transient=False, refresh_per_second=4) as progress:
        task = progress.add_task(title, total=None, rate="", left="", faults="")
        yield RichListener(progress, task, progress.console)


def progress_text(progress: Progress) -> str:
    """Return the progress in one line."""
    parts = [f"{progress.done} of {progress.rows} matches"]
    if progress.rate is not None:
        parts.append(f"{progress.rate:.1f} a second")
    if progress.left:
        parts.append(f"{span_text(progress.left)} left")
    parts.append(counted(progress.faults, "fault") if progress.faults else "no faults")
    if progress.void:
        parts.append(f"{progress.void} void")
    return ", ".join(parts)


def span_text(seconds: float | None) -> str:
    """Return a time span such as ``2h05m``, ``3m20s`` or ``8s``; "" for None."""
    if seconds is None:
        return ""
    whole = round(seconds)
    if whole >= 3600:
        return f"{whole // 3600}h{whole % 3600 // 60:02}m"
    return f"{whole // 60}m{whole % 60:02}s" if whole >= 60 else f"{whole}s"


def counted(number: int, noun: str) -> str:
    """Return ``1 fault`` or ``2 faults``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def kinds_text(kinds: Counter[str]) -> str:
    """Return faults by kind, as ``2 timeout, 1 crash``, the most frequent first."""
    return ", ".join(
        f"{count} {kind}" for kind, count in sorted(kinds.items(), key=lambda kv: (-kv[1], kv[0]))
    )
