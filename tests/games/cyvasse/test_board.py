"""The board: rows, neighbours, directions, rotation by 180 degrees, and action strings."""

import pytest

from tests.games.cyvasse.hands import GAME, LENGTH, neighbours, place, read
from tourney.errors import ActionError
from tourney.games.cyvasse.board import (
    BY_RANK,
    DIRECTIONS,
    NAMES,
    NUMBER,
    RANK,
    SIDE,
    SIZE,
    SQUARES,
    turned,
)


def test_has_88_squares_in_nine_rows() -> None:
    assert len(SQUARES) == 88
    assert {row: sum(name[0] == row for name in NUMBER) for row in LENGTH} == LENGTH


def test_neighbours_of_every_square_follow_rules_page() -> None:
    for name, s in NUMBER.items():
        near = {NAMES[s + d] for d in DIRECTIONS if 0 <= s + d < SIZE}
        assert near - {""} == neighbours(name)
    assert neighbours("b3") == {"a2", "a3", "b2", "b4", "c3", "c4"}


def test_directions_come_in_pairs_of_opposites() -> None:
    assert all(DIRECTIONS[k] == -DIRECTIONS[k ^ 1] for k in range(6))


def test_turned_maps_squares_to_facing_row() -> None:
    assert {name: NAMES[turned(NUMBER[name])] for name in ("a1", "b3", "c10", "d1", "e1", "e12")} == {
        "a1": "i8",
        "b3": "h7",
        "c10": "g1",
        "d1": "f11",
        "e1": "e12",
        "e12": "e1",
    }
    assert turned(turned(NUMBER["c4"])) == NUMBER["c4"]


def test_sides_are_rows_a_to_d_and_f_to_i() -> None:
    assert {NAMES[s][0] for s in SIDE[1]} == set("abcd")
    assert {NAMES[s][0] for s in SIDE[2]} == set("fghi")
    assert len(SQUARES) - len(SIDE[1]) - len(SIDE[2]) == 12


def test_ranks_sort_squares_by_their_names() -> None:
    assert [NAMES[s] for s in BY_RANK] == sorted(NUMBER)
    assert [RANK[s] for s in BY_RANK] == list(range(88))
    assert all(RANK[s] == -1 for s in range(SIZE) if not NAMES[s])


EVERY_SQUARE = [f"{row}{i}" for row, n in LENGTH.items() for i in range(1, n + 1)]


def every_string() -> list[str]:
    words = ["done", *(f"tile-{k}" for k in range(1, 9)), *(f"tile-{k}t" for k in range(1, 9))]
    words += [f"king-{name}" for name in ("b3", "b5", "b7", "h3", "h5", "h7")]
    words += [f"put-{name}" for name in EVERY_SQUARE]
    words += [f"{a}{sign}{b}" for a in EVERY_SQUARE for b in EVERY_SQUARE for sign in "-x"]
    return words + [f"d5x{a}-{b}" for a in EVERY_SQUARE for b in EVERY_SQUARE[::5]]


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
    with pytest.raises(ActionError, match="is not an action of cyvasse"):
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
