"""The gauntlet: challengers meet the whole field."""

from collections import Counter
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.schedules import check_rows, pairings, setup
from tourney.errors import TournamentError
from tourney.schedule.format import History, Participant
from tourney.schedule.round_robin import Gauntlet

GAUNTLET = Gauntlet()


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 6), st.integers(1, 9), st.integers(1, 2))
def test_each_challenger_meets_the_whole_field_once(challengers: int, field: int, repeats: int) -> None:
    count = challengers + field
    names = ",".join(f"a{k}" for k in range(count)[-challengers:])
    found = GAUNTLET.next_rounds(setup(count, repeats=repeats, challengers=names), History())
    check_rows(found.rows)
    assert found.complete
    met = Counter(frozenset(pair) for _, pair in pairings(found.rows))
    assert met == Counter(frozenset((c, f)) for c in range(field, count) for f in range(field))
    assert max(row.round for row in found.rows) == max(challengers, field)
    first = Counter(pair[0] for _, pair in pairings(found.rows))
    for number in range(count):
        times = field if number >= field else challengers
        assert abs(2 * first[number] - times) <= 1


def test_first_entrant_is_the_default_challenger() -> None:
    found = GAUNTLET.next_rounds(setup(4), History())
    assert {frozenset(pair) for _, pair in pairings(found.rows)} == {frozenset((0, k)) for k in (1, 2, 3)}


@pytest.mark.parametrize(("seats", "field"), [(3, 4), (4, 5), (3, 2)])
def test_larger_tables_meet_every_group_of_the_field(seats: int, field: int) -> None:
    found = GAUNTLET.next_rounds(setup(field + 2, seats, challengers="a0,a1"), History())
    check_rows(found.rows)
    groups = Counter(frozenset(group) for _, group in pairings(found.rows))
    assert groups == Counter(
        frozenset((c, *rest)) for c in (0, 1) for rest in combinations(range(2, field + 2), seats - 1)
    )
    places = Counter((n, place) for _, group in pairings(found.rows) for place, n in enumerate(group))
    for number in range(field + 2):
        times = [places[number, place] for place in range(seats)]
        assert max(times) - min(times) <= 1


def test_late_entrant_joins_the_field() -> None:
    plan = setup(4, challengers="a1,a2")
    first = GAUNTLET.next_rounds(plan, History())
    more = replace(plan, participants=(*plan.participants, Participant(4, "late", joined=3)))
    second = GAUNTLET.next_rounds(more, History(first.rows))
    assert {frozenset(pair) for _, pair in pairings(second.rows)} == {frozenset({1, 4}), frozenset({2, 4})}
    check_rows((*first.rows, *second.rows))


@pytest.mark.parametrize(
    ("count", "seats", "names", "sentence"),
    [
        (
            3,
            2,
            "a0,stranger",
            "challengers names stranger, which is not an entrant; the entrants are: a0, a1, a2",
        ),
        (2, 2, "a0,a1", "a field of at least 1 beside its challengers, not 0"),
        (3, 4, "a0", "with 4 seats per table needs a field of at least 3 beside its challengers, not 2"),
        (1, 2, "a0", "a field of at least 1"),
    ],
)
def test_impossible_tournament_is_refused(count: int, seats: int, names: str, sentence: str) -> None:
    with pytest.raises(TournamentError) as caught:
        GAUNTLET.check(setup(count, seats, challengers=names))
    assert sentence in str(caught.value)


def test_too_many_matches_are_refused() -> None:
    with pytest.raises(TournamentError, match="would have 2,001,988 matches, more than 2,000,000"):
        GAUNTLET.check(setup(999, repeats=1003))
