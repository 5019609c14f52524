"""The command reference matches the commands' help."""

from pathlib import Path

import pytest

from tests.command import ROOT
from tourney.cli.main import COMMANDS
from tourney.cli.reference import main, reference

FILE = ROOT / "docs" / "reference" / "commands.md"


def test_committed_reference_is_current() -> None:
    """``make reference`` regenerates it."""
    assert FILE.read_text(encoding="utf-8") == reference()


def test_reference_has_every_command_at_any_width(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    assert main([str(tmp_path)]) == 0
    monkeypatch.setenv("COLUMNS", "200")
    text = reference()
    assert (tmp_path / "commands.md").read_text(encoding="utf-8") == text
    for name in COMMANDS:
        assert f"\n### tourney {name}\n" in text
        assert f"\nUsage: tourney {name} " in text


def test_missing_folder_argument_prints_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert capsys.readouterr().err == "usage: python -m tourney.cli.reference DIR\n"
