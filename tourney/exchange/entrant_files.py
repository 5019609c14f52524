"""The private files of an entrant for its author, which add-ons make (``Addon.entrant_files``)."""

from collections.abc import Callable, Iterator
from typing import Final

from tourney.plugins import load, offered
from tourney.store.database import Database
from tourney.store.values import StoredEntrant, Tournament

EntrantFiles = Callable[[Database, Tournament, StoredEntrant, int], Iterator[tuple[str, bytes]]]
"""Yields names without folders, and contents, for at most a number of matches.

Nothing in them comes from another bot's log. Texts are UTF-8.
"""
MOST_MATCHES: Final = 200
"""Matches of an entrant whose files an export writes."""


def has_entrant_files() -> bool:
    """Whether an installed add-on makes such files."""
    return bool(offered("entrant_files"))


def entrant_files(
    database: Database, tournament: Tournament, entrant: StoredEntrant, most: int = MOST_MATCHES
) -> Iterator[tuple[str, bytes]]:
    """Yield the private files of an entrant, by name."""
    for _, target in sorted(offered("entrant_files").items()):
        write: EntrantFiles = load(target)
        yield from write(database, tournament, entrant, most)
