"""Strict reading of position strings: fields separated by single blanks, each written in one way only."""

import re
from collections.abc import Iterable, Mapping

from tourney.errors import PositionError

_NUMBER = re.compile(r"0|[1-9][0-9]{0,5}")


def split_fields(text: str, names: str) -> list[str]:
    """The fields of a position string, as many as there are names. Raises PositionError."""
    fields = text.split(" ")
    count = len(names.split(" "))
    if len(fields) != count:
        raise PositionError(
            f"a position has {count} fields, separated by single blanks: {names}; this one has {len(fields)}"
        )
    return fields


def read_number(field: str, text: str, low: int, high: int) -> int:
    """The number of a field, without leading zeros. Raises PositionError."""
    # A hostile bot may send a megabyte here: errors quote a part, and the pattern bounds what int() reads.
    if _NUMBER.fullmatch(text) is None or not low <= int(text) <= high:
        raise PositionError(f"{field} {text[:40]!r} is not a number from {low} to {high}")
    return int(text)


def read_square(field: str, name: str, squares: Mapping[str, int]) -> int:
    """The number of a named square. Raises PositionError."""
    square = squares.get(name)
    if square is None:
        raise PositionError(f"{field} names {name[:40]!r}, which is not a square of the board")
    return square


def wrong_field(field: str, text: str, advice: str) -> PositionError:
    """The error for a field of a wrong form."""
    return PositionError(f"the field {field} of the position is {text[:80]!r}: {advice}")


def refuse(contradictions: Iterable[str]) -> None:
    """Raise PositionError for the first sentence on fields that contradict each other, if there is any."""
    for sentence in contradictions:
        raise PositionError(sentence)
