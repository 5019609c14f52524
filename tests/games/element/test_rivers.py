"""Element: rivers, with a made-up position for each sentence of the page."""

import pytest

from tests.games.element.made import board, board_after, field, legal, made, named, play
from tourney.games.element import core_board
from tourney.games.element.board import SQUARE


def test_water_without_neighbouring_water_does_not_flow() -> None:
    """A diagonal neighbour makes no river."""
    state = play(made("Wd4 Wf6", hand="W"), "W-e5")
    assert field(state, "PHASE") == "act"
    assert board(state) == {"Wd4", "Wf6", "We5"}


def test_water_next_to_water_must_flow_at_once() -> None:
    state = play(made("We6", hand="AW", steps="1"), "W-e5")
    assert field(state, "PHASE") == "flow-e5-n--"
    assert field(state, "HAND") == "A"
    assert legal(state) == ["flow-e", "flow-s", "flow-w"]


def test_river_of_n_stones_flows_n_squares_and_may_turn() -> None:
    state = play(made("We6 We7", hand="W"), "W-e5", "flow-e", "flow-n")
    assert field(state, "PHASE") == "flow-e5-n-en"
    assert board(state) == {"We5", "We6", "We7"}
    assert legal(state) == ["flow-e", "flow-n"]
    done = play(state, "flow-n")
    assert field(done, "PHASE") == "act"
    assert board(done) == {"Wf5", "Wf6", "Wf7"}


def test_river_is_unbroken_run_that_begins_at_headwater() -> None:
    """Water behind a gap, and water beside the run, stay where they are."""
    state = play(made("We6 We8 Wf6 Wd5 Fd6", hand="W"), "W-e5", "river-n", "flow-s", "flow-s")
    assert board(state) == {"We4", "We3", "We8", "Wf6", "Wd5", "Fd6"}


def test_mover_chooses_direction_with_full_path() -> None:
    state = play(made("We6 Wf5 Wd5 Wc5", hand="W"), "W-e5")
    assert field(state, "PHASE") == "river-e5"
    assert legal(state) == ["river-e", "river-n", "river-w"]
    assert legal(play(state, "river-w")) == ["flow-s"]
    assert board_after(state, "river-e", "flow-s", "flow-s") == {"We6", "Wd5", "Wc5", "We4", "We3"}


def test_single_direction_with_full_path_is_chosen_at_once() -> None:
    """Eastward the river would have 4 stones, and only e4, e3 and e2 are open."""
    state = made("Wf5 Wg5 Wh5 We6 Ed5 Ed4 Ed3 Ed2 Ef4 Ef3 Ef2 Ee1 Me7", hand="W")
    after = play(state, "W-e5")
    assert field(after, "PHASE") == "flow-e5-n--"


def test_mover_chooses_one_of_two_river_lines() -> None:
    state = play(made("We6 We4", hand="W"), "W-e5")
    assert legal(state) == ["river-n", "river-s"]
    assert board_after(state, "river-n", "flow-w", "flow-w") == {"We4", "Wd5", "Wc5"}


@pytest.mark.parametrize("what", ["E", "M", "1", "4", "W"])
def test_flow_never_crosses_wind_earth_or_other_water(what: str) -> None:
    assert legal(play(made(f"We6 {what}f5", hand="W"), "W-e5", *(["river-n"] if what == "W" else []))) == [
        "flow-s",
        "flow-w",
    ]


def test_flow_never_crosses_sage_or_leaves_board() -> None:
    assert legal(play(made("We6", sages="a1 f5", hand="W"), "W-e5")) == ["flow-s", "flow-w"]
    assert legal(play(made("We2", sages="a9 k11", hand="W"), "W-e1")) == ["flow-e", "flow-w"]


def test_flow_returns_fire_to_bag() -> None:
    state = play(made("We6 Ff5 Fg5", hand="W"), "W-e5", "flow-e")
    assert {"Ff5", "Fg5"} <= board(state)
    assert field(state, "BAG") == "A30,E30,F28,W28"
    done = play(state, "flow-e")
    assert board(done) == {"Wf5", "Wg5"}
    assert field(done, "BAG") == "A30,E30,F30,W28"


def test_water_replacing_fire_is_headwater() -> None:
    """That Fire is in the bag at once."""
    state = play(made("We6 Fe5", hand="W"), "W-e5")
    assert field(state, "BAG") == "A30,E30,F30,W28"
    assert field(state, "PHASE") == "flow-e5-n--"


def test_flow_visits_no_square_twice_nor_rivers_own() -> None:
    state = play(made("We6 We7 We8", hand="W"), "W-e5", "flow-s", "flow-e")
    assert legal(state) == ["flow-e", "flow-n", "flow-s"]
    back = play(state, "flow-n")
    assert field(back, "PHASE") == "flow-e5-n-sen"
    assert legal(back) == ["flow-e", "flow-n"]


def test_each_flow_must_leave_way_to_complete_path() -> None:
    """From c1 the river of 3 goes west into a dead end of two squares, or north, where there is room."""
    state = play(made("Wd1 We1 Ea2 Eb2", sages="k1 k11", hand="W"), "W-c1")
    assert legal(state) == ["flow-n"]


def test_placement_without_full_path_is_illegal() -> None:
    """On a1 the river of two has only a2 to flow to; a Fire on a3 opens a path, a Wind there does not."""
    walled = "Wb1 Eb2 Eb3"
    assert "a1" not in named(made(f"{walled} 1a3", sages="k1 k11", hand="W"), "W")
    assert "a1" in named(made(f"{walled} Fa3", sages="k1 k11", hand="W"), "W")
    assert "a1" in named(made(f"{walled}", sages="k1 k11", hand="W"), "W")


def test_path_that_captures_own_sage_is_not_full() -> None:
    """Seat 1 in the corner a1 has only b1 to step to. The river from c1 can go west over b1, or north."""
    state = made("Wd1 Fa2 Fb2", sages="a1 k11", hand="W")
    after = play(state, "W-c1")
    assert legal(after) == ["flow-n"]
    shut = made("Wd1 Fa2 Fb2 Ec2", sages="a1 k11", hand="W")
    assert "c1" not in named(shut, "W")
    assert "c1" in named(made("Wd1 Fa2 Fb2 Ec2", sages="k1 k11", hand="W"), "W")


def test_path_is_full_if_any_way_out_stays_open() -> None:
    """The river that flows over b1 leaves the headwater's square b2, so the sage can step there."""
    state = made("Wb3 Fa2", sages="a1 k11", hand="W")
    after = play(state, "W-b2", "flow-s", "flow-e")
    assert board(after) == {"Wb1", "Wc1", "Fa2"}
    assert named(after, "step") == {"b2"}


def test_flow_may_wall_own_sage_in_until_it_ends() -> None:
    """The headwater on b1 closes the last step, but the river flows on before capture is judged."""
    after = play(made("Wb2 Fa2 Fc1", sages="a1 k11", hand="W"), "W-b1")
    assert field(after, "PHASE") == "flow-b1-n--"
    assert legal(after) == ["flow-e"]
    assert {"b1", "b2"} <= named(play(after, "flow-e", "flow-e"), "step")


def test_rivers_do_not_move_used_squares_or_end_turn() -> None:
    state = play(made("We6 1h1 ", hand="WW", used="h1"), "W-e5", "flow-s", "flow-s")
    assert (field(state, "USED"), field(state, "HAND"), field(state, "SEAT")) == ("h1", "W", "1")


TIGHT = """
####.#.....
###...####.
##.....#.#.
#.#...#.#..
...#.#...#.
..#..W....#
##...#...##
#.....#...#
##...###.#.
###.###.##.
##.#..#...#
"""
"""A maze around f6, found by annealing: no path of 11 squares begins there, and many nearly do."""


def test_failing_path_search_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search visits a few hundred squares; an endless board has 120,292 paths of 11."""
    clear, cell = core_board._CLEAR, core_board._CELL
    for row, line in zip(range(11, 0, -1), TIGHT.split(), strict=True):
        for column, what in zip("abcdefghijk", line, strict=True):
            clear[cell[SQUARE[f"{column}{row}"]]] = what == "."
    before = clear[:]
    looked = []
    search = core_board.ElementBoard._has_path

    def counted(core: core_board.ElementBoard, tip: int, left: int) -> int:
        looked.append(tip)
        return search(core, tip, left)

    monkeypatch.setattr(core_board.ElementBoard, "_has_path", counted)
    core = core_board.ElementBoard()
    assert not core._has_path(cell[SQUARE["f6"]], 11)
    assert 100 < len(looked) < 1000
    assert clear == before
    assert core._has_path(cell[SQUARE["f6"]], 10)


def test_river_of_eight_in_tight_board_is_listed() -> None:
    """The headwater on i6 would make the eighth stone; around it 7 squares are open, too few for a path."""
    river = " ".join(f"W{column}6" for column in "bcdefgh")
    lanes = " ".join(f"E{column}{row}" for column in "abcdefgh" for row in (5, 7))
    dead_end = "Ei8 Ej8 Ek8 Ei4 Ej4 Ek4 Ek6"
    state = made(f"{river} {lanes} {dead_end}", sages="a1 k11", hand="W")
    assert "i6" not in named(state, "W")
    wider = made(f"{river} {lanes} {dead_end.replace('Ei8 ', '')}", sages="a1 k11", hand="W")
    assert "i6" in named(wider, "W")
