"""Action strings: both ways, strict, and in the order of the ints."""

import pytest

from tests.games.cyvasse.hands import GAME, LENGTH, place, read
from tourney.errors import ActionError

SQUARES = [f"{row}{i}" for row, n in LENGTH.items() for i in range(1, n + 1)]


def every_string() -> list[str]:
    words = ["done", *(f"tile-{k}" for k in range(1, 9)), *(f"tile-{k}t" for k in range(1, 9))]
    words += [f"king-{name}" for name in ("b3", "b5", "b7", "h3", "h5", "h7")]
    words += [f"put-{name}" for name in SQUARES]
    words += [f"{a}{sign}{b}" for a in SQUARES for b in SQUARES for sign in "-x"]
    return words + [f"d5x{a}-{b}" for a in SQUARES for b in SQUARES[::5]]


def test_strings_and_actions_are_inverse() -> None:
    strings = every_string()
    actions = [GAME.parse_action(text) for text in strings]
    assert [GAME.action_string(action) for action in actions] == strings
    assert len(set(actions)) == len(set(strings))


def test_legal_ints_sort_like_their_strings() -> None:
    strings = [text for text in every_string() if text[0] in "abcdefghi" or text == "done"]
    assert sorted(strings) == sorted(strings, key=GAME.parse_action)
    for word in ("king-", "tile-", "put-"):
        same = [text for text in every_string() if text.startswith(word)]
        assert sorted(same) == sorted(same, key=GAME.parse_action)


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "d5", "d5-", "-d5", "d5-d12", "d0-d1", "d05-d6", "D5-d6", "d5\u2013d6", "d5-d6 ",
        "d5-d6-d7", "d5xd6-", "d5xd6xd7", "xd5", "d5x", "j1-a1", "a9-a1", "king-b4", "king-a1", "king",
        "tile-0", "tile-9", "tile-1T", "tile-12", "put-j1", "put-", "Done", "done ", "d5-d6\n", "pass",
        "d5-xd6", "d5x-d6", "\uff445-d6",
    ],
)  # fmt: skip
def test_malformed_action_is_refused_in_one_sentence(text: str) -> None:
    with pytest.raises(ActionError, match="is no action of cyvasse"):
        GAME.parse_action(text)


@pytest.mark.parametrize("text", ["d5-d5", "d5-d7", "d5xe5", "done", "put-d5", "king-b3", "c1-c2", "i8-i7"])
def test_action_that_is_not_legal_is_refused(text: str) -> None:
    with pytest.raises(ActionError, match="not legal here"):
        GAME.read_action(place("Rd5"), text)


def test_symmetric_tile_cannot_be_turned() -> None:
    state = read(GAME.new().position())
    state = state.play(GAME.read_action(state, "king-b5"))
    with pytest.raises(ActionError, match="not legal here"):
        GAME.read_action(state, "tile-1t")
