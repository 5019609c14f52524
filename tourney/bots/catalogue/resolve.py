"""From what a person writes - a path, a name, a digest - to a bot in the store."""

import difflib
import os
from pathlib import Path

from tourney.bots.catalogue.manifest import FILE_NAME
from tourney.bots.catalogue.store import BotStore, StoredBot
from tourney.bots.catalogue.submission import digest_of_folder
from tourney.errors import BotError
from tourney.resources import engines_dir


def resolve_bot(reference: str, store: BotStore, base: Path | None = None) -> StoredBot:
    """Return the bot that a word in a tournament file or on the command line means, from the store.

    A path's bot and a bot that ships are added to the store, so that a match can be played again when they
    have moved on. Raises BotError where there is none.
    """
    found = look_up(reference, store, base)
    return found if isinstance(found, StoredBot) else store.add(found, why="used")


def look_up(reference: str, store: BotStore, base: Path | None = None) -> StoredBot | Path:
    """Return what a word means: a bot of the store, or the path of one that is not there yet.

    - A path, if it contains ``/`` or names a file or a bot's folder in ``base`` (the tournament file's
      folder; by default the current one).
    - Else a name, ``name@version`` or digest's beginning: what was added to the store by name, then the
      bots that ship, then what the store kept because it was used.

    Raises BotError where there is none.
    """
    path = Path(base or ".") / reference
    if not reference.isprintable():
        raise BotError(f"there is no bot {reference!r}: a name or a path has no such characters")
    if "/" in reference or _is_bot(path, reference):
        return path
    added = store.find(reference, why="added")
    if added is not None:
        return added
    name, at, version = reference.partition("@")
    shipped = shipped_bots().get(name)
    if shipped is not None and (not at or digest_of_folder(shipped)[1].version == version):
        return shipped
    used = store.find(reference)
    if used is not None:
        return used
    raise BotError(_unknown(reference, store))


def shipped_bots() -> dict[str, Path]:
    """Return the folders of the bots that ship, by name, sorted."""
    with os.scandir(engines_dir()) as scan:
        found = [entry.name for entry in scan if (Path(entry.path) / FILE_NAME).is_file()]
    return {name: engines_dir() / name for name in sorted(found)}


def _is_bot(path: Path, reference: str) -> bool:
    """Say whether a word without a slash names a file, or a folder with a manifest."""
    try:
        return bool(reference) and (path.is_file() or (path / FILE_NAME).exists())
    except OSError:
        return False


def _unknown(reference: str, store: BotStore) -> str:
    listed = {entry.bot.manifest.name for entry in store.entries() if entry.bot is not None}
    names = sorted(listed | set(shipped_bots()))
    near = difflib.get_close_matches(reference, names, n=1)
    hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(names)}"
    return f"there is no bot {reference!r}; {hint} (a bot in a folder is named by its path, as ./{reference})"
