"""The core of chess, plain and compiled, gives every answer as the package ``chess`` does."""

from collections.abc import Iterator
from pathlib import Path

import chess
import pytest

from tourney.addons.chess.board import from_board
from tourney.addons.chess.game import STARTS, Chess, move_codes
from tourney.games import OVER, find_game, stream
from tourney.games.base import AnyGame, AnyState
from tourney.games.compiled import compiled_core, compiled_name, sources, use_plain
from tourney.seeds import RandBelow

TRICKY = (
    chess.STARTING_FEN,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    # A capture en passant that opens the rank, the diagonal, or ends a check.
    "8/8/8/8/k2pP2R/8/8/4K3 b - - 0 1",
    "8/1k6/8/3pP3/8/5B2/8/4K3 w - d6 0 1",
    "8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1",
    # The only move is a double step that blocks a check.
    "8/8/8/8/k6r/5nb1/4P3/7K w - - 0 1",
)
TRICKY_960 = (
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    "2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9",
    "qbbnnrkr/2pp2pp/p7/1p2pp2/8/P3PP2/1PPP1KPP/QBBNNR1R w hf - 0 9",
    # The rook shields the king until it castles.
    "4k3/8/8/8/8/8/8/qR1K3R w HB - 0 1",
    # Castling leaves the king where it is, and is the only move.
    "8/8/8/8/8/3k1n1b/5PRP/6KR w H - 0 1",
)


@pytest.fixture(params=["plain", "compiled"], autouse=True)
def form(request: pytest.FixtureRequest) -> Iterator[None]:
    """Each form of the core in turn."""
    if request.param == "compiled" and compiled_core("chess") is None:
        pytest.skip("the core is not compiled for its sources: run make cores (it needs a C compiler)")
    use_plain(request.param == "plain")
    yield
    use_plain(None)


def expected_end(board: chess.Board) -> str:
    """The end by the rules page, from the package's own tests."""
    if not any(board.legal_moves):
        return "checkmate" if board.is_check() else "stalemate"
    if board.is_insufficient_material():
        return "insufficient-material"
    if board.halfmove_clock >= 100:
        return "fifty-moves"
    return "repetition" if board.is_repetition(3) else ""


@pytest.mark.parametrize("name", ["chess", "chess960"])
@pytest.mark.parametrize("seed", range(6))
def test_random_games_agree_with_the_package(name: str, seed: int) -> None:
    """Castling, captures en passant and promotions are played whenever a coin says so."""
    game, draw, codes = find_game(name), stream(seed, "agree"), move_codes()
    state, board = game.new(), chess.Board()
    if name == "chess960":
        number = draw(960)
        state, board = state.play(STARTS + number), chess.Board.from_chess960_pos(number)
    while not (end := expected_end(board)):
        assert state.reason() == ""
        assert state.position() == board.fen(shredder=board.chess960, en_passant="legal")
        moves = {move.uci(): move for move in board.legal_moves}
        if draw(12) == 0:
            assert [game.action_string(code) for code in state.legal_actions()] == sorted(moves)
            assert {text for text, code in codes.items() if state.is_legal(code)} == set(moves)
        rare = [
            text
            for text, move in moves.items()
            if move.promotion or board.is_castling(move) or board.is_en_passant(move)
        ]
        chosen = sorted(rare or moves) if draw(2) else sorted(moves)
        text = chosen[draw(len(chosen))]
        state = state.play(game.read_action(state, text))
        board.push(moves[text])
    assert state.reason() == end
    assert state.actor == OVER
    assert not state.is_legal(codes["e2e4"])
    assert list(state.legal_actions()) == []


def all_legal(state: AnyState) -> set[str]:
    return {text for text, code in move_codes().items() if state.is_legal(code)}


@pytest.mark.parametrize(
    ("name", "fen"), [("chess", fen) for fen in TRICKY] + [("chess960", fen) for fen in TRICKY_960]
)
def test_each_code_is_legal_where_the_package_lists_it(name: str, fen: str) -> None:
    """In the position and after each of its moves."""
    game, board = find_game(name), chess.Board(fen, chess960=name == "chess960")
    state = from_board(board)
    assert all_legal(state) == {move.uci() for move in board.legal_moves}
    for move in list(board.legal_moves):
        board.push(move)
        after = game.play_text(state, move.uci())
        assert after.position() == board.fen(shredder=board.chess960, en_passant="legal")
        assert after.reason() == expected_end(board)
        if after.actor != OVER:
            assert all_legal(after) == {reply.uci() for reply in board.legal_moves}
        board.pop()


def test_ends_of_crowded_and_empty_boards_agree() -> None:
    """Made-up positions, in which checkmate, stalemate and pins are much more frequent than in games."""
    draw = stream(1, "boards")
    reasons = dict[str, int]()
    for _ in range(3000):
        board = made_up(draw)
        if board.status() == chess.STATUS_VALID:
            end = expected_end(board)
            assert from_board(board).reason() == end, board.fen()
            reasons[end] = reasons.get(end, 0) + 1
    assert min(reasons[end] for end in ("checkmate", "stalemate", "insufficient-material", "")) >= 5


def made_up(draw: RandBelow) -> chess.Board:
    """A king in or near the corner, and up to 15 pieces of any kind."""
    board = chess.Board(None)
    board.set_piece_at((0, 1, 8, 9)[draw(4)], chess.Piece(chess.KING, chess.WHITE))
    board.set_piece_at(16 + draw(48), chess.Piece(chess.KING, chess.BLACK))
    for _ in range(draw(16)):
        square = draw(64)
        if board.piece_at(square) is None:
            board.set_piece_at(square, chess.Piece(1 + draw(5), bool(draw(3) == 0)))
    return board


@pytest.mark.parametrize("name", ["chess", "chess960"])
@pytest.mark.parametrize("seed", range(10))
def test_repetitions_agree_where_pieces_go_to_and_fro(name: str, seed: int) -> None:
    """Rights of castling and en passant are lost on the way, so equal boards are not equal positions."""
    game, draw = find_game(name), stream(seed, "to-and-fro")
    number = draw(960) if name == "chess960" else 518
    board = chess.Board.from_chess960_pos(number) if name == "chess960" else chess.Board()
    state: AnyState = from_board(board)
    while not (end := expected_end(board)):
        assert state.reason() == ""
        moves = [move.uci() for move in board.legal_moves]
        back = board.move_stack[-2].uci() if len(board.move_stack) > 1 else ""
        text = back[2:4] + back[:2]
        if text not in moves or draw(8) == 0:
            text = moves[draw(len(moves))]
        state = game.play_text(state, text)
        board.push_uci(text)
    assert state.reason() == end


@pytest.mark.parametrize("code", [-1, 5 << 12 | 4095, 1 << 20, 1 << 40])
def test_code_of_no_move_is_illegal(code: int) -> None:
    assert not find_game("chess").new().is_legal(code)


def test_illegal_move_harms_no_process() -> None:
    """``play`` does not check legality; arrays of the compiled form are not checked either."""
    draw = stream(2, "illegal")
    state: AnyState = find_game("chess960").new().play(STARTS + 7)
    for _ in range(4000):
        state = state.play(draw(4096))


def test_core_is_compiled_without_the_base_of_search() -> None:
    assert [Path(source).parts[-3:] for source in sources("chess")] == [("addons", "chess", "core")]
    assert compiled_name("chess").startswith("chess_")


def test_choice_of_form_holds_for_the_next_position() -> None:
    game: AnyGame = find_game("chess")
    assert isinstance(game, Chess)
    for plain in (True, False):
        use_plain(plain)
        wanted = plain or compiled_core("chess") is None
        assert (type(game.new().core).__module__ == "tourney.addons.chess.core") == wanted  # type: ignore[attr-defined]
