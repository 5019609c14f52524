"""``tourney bots add``: copy bots into the bot store."""

from pathlib import Path

import click

from tourney.bots.catalogue.store import BotStore
from tourney.cli import options as opt
from tourney.cli.bots.list import StoredBotsDocument, write_stored


@opt.command("add")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...", type=click.Path(path_type=Path))
@click.option(
    "--replace-shipped",
    is_flag=True,
    help="Add a bot although it bears the name of a bot that ships with Tourney; the name then means it.",
)
@opt.bots_option
@opt.formats_option(StoredBotsDocument, formats=opt.TEXT)
def command(paths: tuple[Path, ...], replace_shipped: bool, bots: str) -> None:
    """Copy bots into the bot store.

    PATH is an executable file, a folder, or a .zip or .tar.gz file. The bot's name then refers to this copy,
    even if PATH changes. Prints name@version and digest of each bot. Does not build or run bots: see
    `tourney bots check`. Refuses a bot that bears the name of a shipped bot and is not that bot.
    """
    store = BotStore(Path(bots))
    write_stored(store.add(path, replace_shipped=replace_shipped) for path in paths)
