"""``tourney bots add``: copy bots into the store."""

from pathlib import Path

import click

from tourney.bots.catalogue.store import BotStore
from tourney.cli.options import bots_option, output_options
from tourney.cli.output import current


@click.command("add")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...", type=click.Path(path_type=Path))
@bots_option
@output_options
def add(paths: tuple[Path, ...], bots: str) -> None:
    """Copy bots into the store.

    PATH is an executable file, a folder or a .zip. From then on the bot's name means this copy, whatever
    happens to PATH. Prints name@version and digest of each; nothing is built or run (`tourney bots check`
    does that).
    """
    store = BotStore(Path(bots))
    output = current()
    for path in paths:
        bot = store.add(path)
        output.write(f"{bot.label} {bot.digest}")
