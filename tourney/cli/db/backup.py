"""``tourney db backup``: copy an SQLite database to a new file."""

from pathlib import Path

import click

from tourney.cli import options as opt
from tourney.cli.output import current
from tourney.files import descriptor_of
from tourney.store.database import backup_database


@opt.command("backup")
@click.argument("target", type=click.Path(path_type=Path))
@opt.db_option
def command(target: Path, db: str) -> None:
    """Copy an SQLite database to the new file TARGET, even while a run is active.

    TARGET may also be a device, a FIFO or /dev/stdout.
    """
    backup_database(db, target)
    if descriptor_of(target) is None:
        current().write(str(target))
