"""Element: steps and jumps, with a made-up position for each sentence. The moving sage stands on e5."""

import pytest

from tests.games.element.made import around, field, legal, made, named, play


def steps(stones: str, others: str = "k11") -> set[str]:
    return named(made(stones, f"e5 {others}"), "step")


def jumps(stones: str, others: str = "k11", used: str = "") -> set[str]:
    return named(made(stones, f"e5 {others}", used=used), "jump")


def test_step_goes_to_any_of_eight_neighbours() -> None:
    assert steps("") == around("e5")
    assert named(made(sages="a1 k11"), "step") == {"a2", "b1", "b2"}


@pytest.mark.parametrize("what", "FWEM14")
def test_step_goes_to_square_that_is_wholly_empty(what: str) -> None:
    assert steps(f"{what}e6") == around("e5") - {"e6"}


def test_step_does_not_go_onto_sage() -> None:
    assert steps("", "d4") == around("e5") - {"d4"}


def test_diagonal_step_is_barred_between_two_ranges() -> None:
    """Range is a mountain or Earth linked to one; the step is barred from both ends."""
    assert steps("Me6 Ef5") == around("e5") - {"e6", "f5", "f6"}
    assert steps("Me6 Mf5") == around("e5") - {"e6", "f5", "f6"}
    assert steps("Ee6 Ef5 Mg4") == around("e5") - {"e6", "f5", "f6"}
    assert "e5" not in named(made("Me6 Ef5", "f6 k11"), "step")


def test_diagonal_step_needs_one_flank_outside_ranges() -> None:
    assert "f6" in steps("Me6")
    assert "f6" in steps("Mf5")
    assert "f6" in steps("Ee6 Ef5")
    assert "f6" in steps("Me6 Wf5")
    assert "f6" in steps("Fe6 Ff5")


def test_range_does_not_bar_orthogonal_step() -> None:
    assert "e6" in steps("Md6 Ed5 Ef5 Ef6")


def test_step_costs_one_of_turns_steps() -> None:
    state = made("", "e5 k11", steps="2")
    one = play(state, "step-e6")
    assert (field(one, "STEPS"), field(one, "SAGES"), field(one, "SEAT")) == ("1", "e6,k11", "1")
    none = play(one, "step-e7")
    assert field(none, "STEPS") == "0"
    assert named(none, "step") == set()


def test_jump_over_one_wind_lands_behind_it_and_is_free() -> None:
    state = made("1e6", "e5 k11", steps="0")
    assert named(state, "jump") == {"e7"}
    after = play(state, "jump-e7")
    assert (field(after, "STEPS"), field(after, "SAGES"), field(after, "USED")) == ("0", "e7,k11", "e6")


@pytest.mark.parametrize(
    ("wind", "landing"),
    [
        ("e6", "e7"),
        ("f6", "g7"),
        ("f5", "g5"),
        ("f4", "g3"),
        ("e4", "e3"),
        ("d4", "c3"),
        ("d5", "c5"),
        ("d6", "c7"),
    ],
)
def test_jump_goes_in_one_of_eight_directions(wind: str, landing: str) -> None:
    assert jumps(f"1{wind}") == {landing}


def test_no_jump_without_wind_on_neighbouring_square() -> None:
    assert jumps("1e7") == set()
    assert jumps("Fe6 1e7") == set()


def test_winds_of_unbroken_run_add_up() -> None:
    """A whirlwind counts its stones; Wind behind a gap or another stone is not part of the run."""
    assert jumps("1e6 1e7") == {"e8"}
    assert jumps("2e6") == {"e8"}
    assert jumps("2e6 1e7 1e8") == {"e10"}
    assert jumps("1e6 1e8") == {"e7"}
    assert jumps("2e6 1e8") == set()
    assert jumps("2e6 Fe7 1e9") == {"e8"}


def test_landing_square_must_be_on_board() -> None:
    assert jumps("4e6 1e7") == {"e11"}
    assert jumps("4e6 2e7") == set()
    assert jumps("4d5") == set()
    assert jumps("3d5") == {"a5"}
    assert named(made("1a10", "a9 k1"), "jump") == {"a11"}
    assert named(made("1a11", "a10 k1"), "jump") == set()


@pytest.mark.parametrize("what", "FWEM1")
def test_landing_square_must_be_wholly_empty(what: str) -> None:
    """A Wind there that is not part of the run also bars it."""
    assert jumps(f"2e6 {what}e8") == set()


def test_no_jump_lands_on_sage() -> None:
    assert jumps("1e6", "e7") == set()


def test_jump_crosses_stones_and_sages_before_landing() -> None:
    assert jumps("3e6 Me7 We8") == {"e9"}
    assert jumps("3e6", "e7 e8") == {"e9"}
    assert jumps("3e6 1e8") == {"e9"}


def test_run_with_used_square_cannot_be_jumped() -> None:
    """The used square can be anywhere in the run; other runs are free."""
    assert jumps("1e6 1e7", used="e7") == set()
    assert jumps("1e6 1e7", used="e6") == set()
    assert jumps("1e6 1f5", used="e6") == {"g5"}
    assert jumps("1e6 1e8", used="e8") == {"e7"}


def test_squares_of_run_jumped_are_used_until_turn_ends() -> None:
    state = play(made("1e6 2e7 1f8", "e5 k11"), "jump-e9")
    assert field(state, "USED") == "e6,e7"
    assert named(state, "jump") == {"g7"}
    again = play(state, "jump-g7")
    assert field(again, "USED") == "e6,e7,f8"
    assert named(again, "jump") == set()
    assert field(play(again, "end"), "USED") == "-"


def test_used_squares_are_sorted_by_column_and_row() -> None:
    assert field(made("1e6 1e10 1b2", "e5 k11", used="b2 e6 e10"), "USED") == "b2,e6,e10"


def test_used_square_stays_used_when_wind_is_added() -> None:
    state = play(made("1e6", "e5 k11", hand="A"), "jump-e7", "A-e6")
    assert field(state, "USED") == "e6"
    assert named(state, "jump") == set()


def test_used_square_without_its_wind_is_free_again() -> None:
    """A Fire or a free Fire removes the Wind; Wind placed there later can be jumped."""
    state = play(made("1e6", "e5 k11", hand="F"), "jump-e7", "F-e6")
    assert field(state, "USED") == "-"
    free = play(made("1e6 Fd6 1h1", "e5 k11", hand="F", used="e6 h1"), "F-c6")
    assert field(free, "USED") == "h1"
    later = play(made("1e6", "e5 k11", hand="AEFW", used="e6"), "F-e6", "W-e6", "E-e6", "A-e6")
    assert field(later, "USED") == "-"
    assert named(later, "jump") == {"e7"}


def test_diagonal_jump_is_barred_between_two_ranges() -> None:
    assert jumps("1f6 Me6 Ef5") == set()
    assert jumps("1f6 Me6") == {"g7"}
    assert jumps("1f6 Mf5") == {"g7"}
    assert jumps("1f6 Ee6 Ef5") == {"g7"}


def test_later_flanks_of_diagonal_jump_do_not_matter() -> None:
    assert jumps("1f6 Mf7 Mg6") == {"g7"}
    assert jumps("2f6 Mf7 Mg6 Mg8 Mh7") == {"h8"}


def test_range_beside_it_does_not_bar_orthogonal_jump() -> None:
    assert "e7" in jumps("1e6 Md6 Md5 Mf5 Mf6")


def test_jump_that_leaves_own_sage_captured_is_illegal() -> None:
    """On e9 it would be walled in: the whirlwind is not beside it, so there is no jump back."""
    walls = "3e6 Fd8 Fe8 Ff8 Fd9 Ff9 Fd10 Fe10 Ff10"
    assert jumps(walls) == set()
    assert jumps(walls.replace(" Fd10", "")) == {"e9"}
    assert "step-e4" in legal(made(walls, "e5 k11"))


def test_jump_is_legal_with_only_used_wind_out() -> None:
    """Used Wind does not matter for capture: it could jump back."""
    walls = "1e6 Fd6 Ff6 Fd7 Ff7 Fd8 Fe8 Ff8"
    assert jumps(walls) == {"e7"}


def test_placing_stepping_and_jumping_go_in_any_order() -> None:
    state = made("1e6", "e5 k11", hand="AF", steps="2")
    after = play(state, "step-d5", "F-a5", "step-e5", "jump-e7", "A-e8", "jump-e9", "end")
    assert field(after, "SAGES") == "e9,k11"
