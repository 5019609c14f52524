"""The reference of the commands in docs is what the commands say of themselves now."""

from pathlib import Path

import pytest

from tests.command import ROOT
from tourney.cli.main import TABLE
from tourney.cli.reference import main, reference

FILE = ROOT / "docs" / "reference" / "commands.md"


def test_the_committed_reference_is_current() -> None:
    """A change of a command's help shows in docs, too: ``make reference`` writes it again."""
    assert FILE.read_text(encoding="utf-8") == reference()


def test_the_reference_has_every_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A heading and a usage line for each, subcommands too; the terminal's width plays no part."""
    monkeypatch.setenv("COLUMNS", "40")
    assert main([str(tmp_path / "x.md")]) == 0
    monkeypatch.setenv("COLUMNS", "200")
    text = reference()
    assert (tmp_path / "x.md").read_text(encoding="utf-8") == text
    for name, entry in TABLE.items():
        assert (f"\n### tourney {name}\n" in text) == entry.present()
        assert (f"\nUsage: tourney {name} " in text) == entry.present()


def test_wrong_use_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a file: one line, code 2."""
    assert main([]) == 2
    assert capsys.readouterr().err == "usage: python -m tourney.cli.reference FILE\n"
