"""What the commands on the bot store share: finding a bot, and the lines that describe stored bots."""

import tempfile
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path

from msgspec.structs import asdict

from tourney.bots.catalogue.manifest import Manifest
from tourney.bots.catalogue.shipped import provenance
from tourney.bots.catalogue.store import BotStore, StoredBot, look_up
from tourney.bots.catalogue.tree import remove_tree
from tourney.cli.documents.bot_documents import BotDocument, BotLine, StoredBotLine, StoredBotsDocument
from tourney.cli.output import OutputFormat, Row, current

SHORT = 12
"""Hexadecimal digits of a digest in a table."""


def find_bot(
    reference: str, store: BotStore, stack: ExitStack, *, replace_shipped: bool = False
) -> tuple[BotStore, StoredBot, Path]:
    """Find a bot, the store that holds it, and where it comes from; the given store does not change.

    A bot given by path, or one that ships, is copied to a temporary store, which ``stack`` removes. Raises
    BotError if there is no such bot or, unless ``replace_shipped``, if another bot bears a shipped name.
    """
    found = look_up(reference, store)
    if isinstance(found, StoredBot):
        return store, found, found.folder
    folder = Path(tempfile.mkdtemp(prefix="tourney-"))
    stack.callback(remove_tree, folder)
    temporary = BotStore(folder)
    return temporary, temporary.add(found, replace_shipped=replace_shipped), found


def write_stored(stored: Iterable[StoredBot], format_: OutputFormat) -> None:
    """Print bots that a command added or restored: as JSON all at once, else each as soon as it is done."""
    output = current()
    lines = []
    for bot in stored:
        if format_ is OutputFormat.TEXT:
            output.write(f"{bot.label} {bot.digest}")
        manifest = bot.manifest
        lines.append(StoredBotLine(name=manifest.name, version=manifest.version, digest=bot.digest))
    if format_ is OutputFormat.JSON:
        output.document(StoredBotsDocument(bots=tuple(lines)))


def source_of(bot: StoredBot, shipped: dict[str, str], otherwise: str) -> str:
    """In a word, where a bot comes from; ``shipped`` as ``shipped_digests`` returns it."""
    found = provenance(bot.digest, (bot.manifest.name,), shipped)
    return {"shipped": "ships", "replacement": "replaces shipped", "submitted": otherwise}[found]


def bot_line(manifest: Manifest, digest: str, source: str) -> BotLine:
    """A bot as `tourney bots list` has it."""
    return BotLine(
        name=manifest.name,
        version=manifest.version,
        title=manifest.title or None,
        author=manifest.author or None,
        games=manifest.games,
        source=source,
        digest=digest,
    )


def bot_row(line: BotLine | BotDocument) -> Row:
    """A bot's row in tables, whose games are in words."""
    return {**asdict(line), "games": line.games or ("any",)}
