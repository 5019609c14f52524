"""``tourney db remove``: move a tournament out of the database, to a file of its own."""

import shlex
import time
from pathlib import Path

import click

from tourney.cli import options as opt
from tourney.cli.completion import complete_tournament
from tourney.cli.output import current
from tourney.errors import UsageError
from tourney.run.engine.spool import spool_path
from tourney.run.listeners import status_path
from tourney.store.database import Database
from tourney.store.values import Tournament
from tourney.texts import counted


@opt.command("remove")
@click.argument("tournament", shell_complete=complete_tournament)
@click.option("--dry-run", is_flag=True, help="Print what would be removed, and change nothing.")
@click.option(
    "--backup",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="New file for what is removed. [default: TOURNAMENT.removed.db beside the database]",
)
@opt.db_option
def command(tournament: str, dry_run: bool, backup: Path | None, db: str) -> None:
    """Move TOURNAMENT out of the database, to a file of its own: an SQLite database that holds it alone.

    The file is complete before anything is removed. Prints its path. `tourney db merge FILE` brings the
    tournament back, and with `--db FILE` every command reads it there. Bots and baselines stay, as other
    tournaments may use them.
    """
    output = current()
    with Database.open(db, write=not dry_run) as database:
        stored = database.tournaments.get(tournament)
        file = backup or database.place.with_name(f"{database.place.name}-{stored.name}.removed.db")
        refuse_spool(database, stored)
        progress = database.schedules.progress(stored.id)
        entrants = len(database.tournaments.entrants(stored.id))
        what = f"{stored.name} ({stored.plan.format} of {stored.game}, begun {stored.created[:10]}:"
        what += f" {counted(entrants, 'entrant')}, {progress.done:,} of {progress.rows:,} matches played)"
        if dry_run:
            output.write(f"would move {what} to {file}")
            return
        with database.run_lock(stored, time.time()):
            # Under the run's lock: a run that goes on would write into the removed tournament.
            database.take_out(stored, file)
        status_path(database.place, stored.id).unlink(missing_ok=True)
        database.give_space_back()
    output.say(f"{what} is removed; `tourney db merge {shlex.quote(str(file))}` brings it back")
    output.write(str(file))


def refuse_spool(database: Database, tournament: Tournament) -> None:
    """Raise UsageError if a run left results that are not in the database yet."""
    spool = spool_path(database.place, tournament)
    if spool.exists():
        raise UsageError(
            f"{spool} holds results of {tournament.name} that are not stored yet: run the tournament once"
            " more, or move the file away if you do not need them"
        )
