"""``tourney db copy``: copy the database to one of another kind."""

import click

from tourney.cli import options as opt
from tourney.cli.output import current
from tourney.store.database import copy_database
from tourney.store.engine import shown


@opt.command("copy")
@click.argument("target", metavar="URL")
@opt.db_option
def command(target: str, db: str) -> None:
    """Copy the database to an empty one at URL, which may be of another kind."""
    count = copy_database(db, target)
    current().say(f"{count:,} rows copied to {shown(target)}")
