"""Actions with the numbers that players write before them."""

import pytest

from tourney.games.notation import Notation, notation_of
from tourney.games.registry import find_game

ITALIAN = ("e2e4", "e7e5", "g1f3", "b8c6", "f1c4")


@pytest.mark.addon("chess")
def test_chess_numbers_whites_moves_and_where_a_line_begins() -> None:
    notation = notation_of(find_game("chess"), ITALIAN, 2, {})
    assert notation.line() == "1. e4 e5 2. Nf3 Nc6 3. Bc4"
    assert notation.line(3) == "2... Nc6 3. Bc4"
    assert notation.line(1, 3) == "1... e5 2. Nf3"
    assert notation.numbered(3, "??") == "2... Nc6??"


@pytest.mark.addon("chess")
def test_numbers_go_on_from_a_set_up_position() -> None:
    start = "=" + "8/8/8/4k3/8/8/4P3/4K3_b_-_-_3_41"
    notation = notation_of(find_game("chess"), (start, "e5d5", "e2e4"), 2, {})
    assert list(notation.numbers) == ["", "41...", "42."]
    assert notation.numbered(0) == notation.texts[0]


def test_other_games_count_actions() -> None:
    notation = Notation(("a2-a3", "b7-b6"))
    assert notation.numbered(1) == "2. b7-b6"
    assert notation.line() == "a2-a3 b7-b6"


@pytest.mark.addon("chess")
@pytest.mark.parametrize("actions", [("e2e4", "e2e4"), ("=nonsense_of_a_b_c_x",)])
def test_illegal_actions_stay_as_they_are(actions: tuple[str, ...]) -> None:
    assert list(notation_of(find_game("chess"), actions, 2, {}).texts) == list(actions)


@pytest.mark.addon("chess")
def test_openings_of_chess_have_names() -> None:
    chess = find_game("chess")
    assert chess.opening_name(ITALIAN) == "C50 Italian Game"
    assert chess.opening_name(("e2e5",)) == ""
    assert find_game("sage-stones").opening_name(("a1",)) == ""
