"""``tourney run``: start a tournament, or continue it."""

import sys
from contextlib import ExitStack
from pathlib import Path

import click

from tourney.cli.options import bots_option, db_option, output_options
from tourney.cli.output import current
from tourney.cli.run_options import (
    MAX_WORKERS,
    choose_listener,
    deadline_options,
    run_options,
    workers_option,
)
from tourney.run.config.tournament_file import read_tournament_file
from tourney.run.engine.ponder import Pinning
from tourney.run.engine.stopping import Deadline
from tourney.run.monitoring.summary import root_text, summary_text
from tourney.run.unattended import RunOptions, run_unattended
from tourney.run.workers.executor import EXECUTORS
from tourney.run.workers.local import default_workers


@click.command("run")
@click.argument("file", type=click.Path(path_type=Path))
@workers_option("one per processor, or per --cpus processors")
@click.option(
    "--cpus",
    type=click.IntRange(0, MAX_WORKERS),
    default=1,
    show_default=True,
    metavar="N",
    help="Processors that a match and its bots are pinned to; 0: no pinning. With one per seat, and"
    ' ponder = "allow", each bot has its own.',
)
@deadline_options
@click.option(
    "--executor",
    default="local",
    show_default=True,
    metavar="NAME",
    help="Where matches are played: local, or the name of an installed plugin.",
)
@run_options
@db_option
@bots_option
@output_options
def command(
    file: Path,
    workers: int | None,
    cpus: int,
    deadline: Deadline,
    executor: str,
    options: RunOptions,
    db: str,
    bots: str,
) -> None:
    """Start the tournament of FILE, or continue it.

    A match counts once it is stored. After a crash the next start plays the matches without a result. Ctrl-C
    finishes the matches in progress; a second one stops at once.

    The run keeps a log beside the database and prints a summary at the end. While the database cannot be
    written (the disk is full, another program holds it) the run pauses and tries again. A bot that fails at
    start-up three times is benched: its remaining matches are void. If a bot cannot be built, nothing is
    played, unless --skip-broken benches it; --unbench brings it back once it can.
    """
    make_executor = EXECUTORS.find_class(executor)
    tournament = read_tournament_file(file)
    output = current()
    count = workers or max(1, default_workers() // max(1, cpus))
    with ExitStack() as stack:
        result = run_unattended(
            tournament,
            db,
            Path(bots),
            lambda: make_executor(count, cpus=cpus),
            options,
            listener=choose_listener(output, stack, tournament.plan.name),
            deadline=deadline,
            pinning=Pinning(count, cpus, default_workers()),
        )
    for line in result.page.splitlines():
        output.say(line)
    output.say(summary_text(tournament.plan.name, result.summary))
    if root := root_text(tournament.plan.name, result.summary):
        output.say(root)
    if result.code:
        sys.exit(result.code)
