"""Readers of JSON data from outside: each returns the value, or raises RecordError that names the place."""

import re
from collections.abc import Collection
from typing import Any, Final

from tourney.errors import RecordError
from tourney.seeds import U64

MAX_INT: Final = 2**53 - 1
"""The largest integer that every JSON reader keeps exact."""
MAX_TEXT: Final = 200

_DECIMAL = re.compile(r"0|[1-9][0-9]{0,19}", re.ASCII)


def read_object(
    value: object, where: str, needed: Collection[str], optional: Collection[str] = ()
) -> dict[str, Any]:
    """Return an object with these keys and no others."""
    if not isinstance(value, dict):
        raise RecordError(f"{where} must be an object, not {_kind(value)}")
    for key in value:
        if key not in needed and key not in optional:
            raise RecordError(f"{where} has an unknown key {_shown(key)}")
    for key in needed:
        if key not in value:
            raise RecordError(f"{where} lacks the key {key}")
    return value


def read_list(value: object, where: str, least: int = 0, most: int = MAX_INT) -> list[Any]:
    """Return a list with a bounded number of elements."""
    if not isinstance(value, list):
        raise RecordError(f"{where} must be a list, not {_kind(value)}")
    if not least <= len(value) <= most:
        raise RecordError(f"{where} has {len(value)} elements; there may be {_range(least, most)}")
    return value


def read_int(value: object, where: str, least: int = 0, most: int = MAX_INT) -> int:
    """Return an integer within bounds; a boolean is none, and 1.0 is none either."""
    if type(value) is not int:
        raise RecordError(f"{where} must be an integer, not {_kind(value)}")
    if not least <= value <= most:
        raise RecordError(f"{where} is {_digits(value)}; it may be {_range(least, most)}")
    return value


def read_text(
    value: object, where: str, pattern: re.Pattern[str] | None = None, *, most: int = MAX_TEXT, least: int = 0
) -> str:
    """Return a bounded string of valid Unicode that fits a pattern, if one is given."""
    if not isinstance(value, str):
        raise RecordError(f"{where} must be a string, not {_kind(value)}")
    if not least <= len(value) <= most:
        raise RecordError(f"{where} has {len(value):,} characters; there may be {_range(least, most)}")
    if pattern is not None and pattern.fullmatch(value) is None:
        raise RecordError(f"{where} is {_shown(value)}, which does not match {pattern.pattern}")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise RecordError(f"{where} is {_shown(value)}, which is no valid Unicode") from None
    return value


def read_choice(value: object, where: str, choices: Collection[str]) -> str:
    """Return one of the strings that are allowed."""
    if not isinstance(value, str) or value not in choices:
        raise RecordError(f"{where} is {_shown(value)}; it may be {', '.join(choices)}")
    return value


def read_u64(value: object, where: str) -> int:
    """Return an unsigned 64-bit integer that is written as a decimal string."""
    text = read_text(value, where, _DECIMAL)
    if int(text) >= U64:
        raise RecordError(f"{where} is {text}, which is beyond 64 bits")
    return int(text)


def _range(least: int, most: int) -> str:
    return f"at least {least}" if most == MAX_INT else f"{least} to {most:,}"


def _kind(value: object) -> str:
    names = {dict: "an object", list: "a list", str: "a string", bool: "a boolean", type(None): "null"}
    return names.get(type(value), "a number")


def _digits(value: int) -> str:
    try:
        text = str(value)
    except ValueError:  # thousands of digits, which no reader of ours lets pass
        return "a number of thousands of digits"
    return text if len(text) <= 60 else f"a number of {len(text):,} digits"


def _shown(value: object) -> str:
    text = ascii(value)
    return text if len(text) <= 60 else text[:57] + "..."
