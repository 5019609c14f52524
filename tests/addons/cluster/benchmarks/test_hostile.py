"""The overload benchmark plays the same games on a free machine and beside hostile matches."""

import subprocess
import sys

import pytest

from tests.support.command import ROOT
from tests.support.containment import contained
from tests.support.programs import needs_compiler

pytestmark = pytest.mark.benchmark


@contained
@pytest.mark.slow
@needs_compiler
def test_honest_bots_play_the_same_games_beside_a_hostile_match() -> None:
    """No game has another digest, whatever the machine does meanwhile."""
    words = ["--games", "2", "--matches", "1", "--children", "2", "--work", "4"]
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.hostile", "overload", *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    rows = [line.strip("| ").split(" | ") for line in done.stdout.splitlines() if line.startswith("| ")]
    assert [row[:5] for row in rows[1:]] == [
        ["free", "2", "2", "0", "0"],
        ["1 hostile matches", "2", "2", "0", "0"],
    ]
