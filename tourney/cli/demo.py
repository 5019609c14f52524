"""``tourney demo``: two small round-robins of the shipped bots, as files to continue from, with a report."""

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import click

from tourney.bots.catalogue.build import runnable_folder
from tourney.bots.catalogue.store import BotStore, resolve_bot
from tourney.bots.sandbox.sandbox import open_sandbox
from tourney.cli import options as opt
from tourney.cli.output import Output, current
from tourney.cli.run_options import play_request, workers_option
from tourney.errors import BotError, EnvironmentFailure
from tourney.results.standings import has_ended
from tourney.run.engine.tournament_run import open_tournament, run_tournament
from tourney.run.summary import summary_text
from tourney.run.tournament_file import read_tournament_file
from tourney.store.database import Database, upgrade_database

SEED = 20261120

_TAFL = f"""\
# A small round-robin of Sages Tafl. To go on from here:
# tourney run {{path}} --db {{database}} --bots {{bots}}
name = "demo-tafl"
game = "sages-tafl"
seed = {SEED}            # plays one finished demo again; leave it out of yours, as bots can find it
bots = ["random", "greedy", "pebble"]
games-per-pairing = 8
opening-plies = 2

[limits]
ponder = "freeze"
memory-mb = 256       # small bots: the demo fits into any machine
"""

_STONES = f"""\
# A small round-robin of Sage Stones, four bots at a table. To go on from here:
# tourney run {{path}} --db {{database}} --bots {{bots}}
name = "demo-stones"
game = "sage-stones"
seats = 4
seed = {SEED}            # plays one finished demo again; leave it out of yours, as bots can find it
bots = ["random", "greedy", "pebble"]
games-per-pairing = 24

[[entrant]]
{{fourth}}

[limits]
ponder = "freeze"
memory-mb = 256       # small bots: the demo fits into any machine
"""


@opt.command("demo")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("demo"),
    show_default=True,
    metavar="DIR",
    help="Folder for the tournament files, database, bots and report.",
)
@workers_option()
def command(out: Path, workers: int | None) -> None:
    """Play two small tournaments of the shipped bots and write a report of both.

    Sages Tafl for two, and Sage Stones with four at the table. A second demo in the same folder keeps the
    matches and prints the path of the report again. Exit code 3: bots cannot start on this machine.
    """
    output = current()
    database = out / "tourney.db"
    bots = out / "tourney-bots"
    paths = _write_files(out, {"database": database, "bots": bots}, output)
    upgrade_demo(database, output.say)
    tournaments = [read_tournament_file(path) for path in paths]
    names = [tournament.plan.name for tournament in tournaments]
    index = out / "report" / "index.html"
    if not (index.exists() and database.exists() and _finished(database, names)):
        for tournament in tournaments:
            # Opened without a word: the demo has its chosen seed on purpose, so no warning.
            with open_tournament(tournament, str(database), BotStore(bots.absolute()), lambda _text: None):
                pass
            play = partial(run_tournament, tournament, str(database), bots)
            summary = play_request(output, tournament.plan.name, workers, play)
            output.say(summary_text(tournament.plan.name, summary))
            # The second tournament must not start after Ctrl-C in the first.
            if summary.signal:
                sys.exit(128 + summary.signal)
        _report(database, names, index.parent)
    output.write(str(index))
    if failed := _failed_starts(database, names):
        raise EnvironmentFailure(
            f"the demo failed, as bots could not start: {failed}; run `tourney doctor`, see the notes of"
            f" those matches in the report, then remove {out} and run the demo again"
        )


def upgrade_demo(database: Path, say: Callable[[str], None]) -> None:
    """Upgrade a database that an older Tourney's demo made, and say so. Raises StoreError."""
    if database.exists():
        before, after = upgrade_database(str(database))
        if before != after:
            say(f"the demo's database {database} is an older one: upgraded from {before} to {after}")


def _report(place: Path, names: Sequence[str], out: Path) -> None:
    from tourney.cli.report import write_report  # noqa: PLC0415 - slow to import, and seldom needed
    from tourney.report.output.layout import Options  # noqa: PLC0415 - as above
    from tourney.report.site import NO_VERSIONS  # noqa: PLC0415 - as above

    with Database.open(str(place)) as opened, opened.snapshot() as database:
        tournaments = [database.tournaments.get(name) for name in names]
        write_report(database, tournaments, out, Options(), NO_VERSIONS)


def _finished(place: Path, names: Sequence[str]) -> bool:
    with Database.open(str(place)) as database:
        tournaments = map(database.tournaments.find, names)
        return all(tournament is not None and has_ended(database, tournament) for tournament in tournaments)


def _write_files(folder: Path, places: Mapping[str, Path], output: Output) -> tuple[Path, Path]:
    """Write the demo's missing tournament files. Raises EnvironmentFailure."""
    tafl = folder / "tafl.toml"
    stones = folder / "stones.toml"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # A second demo keeps files that somebody has edited.
        if not tafl.exists():
            tafl.write_text(_TAFL.format(path=tafl, **places), encoding="utf-8")
        if not stones.exists():
            fourth = 'bot = "mason"'
            store = BotStore(places["bots"].absolute())
            try:  # the bot in C needs a compiler
                sandbox = open_sandbox("auto", {"the bot store": store.root})
                runnable_folder(store, resolve_bot("mason", store), sandbox)
            except BotError as error:
                output.say(f"mason is left out: {str(error).splitlines()[0]}")
                fourth = 'bot = "random"\nname = "random-again"'
            stones.write_text(_STONES.format(path=stones, fourth=fourth, **places), encoding="utf-8")
    except OSError as error:
        raise EnvironmentFailure(
            f"the demo cannot be written to {folder}: {error.strerror}; choose another folder with --out"
        ) from error
    return tafl, stones


def _failed_starts(place: Path, names: Sequence[str]) -> str:
    """The bots that failed at start-up, with the numbers of failures; "" if none did."""
    failed = []
    with Database.open(str(place)) as database:
        for name in names:
            tournament = database.tournaments.get(name).id
            bots = {entrant.number: entrant.name for entrant in database.tournaments.entrants(tournament)}
            failed += [
                f"{bots[number]} {count} times in {name}"
                for number, kind, count in database.totals.faults(tournament)
                if kind == "startup"
            ]
    return ", ".join(failed)
