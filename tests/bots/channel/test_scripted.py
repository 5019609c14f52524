"""A scripted channel asserts the exact dialogue."""

import pytest

from tests.support.tables import HELLO, make_spec, play_scripts


@pytest.mark.parametrize("drift", ["> game toe seats=2 seat=1 seed=1 misere=no", "> go", ""])
def test_scripted_channel_refuses_another_dialogue(drift: str) -> None:
    """A referee that leaves the script raises AssertionError; it does not lose the game."""
    with pytest.raises(AssertionError, match="seat 1, step"):
        play_scripts(make_spec(), HELLO + drift, HELLO)
