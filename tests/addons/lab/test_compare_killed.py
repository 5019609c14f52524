"""A real comparison is killed in the middle and continued."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.support.command import PROGRAM, run
from tests.support.processes import leftovers
from tests.support.tournaments import write_file

pytestmark = pytest.mark.kill

GATED = """#!/bin/sh
# Resigns in the first ALLOWED games, and in all others once there is a file `open`.
while read -r word rest; do
    case $word in
        tourney) echo bot;;
        game) echo ready;;
        go) echo asked >> FOLDER/asked
            while [ "$(wc -l < FOLDER/asked)" -gt ALLOWED ] && [ ! -e FOLDER/open ]; do sleep 0.02; done
            echo resign;;
        quit) exit 0;;
    esac
done
"""
BATCH = 2
ALLOWED = 2 * BATCH + 1
"""The games of one judged batch, and one more."""


def test_killed_comparison_continues_to_the_same_result(tmp_path: Path) -> None:
    text = GATED.replace("FOLDER", str(tmp_path)).replace("ALLOWED", str(ALLOWED))
    write_file(tmp_path, text, "gated").chmod(0o755)
    question = ["compare", "pebble", "./gated", "--game", "sage-stones", "--seed", "7", "--sandbox", "off"]
    question += ["--batch", str(BATCH), "--max-pairs", "6", "--move-ms", "600000", "--workers", "1"]
    command = [*question, "--format", "json", "--db"]
    with subprocess.Popen(
        [*PROGRAM, *command, "killed.db"], cwd=tmp_path, stderr=subprocess.PIPE, text=True
    ) as first:
        try:
            assert first.stderr is not None
            lines = []
            for line in first.stderr:
                lines.append(line)
                if " of 3.00" in line:
                    break
        finally:
            first.kill()
    assert f"{BATCH} pairs, score 100.0 %" in lines[-1], lines
    assert leftovers(tmp_path) == []
    state = json.loads(run("status", "--format", "json", "--db", "killed.db", cwd=tmp_path).stdout)
    assert 2 * BATCH <= state["tournaments"][0]["done"] <= ALLOWED
    (tmp_path / "open").touch()
    answers = [run(*command, name, cwd=tmp_path) for name in ("killed.db", "straight.db")]
    assert [answer.returncode for answer in answers] == [0, 0], answers
    assert answers[0].stdout == answers[1].stdout
    assert json.loads(answers[0].stdout)["pairs"] == 6
    exports = [run("export", "--db", name, cwd=tmp_path).stdout for name in ("killed.db", "straight.db")]
    assert exports[0] == exports[1] != ""
    again = run(*command, "killed.db", cwd=tmp_path)
    assert again.stdout == answers[0].stdout
    assert len(run("export", "--db", "killed.db", cwd=tmp_path).stdout) == len(exports[0])
