"""The benchmark of bot start-up runs."""

import subprocess
import sys

import pytest

from tests.support.command import GOLDEN, ROOT
from tests.support.containment import contained

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


@contained
@pytest.mark.parametrize("option", ["--sandbox", "--containment"])
def test_benchmark_measures_containment(option: str) -> None:
    words = [sys.executable, "-m", "benchmarks.startup", option, "--rounds", "1"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) > 4
