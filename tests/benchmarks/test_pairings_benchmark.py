"""The benchmarks of pairings run, and their figures are right."""

import re
import subprocess
import sys

import pytest

from benchmarks.pairings import CHECKED, METHODS, spearman, tournament
from tests.support.command import ROOT

pytestmark = pytest.mark.benchmark


def test_benchmark_prints_rows_per_pairing_method_and_seconds() -> None:
    words = ["--sizes", "8,9", "--rounds", "3", "--fields", "2", "--large", "30"]
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.pairings", "swiss", *words],
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


def test_adaptive_benchmark_prints_a_row_per_new_bot() -> None:
    words = ["--pool", "8", "--spread", "150", "--sigma", "70", "--before", "6", "--fields", "2"]
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.pairings", "adaptive", *words],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    rows = [line.strip("| ").split(" | ") for line in done.stdout.splitlines()[4:]]
    assert [row[0] for row in rows] == ["+0 Elo", "+300 Elo", "+600 Elo"]
    adaptive, robin = (sum(float(row[column]) for row in rows) for column in (1, 3))
    assert 0 < adaptive < 0.8 * robin


def test_checkers_benchmark_finds_no_problem() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.pairings", "checkers", "--entrants", "8"],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    rows = [line.strip("| ").split(" | ") for line in done.stdout.splitlines()[4:]]
    assert [row[0] for row in rows] == [*CHECKED]
    assert all(row[-1] == f"{row[1]} records, 0 problems" for row in rows)
