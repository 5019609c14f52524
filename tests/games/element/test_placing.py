"""Element: placing stones, the Rule of Replacement, and the effects of Fire and Earth."""

import pytest

from tests.games.element.made import COLUMNS, board, board_after, field, made, named, play

ALL = {f"{column}{row}" for column in COLUMNS for row in range(1, 12)}


@pytest.mark.parametrize("letter", "AEFW")
def test_stone_goes_on_empty_square_without_sage(letter: str) -> None:
    state = made(hand=letter)
    assert named(state, letter) == ALL - {"a1", "k11"}
    after = play(state, f"{letter}-e5")
    assert board(after) == {"1e5" if letter == "A" else f"{letter}e5"}
    assert (field(after, "HAND"), field(after, "STEPS"), field(after, "SEAT")) == ("-", "1", "1")


@pytest.mark.parametrize(
    ("letter", "taken"),
    [("A", {"e5", "g5", "h5"}), ("E", {"d5", "e5"}), ("F", {"g5", "h5", "i5"}), ("W", {"c5"})],
)
def test_squares_where_stone_may_go(letter: str, taken: set[str]) -> None:
    """On c5 lies Fire, then Water, Earth, a mountain far off, one Wind, three and four."""
    stones = {"c5": "F", "d5": "W", "e5": "E", "j2": "M", "g5": "1", "h5": "3", "i5": "4"}
    state = made(" ".join(what + square for square, what in stones.items()), hand=letter)
    assert named(state, letter) & set(stones) == taken


@pytest.mark.parametrize(
    ("there", "letter", "then", "back"),
    [
        ("1", "F", "F", "A30,E30,F29,W30"),
        ("4", "F", "F", "A30,E30,F29,W30"),
        ("F", "W", "W", "A30,E30,F30,W29"),
        ("W", "E", "E", "A30,E29,F30,W30"),
        ("E", "A", "1", "A29,E30,F30,W30"),
    ],
    ids=["fire-on-wind", "fire-on-a-whirlwind", "water-on-fire", "earth-on-water", "wind-on-earth"],
)
def test_replaced_stones_return_to_bag(there: str, letter: str, then: str, back: str) -> None:
    after = play(made(f"{there}e5", hand=letter), f"{letter}-e5")
    assert board(after) == {f"{then}e5"}
    assert field(after, "BAG") == back


def test_earth_on_earth_makes_mountain_and_wind_on_wind_whirlwind() -> None:
    assert board_after(made("Ee5", hand="E"), "E-e5") == {"Me5"}
    assert board_after(made("1e5", hand="AAA"), "A-e5") == {"2e5"}
    assert board_after(made("1e5", hand="AAA"), "A-e5", "A-e5", "A-e5") == {"4e5"}
    assert "e5" not in named(made("4e5", hand="A"), "A")
    assert "e5" not in named(made("Me5", hand="E"), "E")


def test_wind_does_not_replace_earth_of_range() -> None:
    """Earth linked to a mountain by neighbours, diagonals too, is range; Earth two squares off is not."""
    state = made("Me5 Ef6 Eg6 Eh5 Ej5", hand="A")
    assert named(state, "A") & {"e5", "f6", "g6", "h5", "j5"} == {"j5"}


def test_earth_can_be_placed_on_single_earth_of_range() -> None:
    assert board_after(made("Me5 Ef6", hand="E"), "E-f6") == {"Me5", "Mf6"}


def test_earth_next_to_mountain_extends_its_range() -> None:
    linked = play(made("Me5 Eg5", hand="AE"), "E-f5")
    assert named(linked, "A") & {"e5", "f5", "g5"} == set()
    apart = play(made("Me5 Eg5", hand="AE"), "E-h5")
    assert named(apart, "A") & {"e5", "g5", "h5"} == {"g5", "h5"}


def test_second_earth_makes_range_of_all_linked_earth() -> None:
    state = made("Ec3 Ed4 Ee5 Ef5 Ek1", hand="AE")
    assert {"c3", "d4", "e5", "f5"} <= named(state, "A")
    assert named(play(state, "E-d4"), "A") & {"c3", "d4", "e5", "f5", "k1"} == {"k1"}


def test_earth_that_replaces_water_beside_mountain_is_range() -> None:
    state = play(made("Me5 We6", hand="AE"), "E-e6")
    assert board(state) == {"Me5", "Ee6"}
    assert "e6" not in named(state, "A")


@pytest.mark.parametrize(
    ("placed", "run", "free"),
    [
        *(("e5", "Fe6", "e7"), ("e5", "Ff5", "g5"), ("e5", "Fe4", "e3"), ("e5", "Fd5", "c5")),
        *(("e5", "Fe6 Fe7 Fe8", "e9"), ("a5", "Fb5", "c5")),
    ],
)
def test_fire_puts_free_fire_at_far_end_of_run(placed: str, run: str, free: str) -> None:
    after = play(made(run, hand="F"), f"F-{placed}")
    assert board(after) == {*run.split(), f"F{placed}", f"F{free}"}
    assert field(after, "BAG") == f"A30,E30,F{30 - len(run.split()) - 2},W30"


def test_diagonal_fire_triggers_nothing() -> None:
    assert board_after(made("Fd4 Ff6", hand="F"), "F-e5") == {"Fd4", "Ff6", "Fe5"}


@pytest.mark.parametrize("end", ["We7", "Ee7", "Me7"])
def test_free_fire_never_lands_on_water_earth_or_mountain(end: str) -> None:
    assert board_after(made(f"Fe6 {end}", hand="F"), "F-e5") == {"Fe5", "Fe6", end}


def test_free_fire_never_lands_on_sage_or_off_board() -> None:
    assert board_after(made("Fe6", sages="a1 e7", hand="F"), "F-e5") == {"Fe5", "Fe6"}
    assert board_after(made("Fe11 Fd11", hand="F"), "F-c11") == {"Fc11", "Fd11", "Fe11", "Ff11"}
    assert board_after(made("Fe11", hand="F"), "F-e10") == {"Fe10", "Fe11"}


def test_free_fire_replaces_wind_at_end_of_run() -> None:
    """The whole whirlwind goes into the bag."""
    after = play(made("Fe6 4e7", hand="F"), "F-e5")
    assert board(after) == {"Fe5", "Fe6", "Fe7"}
    assert field(after, "BAG") == "A30,E30,F27,W30"


def test_free_fires_go_out_in_all_four_directions() -> None:
    after = board_after(made("Fe6 Ff5 Fe4 Fd5", hand="F"), "F-e5")
    assert after == {f"F{square}" for square in ["e3", "e4", "e5", "e6", "e7", "c5", "d5", "f5", "g5"]}


def test_free_fires_do_not_trigger_more_free_fires() -> None:
    """The free Fire on e7 lies beside the Fire on d7 or f7, and sends no other."""
    assert board_after(made("Fe6 Fd7", hand="F"), "F-e5") == {"Fe5", "Fe6", "Fd7", "Fe7"}
    assert board_after(made("Fe6 Ff7", hand="F"), "F-e5") == {"Fe5", "Fe6", "Ff7", "Fe7"}


def test_fire_replacing_wind_between_fires_spreads() -> None:
    assert board_after(made("1e5 Fe6", hand="F"), "F-e5") == {"Fe5", "Fe6", "Fe7"}


def test_free_fires_go_north_east_south_west_from_bag() -> None:
    """24 Fires lie far off, 4 around e5, 1 is in hand: the last is for the north; Wind in the west stays."""
    far = " ".join(f"F{column}{row}" for column in "hijk" for row in range(3, 9))
    around = "Fe6 Ff5 Fe4 Fd5 2c5"
    after = play(made(f"{far} {around}", hand="F"), "F-e5")
    assert {"Fe7", "2c5"} <= board(after)
    assert not {"Fg5", "Fe3", "Fc5"} & board(after)
    assert field(after, "BAG") == "A28,E30,F0,W30"
    none = play(made(f"{far} {around} Fa9", hand="F"), "F-e5")
    assert not {"Fe7", "Fg5", "Fe3", "Fc5"} & board(none)
    assert "2c5" in board(none)


def test_placement_that_leaves_own_sage_captured_is_illegal() -> None:
    """In the corner a1 only the step to b2 is open. A Wind may go there, as long as it can be jumped."""
    state = made("Fa2 Fb1", hand="AEFW")
    for letter in "EFW":
        assert "b2" not in named(state, letter)
        assert "c3" in named(state, letter)
    assert "b2" in named(state, "A")
    assert "b2" not in named(made("Fa2 Fb1 Fc3", hand="A"), "A")


def test_earth_that_bars_last_diagonal_is_illegal() -> None:
    """The step from a1 to b2 is barred once a2 and b1 are range: by a mountain, or linked to one."""
    assert named(made("Ea2 Eb1 Ec1 Ee5", hand="E"), "E") & {"a2", "b1", "c1", "b2", "e5"} == {"e5"}
    linking = named(made("Ea2 Eb1 Md3", hand="E"), "E")
    assert "c2" not in linking
    assert "c4" in linking
    beside = named(made("Mb1", hand="E"), "E")
    assert "a2" not in beside
    assert "b2" in beside


def test_free_fire_that_shuts_own_sage_in_is_illegal() -> None:
    """Only b2 is open; a Fire on d2 beside c2 sends a free one there."""
    state = made("Fa2 Fb1 Fc2", hand="F")
    assert "d2" not in named(state, "F")
    assert "d3" in named(state, "F")
    assert "d2" in named(made("Fb1 Fc2", hand="F"), "F")
