"""Sage Stones with one colour for each of two seats: an option that came after records were written."""

import pytest

from tests.games.sage_stones.positions import GAME, ONE_COLOUR, board, field, fields, play
from tourney.errors import OptionError, PositionError
from tourney.games.tree import perft

START = f"{board('')} 1 roll 10,10 0 seats=2,stones=10,play-on=no,colours=1"


def test_each_of_two_seats_has_one_colour() -> None:
    state = GAME.new(2, ONE_COLOUR)
    assert state.position() == START
    state = play(state, "roll-122 5a")
    assert fields(state, "COLOUR", "HANDS") == ["2", "9,10"]
    state = play(state, "roll-122 5b roll-122")
    assert (state.actor, field(state, "COLOUR")) == (1, "1")
    # Over the seam and from the other side, colour 1 encloses colour 2.
    assert fields(play(state, "5c"), "BOARD", "HANDS") == [board("5a1 5c1"), "8,10"]


@pytest.mark.parametrize(("depth", "sequences"), [(1, 10), (2, 91), (3, 901), (4, 8155)])
def test_perft_is_that_of_two_colours_each(depth: int, sequences: int) -> None:
    assert perft(GAME.new(2, ONE_COLOUR), depth) == sequences


def test_default_of_later_option_stands_nowhere() -> None:
    assert GAME.settings(2, {"colours": "2"}) == GAME.settings(2) == (2, {"stones": "10", "play-on": "no"})
    assert GAME.new(2, {"colours": "2"}).position().endswith(" seats=2,stones=10,play-on=no")
    assert GAME.settings(2, {"colours": "1"}) == (2, ONE_COLOUR)


@pytest.mark.parametrize("seats", [3, 4])
@pytest.mark.parametrize("colours", ["1", "2"])
def test_option_is_refused_at_more_seats(seats: int, colours: str) -> None:
    with pytest.raises(OptionError, match=f"option colours of sage-stones is for 2 seats, not {seats}"):
        GAME.settings(seats, {"colours": colours})


@pytest.mark.parametrize(
    "text",
    [
        START.replace("seats=2", "seats=3").replace("10,10", "10,10,10"),
        START.replace("colours=1", "colours=2"),
        START.replace("10,10", "10,10,10,10"),
        START.replace(",colours=1", ""),
        START.replace("........./", "3......../", 1),
    ],
)
def test_strings_of_other_forms_are_refused(text: str) -> None:
    with pytest.raises(PositionError):
        GAME.parse_position(text, 2, ONE_COLOUR)


def test_options_beside_a_string_must_equal_its_own() -> None:
    seats, options = GAME.settings(2)
    with pytest.raises(PositionError, match="this game has seats=2,stones=10,play-on=no"):
        GAME.parse_position(START, seats, options)


def test_values_share_one_between_two_colours() -> None:
    """The seat that is ahead has the higher value, and both add to nothing."""
    text = f"{board('5a1 5d1 6f1 7h1 4c2')} 2 roll 6,9 9 seats=2,stones=10,play-on=no,colours=1"
    state = GAME.parse_position(text, 2, ONE_COLOUR)
    first, second = GAME.values(state)
    assert first > 0 > second
    assert abs(first + second) <= 1
