"""The round-robin: Berger tables and groups of larger tables."""

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tourney.errors import TournamentError
from tourney.schedule.format import History, Participant, Setup
from tourney.schedule.round_robin import RoundRobin, berger, first_fit
from tourney.seeds import seat_orders


def setup(count: int, seats: int = 2, repeats: int = 1) -> Setup:
    return Setup(tuple(Participant(number) for number in range(count)), seats, seed=7, repeats=repeats)


def test_six_entrants_follow_the_fide_handbook() -> None:
    one_based = [[(a + 1, b + 1) for a, b in round_] for round_ in berger(6)]
    assert one_based == [
        [(1, 6), (2, 5), (3, 4)],
        [(6, 4), (5, 3), (1, 2)],
        [(2, 6), (3, 1), (4, 5)],
        [(6, 5), (1, 4), (2, 3)],
        [(3, 6), (4, 2), (5, 1)],
    ]


@pytest.mark.parametrize(
    ("count", "table"),
    [
        (4, "1-4 2-3, 4-3 1-2, 2-4 3-1"),
        (8, "1-8 2-7 3-6 4-5, 8-5 6-4 7-3 1-2, 2-8 3-1 4-7 5-6, 8-6 7-5 1-4 2-3, 3-8 4-2 5-1 6-7"),
    ],
)
def test_four_and_eight_entrants_follow_the_handbook(count: int, table: str) -> None:
    drawn = [" ".join(f"{a + 1}-{b + 1}" for a, b in round_) for round_ in berger(count)]
    assert ", ".join(drawn[: table.count(",") + 1]) == table


@pytest.mark.parametrize("count", [3, 5, 7])
def test_odd_number_drops_the_last_of_the_even_table(count: int) -> None:
    whole = [tuple(pair for pair in round_ if count not in pair) for round_ in berger(count + 1)]
    assert list(berger(count)) == whole


@given(st.integers(2, 24))
def test_berger_rounds_hold_every_pair_once(count: int) -> None:
    rounds = list(berger(count))
    assert len(rounds) == count - 1 + count % 2
    for round_ in rounds:
        names = [entrant for pair in round_ for entrant in pair]
        assert len(set(names)) == len(names) == count - count % 2
    met = Counter(frozenset(pair) for round_ in rounds for pair in round_)
    assert met == Counter(map(frozenset, combinations(range(count), 2)))


@given(st.integers(2, 20))
def test_berger_seats_differ_by_one_at_most(count: int) -> None:
    first = Counter(pair[0] for round_ in berger(count) for pair in round_)
    for entrant in range(count):
        assert abs(2 * first[entrant] - (count - 1)) <= 1


@given(st.integers(3, 4).flatmap(lambda seats: st.tuples(st.just(seats), st.integers(seats, 9))))
def test_groups_hold_every_subset_once(case: tuple[int, int]) -> None:
    seats, count = case
    rounds = first_fit(combinations(range(count), seats))
    held = [group for round_ in rounds for group in round_]
    assert sorted(held) == list(combinations(range(count), seats))
    for round_ in rounds:
        assert round_
        names = [entrant for group in round_ for entrant in group]
        assert len(set(names)) == len(names)


@pytest.mark.parametrize(("count", "seats", "repeats"), [(2, 2, 1), (5, 2, 3), (4, 3, 2), (5, 4, 7)])
def test_pairing_repeats_whole_mirrored_groups(count: int, seats: int, repeats: int) -> None:
    drawn = RoundRobin().next_rounds(setup(count, seats, repeats), History())
    assert drawn.complete
    assert list(drawn.rows) == sorted(drawn.rows)
    for group in combinations(range(count), seats):
        mine = [row for row in drawn.rows if frozenset(row.seats) == frozenset(group)]
        assert len({(row.round, row.table) for row in mine}) == 1
        for repeat in range(1, repeats + 1):
            orders = [row for row in mine if row.repeat == repeat]
            assert [row.order for row in orders] == list(range(1, len(seat_orders(seats, repeat)) + 1))
            base = orders[0].seats
            index = {entrant: k for k, entrant in enumerate(sorted(base, key=base.index))}
            assert len({row.seats for row in orders}) == len(orders)
            for seat in range(seats):  # every entrant sits equally often on every seat
                assert set(Counter(index[row.seats[seat]] for row in orders).values()) == {
                    len(orders) // seats
                }


@pytest.mark.parametrize(("seats", "before", "after"), [(2, 4, 5), (2, 3, 6), (3, 4, 6), (4, 4, 5)])
def test_late_entrant_meets_all_and_old_rounds_stay(seats: int, before: int, after: int) -> None:
    first = RoundRobin().next_rounds(setup(before, seats), History())
    second = RoundRobin().next_rounds(setup(after, seats), History(first.rows))
    assert min(row.round for row in second.rows) == first.rows[-1].round + 1
    assert list(second.rows) == sorted(second.rows)
    met = [frozenset(row.seats) for row in (*first.rows, *second.rows) if row.order == 1]
    assert sorted(map(sorted, met)) == [list(group) for group in combinations(range(after), seats)]


def test_complete_schedule_gives_no_more_rounds() -> None:
    rows = RoundRobin().next_rounds(setup(4), History()).rows
    again = RoundRobin().next_rounds(setup(4), History(rows))
    assert again.rows == ()
    assert again.complete


def test_too_few_entrants_or_too_many_matches_are_refused() -> None:
    with pytest.raises(TournamentError, match="at least 3 entrants, not 2"):
        RoundRobin().check(setup(2, seats=3))
    with pytest.raises(TournamentError, match="would have 9,900,000 matches"):
        RoundRobin().check(setup(100, repeats=1000))
