"""FEN and EPD: read into boards of the package ``chess``, and written from bitboards."""

import re
from functools import lru_cache
from typing import Final

import chess

from tourney.errors import PositionError

FIFTY: Final = 100  # half-moves without capture or pawn move after which the game is drawn
MAX_MOVE: Final = 6_351  # the largest move number of a FEN: no game has more moves
_SEPARATOR: Final = re.compile(r"[;,]")
_DASHES: Final = str.maketrans("\u2013\u2014\u2212", "---")
_QUOTED: Final = re.compile(r'"[^"]*"')
_HALFMOVES: Final = re.compile(r"(?:^|; )hmvc ([0-9]{1,6})(?: ;|$)")
_FULLMOVES: Final = re.compile(r"(?:^|; )fmvn ([0-9]{1,6})(?: ;|$)")
_CASTLING: Final = tuple(zip((1 << 7, 1, 1 << 63, 1 << 56), "KQkq", strict=True))
_CASTLING_960: Final = tuple(
    (1 << rank * 8 + file, files[file])
    for rank, files in ((0, "ABCDEFGH"), (7, "abcdefgh"))
    for file in range(7, -1, -1)
)


def read_fen(text: str, *, chess960: bool) -> chess.Board:
    """The board of a FEN of six fields. Raises PositionError."""
    if len(text) > 120 or len(text.split(" ")) != 6:
        raise PositionError(f"{text[:60]!r} is not a FEN of six fields")
    try:
        board = chess.Board(text, chess960=chess960)
    except ValueError as error:
        raise PositionError(f"{text[:90]!r} is not a FEN: {str(error)[:100]}") from error
    return _checked(board, text)


def read_epd(text: str, *, chess960: bool) -> chess.Board:
    """The board of an EPD or a FEN in any of their usual forms. Raises PositionError.

    The position and the counts of moves are read, from fields or from ``hmvc`` and ``fmvn``, and no other
    opcode: an opening has no use for the others, and many books have them wrong.
    """
    if text.startswith('"'):  # a cell of a spreadsheet
        text = text[1:].replace('"', " ", 1)
    words = _SEPARATOR.sub(r" \g<0> ", text).translate(_DASHES).split()
    fields, more = words[:4], words[4:]
    fields[1:2] = [side.lower() for side in fields[1:2]]
    if set(*fields[2:3]) <= set("KQkq"):
        fields[2:3] = ["".join(sorted(rights)) for rights in fields[2:3]]  # in any order
    counts = ["0", "1"]
    for place in range(2):
        if more[:1] and more[0].isdecimal() and more[0].isascii():
            counts[place] = more.pop(0)
    opcodes = _QUOTED.sub("", " ".join(more))
    for place, opcode in enumerate((_HALFMOVES, _FULLMOVES)):
        if match := opcode.search(opcodes):
            counts[place] = match[1]
    try:
        board = chess.Board(" ".join((*fields, *counts)) if len(fields) == 4 else text, chess960=chess960)
    except ValueError as error:
        raise PositionError(f"{text[:90]!r} is not an EPD: {str(error)[:100]}") from error
    if board.status() == chess.STATUS_INVALID_EP_SQUARE:
        board.ep_square = None  # nothing can be captured there
    return _checked(board, text)


def _checked(board: chess.Board, text: str) -> chess.Board:
    """The board. Raises PositionError for one that no game reaches."""
    status = board.status()
    if status != chess.STATUS_VALID:
        flags = (flag for flag in chess.Status if flag and flag.name and status & flag)
        words = ", ".join((flag.name or "").lower().replace("_", " ") for flag in flags)
        raise PositionError(f"{text[:90]!r} is not a position of chess: {words}")
    if board.halfmove_clock > FIFTY or board.fullmove_number > MAX_MOVE:
        raise PositionError(f"{text[:90]!r} counts more moves than a game can have")
    return board


def placement(white: int, kinds: tuple[int, ...]) -> str:
    """The first field. ``white``: White's squares; ``kinds``: the squares of pawns, knights, ... kings."""
    return "/".join(map(_rank_text, *[squares.to_bytes(8) for squares in (white, *kinds)]))


@lru_cache(maxsize=1 << 16)  # most ranks stay as they are from move to move
def _rank_text(white: int, *kinds: int) -> str:
    """A rank, whose bit 0 is the file a."""
    text = ""
    for file in range(8):
        bit = 1 << file
        letter = next((letter for letter, squares in zip("pnbrqk", kinds, strict=True) if squares & bit), "")
        if letter:
            text += letter.upper() if white & bit else letter
        else:
            text = text[:-1] + str(int(text[-1]) + 1) if text[-1:].isdecimal() else text + "1"
    return text


def castling_rights(rooks: int, *, chess960: bool) -> str:
    """The third field, of Chess960 with the files of the rooks that may castle."""
    return "".join([name for bit, name in (_CASTLING_960 if chess960 else _CASTLING) if rooks & bit]) or "-"
