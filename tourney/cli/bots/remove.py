"""``tourney bots remove``: take a bot out of the store, or bring it back."""

from pathlib import Path

import click

from tourney.bots.catalogue.store import BotStore
from tourney.cli.options import bots_option, db_option, output_options
from tourney.cli.output import current
from tourney.errors import BotError


@click.command("remove")
@click.argument("bot")
@click.option("--undo", is_flag=True, help="Bring back a removed bot; BOT is the beginning of its digest.")
@click.option("--force", is_flag=True, help="Remove it though a tournament of the database names it.")
@bots_option
@db_option
@output_options
def remove(bot: str, undo: bool, force: bool, bots: str, db: str) -> None:
    """Take a bot out of the store, or bring it back.

    BOT is a name, name@version or the beginning of a digest. Its files are kept aside, in the store's
    folder removed, and --undo brings it back. A bot that is entered in a tournament of the database is
    refused, as its matches could not be played again, unless --force.
    """
    store = BotStore(Path(bots))
    output = current()
    if undo:
        found = store.restore(bot)
        output.write(f"{found.label} {found.digest}")
        return
    digest = store.locate(bot)
    if digest is None:
        raise BotError(f"there is no bot {bot!r} in the store {store.root}; see tourney bots list")
    if not force:
        _refuse_entered(digest, db)
    store.remove(digest)
    output.say(f"removed {bot} ({digest[:12]}); to bring it back: tourney bots remove --undo {digest[:12]}")


def _refuse_entered(digest: str, db: str) -> None:
    """Raise BotError where a tournament of the database, if there is one, has the bot among its entrants."""
    from tourney.store.engine import database_exists  # noqa: PLC0415 - the database is slow to import
    from tourney.store.repository import Repository  # noqa: PLC0415 - as above

    if not database_exists(db):
        return
    with Repository.open(db) as repository:
        for tournament in repository.tournaments():
            for entrant in repository.entrants(tournament.id):
                if entrant.entrant.digest == digest:
                    raise BotError(
                        f"the tournament {tournament.name} names this bot (entrant {entrant.entrant.name}):"
                        " without it, its matches cannot be played again; --force removes it all the same"
                    )
