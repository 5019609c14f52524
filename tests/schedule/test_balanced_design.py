"""Balanced designs: tables in which all pairs meet equally often."""

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tourney.schedule.balanced_design import Design, balanced, least_cost, shuffled

Rounds = list[list[tuple[int, ...]]]


def meetings(rounds: Rounds, count: int) -> list[int]:
    met = Counter(pair for tables in rounds for table in tables for pair in combinations(table, 2))
    return [met[pair] for pair in combinations(range(count), 2)]


@pytest.mark.parametrize("seed", [1, 2, 2**64 - 1])
@pytest.mark.parametrize(
    ("count", "seats", "rounds", "each"),
    [(9, 3, 4, 1), (16, 4, 5, 1), (8, 4, 7, 3), (7, 3, 7, 2), (6, 3, 10, 4), (5, 4, 5, 3)],
)
def test_perfect_design_is_found_where_one_exists(
    count: int, seats: int, rounds: int, each: int, seed: int
) -> None:
    """Every pair meets exactly equally often: (9, 3, 4) and (16, 4, 5) are the affine planes."""
    assert set(meetings(Design(count, seats, rounds, seed).run(), count)) == {each}


@pytest.mark.parametrize(("count", "seats", "rounds"), [(10, 3, 9), (30, 4, 5), (12, 3, 4)])
def test_meetings_of_two_pairs_differ_by_one_at_most(count: int, seats: int, rounds: int) -> None:
    met = meetings(Design(count, seats, rounds, 5).run(), count)
    assert max(met) - min(met) == 1
    assert sum(m * m for m in met) == least_cost(count, sum(met))


@pytest.mark.slow
@pytest.mark.parametrize(("count", "seats", "rounds"), [(6, 3, 3), (6, 4, 8), (9, 4, 5), (12, 4, 3)])
def test_meetings_stay_within_one_of_a_middle_value(count: int, seats: int, rounds: int) -> None:
    """The search found no design within one: after three tables of four, two of any next table have met.

    The byes are balanced too: in fixed turns, the same two of six would always rest together.
    """
    found = Design(count, seats, rounds, 3).run()
    met = meetings(found, count)
    assert max(met) - min(met) <= 2
    rests = [rounds - sum(k in table for tables in found for table in tables) for k in range(count)]
    assert max(rests) - min(rests) <= 1


@pytest.mark.usefixtures("quick_designs")
@settings(max_examples=30, deadline=None)
@given(st.integers(3, 4), st.integers(0, 9), st.integers(1, 4), st.integers(0, 2**64 - 1))
def test_round_seats_each_entrant_once_and_byes_are_spread(
    seats: int, more: int, rounds: int, seed: int
) -> None:
    count = seats + more
    found = Design(count, seats, rounds, seed).run()
    assert [len(tables) for tables in found] == [count // seats] * rounds
    rests: Counter[int] = Counter()
    for tables in found:
        playing = [entrant for table in tables for entrant in table]
        assert len(set(playing)) == len(playing)
        rests.update(set(range(count)) - set(playing))
    resting = [rests[entrant] for entrant in range(count)]
    assert max(resting) - min(resting) <= 1


def test_design_is_a_function_of_the_seed() -> None:
    assert Design(9, 3, 4, 4).run() == Design(9, 3, 4, 4).run()
    assert Design(9, 3, 4, 4).run() != Design(9, 3, 4, 5).run()


def test_further_rounds_balance_the_earlier_ones() -> None:
    """Two rounds of the affine plane of nine, then the other two, are again a perfect design."""
    first = Design(9, 3, 2, 1).run()
    assert set(meetings(first, 9)) == {0, 1}
    whole = first + Design(9, 3, 2, 1, first).run()
    assert set(meetings(whole, 9)) <= {0, 1, 2}
    assert sum(m * m for m in meetings(whole, 9)) <= 40  # 36 is perfect, a repeated pair costs 2


def test_least_cost_is_that_of_equal_meetings() -> None:
    assert least_cost(4, 6) == 6
    assert least_cost(4, 8) == 4 + 2 * 4


@given(st.integers(0, 30), st.integers(0, 2**64 - 1))
def test_shuffle_keeps_every_entrant(count: int, seed: int) -> None:
    assert sorted(shuffled(count, seed)) == list(range(count))


@st.composite
def groups(draw: st.DrawFn) -> list[tuple[int, ...]]:
    """Generate groups of one size from few entrants, so that each is in several; groups may repeat."""
    size = draw(st.integers(1, 4))
    count = draw(st.integers(size, size + 5))
    one = st.permutations(range(count)).map(lambda order: tuple(order[:size]))
    return draw(st.lists(one, max_size=40))


@given(groups())
def test_places_of_an_entrant_differ_by_one_at_most(given_: list[tuple[int, ...]]) -> None:
    ordered = balanced(given_)
    assert [sorted(group) for group in ordered] == [sorted(group) for group in given_]
    places = Counter((entrant, place) for group in ordered for place, entrant in enumerate(group))
    for entrant in {entrant for group in given_ for entrant in group}:
        times = [places[entrant, place] for place in range(len(given_[0]))]
        assert max(times) - min(times) <= 1


@pytest.mark.parametrize(("count", "size"), [(7, 2), (9, 3), (10, 4)])
def test_all_groups_of_a_field_can_be_balanced(count: int, size: int) -> None:
    ordered = balanced(list(combinations(range(count), size)))
    assert balanced(list(combinations(range(count), size))) == ordered
    places = Counter((entrant, place) for group in ordered for place, entrant in enumerate(group))
    assert max(places.values()) - min(places.values()) <= 1
