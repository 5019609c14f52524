"""Moves and captures, sentence by sentence."""

import pytest

from tests.games.cyvasse.hands import captures, ends, legal, neighbours, piece_actions, place, play

NEXT_TO_D5 = {"d4", "d6", "e5", "e6", "c4", "c5"}


def within(name: str, steps: int) -> set[str]:
    """The squares at most ``steps`` away on the open board, without the square itself."""
    found = {name}
    for _ in range(steps):
        found |= {near for other in found for near in neighbours(other)}
    return found - {name}


def test_rabble_moves_one_square_in_any_direction() -> None:
    assert ends(place("Rd5"), "d5") == NEXT_TO_D5


@pytest.mark.parametrize(
    ("code", "move"),
    [("R", 1), ("S", 1), ("L", 3), ("H", 2), ("E", 1), ("C", 2), ("T", 1), ("D", 4), ("W", 0), ("K", 1)],
)
@pytest.mark.parametrize("name", ["d5", "c10", "b1"])
def test_each_kind_moves_up_to_its_row_of_table(code: str, move: int, name: str) -> None:
    state = place(f"{code}{name} kg9" if code == "K" else f"{code}{name} Ki8 kg9")
    assert ends(state, name) == within(name, move) - {"i8", "g9"}


def test_normal_move_may_turn_around_obstacles() -> None:
    state = place("Ld5", mountains="d4 e6 c4 c5 d6")
    assert "e4" in ends(state, "d5")  # e5, then west
    assert "f6" not in ends(place("Hd5", mountains="d4 e6 c4 c5 d6"), "d5")
    assert ends(place("Hd5", mountains="d4 e6 c4 c5 d6"), "d5") == {"e5", "e4", "f4", "f5"}


def test_mountains_are_not_crossed_and_not_ended_on() -> None:
    assert ends(place("Ld5", mountains=" ".join(NEXT_TO_D5)), "d5") == set()


def test_normal_move_does_not_touch_enemies() -> None:
    around = " ".join(f"l{name}" for name in sorted(NEXT_TO_D5))
    assert ends(place(f"Ld5 {around}"), "d5") == set()


def test_water_is_crossed_and_ended_on() -> None:
    assert ends(place("Hd5", water=" ".join(NEXT_TO_D5)), "d5") == within("d5", 2)


def test_own_pieces_are_crossed_but_not_ended_on() -> None:
    around = " ".join(f"W{name}" for name in sorted(NEXT_TO_D5))
    assert ends(place(f"Hd5 {around}"), "d5") == within("d5", 2) - NEXT_TO_D5
    assert ends(place(f"Rd5 {around}"), "d5") == set()


def test_move_never_ends_on_its_own_square() -> None:
    for code in "LHCD":
        assert "d5" not in ends(place(f"{code}d5"), "d5")


def test_dragon_crosses_mountains_and_enemies_but_ends_on_neither() -> None:
    ring = "cd4 td6 le5 ee6 hc4"
    state = place(f"Dd5 {ring}", mountains="c5")
    assert ends(state, "d5") == within("d5", 4) - NEXT_TO_D5 - {"a1"}


def test_towers_never_move() -> None:
    assert piece_actions(place("Wd5 ce5"), "d5") == set()


def test_crossbows_cannot_capture() -> None:
    assert captures(place("Cd5 ce5 rd6 Rc6"), "d5") == set()


# Spears bar the way.

ONE_EXIT = "d3 e4 e5 c3 c4"
"""Mountains on all neighbours of d4 except d5."""


def test_piece_entering_front_square_stops_there() -> None:
    assert ends(place("Ld4", mountains=ONE_EXIT), "d4") > {"d5", "d6"}
    assert ends(place("Ld4 se6", mountains=ONE_EXIT), "d4") == {"d5"}
    assert ends(place("Ld4 se5", mountains="d3 e4 c3 c4"), "d4") == {"d5"}


def test_own_spears_bar_nothing() -> None:
    assert ends(place("Ld4 Se6", mountains=ONE_EXIT), "d4") > {"d5", "d6"}


def test_spears_on_water_or_next_to_tower_also_bar() -> None:
    assert ends(place("Ld4 se6 Wf6", mountains=ONE_EXIT, water="e6"), "d4") == {"d5"}


def test_piece_sets_out_from_front_square_freely() -> None:
    assert ends(place("Ld5 se6"), "d5") > {"e5", "e4", "c5", "b5"}


def test_piece_stops_on_next_front_square() -> None:
    walls = "d4 e5 c4 c5"
    assert ends(place("Ld5 se6", mountains=walls), "d5") == {"d6"}
    assert ends(place("Ld5", mountains=f"{walls} e6"), "d5") > {"d6", "d7", "d8"}


def test_piece_cannot_cross_front_square_where_it_cannot_end() -> None:
    assert ends(place("Ld4 Wd5", mountains=ONE_EXIT), "d4") > {"d6", "e6"}
    assert ends(place("Ld4 Wd5 se6", mountains=ONE_EXIT), "d4") == set()


def test_dragon_stops_in_front_of_spears() -> None:
    assert ends(place("Da1 sc2 sb3 Kg1"), "a1") == {"a2", "b1", "b2"}
    assert ends(place("Da1 sc2 sb3 Kg1", mountains="b2"), "a1") == {"a2", "b1"}
    assert ends(place("Da1 sc2 sb3 Kg1 Rb1 cb2 Wa2"), "a1") == set()


def test_dragon_does_not_cross_front_square_to_capture() -> None:
    assert captures(place("Dc4 se6 Re7"), "c4") == set()
    assert captures(place("Dc4 re6 Re7"), "c4") == {"xe6"}
    assert captures(place("Dc4 te6 sf5"), "c4") == {"xe6"}  # e6 is a front square itself: it ends there


def test_black_spears_front_lies_south_and_whites_north() -> None:
    state = place("ld4 Sc4", seat=2, mountains="d3 e4 e5 c3")
    assert ends(state, "d4") == {"d5"}
    assert ends(place("ld4 Sc5", seat=2, mountains="d3 e4 e5 c3 c4"), "d4") == {"d5"}
    assert ends(place("ld4 Se6", seat=2, mountains=ONE_EXIT), "d4") > {"d5", "d6"}


def test_king_is_not_moved_over_tower_on_front_square() -> None:
    assert "e5" in ends(place("Kc5 Wd5"), "c5")
    assert "e5" not in ends(place("Kc5 Wd5 se6"), "c5")
    assert "xe5" in captures(place("Kc5 Wd5 re5"), "c5")
    assert "xe5" not in captures(place("Kc5 Wd5 re5 se6"), "c5")


def test_king_may_be_moved_over_tower_onto_front_square() -> None:
    assert "e5" in ends(place("Kc5 Wd5 sf4"), "c5")


def test_horse_that_captures_on_front_square_does_not_ride_on() -> None:
    assert captures(place("Ld3 rd5 Rc4"), "d3") == {"xd5", "xd5-d6"}
    assert captures(place("Ld3 rd5 Rc4 se6"), "d3") == {"xd5"}


def test_captured_spears_front_square_stops_riding_on() -> None:
    assert captures(place("Lf6 re6 Re7"), "f6") == {"xe6", "xe6-d5", "xe6-c4"}
    assert captures(place("Lf6 se6 Re7"), "f6") == {"xe6", "xe6-d5"}


def test_front_square_before_prey_bars_horse() -> None:
    assert captures(place("Ld3 rd5 Rc4"), "d3") == {"xd5", "xd5-d6"}
    assert captures(place("Ld3 rd5 Rc4 se4"), "d3") == {"xe4", "xe4-f4", "xe4-g4"}


def test_front_square_before_prey_bars_elephant() -> None:
    assert captures(place("Ed3 rd5 Rc5"), "d3") == {"xd5"}
    assert captures(place("Ed3 rd5 Rc5 se4"), "d3") == {"xe4"}


def test_trebuchets_step_back_may_end_on_front_square() -> None:
    assert captures(place("Td5 rd7 sc4 Re8"), "d5") == {"xd7"}
    assert captures(place("Td5 rd7 se5"), "d5") == {"xd7"}


# Captures.


def test_capture_goes_in_straight_line() -> None:
    assert captures(place("Ld5 rf5 Re5"), "d5") == set()  # two steps away, around a corner
    assert captures(place("Ld5 rf6 Re6"), "d5") == {"xf6", "xf6-g6"}


def test_capture_reaches_up_to_move() -> None:
    assert captures(place("Ld2 rd5 Rc4"), "d2") == {"xd5"}
    assert captures(place("Ld1 rd5 Rc4"), "d1") == set()
    assert captures(place("Hd3 rd5 Rc4"), "d3") == {"xd5"}
    assert captures(place("Hd2 rd5 Rc4"), "d2") == set()
    assert captures(place("Rd4 cd6"), "d4") == set()
    assert captures(place("Dd1 rd5 Rc4"), "d1") == {"xd5"}


def test_capture_crosses_own_pieces() -> None:
    assert captures(place("Ld3 rd5 Rd4"), "d3") == {"xd5", "xd5-d6"}
    assert captures(place("Hd3 cd5 Td4"), "d3") == {"xd5"}


def test_capture_crosses_no_mountain_and_no_enemy() -> None:
    assert captures(place("Ld3 rd5 Rc4", mountains="d4"), "d3") == set()
    assert captures(place("Ld3 cd5 cd4"), "d3") == {"xd4"}
    assert captures(place("Ld3 cd5", water="d4"), "d3") == {"xd5", "xd5-d6"}


def test_dragon_crosses_everything_on_its_way_to_capture() -> None:
    assert captures(place("Dd1 cd5 rd2 Rd4", mountains="d3"), "d1") == {"xd2", "xd5"}


def test_captured_piece_leaves_game() -> None:
    after = play(place("Ld3 rd5 Rc4"), "d3xd5")
    assert (
        after.position().split(" ")[1]
        == ".......k/........./........../.........../............/....L....../...R....../........./K......."
    )


def test_light_horse_ride_on_within_their_move() -> None:
    assert captures(place("Ld3 cd4"), "d3") == {"xd4", "xd4-d5", "xd4-d6"}


def test_heavy_horse_ride_on_within_their_move() -> None:
    assert captures(place("Hd3 cd4"), "d3") == {"xd4", "xd4-d5"}


def test_ride_crosses_own_pieces_and_water_but_ends_empty() -> None:
    assert captures(place("Ld3 cd4 Wd5", water="d4 d6"), "d3") == {"xd4", "xd4-d6"}
    assert captures(place("Ld3 cd4 Wd6"), "d3") == {"xd4", "xd4-d5"}


def test_riding_on_crosses_no_mountain_and_no_enemy() -> None:
    assert captures(place("Ld3 cd4", mountains="d5"), "d3") == {"xd4"}
    assert captures(place("Ld3 cd4 rd5"), "d3") == {"xd4"}
    assert captures(place("Ld3 cd4 td6"), "d3") == {"xd4", "xd4-d5"}
    assert captures(place("Ld3 cd4", mountains="d6"), "d3") == {"xd4", "xd4-d5"}


def test_riding_on_keeps_on_board() -> None:
    assert captures(place("Ld9 cd10"), "d9") == {"xd10", "xd10-d11"}


def test_ride_takes_piece_beyond() -> None:
    after = play(place("Ld3 cd4"), "d3xd4-d6")
    assert after.position().split(" ")[1].split("/")[5] == ".....L....."


def test_elephant_moves_one_but_captures_at_one_or_two() -> None:
    state = place("Ed3 cd5 cd2")
    assert captures(state, "d3") == {"xd2", "xd5"}
    assert ends(state, "d3") == {"d4", "c2", "c3", "e3", "e4"}
    assert captures(place("Ed3 cd6"), "d3") == set()


@pytest.mark.parametrize("between", ["Wd4", "cd4"])
def test_elephant_at_two_crosses_no_piece_of_either_side(between: str) -> None:
    assert "xd5" not in captures(place(f"Ed3 cd5 {between}"), "d3")


def test_elephant_at_two_crosses_water_but_no_mountain() -> None:
    assert captures(place("Ed3 cd5", mountains="d4"), "d3") == set()
    assert captures(place("Ed3 cd5", water="d4"), "d3") == {"xd5"}


def test_spears_capture_only_on_their_front_squares() -> None:
    bare = " ".join(f"c{name}" for name in sorted(NEXT_TO_D5))
    assert captures(place(f"Sd5 {bare}"), "d5") == {"xe5", "xe6"}
    bare = " ".join(f"C{name}" for name in sorted(NEXT_TO_D5))
    assert captures(place(f"sd5 {bare}", seat=2), "d5") == {"xc4", "xc5"}


def test_spears_on_water_may_capture_engaged_pieces() -> None:
    assert captures(place("Sd5 re5", water="d5"), "d5") == set()
    assert captures(place("Sd5 re5 Re4", water="d5"), "d5") == {"xe5"}


def test_trebuchet_captures_engaged_piece_with_step_away() -> None:
    state = place("Td5 rd7 cg3")
    assert captures(state, "d5") == {"xd7", "xg3"}
    rows = play(state, "d5xd7").position().split(" ")[1].split("/")
    assert rows[5] == "...T......."
    rows = play(state, "d5xg3").position().split(" ")[1].split("/")
    assert (rows[2], rows[5], rows[6]) == ("..........", "......r....", "....T.....")


def test_trebuchet_never_captures_by_moving_onto_piece() -> None:
    assert captures(place("Td5 cd6"), "d5") == set()


def test_trebuchet_needs_empty_square_behind_it() -> None:
    assert captures(place("Td5 rd7 Wd4"), "d5") == set()
    assert captures(place("Td5 rd7 cd4"), "d5") == set()
    assert captures(place("Td5 rd7", mountains="d4"), "d5") == set()
    assert captures(place("Td5 rd7", water="d4"), "d5") == {"xd7"}
    assert captures(place("Td1 rd3"), "d1") == set()


def test_trebuchet_must_engage_its_prey_itself() -> None:
    assert captures(place("Td5 rd7 Rc7", water="d5"), "d5") == set()
    assert captures(place("Td5 rd7 Rc7", mountains="d6"), "d5") == set()
    assert captures(place("Td5 rd7 cd6 Rc7"), "d5") == set()
    assert captures(place("Td5 rd7 Wd6"), "d5") == {"xd7"}
    assert captures(place("Td5 rd10 Rc9"), "d5") == set()


def test_trebuchets_prey_must_be_sufficiently_engaged() -> None:
    assert captures(place("Td5 hd7"), "d5") == set()
    assert captures(place("Td5 hd7 Rc7"), "d5") == {"xd7"}


# King and Tower.


def test_king_moves_straight_over_own_tower() -> None:
    assert ends(place("Kd5 Wd6 We5"), "d5") == {"d4", "e6", "c4", "c5", "d7", "f4"}


def test_king_moves_over_own_tower_only() -> None:
    assert ends(place("Kd5 Ld6 we5"), "d5") == {"d4", "e6", "c4", "c5"}


def test_no_other_piece_is_moved_over_tower() -> None:
    assert ends(place("Ed5 Wd6"), "d5") == NEXT_TO_D5 - {"d6"}


def test_king_over_tower_ends_on_empty_square_or_captures_there() -> None:
    assert "d7" not in ends(place("Kd5 Wd6", mountains="d7"), "d5")
    assert "d7" not in ends(place("Kd5 Wd6 Sd7"), "d5")
    assert captures(place("Kd5 Wd6 rd7"), "d5") == {"xd7"}  # the Tower engages it
    assert captures(place("Kd5 Wd6 rd7", water="d6"), "d5") == set()
    assert ends(place("Kd10 Wd11"), "d10") == {"d9", "e10", "e11", "c9", "c10"}


def test_king_captures_at_distance_1() -> None:
    assert captures(place("Kd5 rd6 ce5 he6"), "d5") == {"xd6", "xe5"}


def test_list_is_sorted_by_code_point() -> None:
    actions = legal(place("Ld9 Ld10 Ld1 Lc10 cd3 ce9"))
    assert actions == sorted(actions)
    assert len(set(actions)) == len(actions)
    assert actions.index("c10-a8") < actions.index("d1-c1") < actions.index("d1xd3") < actions.index("d9-d8")
