"""FIDE's "Exercises in Tie-Breaking" (Technical Commission, tec.fide.com, 18 March 2024), as a table.

Tournaments and results are those of its pages 5 (a Swiss of 16) and 6 (a round robin of 6). Values are the
exercise's; where the articles of 1 March 2026 changed one, it is theirs, as the tests of Sharly-Chess have
it. A game is an encounter of two matches here, so points are doubled.
"""

from fractions import Fraction
from typing import Final

import pytest

from tests.support.schedules import setup
from tourney.schedule.player_history import PlayerHistory, RoundEntry
from tourney.schedule.swiss import UNPLAYED
from tourney.schedule.tie_breaks import TIE_BREAKS, EntrantScores, rank_scores

SWISS: Final = """
 1 | +9  =13 =2  +15 =4
 2 | +10 +7  =1  +16 =3
 3 | =11 +6  +8  =4  =2
 4 | +12 H   +13 =3  =1
 5 | -13 -15 +11 =7  +10
 6 | -14 -3  B   +10 +8
 7 | +15 -2  -16 =5  -11
 8 | =16 +14 -3  +13 -6
 9 | -1  -10 H   f11 B
10 | -2  +9  -15 -6  -5
11 | =3  -16 -5  F9  +7
12 | -4  B   F14 Z   Z
13 | +5  =1  -4  -8  -14
14 | +6  -8  f12 Z   +13
15 | -7  +5  +10 -1  -16
16 | =8  +11 +7  -2  +15
"""
"""By number and round: won, drawn, lost against; bye, half-point bye, absent; won, lost by forfeit."""

POINTS: Final = (3.5, 4, 3.5, 3.5, 2.5, 3, 1.5, 2.5, 1.5, 1, 2.5, 2, 1.5, 2, 2, 3.5)
BUCHHOLZ: Final = (12.5, 13, 15.5, 14, 8.5, 11.5, 14.5, 13.5, 9, 13, 13.5, 11.5, 14, 11, 12, 12.5)
"""Numbers 4 and 6 by article 16.4 of 2026: no more than a draw in every round (15 and 12 in the exercise).

Number 11 as in the exercise. Since 2026 a forfeit win counts the points of its opponent at most (12.5), which
Tourney does not need: a match that a fault decides counts as played.
"""
CUT_1: Final = {5: 7.5, 8: 12, 11: 12, 7: 12.5, 9: 7.5, 13: 12, 1: 11, 3: 13, 4: 11.5, 16: 11, 12: 9.5}
CUT_1_OF_ABSENT: Final = {14: 9, 15: 11}
SONNEBORN_BERGER: Final = (
    *(8, 9.5, 10.5, 9.25, 4.25, 6, 3.25, 5.25),
    *(2.25, 1.5, 5.75, 4, 4.25, 4.5, 3.5, 7.25),
)
"""Numbers 4 and 6 as for Buchholz (9.75 and 6.5 in the exercise)."""


def cells_of(table: str) -> list[list[str]]:
    return [line.partition("|")[2].split() for line in table.strip().splitlines()]


def entry_of(cell: str) -> RoundEntry:
    """The round of a cell: a game is two matches of two units a win."""
    kind, opponent = cell[0], cell[1:]
    if kind in "+=-":
        units = {"+": 4, "=": 2, "-": 0}[kind]
        return RoundEntry("table", units=units, opponents=(int(opponent) - 1,), games=2)
    if kind in "BF":  # not asked for
        return RoundEntry("bye", awarded=4)
    return RoundEntry("absent", awarded=2 if kind == "H" else 0)


def scores_of(table: str) -> EntrantScores:
    rows = cells_of(table)
    entries = {number: tuple(map(entry_of, row)) for number, row in enumerate(rows)}
    past = PlayerHistory(setup(len(rows), rounds=5), 5, entries, {})
    points = {number: Fraction(past.score(number), 2) for number in entries}
    return EntrantScores(points, encounters=UNPLAYED["fide-c07-2026"](past), most=Fraction(2))


def values(name: str, scores: EntrantScores, unit: int) -> dict[int, float]:
    """A tie-break's values by starting number, in points of games."""
    table = TIE_BREAKS[name].of(scores)(list(scores.points))[1]
    return {number + 1: float(value / unit) for number, value in table.items() if value is not None}


def test_results_of_the_exercise_meet_each_other() -> None:
    """A slip of the table would show as a game that one side does not have."""
    rows = cells_of(SWISS)
    other = {"+": "-", "-": "+", "=": "=", "F": "f", "f": "F"}
    for number, row in enumerate(rows, 1):
        for round_, cell in enumerate(row):
            if cell[1:]:
                assert rows[int(cell[1:]) - 1][round_] == f"{other[cell[0]]}{number}"


def test_points_of_the_swiss_exercise() -> None:
    scores = scores_of(SWISS)
    assert [float(points / 2) for points in scores.points.values()] == list(POINTS)


@pytest.mark.parametrize(
    ("name", "unit", "expected"),
    [
        ("buchholz", 2, dict(enumerate(BUCHHOLZ, 1))),
        ("buchholz-cut-1", 2, CUT_1 | CUT_1_OF_ABSENT),
        ("sonneborn-berger", 4, dict(enumerate(SONNEBORN_BERGER, 1))),
    ],
)
def test_tie_breaks_of_the_swiss_exercise(name: str, unit: int, expected: dict[int, float]) -> None:
    computed = values(name, scores_of(SWISS), unit)
    assert {number: computed[number] for number in expected} == expected


ROUND_ROBIN: Final = """
1 | =5 +2 +3 -4 +6
2 | +6 -1 +5 =3 +4
3 | +4 +6 -1 =2 +5
4 | -3 -5 =6 +1 -2
5 | =1 +4 -2 -6 -3
6 | -2 -3 =4 +5 -1
"""
"""Number 6 won against 5 by forfeit, which counts as played in a round robin (16.2)."""


def test_tie_breaks_of_the_round_robin_exercise() -> None:
    scores = scores_of(ROUND_ROBIN)
    assert [float(points / 2) for points in scores.points.values()] == [3.5, 3.5, 3.5, 1.5, 1.5, 1.5]
    expected = {1: 9.25, 2: 6.25, 3: 6.25, 4: 4.25, 5: 3.25, 6: 2.25}
    assert values("sonneborn-berger", scores, 4) == expected


def test_direct_encounter_of_the_round_robin_exercise() -> None:
    """Of 1, 2 and 3 the first won both games; of 4, 5 and 6 the last has 1.5, then 5 has 1 and 4 has 0.5."""
    scores = scores_of(ROUND_ROBIN)
    lines = rank_scores(scores, [TIE_BREAKS["direct-encounter"]])
    assert [(line.rank, line.number + 1) for line in lines] == [
        (1, 1),
        (2, 2),
        (2, 3),
        (4, 6),
        (5, 5),
        (6, 4),
    ]
