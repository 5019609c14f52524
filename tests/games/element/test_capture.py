"""Element: capture, the end of the game and its result."""

import pytest

from tests.games.element.made import field, legal, made, play
from tourney.games.base import OVER, State

CORNER = "Fj11 Fk10"
"""With these the sage on k11 has one step left, to j10."""


def is_over(state: State[int], *ranks: int) -> bool:
    return state.actor == OVER and legal(state) == [] and state.ranks() == ranks


def test_sage_without_step_or_jump_is_captured() -> None:
    state = made(CORNER, hand="AW")
    assert state.ranks() is None
    assert state.reason() == ""
    after = play(state, "W-j10")
    assert is_over(after, 1, 2)
    assert after.reason() == "capture"
    assert field(after, "PHASE") == "act"
    assert [field(after, name) for name in ("SEAT", "HAND", "STEPS", "USED", "TURN")] == [
        "1",
        "A",
        "1",
        "-",
        "0",
    ]


def test_sage_that_has_step_or_jump_is_not_captured() -> None:
    assert play(made(CORNER, hand="A"), "A-j10").actor == 1
    assert play(made(f"{CORNER} Fi9", hand="A"), "A-j10").actor == OVER
    assert play(made(f"{CORNER} Wi10", hand="E"), "E-i10").actor == 1


def test_sage_itself_blocks_steps() -> None:
    """Seat 1 steps onto the last open square beside seat 2's sage; seat 1's remaining steps do not matter."""
    state = made(CORNER, sages="i9 k11", steps="3")
    after = play(state, "step-j10")
    assert is_over(after, 1, 2)
    assert (field(after, "STEPS"), field(after, "SAGES")) == ("2", "j10,k11")


def test_jump_captures_and_uses_its_wind() -> None:
    after = play(made(f"{CORNER} 1i9", sages="h8 k11"), "jump-j10")
    assert is_over(after, 1, 2)
    assert field(after, "USED") == "i9"


def test_used_wind_does_not_matter_for_capture() -> None:
    """Seat 2 could jump over j10, whether it is used in this turn or not."""
    free = made(f"{CORNER} 1j10", hand="F", used="j10")
    assert play(free, "F-a9").actor == 1
    assert play(made(f"{CORNER} 1j10", hand="F", used="j10"), "F-i9").actor == OVER


def test_capture_is_judged_before_landing() -> None:
    """The sage on k11 can jump to h8, so it is free, although it has no way on from h8."""
    walls = "Fg7 Fh7 Fi7 Fg8 Fi8 Fg9 Fh9 Fi9"
    assert made(f"{CORNER} 2j10 {walls}").actor == 1


@pytest.mark.parametrize(
    ("stones", "captured"),
    [("Ej11 Mk10", True), ("Fj11 Mk10", False), ("Ej11 Mk10 1j10", True), ("Fj11 Mk10 1j10", False)],
    ids=["step-barred", "step-free", "jump-barred", "jump-free"],
)
def test_barred_diagonal_is_no_way_out(stones: str, captured: bool) -> None:
    """On k11 only the diagonal over j10 is left; range on both sides bars the step and the jump."""
    assert (made(stones).actor == OVER) == captured


def test_four_stones_of_range_capture_sage_in_open() -> None:
    """They lie on its orthogonal neighbours, and bar the diagonals."""
    state = made("Me6 Ed5 Ef5", sages="a1 e5", hand="E")
    after = play(state, "E-e4")
    assert is_over(after, 1, 2)


def test_range_that_grows_captures() -> None:
    """No square is filled beside the sage: the mountain made on f3 makes range of all four."""
    state = made("Ee6 Ed5 Ef5 Ee4 Ef3", sages="a1 e5", hand="E")
    assert play(state, "E-f3").actor == OVER


def test_free_fire_captures() -> None:
    state = made("Fj11 Fk10 Fi10", hand="F")
    after = play(state, "F-h10")
    assert is_over(after, 1, 2)


def test_river_captures_only_when_it_has_flowed() -> None:
    """The headwater on j10 takes the last step of seat 2, the path over i10 and i9 gives it back."""
    state = play(made(f"{CORNER} Wj9", hand="W"), "W-j10")
    assert field(state, "PHASE") == "flow-j10-s--"
    assert state.actor == 1
    assert play(state, "flow-w", "flow-w").actor == 1
    onto = play(made(f"{CORNER} Wh10", hand="W"), "W-i10")
    assert is_over(play(onto, "flow-e", "flow-s"), 1, 2)


def test_draw_and_end_capture_no_sage() -> None:
    state = made("", phase="draw")
    assert play(state, "draw-0", "end", "draw-0", "end").actor == 1


def test_hunter_wins_regardless_of_capturing_seat() -> None:
    """Seat 1 walls in seat 3, whose hunter is seat 2."""
    state = made(CORNER, sages="a1 a11 k11", hand="W")
    assert is_over(play(state, "W-j10"), 2, 1, 2)


def test_seat_1_is_prey_of_last_seat() -> None:
    state = made(CORNER, sages="k11 a1 a11 k1", hand="W", turn=2)
    assert is_over(play(state, "W-j10"), 2, 2, 2, 1)


def test_several_captured_at_once_make_several_winners() -> None:
    """j10 is the last step of seats 2 and 3: seats 1 and 2 win, though seat 2 is captured itself."""
    state = made("Fj11 Fk10 Fh11 Fh10 Fi10", sages="a1 k11 i11 a11", hand="W")
    assert is_over(play(state, "W-j10"), 1, 1, 3, 3)


def test_after_200_turns_without_capture_all_have_rank_1() -> None:
    state = made("", sages="a1 k11 a11", turn=199)
    after = play(state, "end")
    assert is_over(after, 1, 1, 1)
    assert after.reason() == "length"
    assert [field(after, name) for name in ("SEAT", "PHASE", "HAND", "STEPS", "TURN")] == [
        "3",
        "draw",
        "-",
        "-",
        "200",
    ]


def test_capture_in_200th_turn_counts() -> None:
    after = play(made(CORNER, sages="k11 a1", hand="W", turn=199), "W-j10")
    assert is_over(after, 2, 1)
