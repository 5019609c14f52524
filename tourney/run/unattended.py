"""A run that nobody watches: the run itself, its log, its reports, its last page, and the call at its end."""

import os
import shlex
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tourney.errors import EnvironmentFailure, TourneyError, UsageError
from tourney.run.config.tournament_file import TournamentFile
from tourney.run.engine.session import run_tournament
from tourney.run.engine.stopping import Deadline, ignore_hangups
from tourney.run.monitoring.progress import Listener, Listeners, progress_text
from tourney.run.monitoring.reporter import Reporter
from tourney.run.monitoring.run_log import RunLog
from tourney.run.monitoring.summary import End, Summary, page
from tourney.run.workers.executor import MatchExecutor
from tourney.store.engine import place_of
from tourney.store.repository import Repository

FAILED = "failed"
"""The word for a run that ended by an error; the others are those of ``End``."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What a run is to do besides playing.

    ``max_faults`` and ``patience`` (seconds) as for ``Coordinator``; ``unbenched`` as for ``run_tournament``.
    ``log``: its file, None for the usual one. ``report``: minutes between reports (0: only at the end), None
    for none; ``report_out`` their folder, None for the usual one. ``notify``: the words of a command.
    """

    max_faults: int | None = None
    patience: float = 0.0
    unbenched: tuple[str, ...] = ()
    log: Path | None = None
    report: float | None = None
    report_out: Path | None = None
    notify: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ended:
    """How a run ended, its exit code, and the last page ("" where nothing was played)."""

    summary: Summary
    code: int
    page: str


def log_path(url: str, name: str) -> Path:
    """Return the usual log of a tournament's runs: beside the database."""
    place = place_of(url)
    return place.with_name(f"{place.name}-{name}.log")


def run_unattended(
    file: TournamentFile,
    url: str,
    bots: Path,
    pool: Callable[[], MatchExecutor],
    night: RunOptions,
    *,
    listener: Listener,
    timetable: Deadline,
) -> Ended:
    """Run a tournament as the night wants it.

    Raises what ``run_tournament`` does, once the log holds it and whoever wanted to know was told.
    """
    name = file.plan.name
    log = RunLog(night.log or log_path(url, name))
    if night.log is not None:
        log.open()
    both = Listeners(listener, log)
    try:
        with _reporting(name, url, night, both) as reporter:
            summary = run_tournament(
                file,
                url,
                bots,
                pool,
                listener=Listeners(both, *([reporter] if reporter else [])),
                timetable=timetable,
                max_faults=night.max_faults,
                patience=night.patience,
                unbenched=night.unbenched,
            )
            with ignore_hangups():
                report = reporter.last() if reporter and summary.end is not End.STOPPED else ""
        with ignore_hangups():
            ended = Ended(summary, code_of(summary), _page(name, url, summary, log.path, report))
            _tell(
                night, both, name, summary.end.value, ended.code, progress_text(summary.progress), ended.page
            )
    except BaseException as error:
        code = error.exit_code if isinstance(error, TourneyError) else EnvironmentFailure.exit_code
        said = str(error) or type(error).__name__
        with ignore_hangups():
            _tell(night, both, name, FAILED, code, said, said)
        raise
    finally:
        log.close()
    return ended


def code_of(summary: Summary) -> int:
    """Return the exit code of a run that ended in order: 128 + the signal, 1 for too many faults, or 0."""
    if summary.signal:
        return 128 + summary.signal
    return 1 if summary.end is End.FAULTS else 0


@contextmanager
def _reporting(name: str, url: str, night: RunOptions, listener: Listener) -> Iterator[Reporter | None]:
    if night.report is None:
        yield None
        return
    reporter = Reporter(name, url, night.report, night.report_out, listener.say)
    try:
        yield reporter
    finally:
        reporter.close()


def _page(name: str, url: str, summary: Summary, log: Path, report: str) -> str:
    if not (summary.progress.played or report):
        return ""
    with Repository.open(url) as opened, opened.snapshot() as repository:
        return page(repository, repository.tournament(name), summary, {"log": str(log), "report": report})


def _tell(
    night: RunOptions, listener: Listener, name: str, end: str, code: int, sentence: str, text: str
) -> None:
    """Write the end into the log, and run the command that wants to know of it."""
    listener.event("end", {"end": end, "code": code, "text": sentence, "page": text.splitlines()})
    if not night.notify:
        return
    variables = {
        "TOURNEY_TOURNAMENT": name,
        "TOURNEY_END": end,
        "TOURNEY_CODE": str(code),
        "TOURNEY_TEXT": sentence.replace("\0", "\\x00"),
    }
    problem = notify(night.notify, variables, text + "\n")
    listener.event("notify", {"command": night.notify[0], "problem": problem})
    if problem:
        listener.say(problem)


SECONDS = 60.0
"""How long the command may take; then it is killed with all that it started."""


def read_command(text: str) -> tuple[str, ...]:
    """Return the words of a command as a shell would part them; no shell will see it. Raises UsageError."""
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise UsageError(f"--notify {text!r} cannot be parted into words: {error}") from error
    if not words:
        raise UsageError("--notify is empty: name a command, as 'mail -s done me@example.org'")
    if shutil.which(words[0]) is None:
        raise UsageError(f"--notify: there is no command {words[0]!r}")
    return words


def notify(words: Sequence[str], variables: Mapping[str, str], text: str, seconds: float = SECONDS) -> str:
    """Run the command and return what went wrong, "" if nothing did.

    It gets ``text`` on standard input and ``variables`` beside the environment of this process; what it
    prints goes to standard error. Nothing of either is read by a shell.
    """
    try:
        process = subprocess.Popen(  # noqa: S603 - the person at the terminal named it
            words,
            stdin=subprocess.PIPE,
            stdout=2,  # ours is for results
            env={**os.environ, **variables},
            text=True,
            encoding="utf-8",
            errors="backslashreplace",
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        return f"--notify: {words[0]} cannot be run: {getattr(error, 'strerror', None) or error}"
    try:
        process.communicate(text, timeout=seconds)  # that it does not read its input is its right
    except subprocess.TimeoutExpired:
        return f"--notify: {words[0]} was killed after {seconds:g} seconds"
    finally:
        with suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    if process.returncode:
        return f"--notify: {words[0]} ended with the exit code {process.returncode}"
    return ""
