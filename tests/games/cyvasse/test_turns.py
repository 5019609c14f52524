"""Turns and the end of the game, sentence by sentence."""

import pytest

from tests.games.cyvasse.hands import GAME, A, B, captures, legal, piece_actions, place, play, read
from tourney.games.base import OVER, State
from tourney.games.tree import perft


def tail(state: State[int]) -> str:
    """SEAT PHASE QUIET TURN."""
    return " ".join(state.position().split(" ")[2:])


@pytest.mark.parametrize(("position", "counts"), [(A, (95, 7_972)), (B, (95, 3_627))], ids=["A", "B"])
def test_perft_matches_rules_page(position: str, counts: tuple[int, int]) -> None:
    state = read(position)
    assert state.position() == position
    assert (perft(state, 1), perft(state, 2)) == counts


def test_turn_is_one_move_or_capture_by_one_piece() -> None:
    state = place("Ld3 cd5 Se5")
    assert tail(play(state, "d3-d4")) == "2 play 1 1"
    assert tail(play(state, "d3xd5")) == "2 play 0 1"


def test_after_rabbles_normal_move_another_rabble_may_move() -> None:
    state = play(place("Rd5 Rd8 Lc1"), "d5-e5")
    assert tail(state) == "1 rabble-e5 0 0"
    assert state.actor == 1
    assert set(legal(state)) == {"d8-d7", "d8-d9", "d8-e8", "d8-e9", "d8-c7", "d8-c8", "done"}
    assert legal(state) == sorted(legal(state))
    assert tail(play(state, "d8-d7")) == "2 play 1 1"


def test_seat_may_say_done_instead() -> None:
    state = play(place("Rd5 Rd8"), "d5-e5", "done")
    assert tail(state) == "2 play 1 1"


def test_done_is_no_action_at_start_of_turn() -> None:
    assert "done" not in legal(place("Rd5 Rd8"))


def test_second_rabble_makes_normal_moves_only() -> None:
    state = play(place("Rd5 Rd8 ce8"), "d5-e5")
    assert "d8xe8" in legal(place("Rd5 Rd8 ce8"))
    assert captures(state, "d8") == set()


def test_rabble_that_captured_ends_turn() -> None:
    assert tail(play(place("Rd5 Rd8 ce5"), "d5xe5")) == "2 play 0 1"


def test_another_kinds_move_gives_no_second_move() -> None:
    assert tail(play(place("Sd5 Rd8"), "d5-e5")) == "2 play 1 1"


def test_turn_ends_by_itself_if_no_other_rabble_can_move() -> None:
    assert tail(play(place("Rd5"), "d5-e5")) == "2 play 1 1"
    shut = "d7 d9 e8 e9 c7 c8"
    assert tail(play(place("Rd5 Rd8", mountains=shut), "d5-e5")) == "2 play 1 1"


def test_second_rabble_may_take_square_that_first_left() -> None:
    state = play(place("Rd5 Rd6", mountains="d7 e6 e7 c5 c6"), "d5-d4")
    assert piece_actions(state, "d6") == {"-d5"}


def test_black_has_same_turn() -> None:
    state = play(place("rf5 rf8", seat=2), "f5-e5")
    assert tail(state) == "2 rabble-e5 0 1"
    assert tail(play(state, "done")) == "1 play 1 2"


# The end.


def test_capturing_king_wins() -> None:
    state = play(place("Kd4 Rd5 ke5 rh2 rh3"), "d5xe5")
    assert (state.actor, state.ranks(), state.reason()) == (OVER, (1, 2), "king")
    assert legal(state) == []
    assert tail(state) == "2 play 0 1"
    assert "k" not in state.position().split(" ")[1]
    state = play(place("Kd5 re5 ke6 Ra5", seat=2), "e5xd5")
    assert (state.actor, state.ranks(), state.reason()) == (OVER, (2, 1), "king")
    assert tail(state) == "1 play 0 2"


def test_seat_without_legal_action_loses() -> None:
    state = play(place("Kc4 Ld3 ki1 wi2", mountains="h1 h2 i3"), "d3-d2")
    assert (state.actor, state.ranks(), state.reason()) == (OVER, (1, 2), "no-action")
    assert legal(state) == []
    assert tail(state) == "2 play 1 1"


def test_seat_with_only_a_capture_does_not_lose() -> None:
    state = play(place("Kc4 Ld3 ki1 wi2 Rh2", mountains="h1 i3"), "d3-d2")
    assert state.actor == 2
    assert legal(state) == ["i1xh2"]


def repeat(state: State[int], times: int) -> State[int]:
    for _ in range(times):
        state = play(state, "d3-d2", "i8-i7", "d2-d3", "i7-i8")
    return state


def test_third_occurrence_of_position_is_draw() -> None:
    state = repeat(place("Ld3 ki8"), 1)
    assert state.ranks() is None
    state = play(state, "d3-d2", "i8-i7", "d2-d3")
    assert state.ranks() is None
    state = play(state, "i7-i8")
    assert (state.actor, state.ranks(), state.reason()) == (OVER, (1, 1), "repetition")
    assert tail(state) == "1 play 8 8"


def test_parsed_position_forgets_repetition() -> None:
    start = read(A)
    moves = ["d2-e2", "f11-e12", "e2-d2", "e12-f11"]
    state = play(start, *moves, *moves)
    assert state.reason() == "repetition"
    again = read(state.position())
    assert again.actor == 1
    assert again.position() == state.position()
    assert play(again, *moves).actor == 1
    assert play(again, *moves, *moves).reason() == "repetition"


def test_middle_of_turn_does_not_count_as_repetition() -> None:
    """The board after a first Rabble move recurs later at the start of turns; only these count."""
    state = play(place("Ld3 Rc5 Rc7 ki8", rabble="c5"), "done")
    state = play(state, "i8-i7", "d3-d2", "i7-h8", "d2-d3", "h8-i8")
    assert tail(state) == "1 play 6 6"
    there_and_back = ["d3-d2", "i8-i7", "d2-d3", "i7-i8"]
    state = play(state, *there_and_back)
    assert state.ranks() is None
    assert play(state, *there_and_back).reason() == "repetition"


def test_seat_to_act_is_part_of_position() -> None:
    """White's King circles in three turns and Black's returns in two: the first board, with Black to act."""
    state = play(place("Kd5 ki8 Lb1"), "d5-d4", "i8-i7", "d4-e5", "i7-i8", "e5-d5")
    assert state.actor == 2
    state = play(state, "i8-i7", "d5-d4", "i7-i8", "d4-e5", "i8-i7", "e5-d5", "i7-i8")
    assert state.ranks() is None  # the board's third time, but its second time with White to act
    assert play(state, "d5-d4", "i8-i7", "d4-d5", "i7-i8").reason() == "repetition"


def test_100_turns_without_capture_are_draw() -> None:
    state = play(place("Ld3 Lb1 ki8", quiet=98, turn=98), "d3-d2")
    assert state.ranks() is None
    state = play(state, "i8-i7")
    assert (state.ranks(), state.reason()) == ((1, 1), "quiet")
    assert tail(state) == "1 play 100 100"
    state = play(place("Ld3 cd5 ki8", quiet=99, turn=120), "d3xd5")
    assert state.ranks() is None
    assert tail(state) == "2 play 0 121"


def test_400_turns_are_draw() -> None:
    state = play(place("Ld3 Lb1 ki8", quiet=3, turn=398), "d3-d2")
    assert state.ranks() is None
    state = play(state, "i8-i7")
    assert (state.ranks(), state.reason()) == ((1, 1), "length")
    assert tail(state) == "1 play 5 400"


def test_captured_king_comes_before_draws() -> None:
    state = play(place("Kd4 rf1 kd3 Rd2 rd5", seat=2, quiet=20, turn=399), "d3xd4")
    assert (state.ranks(), state.reason()) == ((2, 1), "king")


def test_seat_without_action_comes_before_draws() -> None:
    state = play(place("Kc4 Ld3 ki1 wi2", mountains="h1 h2 i3", quiet=99, turn=398), "d3-d2")
    assert (state.ranks(), state.reason()) == ((1, 2), "no-action")


def test_repetition_precedes_quiet_and_quiet_precedes_length() -> None:
    state = repeat(place("Ld3 ki8", quiet=92, turn=392), 2)
    assert tail(state) == "1 play 100 400"
    assert state.reason() == "repetition"
    state = play(place("Ld3 ki8", quiet=98, turn=398), "d3-d2", "i8-i7")
    assert state.reason() == "quiet"


def test_end_is_judged_at_start_of_turn_only() -> None:
    """A second Rabble's move is still the same turn: QUIET and TURN count whole turns."""
    state = play(place("Rd3 Rb1 ki8", quiet=99, turn=398), "d3-d2")
    assert tail(state) == "1 rabble-d2 99 398"
    assert state.ranks() is None
    assert play(state, "done").reason() == "quiet"


def test_no_game_has_more_actions_than_max_actions() -> None:
    assert GAME.max_actions == 2 * 31 + 400 * 2
