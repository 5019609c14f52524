"""What the columns of a table mean."""

import pytest

from tourney.exchange.table_header import columns_of, is_complete


@pytest.mark.parametrize(
    ("header", "columns"),
    [
        ("White Black Result", ("white", "black", "result")),
        ("Wei\u00df Schwarz Ergebnis", ("white", "black", "result")),
        ("Blancs Noirs R\u00e9sultat", ("white", "black", "result")),
        ("Blancas Negras Resultado", ("white", "black", "result")),
        ("WHITE-PLAYER black_name Res.", ("white", "black", "result")),
        ("home_team away_team home_score away_goals", ("white", "black", "score1", "score2")),
        ("player_a player_b winner", ("player1", "player2", "winner")),
        ("player_0 player_1 score_0 1_score", ("player0", "player1", "score0", "")),
        ("bot1 bot2 bot1_rank rank_bot2", ("player1", "player2", "rank1", "rank2")),
        ("White Elo Black Elo Result", ("white", "", "black", "", "result")),
        ("first white black result", ("", "white", "black", "result")),
        ("date datum UTCDate", ("date", "", "")),
        ("heim home", ("", "")),
    ],
)
def test_columns_have_one_meaning_in_any_spelling(header: str, columns: tuple[str, ...]) -> None:
    assert columns_of(tuple(header.split(" "))) == columns


@pytest.mark.parametrize(
    ("columns", "complete"),
    [
        ({"white", "black", "result", "pair"}, True),
        ({"winner", "loser"}, True),
        ({"players", "scores"}, True),
        ({"white", "black"}, False),
        ({"player", "result"}, False),
        ({"player1", "player2", "rank1"}, False),
    ],
)
def test_header_needs_players_and_a_result(columns: set[str], complete: bool) -> None:
    assert is_complete(columns) is complete
