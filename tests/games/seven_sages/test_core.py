"""The Seven Sages: plain moves, ousts, the city's limit, the rule of three, pass."""

import pytest

from tests.games.seven_sages.made import START, ends, legal, made, play, read, rest_squares, squares
from tourney.games.tree import perft

# Sages stand on files a and o, so a12 and a4, the ends of two diagonals, are occupied.
NORTHWARD = squares("e9-e15", "e1-e7", "a8-d8", "f8-o8") | {
    *("f9", "g10", "h11", "i12", "j13", "k14", "l15"),
    *("d9", "c10", "b11"),
}


@pytest.mark.parametrize(("depth", "count"), [(1, 245), (2, 59_098)])
def test_perft_from_start(depth: int, count: int) -> None:
    assert perft(read(START), depth) == count


def test_plain_move_is_orthogonal_or_diagonally_forward() -> None:
    """Forward is north for Red; south for Blue, whose moves are the mirror image."""
    assert ends(made(red="e8", fool="n12"), "e8") == NORTHWARD
    southward = {f"{square[0]}{16 - int(square[1:])}" for square in NORTHWARD}
    assert ends(made(blue="e8", fool="n12", seat=2), "e8") == southward


def test_plain_move_crosses_and_reaches_only_empty_squares() -> None:
    """Sages of both sides and the fool stop it, and stay on their squares."""
    state = made(red="e8 e5", blue="h8", fool="e11")
    assert ends(state, "e8") & squares("e1-e15") == {"e6", "e7", "e9", "e10"}
    assert ends(state, "e8") & squares("f8-o8") == {"f8", "g8"}


def test_plain_move_may_use_kingdom_and_barbarian_squares() -> None:
    state = made(red="e15 c1", fool="n12")
    assert {"a15", "b15", "k15", "o15"} <= ends(state, "e15")
    assert {"b1", "d1", "e1", "k1", "n1"} <= ends(state, "c1")


def test_plain_move_passes_through_but_never_ends_in_enemy_city() -> None:
    state = made(red="e15 g12", fool="n12")
    assert ends(state, "e15") & squares("f15-o15") == squares("k15-o15")
    assert "g14" in ends(state, "g12")
    assert "g15" not in ends(state, "g12")
    assert "j15" not in ends(state, "g12")
    assert "f1" not in ends(made(red="n13", blue="f4", fool="n12", seat=2), "f4")


@pytest.mark.parametrize(
    "leaving", ["h5", "h11", "e8", "k8", "e5", "k5", "e11", "k11"], ids=lambda name: f"from-{name}"
)
def test_oust_goes_in_any_of_eight_directions(leaving: str) -> None:
    """A sage beyond the fool reflects him, forward and backward."""
    beyond = f"{chr(2 * ord('h') - ord(leaving[0]))}{16 - int(leaving[1:])}"
    assert rest_squares(made(red=leaving, blue=beyond), leaving)
    assert rest_squares(made(red=beyond, blue=leaving, seat=2), leaving)


def test_oust_goes_over_empty_squares_only() -> None:
    assert rest_squares(made(red="h3", blue="h12"), "h3")
    assert not rest_squares(made(red="h3", blue="h6 h12"), "h3")
    assert rest_squares(made(red="h3 h5", blue="h12"), "h5")
    assert not rest_squares(made(red="h3 h5", blue="h12"), "h3")


def test_oust_needs_rest_square_or_other_city() -> None:
    """To the east, barbarian country stops him without a reflection; to the north, the city is open."""
    state = made(red="c8 h3")
    assert not rest_squares(state, "c8")
    assert rest_squares(state, "h3") == {"h15"}


def test_sages_are_never_ousted_or_captured() -> None:
    state = made(red="e8", blue="e10 h8", fool="n12")
    assert not [action for action in legal(state) if action.endswith(("e10", "h8", "xe10", "xh8"))]
    assert len(play(state, "e8-e9").position().split(" ")[1].split(",")) == 7


def test_own_city_holds_only_one_own_sage() -> None:
    away = "n13"
    assert "g1" in ends(made(red="g4", fool=away), "g4")
    kept = made(red="g4 j1", fool=away)
    assert not ends(kept, "g4") & squares("f1-j1")
    assert {"g2", "g3"} <= ends(kept, "g4")
    assert "i15" not in ends(made(red="n4", blue="i12 f15", fool=away, seat=2), "i12")


def test_sage_of_other_side_does_not_close_own_city() -> None:
    assert "g1" in ends(made(red="g4", blue="j1", fool="n13"), "g4")


def test_move_within_own_city_is_always_legal() -> None:
    """The city holds one sage, or two in a parsed position."""
    assert {"f1", "g1", "i1", "j1"} <= ends(made(red="h1", fool="n13"), "h1")
    two = made(red="f1 i1", fool="n13")
    assert ends(two, "f1") & squares("f1-j1") == {"g1", "h1"}
    assert ends(two, "i1") & squares("f1-j1") == {"g1", "h1", "j1"}


def test_running_through_own_city_is_free() -> None:
    state = made(red="d1 f2", blue="n9", fool="n13")
    assert {"e1", "k1", "n1"} <= ends(state, "d1")
    kept = made(red="d1 h1", fool="n13")
    assert ends(kept, "d1") & squares("e1-o1") == {"e1"}
    assert {"k1", "n1", "e1"} <= ends(made(red="h1 c3", fool="n13"), "h1")


def test_sage_in_other_city_may_only_leave_it() -> None:
    state = made(red="g15", fool="n13")
    assert ends(state, "g15") == squares("g1-g14", "b15-e15", "k15-o15") | {"a15"}
    oust = made(red="g15", blue="j12 k11", fool="i13")
    assert rest_squares(oust, "g15")


@pytest.mark.parametrize(
    ("two", "leaving", "third"),
    [
        ("e7 f7", "g3", "g7"),
        ("e7 e8", "e3", "e6"),
        ("e7 f8", "g3", "g9"),
        ("e7 f6", "g3", "g5"),
        ("e7 g7", "f3", "f7"),
        ("e7 g9", "f3", "f8"),
        ("m8 o8", "n4", "n8"),
        ("m7 m8", "m3", "m6"),
    ],
    ids=[
        "rank",
        "file",
        "rising-diagonal",
        "falling-diagonal",
        "gap-on-a-rank",
        "gap-on-a-diagonal",
        "edge",
        "behind",
    ],
)
def test_move_leaving_three_own_sages_in_line_is_illegal(two: str, leaving: str, third: str) -> None:
    assert third not in ends(made(red=f"{two} {leaving}", fool="n13"), leaving)
    assert third in ends(made(red=f"{two.split(maxsplit=1)[0]} {leaving}", fool="n13"), leaving)


def test_three_with_gap_or_around_corner_make_no_line() -> None:
    state = made(red="e7 f7 h3", fool="n13")
    assert "h7" in ends(state, "h3")
    assert "f6" in ends(made(red="e7 f7 f3", fool="n13"), "f3")
    assert "f8" in ends(made(red="e7 f7 f12", fool="n13"), "f12")


def test_only_movers_sages_make_line() -> None:
    """Two red sages and a blue one make no line, and a blue line of three does not bind Red."""
    assert "g7" in ends(made(red="e7 g3", blue="f7", fool="n13"), "g3")
    assert "g5" in ends(made(red="g3", blue="c12 d12 e12", fool="n13"), "g3")


def test_existing_line_of_three_must_be_broken() -> None:
    state = made(red="e7 f7 g7 k4", fool="n13")
    movers = {action.split("-")[0] for action in legal(state)}
    assert movers == {"e7", "f7", "g7"}
    assert "d7" in ends(state, "e7")
    four = made(red="d7 e7 f7 g7", fool="n13")
    assert {action.split("-")[0] for action in legal(four)} == {"e7", "f7"}


def test_oust_is_judged_by_rule_of_three_on_fools_square() -> None:
    assert rest_squares(made(red="h3 g8", blue="h12"), "h3")
    assert not rest_squares(made(red="h3 g8 i8", blue="h12"), "h3")
    assert not rest_squares(made(red="h3 f8 g8"), "h3")


def test_pass_is_legal_only_if_there_is_no_other_action() -> None:
    """With two separate lines of three, one remains after any move."""
    state = made(red="c3 d3 e3 k3 l3 m3 a8", fool="n13")
    assert legal(state) == ["pass"]
    after = play(state, "pass")
    assert after.position().split(" ")[3:] == ["2", "0:0", "1", "1", "1"]
    assert "pass" not in legal(read(START))
