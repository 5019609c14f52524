"""The loop on the page for agents: a bot that fails is changed until it is rated."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.pages import blocks, page
from tests.support.command import ROOT
from tests.support.folders import write_shell_bot
from tourney.bots.catalogue.starter import new_bot

BLOCKS = blocks(page("how-to/agents.md"), "sh")
PROGRAM = """#!/bin/sh
cp "$2" "seen-$(ls seen-* 2>/dev/null | wc -l).txt"
rm -r "$1"
mv "$1-better" "$1"
"""


def improve(folder: Path, target: str, tries: int) -> "subprocess.CompletedProcess[str]":
    (folder / "improve.sh").write_text(BLOCKS[0])
    (folder / "tourney").write_text(f'#!/bin/sh\nexec {sys.executable} -m tourney "$@"\n')
    (folder / "program").write_text(PROGRAM)
    for name in ("tourney", "program"):
        (folder / name).chmod(0o755)
    env = {key: value for key, value in os.environ.items() if not key.startswith("TOURNEY_")}
    env |= {
        "PATH": f"{folder}:{Path(sys.executable).parent}:{env['PATH']}",
        "PYTHONPATH": str(ROOT),
        "TRIES": str(tries),
        "LADDER": "--games 1 --workers 1 --seed 3 --move-ms 60000 --sandbox off --reuse",
    }
    words = ["sh", "improve.sh", "./mybot", "sage-stones", target, "./program"]
    return subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True, check=False)


def test_loop_has_at_most_sixty_lines() -> None:
    assert len(BLOCKS[0].splitlines()) <= 60
    assert BLOCKS[1].splitlines()[-1] == "sh improve.sh ./mybot sage-stones 300 ./my-agent"


@pytest.mark.slow
def test_bot_is_changed_until_it_is_rated(tmp_path: Path) -> None:
    """The first try fails its check; the second is below its target, with the game that it lost."""
    write_shell_bot(tmp_path, "mybot", "tourney) exit 3;;", games='["sage-stones"]')
    new_bot(tmp_path / "mybot-better", "python", "sage-stones", "simple")
    done = improve(tmp_path, "9999", 2)
    assert done.returncode == 1, done.stdout + done.stderr
    assert done.stderr == ""
    first = (tmp_path / "seen-0.txt").read_text()
    assert "exited with code 3" in first
    second = (tmp_path / "report.txt").read_text()
    assert re.match(r"rated -?[\d.]+ \(-?[\d.]+ to -?[\d.]+\), next to beat: \S+\n", second)
    assert " was lost: ranks [" in second
    assert "\naction 1: seat 0 plays roll-" in second
    reached = improve(tmp_path, "-9999", 1)
    assert (reached.returncode, reached.stderr) == (0, "")
    assert reached.stdout.startswith("try 1: reached\nrated ")


def test_missing_bot_reports_the_error(tmp_path: Path) -> None:
    done = improve(tmp_path, "0", 1)
    assert done.returncode == 1
    assert "error: " in (tmp_path / "report.txt").read_text()
