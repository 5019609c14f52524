"""The page on the tree counts what reviewers read it for."""

from pathlib import Path

import pytest

from scripts.describe_tree import describe, main, read_package, room_of

CORE = """import os  # noqa: F401 - an example


def long_one(found: int) -> int:
    # The reason for the next line.
    a, b = 1, 2
    a, b = b, a
    for kept in range(found):
        a += kept
    return a
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for name, text in (
        ("games/core.py", CORE),
        ("addons/lab/gate.py", "x = 1\n" * 3),
        ("addons/lab/commands/gate.py", "def command() -> None:\n" + "    pass\n" * 70),
        ("errors.py", ""),
    ):
        path = tmp_path / "tourney" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def test_names_packed_assignments_and_comments_are_counted(checkout: Path) -> None:
    (core,) = (module for module in read_package(checkout) if module.path == "games/core.py")
    assert (core.lines, core.vague, core.packed) == (10, 2, 1)
    assert (core.comments, core.suppressions) == (1, 1)


def test_page_has_a_row_for_each_room_and_addon(checkout: Path) -> None:
    assert room_of("addons/lab/commands/gate.py") == "addons/lab"
    rows = {
        line.split()[0]: line.split()[1:] for line in describe(read_package(checkout)) if line[:1].strip()
    }
    assert rows["addons/lab"] == ["2", "74", "71", "71"]
    assert rows["core"] == ["2", "10", "10", "10"]
    assert rows["all"] == ["4", "84", "10", "71"]


def test_long_functions_are_named(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(checkout)]) == 0
    assert "functions over 60 lines: 1: addons/lab/commands/gate.py:command 71" in capsys.readouterr().out
