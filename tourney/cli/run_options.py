"""Options and displays of the commands that play matches: ``run``, ``compare`` and ``demo``."""

import re
import shlex
import time
from collections.abc import Callable
from contextlib import ExitStack
from datetime import datetime
from functools import wraps
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar, cast

import click

from tourney.cli.completion import complete_game
from tourney.cli.options import (
    CHARGES,
    charge_option,
    game_option,
    move_ms_option,
    reuse_option,
    sandbox_option,
    seed_option,
)
from tourney.cli.output import Output
from tourney.errors import UsageError
from tourney.match.spec import FUEL_PER_MS, Charge, Limits
from tourney.run.engine.stopping import Deadline, parse_span, seconds_left
from tourney.run.monitoring.progress import Listener, PlainListener, rich_listener
from tourney.run.unattended import RunOptions, parse_command
from tourney.store.values import RunSettings, SandboxLevel

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")

MAX_WORKERS: Final = 256


def workers_option(default: str = "one per processor") -> Callable[[F], F]:
    """Add ``--workers``; ``default`` describes its default."""
    return click.option(
        "--workers",
        type=click.IntRange(1, MAX_WORKERS),
        metavar="N",
        help=f"Matches played at the same time. [default: {default}]",
    )


def cpus_option(more: str = "") -> Callable[[F], F]:
    """Add ``--cpus N``; ``more`` continues its help. The command gets ``cpus``."""
    return click.option(
        "--cpus",
        type=click.IntRange(0, MAX_WORKERS),
        default=1,
        show_default=True,
        metavar="N",
        help=f"Processors that a match and its bots are pinned to; 0: no pinning.{more}",
    )


def max_faults_option(help_: str, default: int) -> Callable[[F], F]:
    """Add ``--max-faults N``; the command gets ``max_faults``."""
    return click.option(
        "--max-faults",
        type=click.IntRange(min=1),
        default=default,
        show_default=True,
        metavar="N",
        help=help_,
    )


def deadline_options(function: F) -> F:
    """Add ``--until`` and ``--budget``; the command gets ``deadline``."""

    @wraps(function)
    def with_deadline(*args: Any, until: str | None, budget: str | None, **rest: Any) -> Any:
        left = seconds_left(until, budget, datetime.now().astimezone())
        return function(*args, deadline=Deadline(None if left is None else time.monotonic() + left), **rest)

    return cast("F", _add(with_deadline, _DEADLINE_OPTIONS))


class PairSettings(NamedTuple):
    """How bots play pairs of games: fields of the requests of ``compare`` and ``gate``."""

    game: str
    options: dict[str, str]
    limits: Limits
    opening_plies: int | None
    seed: int | None
    run: RunSettings


def pair_options(function: F) -> F:
    """Add the options of a command that plays pairs of games; the command gets ``pairs``."""

    @wraps(function)
    def with_pairs(
        *args: Any,
        game: str,
        options: dict[str, str],
        move_ms: int,
        charge: Charge,
        fuel_per_ms: int | None,
        opening_plies: int | None,
        seed: int | None,
        sandbox: SandboxLevel,
        reuse: bool,
        **rest: Any,
    ) -> Any:
        if fuel_per_ms is not None and charge != "fuel":
            raise UsageError(
                "--fuel-per-ms says what a millisecond of --charge fuel is: give both, or neither"
            )
        limits = Limits(move_ms=move_ms, charge=charge, fuel_per_ms=fuel_per_ms).metered()
        run = RunSettings(reuse=reuse, sandbox=sandbox)
        return function(*args, pairs=PairSettings(game, options, limits, opening_plies, seed, run), **rest)

    return cast("F", _add(with_pairs, _PAIR_OPTIONS))


def run_options(function: F) -> F:
    """Add the options of an unattended run; the command gets ``options``, a ``RunOptions``."""

    @wraps(function)
    def with_options(
        *args: Any,
        unbench: tuple[str, ...],
        patience: str,
        notify: str | None,
        report_options: str | None,
        **rest: Any,
    ) -> Any:
        options = RunOptions(
            retry_seconds=0.0 if patience == "0" else parse_span("--patience", patience).total_seconds(),
            unbenched=unbench,
            skip=rest.pop("skip_broken"),
            report_options=() if report_options is None else parse_report_options(report_options),
            notify=() if notify is None else parse_command(notify),
            **{name: rest.pop(name) for name in ("max_faults", "log", "report", "report_out")},
        )
        return function(*args, options=options, **rest)

    return cast("F", _add(with_options, _RUN_OPTIONS))


def parse_share(option: str, text: str) -> int:
    """Return a percentage as a number of 10,000, as 200 for 2%. Raises UsageError."""
    found = re.fullmatch(r"(\d{1,3})(?:\.(\d{1,2}))?%?", text, re.ASCII)
    share = 100 * int(found[1]) + int((found[2] or "0").ljust(2, "0")) if found else -1
    if not 0 <= share <= 10_000:
        raise UsageError(f"{option} {text!r}: give a percentage from 0% to 100%, as 2% or 0.5%")
    return share


REPORT_OPTIONS = ("no_measured", "logs", "address", "templates", "match_pages", "listed", "processes")
"""Options of ``tourney report`` that the reports of a run take."""


def parse_report_options(text: str) -> tuple[str, ...]:
    """Split options of ``tourney report`` into words, and check them. Raises UsageError."""
    from tourney.cli import report  # noqa: PLC0415 - it brings pandas, which a run does not need otherwise

    try:
        words = shlex.split(text)
        parser = report.command.make_parser(click.Context(report.command))
        given, rest, order = parser.parse_args(list(words))
    except ValueError as error:
        raise UsageError(f"--report-options {text!r} cannot be split into words: {error}") from error
    except click.UsageError as error:
        raise UsageError(f"--report-options {text!r}: {error.message}") from error
    named = [one.name or "" for one in order if isinstance(one, click.Option)]
    wrong = [word for word in (given["tournament"], *rest) if isinstance(word, str)]
    wrong += [name for name in named if name not in REPORT_OPTIONS]
    if wrong:
        raise UsageError(
            f"--report-options {text!r}: a run's reports take no {wrong[0]!r}; see `tourney run --help`"
        )
    folder = given["templates"] if "templates" in named else None
    report.check_options(
        no_measured="no_measured" in named,
        logs="logs" in named,
        address=given["address"] if "address" in named else "",
        templates=Path(folder) if folder else None,
    )
    return tuple(words)


def play_request(output: Output, title: str, workers: int | None, play: Callable[..., T]) -> T:
    """Return what ``play`` returns.

    It is called with ``make_executor``, which starts local workers, and with a display as ``listener``.
    """
    from tourney.run.workers.local import LocalExecutor, default_workers  # noqa: PLC0415 - slow to import

    count = workers or default_workers()
    with ExitStack() as stack:
        listener = choose_listener(output, stack, title)
        return play(make_executor=lambda: LocalExecutor(count), listener=listener)


def choose_listener(output: Output, stack: ExitStack, title: str) -> Listener:
    """Return the display that fits standard error; ``stack`` closes it."""
    if output.quiet:
        return Listener()
    console = output.console(err=True)
    if console.is_terminal:
        return stack.enter_context(rich_listener(console, title))
    return PlainListener(output.say)


def _add(function: Any, options: tuple[Callable[[Any], Any], ...]) -> Any:
    for option in reversed(options):
        function = option(function)
    return function


_DEADLINE_OPTIONS = (
    click.option("--until", metavar="HH:MM", help="Start no match that would not end by this time of day."),
    click.option(
        "--budget",
        metavar="SPAN",
        help="Start no match that would not end within this time: 8h, 90m or 1h30m.",
    ),
)
_PAIR_OPTIONS = (
    click.option("--game", required=True, metavar="GAME", shell_complete=complete_game, help="Game to play."),
    game_option,
    move_ms_option("Time per action."),
    charge_option(*CHARGES),
    click.option(
        "--fuel-per-ms",
        type=click.IntRange(1_000, 1_000_000_000),
        metavar="N",
        help=f"Units of work that count as a millisecond, with --charge fuel. [default: {FUEL_PER_MS}]",
    ),
    click.option(
        "--opening-plies",
        type=click.IntRange(0, 200),
        metavar="N",
        help="Random actions at the start of each pair. [default: 4; 0 in games with dice or hidden actions]",
    ),
    seed_option,
    sandbox_option,
    reuse_option,
)
_RUN_OPTIONS = (
    click.option(
        "--max-faults",
        type=click.IntRange(min=1),
        metavar="N",
        help="Stop with exit code 1 once the tournament has N faults, counted in batches of 8 matches in"
        " schedule order.",
    ),
    click.option(
        "--unbench",
        multiple=True,
        metavar="NAME",
        help="Play the void matches of a benched bot, and those it lost at start-up; repeatable.",
    ),
    click.option(
        "--skip-broken",
        is_flag=True,
        help="Go on without the bots that cannot be built or fetched on this host: they are benched from the"
        " start.",
    ),
    click.option(
        "--patience",
        default="1h",
        show_default=True,
        metavar="SPAN",
        help="Retry a database that cannot be written for this long; 0 stops at once.",
    ),
    click.option(
        "--log",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="PATH",
        help="Log file (JSON lines). [default: DATABASE-TOURNAMENT.log beside the database]",
    ),
    click.option(
        "--report",
        type=click.IntRange(0, 1440),
        metavar="MINUTES",
        help="Write the report at this interval and at the end; 0: only at the end.",
    ),
    click.option(
        "--report-out",
        type=click.Path(file_okay=False, path_type=Path),
        metavar="DIR",
        help="Folder of the report. [default: reports/TOURNAMENT]",
    ),
    click.option(
        "--report-options",
        metavar="OPTIONS",
        help="Options of `tourney report` for these reports: --with-logs, --no-measured, --base-url,"
        ' --templates, --match-pages and --processes; for example "--base-url https://example.org/cup/".',
    ),
    click.option(
        "--notify",
        metavar="CMD",
        help="Command to run at the end of the run. It gets the summary on standard input, and TOURNEY_END,"
        " TOURNEY_CODE, TOURNEY_TEXT and TOURNEY_TOURNAMENT in its environment. No shell reads it.",
    ),
)
