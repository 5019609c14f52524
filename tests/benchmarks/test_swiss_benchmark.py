"""The benchmark of Swiss pairings runs, and its figures are right."""

import re
import subprocess
import sys

import pytest

from benchmarks.swiss import METHODS, spearman, tournament
from tests.command import ROOT


def test_benchmark_prints_rows_per_pairing_method_and_seconds() -> None:
    words = ["--sizes", "8,9", "--rounds", "3", "--fields", "2", "--large", "30"]
    done = subprocess.run(
        [sys.executable, ROOT / "benchmarks" / "swiss.py", *words],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    rows = [line.strip("| ").split(" | ") for line in done.stdout.splitlines() if line.startswith("| ")][1:]
    assert [tuple(row[:2]) for row in rows] == [(size, name) for size in ("8", "9") for name in METHODS]
    assert all(float(row[3]) == 0 for row in rows if row[1] == "swiss")
    assert all(float(row[5]) == 0 for row in rows)
    head, *timed = done.stdout.splitlines()[-3:]
    assert head == "N = 30, seconds to draw each round"
    assert len(timed) == 2
    for line in timed:
        taken = [float(word) for word in re.findall(r"\d+\.\d+", line)]
        assert max(taken[:3]) == taken[3]


def test_swiss_pairs_closer_scores_than_random_pairing() -> None:
    """No two entrants meet twice, and paired scores are close."""
    figures = {name: tournament(draw, 24, 7, seed=2) for name, draw in METHODS.items()}
    assert figures["swiss"].again == 0
    assert figures["lot"].again > 0
    assert figures["swiss"].gap < figures["lot"].gap / 2
    assert figures["swiss"].most <= 3


def test_rank_correlation_matches_values_computed_by_hand() -> None:
    assert spearman([1, 2, 3], [10, 20, 30]) == pytest.approx(1)
    assert spearman([1, 2, 3], [30, 20, 10]) == pytest.approx(-1)
    assert spearman([1, 2, 3, 4], [2, 1, 4, 3]) == pytest.approx(1 - 6 * 4 / (4 * 15))
    assert spearman([1, 1, 2], [1, 2, 3]) == pytest.approx(3**0.5 / 2)
    assert spearman([1, 1], [1, 2]) == 0
