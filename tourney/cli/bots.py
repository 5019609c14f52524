"""``tourney bots``: create, add, list, show, check, test, promote and remove bots."""

import sys
from collections.abc import Iterable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import click

from tourney.bots.catalogue.build import build_damage, build_folder, remove_builds
from tourney.bots.catalogue.files import read_file_manifest
from tourney.bots.catalogue.manifest import Manifest
from tourney.bots.catalogue.shipped import provenance, shipped_bots, shipped_digests
from tourney.bots.catalogue.store import BotStore, StoredBot
from tourney.bots.catalogue.submission import digest_of_folder
from tourney.cli.bot_trials import check, find_bot, test
from tourney.cli.completion import complete_bot
from tourney.cli.documents.bots import (
    BotDocument,
    BotsDocument,
    StoredBotsDocument,
)
from tourney.cli.edge import printable
from tourney.cli.new_bot import new
from tourney.cli.options import (
    TEXT,
    bots_option,
    db_option,
    formats_option,
    output_options,
)
from tourney.cli.output import Format, Row, current
from tourney.cli.promote import baselines, promote
from tourney.errors import BotError, CheckError
from tourney.results.columns import Column

LIST_COLUMNS = ("name", "version", "title", "author", "games", "source", "digest")
SHOW_FIELDS = (
    *LIST_COLUMNS[:5],
    *("command", "build", "built", "protocol", "source", "digest", "files", "from"),
)
SHORT = 12
"""Hexadecimal digits of a digest in a table."""


@click.group("bots")
def command() -> None:
    """Create, add, list, show, check, test, promote and remove bots.

    A bot is an executable file, or a folder or .zip file with a bot.toml. The bot store keeps every bot that
    you add or play with, under the digest of its files, so that matches can be played again later.
    """


command.add_command(new)
command.add_command(check)
command.add_command(test)
command.add_command(promote)
command.add_command(baselines)


@command.command("add")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...", type=click.Path(path_type=Path))
@click.option(
    "--replace-shipped",
    is_flag=True,
    help="Add a bot although it bears the name of a bot that ships with Tourney; the name then means it.",
)
@bots_option
@formats_option(StoredBotsDocument, formats=TEXT)
@output_options
def add(paths: tuple[Path, ...], replace_shipped: bool, bots: str, format_: Format) -> None:
    """Copy bots into the bot store.

    PATH is an executable file, a folder or a .zip file. The bot's name then refers to this copy, even if PATH
    changes. Prints name@version and digest of each bot. Does not build or run bots: see `tourney bots check`.
    Refuses a bot that bears the name of a shipped bot and is not that bot.
    """
    store = BotStore(Path(bots))
    _write_stored((store.add(path, replace_shipped=replace_shipped) for path in paths), format_)


def _write_stored(stored: Iterable[StoredBot], format_: Format) -> None:
    """Print bots that a command added or restored: as JSON all at once, else each as soon as it is done."""
    output = current()
    lines = []
    for bot in stored:
        if format_ is Format.TEXT:
            output.write(f"{bot.label} {bot.digest}")
        lines.append({"name": bot.manifest.name, "version": bot.manifest.version, "digest": bot.digest})
    if format_ is Format.JSON:
        output.document(StoredBotsDocument, bots=lines)


@command.command("list")
@bots_option
@formats_option(BotsDocument)
@output_options
def list_(bots: str, format_: Format) -> None:
    """List the bots in the bot store and the bots that ship with Tourney.

    The source is "ships" for a bot that ships with this version, as its digest shows; "replaces shipped" for
    another bot with the name of a shipped one; otherwise "added" (with `tourney bots add`) or "used" (kept
    because a match was played with it). If several bots have the same name, the name refers to the one added
    last. Reports damaged entries on standard error and exits with code 1.
    """
    entries = BotStore(Path(bots)).entries()
    stored = {entry.digest for entry in entries}
    shipped = [digest_of_folder(folder) for folder in shipped_bots().values()]
    digests = shipped_digests()
    damaged = [entry.damage for entry in entries if entry.bot is None]
    for sentence in damaged:
        click.echo(f"error: {printable(sentence)}", err=True)
    rows = [row_of(manifest, digest, "ships") for digest, manifest in shipped if digest not in stored]
    rows += [
        row_of(entry.bot.manifest, entry.digest, source_of(entry.bot, digests, entry.origin))
        for entry in entries
        if entry.bot
    ]
    rows.sort(key=lambda row: str(row["name"]))
    if format_ is Format.JSON:
        current().document(BotsDocument, bots=rows, damaged=damaged)
    else:
        short = SHORT if format_ is Format.TABLE else None  # enough to name the bot
        shown = [{**row, "games": _games(row), "digest": row["digest"][:short]} for row in rows]
        current().table(shown, LIST_COLUMNS, format_)
    if damaged:
        sys.exit(CheckError.exit_code)


def source_of(bot: StoredBot, shipped: dict[str, str], otherwise: str) -> str:
    """Return in a word where a bot comes from; ``shipped`` as ``shipped_digests`` returns it."""
    found = provenance(bot.digest, (bot.manifest.name,), shipped)
    return {"shipped": "ships", "replacement": "replaces shipped", "submitted": otherwise}[found]


def row_of(manifest: Manifest, digest: str, source: str) -> Row:
    """Return a bot's line of a ``BotsDocument``."""
    return {
        "name": manifest.name,
        "version": manifest.version,
        "title": manifest.title or None,
        "author": manifest.author or None,
        "games": list(manifest.games),
        "source": source,
        "digest": digest,
    }


def _games(row: Row) -> list[str]:
    """Return the games of a bot in words."""
    return row["games"] or ["any"]


@command.command("show")
@click.argument("bot", shell_complete=complete_bot)
@bots_option
@formats_option(BotDocument)
@output_options
def show_bot(bot: str, bots: str, format_: Format) -> None:
    """Show a bot's manifest, digest, files and build state.

    BOT is a name, name@version, the beginning of a digest, or a path. Checks the files against the digest.
    The source is that of `tourney bots list`, and "submitted" for a bot that neither ships nor bears the name
    of one that does.
    """
    with ExitStack() as stack:
        store, found, origin = find_bot(bot, BotStore(Path(bots)), stack, replace_shipped=True)
        document = describe(found, store) | {"folder": str(origin)}
    output = current()
    if format_ is Format.JSON:
        output.document(BotDocument, **document)
        return
    row = {**document, "games": _games(document), "from": document["folder"]}
    if format_ is Format.CSV:
        output.table([row], [Column(name) for name in SHOW_FIELDS], format_)
        return
    for name in SHOW_FIELDS:
        value = row[name]
        if isinstance(value, list):
            value = f"\n{' ' * 10}".join(map(printable, value)) if name == "files" else " ".join(value)
        if value not in (None, ""):
            shown = value if name == "files" else printable(str(value))
            output.write(f"{name:<10}{shown}")


def describe(bot: StoredBot, store: BotStore) -> dict[str, Any]:
    """Return a bot's values of a ``BotDocument``, without its folder."""
    manifest = bot.manifest
    built = None
    if manifest.build:
        place = build_folder(store, bot)
        built = "not yet" if not place.exists() else build_damage(place) or "yes"
    return {
        **row_of(manifest, bot.digest, source_of(bot, shipped_digests(), "submitted")),
        "command": list(manifest.command),
        "build": list(manifest.build),
        "built": built,
        "protocol": manifest.protocol,
        "files": [file.path for file in read_file_manifest(bot.folder.parent)],
    }


@command.command("remove")
@click.argument("bot", shell_complete=complete_bot)
@click.option("--undo", is_flag=True, help="Restore a removed bot; BOT is the beginning of its digest.")
@click.option("--force", is_flag=True, help="Remove the bot even if a tournament in the database uses it.")
@bots_option
@db_option
@formats_option(StoredBotsDocument, formats=TEXT)
@output_options
def remove(bot: str, undo: bool, force: bool, bots: str, db: str, format_: Format) -> None:
    """Remove a bot from the bot store, or restore it.

    BOT is a name, name@version or the beginning of a digest. The files move to the store's folder "removed";
    --undo restores them. Builds and compiled modules are deleted, and made again when needed. Without
    --force, refuses to remove a bot that is entered in a tournament in the database, because the tournament's
    matches could not be played again.
    """
    store = BotStore(Path(bots))
    if undo:
        _write_stored([store.restore(bot)], format_)
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
    output = current()
    if format_ is Format.JSON:
        line = {"name": removed and removed.name, "version": removed and removed.version, "digest": digest}
        output.document(StoredBotsDocument, bots=[line])
    output.say(
        f"removed {bot} ({digest[:SHORT]}); to restore it: tourney bots remove --undo {digest[:SHORT]}"
    )


def _refuse_entered(digest: str, db: str) -> None:
    """Raise BotError if the bot is entered in a tournament in the database, if there is a database."""
    from tourney.store.engine import database_exists  # noqa: PLC0415 - the database is slow to import
    from tourney.store.repository import Repository  # noqa: PLC0415 - as above

    if not database_exists(db):
        return
    with Repository.open(db) as repository:
        for tournament in repository.tournaments():
            for entrant in repository.entrants(tournament.id):
                if entrant.entrant.digest == digest:
                    raise BotError(
                        f"tournament {tournament.name} uses this bot (entrant {entrant.entrant.name}), and"
                        " its matches cannot be played again without it; use --force to remove it anyway"
                    )
