"""The benchmark of adaptive pairing runs, and needs fewer matches than a round-robin."""

import subprocess
import sys

from tests.command import ROOT


def test_benchmark_prints_a_row_per_new_bot() -> None:
    words = ["--pool", "8", "--spread", "150", "--sigma", "70", "--before", "6", "--fields", "2"]
    done = subprocess.run(
        [sys.executable, ROOT / "benchmarks" / "adaptive.py", *words],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    rows = [line.strip("| ").split(" | ") for line in done.stdout.splitlines()[4:]]
    assert [row[0] for row in rows] == ["+0 Elo", "+300 Elo", "+600 Elo"]
    adaptive, robin = (sum(float(row[column]) for row in rows) for column in (1, 3))
    assert 0 < adaptive < 0.8 * robin
