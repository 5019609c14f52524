"""``tourney bots show``: all about one bot."""

from contextlib import ExitStack
from pathlib import Path

import click

from tourney.bots.catalogue.build import damage_of_build, place_of_build
from tourney.bots.catalogue.files import read_file_manifest
from tourney.bots.catalogue.store import BotStore, StoredBot
from tourney.cli.bots.finding import find_bot
from tourney.cli.edge import printable
from tourney.cli.options import bots_option, format_option, output_options
from tourney.cli.output import Column, Format, current

FIELDS = (
    "name",
    "version",
    "title",
    "author",
    "games",
    "command",
    "build",
    "built",
    "protocol",
    "digest",
    "files",
    "from",
)


@click.command("show")
@click.argument("bot")
@bots_option
@format_option
@output_options
def show(bot: str, bots: str, format_: Format) -> None:
    """Show all about one bot.

    That is its manifest, its digest, its files, and whether it is built on this host. BOT is a name,
    name@version, the beginning of a digest, or a path. Its files are held against the digest.
    """
    with ExitStack() as stack:
        store, found, origin = find_bot(bot, BotStore(Path(bots)), stack)
        row = describe(found, store) | {"from": str(origin)}
    output = current()
    if format_ is not Format.TABLE:
        output.table([row], [Column(name) for name in FIELDS], format_)
        return
    for name in FIELDS:
        value = row[name]
        if isinstance(value, list):
            value = f"\n{' ' * 10}".join(map(printable, value)) if name == "files" else " ".join(value)
        if value not in (None, ""):
            shown = value if name == "files" else printable(str(value))
            output.write(f"{name:<10}{shown}")


def describe(bot: StoredBot, store: BotStore) -> dict[str, object]:
    """Return all about a bot, under the names of FIELDS."""
    manifest = bot.manifest
    built = None
    if manifest.build:
        place = place_of_build(store, bot)
        built = "not yet" if not place.exists() else damage_of_build(place) or "yes"
    return {
        "name": manifest.name,
        "version": manifest.version,
        "title": manifest.title,
        "author": manifest.author,
        "games": list(manifest.games) or ["any"],
        "command": list(manifest.command),
        "build": list(manifest.build),
        "built": built,
        "protocol": manifest.protocol,
        "digest": bot.digest,
        "files": [file.path for file in read_file_manifest(bot.folder.parent)],
    }
