"""An unattended run: the run itself, its log, its reports, the summary at its end, and ``--notify``."""

import os
import shlex
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tourney.errors import EnvironmentFailure, TourneyError, UsageError
from tourney.run.config.tournament_file import TournamentFile
from tourney.run.engine.ponder import Pinning
from tourney.run.engine.session import run_tournament
from tourney.run.engine.stopping import Deadline, ignore_hangups
from tourney.run.monitoring.progress import Listener, Listeners, progress_text
from tourney.run.monitoring.reporter import Reporter
from tourney.run.monitoring.run_log import RunLog
from tourney.run.monitoring.summary import End, Summary, root_text, summary_page
from tourney.run.workers.executor import MatchExecutor
from tourney.store.engine import place_of
from tourney.store.repository import Repository

FAILED: Final = "failed"
"""How a run ended that raised an error; the other words are those of ``End``."""
NOTIFY_SECONDS: Final = 60.0
"""The time the command of ``--notify`` has; then it is killed with everything it started."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What a run does besides playing.

    ``max_faults`` and ``retry_seconds`` are those of ``Coordinator``, ``unbenched`` and ``skip`` those of
    ``run_tournament``. ``log``: the log file; None: the default one. ``report``: minutes between reports, 0:
    only at the end; None: no report. ``report_out``: its folder; None: the default one.
    ``report_options``: further words of its command. ``notify``: the words of a command.
    """

    max_faults: int | None = None
    retry_seconds: float = 0.0
    unbenched: tuple[str, ...] = ()
    skip: bool = False
    log: Path | None = None
    report: float | None = None
    report_out: Path | None = None
    report_options: tuple[str, ...] = ()
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
    options: RunOptions,
    *,
    listener: Listener,
    deadline: Deadline,
    pinning: Pinning = Pinning(),  # noqa: B008 - a frozen value
) -> RunResult:
    """Run a tournament with a log, reports and a notification.

    Raises what ``run_tournament`` does, after the error is in the log and ``--notify`` has run.
    """
    name = file.plan.name
    place = place_of(url)
    log = RunLog(options.log or place.with_name(f"{place.name}-{name}.log"))
    if options.log is not None:
        log.open()
    both = Listeners(listener, log)
    try:
        with _reporter(name, url, options, both) as reporter:
            summary = run_tournament(
                file,
                url,
                bots,
                make_executor,
                listener=Listeners(both, *([reporter] if reporter else [])),
                deadline=deadline,
                max_faults=options.max_faults,
                retry_seconds=options.retry_seconds,
                unbenched=options.unbenched,
                skip=options.skip,
                pinning=pinning,
            )
            with ignore_hangups():
                report = reporter.write_last() if reporter and summary.end is not End.STOPPED else ""
        with ignore_hangups():
            page = ""
            if summary.progress.played or report:
                with Repository.open(url) as opened, opened.snapshot() as repository:
                    files = {"log": str(log.path), "report": report}
                    page = summary_page(repository, repository.tournament(name), summary, files)
            code = 128 + summary.signal if summary.signal else int(summary.end is End.FAULTS)
            result = RunResult(summary, code, page)
            text = progress_text(summary.progress)
            page = "\n".join(filter(None, (page, root_text(name, summary))))
            _report_end(options, both, name, summary.end.value, result.code, text, page)
    except BaseException as error:
        code = error.exit_code if isinstance(error, TourneyError) else EnvironmentFailure.exit_code
        text = str(error) or type(error).__name__
        with ignore_hangups():
            _report_end(options, both, name, FAILED, code, text, text)
        raise
    finally:
        log.close()
    return result


@contextmanager
def _reporter(name: str, url: str, options: RunOptions, listener: Listener) -> Iterator[Reporter | None]:
    if options.report is None:
        yield None
        return
    reporter = Reporter(
        name, url, options.report, options.report_out, listener.say, options=options.report_options
    )
    try:
        yield reporter
    finally:
        reporter.close()


def _report_end(
    options: RunOptions, listener: Listener, name: str, end: str, code: int, sentence: str, text: str
) -> None:
    """Write the end to the log, and run the command of ``--notify``."""
    listener.event("end", {"end": end, "code": code, "text": sentence, "page": text.splitlines()})
    if not options.notify:
        return
    variables = {
        "TOURNEY_TOURNAMENT": name,
        "TOURNEY_END": end,
        "TOURNEY_CODE": str(code),
        "TOURNEY_TEXT": sentence.replace("\0", "\\x00"),
    }
    problem = notify(options.notify, variables, text + "\n")
    listener.event("notify", {"command": options.notify[0], "problem": problem})
    if problem:
        listener.say(problem)


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


def notify(
    words: Sequence[str], variables: Mapping[str, str], text: str, seconds: float = NOTIFY_SECONDS
) -> str:
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
        process.communicate(text, timeout=seconds)  # it need not read its input
    except subprocess.TimeoutExpired:
        return f"--notify: {words[0]} was killed after {seconds:g} seconds"
    finally:
        with suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    if process.returncode:
        return f"--notify: {words[0]} ended with the exit code {process.returncode}"
    return ""
