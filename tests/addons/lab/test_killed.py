"""Runs that end by their results, killed again and again: the same end, root and records in the end."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command import ROOT

pytestmark = pytest.mark.kill


@pytest.mark.parametrize(
    ("kind", "kills"),
    [
        ("until-best", 9),
        ("until-width-or-order", 9),
        ("compare", 11),
        ("gate", 9),
        ("ladder", 9),
        ("tune", 9),
    ],
)
def test_killed_runs_come_to_the_same_end(tmp_path: Path, kind: str, kills: int) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.kills", str(tmp_path), kind],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    straight, one, four = map(json.loads, done.stdout.splitlines())
    assert (straight["kills"], one["kills"], four["kills"]) == (0, kills, kills)
    assert straight["outcome"]["complete"]
    assert straight["outcome"]["root"]
    assert straight["outcome"]["matches"] > 60
    assert one["outcome"] == straight["outcome"]
    assert four["outcome"] == straight["outcome"]
