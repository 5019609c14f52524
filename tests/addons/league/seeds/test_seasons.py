"""Both checkers hold the seasons of a league to their roots, and to each other."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.seeds.checkers import NODE, PYTHON, check, needs_node
from tourney.addons.league.seasons import season_root

BOTH = [PYTHON, pytest.param(NODE, marks=needs_node)]


def write(folder: Path, number: int, previous: str | None, **more: Any) -> str:
    """Write a season, and return its root."""
    entries: Any = [
        {"league": "stones", "number": number, "previous": previous},
        ["night", number, "n", 2, "a" * 64],
    ]
    root = season_root(entries)
    season = {"format": "tourney-season/1", "root": root, "entries": entries} | more
    (folder / f"{number}.json").write_text(json.dumps(season) + "\n")
    return root


@pytest.mark.parametrize("program", BOTH, ids=["python", "node"])
def test_chain_of_seasons_is_checked(tmp_path: Path, program: Path) -> None:
    first = write(tmp_path, 1, None)
    second = write(tmp_path, 2, first)
    files = [str(tmp_path / name) for name in ("1.json", "2.json")]
    done = check(program, *files)
    assert done.returncode == 0, done.stdout
    assert f"{files[0]}: the root is {first}\n{files[1]}: the root is {second}\n" in done.stdout.decode()
    write(tmp_path, 2, "b" * 64)
    assert b"season 2 does not follow the season before it" in check(program, *files).stdout
    write(tmp_path, 2, first, root="c" * 64)
    broken = check(program, *files)
    assert broken.returncode == 1
    assert f"the root is {second}, but the season says otherwise" in broken.stdout.decode()
    write(tmp_path, 1, "b" * 64)
    assert b"season 1 does not follow the season before it" in check(program, *files).stdout
    write(tmp_path, 1, None, more=1)
    assert check(program, *files).returncode == 1
