"""``tourney bots list``: the bots in the store, and those that ship."""

import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Literal, Self, TypeVar

import click
from msgspec.structs import asdict, replace

from tourney.bots.catalogue.command import program_path
from tourney.bots.catalogue.manifest import Manifest
from tourney.bots.catalogue.shipped import provenance, shipped_bots, shipped_digests
from tourney.bots.catalogue.store import BotStore, StoredBot, look_up
from tourney.bots.catalogue.submission import bots_at, digest_of_folder
from tourney.bots.protocols import Setting
from tourney.cli import options as opt
from tourney.cli.output import current
from tourney.errors import BotError, CheckError, TourneyError
from tourney.held_folder import remove_tree
from tourney.results.columns import Column, Row
from tourney.schema import Document, Part
from tourney.texts import counted, printable


class BotLine(Part, frozen=True, kw_only=True):
    """A bot; `games` is empty for a bot that plays any game.

    `options` are those that its protocol sets. `meant`: its name alone means this bot, of all that bear it.
    """

    name: str
    version: str
    title: str | None
    author: str | None
    games: tuple[str, ...]
    protocol: str
    options: dict[str, Setting]
    source: str
    meant: bool
    digest: str


class StoredBotLine(Part, frozen=True, kw_only=True):
    """A bot that was added, removed or restored; a damaged one has no name."""

    name: str | None
    version: str | None
    digest: str


class RefusedBotLine(Part, frozen=True, kw_only=True):
    """A file or folder that was not added, and the reason."""

    path: str
    reason: str

    @classmethod
    def of_error(cls, path: str, error: TourneyError) -> Self:
        """The line of a bot that raised an error, whose sentence may begin with the path."""
        return cls(path=path, reason=str(error).removeprefix(f"{path}: "))


class StoredBotsDocument(Document, frozen=True, kw_only=True):
    """The bots that a command added to the store, removed from it or restored; `refused` were not added."""

    format: Literal["tourney-stored-bots/1"] = "tourney-stored-bots/1"
    bots: tuple[StoredBotLine, ...]
    refused: tuple[RefusedBotLine, ...] = ()


P = TypeVar("P", bound=Part)

SHORT = 12
"""Hexadecimal digits of a digest in a table."""


def find_bot(
    reference: str, store: BotStore, stack: ExitStack, *, replace_shipped: bool = False
) -> tuple[BotStore, StoredBot, Path]:
    """Find a bot, the store that holds it, and its origin; ``store`` does not change.

    A bot given by path, one that ships, or a program (``uci:stockfish``) is copied to a temporary store,
    which ``stack`` removes. Raises BotError if there is no such bot or, unless ``replace_shipped``, if
    another bot bears a shipped name.
    """
    # `bots list` needs none of this, and starts in two thirds of the time without.
    from tourney.bots.sandbox.sandbox import open_sandbox  # noqa: PLC0415 - see above
    from tourney.run.entrant_reference import ReferenceReader, is_bot_path  # noqa: PLC0415 - likewise
    from tourney.run.file_schema import EntrantLine  # noqa: PLC0415 - likewise

    reader = ReferenceReader(store, partial(open_sandbox, "auto"), say=current().say)
    # A path is a bot here, so that `bots check` can say what it lacks.
    line = EntrantLine(reference) if is_bot_path(reference) else reader.read(reference)
    bot = None if line.bot is None else look_up(line.bot, store)
    if isinstance(bot, StoredBot):
        return store, bot, bot.folder
    folder = Path(tempfile.mkdtemp(prefix="tourney-"))
    stack.callback(remove_tree, folder)
    temporary = BotStore(folder)
    if bot is None:
        # It loads the database's libraries, which a list of bots does without.
        from tourney.run.preparation import find_bot as find_program  # noqa: PLC0415 - as said above

        program = find_program(line, temporary, Path())
        return temporary, program, program_path(line.command[0], Path())
    return temporary, temporary.add(bot, replace_shipped=replace_shipped), bot


def write_stored(stored: Iterable[StoredBot]) -> None:
    """Print bots that a command added or restored: as JSON all together, else each as soon as it is done."""
    output = current()
    lines = []
    for bot in stored:
        output.text(f"{bot.label} {bot.digest}")
        lines.append(StoredBotLine.of(bot.manifest, digest=bot.digest))
    output.document(StoredBotsDocument(bots=tuple(lines)))


def all_bots(references: Iterable[str]) -> tuple[tuple[str, ...], list[RefusedBotLine]]:
    """The bots that paths, names and patterns mean, each once, and the patterns that match nothing."""
    bots: dict[str, None] = {}
    refused = []
    for reference in references:
        try:
            places = bots_at(reference)
        except BotError as error:
            refused.append(RefusedBotLine(path=reference, reason=str(error)))
        else:
            # As it was written: the slash of ./mybot, which a path loses, tells it from a name.
            whole = places == (Path(reference),)
            bots |= dict.fromkeys([reference] if whole else map(str, places))
    return tuple(bots), refused


def raise_refused(
    refused: Sequence[RefusedBotLine], total: int, what: str, kind: type[TourneyError] = BotError
) -> None:
    """Raise an error with a table of the bots that were refused, if there are any of the ``total``."""
    if refused:
        error = kind(f"{len(refused)} of {counted(total, 'bot')} {what}:")
        width = max(len(line.path) for line in refused)
        for line in refused:
            error.add_note(f"{line.path:{width}}  {line.reason}")
        raise error


def source_of(bot: StoredBot, shipped: dict[str, str], otherwise: str) -> str:
    """In a word, where a bot comes from; ``shipped`` as ``shipped_digests`` returns it."""
    origin = provenance(bot.digest, (bot.manifest.name,), shipped)
    return {"shipped": "ships", "replacement": "replaces shipped", "submitted": otherwise}[origin]


def bot_part(kind: type[P], manifest: Manifest, **more: object) -> P:
    """A bot in a document, by its manifest and ``more``, such as its source and digest."""
    return kind.of(manifest, title=manifest.title or None, author=manifest.author or None, **more)


def _option_text(value: Setting) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def bot_row(line: Part) -> Row:
    """A bot's row in tables, whose games and options are in words."""
    row = asdict(line)
    options = tuple(f"{name}={_option_text(value)}" for name, value in row["options"].items())
    return {**row, "games": row["games"] or ("any",), "options": options or None}


def _meant(name: str, store: BotStore) -> str | None:
    """The digest of the bot that a name alone means. Checks no files."""
    added = store.locate(name, origin="added")
    if added is None and (folder := shipped_bots().get(name)) is not None:
        return digest_of_folder(folder)[0]
    return added or store.locate(name)


class BotsDocument(Document, frozen=True, kw_only=True):
    """The bots of the store and those that ship. `damaged` are sentences on entries that cannot be read."""

    format: Literal["tourney-bots/1"] = "tourney-bots/1"
    bots: tuple[BotLine, ...]
    damaged: tuple[str, ...]


COLUMNS = (
    *("name", "version", "title", "author", "games", "protocol", "options", "source"),
    *("meant", "digest"),
)


@opt.command("list")
@opt.bots_option
@opt.formats_option(BotsDocument)
def command(bots: str) -> None:
    """List the bots in the bot store and the bots that ship with Tourney.

    The source is "ships" for a bot that ships with this version, as its digest shows; "replaces shipped" for
    another bot with the name of a shipped one; otherwise "added" (with `tourney bots add`) or "used" (kept
    because a match was played with it). If several bots have the same name, the name refers to the one added
    last or, if none was added, to the one that ships, or was used last: `meant` says yes at this one. Reports
    damaged entries on standard error and exits with code 1.
    """
    entries = BotStore(Path(bots)).entries()
    stored = {entry.digest for entry in entries}
    shipped = [digest_of_folder(folder) for folder in shipped_bots().values()]
    digests = shipped_digests()
    damaged = [entry.damage for entry in entries if entry.bot is None]
    for sentence in damaged:
        click.echo(f"error: {printable(sentence)}", err=True)
    lines = [
        bot_part(BotLine, manifest, source="ships", meant=False, digest=digest)
        for digest, manifest in shipped
        if digest not in stored
    ]
    lines += [
        bot_part(
            BotLine,
            entry.bot.manifest,
            source=source_of(entry.bot, digests, entry.origin),
            meant=False,
            digest=entry.digest,
        )
        for entry in entries
        if entry.bot
    ]
    store = BotStore(Path(bots))
    names = Counter(line.name for line in lines)
    meant = {name: None if count == 1 else _meant(name, store) for name, count in names.items()}
    lines = [replace(line, meant=meant[line.name] in (None, line.digest)) for line in lines]
    lines.sort(key=lambda line: line.name)
    output = current()
    output.document(BotsDocument(bots=tuple(lines), damaged=tuple(damaged)))
    short = SHORT if output.people else None  # enough to name the bot
    rows = [{**bot_row(line), "digest": line.digest[:short]} for line in lines]
    columns: list[str | Column] = list(COLUMNS)
    if output.people:
        # A terminal has room for these only where a bot needs them.
        columns = [name for name in COLUMNS if name != "meant" or not all(line.meant for line in lines)]
        columns = [name for name in columns if name != "options" or any(line.options for line in lines)]
    output.table(rows, columns)
    if damaged:
        sys.exit(CheckError.exit_code)
