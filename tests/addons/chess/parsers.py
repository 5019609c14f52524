"""What chess parses of strangers: ``tests.support.parsers`` lists it."""

from functools import partial
from typing import Final

from tests.support.parsers import hear_engine, read_opening_book, read_position

TARGETS: Final = {
    **{name: partial(hear_engine, name, "chess", "e2e4") for name in ("uci", "uci-fen", "xboard")},
    "book-chess": partial(read_opening_book, "chess"),
    "position-chess": partial(read_position, "chess"),
}
EXTRAS: Final = dict.fromkeys(TARGETS, "chess")
"""The package that each needs."""
