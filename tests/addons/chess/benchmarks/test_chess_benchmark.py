"""The benchmark of chess plays its games and prints a line for each runner."""

import subprocess
import sys

import pytest

from tests.support.command import ROOT
from tests.support.programs import needs_compiler

pytestmark = pytest.mark.benchmark


@needs_compiler
def test_benchmark_prints_times_of_the_fixed_game() -> None:
    words = [sys.executable, "-m", "benchmarks.chess"]
    words += ["--rounds", "1", "--games", "6", "--workers", "1", "--engine", "fixed", "--fastchess", ""]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    rows = [line.strip("| ").split(" | ") for line in done.stdout.splitlines() if line.startswith("| fixed")]
    assert [row[1:3] for row in rows] == [
        ["1", "Tourney, sandbox on, uci"],
        ["1", "Tourney, sandbox off, uci"],
    ]
    for row in rows:
        figures = [float(row[column]) for column in (3, 5)]
        assert figures[0] != figures[1]
        assert (row[4], row[6]) == ("-", "-")
