"""What chess parses of strangers: ``tests.support.parsers`` lists it."""

from functools import partial
from typing import Final

from tests.support.parsers import hear_engine, read_opening_book, read_position
from tourney.games.registry import find_game

START: Final = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"


def read_move(data: bytes) -> None:
    """A move in any spelling, which is legal or stays."""
    text = data.decode("utf-8", "replace")
    read = find_game("chess").read_notation(START, text)
    assert read == text or read in find_game("chess").legal_texts(find_game("chess").new())


TARGETS: Final = {
    "chess-moves": read_move,
    **{name: partial(hear_engine, name, "chess", "e2e4") for name in ("uci", "uci-fen", "xboard")},
    "book-chess": partial(read_opening_book, "chess"),
    "book-polyglot": partial(read_opening_book, "chess", name="b.bin"),
    "position-chess": partial(read_position, "chess"),
}
EXTRAS: Final = dict.fromkeys(TARGETS, "chess")
"""The package that each needs."""
