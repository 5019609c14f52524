"""What the engines of go and gomoku say: ``tests.support.parsers`` lists it."""

from functools import partial
from typing import Final

from tests.support.parsers import hear_engine

TARGETS: Final = {
    "gtp": partial(hear_engine, "gtp", "openspiel:go(board_size=9)", "0"),
    "gomocup": partial(hear_engine, "gomocup", "openspiel:gomoku", "0"),
}
EXTRAS: Final = dict.fromkeys(TARGETS, "pyspiel")
"""The package that each needs."""
