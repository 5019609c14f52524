"""Chess and Chess960: perft, ends, and strings."""

import subprocess
import sys

import chess
import pytest

from tests.support.command import ROOT
from tourney.addons.chess.game import rules
from tourney.errors import ActionError, GameError, PositionError
from tourney.games import CHANCE, find_game
from tourney.games.base import AnyState
from tourney.games.tree import perft

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"


def at(fen: str, game: str = "chess") -> AnyState:
    return find_game(game).parse_position(fen, 2, {})


def after(moves: str, fen: str = "") -> AnyState:
    game = find_game("chess")
    state = at(fen) if fen else game.new()
    for move in moves.split():
        state = state.play(game.read_action(state, move))
    return state


@pytest.mark.parametrize(
    ("fen", "depth", "count"),
    [
        (chess.STARTING_FEN, 4, 197_281),
        (KIWIPETE, 3, 97_862),
        ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 4, 43_238),
        ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 3, 9_467),
        ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", 3, 62_379),
        ("r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", 3, 89_890),
    ],
)
def test_perft_of_chess(fen: str, depth: int, count: int) -> None:
    assert perft(at(fen), depth) == count


@pytest.mark.parametrize(
    ("fen", "depth", "count"),
    [
        ("bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9", 3, 12_189),
        ("2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9", 3, 18_002),
        ("b1q1rrkb/pppppppp/3nn3/8/P7/1PPP4/4PPPP/BQNNRKRB w GE - 1 9", 3, 10_471),
        ("qbbnnrkr/2pp2pp/p7/1p2pp2/8/P3PP2/1PPP1KPP/QBBNNR1R w hf - 0 9", 3, 13_440),
    ],
)
def test_perft_of_chess960(fen: str, depth: int, count: int) -> None:
    assert perft(at(fen, "chess960"), depth) == count


@pytest.mark.parametrize(
    ("fen", "moves", "reason", "ranks"),
    [
        ("", "f2f3 e7e5 g2g4 d8h4", "checkmate", (2, 1)),
        ("", "e2e4 e7e5 d1h5 b8c6 f1c4 g8f6 h5f7", "checkmate", (1, 2)),
        ("k7/8/KQ6/8/8/8/8/8 w - - 0 1", "b6c7", "stalemate", (1, 1)),
        ("8/8/8/8/8/5k2/1r6/K7 w - - 0 1", "a1b2", "insufficient-material", (1, 1)),
        ("8/8/8/8/8/5k2/8/R5K1 w - - 99 60", "a1a2", "fifty-moves", (1, 1)),
        ("7k/8/6K1/8/8/8/8/R7 w - - 99 60", "a1a8", "checkmate", (1, 2)),
        ("", "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8", "repetition", (1, 1)),
        ("", "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1", "", None),
        ("", "e2e4 g8f6 g1f3 f6g8 f3g1 g8f6 g1f3 f6g8 f3g1", "repetition", (1, 1)),
    ],
)  # fmt: skip
def test_ends_by_the_page(fen: str, moves: str, reason: str, ranks: tuple[int, int] | None) -> None:
    state = after(moves, fen)
    assert (state.reason(), state.ranks()) == (reason, ranks)


def test_lost_castling_right_makes_another_position() -> None:
    """The start stands for the third time after two trips, but its rights were lost in the first."""
    trip = "h1g1 h8g8 g1h1 g8h8"
    state = after(f"{trip} {trip}", "4k2r/8/8/8/8/8/8/4K2R w Kk - 0 1")
    assert state.reason() == ""
    game = find_game("chess")
    for move in ("h1g1", "h8g8"):
        assert state.reason() == ""
        state = state.play(game.read_action(state, move))
    assert state.reason() == "repetition"


def test_pinned_capture_en_passant_is_no_right() -> None:
    """The rank of king and rook opens, so the FEN names no square and the move is refused."""
    state = after("e2e4", "8/8/8/8/k2p3R/8/4P3/4K3 w - - 0 1")
    assert state.position() == "8/8/8/8/k2pP2R/8/8/4K3 b - - 0 1"
    with pytest.raises(ActionError, match="d4e3 is not legal here"):
        find_game("chess").read_action(state, "d4e3")


@pytest.mark.parametrize(
    ("fen", "words"),
    [
        ("8/8/8/8/8/8/8/8 w - - 0 1", "no white king"),
        ("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1", "write 'rnbqkbnr"),
        ("4k3/8/8/8/8/8/8/4K2R w KQ - 0 1", "bad castling rights"),
        ("4k3/8/8/8/8/8/8/4K2R w K - 101 60", "more moves than a game can have"),
        ("4k3/8/8/8/8/8/8/4K2R w K -", "not a FEN of six fields"),
        ("P" * 200, "not a FEN of six fields"),
    ],
)
def test_wrong_position_is_refused(fen: str, words: str) -> None:
    with pytest.raises(PositionError, match=words):
        at(fen)


@pytest.mark.parametrize("text", ["e2e2", "e7e8k", "e2e4q", "e7e8", "E2E4", "0000", "O-O", "sp0", ""])
def test_wrong_move_is_refused(text: str) -> None:
    state = at("4k3/8/8/8/8/8/8/4K2R w K - 0 1")
    with pytest.raises(ActionError):
        find_game("chess").read_action(state, text)


def test_chance_draws_each_start_of_chess960_with_equal_weight() -> None:
    game = find_game("chess960")
    state = game.new()
    assert (state.actor, len(state.legal_actions()), set(state.chance_weights())) == (CHANCE, 960, {1})
    starts = {state.play(action).position() for action in state.legal_actions()}
    assert len(starts) == 960
    standard = state.play(game.parse_action("sp518"))
    assert standard.position() == chess.STARTING_FEN.replace("KQkq", "HAha")
    for text in ("sp960", "sp-1", "sp07", "sp"):
        with pytest.raises(ActionError, match="write sp0 to sp959"):
            game.parse_action(text)


def test_castling_is_the_kings_move_onto_its_rook_in_chess960() -> None:
    game = find_game("chess960")
    state = at("r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1", "chess960")
    state = state.play(game.read_action(state, "e1h1"))
    assert state.position() == "r3k2r/8/8/8/8/8/8/R4RK1 b ha - 1 1"
    with pytest.raises(ActionError):
        game.read_action(state, "e8g8")


def test_game_without_the_package_names_the_extra() -> None:
    """A process that cannot import the package says how to install it, and still lists the game."""
    script = (
        "import sys; sys.modules['chess'] = None\n"
        "from tourney.games import find_game\n"
        "game = find_game('chess'); print(game.title)\n"
        "try: game.new()\n"
        "except Exception as error: print(type(error).__name__, error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, check=True
    )
    assert done.stdout.splitlines() == [
        "Chess",
        "GameError this game needs the package chess: install it by pip install 'tourney[chess]'",
    ]
    rules.cache_clear()
    assert GameError.exit_code == 2


@pytest.mark.parametrize(
    ("name", "moves", "typed", "action"),
    [
        ("chess", (), "e4", "e2e4"),
        ("chess", (), "Nf3", "g1f3"),
        ("chess", (), "Nf6", "Nf6"),
        ("chess", (), "a2-a4", "a2a4"),
        ("chess", ("e2e4", "d7d5"), "exd5", "e4d5"),
        ("chess", ("e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "g8f6"), "0-0", "e1g1"),
        ("chess960", ("sp518", "e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "g8f6"), "O-O", "e1h1"),
        ("chess960", (), "e4", "e4"),
    ],
)
def test_players_notation_is_read(name: str, moves: tuple[str, ...], typed: str, action: str) -> None:
    game = find_game(name)
    state = game.new()
    for move in moves:
        state = state.play(game.read_action(state, move))
    assert game.read_notation(state.position(), typed) == action
