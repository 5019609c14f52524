"""Games of chess as PGN, read back by python-chess."""

import io
import os
import shutil
import subprocess
from pathlib import Path

import chess.pgn
import pytest
from msgspec import structs

from tests.report.film import golden
from tourney.addons.chess.pgn import game_text
from tourney.errors import GameError
from tourney.match.analysis import Analyser, Analysis, ValuedTurn
from tourney.match.record import Record
from tourney.match.result import LogLine, Measurements
from tourney.match.spec import Limits
from tourney.schedule.row import MatchKey

KEY = MatchKey(3, 2, 1, 2)
PGN_EXTRACT = shutil.which("pgn-extract", path=f"{os.environ.get('PATH', os.defpath)}:/usr/games")


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


def test_marked_move_has_glyph_and_variation() -> None:
    moves = ("e2e4", "e7e5", "g1f3", "d7d6", "f1c4", "b8c6")
    record = structs.replace(golden("chess"), actions=actions(*moves))
    analyser = Analyser(record.seats[0], Limits(nodes=9))
    turns = (
        ValuedTurn(3, 2, 500, "b8c6", ("b8c6", "f1b5", "a7a6"), 160),
        ValuedTurn(4, 1, 500, "d2d4", ("d2d4", "a1a1"), 60),
        ValuedTurn(5, 2, 500, "b8c6", ("b8c6",), 0),
    )
    analysis = Analysis("tourney-analysis/1", record.digest, analyser, turns)
    text = game_text("cup", KEY, record, analysis=analysis)
    assert "d6 $4 (2... Nc6 3. Bb5 a6) 3. Bc4 $6 (3. d4) 3... Nc6" in text.replace("\n", " ")
    game = chess.pgn.read_game(io.StringIO(text))
    assert game is not None
    assert game.errors == []
    assert [move.uci() for move in game.mainline_moves()] == list(moves)


def actions(*moves: str) -> tuple[tuple[int, str], ...]:
    return tuple((1 + number % 2, move) for number, move in enumerate(moves))


@pytest.mark.parametrize(
    ("moves", "eco", "opening"),
    [
        (("e2e4", "e7e5", "g1f3", "b8c6", "f1b5"), "C60", "Ruy Lopez"),
        (("g1f3", "b8c6", "e2e4", "e7e5", "f1b5", "h7h5"), "C60", "Ruy Lopez"),  # by another order, and on
        (("d2d4", "d7d5", "c2c4"), "D06", "Queen's Gambit"),
    ],
)
def test_opening_has_its_code_and_name(moves: tuple[str, ...], eco: str, opening: str) -> None:
    record = structs.replace(golden("chess"), actions=actions(*moves))
    headers = headers_of(game_text("cup", KEY, record))
    assert (headers["ECO"], headers["Opening"]) == (eco, opening)


def test_start_of_chess960_has_no_name_of_an_opening() -> None:
    assert "ECO" not in headers_of(game_text("cup", KEY, golden("chess960")))


def headers_of(text: str) -> chess.pgn.Headers:
    headers = chess.pgn.read_headers(io.StringIO(text))
    assert headers is not None
    return headers


@pytest.mark.parametrize(
    ("limits", "text"),
    [
        (Limits(move_ms=None, clock_ms=4000, clock_moves=40), "40/4"),
        (Limits(move_ms=None, clock_ms=60_000, increment_ms=1000, clock_moves=40), "40/60+1"),
        (Limits(move_ms=None, clock_ms=8000, increment_ms=80), "8+0.08"),
        (Limits(move_ms=None, clock_ms=8000), "8+0"),
    ],
)
def test_time_control_has_the_moves_of_its_period(limits: Limits, text: str) -> None:
    record = structs.replace(golden("chess"), limits=limits)
    assert headers_of(game_text("cup", KEY, record))["TimeControl"] == text


def test_start_and_end_are_in_utc() -> None:
    measured = Measurements(started="2026-11-26T01:30:00+02:00", wall_ms=90_000)
    headers = headers_of(game_text("cup", KEY, golden("chess"), (), measured))
    names = ("Date", "UTCDate", "UTCTime", "GameStartTime", "GameEndTime")
    assert [headers[name] for name in names] == [
        "2026.11.25",
        "2026.11.25",
        "23:30:00",
        "2026-11-25T23:30:00 +0000",
        "2026-11-25T23:31:30 +0000",
    ]


def scored(record: Record, text: str) -> list[LogLine]:
    """The lines of a log in which the seats report this before each action."""
    return [LogLine(ply, seat, "info", text) for ply, (seat, _) in enumerate(record.actions)]


@pytest.mark.parametrize("score", ["0", "-0.00", "0.00", "-0.004"])
def test_score_of_zero_has_no_sign_for_white(score: str) -> None:
    record = golden("chess")
    log = [
        LogLine(ply, seat, "info", f"score={score} depth=9") for ply, (seat, _) in enumerate(record.actions)
    ]
    measured = Measurements(times_ms=(1.0,) * len(record.actions))
    text = game_text("cup", KEY, record, log, measured)
    assert "-0.00" not in text
    assert text.replace("\n", " ").count("[%eval 0.00,9] +0.00/9") == len(record.actions)


@pytest.mark.parametrize("game", ["chess", "chess960"])
@pytest.mark.skipif(PGN_EXTRACT is None, reason="pgn-extract is not installed")
def test_pgn_extract_reads_games_without_a_word(game: str, tmp_path: Path) -> None:
    record = golden(game)
    times = tuple(10.0 * (ply % 3) for ply in range(len(record.actions)))
    log = scored(record, "score=-0.31 depth=9")
    measured = Measurements(started="2026-11-26T12:00:00Z", wall_ms=90_000, times_ms=times)
    (tmp_path / "games.pgn").write_text(2 * game_text("cup", KEY, record, log, measured))
    command = [str(PGN_EXTRACT), "-s", "-o", str(tmp_path / "out.pgn"), str(tmp_path / "games.pgn")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr == ""
