"""Finds the bot that a reference means: a path, a name, a name@version, or the beginning of a digest."""

import difflib
import os
from pathlib import Path

from tourney.bots.catalogue.manifest import FILE_NAME
from tourney.bots.catalogue.store import BotStore, StoredBot
from tourney.bots.catalogue.submission import digest_of_folder
from tourney.errors import BotError
from tourney.resources import engines_dir


def resolve_bot(reference: str, store: BotStore, base: Path | None = None) -> StoredBot:
    """Return the bot that a reference means, from the store; raises BotError if there is none.

    A path's bot and a shipped bot are added to the store, so that a match can be played again after they
    have changed.
    """
    found = look_up(reference, store, base)
    return found if isinstance(found, StoredBot) else store.add(found, origin="used")


def look_up(reference: str, store: BotStore, base: Path | None = None) -> StoredBot | Path:
    """Return a bot of the store, or the path of one that is not in it. Raises BotError if there is none.

    - A path, if the reference contains ``/`` or names a file or a bot's folder in ``base`` (the tournament
      file's folder; default: the current one).
    - Otherwise a name, ``name@version`` or a digest's beginning: first bots added to the store by name, then
      shipped bots, then bots that the store keeps because they were used.
    """
    path = Path(base or ".") / reference
    if not reference.isprintable():
        raise BotError(f"there is no bot {reference!r}: names and paths have no such characters")
    if "/" in reference or _is_bot(path, reference):
        return path
    added = store.find(reference, origin="added")
    if added is not None:
        return added
    name, at, version = reference.partition("@")
    shipped = shipped_bots().get(name)
    if shipped is not None and (not at or digest_of_folder(shipped)[1].version == version):
        return shipped
    used = store.find(reference)
    if used is not None:
        return used
    listed = {entry.bot.manifest.name for entry in store.entries() if entry.bot is not None}
    names = sorted(listed | set(shipped_bots()))
    near = difflib.get_close_matches(reference, names, n=1)
    hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(names)}"
    raise BotError(
        f"there is no bot {reference!r}; {hint} (a bot in a folder is named by its path, as ./{reference})"
    )


def shipped_bots() -> dict[str, Path]:
    """Return the folders of the bots that ship with Tourney, by name, sorted."""
    with os.scandir(engines_dir()) as scan:
        found = [entry.name for entry in scan if (Path(entry.path) / FILE_NAME).is_file()]
    return {name: engines_dir() / name for name in sorted(found)}


def _is_bot(path: Path, reference: str) -> bool:
    """Say whether a reference without a slash names a file, or a folder with a manifest."""
    try:
        return bool(reference) and (path.is_file() or (path / FILE_NAME).exists())
    except OSError:
        return False
