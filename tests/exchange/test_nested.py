"""Objects of players and tables of lists in other programs' JSON."""

import pytest

from tourney.exchange.nested import by_rows, flattened, name_of


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ({"user": {"name": "a", "id": "x"}, "rating": 1500}, "a"),
        ({"username": "a", "result": "win"}, "a"),
        ([{"name": "a"}], "a"),
        (7, "7"),
        (True, True),
        (["a", "b"], ["a", "b"]),
        ({"aiLevel": 3}, {"aiLevel": 3}),
    ],
)
def test_name_of_a_player_that_is_an_object(value: object, name: object) -> None:
    assert name_of(value) == name


@pytest.mark.parametrize(
    ("ends", "result"),
    [
        (("win", "resigned"), "1-0"),
        (("checkmated", "win"), "0-1"),
        (("agreed", "agreed"), "1/2-1/2"),
        (("win", "win"), None),
        (("agreed", "timeout"), None),
    ],
)
def test_results_of_both_players_make_one_where_they_agree(ends: tuple[str, str], result: str | None) -> None:
    sides = {
        side: {"username": side, "result": end} for side, end in zip(("white", "black"), ends, strict=True)
    }
    assert (flattened(sides)["result"] if result else None) == result


def test_game_without_winner_that_did_not_end_has_no_result() -> None:
    players = {"white": {"user": {"name": "a"}}, "black": {"user": {"name": "b"}}}
    assert "winner" not in flattened({"players": players, "status": "aborted"})
    assert flattened({"players": players, "status": "outoftime"})["winner"] == "draw"


def test_columns_of_one_length_are_a_table() -> None:
    table: dict[str, object] = {"white": {"0": "a"}, "black": {"0": "b"}, "result": {"0": "1-0"}}
    assert by_rows(table) == [{"white": "a", "black": "b", "result": "1-0"}]
    assert by_rows({**table, "result": {"1": "1-0"}}) == by_rows({**table, "id": 3}) == by_rows({}) == []
