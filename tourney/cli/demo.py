"""``tourney demo``: a small tournament of the bots that ship, start to report."""

import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import click

from tourney.cli.options import output_options
from tourney.cli.output import Output, current
from tourney.cli.run import MAX_WORKERS, choose_listener, summary_text
from tourney.errors import EnvironmentFailure
from tourney.run.config.tournament_file import TournamentFile, read_tournament_file
from tourney.run.demo import DemoFiles, begin_demo, failed_starts, prepare_demo, upgrade_demo
from tourney.run.engine.session import run_tournament
from tourney.run.monitoring.summary import Summary
from tourney.run.workers.local import LocalExecutor, default_workers
from tourney.store.repository import Repository


@click.command("demo")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("demo"),
    show_default=True,
    metavar="DIR",
    help="The folder for all of it: tournament files, database, bots, report.",
)
@click.option(
    "--workers",
    type=click.IntRange(1, MAX_WORKERS),
    metavar="N",
    help="How many matches are played at once. [default: one per processor]",
)
@output_options
def command(out: Path, workers: int | None) -> None:
    """Play two small tournaments of the bots that ship and write a report of both.

    Sages Tafl for two, and Sage Stones with four at the table. What was played stays: a second demo in the
    same folder only says where the report is. What is printed is the path of the report. Exit code 3 where
    bots cannot start on this machine.
    """
    output = current()
    files = prepare_demo(out, output.say)
    upgrade_demo(files, output.say)
    tournaments = [read_tournament_file(path) for path in files.tournaments]
    names = [tournament.plan.name for tournament in tournaments]
    index = files.folder / "report" / "index.html"
    if not (index.exists() and all(_finished(files, name) for name in names)):
        for tournament in tournaments:
            summary = _play(files, tournament, workers or default_workers(), output)
            if summary.signal:
                sys.exit(128 + summary.signal)
        _report(files, names, index.parent, output)
    output.write(str(index))
    failed = failed_starts(files, names)
    if failed:
        raise EnvironmentFailure(
            f"the demo is no good, as bots could not start: {failed}; see `tourney doctor`, and the notes of"
            f" those matches in the report; then begin anew in another folder, or remove {files.folder}"
        )


def _play(files: DemoFiles, tournament: TournamentFile, workers: int, output: Output) -> Summary:
    name = tournament.plan.name
    begin_demo(files, tournament)
    with ExitStack() as stack:
        listener = choose_listener(output, stack, name)
        summary = run_tournament(
            tournament, str(files.database), files.bots, lambda: LocalExecutor(workers), listener=listener
        )
    output.say(summary_text(name, summary))
    return summary


def _report(files: DemoFiles, names: Sequence[str], out: Path, output: Output) -> None:
    from tourney.cli.report import write_reports  # noqa: PLC0415 - slow to import, and seldom needed
    from tourney.report.site import Options  # noqa: PLC0415 - as above

    with Repository.open(str(files.database)) as opened, opened.snapshot() as repository:
        found = [repository.tournament(name) for name in names]
        write_reports(repository, found, out, Options(), output)


def _finished(files: DemoFiles, name: str) -> bool:
    if not files.database.exists():
        return False
    with Repository.open(str(files.database)) as repository:
        for tournament in repository.tournaments():
            if tournament.name == name:
                progress = repository.progress(tournament.id)
                return tournament.complete and progress.done == progress.rows
    return False
