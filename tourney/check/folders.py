"""Checks of folders that hold a database, such as a league; add-ons bring them by a file in the folder."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from pathlib import Path

from tourney.plugins import load, offered


class FolderCheck(ABC):
    """Checks for ``tourney verify FOLDER``, besides all matches and tournaments of the folder's database.

    Constructed with the folder. Raises a TourneyError for a damaged one.
    """

    name: str
    """The name of the folder's content, by which findings are labelled."""
    database: str
    """The database of the folder, as ``--db`` takes it."""
    bots: str
    """The bot store of the folder."""
    failure: str
    """The sentence that verification fails with if there are problems."""

    @abstractmethod
    def __init__(self, folder: Path) -> None:
        """Open the folder."""

    @abstractmethod
    def problems(self) -> Iterator[str]:
        """Yield a sentence for each thing that is not as it must be."""

    @abstractmethod
    def facts(self) -> Iterator[str]:
        """Yield the lines that are printed if there are no problems."""


def find_folder_check(folder: Path) -> FolderCheck | None:
    """The check of a folder; None for a folder that no add-on knows, and for what is not a folder."""
    for marker, target in sorted(offered("folder_checks").items()):
        if (folder / marker).is_file():
            check: type[FolderCheck] = load(target)
            return check(folder)
    return None
