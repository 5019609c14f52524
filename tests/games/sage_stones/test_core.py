"""Sage Stones: board, dice, turns and full columns, with a made-up position for each sentence."""

from collections import Counter
from itertools import product

import pytest

from tests.games.sage_stones.positions import GAME, board, field, fields, legal, made, options, play
from tourney.games.base import CHANCE
from tourney.games.tree import perft

PERFT = {1: 10, 2: 91, 3: 901, 4: 8_155}
THREE = "3=122334411"
SIX = "6=223344112"


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize(("depth", "sequences"), PERFT.items())
def test_perft_matches_rules_page(depth: int, sequences: int, seats: int) -> None:
    assert perft(GAME.new(seats), depth) == sequences


def test_start_with_four_seats_matches_rules_page() -> None:
    start = (
        "........./........./........./........./........./........./......... 1 roll 10,10,10,10 0"
        " seats=4,stones=10,play-on=no"
    )
    assert GAME.new(4).position() == start


@pytest.mark.parametrize(("seats", "hands"), [(2, "10,10,10,10"), (3, "10,10,10"), (4, "10,10,10,10")])
def test_colours_per_seat_depend_on_seats(seats: int, hands: str) -> None:
    state = GAME.new(seats)
    assert fields(state, "COLOUR", "HANDS") == ["1", hands]


@pytest.mark.parametrize(("seats", "owners"), [(2, [1, 2, 1, 2]), (3, [1, 2, 3]), (4, [1, 2, 3, 4])])
def test_colours_belong_to_seats_in_turn(seats: int, owners: list[int]) -> None:
    actors = [made(colour=k, phase="5", seats=seats).actor for k in range(1, len(owners) + 1)]
    assert actors == owners


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_colours_take_turns_in_their_order(seats: int) -> None:
    state, seen = GAME.new(seats), []
    for _ in range(5):
        seen.append(field(state, "COLOUR"))
        state = play(state, "roll-123")
    assert seen == (["1", "2", "3", "1", "2"] if seats == 3 else ["1", "2", "3", "4", "1"])


@pytest.mark.parametrize("count", [3, 15])
def test_option_stones_sets_hands(count: int) -> None:
    assert field(GAME.new(3, options(count)), "HANDS") == f"{count},{count},{count}"


def test_turn_begins_with_chance() -> None:
    assert GAME.new(2).actor == CHANCE


def test_ten_rolls_are_weighted_like_three_dice() -> None:
    state = GAME.new(2)
    fallen = Counter("roll-" + "".join(sorted(faces)) for faces in product("123", repeat=3))
    assert dict(zip(legal(state), state.chance_weights(), strict=True)) == fallen
    assert legal(state) == sorted(fallen)
    assert sum(state.chance_weights()) == 27


def test_only_chance_nodes_have_weights() -> None:
    with pytest.raises(ValueError, match="chance does not act"):
        made(phase="5").chance_weights()


def test_three_different_faces_lose_turn() -> None:
    state = play(made(), "roll-123")
    assert (state.actor, *fields(state, "COLOUR", "PHASE", "ROLLS")) == (CHANCE, "2", "roll", "21")


@pytest.mark.parametrize(
    ("roll", "phase"),
    [
        *(("111", "3+"), ("112", "4"), ("113", "5"), ("122", "5"), ("222", "6+"), ("133", "7")),
        *(("223", "7"), ("233", "8"), ("333", "9+")),
    ],
)
def test_column_is_sum_and_triple_gives_another_turn(roll: str, phase: str) -> None:
    state = play(made(), f"roll-{roll}")
    assert fields(state, "COLOUR", "PHASE", "ROLLS") == ["1", phase, "21"]
    assert state.actor == 1


def test_after_triple_same_colour_rolls_again() -> None:
    state = play(made(colour=2), "roll-333 9d")
    assert fields(state, "COLOUR", "PHASE") == ["2", "roll"]
    again = play(state, "roll-111 3a")
    assert fields(again, "COLOUR", "PHASE") == ["2", "roll"]
    assert fields(play(again, "roll-112 4a"), "COLOUR", "PHASE") == ["3", "roll"]


def test_next_colour_rolls_after_lost_extra_turn() -> None:
    assert fields(play(made(), "roll-111 3a roll-123"), "COLOUR", "PHASE") == ["2", "roll"]


def test_after_any_other_roll_next_colour_rolls() -> None:
    state = play(made(colour=4), "roll-122 5d")
    assert fields(state, "COLOUR", "PHASE", "HANDS") == ["1", "roll", "10,10,10,9"]


def test_full_column_counts_as_column_6() -> None:
    state = play(made("5=123412341"), "roll-122")
    assert fields(state, "COLOUR", "PHASE") == ["1", "6"]
    assert {word[0] for word in legal(state)} == {"6"}


def test_triple_on_full_column_gives_no_extra_turn() -> None:
    state = play(made(THREE), "roll-111")
    assert fields(state, "COLOUR", "PHASE") == ["1", "6"]
    assert fields(play(state, "6a"), "COLOUR", "PHASE") == ["2", "roll"]


def test_natural_6_gives_extra_turn() -> None:
    assert fields(play(made(THREE), "roll-222 6a"), "COLOUR", "PHASE") == ["1", "roll"]


@pytest.mark.parametrize("roll", ["roll-111", "roll-222"])
def test_full_columns_wipe_board(roll: str) -> None:
    """The game starts over with colour 1; a natural 6 on a full column 6 wipes too, without an extra turn."""
    state = play(made(f"{THREE} {SIX} 5d1", 3), roll)
    assert state.position() == (f"{board('')} 1 roll 10,10,10,10 21 seats=4,stones=10,play-on=no")
    assert state.actor == CHANCE


def test_full_column_6_does_not_affect_other_columns() -> None:
    assert field(play(made(SIX), "roll-122"), "PHASE") == "5"


def test_lost_turn_stays_lost_on_full_columns() -> None:
    state = play(made(f"{THREE} {SIX}"), "roll-123")
    assert fields(state, "BOARD", "COLOUR") == [board(f"{THREE} {SIX}"), "2"]


def test_stone_goes_to_empty_square_of_column() -> None:
    state = made("5a1 5c2 5i3", colour=4, phase="5")
    assert legal(state) == ["5b", "5d", "5e", "5f", "5g", "5h"]
    after = play(state, "5d")
    assert fields(after, "BOARD", "HANDS") == [board("5a1 5c2 5d4 5i3"), "9,9,9,9"]


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_turns_are_equal_with_any_number_of_seats(seats: int) -> None:
    state = play(GAME.new(seats), "roll-122 5d roll-111 3a roll-333 9i roll-123")
    assert fields(state, "BOARD", "COLOUR") == [board("5d1 3a2 9i2"), "3"]
