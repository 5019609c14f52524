"""Sages Tafl: captures, with a made-up position for each sentence of the page."""

import pytest

from tests.games.sages_tafl.positions import board, field, made, play, targets


def taken(before: str, action: str, after: str) -> None:
    """Check that Black's action leaves exactly these pieces on the board; the sages are in their towers."""
    assert field(play(made(before), action), "BOARD") == board(after)


@pytest.mark.parametrize(
    ("mover", "near", "far"),
    [("d3", "e3", "f3"), ("d3", "c3", "b3"), ("d3", "d4", "d5"), ("d3", "d2", "d1")],
    ids=["east", "west", "north", "south"],
)
def test_enemy_between_moved_piece_and_friend_is_captured(mover: str, near: str, far: str) -> None:
    # The skyship comes from a free square of b1, b5, f1 and f5.
    taken(f"Fb5 a{near} A{far}", f"b5-{mover}", f"F{mover} A{far}")


def test_line_of_capture_is_straight() -> None:
    taken("Fb3 ad3 Ad4", "b3-c2", "Fc2 ad3 Ad4")
    taken("Aa3 ae3 Ae4", "a3-d3", "Ad3 ae3 Ae4")


def test_no_capture_diagonally() -> None:
    taken("Aa3 ae4 Af5", "a3-d3", "Ad3 ae4 Af5")


def test_no_capture_of_two_in_row() -> None:
    taken("Aa3 ae3 af3 Ag3", "a3-d3", "Ad3 ae3 af3 Ag3")


def test_no_capture_with_gap() -> None:
    taken("Aa3 ae3 Ag3", "a3-d3", "Ad3 ae3 Ag3")
    taken("Aa3 af3 Ag3", "a3-d3", "Ad3 af3 Ag3")


def test_friend_between_is_not_captured() -> None:
    taken("Aa3 Ae3 Af3", "a3-d3", "Ad3 Ae3 Af3")


def test_enemy_behind_does_not_help_captures() -> None:
    taken("Aa3 ae3 af3", "a3-d3", "Ad3 ae3 af3")


def test_up_to_four_are_captured_by_one_move() -> None:
    state = play(made("Fb1 ac3 Ab3 ae3 Af3 ad4 Ad5 ad2 Ad1"), "b1-d3")
    assert field(state, "BOARD") == board("Fd3 Ab3 Af3 Ad5 Ad1")


def test_captures_are_judged_before_any_piece_is_removed() -> None:
    state = play(made("Fb1 fc3 Ab3 sd4 Ad5 ae3 Af3", towers="T"), "b1-d3")
    assert field(state, "BOARD") == board("Fd3 Ab3 Ad5 Af3")
    assert field(state, "TOWERS") == "Tt"


@pytest.mark.parametrize("mover", ["Aa3 a3-d3", "Fb1 b1-d3", "Sc2 c2-d3"], ids=["A", "F", "S"])
@pytest.mark.parametrize("helper", ["A", "F", "S"])
@pytest.mark.parametrize("enemy", ["a", "f"])
def test_every_kind_captures_helps_and_is_captured(mover: str, helper: str, enemy: str) -> None:
    piece, action = mover.split()
    if piece[0] == helper == "S":
        helper = "A"
    towers = "t" if "S" in piece[0] + helper else "Tt"
    state = play(made(f"{piece} {enemy}e3 {helper}f3", towers=towers), action)
    assert field(state, "BOARD") == board(f"{piece[0]}d3 {helper}f3")


def test_edge_does_not_help_captures() -> None:
    taken("Aa3 ah3", "a3-g3", "Ag3 ah3")


@pytest.mark.parametrize("enemy", ["ae1", "ad2"])
def test_tower_does_not_help_captures(enemy: str) -> None:
    # Black's sage is in the tower at the corner of d1, e1, d2 and e2.
    start, action, end = ("Fb3", "b3-d1", "Fd1") if enemy == "ae1" else ("Fb1", "b1-d3", "Fd3")
    taken(f"{start} {enemy}", action, f"{end} {enemy}")


def test_empty_square_does_not_help_captures() -> None:
    taken("Aa3 ae3", "a3-d3", "Ad3 ae3")


def test_piece_that_moves_between_two_enemies_is_not_captured() -> None:
    state = play(made("Ad1 ac3 ae3"), "d1-d3")
    assert field(state, "BOARD") == board("Ad3 ac3 ae3")
    assert field(play(state, "tower-d8"), "BOARD") == board("Ad3 ac3 ae3 sd8")


def test_piece_that_moves_between_two_enemies_may_capture() -> None:
    taken("Ad1 ac3 ae3 Af3", "d1-d3", "Ad3 ac3 Af3")


def test_only_piece_that_moved_captures() -> None:
    # e3 already stands between two enemies; a move elsewhere does not capture it.
    taken("Ad3 ae3 Af3 Aa1", "a1-a2", "Ad3 ae3 Af3 Aa2")


def test_sage_that_comes_down_captures() -> None:
    state = play(made("af2 Ag2"), "tower-e2")
    assert field(state, "BOARD") == board("Se2 Ag2")
    assert field(state, "TOWERS") == "t"


def test_hop_captures() -> None:
    taken("Ad4 Ad5 ae6 Af6", "d4-d6", "Ad5 Ad6 Af6")


def test_pieces_capture_and_are_captured_in_river() -> None:
    taken("Ad4 ae5 Af5", "d4-d5", "Ad5 Af5")


def test_red_captures_as_black_does() -> None:
    state = play(made("aa3 Fe3 af3", seat=2), "a3-d3")
    assert field(state, "BOARD") == board("ad3 af3")


def test_escape_captures_nothing() -> None:
    state = play(made("Ad5 Ac5 ab5 Ae5 ae6 Ae7 Ah5"), "h5-off")
    assert field(state, "BOARD") == board("Ad5 Ac5 ab5 Ae5 ae6 Ae7")


def test_pass_captures_nothing() -> None:
    # Black is blocked, with no piece but the sage in its tower.
    state = play(made("ad1 ad2 ae1 fe2"), "pass")
    assert field(state, "BOARD") == board("ad1 ad2 ae1 fe2")


def test_captured_apprentices_and_skyships_leave_game() -> None:
    state = play(made("Fb1 fc3 Ab3 ae3 Af3"), "b1-d3")
    assert state.position() == f"{board('Fd3 Ab3 Af3')} 2 Tt 2:2 0 1"


def test_captured_sage_goes_back_to_its_tower() -> None:
    state = play(made("Aa3 se3 Af3", towers="T"), "a3-d3")
    assert state.position() == f"{board('Ad3 Af3')} 2 Tt 2:2 0 1"
    assert targets(state, "tower") == {"d8", "d9", "e8", "e9"}


def test_captured_black_sage_goes_back_to_blacks_tower() -> None:
    state = play(made("aa3 Se3 af3 Aa1", seat=2, towers="t"), "a3-d3")
    assert state.position() == f"{board('ad3 af3 Aa1')} 1 Tt 2:2 0 1"
    assert targets(state, "tower") == {"d1", "d2", "e1", "e2"}
