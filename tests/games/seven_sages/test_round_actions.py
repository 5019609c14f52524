"""The Seven Sages with shorter rounds: an option that came after records were written."""

import pytest

from tests.games.seven_sages.made import GAME, START, field, play, text
from tourney.errors import OptionError, PositionError
from tourney.games.base import OVER, State

SHORT = {"round-actions": "60"}
TAIL = " round-actions=60"


def read(string: str) -> State[int]:
    return GAME.parse_position(string + TAIL, 2, SHORT)


def test_default_stands_nowhere() -> None:
    assert GAME.settings(2, {"round-actions": "120"}) == GAME.settings(2) == (2, {})
    assert GAME.new(2, {"round-actions": "120"}).position() == START


def test_other_lengths_end_the_position_string() -> None:
    assert GAME.settings(2, SHORT) == (2, SHORT)
    assert GAME.new(2, SHORT).position() == START + TAIL
    assert read(START).position() == START + TAIL


@pytest.mark.parametrize("length", [60, 80, 100])
def test_round_ends_without_points_after_its_actions(length: int) -> None:
    tail = f" round-actions={length}"
    options = {"round-actions": str(length)}
    string = text(red="h3", seat=2, ply=length - 1, points="1:3") + tail
    state = play(GAME.parse_position(string, 2, options), "o3-o2")
    assert state.position() == START.replace("1 0:0 1 0 1", "2 1:3 2 0 2") + tail
    before = GAME.parse_position(string.replace(f" {length - 1} ", f" {length - 3} "), 2, options)
    assert field(play(before, "o3-o2"), "ROUND") == "1"


def test_last_action_of_twelfth_round_ends_game() -> None:
    state = play(read(text(red="h3", seat=2, ply=59, points="1:3", round_=12)), "o3-o2")
    assert (state.actor, state.ranks(), state.reason()) == (OVER, (2, 1), "rounds")
    assert read(state.position().removesuffix(TAIL)).actor == OVER


@pytest.mark.parametrize(
    "tail", [" round-actions=120", " round-actions=61", " round-actions=", " round-actions=060", "60", " 60"]
)
def test_strings_of_other_forms_are_refused(tail: str) -> None:
    with pytest.raises(PositionError):
        GAME.read(START + tail)


def test_ply_is_bounded_by_the_option() -> None:
    long = text(red="h3", seat=2, ply=61)
    with pytest.raises(PositionError, match="PLY '61' is not a number from 0 to 60"):
        read(long)
    with pytest.raises(PositionError, match="PLY is 60, but the game is not over"):
        read(text(red="h3", seat=1, ply=60))
    assert GAME.parse_position(long, 2, {}).actor == 2


def test_option_beside_a_string_must_equal_its_own() -> None:
    with pytest.raises(PositionError, match="this game has round-actions=60"):
        GAME.parse_position(START, 2, SHORT)
    with pytest.raises(PositionError, match="this game has round-actions=120"):
        GAME.parse_position(START + TAIL, 2, {})


def test_other_values_are_refused() -> None:
    with pytest.raises(OptionError, match="round-actions"):
        GAME.settings(2, {"round-actions": "61"})


def test_view_and_diagram_show_the_rounds_length() -> None:
    view = GAME.new(2, SHORT).position()
    assert GAME.view(view).round_actions == 60  # type: ignore[attr-defined] # the game's own view
    assert "0 of 60 actions" in " ".join(GAME.diagram(view).notes)
    over = play(read(text(red="h3", seat=2, ply=59, points="1:3", round_=12)), "o3-o2").position()
    assert "the game is over" in " ".join(GAME.diagram(over).notes)
