"""A move is read in all spellings of engines and people, and only if it can mean one legal move."""

import random

import chess
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tourney.addons.chess.spelling import move_of

CASTLE = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
PROMOTE = "8/P7/8/8/7k/8/8/K7 w - - 0 1"
BISHOP = "4k3/8/8/8/2p5/2p5/1P2B3/4K3 w - - 0 1"
NEAR = "4k3/8/8/8/8/8/8/R4KR1 w KQ - 0 1"
FAR = "4k3/8/8/8/8/8/8/RK3R2 w KQ - 0 1"
PASSING = "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1"
KNIGHTS = "4k3/8/8/8/8/2N5/8/4K1N1 w - - 0 1"


@pytest.mark.parametrize(
    ("fen", "move", "texts"),
    [
        (chess.STARTING_FEN, "e2e4", "e2e4 E2E4 e2-e4 e4 E4 e2xe4 e4!? 1.e4 12...e2e4 'e4' (e2e4) e2e4, e4."),
        (chess.STARTING_FEN, "g1f3", "Nf3 nf3 NF3 Ng1f3 Ng1-f3 g1-f3"),
        (CASTLE, "e1g1", "e1g1 e1h1 E1H1 O-O 0-0 o-o O-O+ Kg1 Ke1xh1"),
        (CASTLE, "e1c1", "e1c1 e1a1 O-O-O 0-0-0 o-o-o Kc1"),
        (PROMOTE, "a7a8q", "a7a8q a7a8Q a7a8=q a7a8=Q a7-a8=Q+ a8=Q a8Q a8q a8(Q) A7A8Q"),
        (BISHOP, "b2c3", "bc3 bxc3 b2xc3"),
        (BISHOP, "e2c4", "Bc4 Bxc4 bxc4 BC4"),
        (PASSING, "e5d6", "exd6 ed6 exd6e.p. e5xd6"),
        (KNIGHTS, "g1e2", "Nge2 N1e2 nge2 g1e2"),
    ],
)
def test_spellings_of_a_move(fen: str, move: str, texts: str) -> None:
    for text in texts.split():
        assert move_of(fen, text, chess960=False) == move, text


@pytest.mark.parametrize(
    ("fen", "move", "texts"),
    [
        (FAR, "b1f1", "b1f1 b1g1 O-O"),
        (FAR, "b1a1", "b1a1 O-O-O"),
        (FAR, "b1c1", "b1c1 Kc1"),  # a step, where castling would end there too
        (NEAR, "f1g1", "f1g1 O-O Kg1"),
        (NEAR, "f1a1", "f1a1 f1c1 O-O-O"),
    ],
)
def test_castling_of_chess960_is_king_takes_rook(fen: str, move: str, texts: str) -> None:
    for text in texts.split():
        assert move_of(fen, text, chess960=True) == move, text


@pytest.mark.parametrize(
    ("fen", "texts"),
    [
        (PROMOTE, "a8 a7a8 a7a8k a7a8qq"),
        (KNIGHTS, "Ne2 Nce3 0000"),
        (chess.STARTING_FEN, "e2e5 e2e4q (none) NULL 0000 O-O e x Nd3 Kf3 e2 --"),
        ("no FEN", "e4"),
    ],
)
def test_text_with_two_meanings_or_none_stays(fen: str, texts: str) -> None:
    for text in texts.split():
        assert move_of(fen, text, chess960=False) == text


@pytest.mark.parametrize("seed", range(40))
def test_every_legal_move_is_read_from_its_own_spellings(seed: int) -> None:
    """Whatever the position: UCI, algebraic notation short and long, and capitals."""
    dice = random.Random(seed)  # noqa: S311 - positions of a test
    chess960 = seed % 2 == 1
    board = chess.Board.from_chess960_pos(dice.randrange(960) if chess960 else 518)
    board.chess960 = chess960
    for _ in range(dice.randrange(80)):
        if not any(board.legal_moves):
            break
        board.push(dice.choice(list(board.legal_moves)))
    fen = board.fen()
    for move in board.legal_moves:
        uci = board.uci(move)
        assert move_of(fen, board.san(move), chess960=chess960) == uci
        assert move_of(fen, board.lan(move), chess960=chess960) == uci
        if not (chess960 and board.piece_type_at(move.from_square) == chess.KING):
            assert move_of(fen, uci.upper(), chess960=chess960) == uci


@given(st.text(max_size=30), st.booleans())
@example("K" + "x" * 10_000, True)
def test_any_text_is_read_or_stays(text: str, chess960: bool) -> None:
    read = move_of(CASTLE, text, chess960=chess960)
    assert read == text or chess.Move.from_uci(read) in chess.Board(CASTLE, chess960=chess960).legal_moves
