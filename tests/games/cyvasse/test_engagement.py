"""Engagement, sentence by sentence: a Light Horse on e8 captures on e6 only if enough pieces engage e6.

From e6 the straight line to the south-west runs d5, c4, b3, a2; that to the south-east d6, c6, b6, a6. The
Light Horse, two squares away, engages nothing there itself.
"""

import pytest

from tests.games.cyvasse.hands import captures, piece_actions, place

SOUTH_WEST = ("d5", "c4", "b3", "a2")


def taken(pieces: str, mountains: str = "", water: str = "") -> bool:
    return "xe6" in piece_actions(place(f"Le8 {pieces}", mountains=mountains, water=water), "e8")


@pytest.mark.parametrize(
    ("code", "distances"),
    [
        ("R", {1}),
        ("S", {1}),
        ("L", {1}),
        ("H", {1}),
        ("E", {1, 2}),
        ("C", {1, 2, 3}),
        ("T", {2, 3, 4}),
        ("D", {1, 2}),
        ("W", {1}),
        ("K", {1}),
    ],
)
def test_each_kind_engages_at_distances_of_its_row(code: str, distances: set[int]) -> None:
    found = {d for d, name in enumerate(SOUTH_WEST, 1) if taken(f"re6 {code}{name}")}
    assert found == distances


@pytest.mark.parametrize("code", "RSLHECTDWK")
def test_nothing_engages_off_straight_path(code: str) -> None:
    assert not taken(f"re6 {code}c5")


@pytest.mark.parametrize(
    ("code", "needed"),
    [("r", 1), ("s", 1), ("l", 1), ("k", 1), ("h", 2), ("e", 2), ("d", 2), ("w", 2), ("c", 0), ("t", 0)],
)
def test_armour_says_how_many_must_engage(code: str, needed: int) -> None:
    engagers = ("", "Rd5", "Rd5 Rd6", "Rd5 Rd6 Rf6")
    assert [taken(f"{code}e6 {pieces}") for pieces in engagers] == [count >= needed for count in range(4)]


def test_neighbours_are_at_distance_1_on_all_six_sides() -> None:
    assert all(taken(f"re6 R{name}") for name in ("e5", "e7", "d5", "d6", "f5", "f6"))


def test_mountain_strictly_between_bars() -> None:
    assert not taken("re6 Cb3", mountains="d5")
    assert not taken("re6 Cb3", mountains="c4")


def test_water_between_does_not_bar() -> None:
    assert taken("re6 Cb3", water="d5 c4")


def test_piece_of_engaged_side_between_bars() -> None:
    assert not taken("re6 td5 Cb3")
    assert not taken("re6 tc4 Cb3")


def test_piece_of_engaging_side_between_does_not_bar() -> None:
    assert not taken("re6 Td5")
    assert taken("re6 Td5 Cb3")


def test_piece_on_water_engages_nothing() -> None:
    assert not taken("re6 Rd5", water="d5")
    assert not taken("re6 Cb3", water="b3")


def test_piece_on_water_engages_no_neighbouring_tower() -> None:
    assert "xf5" in piece_actions(place("wf5 Rf4 Se5"), "f4")
    assert "xf5" not in piece_actions(place("wf5 Rf4 Se5", water="e5"), "f4")
    assert "xf5" not in piece_actions(place("wf5 Rf4 Re5", water="f4"), "f4")


def test_piece_on_water_can_be_engaged() -> None:
    assert taken("re6 Rd5", water="e6")


@pytest.mark.parametrize("name", ["d5", "d6"])
def test_spears_engage_their_two_front_squares(name: str) -> None:
    assert taken(f"re6 S{name}")


@pytest.mark.parametrize("name", ["e5", "e7", "f5", "f6"])
def test_spears_engage_nothing_beside_or_behind_them(name: str) -> None:
    assert not taken(f"re6 S{name}")


def test_black_spears_look_south() -> None:
    def engaged(name: str) -> bool:
        return "xe6" in piece_actions(place(f"le8 Re6 s{name}", seat=2), "e8")

    assert {name for name in ("d5", "d6", "e5", "e7", "f5", "f6") if engaged(name)} == {"f5", "f6"}


def test_piece_next_to_enemy_tower_engages_only_that_tower() -> None:
    assert taken("rf5 re6 Re5 Rd5")
    assert not taken("wf5 re6 Re5")  # e5 is next to f5
    assert taken("wf5 re6 Re5 Rd5")  # d5 is not
    assert not taken("wf5 re6 Ch3")  # the Tower stands between


def test_tower_next_to_piece_is_engaged_by_it() -> None:
    assert "xf5" in piece_actions(place("wf5 Re5 Rf4"), "e5")
    assert "xf5" not in piece_actions(place("wf5 Re5"), "e5")


def test_piece_beside_one_tower_engages_no_distant_tower() -> None:
    """The Crossbows on f6 look west to f3; a Tower on g6 is next to them."""
    far = "wf3 Re3 Cf6"
    assert "xf3" in piece_actions(place(far), "e3")
    assert "xf3" not in piece_actions(place(f"{far} wg6"), "e3")


def test_piece_next_to_two_towers_engages_both() -> None:
    both = "wf5 wf6 Re6 Re5 Rf7"
    assert {"xf5", "xf6"} <= piece_actions(place(both), "e6")


def test_crossbows_next_to_enemy_tower_engage_it_alone() -> None:
    assert taken("re6 Cd5")
    assert not taken("re6 Cd5 wd4")


def test_tower_of_its_own_side_binds_no_piece() -> None:
    assert taken("re6 Rd5 Wd4")


def test_trebuchet_next_to_enemy_tower_engages_nothing() -> None:
    assert taken("re6 Tc4")
    assert not taken("re6 Tc4 wc3")
    assert captures(place("re6 Tc4"), "c4") == {"xe6"}
    assert captures(place("re6 Tc4 wc3"), "c4") == set()
    assert "xc3" not in piece_actions(place("wc3 Rb2 Tc4"), "b2")


def test_spears_engage_neighbouring_tower_only_in_front() -> None:
    assert "xf5" in piece_actions(place("wf5 Rf4 Se5"), "f4")
    assert "xf5" not in piece_actions(place("wf5 Re5 Sf4"), "e5")
    assert "xf5" not in piece_actions(place("wf5 Re5 Sg5"), "e5")


def test_spears_next_to_tower_engage_nothing_else_in_front() -> None:
    assert taken("re6 Sd5")
    assert not taken("re6 Sd5 wd4")


def test_capturing_piece_need_not_engage() -> None:
    assert "xe6" in piece_actions(place("Le8 re6 Rd5"), "e8")
    assert "xe6" not in piece_actions(place("Le8 re6"), "e8")


def test_engagement_is_judged_before_action() -> None:
    """A Heavy Horse does not engage on its way: it cannot capture an unengaged piece two squares away."""
    assert captures(place("He8 re6"), "e8") == set()
    assert captures(place("He7 re6"), "e7") == {"xe6", "xe6-e5"}


def test_any_number_of_kinds_count_together() -> None:
    assert taken("he6 Rd5 Cb6")
    assert not taken("he6 Cb6")
    assert taken("he6 Tc4 Ec6")
