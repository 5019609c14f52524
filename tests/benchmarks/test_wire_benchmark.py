"""The wire benchmark compiles bots, plays whole tournaments and prints a row per setting."""

import math
import subprocess
import sys

import pytest

from tests.support.command import ROOT
from tests.support.programs import needs_compiler

pytestmark = pytest.mark.benchmark


@pytest.mark.slow
@needs_compiler
def test_benchmark_prints_a_row_per_setting() -> None:
    """A short run: one game, each sandbox and way to wait, with one worker and two, no faults.

    The benchmark itself fails if a match has a fault.
    """
    words = ["--rounds", "1", "--seconds", "0.1", "--quick", "sage-stones"]
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.wire", *words],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr
    rows = [line.strip("| ").split(" | ") for line in done.stdout.splitlines() if line.startswith("| sage")]
    assert [row[:5] for row in rows] == [
        ["sage-stones", sandbox, "yes", ponder, workers]
        for sandbox, ponder in (("off", "freeze"), ("on", "freeze"), ("on", "allow"))
        for workers in ("1", "2")
    ]
    # The figures of a short run are noise and can be negative, so only their form is checked.
    assert all(math.isfinite(float(figure.replace(",", ""))) for row in rows for figure in row[5:])


@pytest.mark.slow
@needs_compiler
def test_profile_has_all_parts_and_shares_add_up() -> None:
    """In a short run of both games, the shares add up to 100 except for rounding."""
    for game in ("sage-stones", "sages-tafl"):
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "benchmarks.wire",
                "--profile",
                game,
                "--matches",
                "5",
                "--sandbox",
                "off",
            ],
            capture_output=True,
            text=True,
            check=False,
            cwd=ROOT,
        )
        assert done.returncode == 0, done.stderr
        rows = [line.strip("| ").split(" | ") for line in done.stdout.splitlines() if line.endswith("% |")]
        assert len(rows) == 15
        assert rows[-1][0] == "all"
        assert abs(sum(int(row[3].split()[0]) for row in rows[:-1]) - 100) <= len(rows)
