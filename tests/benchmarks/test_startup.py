"""The benchmark of bots' starts runs."""

import subprocess
import sys

from tests.command import ROOT
from tourney.games.registry import GAMES


def test_it_prints_a_row_for_every_game() -> None:
    """One round: each bot says that it is ready, and took some time."""
    done = subprocess.run(
        [sys.executable, ROOT / "benchmarks" / "startup.py", "--rounds", "1"],
        capture_output=True,
        text=True,
        check=True,
    )
    rows = [line.strip("| ").split(" | ") for line in done.stdout.splitlines()[2:]]
    assert [row[0] for row in rows] == [
        "an empty script",
        "random",
        *(f"greedy, {game}" for game in GAMES.own),
    ]
    assert all(float(row[1]) > 0 for row in rows)
