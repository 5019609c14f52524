"""A move of chess however it is spelled: read as the one legal move that it can mean.

Engines and people write castling as the king's step or as king takes rook, a promotion as ``a7a8Q`` or
``a8=Q``, moves in standard algebraic notation, with ``x``, ``-`` and ``+``, and in letters of either
case; with a number before them, in quotation marks or brackets, and with a full stop or a comma behind them.
"""

import re
from collections.abc import Sequence
from typing import Final

import chess

_MOVE: Final = re.compile(
    r"(?P<piece>[KQRBN])?(?P<file>[a-h])?(?P<rank>[1-8])?[-x:]?(?P<target>[a-h][1-8])"
    r"(?:[=/]?\(?(?P<promotion>[QRBNqrbn])\)?)?(?:e\.?p\.?)?[+#!?]*",
    re.ASCII,
)
_SQUARES: Final = re.compile(r"[a-h][1-8][-x:]?[a-h][1-8]", re.ASCII)
_AROUND: Final = re.compile(r"(?:[0-9]{1,4}\.+)?[\"'(<\[]*(.*?)[\"')>\],.;:]*", re.ASCII)
_CASTLING: Final = re.compile(r"[O0]-?[O0](?P<long>-?[O0])?[+#!?]*", re.ASCII | re.IGNORECASE)


def move_of(fen: str, text: str, *, chess960: bool) -> str:
    """The UCI move that a text means, or the text itself if that is not exactly one legal move.

    Capitals count first, as ``Bc4`` and ``bc4`` are different moves; a text that means nothing so is read in
    letters of either case.
    """
    try:
        board = chess.Board(fen, chess960=chess960)
    except ValueError:
        return text
    legal = list(board.legal_moves)
    written = text
    if (bare := _AROUND.fullmatch(text)) is not None:
        # A bracket may belong to the move: ``a8(Q)``.
        written = text if _MOVE.fullmatch(text) else bare[1]
    small = written.lower()
    # ``B6B5`` is two squares, and not a bishop of the sixth rank.
    forms = (small,) if _SQUARES.match(small) else (small, small[:1].upper() + small[1:])
    meant = _meanings(board, legal, written) or {
        move for form in forms for move in _meanings(board, legal, form)
    }
    return board.uci(meant.pop()) if len(meant) == 1 else text


def _meanings(board: chess.Board, legal: Sequence[chess.Move], text: str) -> set[chess.Move]:
    """The legal moves that a text can mean."""
    castlings = [move for move in legal if board.is_castling(move)]
    if (word := _CASTLING.fullmatch(text)) is not None:
        queen_side = word["long"] is not None
        return {move for move in castlings if board.is_queenside_castling(move) == queen_side}
    spelled = _MOVE.fullmatch(text)
    if spelled is None:
        return set()
    steps = {move for move in legal if move not in castlings and _fits(board, move, spelled, move.to_square)}
    # A king's step to the square where castling would end is that step.
    return steps or {
        move
        for move in castlings
        if any(_fits(board, move, spelled, square) for square in _castling_squares(board, move))
    }


def _fits(board: chess.Board, move: chess.Move, spelled: re.Match[str], target: int) -> bool:
    """Whether a move to a target has all that its spelling names."""
    origin = chess.square_name(move.from_square)
    piece = chess.piece_symbol(board.piece_type_at(move.from_square) or chess.PAWN).upper()
    promoted = chess.piece_symbol(move.promotion) if move.promotion else ""
    file, rank = spelled["file"], spelled["rank"]
    # Without its letter a piece is a pawn, unless its square is there.
    kind = spelled["piece"] or (piece if file and rank else "P")
    return (
        chess.square_name(target) == spelled["target"]
        and kind == piece
        and file in (None, origin[0])
        and rank in (None, origin[1])
        and promoted == (spelled["promotion"] or "").lower()
    )


def _castling_squares(board: chess.Board, move: chess.Move) -> tuple[int, int]:
    """Where the king ends in castling, and where the rook stands before it."""
    home = chess.BB_RANKS[chess.square_rank(move.from_square)]
    rooks = list(chess.scan_forward(board.castling_rights & home))
    queen_side = board.is_queenside_castling(move)
    king_ends = chess.square(2 if queen_side else 6, chess.square_rank(move.from_square))
    return king_ends, rooks[0] if queen_side else rooks[-1]
