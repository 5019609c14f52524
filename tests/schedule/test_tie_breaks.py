"""Tie-breaks against hand-computed tables; a round is a pairing of two matches, so a win of both is 2."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

import pytest

from tests.support.schedules import setup
from tourney.schedule.format import History, Setup, rows_of
from tourney.schedule.row import ResultRow, Row
from tourney.schedule.swiss import Swiss
from tourney.schedule.tie_breaks import (
    Break,
    EntrantScores,
    RankedEntrant,
    TieBreak,
    direct_encounter,
    plain,
    rank_scores,
)

Ranks = tuple[tuple[int, int], tuple[int, int]]
WON: Ranks = ((1, 2), (2, 1))
"""The first of the pair wins both matches: it has the first seat, then the second."""
DRAWN: Ranks = ((1, 1), (1, 1))
SHARED: Ranks = ((1, 2), (1, 2))
"""Each wins a match."""
VOID: Ranks = ((0, 0), (0, 0))

A, B, C, D, E = range(5)


def ranked(points: Mapping[int, Fraction], breaks: Sequence[tuple[str, Break]]) -> tuple[RankedEntrant, ...]:
    scores = EntrantScores({n: points[n] for n in (A, B, C)}, awarded=points)

    def entry(name: str, apply: Break) -> TieBreak:
        return TieBreak(name, "", "", lambda _: apply)

    return rank_scores(scores, [entry(name, apply) for name, apply in breaks])


def history(plan: Setup, rounds: Sequence[Mapping[tuple[int, int], Ranks]]) -> History:
    rows: list[Row] = []
    results: list[ResultRow] = []
    for round_, tables in enumerate(rounds, 1):
        for table, (pair, ranks) in enumerate(tables.items(), 1):
            made = rows_of(plan, round_, table, pair)
            rows += made
            for row, (one, two) in zip(made, ranks, strict=True):
                void = one == 0
                results.append(row.result((1, 1) if void else (one, two), void=void))
    return History(tuple(rows), tuple(results))


def standings(plan: Setup, played: History) -> list[tuple[int, int, str]]:
    """Return rank, entrant and shown values."""

    def text(value: Fraction | None) -> str:
        return "-" if value is None else f"{float(value):g}"

    lines = Swiss().table(plan, played)
    return [
        (line.rank, line.number, " ".join(map(text, (line.points, *(v for _, v in line.values)))))
        for line in lines
    ]


def test_tie_breaks_with_bye_withdrawal_and_missed_rounds() -> None:
    """Three rounds of five; E had the bye of round 1 and left after round 2, D had the bye of round 2.

    Points: A 2 + 2 + 1, B 0 + 2 + 2, C 1 + 0 + 0, D 1 + 2 + 1, E 2 + 0. As an opponent E counts 3: the round
    missed at the end counts as a draw (16.3). A round without an opponent counts as one against one of
    one's own points (16.4), of three draws, 3, at the most: 3 for D and 2 for E. So

    - A met B 4, C 1, D 4: 9, without the lowest 8; Sonneborn-Berger 2 * 4 + 2 * 1 + 1 * 4
    - B met A 5, E 3, C 1: 9 and 8; 0 * 5 + 2 * 3 + 2 * 1
    - C met D 4, A 5, B 4: 13 and 9; 1 * 4
    - D met C 1, the bye 3, A 5: 9 and 8; 1 * 1 + 2 * 3 + 1 * 5
    - E had the bye 2, met B 4, missed 2: 8, without what was missed 6; 2 * 2

    B and D are equal in points and both Buchholz; Sonneborn-Berger decides.
    """
    plan = setup(5, rounds=3)
    plan = replace(plan, participants=(*plan.participants[:4], replace(plan.participants[4], left=3)))
    played = history(
        plan,
        [{(A, B): WON, (C, D): DRAWN}, {(A, C): WON, (B, E): WON}, {(A, D): SHARED, (B, C): WON}],
    )
    assert standings(plan, played) == [
        (1, A, "5 8 9 14 - 5"),
        (2, D, "4 8 9 12 - 1"),
        (3, B, "4 8 9 8 - 4"),
        (4, E, "2 6 8 4 - 0"),
        (5, C, "1 9 13 4 - 0"),
    ]


def test_cut_1_drops_a_missed_round_before_a_weak_opponent() -> None:
    """E joined in round 2, so it missed round 1: an opponent of 3 points (4, but three draws at most).

    E met B 0 and A 3 too: Buchholz 6. The lowest is B's 0, but the round missed is left out first (16.5): 3.
    As an opponent E counts 4: what it missed before it played counts nothing (16.3). D, with 4 points too,
    met C 5, had a bye 3 and met B 0: 8 and 8.
    """
    plan = setup(5, rounds=3)
    plan = replace(plan, participants=(*plan.participants[:4], replace(plan.participants[4], joined=2)))
    played = history(
        plan,
        [{(A, B): WON, (C, D): WON}, {(A, C): SHARED, (E, B): WON}, {(E, A): WON, (D, B): WON}],
    )
    assert standings(plan, played) == [
        (1, C, "5 7 10 17 - 3"),  # D 4, A 3, the bye 3; 2 * 4 + 1 * 3 + 2 * 3
        (2, D, "4 8 8 6 - 2"),
        (3, E, "4 3 6 6 - 4"),
        (4, A, "3 9 9 5 - 3"),  # B 0, C 5, E 4; 1 * 5
        (5, B, "0 8 11 0 - 0"),  # A 3, E 4, D 4
    ]
    awarded = {line.number: line.awarded for line in Swiss().table(plan, played)}
    assert awarded == {A: 0, B: 0, C: 2, D: 2, E: 0}


def test_void_pairing_counts_as_round_without_opponent() -> None:
    """The machine failed at A and B. Neither missed it, so Cut-1 does not prefer it.

    A 2, B 1, C 2, D 1. A: an opponent of 2 points, and C 2. C: D 1 and A 2. B: an opponent of 1, and D 1.
    """
    plan = setup(4, rounds=2)
    played = history(plan, [{(A, B): VOID, (C, D): WON}, {(A, C): WON, (B, D): DRAWN}])
    assert standings(plan, played) == [
        (1, A, "2 2 4 4 - 2"),
        (2, C, "2 2 3 2 - 2"),
        (3, D, "1 2 3 1 - 0"),
        (4, B, "1 1 2 1 - 0"),
    ]


def test_unfinished_pairings_count_nothing() -> None:
    plan = setup(4, rounds=2)
    whole = history(plan, [{(A, B): WON, (C, D): WON}])
    half = History(whole.rows, whole.results[:2])
    assert standings(plan, half)[0] == (1, A, "2 0 0 0 - 2")
    assert {line[2] for line in standings(plan, half)[1:]} == {"0 0 2 0 - 0", "0 0 0 0 - 0"}


def test_direct_encounter_is_shown_if_all_have_met() -> None:
    """All pairings are drawn: each has 3 points against the others, and none is ahead."""
    plan = setup(4, rounds=3)
    played = history(
        plan,
        [{(A, C): DRAWN, (B, D): DRAWN}, {(A, D): DRAWN, (B, C): DRAWN}, {(A, B): SHARED, (C, D): SHARED}],
    )
    assert [(line[0], line[2].split()[-2]) for line in standings(plan, played)] == [(1, "3")] * 4


def points(**met: int) -> dict[tuple[int, int], Fraction]:
    """Return the scores of meetings: ``ab=2`` for A's points against B, out of 2."""
    found = {}
    for pair, scored in met.items():
        one, two = ("abcde".index(letter) for letter in pair)
        found[one, two], found[two, one] = Fraction(scored), Fraction(2 - scored)
    return found


def encounter(group: list[int], **met: int) -> tuple[list[int], list[int | None]]:
    """Return the order values of equal entrants, and their shown values."""
    order, shown = direct_encounter(points(**met), Fraction(2))(group)
    text = [None if value is None else int(value) for value in (shown[number] for number in group)]
    return [int(order[number]) for number in group], text


def test_direct_encounter_with_missing_meetings() -> None:
    """An entrant that is first for every outcome of the missing meetings is first; then the next."""
    assert encounter([A, B], ab=2) == ([2, 0], [2, 0])
    assert encounter([A, B, C], ab=2, ac=2) == ([3, 0, 0], [4, None, None])
    assert encounter([A, B, C], ab=2) == ([0, 0, 0], [None, None, None])  # C might still beat A
    assert encounter([A, B, C, D], ab=2, ac=2, ad=2, bc=2, bd=2) == ([4, 3, 0, 0], [6, 4, None, None])
    assert encounter([A, B, C], ab=2, bc=2, ac=0) == ([2, 2, 2], [2, 2, 2])
    assert encounter([D]) == ([0], [None])


def test_tie_break_applies_only_to_entrants_equal_before() -> None:
    """Direct encounter compares entrants still equal, not all with equal points."""
    points_ = dict.fromkeys((A, B, C), Fraction(3))
    first = plain({A: Fraction(1), B: Fraction(1), C: Fraction(9)})
    met = points(ab=2, bc=2, ac=0)
    breaks = (("buchholz", first), ("direct-encounter", direct_encounter(met, Fraction(2))))
    lines = ranked(points_, breaks)
    assert [(line.rank, line.number) for line in lines] == [(1, C), (2, A), (3, B)]
    assert dict(lines[0].values) == {"buchholz": 9, "direct-encounter": None}


def test_entrants_equal_in_all_share_their_rank() -> None:
    values = dict.fromkeys((A, B, C), Fraction(1)) | {B: Fraction(2)}
    lines = ranked(values, (("wins", plain({A: None, B: None, C: None})),))
    assert [(line.rank, line.number) for line in lines] == [(1, B), (2, A), (2, C)]


def pods(
    plan: Setup, tables: Sequence[tuple[tuple[int, ...], Sequence[tuple[int, ...]]]]
) -> list[RankedEntrant]:
    """Rank a round of tables; ``tables`` holds entrants and, match by match, ranks in their order."""
    rows: list[Row] = []
    found: list[ResultRow] = []
    for table, (group, matches) in enumerate(tables, 1):
        made = rows_of(plan, 1, table, group)
        rows += made
        for row, ranks in zip(made, matches, strict=False):
            of = dict(zip(group, ranks, strict=True))
            seated = tuple(of[number] for number in row.seats)
            found.append(row.result(seated, (None,) * len(seated)))
    return list(Swiss().table(plan, History(tuple(rows), tuple(found))))


def test_pods_break_ties_by_mean_opponent_score() -> None:
    """Six matches a table, a win 1, second 1/2: A 6, B 3, C 0; D and E share the first place, 4.5 each.

    Opponents' means: A (3 + 0) / 2, B 3, C 4.5; D and E (4.5 + 0) / 2, F 4.5.
    """
    lines = pods(setup(6, 3, rounds=1), [((A, B, C), [(1, 2, 3)] * 6), ((D, E, 5), [(1, 1, 3)] * 6)])
    assert [(line.rank, line.number, float(line.points)) for line in lines] == [
        (1, A, 6),
        (2, D, 4.5),
        (2, E, 4.5),
        (4, B, 3),
        (5, C, 0),
        (5, 5, 0),
    ]
    values = {line.number: [None if v is None else float(v) for _, v in line.values] for line in lines}
    assert values == {
        A: [1.5, 6, 0],
        B: [3, 0, 6],
        C: [4.5, 0, 0],
        D: [2.25, 0, 0],
        E: [2.25, 0, 0],
        5: [4.5, 0, 0],
    }


@pytest.mark.parametrize(
    ("matches", "order"),
    [
        # Three points each, means 3: A won twice, B once, C three times.
        ([(1, 2, 3), (1, 2, 3), (3, 2, 1), (3, 2, 1), (2, 1, 3), (2, 3, 1)], [C, A, B]),
        # A and B have 1.5, no win and means of 3; B was second three times, A twice shared the first place.
        ([(1, 3, 1), (1, 3, 1), (3, 2, 1), (3, 2, 1), (3, 2, 1)], [C, B, A]),
    ],
)
def test_pods_then_break_ties_by_wins_and_seconds(matches: list[tuple[int, ...]], order: list[int]) -> None:
    lines = pods(setup(3, 3, rounds=1), [((A, B, C), matches)])
    assert [(line.rank, line.number) for line in lines] == list(enumerate(order, 1))
    below = [line for line in lines if line.number != C]
    assert below[0].points == below[1].points
    assert dict(below[0].values)["opponents-mean"] == dict(below[1].values)["opponents-mean"]
