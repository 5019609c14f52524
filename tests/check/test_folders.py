"""Folders that add-ons know how to check are found by a file in them."""

from collections.abc import Iterator
from pathlib import Path

from tests.support.command import installed
from tourney.check.folders import FolderCheck, find_folder_check
from tourney.plugins import Addon


class Shelf(FolderCheck):
    failure = "the shelf is crooked"

    def __init__(self, folder: Path) -> None:
        self.name = folder.name
        self.database = str(folder / "tourney.db")
        self.bots = str(folder / "bots")

    def problems(self) -> Iterator[str]:
        yield "a book is upside down"

    def facts(self) -> Iterator[str]:
        yield "no dust"


def test_folder_is_checked_by_the_add_on_of_its_file(tmp_path: Path) -> None:
    addon = Addon(folder_checks={"shelf.toml": f"{__name__}:Shelf"})
    with installed(addon):
        assert find_folder_check(tmp_path) is None
        (tmp_path / "shelf.toml").touch()
        check = find_folder_check(tmp_path)
    assert check is not None
    assert list(check.problems()) == ["a book is upside down"]
