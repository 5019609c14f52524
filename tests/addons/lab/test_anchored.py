"""Ratings against opponents whose ratings are known."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tourney.addons.lab.anchored import Meeting, Placement, place
from tourney.ratings.sequential import QUANTILE
from tourney.schedule.adaptive import expected

ANCHORS = (0, 20_000, 40_000)


def pairs(opponent: int, half_points: str) -> list[list[Meeting]]:
    """Return pairs of games with these half-points of four, a digit each."""
    return [[Meeting(opponent, 2, int(digit))] for digit in half_points]


def test_even_score_gives_the_opponents_rating() -> None:
    found = place(pairs(20_000, "3122" * 50), ANCHORS)
    assert found.rating == 20_000


@given(st.sampled_from("01234"), st.integers(0, 40), st.integers(1, 3))
def test_equal_results_give_finite_ratings(half_points: str, groups: int, opponents: int) -> None:
    found = place(pairs(0, half_points * groups), ANCHORS[:opponents]).at_every_look(25)
    assert found.low < found.rating < found.high


def test_score_of_three_quarters_is_191_elo() -> None:
    """The prior, of the strength of a game or two, pulls by a few Elo towards the middle."""
    found = place(pairs(0, "3" * 2000), ANCHORS)
    assert found.rating == pytest.approx(100 * 400 * math.log10(3), abs=100)
    assert expected(found.rating) == pytest.approx(0.75, abs=0.002)


def test_interval_of_independent_games_is_the_models() -> None:
    """400 games at an even score: the standard error of the score is 1/40."""
    found = place(pairs(20_000, "0" + "4" + "2" * 198), ANCHORS)
    elo = 1 / 40 / 0.25 * 400 / math.log(10) * 100
    assert found.deviation == pytest.approx(elo * 2 / 2, rel=0.02)


def test_pairs_won_and_lost_as_a_whole_widen_the_interval() -> None:
    whole = place(pairs(20_000, "04" * 100), ANCHORS)
    split = place(pairs(20_000, "2" * 200), ANCHORS)
    assert whole.rating == split.rating
    assert whole.deviation == pytest.approx(split.deviation * math.sqrt(2), rel=0.02)


def test_won_games_alone_give_a_finite_rating() -> None:
    few, many = (place(pairs(40_000, "4" * count), ANCHORS) for count in (2, 40))
    assert 40_000 < few.rating < many.rating < 150_000
    assert few.deviation > 20_000


def test_nothing_played_gives_the_middle_of_the_ladder() -> None:
    found = place([], ANCHORS)
    assert (found.rating, found.deviation) == (20_000, 100 * (350 + 200))


def test_ends_of_the_interval_are_95_percent() -> None:
    found = Placement(1_000, 500)
    assert (found.low, found.high) == (1_000 - round(500 * QUANTILE), 1_000 + round(500 * QUANTILE))
