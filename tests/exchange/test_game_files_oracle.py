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
from typing import NamedTuple

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


class Voids(NamedTuple):
    """Entrants with an encounter of void matches alone, and with one of which a part is void."""

    whole: frozenset[int]
    part: frozenset[int]

    def explain(self, number: int, name: str) -> bool:
        """Whether both programs are right by their own rules.

        FIDE has no void games: the code ``-`` is a forfeit, which Cut-1 leaves out first and which counts the
        points of the opponent at most. A win of one match where the other is void is half an encounter.
        """
        is_buchholz = name in ("buchholz", "buchholz-cut-1")
        return (number in self.whole and is_buchholz) or (number in self.part and name == "wins")


def void(history: History, seed: int) -> tuple[History, Voids]:
    """Void two encounters, and the second matches of two others; of these both are drawn or neither is."""
    tables = sorted({(result.key.round, result.key.table) for result in history.results})
    whole_tables = {tables[seed % len(tables)], tables[(seed * 5 + 3) % len(tables)]}
    part_tables = {tables[(seed * 3 + 1) % len(tables)], tables[(seed * 7 + 2) % len(tables)]}
    entrants: dict[str, set[int]] = {"whole": set(), "part": set()}
    results = []
    for result in history.results:
        table = (result.key.round, result.key.table)
        is_draw = result.ranks == (1, 1)
        is_void = table in whole_tables or (table in part_tables and result.key.order == 2 and not is_draw)
        if is_void:
            entrants["whole" if table in whole_tables else "part"] |= set(result.entrants)
        results.append(result.row.result(result.ranks, result.faults, void=is_void))
    return History(history.rows, tuple(results)), Voids(*map(frozenset, entrants.values()))


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
@pytest.mark.parametrize("voids", [False, True])
def test_checker_of_fide_computes_the_same_tie_breaks(seed: int, voids: bool, tmp_path: Path) -> None:
    plan, history = tournament(seed)
    differences = Voids(frozenset(), frozenset())
    if voids:
        history, differences = void(history, seed)
        assert differences.whole
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
            if not differences.explain(line.number, name):
                assert Fraction(row[theirs_name]) * unit == values[name], (line.number, name)
