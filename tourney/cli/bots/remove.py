"""``tourney bots remove``: remove a bot from the bot store, or restore it."""

from contextlib import suppress
from pathlib import Path

import click

from tourney.bots.catalogue.build import remove_builds
from tourney.bots.catalogue.store import BotStore
from tourney.cli import options as opt
from tourney.cli.bots.list import SHORT, StoredBotLine, StoredBotsDocument, write_stored
from tourney.cli.completion import complete_bot
from tourney.cli.output import current
from tourney.errors import BotError
from tourney.store.database import Database
from tourney.store.engine import database_exists


@opt.command("remove")
@click.argument("bot", shell_complete=complete_bot)
@click.option("--undo", is_flag=True, help="Restore a removed bot; BOT is the beginning of its digest.")
@click.option("--force", is_flag=True, help="Remove the bot even if a tournament in the database uses it.")
@opt.bots_option
@opt.db_option
@opt.formats_option(StoredBotsDocument, formats=opt.TEXT)
def command(bot: str, undo: bool, force: bool, bots: str, db: str) -> None:
    """Remove a bot from the bot store, or restore it.

    BOT is a name, name@version or the beginning of a digest. The files move to the store's folder "removed";
    --undo restores them. Builds and compiled modules are deleted, and made again when needed. Without
    --force, refuses to remove a bot that is entered in a tournament in the database, because the tournament's
    matches could not be replayed.
    """
    store = BotStore(Path(bots))
    if undo:
        write_stored([store.restore(bot)])
        return
    digest = store.locate(bot)
    if digest is None:
        raise BotError(f"there is no bot {bot!r} in the store {store.root}; see tourney bots list")
    if not force:
        _refuse_entered(digest, db)
    removed = None
    with suppress(BotError):  # a damaged entry has no manifest
        removed = store.fetch(digest).manifest
    store.remove(digest)
    remove_builds(store, digest)
    line = StoredBotLine.of(removed or {"name": None, "version": None}, digest=digest)
    current().document(StoredBotsDocument(bots=(line,)))
    current().say(
        f"removed {bot} ({digest[:SHORT]}); to restore it: tourney bots remove --undo {digest[:SHORT]}"
    )


def _refuse_entered(digest: str, db: str) -> None:
    """Raise BotError if the bot is entered in a tournament in the database, if there is a database."""
    if not database_exists(db):
        return
    with Database.open(db) as database:
        for tournament in database.tournaments.all():
            for entrant in database.tournaments.entrants(tournament.id):
                if entrant.entrant.digest == digest:
                    raise BotError(
                        f"tournament {tournament.name} uses this bot (entrant {entrant.entrant.name}), and"
                        " its matches cannot be replayed without it; use --force to remove it anyway"
                    )
