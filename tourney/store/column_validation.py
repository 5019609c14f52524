"""What a column may not hold, and readers of columns that trust nobody.

SQLite keeps any value in any column, and people with an editor put them there. A reader that meets one raises
``ColumnError``; ``tourney.store.damage`` makes the sentence of it that names database, table, row and column.
"""

import re
from collections.abc import Collection, Mapping
from typing import Any, Final

Columns = Mapping[Any, Any]
"""A row: values by column."""

MAX_INTEGER: Final = 2**63 - 1

_DIGEST = re.compile(r"[0-9a-f]{64}", re.ASCII)


class ColumnError(Exception):
    """A column holds what it may not; ``want`` says what it must hold. Never leaves the store."""

    def __init__(self, column: str, value: object, want: str) -> None:
        super().__init__(column, value, want)
        self.column = column
        self.value = value
        self.want = want


def read_text(row: Columns, column: str, *, least: int = 0) -> str:
    """Return a text."""
    value = row[column]
    if not isinstance(value, str) or len(value) < least:
        raise ColumnError(column, value, "a text")
    return value


def read_word(row: Columns, column: str, words: Collection[str]) -> str:
    """Return one of some words."""
    value = row[column]
    if not isinstance(value, str) or value not in words:
        raise ColumnError(column, value, f"one of {', '.join(words)}")
    return value


def read_int(row: Columns, column: str, least: int = 0, most: int = MAX_INTEGER) -> int:
    """Return an integer within bounds."""
    value = row[column]
    if type(value) is not int or not least <= value <= most:
        span = f"of at least {least}" if most == MAX_INTEGER else f"from {least} to {most}"
        raise ColumnError(column, value, f"an integer {span}")
    return value


def read_maybe_int(row: Columns, column: str, least: int = 0) -> int | None:
    """Return an integer, or None for NULL."""
    return None if row[column] is None else read_int(row, column, least)


def read_flag(row: Columns, column: str) -> bool:
    """Return true or false; some databases keep 1 and 0."""
    value = row[column]
    if type(value) not in (bool, int) or value not in (0, 1):
        raise ColumnError(column, value, "true (1) or false (0)")
    return bool(value)


def read_digest(row: Columns, column: str) -> str:
    """Return a digest."""
    value = row[column]
    if not isinstance(value, str) or _DIGEST.fullmatch(value) is None:
        raise ColumnError(column, value, "a digest of 64 hex digits")
    return value


def read_u64(row: Columns, column: str) -> int:
    """Return an unsigned 64-bit integer that is kept as decimal text."""
    value = row[column]
    if isinstance(value, str) and len(value) <= 20 and value.isascii() and value.isdigit():
        number = int(value)
        if str(number) == value and number < 2**64:
            return number
    raise ColumnError(column, value, "a number of 64 bits")
