"""The command reference matches the commands' help."""

import subprocess
import sys
from pathlib import Path

import pytest

from scripts.make_reference import main, reference
from tests.support.addons import ABSENT, assert_committed
from tests.support.command import ROOT
from tourney.cli.main import cli

FOLDER = ROOT / "docs" / "reference" / "commands"


def test_committed_reference_is_current(tmp_path: Path) -> None:
    """``make reference`` regenerates it, in a process of its own: other tests change what help shows."""
    words = [sys.executable, "-m", "scripts.make_reference", str(tmp_path)]
    subprocess.run(words, cwd=ROOT, check=True, capture_output=True)
    written = {path.name for path in (tmp_path / "commands").iterdir()}
    committed = {path.name for path in FOLDER.iterdir()}
    assert written <= committed
    assert written == committed or ABSENT
    for name in written:
        assert_committed(
            (tmp_path / "commands" / name).read_text("utf-8"), (FOLDER / name).read_text("utf-8")
        )


def test_reference_has_every_command_at_any_width(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    assert main([str(tmp_path)]) == 0
    monkeypatch.setenv("COLUMNS", "200")
    pages = reference()
    for file, text in pages.items():
        assert (tmp_path / "commands" / file).read_text("utf-8") == text
    text = "".join(pages.values())
    for name in cli.names:
        assert f"\n## tourney {name}\n" in text
        assert f"\nUsage: tourney {name} " in text


def test_missing_folder_argument_prints_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert capsys.readouterr().err == "usage: python -m scripts.make_reference DIR\n"
