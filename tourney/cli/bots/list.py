"""``tourney bots list``: the bots in the store, and those that ship."""

import sys
from pathlib import Path
from typing import Literal

import click

from tourney.bots.catalogue.shipped import shipped_bots, shipped_digests
from tourney.bots.catalogue.store import BotStore
from tourney.bots.catalogue.submission import digest_of_folder
from tourney.cli.edge import printable
from tourney.cli.options import bots_option, formats_option, output_options
from tourney.cli.output import OutputFormat, current
from tourney.cli.stored_bots import SHORT, BotLine, bot_part, bot_row, source_of
from tourney.errors import CheckError
from tourney.schema import Document


class BotsDocument(Document, frozen=True, kw_only=True):
    """The bots of the store and those that ship. `damaged` are sentences on entries that cannot be read."""

    format: Literal["tourney-bots/1"] = "tourney-bots/1"
    bots: tuple[BotLine, ...]
    damaged: tuple[str, ...]


COLUMNS = ("name", "version", "title", "author", "games", "source", "digest")


@click.command("list")
@bots_option
@formats_option(BotsDocument)
@output_options
def command(bots: str, format_: OutputFormat) -> None:
    """List the bots in the bot store and the bots that ship with Tourney.

    The source is "ships" for a bot that ships with this version, as its digest shows; "replaces shipped" for
    another bot with the name of a shipped one; otherwise "added" (with `tourney bots add`) or "used" (kept
    because a match was played with it). If several bots have the same name, the name refers to the one added
    last or, if none was added, to the one used last. Reports damaged entries on standard error and exits with
    code 1.
    """
    entries = BotStore(Path(bots)).entries()
    stored = {entry.digest for entry in entries}
    shipped = [digest_of_folder(folder) for folder in shipped_bots().values()]
    digests = shipped_digests()
    damaged = [entry.damage for entry in entries if entry.bot is None]
    for sentence in damaged:
        click.echo(f"error: {printable(sentence)}", err=True)
    lines = [
        bot_part(BotLine, manifest, source="ships", digest=digest)
        for digest, manifest in shipped
        if digest not in stored
    ]
    lines += [
        bot_part(BotLine, one.bot.manifest, source=source_of(one.bot, digests, one.origin), digest=one.digest)
        for one in entries
        if one.bot
    ]
    lines.sort(key=lambda line: line.name)
    if format_ is OutputFormat.JSON:
        current().document(BotsDocument(bots=tuple(lines), damaged=tuple(damaged)))
    else:
        short = SHORT if format_ is OutputFormat.TABLE else None  # enough to name the bot
        shown = [{**bot_row(line), "digest": line.digest[:short]} for line in lines]
        current().table(shown, COLUMNS, format_)
    if damaged:
        sys.exit(CheckError.exit_code)
