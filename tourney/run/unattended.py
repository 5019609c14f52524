"""A run that nobody watches: the run itself, its log, its reports, its last page, and the call at its end."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tourney.errors import EnvironmentFailure, TourneyError
from tourney.run.config.tournament_file import TournamentFile
from tourney.run.engine.deadline import Deadline
from tourney.run.engine.session import run_tournament
from tourney.run.engine.signals import past_hangup
from tourney.run.monitoring.notify import notify
from tourney.run.monitoring.progress import Listener, Listeners, progress_text
from tourney.run.monitoring.reporter import Reporter
from tourney.run.monitoring.run_log import RunLog
from tourney.run.monitoring.summary import End, Summary, page
from tourney.run.workers.pool import Pool
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
    pool: Callable[[], Pool],
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
            with past_hangup():
                report = reporter.last() if reporter and summary.end is not End.STOPPED else ""
        with past_hangup():
            ended = Ended(summary, code_of(summary), _page(name, url, summary, log.path, report))
            _tell(night, both, name, summary.end.value, ended.code, progress_text(summary.tick), ended.page)
    except BaseException as error:
        code = error.exit_code if isinstance(error, TourneyError) else EnvironmentFailure.exit_code
        said = str(error) or type(error).__name__
        with past_hangup():
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
    if not (summary.tick.played or report):
        return ""
    with Repository.open(url) as opened, opened.snapshot() as repository:
        return page(repository, repository.tournament(name), summary, {"log": str(log), "report": report})


def _tell(
    night: RunOptions, listener: Listener, name: str, end: str, code: int, sentence: str, text: str
) -> None:
    """Write the end into the log, and run the command that wants to know of it."""
    listener.note("end", {"end": end, "code": code, "text": sentence, "page": text.splitlines()})
    if not night.notify:
        return
    variables = {
        "TOURNEY_TOURNAMENT": name,
        "TOURNEY_END": end,
        "TOURNEY_CODE": str(code),
        "TOURNEY_TEXT": sentence.replace("\0", "\\x00"),
    }
    problem = notify(night.notify, variables, text + "\n")
    listener.note("notify", {"command": night.notify[0], "problem": problem})
    if problem:
        listener.say(problem)
