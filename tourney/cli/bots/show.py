"""``tourney bots show``: a bot's manifest, digest, files and build state."""

from contextlib import ExitStack
from pathlib import Path
from typing import Literal

import click

from tourney.bots.catalogue.build import build_folder, kept_damage
from tourney.bots.catalogue.shipped import shipped_digests
from tourney.bots.catalogue.store import BotStore, StoredBot
from tourney.bots.catalogue.tree import read_file_manifest
from tourney.bots.protocols import Setting
from tourney.cli import options as opt
from tourney.cli.bots.list import COLUMNS, bot_part, bot_row, find_bot, source_of
from tourney.cli.completion import complete_bot
from tourney.cli.output import current
from tourney.results.columns import Column
from tourney.schema import Document
from tourney.texts import printable


class BotDocument(Document, frozen=True, kw_only=True):
    """A bot's manifest, files and build state; `games` is empty for a bot that plays any game.

    `built` is null without a build, else "yes", "not yet" or what is wrong.
    """

    format: Literal["tourney-bot/1"] = "tourney-bot/1"
    name: str
    version: str
    title: str | None
    author: str | None
    games: tuple[str, ...]
    command: tuple[str, ...]
    build: tuple[str, ...]
    built: str | None
    protocol: str
    options: dict[str, Setting]
    source: str
    digest: str
    files: tuple[str, ...]
    folder: str


FIELDS = (
    *COLUMNS[:5],
    *("command", "build", "built", "protocol", "options", "source", "digest", "files", "from"),
)


@opt.command("show")
@click.argument("bot", shell_complete=complete_bot)
@opt.bots_option
@opt.formats_option(BotDocument)
def command(bot: str, bots: str) -> None:
    """Show a bot's manifest, digest, files and build state.

    BOT is a name, name@version, the beginning of a digest, or a path. Checks the files against the digest.
    The source is that of `tourney bots list`, and "submitted" for a bot that neither ships nor bears the name
    of one that does.
    """
    with ExitStack() as stack:
        store, stored_bot, origin = find_bot(bot, BotStore(Path(bots)), stack, replace_shipped=True)
        document = _document(stored_bot, store, origin)
    output = current()
    output.document(document)
    row = {**bot_row(document), "from": document.folder}
    if not output.people:
        output.table([row], [Column(name) for name in FIELDS])
        return
    for name in FIELDS:
        value = row[name]
        if isinstance(value, tuple):
            value = f"\n{' ' * 10}".join(map(printable, value)) if name == "files" else " ".join(value)
        if value not in (None, ""):
            shown = value if name == "files" else printable(str(value))
            output.write(f"{name:<10}{shown}")


def _document(bot: StoredBot, store: BotStore, origin: Path) -> BotDocument:
    manifest = bot.manifest
    built = None
    if manifest.build:
        place = build_folder(store, bot)
        built = "not yet" if not place.exists() else kept_damage(place) or "yes"
    return bot_part(
        BotDocument,
        manifest,
        built=built,
        source=source_of(bot, shipped_digests(), "submitted"),
        digest=bot.digest,
        files=tuple(file.path for file in read_file_manifest(bot.folder.parent)),
        folder=str(origin),
    )
