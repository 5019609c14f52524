"""``tourney bots add``: copy bots into the bot store."""

from pathlib import Path

import click

from tourney.bots.catalogue.store import BotStore
from tourney.cli import options as opt
from tourney.cli.bots.list import (
    RefusedBotLine,
    StoredBotLine,
    StoredBotsDocument,
    all_bots,
    raise_refused,
)
from tourney.cli.output import current
from tourney.errors import BotError


@opt.command("add")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option(
    "--replace-shipped",
    is_flag=True,
    help="Add a bot although it bears the name of a bot that ships with Tourney; the name then means it.",
)
@click.option(
    "--replace",
    is_flag=True,
    help="Add a bot although another one of its name and version was added; the name then means it.",
)
@opt.bots_option
@opt.formats_option(StoredBotsDocument, formats=opt.TEXT)
def command(paths: tuple[str, ...], replace_shipped: bool, replace: bool, bots: str) -> None:
    """Copy bots into the bot store.

    PATH is an executable file, a folder, a .zip or .tar.gz file, a folder of such bots, or a pattern
    (`'submissions/*.zip'`). The bot's name then refers to this copy, even if PATH changes. Prints
    name@version and digest of each bot, then the files that are not added, with the reasons. Does not build
    or run bots: see `tourney bots check`. Refuses a bot that bears the name of a shipped bot and is not that
    bot, and one whose name and version belong to other files that were added.
    """
    output = current()
    store = BotStore(Path(bots))
    references, refused = all_bots(paths)
    added = []
    for reference in references:
        try:
            bot = store.add(Path(reference), replace_shipped=replace_shipped, replace=replace)
        except BotError as error:
            if len(references) == 1 and not refused:
                raise
            refused.append(RefusedBotLine.of_error(reference, error))
        else:
            output.text(f"{bot.label} {bot.digest}")
            for note in bot.notes:
                output.say(f"{reference}: {note}")
            added.append(StoredBotLine.of(bot.manifest, digest=bot.digest))
    output.document(StoredBotsDocument(bots=tuple(added), refused=tuple(refused)))
    raise_refused(refused, len(added) + len(refused), "not added")
