"""Sage Stones: the end, ranks and play-on, with a made-up position for each sentence of the page."""

import pytest

from tests.games.sage_stones.positions import GAME, board, field, fields, legal, made, options, play, read
from tourney.errors import OptionError
from tourney.games.base import OVER, State

NINE = "3a1 3c1 3e1 4a1 4c1 4e1 5a1 5c1 5e1"
"""Nine stones of colour 1, so that one is left in hand."""


def ended(state: State[int], reason: str, ranks: tuple[int, ...]) -> None:
    assert (state.reason(), state.ranks(), state.actor) == (reason, ranks, OVER)
    assert legal(state) == []
    assert field(state, "PHASE") == "over"
    assert read(state.position()).ranks() == ranks
    assert read(state.position()).reason() == reason


def continues(state: State[int]) -> None:
    assert (state.reason(), state.ranks()) == ("", None)
    assert legal(state)


@pytest.mark.parametrize(("seats", "ranks"), [(2, (1, 2)), (3, (1, 2, 2)), (4, (1, 2, 2, 2))])
def test_last_stone_wins_and_all_others_are_second(seats: int, ranks: tuple[int, ...]) -> None:
    state = made(f"{NINE} 9a2 9c2", 1, "7", seats=seats)
    continues(state)
    ended(play(state, "7g"), "last-stone", ranks)


def test_last_stone_of_seats_second_colour_wins() -> None:
    stones = NINE.replace("1 ", "4 ")[:-1] + "4"
    ended(play(made(stones, 4, "7", seats=2), "7g"), "last-stone", (2, 1))


def test_last_stone_wins_without_capturing() -> None:
    state = play(made(f"{NINE} 5b2", 1, "5"), "5d")
    assert field(state, "BOARD") == board(f"{NINE} 5b2 5d1")
    assert field(state, "HANDS") == "0,9,10,10"
    before = made(f"{NINE} 5f2 5h1".replace("3a1 ", ""), 1, "5")
    after = play(before, "5g")
    assert field(after, "BOARD") == board(f"{NINE} 5f2 5h1 5g1".replace("3a1 ", ""))
    ended(after, "last-stone", (1, 2, 2, 2))


def test_last_stone_ends_game_despite_triple() -> None:
    state = play(made(NINE, 1, "9+"), "9a")
    assert fields(state, "COLOUR", "PHASE") == ["1", "over"]
    ended(state, "last-stone", (1, 2, 2, 2))


def test_colour_of_finished_game_placed_last() -> None:
    assert field(play(made(NINE, 1, "7"), "7g"), "COLOUR") == "1"


def test_game_ends_after_500_rolls() -> None:
    state = play(made("3a1", 3, rolls=499), "roll-123")
    assert fields(state, "COLOUR", "PHASE", "ROLLS") == ["3", "over", "500"]
    ended(state, "rolls", (1, 2, 2, 2))


def test_500th_roll_is_still_placed() -> None:
    state = play(made("3a1 3c2", 2, rolls=499), "roll-112")
    continues(state)
    assert fields(state, "PHASE", "ROLLS") == ["4", "500"]
    over = play(state, "4e")
    assert fields(over, "BOARD", "COLOUR") == [board("3a1 3c2 4e2"), "2"]
    ended(over, "rolls", (2, 1, 3, 3))


def test_placement_of_500th_roll_captures() -> None:
    over = play(made("3a1 3b2 3d2", 1, "3+", rolls=500), "3c")
    assert fields(over, "BOARD", "HANDS") == [board("3a1 3c1 3d2"), "8,9,10,10"]
    ended(over, "rolls", (1, 2, 3, 3))


def test_triple_of_500th_roll_gives_no_other_turn() -> None:
    state = play(made("3a1", 1, rolls=499), "roll-333")
    assert fields(state, "PHASE", "ROLLS") == ["9+", "500"]
    ended(play(state, "9a"), "rolls", (1, 2, 2, 2))


def test_triple_of_499th_roll_gives_another_turn() -> None:
    state = play(made("3a1", 1, rolls=498), "roll-333 9a")
    assert fields(state, "COLOUR", "PHASE", "ROLLS") == ["1", "roll", "499"]


def test_wipe_by_500th_roll_ends_game() -> None:
    state = play(made("3=122334411 6=223344112", 2, rolls=499), "roll-111")
    assert fields(state, "BOARD", "COLOUR") == [board(""), "2"]
    ended(state, "rolls", (1, 1, 1, 1))


def test_last_stone_wins_at_500th_roll() -> None:
    ended(play(made(f"{NINE} 9a2 9c2", 1, "7", rolls=500), "7g"), "last-stone", (1, 2, 2, 2))


def test_after_500_rolls_ranks_go_by_fewest_stones_in_hand() -> None:
    state = made("3a1 3c2 3e2 4a3 4c3 4e3", 4, rolls=499)
    ended(play(state, "roll-123"), "rolls", (3, 2, 1, 4))


def test_equal_hands_tie() -> None:
    ended(play(made("3a1 3c2 4a3 4c3", 4, rolls=499), "roll-123"), "rolls", (2, 2, 1, 4))


@pytest.mark.parametrize(
    ("stones", "ranks"),
    [
        ("3a1 3c1 3e2 4a4", (1, 2)),
        ("3a3 3c3 3e2 4a4", (1, 2)),
        ("3a1 3c3 3e4 4a4", (2, 1)),
        ("3a1 3c1 3e4 4a4 4c2", (1, 1)),
    ],
)
def test_seats_best_colour_counts(stones: str, ranks: tuple[int, ...]) -> None:
    ended(play(made(stones, 1, seats=2, rolls=499), "roll-123"), "rolls", ranks)


def test_play_on_is_for_three_or_four_seats() -> None:
    assert field(GAME.new(3, options(play_on=True)), "OPTIONS") == "seats=3,stones=10,play-on=yes"
    with pytest.raises(OptionError, match=r"play-on=yes .* 3 or 4 seats"):
        GAME.new(2, options(play_on=True))
    with pytest.raises(OptionError):
        GAME.new(options=options(play_on=True))


def test_play_on_goes_on_after_last_stone() -> None:
    state = play(made(NINE, 1, "7", play_on=True), "7g")
    continues(state)
    assert fields(state, "COLOUR", "PHASE", "HANDS") == ["2", "roll", "#1,10,10,10"]


def test_finished_colours_rank_in_order_of_finishing() -> None:
    # Three stones per colour: colour 3 finishes first, then 2.
    state = made("9a3 9c3 8a2 8c2", 3, "7", count=3, play_on=True)
    state = play(state, "7e")
    assert field(state, "HANDS") == "3,1,#1,3"
    state = play(state, "roll-123 roll-123 roll-112 4e")
    assert fields(state, "COLOUR", "HANDS") == ["4", "3,#2,#1,3"]
    continues(state)


def test_finished_colour_is_skipped() -> None:
    state = made(NINE + " 9g1 8a4", 4, "7", hands="#1,10,10,9", play_on=True)
    assert field(play(state, "7e"), "COLOUR") == "2"


def test_two_finished_colours_are_skipped() -> None:
    state = made("9a1 9c2", 4, hands="#1,#2,3,3", count=3, play_on=True)
    assert field(play(state, "roll-123"), "COLOUR") == "3"
    assert field(play(state, "roll-123 roll-123"), "COLOUR") == "4"


def test_stones_of_finished_colour_stay_and_can_be_captured() -> None:
    state = made("6a2 6b1 3a1", 2, "6", hands="#1,2,3,3", count=3, play_on=True)
    after = play(state, "6c")
    assert fields(after, "BOARD", "HANDS") == [board("6a2 6c2 3a1"), "#1,1,3,3"]


def test_captured_stones_of_finished_colour_leave_game() -> None:
    state = made("6a2 6b1 3a1", 2, "6", hands="#1,2,3,3", count=3, play_on=True)
    over = play(play(state, "6c"), "roll-123 roll-123 roll-112 4e")
    assert field(over, "HANDS") == "#1,#2,3,3"
    assert field(over, "BOARD").count("1") == 1


def test_with_play_on_last_stone_captures_nothing() -> None:
    state = made("6a1 6b2 3a1", 1, "6", count=3, play_on=True)
    assert fields(play(state, "6c"), "BOARD", "HANDS") == [board("6a1 6b2 6c1 3a1"), "#1,2,3,3"]


def test_last_stone_forfeits_extra_turn_of_triple() -> None:
    state = made("6a1 3a1", 1, "9+", count=3, play_on=True)
    assert fields(play(state, "9c"), "COLOUR", "PHASE") == ["2", "roll"]


def test_game_ends_when_all_but_one_have_finished() -> None:
    state = made("9a2 9c2", 2, "7", seats=3, hands="3,1,#1", count=3, play_on=True)
    over = play(state, "7e")
    assert fields(over, "COLOUR", "PHASE", "HANDS") == ["2", "over", "3,#2,#1"]
    ended(over, "last-stone", (3, 2, 1))


def test_with_four_seats_three_must_finish() -> None:
    state = made("9a2 9c2 8a4 8c4", 2, "7", hands="3,1,#1,1", count=3, play_on=True)
    state = play(state, "7e")
    continues(state)
    ended(play(state, "roll-122 5e"), "last-stone", (4, 2, 1, 3))


def test_wipe_removes_stones_of_finished_colours() -> None:
    state = made("3=122334411 6=223344332", 3, hands="#1,5,4,6", play_on=True)
    wiped = play(state, "roll-111")
    assert fields(wiped, "BOARD", "COLOUR", "HANDS") == [board(""), "2", "#1,10,10,10"]


def test_after_500_rolls_finished_colours_rank_first() -> None:
    state = made("9a2 3a4 3c4", 4, hands="#2,#1,3,1", count=3, rolls=499, play_on=True)
    ended(play(state, "roll-123"), "rolls", (2, 1, 4, 3))


def test_after_500_rolls_of_play_on_equals_tie() -> None:
    state = made("9a2 3a4 3c3", 4, hands="3,#1,2,2", count=3, rolls=499, play_on=True)
    ended(play(state, "roll-123"), "rolls", (4, 1, 2, 2))


def test_last_stone_at_500th_roll_of_play_on_ranks() -> None:
    state = made("9a2 3a4 3c4", 4, "7", hands="3,#1,3,1", count=3, rolls=500, play_on=True)
    ended(play(state, "7e"), "rolls", (3, 1, 3, 2))
