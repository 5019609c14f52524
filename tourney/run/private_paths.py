"""Paths that no bot of a run may see: the database, files beside it, the bot store, and others by name."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType

from tourney.bots.sandbox.exposure import find_exposed
from tourney.errors import BotError
from tourney.store.engine import is_sqlite, parse_url, place_of

_BESIDE = ("-wal", "-shm", "-journal")  # what SQLite writes beside a database


def private_paths(
    url: str, bots: Path, *, tournament: str = "", more: Mapping[str, Path] = MappingProxyType({})
) -> dict[str, Path]:
    """The private paths of a database and a bot store, and ``more``, each under a noun for sentences.

    ``tournament``: the name of one that is played, which has a spool. Raises UsageError for a bad URL.
    """
    place = place_of(url)
    private = dict[str, Path]()
    if is_sqlite(parse_url(url)):
        private["the database"] = place
        private |= {f"the database's {end}": place.with_name(f"{place.name}{end}") for end in _BESIDE}
    if tournament:
        private["the spool"] = place.with_name(f"{place.name}-{tournament}.spool")
    return {**private, "the bot store": bots, **more}


def refuse_inside(bots: Iterable[Path | None], private: Mapping[str, Path]) -> None:
    """Raise BotError if a private path lies in the folder of a bot, whose copy in the store would have it."""
    for folder in filter(None, bots):
        if folder.is_dir() and (exposure := find_exposed(private, [folder])):
            raise BotError(
                f"{exposure.what} {exposure.path} lies inside the bot's folder, which is copied whole; choose"
                " another place for it, or name the bot from the folder above",
                folder,
            )
