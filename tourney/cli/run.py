"""``tourney run``: start a tournament, or go on where it stopped."""

import sys
import time
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path

import click

from tourney.cli.options import bots_option, db_option, output_options
from tourney.cli.output import Output, current
from tourney.cli.run_options import run_options
from tourney.errors import UsageError
from tourney.run.config.tournament_file import read_tournament_file
from tourney.run.engine.stopping import Deadline, seconds_left
from tourney.run.monitoring.progress import Listener, PlainListener, progress_text, rich_listener
from tourney.run.monitoring.summary import ENDS, Summary
from tourney.run.unattended import RunOptions, run_unattended
from tourney.run.workers.local import LocalExecutor, default_workers

MAX_WORKERS = 256


@click.command("run")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--workers",
    type=click.IntRange(1, MAX_WORKERS),
    metavar="N",
    help="How many matches are played at once. [default: one per processor, or per --cpus of them]",
)
@click.option(
    "--cpus",
    type=click.IntRange(0, MAX_WORKERS),
    default=1,
    show_default=True,
    metavar="N",
    help="Processors that a match is pinned to, its bots with it; 0 pins nothing.",
)
@click.option("--until", metavar="HH:MM", help="Begin nothing that would not end by this time of day.")
@click.option("--budget", metavar="SPAN", help="The same, so long from now: 8h, 90m, 1h30m.")
@click.option("--executor", metavar="URL", help="Play on a cluster (not in this version).")
@run_options
@db_option
@bots_option
@output_options
def command(
    file: Path,
    workers: int | None,
    cpus: int,
    until: str | None,
    budget: str | None,
    executor: str | None,
    night: RunOptions,
    db: str,
    bots: str,
) -> None:
    """Start the tournament of FILE, or go on where it stopped.

    A match counts once it is stored: whatever happens to this program or this machine, the next start plays
    what has no result. Ctrl-C finishes the matches that are being played; a second one stops at once.

    A log is kept beside the database, and a page printed at the end. While the database cannot be written
    (the disk is full, another program holds it) the run pauses and tries again. A bot that fails at start-up
    three times is benched: its remaining matches are void.
    """
    if executor is not None:
        raise UsageError(
            f"--executor {executor}: this version plays on this machine only; leave --executor out"
        )
    timetable = Deadline(end_of(until, budget))
    tournament = read_tournament_file(file)
    output = current()
    count = workers or max(1, default_workers() // max(1, cpus))
    with ExitStack() as stack:
        listener = choose_listener(output, stack, tournament.plan.name)
        ended = run_unattended(
            tournament,
            db,
            Path(bots),
            lambda: LocalExecutor(count, cpus=cpus),
            night,
            listener=listener,
            timetable=timetable,
        )
    for line in ended.page.splitlines():
        output.say(line)
    output.say(summary_text(tournament.plan.name, ended.summary))
    if ended.code:
        sys.exit(ended.code)


def choose_listener(output: Output, stack: ExitStack, title: str) -> Listener:
    """Return the display that fits where standard error goes; ``stack`` ends it."""
    if output.quiet:
        return Listener()
    console = output.console(err=True)
    if console.is_terminal:
        return stack.enter_context(rich_listener(console, title))
    return PlainListener(output.say)


def summary_text(name: str, summary: Summary) -> str:
    """Return how a run ended, in one line."""
    return f"{name}: {ENDS[summary.end]} ({progress_text(summary.progress)})"


def end_of(until: str | None, budget: str | None) -> float | None:
    """Return the earlier end of the two, in seconds of the monotonic clock."""
    left = seconds_left(until, budget, datetime.now().astimezone())
    return None if left is None else time.monotonic() + left
