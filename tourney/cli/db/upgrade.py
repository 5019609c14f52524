"""``tourney db upgrade``: upgrade the database to the current schema."""

from tourney.cli import options as opt
from tourney.cli.output import current
from tourney.store.database import upgrade_database
from tourney.store.engine import shown


@opt.command("upgrade")
@opt.db_option
def command(db: str) -> None:
    """Upgrade the database to the schema of this version of Tourney."""
    before, after = upgrade_database(db)
    name = shown(db)
    current().say(
        f"{name} is up to date ({after})"
        if before == after
        else f"{name} is upgraded from {before} to {after}"
    )
