"""Reports of Swiss tournaments, whose tie-breaks FIDE's checker ``gacrux`` computes again.

It is a program of others (PyPI, MIT), which only the tests use.
"""

import csv
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.exchange.test_game_files import whole
from tests.support.schedules import play_round, setup, truth
from tourney.exchange.game_files import trf
from tourney.schedule.format import History, Setup, find_format
from tourney.schedule.swiss import Swiss

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("gacrux") is None, reason="gacrux is not installed"),
]

TIE_BREAKS = {"BH": "buchholz", "BH/C1": "buchholz-cut-1", "SB": "sonneborn-berger", "WON": "wins"}
KNOWN_DIFFERENCES: frozenset[tuple[int, int, str]] = frozenset()
"""Tournaments (by seed), starting ranks and tie-breaks for which both are right by their own rules."""


def tournament(seed: int) -> tuple[Setup, History]:
    """A Swiss of five rounds with byes; one entrant leaves and one comes late."""
    count = 6 + seed % 7
    plan, history = setup(count, rounds=5, seed=seed), History()
    strengths = truth(count + 1, seed)
    for number in range(5):
        if number == 1 + seed % 3:
            gone = replace(plan.participants[seed % count], left=number + 1)
            stays = tuple(gone if one.number == gone.number else one for one in plan.participants)
            late = replace(plan.participants[-1], number=count, name="late", joined=number + 1)
            plan = replace(plan, participants=(*stays, late))
        history = whole(play_round(Swiss(), plan, history, strengths))
    return plan, history


@pytest.mark.parametrize("seed", range(12))
def test_checker_of_fide_computes_the_same_tie_breaks(seed: int, tmp_path: Path) -> None:
    plan, history = tournament(seed)
    table = Swiss().table(plan, history)
    file = tmp_path / "cup.trf"
    file.write_bytes(trf(plan, history, table, "cup", find_format("swiss")).encode())
    command = [sys.executable, "-m", "gacrux.tiebreakchecker", "-i", str(file), "-s", "-dT", "-t"]
    done = subprocess.run([*command, "PTS", *TIE_BREAKS], capture_output=True, text=True, check=True)
    theirs = {int(row["StartNo"]): row for row in csv.DictReader(done.stdout.splitlines(), delimiter="\t")}
    assert len(theirs) == len(plan.participants)
    for line in table:
        row, values = theirs[line.number + 1], dict(line.values)
        assert Fraction(row["PTS"]) * 2 == line.points
        for theirs_name, name in TIE_BREAKS.items():
            # Products of points of encounters, as Sonneborn-Berger, are a quarter of those of games.
            unit = 4 if name == "sonneborn-berger" else 2
            if (seed, line.number + 1, name) not in KNOWN_DIFFERENCES:
                assert Fraction(row[theirs_name]) * unit == values[name], (line.number, name)
