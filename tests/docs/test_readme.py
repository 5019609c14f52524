"""The commands of the README work in their order."""

import re
import shlex
from pathlib import Path

import pytest

from tests.docs.pages import blocks
from tests.support.command import ROOT, invoke

TEXT = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.addon("lab")
def test_first_bot_commands_work_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All commands of the README run in one folder, with the tournament file that it shows."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TOURNEY_BOTS", raising=False)
    monkeypatch.delenv("TOURNEY_DB", raising=False)
    (tmp_path / "cup.toml").write_text(blocks(TEXT, "toml")[0], encoding="utf-8")
    said: dict[str, str] = {}
    for block in blocks(TEXT, "sh"):
        for line in block.splitlines():
            words = shlex.split(line, comments=True)
            if words[0] != "tourney":
                continue
            done = invoke(*words[1:])
            assert done.exit_code == 0, f"{line}\n{done.output}"
            said[words[1]] = done.output
    assert list(said) == ["bots", "run", "standings", "ratings", "report", "verify", "compare"]
    assert (tmp_path / "reports" / "cup" / "index.html").is_file()
    assert "mybot" in said["standings"]
    assert "12 of 12 matches" in said["run"]


def test_the_targets_of_make_are_there() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    named = [
        line.split()[1]
        for block in blocks(TEXT, "sh")
        for line in block.splitlines()
        if line.startswith("make")
    ]
    assert named == ["demo", "test"]
    for target in named:
        assert f"\n{target}: " in makefile


def test_what_it_links_to_is_there() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", TEXT):
        assert (ROOT / target).exists(), target
