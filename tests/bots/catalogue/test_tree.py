"""Trees of hostile shapes are walked and measured without recursion, and no link is followed."""

import os
import sys
from pathlib import Path

import pytest

from tests.support.folders import nest
from tourney.bots.catalogue.tree import BUILT, MAX_PATH, Bounds, excess, folders_of, walk
from tourney.errors import BotError
from tourney.held_folder import hold, remove_tree

DEEP = 5 * sys.getrecursionlimit()
"""Folders within each other: too many for the stack and, with their names, for any path."""


@pytest.mark.slow
@pytest.mark.parametrize("depth", [MAX_PATH, DEEP])
def test_deep_tree_is_refused_by_its_path(tmp_path: Path, depth: int) -> None:
    nest(tmp_path, depth)
    with hold(tmp_path) as folder:
        with pytest.raises(BotError, match="longer than 1,024 bytes"):
            list(walk(folder))
        assert excess(folder, BUILT) == "it made a path of more than 1,024 bytes"
    remove_tree(tmp_path)


def test_folders_come_after_those_within_them(tmp_path: Path) -> None:
    nest(tmp_path, 400)
    found = list(folders_of(tmp_path))
    assert len(found) == 401
    assert [len(place.parts) for place in found] == sorted(
        (len(place.parts) for place in found), reverse=True
    )


@pytest.mark.parametrize(
    ("bounds", "expected"),
    [
        (Bounds(4, 1 << 20, ""), ""),
        (Bounds(3, 1 << 20, ""), "it made more than 3 files and folders"),
        (Bounds(4, 1 << 12, ""), "it wrote more than 0 MiB of files"),
    ],
)
def test_tree_is_measured_up_to_its_bounds(tmp_path: Path, bounds: Bounds, expected: str) -> None:
    """Folders and files count alike; a sparse file counts by its blocks on disk."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b").write_bytes(b"1" * 8192)
    (tmp_path / "a" / "link").symlink_to("/usr")
    with (tmp_path / "sparse").open("wb") as file:
        file.truncate(1 << 30)
    with hold(tmp_path) as folder:
        assert excess(folder, bounds) == expected


def test_unreadable_file_is_refused_for_every_reader(tmp_path: Path) -> None:
    """Root could read it, so the refusal goes by its permissions."""
    (tmp_path / "secret").write_text("")
    (tmp_path / "secret").chmod(0o070)
    with (
        pytest.raises(BotError, match="secret has permissions 070; let its owner read it"),
        hold(tmp_path) as folder,
    ):
        list(walk(folder))


def test_name_that_is_no_utf8_is_refused(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"\xff")).mkdir()
    with pytest.raises(BotError, match="unprintable"), hold(tmp_path) as folder:
        list(walk(folder))
