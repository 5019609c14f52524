"""``tourney demo``: two small tournaments of the shipped bots, with a report."""

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import click

from tourney.cli.options import output_options
from tourney.cli.output import Output, current
from tourney.cli.run_options import play_request, workers_option
from tourney.compare.question import has_ended
from tourney.errors import EnvironmentFailure
from tourney.run.config.tournament_file import TournamentFile, read_tournament_file
from tourney.run.demo import DemoFiles, begin_demo, failed_starts, prepare_demo, upgrade_demo
from tourney.run.engine.tournament_run import run_tournament
from tourney.run.monitoring.summary import Summary, summary_text
from tourney.store.database import Database


@click.command("demo")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("demo"),
    show_default=True,
    metavar="DIR",
    help="Folder for the tournament files, database, bots and report.",
)
@workers_option()
@output_options
def command(out: Path, workers: int | None) -> None:
    """Play two small tournaments of the shipped bots and write a report of both.

    Sages Tafl for two, and Sage Stones with four at the table. A second demo in the same folder keeps the
    matches and prints the path of the report again. Exit code 3: bots cannot start on this machine.
    """
    output = current()
    files = prepare_demo(out, output.say)
    upgrade_demo(files, output.say)
    tournaments = [read_tournament_file(path) for path in files.tournaments]
    names = [tournament.plan.name for tournament in tournaments]
    index = files.folder / "report" / "index.html"
    if not (index.exists() and _finished(files, names)):
        for tournament in tournaments:
            summary = _play(files, tournament, workers, output)
            if summary.signal:
                sys.exit(128 + summary.signal)
        _report(files, names, index.parent, output)
    output.write(str(index))
    failed = failed_starts(files, names)
    if failed:
        raise EnvironmentFailure(
            f"the demo failed, as bots could not start: {failed}; run `tourney doctor`, see the notes of"
            f" those matches in the report, then remove {files.folder} and run the demo again"
        )


def _play(files: DemoFiles, tournament: TournamentFile, workers: int | None, output: Output) -> Summary:
    name = tournament.plan.name
    begin_demo(files, tournament)
    play = partial(run_tournament, tournament, str(files.database), files.bots)
    summary = play_request(output, name, workers, play)
    output.say(summary_text(name, summary))
    return summary


def _report(files: DemoFiles, names: Sequence[str], out: Path, output: Output) -> None:
    from tourney.cli.report import write_report  # noqa: PLC0415 - slow to import, and seldom needed
    from tourney.report.output.layout import Options  # noqa: PLC0415 - as above
    from tourney.report.site import NO_VERSIONS  # noqa: PLC0415 - as above

    with Database.open(str(files.database)) as opened, opened.snapshot() as database:
        found = [database.tournaments.get(name) for name in names]
        write_report(database, found, out, Options(), output, NO_VERSIONS)


def _finished(files: DemoFiles, names: Sequence[str]) -> bool:
    if not files.database.exists():
        return False
    with Database.open(str(files.database)) as database:
        found = [one for one in database.tournaments.all() if one.name in names]
        return len(found) == len(names) and all(has_ended(database, one) for one in found)
