"""Sages Tafl: points, end and result, with a made-up position for each sentence of the page."""

import pytest

from tests.games.sages_tafl.positions import GAME, START, field, legal, made, play, read, text
from tourney.games.base import OVER, State
from tourney.games.sages_tafl.board import PASS

SHUFFLE = "a2-b3 a8-b7 b3-a2 b7-a8"
"""Four actions that return to the start position."""


def ended(state: State[int], reason: str, ranks: tuple[int, int]) -> None:
    assert (state.reason(), state.ranks(), state.actor) == (reason, ranks, OVER)
    assert legal(state) == []


def continues(state: State[int]) -> None:
    assert (state.reason(), state.ranks()) == ("", None)
    assert state.actor in (1, 2)
    assert legal(state)


def test_escaped_apprentice_is_worth_one_point() -> None:
    assert field(play(made("Ad5 Aa1"), "d5-off"), "POINTS") == "3:2"
    assert field(play(made("ad5 aa1", seat=2), "d5-off"), "POINTS") == "2:3"


def test_escaped_sage_is_worth_three_points() -> None:
    state = play(made("Sa5 Aa1 Ab1 Ac1", towers="t", points="1:0"), "a5-off")
    assert field(state, "POINTS") == "4:0"
    continues(state)


def test_five_points_win_at_once() -> None:
    ended(play(made("Ad5", points="4:4"), "d5-off"), "points", (1, 2))
    ended(play(made("sh5", seat=2, towers="T", points="4:2"), "h5-off"), "points", (2, 1))


def test_more_than_five_points_win() -> None:
    state = play(made("Sa5", towers="t", points="4:4"), "a5-off")
    assert field(state, "POINTS") == "7:4"
    ended(state, "points", (1, 2))


def test_five_points_win_before_any_draw_rule() -> None:
    # The same action is the 400th, and leaves five points within reach of the winner only.
    ended(play(made("Ad5", towers="T", points="4:4", ply=399, quiet=99), "d5-off"), "points", (1, 2))


def test_fields_after_the_end_count_the_last_action() -> None:
    state = play(made("Ad5 ah9", points="4:4", ply=6, quiet=3), "d5-off")
    assert state.position() == text("ah9", 2, "Tt", "5:4", 0, 7)


def test_two_passes_one_after_other_draw() -> None:
    # No known position blocks both sides, so the test plays passes that are not legal.
    state = made("Ad4 ad6")
    ended(state.play(PASS).play(PASS), "passes", (1, 1))


def test_passes_with_action_between_do_not_draw() -> None:
    state = made("ad1 ad2 ae1 ae2 aa9", points="2:0")
    continues(play(state, "pass a9-b9 pass b9-a9 pass"))


def test_parsed_position_has_no_pass_before_it() -> None:
    passed = made("Ad4 ad6").play(PASS)
    ended(passed.play(PASS), "passes", (1, 1))
    continues(read(passed.position()).play(PASS))


def test_parsed_position_forgets_passes() -> None:
    continues(read(made("Ad4 ad6").play(PASS).play(PASS).position()))


def test_game_is_drawn_if_neither_side_can_reach_5_points() -> None:
    state = made("Ad3 ae3 Ff1 ah9", points="0:0")
    continues(state)
    ended(play(state, "f1-f3"), "out-of-reach", (1, 1))


def test_game_continues_with_five_points_in_reach() -> None:
    continues(play(made("Ad3 ae3 Ff1 ah9", points="1:0"), "f1-f3"))
    continues(play(made("Ad3 ae3 Ff1 ah9", points="0:1"), "f1-f3"))


def test_apprentice_in_game_counts_for_reach() -> None:
    continues(made("Aa1 Ab1", points="0:0"))
    ended(made("Aa1", points="0:0"), "out-of-reach", (1, 1))


def test_skyship_does_not_count_for_reach() -> None:
    ended(made("Aa1 Fb1 Fc1 ff9", points="0:0"), "out-of-reach", (1, 1))


def test_sage_counts_for_reach_on_board_as_in_tower() -> None:
    continues(made("Aa1 Ab1", points="0:0", towers="Tt"))
    continues(made("Sc3 Aa1 Ab1", points="0:0", towers="t"))


def test_escaped_sage_counts_by_its_points_only() -> None:
    ended(made("Aa1 sd9", points="3:0", towers="-"), "out-of-reach", (1, 1))
    continues(made("Aa1 Ab1 sd9", points="3:0", towers="-"))


def test_same_position_for_third_time_draws() -> None:
    state = GAME.new()
    for word in f"{SHUFFLE} {SHUFFLE}".split():
        continues(state)
        state = play(state, word)
    ended(state, "repetition", (1, 1))
    assert state.position() == START.removesuffix("0 0") + "8 8"


def test_start_counts_as_first_time() -> None:
    state = play(GAME.new(), SHUFFLE)
    continues(state)
    ended(play(state, SHUFFLE), "repetition", (1, 1))


def test_repetition_can_begin_after_the_start() -> None:
    state = play(GAME.new(), "c2-c3 c8-c7")
    continues(play(state, SHUFFLE))
    ended(play(state, f"{SHUFFLE} {SHUFFLE}"), "repetition", (1, 1))


def test_equal_pieces_that_swap_make_same_board() -> None:
    state = made("Fa1 Fc3 fh9")
    cycle = "a1-c1 h9-g8 c3-a1 g8-f9 c1-c3 f9-h9"
    once = play(state, cycle)
    assert field(once, "BOARD") == field(state, "BOARD")
    continues(once)
    ended(play(once, cycle), "repetition", (1, 1))


def test_same_board_with_other_seat_to_move_is_another_position() -> None:
    state = made("Fb2 fh9")
    between = play(state, "b2-c3 h9-g8 c3-b4 g8-h9 b4-b2")
    back = play(between, "h9-g8 b2-a1 g8-f9 a1-b2 f9-h9")
    assert field(state, "BOARD") == field(between, "BOARD") == field(back, "BOARD")
    assert field(between, "SEAT") == "2"
    continues(back)


def test_captured_sage_does_not_reset_repetition_count() -> None:
    # Red captures the sage beside e2 each time it comes down; after six actions the board repeats.
    state = made("ae2 fb3 Fh1 Aa7", seat=1)
    cycle = "tower-d2 b3-c2 h1-g2 c2-d3 g2-h1 d3-b3"
    once = play(state, cycle)
    assert once.position().split(" ")[:4] == state.position().split(" ")[:4]
    assert field(once, "QUIET") == "4"
    continues(once)
    ended(play(once, cycle), "repetition", (1, 1))


def test_hundred_actions_without_capture_or_escape_draw() -> None:
    state = play(made("Ad3 ad7", quiet=98, ply=98), "d3-d2")
    continues(state)
    ended(play(state, "d7-d8"), "quiet", (1, 1))


def test_capture_resets_quiet_count() -> None:
    state = play(made("Aa3 ae3 Af3", quiet=99, ply=99), "a3-d3")
    assert (field(state, "QUIET"), field(state, "PLY")) == ("0", "100")
    continues(state)


def test_escape_resets_quiet_count() -> None:
    state = play(made("Ad5 ah9", quiet=99, ply=99), "d5-off")
    assert (field(state, "QUIET"), field(state, "PLY")) == ("0", "100")
    continues(state)


def test_sage_sent_back_to_its_tower_is_capture() -> None:
    state = play(made("Aa3 se3 Af3", towers="T", quiet=99, ply=99), "a3-d3")
    assert field(state, "QUIET") == "0"
    continues(state)


def test_pass_counts_as_quiet_action() -> None:
    state = made("ad1 ad2 ae1 ae2", quiet=99, ply=120)
    ended(play(state, "pass"), "quiet", (1, 1))


def test_four_hundred_actions_draw() -> None:
    state = play(made("Ad3 ad7", ply=398), "d3-d2")
    continues(state)
    ended(play(state, "d7-d8"), "length", (1, 1))


def test_four_hundred_actions_draw_even_after_capture() -> None:
    ended(play(made("Aa3 ae3 Af3", ply=399), "a3-d3"), "length", (1, 1))


@pytest.mark.parametrize(
    ("before", "actions", "reason"),
    [
        (made("Ad3 ae3 Ff1 ah9", points="0:0", ply=399), "f1-f3", "out-of-reach"),
        (made("Fa1 fh9", quiet=92, ply=392), "a1-b2 h9-g8 b2-a1 g8-h9 " * 2, "repetition"),
        (made("Ad3 ad7", quiet=99, ply=399), "d3-d2", "quiet"),
    ],
    ids=["3 before 6", "4 before 5 and 6", "5 before 6"],
)
def test_rules_are_checked_in_their_order(before: State[int], actions: str, reason: str) -> None:
    ended(play(before, actions), reason, (1, 1))


def test_two_passes_precede_other_draws() -> None:
    ended(made("Ad4 ad6", quiet=98, ply=398).play(PASS).play(PASS), "passes", (1, 1))


def test_rule_1_judges_string_as_it_stands() -> None:
    ended(made("Aa1 ah9", points="5:0"), "points", (1, 2))
    ended(made("Aa1 ah9", points="0:6"), "points", (2, 1))


@pytest.mark.parametrize("seat", [1, 2])
def test_five_points_win_regardless_of_seat_to_move(seat: int) -> None:
    ended(made("Aa1 ah9", seat=seat, points="5:4"), "points", (1, 2))


def test_rule_3_judges_string_as_it_stands() -> None:
    ended(made("Fa1 fh9", points="1:0"), "out-of-reach", (1, 1))


def test_rule_5_judges_string_as_it_stands() -> None:
    ended(made("Ad3 ad7", quiet=100, ply=100), "quiet", (1, 1))
    continues(made("Ad3 ad7", quiet=99, ply=100))


def test_rule_6_judges_string_as_it_stands() -> None:
    ended(made("Ad3 ad7", ply=400), "length", (1, 1))
    continues(made("Ad3 ad7", ply=399))


def test_finished_position_round_trips() -> None:
    finished = [
        text("Aa1 ah9", points="5:0"),
        text("Aa1 ah9", quiet=100, ply=100),
        text("Aa1 ah9", ply=400),
        text("Fa1 fh9", points="1:0"),
    ]
    for position in finished:
        assert read(position).actor == OVER
        assert read(position).position() == position


def test_rule_4_counts_from_parsed_position() -> None:
    state = play(GAME.new(), SHUFFLE)
    again = read(state.position())
    again = play(again, SHUFFLE)
    continues(again)
    ended(play(again, SHUFFLE), "repetition", (1, 1))


def test_parsed_position_forgets_repetition() -> None:
    state = play(GAME.new(), f"{SHUFFLE} {SHUFFLE}")
    continues(read(state.position()))
