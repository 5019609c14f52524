"""Games in algebraic notation: a line beside a game is written from where it leaves the game."""

import pytest

pytest.importorskip("chess", reason="pip install 'tourney[chess]'")

import chess

from tourney.addons.chess import starts
from tourney.addons.chess.starts import PgnMoves, algebraic
from tourney.errors import GameError

GAME = (
    "e2e4",
    "e7e5",
    "g1f3",
    "b8c6",
    "f1b5",
    "a7a6",
    "b5a4",
    "g8f6",
    "e1g1",
    "f8e7",
    "f1e1",
    "b7b5",
    "a4b3",
)
SANS = ("e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "Ba4", "Nf6", "O-O", "Be7", "Re1", "b5", "Bb3")


@pytest.fixture(autouse=True)
def no_games_before(monkeypatch: pytest.MonkeyPatch) -> None:
    starts._WALKS.clear()


def test_lines_beside_a_game_walk_their_own_moves_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    assert algebraic(GAME, chess960=False) == SANS
    walked: list[chess.Move] = []
    walk = chess.Board.san_and_push

    def counted(board: chess.Board, move: chess.Move) -> str:
        walked.append(move)
        return walk(board, move)

    monkeypatch.setattr(chess.Board, "san_and_push", counted)
    assert algebraic([*GAME[:8], "b1c3", "b7b5"], chess960=False) == (*SANS[:8], "Nc3", "b5")
    assert algebraic([*GAME[:2], "d2d4"], chess960=False) == (*SANS[:2], "d4")
    assert algebraic(GAME, chess960=False) == SANS
    assert len(walked) == 3


def test_other_starts_and_illegal_moves_find_no_known_game() -> None:
    assert algebraic(GAME, chess960=False) == SANS
    with pytest.raises(GameError, match="'e2e5'"):
        PgnMoves.of([*GAME[:2], "e2e5"], chess960=False)
    black = f"={chess.Board('4k3/8/8/8/8/8/4P3/4K3 w - - 0 1').fen().replace(' ', '_')}"
    assert algebraic([black, "e2e4", "e8e7"], chess960=False)[1:] == ("e4", "Ke7")
