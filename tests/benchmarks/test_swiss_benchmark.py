"""The benchmark of Swiss pairings runs, and what it measures is what it says."""

import re
import subprocess
import sys

import pytest

from benchmarks.swiss import METHODS, spearman, tournament
from tests.command import ROOT


def test_it_prints_a_row_for_every_pairing_and_the_seconds() -> None:
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


def test_the_matching_is_worth_something() -> None:
    """Of one field: nobody meets again, and scores are as near as a pairing that allows it has them."""
    figures = {name: tournament(draw, 24, 7, seed=2) for name, draw in METHODS.items()}
    assert figures["swiss"].again == 0
    assert figures["lot"].again > 0
    assert figures["swiss"].gap < figures["lot"].gap / 2
    assert figures["swiss"].most <= 3


def test_the_rank_correlation_of_a_few_values_worked_out_by_hand() -> None:
    assert spearman([1, 2, 3], [10, 20, 30]) == pytest.approx(1)
    assert spearman([1, 2, 3], [30, 20, 10]) == pytest.approx(-1)
    assert spearman([1, 2, 3, 4], [2, 1, 4, 3]) == pytest.approx(1 - 6 * 4 / (4 * 15))
    assert spearman([1, 1, 2], [1, 2, 3]) == pytest.approx(3**0.5 / 2)
    assert spearman([1, 1], [1, 2]) == 0
