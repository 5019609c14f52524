"""What the README tells a newcomer to type works as it stands there."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """Return the blocks of code in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


def test_the_minute_to_a_first_bot(tmp_path: Path) -> None:
    """Its commands, one after the other in one folder, with the tournament file that it shows."""
    (tmp_path / "cup.toml").write_text(blocks("toml")[0], encoding="utf-8")
    said: dict[str, str] = {}
    for block in blocks("sh"):
        for line in block.splitlines():
            words = shlex.split(line, comments=True)
            if words[0] != "tourney":
                continue
            run = subprocess.run(
                [sys.executable, "-m", *words], cwd=tmp_path, capture_output=True, text=True, check=False
            )
            assert run.returncode == 0, f"{line}\n{run.stdout}\n{run.stderr}"
            said[words[1]] = run.stdout + run.stderr
    assert list(said) == ["bots", "run", "standings", "ratings", "report", "verify", "compare"]
    assert (tmp_path / "reports" / "cup" / "index.html").is_file()
    assert "mybot" in said["standings"]
    assert "12 of 12 matches" in said["run"]


def test_the_targets_of_make_are_there() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    named = [
        line.split()[1] for block in blocks("sh") for line in block.splitlines() if line.startswith("make")
    ]
    assert named == ["demo", "test"]
    for target in named:
        assert f"\n{target}: " in makefile


def test_what_it_links_to_is_there() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", TEXT):
        assert (ROOT / target).exists(), target
