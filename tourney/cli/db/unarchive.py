"""``tourney db unarchive``: bring archived records back."""

from pathlib import Path

import click

from tourney.cli import options as opt
from tourney.cli.output import counting, current
from tourney.errors import UsageError
from tourney.exchange.archiving import restore_tournament
from tourney.store.database import Database
from tourney.store.engine import shown


@opt.command("unarchive")
@click.argument("file", metavar="FILE", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@opt.db_option
def command(file: Path, db: str) -> None:
    """Bring the records, logs and measurements of an archived tournament back from FILE.

    FILE must be the archive as it was written, by its SHA-256; its name does not matter. All is brought back
    or nothing. FILE stays as it is.
    """
    if not file.is_file():
        raise UsageError(f"{file} is not a regular file: name the archive")
    with Database.open(db, write=True) as database, counting(current(), "unarchive", "matches") as step:
        tournament = restore_tournament(database, file, lambda done: step(done, None))
    current().say(f"the records of {tournament.name} are back in {shown(db)}")
