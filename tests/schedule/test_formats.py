"""Properties of all formats."""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.schedules import check_rows, play_out, setup, truth
from tourney.schedule.format import History, Setup, find_format, working_formats

pytestmark = pytest.mark.usefixtures("quick_designs")

CASES: dict[str, list[dict[str, Any]]] = {
    "round-robin": [{}, {"seats": 3}, {"seats": 3, "rounds": 4}],
    "swiss": [{"rounds": 4}, {"rounds": 3, "seats": 3}],
    "gauntlet": [{}, {"challengers": "a1,a4"}, {"seats": 3}],
    "knockout": [{}, {"third_place": 1, "extra_groups": 1}],
    "adaptive": [{"budget": 60, "batch": 3}, {"target_sigma": 150}, {"budget": 90, "batch": 2, "seats": 3}],
}
ALL = [(name, case) for name, cases in CASES.items() for case in cases]


def plan(case: dict[str, Any], count: int, seed: int) -> Setup:
    given_ = dict(case)
    return setup(count, given_.pop("seats", 2), rounds=given_.pop("rounds", None), seed=seed, **given_)


def test_all_formats_have_a_case() -> None:
    assert set(CASES) == {format_.name for format_ in working_formats()[0]}


@pytest.mark.parametrize(("name", "case"), ALL, ids=str)
@settings(max_examples=4, deadline=None)
@given(count=st.integers(6, 13), seed=st.integers(0, 2**64 - 1))
def test_pairings_depend_on_setup_and_history_alone(
    name: str, case: dict[str, Any], count: int, seed: int
) -> None:
    """A tournament resumed at any point gets the same next rounds."""
    format_ = find_format(name)
    setup_ = plan(case, count, seed)
    format_.check(setup_)
    histories = play_out(format_, setup_, truth(count, seed))
    check_rows(histories[-1].rows, once_a_round=name != "adaptive")
    for before, after in pairwise(histories):
        assert after.rows[: len(before.rows)] == before.rows
        seen = before.rounds - format_.lag
        # Only the results of whole rounds, in any order.
        known = tuple(r for r in reversed(before.results) if r.key.round <= seen)
        again = format_.next_rounds(setup_, History(before.rows, known))
        assert [*before.rows, *again.rows] == after.rows
    last = histories[-1]
    assert format_.next_rounds(setup_, last).complete


@pytest.mark.parametrize(("name", "case"), ALL, ids=str)
def test_extreme_seeds_give_a_first_round(name: str, case: dict[str, Any]) -> None:
    """Every format pairs its first round with the least and the greatest seed."""
    for seed in (0, 2**64 - 1):
        assert find_format(name).next_rounds(plan(case, 9, seed), History()).rows


@pytest.mark.parametrize(("name", "case"), ALL, ids=str)
def test_standings_rank_all_entrants_at_every_moment(name: str, case: dict[str, Any]) -> None:
    """After every match: each entrant once, ranks as places, and the format's tie-break names."""
    format_ = find_format(name)
    if not format_.ranks:
        return
    setup_ = plan(case, 7, 5)
    for history in play_out(format_, setup_, truth(7)):
        whole = len(history.results)
        for count in {0, 1, whole // 2, whole - 1, whole} - {-1}:
            lines = format_.table(setup_, History(history.rows, history.results[:count]))
            assert sorted(line.number for line in lines) == list(range(7))
            for place, line in enumerate(lines, 1):
                assert tuple(name for name, _ in line.values) == format_.tie_breaks(setup_.seats)
                assert line.rank <= place
                assert line.rank in (place, lines[place - 2].rank)
