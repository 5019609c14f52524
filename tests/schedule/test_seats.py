"""Every format balances seats, in the matches and in the order of pairings."""

from collections import Counter
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.schedules import pairings, play_out, seat_counts, setup, truth
from tourney.schedule.format import History, find_format, working_formats

pytestmark = pytest.mark.usefixtures("quick_designs")

EXACT: list[tuple[str, dict[str, Any]]] = [
    ("round-robin", {}),
    ("round-robin", {"rounds": 4}),
    ("gauntlet", {}),
    ("gauntlet", {"challengers": "a1,a2"}),
]
"""Formats that pair all rounds at once, so that an edge colouring can balance first places."""
BY_ROUND: list[tuple[str, dict[str, Any]]] = [
    ("swiss", {"rounds": 4}),
    ("knockout", {"third_place": 1}),
    ("adaptive", {"budget": 240, "batch": 3}),
]


def play(name: str, case: dict[str, Any], count: int, seats: int, repeats: int, seed: int) -> History:
    given_ = dict(case)
    rounds = given_.pop("rounds", None)
    if seats == 2 and name == "round-robin":
        rounds = None
    plan = setup(count, seats, rounds=rounds, repeats=repeats, seed=seed, **given_)
    find_format(name).check(plan)
    return play_out(find_format(name), plan, truth(count, seed))[-1]


def test_all_formats_have_a_case() -> None:
    assert {name for name, _ in EXACT + BY_ROUND} == {format_.name for format_ in working_formats()[0]}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "case"), EXACT + BY_ROUND, ids=str)
@settings(max_examples=8, deadline=None)
@given(data=st.data())
def test_every_entrant_has_each_seat_equally_often(
    name: str, case: dict[str, Any], data: st.DataObject
) -> None:
    """This holds after every pairing: each mirrored group is balanced in itself."""
    seats = 2 if name == "knockout" else data.draw(st.integers(2, 4))
    count = data.draw(st.integers(8, 12))
    repeats = data.draw(st.integers(1, 3))
    history = play(name, case, count, seats, repeats, data.draw(st.integers(0, 2**64 - 1)))
    assert history.rows
    for round_ in range(1, history.rounds + 1):
        for counts in seat_counts(row for row in history.rows if row.round <= round_).values():
            assert max(counts) == min(counts)


@pytest.mark.parametrize(("name", "case"), EXACT, ids=str)
@settings(max_examples=12, deadline=None)
@given(data=st.data())
def test_all_rounds_at_once_balance_first_places(
    name: str, case: dict[str, Any], data: st.DataObject
) -> None:
    seats = data.draw(st.integers(2, 4))
    count = data.draw(st.integers(seats + 2, 12))
    history = play(name, case, count, seats, 1, data.draw(st.integers(0, 2**64 - 1)))
    places = Counter((n, place) for _, group in pairings(history.rows) for place, n in enumerate(group))
    for number in {n for n, _ in places}:
        times = [places[number, place] for place in range(seats)]
        assert max(times) - min(times) <= 1


@settings(max_examples=8, deadline=None)
@given(st.sampled_from([3, 4]), st.integers(2, 5), st.integers(1, 4), st.integers(0, 2**64 - 1))
def test_pods_are_ordered_to_even_out_places(seats: int, tables: int, rounds: int, seed: int) -> None:
    """No other order gives a smaller sum of the squared counts of places."""
    history = play("swiss", {"rounds": rounds}, seats * tables, seats, 1, seed)
    had: Counter[tuple[int, int]] = Counter()
    for _, group in pairings(history.rows):
        orders = {
            order: sum((had[n, place] + 1) ** 2 - had[n, place] ** 2 for place, n in enumerate(order))
            for order in permutations(group)
        }
        assert orders[group] == min(orders.values())
        had.update((number, place) for place, number in enumerate(group))


@settings(max_examples=8, deadline=None)
@given(st.integers(8, 60), st.integers(2, 9), st.integers(0, 2**64 - 1))
def test_swiss_balances_first_seats_as_far_as_pairs_allow(count: int, rounds: int, seed: int) -> None:
    """The entrant with fewer first places comes first, so the balance is at most 3, and rarely 3."""
    rounds = min(rounds, count // 2)
    history = play("swiss", {"rounds": rounds}, count, 2, 1, seed)
    lead: Counter[int] = Counter()
    for _, (first, second) in pairings(history.rows):
        assert lead[first] <= lead[second]
        lead[first] += 1
        lead[second] -= 1
    assert max(map(abs, lead.values())) <= 3
    assert sum(abs(value) > 1 for value in lead.values()) <= count // 2
