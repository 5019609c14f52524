"""The benchmark of bot start-up runs."""

import subprocess
import sys

from tests.command import GOLDEN, ROOT


def test_benchmark_prints_a_row_per_game() -> None:
    """In one round, each bot gets ready in a measurable time."""
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
        *(f"greedy, {game}" for game in GOLDEN),
    ]
    assert all(float(row[1]) > 0 for row in rows)
