"""``tourney bots list``: what is in the store, and what ships."""

import sys
from pathlib import Path

import click

from tourney.bots.catalogue.manifest import Manifest
from tourney.bots.catalogue.resolve import shipped_bots
from tourney.bots.catalogue.store import BotStore
from tourney.bots.catalogue.submission import digest_of_folder
from tourney.cli.edge import printable
from tourney.cli.options import bots_option, format_option, output_options
from tourney.cli.output import Column, Format, Row, current
from tourney.errors import CheckError

COLUMNS = (
    Column("name"),
    Column("version"),
    Column("title"),
    Column("author"),
    Column("games"),
    Column("source"),
    Column("digest"),
)
SHORT = 12
"""Digits of a digest that a table for people shows."""


@click.command("list")
@bots_option
@format_option
@output_options
def list_(bots: str, format_: Format) -> None:
    """List the bots of the store, and those that ship with Tourney.

    The source is "added" (by name), "used" (kept because a match was played with it by path) or "ships". Of
    several under one name the name alone means the last that was added. A damaged entry is named on standard
    error, and the exit code is 1.
    """
    rows: list[Row] = []
    damaged = 0
    listed = BotStore(Path(bots)).entries()
    present = {entry.digest for entry in listed}
    for folder in shipped_bots().values():
        digest, manifest = digest_of_folder(folder)
        if digest not in present:
            rows.append(row_of(manifest, digest, "ships", format_))
    for entry in listed:
        if entry.bot is None:
            damaged += 1
            click.echo(f"error: {printable(entry.damage)}", err=True)
        else:
            rows.append(row_of(entry.bot.manifest, entry.digest, entry.why, format_))
    rows.sort(key=lambda row: str(row["name"]))
    current().table(rows, COLUMNS, format_)
    if damaged:
        sys.exit(CheckError.exit_code)


def row_of(manifest: Manifest, digest: str, source: str, format_: Format) -> Row:
    """Return a bot's row; a table for people has the digest's beginning, which is enough to name it by."""
    return {
        "name": manifest.name,
        "version": manifest.version,
        "title": manifest.title or None,
        "author": manifest.author or None,
        "games": list(manifest.games) or ["any"],
        "source": source,
        "digest": digest[:SHORT] if format_ is Format.TABLE else digest,
    }
