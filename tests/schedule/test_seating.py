from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tourney.schedule.seating import balanced


@st.composite
def groups(draw: st.DrawFn) -> list[tuple[int, ...]]:
    """Draw groups of one size, of few entrants, so that they are in many; groups may repeat."""
    size = draw(st.integers(1, 4))
    count = draw(st.integers(size, size + 5))
    one = st.permutations(range(count)).map(lambda order: tuple(order[:size]))
    return draw(st.lists(one, max_size=40))


@given(groups())
def test_everybody_stands_at_every_place_equally_often_to_one(given_: list[tuple[int, ...]]) -> None:
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
