"""Options and displays of the commands that play matches: ``run``, ``compare`` and ``demo``."""

import re
import shlex
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

import click

from tourney.cli import options as opt
from tourney.cli.options import option
from tourney.cli.output import Output, current
from tourney.errors import UsageError
from tourney.files import write_file
from tourney.match.match_memory import MatchMemory
from tourney.run.engine.readiness import Pinning, PlaySetup
from tourney.run.engine.run_control import Deadline, parse_span, seconds_left
from tourney.run.listeners import Listener, PlainListener, rich_listener
from tourney.run.timer_units import DailyCommand
from tourney.run.unattended import ReportOptions, RunOptions, parse_command
from tourney.run.workers.local import LocalExecutor
from tourney.schema import SandboxLevel, SchemaError, read
from tourney.spawning import default_processes
from tourney.store.beacon import BeaconValue
from tourney.store.engine import parse_url

T = TypeVar("T")

MAX_WORKERS: Final = 256
OPENS: Final = "22:00"
"""When the units of a run start it."""


def workers_option(default: str = "one per processor") -> Callable[[opt.F], opt.F]:
    """Add ``--workers``; ``default`` describes its default."""
    return click.option(
        "--workers",
        type=click.IntRange(1, MAX_WORKERS),
        metavar="N",
        help=f"Matches played at the same time, at most as many as fit into memory. [default: {default}]",
    )


class ProcessorOptions(opt.CommandOptions):
    """The number of matches played at once, and their processors."""

    group = "Processors and hosts"

    workers: int | None = opt.shared(workers_option("one per processor, or per --cpus processors"))
    cpus: int = option(
        "--cpus N",
        "Processors that a match and its bots are pinned to; 0: no pinning. With one per seat, and"
        ' ponder = "allow", each bot has its own.',
        type=click.IntRange(0, MAX_WORKERS),
        default=1,
    )

    def pinning(self) -> Pinning:
        """The use of this machine's processors; by default as many matches as fit."""
        processors = default_processes()
        # Without pinning (0), a match counts as one processor.
        return Pinning(self.workers or max(1, processors // max(1, self.cpus)), self.cpus, processors)


class ReplayOptions(opt.CommandOptions):
    """The number of matches replayed at once, their processors, and the containment of bots."""

    processors: ProcessorOptions
    sandbox: SandboxLevel = opt.shared(opt.sandbox_option)

    def executor(self, matches: int, need: MatchMemory | None = None) -> LocalExecutor:
        """The executor of this machine, with no more workers than there are matches.

        With ``need``, also no more than fit into memory. A match that does not fit is still played, alone:
        no result of a replay counts.
        """
        pinning = self.processors.pinning()
        executor = LocalExecutor(max(1, min(pinning.workers, matches)), cpus=pinning.cpus)
        if need is not None:
            executor.fit(need, current().say)
        return executor


class DeadlineOptions(opt.CommandOptions):
    """The time at which the last match of a run may start."""

    group = "Time"

    stop_at: str | None = option(
        "--stop-at HH:MM", "--until", "Start no match that would not end by this time of day."
    )
    stop_after: str | None = option(
        "--stop-after SPAN",
        "--budget",
        "Start no match that would not end within this time: 8h, 90m or 1h30m.",
    )

    def deadline(self) -> Deadline:
        """The deadline from now on. Raises UsageError."""
        left = seconds_left(self.stop_at, self.stop_after, datetime.now().astimezone())
        return Deadline(None if left is None else time.monotonic() + left)


class UnitOptions(opt.CommandOptions):
    """The units that start a run each day."""

    group = "Start each day"

    units: Path | None = option(
        "--units DIR",
        "Write units of systemd and a crontab that start this command each day and after a reboot into DIR,"
        " and play nothing.",
        type=opt.FOLDER,
    )
    start_at: str | None = option("--start-at HH:MM", "--units: the time of day. [default: 22:00]")

    def check(self, file: Path | None) -> None:
        """Raise UsageError for options that do not go together."""
        if self.units is None:
            opt.refuse({"--start-at": self.start_at}, "goes with --units DIR")
        elif file is None:
            raise UsageError("--units needs FILE, the tournament file that the units run")
        elif re.fullmatch(r"([01][0-9]|2[0-3]):[0-5][0-9]", self.start_at or OPENS, re.ASCII) is None:
            raise UsageError(f"--start-at {self.start_at!r} is not a time of day: write it as 22:00")

    def write(self, folder: Path, file: Path, name: str, db: str) -> list[Path]:
        """Write the files for the current command into a folder; return their paths. Raises UsageError."""
        if parse_url(db).password is not None:
            raise UsageError(
                "the units would show the password of the database to every user: put it into a file"
                " ~/.pgpass, and leave it out of the URL"
            )
        words = opt.given_words(click.get_current_context(), "units", "start_at", "formats")
        daily = DailyCommand(
            name=f"{name}-run",
            title=f"Tournament {name}",
            words=("run", str(file), *words),
            folder=Path.cwd(),
            opens=self.start_at or OPENS,
        )
        folder.mkdir(parents=True, exist_ok=True)
        paths = []
        for file_name, text in daily.files().items():
            paths.append(folder / file_name)
            write_file(paths[-1], text.encode())
        return paths


class UnattendedOptions(opt.CommandOptions):
    """The options by which a run continues and reports without a person."""

    group = "Faults, reports and messages"

    max_faults: int | None = option(
        "--max-faults N",
        "Stop with exit code 1 once the tournament has N faults, counted in batches of 8 matches in"
        " schedule order.",
        type=click.IntRange(min=1),
    )
    unbench: tuple[str, ...] = option(
        "--unbench NAME", "Play the void matches of a benched bot, and those it lost at start-up; repeatable."
    )
    skip_broken: bool = option(
        "--skip-broken",
        "Go on without the bots that cannot be built or fetched on this host: they are benched from"
        " the start.",
    )
    beacon: str | None = option(
        "--beacon HEX",
        "Value of the public randomness that the file's `beacon` names: the seed follows from it.",
    )
    allow_weaker: bool = opt.shared(opt.allow_weaker_option)
    patience: str = option(
        "--patience SPAN",
        "Wait this long for a database that cannot be written, and for a cluster that has lost its scheduler"
        " or its workers; 0 stops at once, or with a cluster after a minute.",
        default="1h",
    )
    log: Path | None = option(
        "--log PATH", "Log file (JSON lines). [default: DATABASE-TOURNAMENT.log beside the database]"
    )
    report: int | None = option(
        "--report MINUTES",
        "Write the report at this interval and at the end; 0: only at the end.",
        type=click.IntRange(0, 1440),
    )
    report_out: Path | None = option(
        "--report-out DIR", "Folder of the report. [default: reports/TOURNAMENT]", type=opt.FOLDER
    )
    report_options: str | None = option(
        "--report-options OPTIONS",
        "Options of `tourney report` for these reports: --with-logs, --no-measured, --base-url,"
        ' --templates, --match-pages and --processes; for example "--base-url https://example.org/cup/".',
    )
    notify: str | None = option(
        "--notify CMD",
        "Command to run at the end of the run, and when it pauses, stalls or goes on after that. It gets"
        " the summary on standard input, and TOURNEY_END, TOURNEY_CODE, TOURNEY_TEXT and"
        " TOURNEY_TOURNAMENT in its environment. No shell reads it.",
    )

    def run_options(self, deadline: Deadline, pinning: Pinning) -> RunOptions:
        """The settings of an unattended run. Raises UsageError."""
        seconds = 0.0 if self.patience == "0" else parse_span("--patience", self.patience).total_seconds()
        words = () if self.report_options is None else parse_report_options(self.report_options)
        if self.report is None:
            alone = {"--report-out": self.report_out, "--report-options": self.report_options}
            opt.refuse(alone, "goes with --report MINUTES; --report 0 writes one report, at the end")
        return RunOptions(
            play=PlaySetup(
                deadline,
                self.max_faults,
                seconds,
                self.unbench,
                self.skip_broken,
                pinning,
                beacon=beacon_value(self.beacon),
                allow_weaker=self.allow_weaker,
            ),
            log=self.log,
            report=None if self.report is None else ReportOptions(self.report, self.report_out, words),
            notify=() if self.notify is None else parse_command(self.notify),
        )


def beacon_value(text: str | None) -> str | None:
    """The value of a beacon, in small letters. Raises UsageError."""
    if text is None:
        return None
    try:
        return read(text.lower(), BeaconValue)
    except SchemaError as error:
        raise UsageError(f"--beacon {text[:80]!r} must be 16 to 256 hex digits, an even number") from error


def parse_share(text: str) -> int:
    """A percentage as a number of 10,000, as 200 for 2%. Raises UsageError."""
    digits = re.fullmatch(r"(\d{1,3})(?:\.(\d{1,2}))?%?", text, re.ASCII)
    share = 100 * int(digits[1]) + int((digits[2] or "0").ljust(2, "0")) if digits else -1
    if not 0 <= share <= 10_000:
        raise UsageError(f"--recheck {text!r}: give a percentage from 0% to 100%, as 2% or 0.5%")
    return share


REPORT_OPTIONS = ("no_measured", "logs", "address", "templates", "match_pages", "listed", "processes")
"""Options of ``tourney report`` that the reports of a run take."""


def parse_report_options(text: str) -> tuple[str, ...]:
    """Split options of ``tourney report`` into words, and check them. Raises UsageError."""
    from tourney.cli import report  # noqa: PLC0415 - it brings pandas, which a run does not need otherwise

    try:
        words = shlex.split(text)
        context = report.command.make_context("report", list(words))
    except ValueError as error:
        raise UsageError(f"--report-options {text!r} cannot be split into words: {error}") from error
    except click.UsageError as error:
        raise UsageError(f"--report-options {text!r}: {error.message}") from error
    named = [name for name in context.params if opt.is_given(name, context)]
    wrong = [name for name in named if name not in REPORT_OPTIONS]
    if wrong:
        word = context.params["tournament"] or wrong[0]
        raise UsageError(
            f"--report-options {text!r}: a run's reports take no {word!r}; see `tourney run --help`"
        )
    # Now: a wrong template would otherwise be found only when the first report is due.
    opt.collected(report.ReportRequest, context.params).contents()
    return tuple(words)


def play_request(output: Output, title: str, workers: int | None, play: Callable[..., T]) -> T:
    """Call ``play`` and return its result.

    ``play`` gets ``make_executor``, which starts local workers, and a display as ``listener``.
    """
    make = partial(LocalExecutor, workers or default_processes())
    with listening(output, title) as listener:
        return play(make_executor=make, listener=listener)


@contextmanager
def listening(output: Output, title: str) -> Iterator[Listener]:
    """Give a display for standard error: a bar on a terminal, else plain lines."""
    if output.quiet:
        yield Listener()
    elif console := output.console():
        with rich_listener(console, title) as listener:
            yield listener
    else:
        yield PlainListener(output.say)
