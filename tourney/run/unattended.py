"""An unattended run: the run itself, its log, its reports, the summary at its end, and ``--notify``.

A process of its own writes the reports, so the run neither waits for them nor keeps their memory. It has a
low priority, only one runs at a time, and it ends with the run.
"""

import os
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from tourney.errors import EnvironmentFailure, InputError, SandboxError, StoreError, TourneyError, UsageError
from tourney.run.engine.readiness import PlaySetup
from tourney.run.engine.run_control import ignore_hangups
from tourney.run.engine.tournament_run import run_tournament
from tourney.run.listeners import Listener, Listeners, RunLog
from tourney.run.summary import (
    End,
    RunProgress,
    RunStatus,
    Summary,
    progress_text,
    root_text,
    span_text,
    summary_page,
)
from tourney.run.tournament_file import TournamentFile
from tourney.run.workers.executor import MatchExecutor
from tourney.store.database import Database
from tourney.store.engine import place_of

REPORT_SECONDS: Final = 900.0  # the time a report has; then its process is killed
_NICE: Final = 10  # the report waits for the matches, not they for it
# PR_SET_PDEATHSIG: the kernel ends it when this process dies.
_PROGRAM: Final = (
    "import ctypes, runpy, sys\n"
    "if sys.platform == 'linux': ctypes.CDLL(None).prctl(1, 9)\n"
    "runpy.run_module('tourney', run_name='__main__', alter_sys=True)"
)
FAILED: Final = "failed"  # the end of a run that raised an error; ``End`` has the other words
PAUSED: Final = "paused"
STALLED: Final = "stalled"
RESUMED: Final = "resumed"
PAUSE_SECONDS: Final = 60.0
STALL_SECONDS: Final = 1800.0
NOTIFY_SECONDS: Final = 60.0  # that the command of ``--notify`` has; then all that it started is killed


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """The reports of a run: one every ``minutes`` (0: only at the end).

    ``out`` is their folder, or None for the default one. ``words`` are more options of ``tourney report``.
    """

    minutes: float
    out: Path | None = None
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How a run plays, and what it does besides.

    ``log``: the log file; None: the default one. ``report`` None: no report. ``notify``: the words of a
    command.
    """

    play: PlaySetup = field(default_factory=PlaySetup)
    log: Path | None = None
    report: ReportOptions | None = None
    notify: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RunResult:
    """How a run ended, its exit code, and its summary page ("" if nothing was played).

    The code is 128 + the signal, 1 for too many faults, or 0.
    """

    summary: Summary
    code: int
    page: str


def run_unattended(
    file: TournamentFile,
    url: str,
    bots: Path,
    make_executor: Callable[[], MatchExecutor],
    listener: Listener,
    options: RunOptions,
) -> RunResult:
    """Run a tournament with a log, reports and a notification.

    Raises what ``run_tournament`` does, after the error is in the log and ``--notify`` has run.
    """
    name = file.plan.name
    place = place_of(url)
    path = options.log or place.with_name(f"{place.name}-{name}.log")
    play = replace(options.play, private={"the log": path, **options.play.private})
    with closing(RunLog(path)) as log:
        if options.log is not None:
            log.open()
        both = Listeners(listener, log)
        try:
            with ExitStack() as stack:
                watching = both
                report = ""
                if options.notify:
                    watch = RunWatch(name, options.notify, both)
                    # Ended before the last notification, so that the two come in order.
                    stack.callback(watch.close)
                    watching = Listeners(watching, watch)
                if options.report is not None:
                    reporter = stack.enter_context(closing(Reporter(name, url, options.report, both.say)))
                    watching = Listeners(watching, reporter)
                summary = run_tournament(file, url, bots, make_executor, watching, play)
                if options.report is not None and summary.end is not End.STOPPED:
                    with ignore_hangups():
                        report = reporter.write_last()
            with ignore_hangups():
                page = ""  # if nothing was played or reported
                if summary.progress.played or report:
                    files = {"log": str(log.path), "report": report}
                    with Database.open(url) as opened, opened.snapshot() as database:
                        page = summary_page(database, database.tournaments.get(name), summary, files)
                code = 128 + summary.signal if summary.signal else int(summary.end is End.FAULTS)
                text = "\n".join(filter(None, (page, root_text(name, summary))))
                end = RunEnd(name, summary.end.value, code, progress_text(summary.progress), text)
                _report_end(end, both, options.notify)
        except BaseException as error:
            code = error.exit_code if isinstance(error, TourneyError) else EnvironmentFailure.exit_code
            text = str(error) or type(error).__name__
            with ignore_hangups():
                # A refused start is corrected and repeated, and a refused database may be another program's:
                # nothing new is left beside it.
                refused = isinstance(error, (InputError, SandboxError, StoreError)) and not log.begun
                hears = listener if refused and not log.path.exists() else both
                _report_end(RunEnd(name, FAILED, code, text, text), hears, options.notify)
            raise
    return RunResult(summary, code, page)


@dataclass(frozen=True, slots=True)
class RunEnd:
    """The end of a run for the log and ``--notify``: a word, the exit code, a sentence, and all lines.

    The code is None for a notification about a run that goes on.
    """

    tournament: str
    word: str
    code: int | None
    sentence: str
    text: str


def _report_end(end: RunEnd, listener: Listener, command: Sequence[str]) -> None:
    lines = end.text.splitlines()
    listener.event("end", {"end": end.word, "code": end.code, "text": end.sentence, "page": lines})
    if command:
        problem = _notify(end, command)
        listener.event("notify", {"command": command[0], "problem": problem})
        if problem:
            listener.say(problem)


def _notify(end: RunEnd, command: Sequence[str]) -> str:
    """Run the command of ``--notify``; return its failure in a sentence, or ""."""
    variables = {
        "TOURNEY_TOURNAMENT": end.tournament,
        "TOURNEY_END": end.word,
        "TOURNEY_CODE": "" if end.code is None else str(end.code),
        "TOURNEY_TEXT": end.sentence.replace("\0", "\\x00"),
    }
    return notify(command, variables, end.text + "\n")


class RunWatch(Listener):
    """Runs the command of ``--notify`` when a run pauses or stalls, and when it goes on after that.

    It runs for a pause after ``PAUSE_SECONDS``: most are shorter, and pass by themselves. A run stalls if it
    does not pause and no match has ended for ``STALL_SECONDS``, and for ten times the longest such time so
    far. The command runs in a thread, because the run must not wait for it.
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        listener: Listener,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._name = name
        self._command = command
        self._listener = listener
        self._clock = clock
        self._notified = ""  # the word of the last notification, "" if the run went on after it
        self._quiet_since = clock()
        self._longest = 0.0  # seconds without a match
        self._last_match = 0.0
        self._thread: threading.Thread | None = None
        self._problem: str | None = None

    def heartbeat(self, progress: RunProgress, status: RunStatus) -> None:
        """Notify if the state of the run has changed."""
        now = self._clock()
        if status.last_match != self._last_match:
            self._last_match = status.last_match
            self._longest = max(self._longest, now - self._quiet_since)
            self._quiet_since = now
        if status.paused:
            self._quiet_since = now
        self._finish(wait=False)
        state, why = self._state(status, now)
        if state == self._notified or self._thread is not None:
            return
        self._notified = state
        text = f"{self._name}: {why}; {progress_text(progress)}"
        end = RunEnd(self._name, state or RESUMED, None, text, text)
        self._thread = threading.Thread(target=self._run, args=(end,), name="notify", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Wait for the command."""
        self._finish(wait=True)

    def _state(self, status: RunStatus, now: float) -> tuple[str, str]:
        """``paused``, ``stalled``, or "" for a run that goes on; and a sentence on it."""
        if status.paused:
            paused = now - status.paused_since >= PAUSE_SECONDS or self._notified == PAUSED
            return (PAUSED, f"paused: {status.paused}") if paused else (self._notified, "")
        quiet = now - self._quiet_since
        if quiet >= max(STALL_SECONDS, 10 * self._longest):
            return STALLED, f"no match has ended for {span_text(quiet)}"
        return "", "the run goes on"

    def _run(self, end: RunEnd) -> None:
        self._problem = _notify(end, self._command)

    def _finish(self, *, wait: bool) -> None:
        """Report the command that has ended, from the thread that owns the log."""
        if self._thread is None or (self._thread.is_alive() and not wait):
            return
        self._thread.join()
        self._thread = None
        self._listener.event("notify", {"command": self._command[0], "problem": self._problem})
        if self._problem:
            self._listener.say(self._problem)


def parse_command(text: str) -> tuple[str, ...]:
    """Split the command of ``--notify`` into words as a shell would; no shell runs it. Raises UsageError."""
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise UsageError(f"--notify {text!r} cannot be split into words: {error}") from error
    if not words:
        raise UsageError("--notify is empty: name a command, as 'mail -s done me@example.org'")
    if shutil.which(words[0]) is None:
        raise UsageError(f"--notify: there is no command {words[0]!r}")
    return words


def notify(words: Sequence[str], variables: Mapping[str, str], text: str) -> str:
    """Run a command and return its failure in a sentence, or "".

    It gets ``text`` on standard input, and ``variables`` in addition to this process's environment; its
    output goes to standard error. No shell reads any of this.
    """
    try:
        process = subprocess.Popen(  # noqa: S603 - the user's own command
            words,
            stdin=subprocess.PIPE,
            stdout=2,  # standard output is for results
            env={**os.environ, **variables},
            text=True,
            encoding="utf-8",
            errors="backslashreplace",
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        return f"--notify: {words[0]} cannot be run: {getattr(error, 'strerror', None) or error}"
    try:
        process.communicate(text, timeout=NOTIFY_SECONDS)  # it need not read its input
    except subprocess.TimeoutExpired:
        return f"--notify: {words[0]} was killed after {NOTIFY_SECONDS:g} seconds"
    finally:
        with suppress(OSError):  # also processes that it left in the background
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    if process.returncode:
        return f"--notify: {words[0]} ended with the exit code {process.returncode}"
    return ""


class Reporter(Listener):
    """Writes a tournament's reports.

    Failures go to ``say``; none stops the run. ``program`` is the command that starts Tourney.
    """

    def __init__(
        self,
        name: str,
        url: str,
        options: ReportOptions,
        say: Callable[[str], None],
        *,
        program: Sequence[str] = (sys.executable, "-c", _PROGRAM),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._words = [*program, "report", name, "--quiet", *options.words]
        self._every = options.minutes * 60
        if self._every:
            self._words += ["--live", str(max(1, round(self._every)))]
        if options.out is not None:
            self._words += ["--out", str(options.out)]
        self._url = url
        self._say = say
        self._clock = clock
        self._process: subprocess.Popen[str] | None = None
        self._started = clock()

    def heartbeat(self, _progress: RunProgress, status: RunStatus) -> None:
        """Start a report if it is due; check on the one being written."""
        now = self._clock()
        if self._process is not None:  # one report at a time, also where the next one is due
            if self._process.poll() is not None:
                self._finish(0)
            elif now - self._started > REPORT_SECONDS:
                self._kill()
        elif self._every and now - self._started >= self._every and not status.paused:
            self._start()

    def write_last(self) -> str:
        """Write the last report and wait for it; return the path of its first page, or "" if that fails."""
        if self._process is not None:
            self._finish(REPORT_SECONDS)
        self._start(last=True)
        return self._finish(REPORT_SECONDS)

    def close(self) -> None:
        """Stop the report being written."""
        if self._process is not None:
            self._kill(say=False)

    def _start(self, *, last: bool = False) -> None:
        """Start a report: in one process while matches are played, in as many as there are at the end."""
        self._started = self._clock()
        try:
            self._process = subprocess.Popen(  # noqa: S603 - Tourney itself
                self._words if last else [*self._words, "--processes", "1"],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                errors="backslashreplace",
                env={**os.environ, "TOURNEY_DB": self._url},  # not an argument, as it may hold a password
                process_group=0,  # so that Ctrl-C reaches the run alone
            )
        except OSError as error:
            self._say(f"the report cannot be written: {error.strerror}")
            return
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, self._process.pid, _NICE)

    def _finish(self, seconds: float) -> str:
        process = self._process
        if process is None:
            return ""
        try:
            out, err = process.communicate(timeout=seconds or None)
        except subprocess.TimeoutExpired:
            self._kill()
            return ""
        self._process = None
        if process.returncode:
            why = err.strip().splitlines()
            self._say(f"the report was not written: {why[-1] if why else f'exit code {process.returncode}'}")
            return ""
        return out.strip()

    def _kill(self, *, say: bool = True) -> None:
        process = self._process
        self._process = None
        if process is None:
            return
        process.kill()
        process.communicate()
        if say:
            self._say(f"the report was stopped after {REPORT_SECONDS:g} seconds")
