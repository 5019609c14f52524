"""The Seven Sages: the fool's way, with a made-up position for each sentence; mostly h3 ousts to h8."""

import pytest

from tests.games.seven_sages.made import ends, field, made, play, rest_squares, squares
from tourney.games.seven_sages.board import SQUARE

FROM_H11 = squares("b11-n11", "h9-h11", "b9-n9")
"""Rest squares of a fool driven from h8 to a sage on h12: he turns on h11 and returns to the sage on h8."""


@pytest.mark.parametrize(("red", "blue"), [("h3", "h12"), ("h3 h12", "")], ids=["of-the-other", "of-the-own"])
def test_sage_of_either_side_reflects_fool_left_right_or_back(red: str, blue: str) -> None:
    """He turns on the square before it, and may rest there and on every later square."""
    assert rest_squares(made(red=red, blue=blue), "h3") == FROM_H11


def test_ousting_sage_on_square_he_left_reflects_fool() -> None:
    """Turned back on h11, he comes to h9 and turns along rank 9, where only the ousting sage reflects him."""
    assert squares("b9-g9", "i9-n9") <= rest_squares(made(red="h3", blue="h12"), "h3")


def test_sage_on_barbarian_square_reflects_fool() -> None:
    """Driven east he turns on n8; turned back on i8, by the ousting sage, he can reach the city."""
    assert rest_squares(made(red="c8", blue="o8"), "c8") == squares("n2-n14", "i8-n8", "i2-i15")


@pytest.mark.parametrize("city", ["h15", "h1"])
def test_sage_on_city_square_reflects_fool(city: str) -> None:
    if city == "h15":
        assert rest_squares(made(red="h3", blue="h15"), "h3") == squares("b14-n14", "h9-h14", "b9-n9")
    else:
        assert rest_squares(made(red="h12 h1"), "h12") == squares("b2-n2", "h2-h7", "b7-n7")


def test_sage_set_up_in_other_city_reflects_fool() -> None:
    assert rest_squares(made(red="h3 h15"), "h3") == rest_squares(made(red="h3", blue="h15"), "h3")


def test_fool_never_turns_back_on_square_he_leaves() -> None:
    """A sage on h9 meets him on h8 itself: files are shut, and he may not rest on h8."""
    assert rest_squares(made(red="h3", blue="h9"), "h3") == squares("b8-g8", "i8-n8")


def test_second_reflection_turns_relative_to_new_direction() -> None:
    """Turned left on h8 he meets g8, and may turn left again: south, over h3, which the sage has left."""
    assert rest_squares(made(red="h3", blue="h9 g8"), "h3") == squares("i8-n8", "h2-h7")


def test_second_reflection_on_start_square_cannot_turn_back() -> None:
    """From g14 he enters f15 when he turns left of the Blue sage on h15: 1 point.

    A turn to the right, to Red's sage on h13, and then back would score 2.
    """
    state = made(red="c10 h13", blue="h15", fool="g14")
    assert field(play(state, "c10xg14>f15"), "POINTS") == "1:0"


def test_fool_reflected_at_turn_may_turn_all_ways() -> None:
    """On h11, before h12, he turns left, meets g11 there, and turns back, to the east."""
    assert rest_squares(made(red="h3", blue="h12 g11 i11"), "h3") == squares("h9-h11", "b9-n9")
    assert rest_squares(made(red="h3 g11", blue="h12"), "h3") == squares("h9-h11", "b9-n9", "i11-n11")


@pytest.mark.parametrize(("red", "points"), [("e5", "1:0"), ("e5 l10", "2:0")])
def test_sage_met_at_turn_is_last_to_touch(red: str, points: str) -> None:
    """On k11, before l12, he turns left, to g15; or right, is turned back by l10, and goes there."""
    assert field(play(made(red=red, blue="l12"), "e5xh8>g15"), "POINTS") == points


def test_fool_enters_empty_square_of_other_sides_city_straight() -> None:
    """Without a reflection he may not rest on the way; the ousting sage was the last to touch: 2 points."""
    state = made(red="h3")
    assert rest_squares(state, "h3") == {"h15"}
    assert field(play(state, "h3xh8>h15"), "POINTS") == "2:0"


def test_fool_enters_city_on_diagonal() -> None:
    state = made(red="c9", fool="e11")
    assert rest_squares(state, "c9") == {"i15"}


def test_fool_cannot_go_on_into_movers_own_city() -> None:
    """The mover's own city stops the fool, as barbarian country does."""
    assert not rest_squares(made(red="h12"), "h12")
    assert not rest_squares(made(blue="h4", seat=2), "h4")
    assert "h15" in rest_squares(made(red="h4"), "h4")
    assert rest_squares(made(red="h12", blue="h4"), "h12") == squares("h5-h7", "b5-n5", "b7-n7")


def test_fool_cannot_go_on_into_barbarian_country() -> None:
    assert not rest_squares(made(red="c8"), "c8")
    assert rest_squares(made(red="h3", blue="h12"), "h3").isdisjoint(squares("a9-a11", "o9-o11"))


def test_before_his_first_reflection_fool_may_not_rest() -> None:
    """He cannot rest on the way into the city; when he turns on h9, no square of file h is a rest square.

    Only a fool turned back passes h9 and h10 again.
    """
    assert rest_squares(made(red="h3"), "h3") == {"h15"}
    assert rest_squares(made(red="h3", blue="h9"), "h3").isdisjoint(squares("h1-h15"))
    assert squares("h9-h10") <= rest_squares(made(red="h3", blue="h12"), "h3")


def test_further_reflections_are_optional() -> None:
    """He may rest on i11 and j11, before the sage on k11, or be turned by it into file j."""
    reached = rest_squares(made(red="h3", blue="h12 k11"), "h3")
    assert squares("i11-j11", "j2-j15") <= reached


def test_fool_on_diagonal_turns_into_other_diagonal() -> None:
    """All squares that a fool driven along a diagonal can reach have one colour."""
    reached = rest_squares(made(red="e5", blue="l12"), "e5")
    assert {"k11", "j12", "i13", "h14", "g15", "l10", "m9", "j10"} <= reached
    assert {sum(divmod(SQUARE[name], 15)) % 2 for name in reached} == {0}


def test_diagonal_steps_pass_freely_between_two_sages() -> None:
    """This holds for a sage's steps and the fool's."""
    assert "f9" in ends(made(red="e8", blue="e9 f8", fool="n12"), "e8")
    assert not rest_squares(made(red="e5", blue="h9 i8"), "e5")
    assert {"j10", "k11"} <= rest_squares(made(red="e5", blue="h9 i8 l12"), "e5")


@pytest.mark.parametrize(
    ("red", "blue", "points"),
    [("h3 k11", "h12", "2:0"), ("h3", "h12 k11", "1:0"), ("h3 k9", "h12 k11", "2:0")],
    ids=["own-last", "other-last", "two-ways-the-most-counts"],
)
def test_last_to_touch_decides_points(red: str, blue: str, points: str) -> None:
    """He enters j15 from j11, turned by k11, or from j9, turned by k9."""
    state = made(red=red, blue=blue)
    assert "j15" in rest_squares(state, "h3")
    assert field(play(state, "h3xh8>j15"), "POINTS") == points


def test_two_ways_to_one_square_are_one_action() -> None:
    state = made(red="h3 k9", blue="h12 k11")
    listed = state.legal_actions()
    assert len(listed) == len(set(listed))


def test_city_square_with_sage_is_not_entered() -> None:
    reached = rest_squares(made(red="h3 k11", blue="h12 j15"), "h3")
    assert "j14" in reached
    assert "j15" not in reached
    assert squares("b14-n14") <= reached
