"""Games of chess as PGN, read back by python-chess."""

import io

import chess.pgn
import pytest
from msgspec import structs

from tests.report.film import golden
from tourney.addons.chess.pgn import game_text
from tourney.errors import GameError
from tourney.match.result import Measurements
from tourney.schedule.row import MatchKey

KEY = MatchKey(3, 2, 1, 2)


def test_game_reads_back_as_played() -> None:
    record = golden("chess")
    text = game_text('a "cup"', KEY, record)
    game = chess.pgn.read_game(io.StringIO(text))
    assert game is not None
    assert game.errors == []
    assert [move.uci() for move in game.mainline_moves()] == [action for _, action in record.actions]
    assert [game.headers[name] for name in ("Event", "Round", "Pair", "Date")] == [
        'a \\"cup\\"',  # as python-chess reads it
        "3.2",
        "3.2.1",
        "????.??.??",
    ]
    assert [game.headers["White"], game.headers["Black"]] == [seat.name for seat in record.seats]
    assert max(map(len, text.splitlines())) <= 80


def test_measured_times_are_comments() -> None:
    record = golden("chess")
    measured = Measurements(started="2026-11-26T12:00:00Z", times_ms=(1500.0, None))
    text = game_text("cup", KEY, record, (), measured)
    assert '[Date "2026.11.26"]' in text
    assert "{1.500s}" in text
    assert text.count("{book}") == len(record.actions) - 1


def test_record_that_breaks_the_rules_is_refused() -> None:
    record = structs.replace(golden("chess"), actions=((1, "e2e5"),))
    with pytest.raises(GameError, match="e2e5"):
        game_text("cup", KEY, record)
