"""The benchmark of the rules runs, with python-chess or without."""

import subprocess
import sys

from tests.command import ROOT
from tourney.games.registry import GAMES


def test_benchmark_prints_a_row_per_game() -> None:
    """In a short run, each row has two positive figures."""
    done = subprocess.run(
        [sys.executable, ROOT / "benchmarks" / "rules.py", "--rounds", "1", "--actions", "60"],
        capture_output=True,
        text=True,
        check=True,
    )
    rows = [line.strip("| ").split("|") for line in done.stdout.splitlines() if line.startswith("| ")]
    named = [row[0].strip() for row in rows]
    assert named[0] == "game"
    assert tuple(name for name in named[1:] if name != "python-chess") == GAMES.names()
    assert all(int(row[k].replace(",", "")) > 0 for row in rows[1:] for k in (1, 3))
