"""Sage Stones: captures and the ring, with a made-up position for each sentence of the page."""

import pytest

from tests.games.sage_stones.positions import board, field, fields, legal, made, play


def after(stones: str, square: str, colour: int = 1) -> str:
    """The board after a stone of a colour is placed; the column is the square's."""
    phase = square[0] + ("+" if square[0] in "39" else "")
    return field(play(made(stones, colour, phase), square), "BOARD")


@pytest.mark.parametrize(
    ("near", "far"),
    [
        *(("6f", "6g"), ("6d", "6c"), ("7e", "8e"), ("5e", "4e")),
        *(("7f", "8g"), ("7d", "8c"), ("5f", "4g"), ("5d", "4c")),
    ],
    ids=["up", "down", "east", "west", "north-east", "south-east", "north-west", "south-west"],
)
def test_run_is_captured_in_each_of_eight_directions(near: str, far: str) -> None:
    assert after(f"{near}2 {far}1", "6e") == board(f"6e1 {far}1")


def test_long_run_of_mixed_colours_is_captured_whole() -> None:
    state = play(made("3e1 4e2 5e3 6e4 7e2 8e3", 1, "9+"), "9e")
    assert field(state, "BOARD") == board("3e1 9e1")
    assert field(state, "HANDS") == "8,10,10,10"


def test_stones_go_back_to_their_colours_hands() -> None:
    before = made("6d2 6c3 6b1", 1, "6")
    assert field(before, "HANDS") == "9,9,9,10"
    assert fields(play(before, "6e"), "BOARD", "HANDS") == [board("6b1 6e1"), "8,10,10,10"]


def test_run_with_gap_is_not_captured() -> None:
    assert after("6d2 6b1", "6e") == board("6b1 6d2 6e1")
    assert after("6c2 6b1", "6e") == board("6b1 6c2 6e1")


def test_run_without_movers_stone_at_its_end_is_not_captured() -> None:
    assert after("7e2 8e3", "6e") == board("6e1 7e2 8e3")
    assert after("7e2 8e2 9e2", "6e") == board("6e1 7e2 8e2 9e2")


def test_run_ends_at_movers_first_stone() -> None:
    assert after("6d2 6c1 6b2 6a1", "6e") == board("6a1 6b2 6c1 6e1")


def test_movers_own_stones_are_no_run() -> None:
    assert after("6d1 6c1", "6e") == board("6c1 6d1 6e1")
    assert after("6d1 6c2 6b1", "6e") == board("6b1 6c2 6d1 6e1")


def test_runs_in_all_directions_are_captured_together() -> None:
    before = "7e2 8e1 5e3 4e1 7f4 8g1 5d2 4c1"
    assert after(before, "6e") == board("8e1 4e1 8g1 4c1 6e1")


def test_stone_placed_between_two_others_is_not_captured() -> None:
    assert after("6d2 6f2", "6e") == board("6d2 6e1 6f2")
    assert after("5e2 7e2", "6e") == board("5e2 6e1 7e2")


def test_later_move_does_not_capture_stone_placed_between() -> None:
    # Colour 2 places elsewhere; 6e stays between its stones.
    assert after("6d2 6e1 6f2", "5a", colour=2) == board("5a2 6d2 6e1 6f2")


def test_only_new_stone_captures() -> None:
    assert after("3a1 3b2 3c1", "6e") == board("3a1 3b2 3c1 6e1")


@pytest.mark.parametrize(("near", "far", "new"), [("6i", "6h", "6a"), ("6a", "6b", "6i")])
def test_column_is_ring(near: str, far: str, new: str) -> None:
    assert after(f"{near}2 {far}1", new) == board(f"{far}1 {new}1")


def test_run_goes_on_over_rings_seam() -> None:
    assert after("6h2 6i3 6a4 6b2 6c1", "6g") == board("6c1 6g1")


def test_runs_both_ways_round_ring_may_end_at_one_stone() -> None:
    assert after("6=12.234234", "6c") == board("6a1 6c1")


def test_run_back_to_new_stone_captures_nothing() -> None:
    assert after("6=2342.2342", "6e") == board("6=234212342")


def test_ring_with_gap_captures_nothing_without_other_end() -> None:
    assert after("6=2342.234.", "6e") == board("6=23421234.")


def test_rows_end_at_edge() -> None:
    assert after("9e2 8e1", "3e") == board("3e1 8e1 9e2")
    assert after("3e2 4e1", "9e") == board("3e2 4e1 9e1")


def test_diagonals_end_at_edge_of_both_sorts() -> None:
    # Over the seam of rows i and a, and over the edge of columns 3 and 9.
    assert after("7a2 8b1", "6i") == board("6i1 7a2 8b1")
    assert after("5i2 4h1", "6a") == board("4h1 5i2 6a1")
    assert after("3f2 4g1", "9e") == board("3f2 4g1 9e1")


def test_seat_may_capture_its_own_other_colour() -> None:
    state = play(made("6d3 6c1", 1, "6", seats=2), "6e")
    assert fields(state, "BOARD", "HANDS") == [board("6c1 6e1"), "8,10,10,10"]


def test_other_colour_of_seat_ends_no_run() -> None:
    state = play(made("6d2 6c3", 1, "6", seats=2), "6e")
    assert field(state, "BOARD") == board("6c3 6d2 6e1")


def test_captured_square_is_empty_again() -> None:
    state = play(made("6d2 6c1", 1, "6+"), "6e roll-222")
    assert "6d" in legal(state)
