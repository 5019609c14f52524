"""The first tutorial's commands work in their order, with the tournament file that the page shows."""

import re
from pathlib import Path

import pytest

from tests.command import ROOT, invoke

PAGE = (ROOT / "docs" / "tutorials" / "first-tournament.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```([a-z]+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_first_tournament_runs_from_top_to_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TOURNEY_BOTS", raising=False)
    monkeypatch.delenv("TOURNEY_DB", raising=False)
    (file,) = [text for kind, text in BLOCKS if kind == "toml"]
    (tmp_path / "first.toml").write_text(file.replace("move-ms = 1000", "move-ms = 60000"), encoding="utf-8")
    commands = [line for kind, text in BLOCKS if kind == "sh" for line in text.splitlines()]
    assert len(commands) >= 6
    for line in commands:
        done = invoke(*line.split()[1:])
        assert done.exit_code == 0, f"{line}\n{done.output}"
    assert (tmp_path / "reports" / "first" / "index.html").is_file()
