"""``tourney run``: start a tournament, or continue it."""

import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import click

from tourney.cli.documents.tournaments import DryRunDocument, RunDocument
from tourney.cli.options import TEXT, bots_option, db_option, formats_option, output_options
from tourney.cli.output import Format, current
from tourney.cli.run_options import (
    choose_listener,
    cpus_option,
    deadline_options,
    parse_share,
    run_options,
    workers_option,
)
from tourney.errors import UsageError
from tourney.run.config.tournament_file import TournamentFile, read_tournament_file
from tourney.run.engine.ponder import Pinning
from tourney.run.engine.stopping import Deadline
from tourney.run.monitoring.summary import root_text, summary_text
from tourney.run.unattended import RunOptions, run_unattended
from tourney.run.workers.executor import MatchExecutor, find_executor
from tourney.run.workers.local import default_workers


@click.command("run")
@click.argument("file", type=click.Path(path_type=Path))
@workers_option("one per processor, or per --cpus processors")
@cpus_option(' With one per seat, and ponder = "allow", each bot has its own.')
@deadline_options
@click.option(
    "--executor",
    metavar="NAME",
    help="Where matches are played: local, dask (a Dask cluster on this machine), dask://HOST:PORT (the"
    " cluster of that scheduler), or the name of an installed plugin. [default: the tournament file's, or"
    " local]",
)
@click.option(
    "--recheck",
    metavar="SHARE",
    help="Share of the matches of other hosts that a second host plays again, as 2% or 0.5%; which ones, the"
    " tournament's seed decides. [default: 2%]",
)
@click.option(
    "--allow-mixed",
    is_flag=True,
    help="Play on hosts that differ in Tourney, rules, sandbox or Python.",
)
@click.option(
    "--dry-run",
    is_flag=True,
    help="Print what the run would do: entrants, rounds, matches, estimated time, and what matches share."
    " Writes nothing, and neither builds nor starts a bot.",
)
@run_options
@formats_option(RunDocument, DryRunDocument, formats=TEXT)
@db_option
@bots_option
@output_options
def command(
    file: Path,
    workers: int | None,
    cpus: int,
    deadline: Deadline,
    executor: str | None,
    recheck: str | None,
    allow_mixed: bool,
    dry_run: bool,
    options: RunOptions,
    format_: Format,
    db: str,
    bots: str,
) -> None:
    """Start the tournament of FILE, or continue it.

    A match counts once it is stored. After a crash the next start plays the matches without a result. Ctrl-C
    finishes the matches in progress; a second one stops at once.

    The run keeps a log beside the database and prints a summary at the end. While the database cannot be
    written (the disk is full, another program holds it) the run pauses and tries again. A bot that fails at
    start-up three times is benched: its remaining matches are void. If a bot cannot be built, nothing is
    played, unless --skip-broken benches it; --unbench brings it back once it can. All of a run's text goes to
    standard error; with --format json a summary goes to standard output at the end.
    """
    share = None if recheck is None else parse_share("--recheck", recheck)
    tournament = read_tournament_file(file)
    make_executor = _executor(executor, tournament, share, allow_mixed=allow_mixed)
    output = current()
    count = workers or max(1, default_workers() // max(1, cpus))
    pinning = Pinning(count, cpus, default_workers())
    if dry_run:
        _dry_run(tournament, db, Path(bots), pinning, format_)
        return
    with ExitStack() as stack:
        result = run_unattended(
            tournament,
            db,
            Path(bots),
            lambda: make_executor(count, cpus=cpus),
            options,
            listener=choose_listener(output, stack, tournament.plan.name),
            deadline=deadline,
            pinning=pinning,
        )
    for line in result.page.splitlines():
        output.say(line)
    output.say(summary_text(tournament.plan.name, result.summary))
    if root := root_text(tournament.plan.name, result.summary):
        output.say(root)
    if format_ is Format.JSON:
        progress = result.summary.progress
        output.document(
            RunDocument,
            tournament=tournament.plan.name,
            end=result.summary.end.value,
            **{key: getattr(progress, key) for key in ("rows", "done", "void", "faults", "played")},
            seconds=round(progress.seconds, 3),
            rate=None if progress.rate is None else round(progress.rate, 3),
            root=result.summary.root,
        )
    if result.code:
        sys.exit(result.code)


def _dry_run(file: TournamentFile, db: str, bots: Path, pinning: Pinning, format_: Format) -> None:
    """Print what a run would do."""
    from tourney.run.dry_run import dry_run, dry_run_text  # noqa: PLC0415 - a run does without it

    found = dry_run(file, db, bots, pinning)
    if format_ is Format.TEXT:
        current().write(dry_run_text(found))
        return
    current().document(
        DryRunDocument,
        tournament=found.name,
        tournament_format=found.format,
        entrants=[{"name": name, "bot": bot} for name, bot in found.entrants],
        workers=pinning.workers,
        seconds=None if found.seconds is None else round(found.seconds, 1),
        **{key: getattr(found, key) for key in ("game", "seats", "started", "added", "withdrawn")},
        **{
            key: getattr(found, key)
            for key in ("rounds", "matches", "most_matches", "paired", "done", "basis", "shared")
        },
    )


def _executor(
    named: str | None, file: TournamentFile, recheck: int | None, *, allow_mixed: bool
) -> Callable[..., MatchExecutor]:
    """Return the maker of the executor of ``--executor``, or of the file. Raises UsageError."""
    try:
        return find_executor(named or file.run.executor, recheck=recheck, allow_mixed=allow_mixed)
    except UsageError as error:
        if named or recheck is not None or allow_mixed:
            raise
        raise UsageError(f"{file.path}, [run]: executor: {error}", file=file.path, key="executor") from error
