"""The bots that ship with Tourney: their folders and digests, and which bots only bear their names.

Whether a bot ships is decided by its digest, never by its name.
"""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from tourney.bots.catalogue.manifest import FILE_NAME
from tourney.bots.catalogue.submission import digest_of_folder
from tourney.errors import BotError
from tourney.resources import engines_dir

Provenance = Literal["shipped", "submitted", "replacement"]
"""Whose files a bot consists of; a replacement bears the name of a shipped bot, and consists of others."""


def shipped_bots() -> dict[str, Path]:
    """Return the folders of the bots that ship with Tourney, by name, sorted."""
    with os.scandir(engines_dir()) as scan:
        found = [entry.name for entry in scan if (Path(entry.path) / FILE_NAME).is_file()]
    return {name: engines_dir() / name for name in sorted(found)}


def shipped_digests() -> dict[str, str]:
    """Return the digests of the shipped bots of this version, by name, sorted."""
    return {name: digest_of_folder(folder)[0] for name, folder in shipped_bots().items()}


def provenance(digest: str, names: Iterable[str], shipped: dict[str, str]) -> Provenance:
    """Return whose files the bot of a digest are, shown under ``names``; ``shipped`` as above."""
    if any(shipped.get(name, digest) != digest for name in names):
        return "replacement"
    return "shipped" if digest in shipped.values() else "submitted"


def refuse_shipped_name(name: str, digest: str | None = None) -> None:
    """Raise BotError for a bot that bears the name of a shipped one, unless it has that one's digest."""
    if name in shipped_bots() and digest != shipped_digests()[name]:
        raise BotError(
            f"it is called {name}, as a bot that ships with Tourney; give it another name in {FILE_NAME}, or"
            " insist with tourney bots add --replace-shipped"
        )
