"""The diagrams in docs/rules match the games."""

from pathlib import Path

import pytest

from scripts.make_diagrams import main, render
from tests.support.command import ROOT, offering
from tourney.games.base import AnyGame
from tourney.games.registry import all_games

FOLDER = ROOT / "docs" / "rules"


@pytest.mark.parametrize("game", all_games(), ids=lambda game: str(game.name))
def test_committed_renders_are_current(game: AnyGame) -> None:
    """Run ``make diagrams`` after a change."""
    assert (FOLDER / f"{game.name}.svg").read_text(encoding="utf-8") == render(game)


def test_renders_are_written_into_folder(tmp_path: Path) -> None:
    """Each game has one file in a new folder."""
    with offering(toe="tests.support.toys:Toe", race="tests.support.toys:Race"):
        assert main([str(tmp_path / "new")]) == 0
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == ["race.svg", "toe.svg"]


def test_write_errors_are_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file as folder, a broken plugin and a missing argument each give one line and an exit code."""
    (tmp_path / "file").touch()
    with offering(toe="tests.support.toys:Toe"):
        assert main([str(tmp_path / "file")]) == 3
        assert main([]) == 2
    with offering(gone="tests.nowhere:Gone"):
        assert main([str(tmp_path)]) == 2
    assert [line.split(" ")[0] for line in capsys.readouterr().err.splitlines()] == [
        "error:",
        "usage:",
        "error:",
    ]
