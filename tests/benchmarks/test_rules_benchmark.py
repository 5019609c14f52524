"""The benchmark of the rules runs, with python-chess or without."""

import subprocess
import sys

from tests.command import ROOT
from tourney.games.compiled import core_names
from tourney.games.registry import GAMES


def test_benchmark_prints_a_row_per_game() -> None:
    """In a short run, each row has positive figures; the games with cores have rows for playouts."""
    done = subprocess.run(
        [sys.executable, ROOT / "benchmarks" / "rules.py", "--rounds", "1", "--actions", "60"],
        capture_output=True,
        text=True,
        check=True,
    )
    one, rest = done.stdout.split("Playouts\n")
    two, three = rest.split("Values\n")
    rows = rows_of(one)
    named = [row[0].strip() for row in rows]
    assert named[0] == "game"
    assert tuple(name for name in named[1:] if name != "python-chess") == GAMES.names()
    assert all(int(row[k].replace(",", "")) > 0 for row in rows[1:] for k in (1, 3))
    playouts = [row for row in rows_of(two)[1:] if row[0] != "python-chess"]
    cores = {name.replace("_", "-") for name in core_names()}
    assert {(row[0], row[1]) for row in playouts} >= {
        (name, form) for name in cores for form in ("states", "plain")
    }
    assert {row[0] for row in playouts} == {row[0] for row in rows_of(three)[1:]} == cores
    assert all(int(row[2].replace(",", "")) > 0 for row in rows_of(three)[1:])
    assert all(float(row[k].replace(",", "")) > 0 for row in playouts for k in (2, 4))


def rows_of(text: str) -> list[list[str]]:
    """Return the cells of a table's rows but the line below the head."""
    return [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in text.splitlines()
        if line.startswith("| ")
    ]
