"""The benchmark of bot start-up runs."""

import subprocess
import sys

import pytest

from tests.support.command import GOLDEN, ROOT

pytestmark = pytest.mark.benchmark


def test_benchmark_prints_a_row_per_game() -> None:
    """In one round, each bot gets ready in a measurable time."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.startup", "--rounds", "1"],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    rows = [line.strip("| ").split(" | ") for line in done.stdout.splitlines()[2:]]
    assert [row[0] for row in rows] == [
        "an empty script",
        "random",
        *(f"greedy, {game}" for game in GOLDEN),
    ]
    assert all(float(row[1]) > 0 for row in rows)
