"""An entrant's history: scores, byes, absences and failed starts."""

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import pytest

from tests.support.schedules import play_round, results, setup, truth
from tourney.schedule.format import History, Participant, rows_of
from tourney.schedule.player_history import (
    MAX_STARTUP_FAILURES,
    PlayerHistory,
    award,
    departures,
    present_in,
    startup_failures,
)
from tourney.schedule.row import ResultRow, Row, units_of_win
from tourney.schedule.swiss import Swiss


@pytest.mark.parametrize(
    ("bye", "seats", "repeats", "points"),
    [
        *(("win", 2, 1, 2), ("win", 2, 3, 6), ("win", 3, 1, 6), ("half", 2, 1, 1)),
        *(("half", 3, 1, 3), ("half", 3, 2, 6), ("half", 4, 1, 2), ("half", 4, 3, 6)),
    ],
)
def test_bye_scores_all_wins_or_half_of_them(bye: str, seats: int, repeats: int, points: int) -> None:
    """One point a match missed, or half a point, which is the mean of a table."""
    plan = setup(seats, seats, repeats=repeats)
    assert Fraction(award(plan, bye), units_of_win(seats)) == points
    assert Swiss().new_rule(seats).bye == ("win" if seats == 2 else "half")


def test_entries_show_table_bye_or_absence() -> None:
    plan = setup(5, rounds=3)
    history = play_round(Swiss(), plan, History(), truth(5))
    gone = replace(plan.participants[0], left=2)
    plan = replace(plan, participants=(gone, *plan.participants[1:], Participant(5, "late", joined=2)))
    history = play_round(Swiss(), plan, history, truth(6))
    past = PlayerHistory.of(plan, history, "win")
    kinds = {number: [entry.kind for entry in entries] for number, entries in past.entries.items()}
    assert kinds[0] == ["table", "absent"]
    assert kinds[5][0] == "absent"
    assert sorted(kind[0] for kind in kinds.values()) == ["absent", "bye", *["table"] * 4]
    assert present_in(3, past.setup, past.left) == (1, 2, 3, 4, 5)
    for number, entries in past.entries.items():
        before = past.scores()[number]
        assert before[0] == 0
        assert before[-1] == past.score(number) == sum(entry.score for entry in entries)
        assert [after - one for one, after in pairwise(before)] == [entry.score for entry in entries]


def test_round_score_adds_up_its_matches() -> None:
    """Three seats: six matches, of which one is void; wins are first places alone, seconds are ranks 2."""
    plan = setup(3, 3, rounds=1)
    rows = rows_of(plan, 1, 1, (2, 0, 1))
    given = [(1, 2, 3), (1, 1, 3), (2, 1, 3), (3, 1, 1), (1, 2, 2), (1, 2, 3)]
    found = []
    for one, ranks in zip(results(rows, [0, 0, 0]), given, strict=True):
        by_number = tuple(ranks[number] for number in one.entrants)
        found.append(one._replace(ranks=by_number, void=one.key.order == 6))
    (first, second, third) = (
        PlayerHistory.of(plan, History(rows, tuple(found)), "half").entries[n][0] for n in range(3)
    )
    # Units: 4 for a win, 2 for the second place, 3 for a shared first, 1 for a shared second, 0 for the last.
    assert {(entry.games, entry.voids) for entry in (first, second, third)} == {(5, 1)}
    assert (first.units, first.wins, first.seconds) == (4 + 3 + 2 + 0 + 4, 2, 1)
    assert (second.units, second.wins, second.seconds) == (2 + 3 + 4 + 3 + 1, 1, 2)
    assert (third.units, third.wins, third.seconds) == (0 + 0 + 0 + 3 + 1, 0, 1)
    assert [(entry.opponents, entry.place) for entry in (first, second, third)] == [
        ((2, 1), 1),
        ((2, 0), 2),
        ((0, 1), 0),
    ]


@pytest.mark.parametrize(
    ("faults", "entrants"),
    [
        ((None, None, None), []),
        (("startup", None, None), [4]),
        (("startup", "timeout", "startup"), [4, 2]),
        (("startup", "startup", "startup"), []),  # more likely a failure of the machine
        (("crash", "illegal", "overflow"), []),
    ],
)
def test_failed_start_counts_unless_all_seats_fail(
    faults: tuple[str | None, ...], entrants: list[int]
) -> None:
    assert list(startup_failures((4, 7, 2), faults)) == entrants


def test_third_failed_start_removes_entrant_from_later_rounds() -> None:
    """Benching in a run and absence from rounds go by the same count."""

    def lost(round_: int, order: int) -> ResultRow:
        return Row(round_, 1, 1, order, (1, 0)).result((2, 1), ("startup", None))

    three = [lost(1, 1), lost(1, 2), lost(2, 1)]
    assert len(three) == MAX_STARTUP_FAILURES
    plan = setup(4)
    history = History(results=three[:2])
    assert departures(plan, history) == {}
    history.extend(results=three[2:])
    assert departures(plan, history) == departures(plan, History(results=three)) == {1: 3}
    history.extend(results=[lost(2, 2), lost(3, 1)])
    assert departures(plan, history) == {1: 3}
