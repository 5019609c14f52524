"""The benchmark of the rules runs, with python-chess or without."""

import subprocess
import sys

import pytest

from tests.support.command import ROOT
from tourney.games.compiled import core_names
from tourney.games.registry import GAMES

pytestmark = pytest.mark.benchmark


def test_benchmark_prints_a_row_per_game_and_form() -> None:
    """In a short run, each row has positive figures; the games with cores have rows for both forms."""
    done = subprocess.run(
        [sys.executable, ROOT / "benchmarks" / "rules.py", "--rounds", "1", "--actions", "60"],
        capture_output=True,
        text=True,
        check=True,
    )
    cores = {name.replace("_", "-") for name in core_names()}
    tables = [rows_of(part) for part in done.stdout.split("\n\n") if part.startswith("|")]
    assert len(tables) == 4
    for number, (head, _, *rows) in enumerate(tables):
        assert head[:2] == ["game", "rules"]
        games = {row[0] for row in rows} - {"python-chess"}
        assert games == (set(GAMES.names()) if number < 2 else cores)
        assert {row[0] for row in rows if row[1] == "plain"} == cores
        figures = [cell for row in rows for cell in row[2:] if cell]
        assert all(float(cell.replace(",", "")) > 0 for cell in figures)


def rows_of(text: str) -> list[list[str]]:
    """The cells of a table's rows."""
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()]
