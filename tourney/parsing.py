"""Text from outside, JSON and TOML: what no value of Tourney can hold is refused in plain words."""

import json
import sys
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any, Final

MAX_DEPTH: Final = 32
"""Lists, objects and tables within each other; Tourney's own data is less than ten levels deep."""
MAX_BITS: Final = 128
"""Bits of an integer in TOML: twice what any key allows, so that a value that is too large can be printed."""


def read_text(path: Path, most: int) -> str:
    """Return the UTF-8 text of a file of at most ``most`` bytes.

    Raises ValueError with a phrase that goes on after the file's name.
    """
    try:
        with path.open("rb") as file:
            data = file.read(most + 1)
    except OSError as error:
        raise ValueError(f"cannot be read: {error.strerror}") from error
    if len(data) > most:
        raise ValueError(f"is larger than {most:,} bytes")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"is not UTF-8 text: byte {error.start} cannot be read") from error


def parse_json(data: bytes | str, *, unique: bool = False) -> Any:
    """Return the value of a JSON text; bytes must be UTF-8. With ``unique`` no object may repeat a key.

    Raises ValueError with a phrase that says what is wrong, also for what Python reads but JSON does not know
    (NaN, Infinity), for numbers of thousands of digits, and for nesting beyond ``MAX_DEPTH``.
    """
    try:
        text = data if isinstance(data, str) else data.decode("utf-8")
        value = json.loads(
            text, parse_constant=_refuse_constant, object_pairs_hook=_unique if unique else None
        )
    except RecursionError:
        raise ValueError(_too_deep("objects")) from None
    except UnicodeDecodeError as error:
        raise ValueError(f"byte {error.start} is no UTF-8") from None
    except json.JSONDecodeError as error:
        if error.msg.startswith("Unexpected UTF-8 BOM"):
            raise ValueError("it begins with a byte order mark, which JSON does not have") from None
        raise ValueError(str(error)) from None
    except _PhraseError:
        raise
    except ValueError:
        raise ValueError(_too_long()) from None
    if depth_exceeds(value):
        raise ValueError(_too_deep("objects"))
    return value


def parse_toml(text: str) -> dict[str, Any]:
    """Return the tables of a TOML text.

    Raises ValueError with a phrase that says what is wrong, also for nesting beyond ``MAX_DEPTH`` and for
    integers of more than ``MAX_BITS`` bits.
    """
    try:
        data = tomllib.loads(text)
    except RecursionError:
        raise ValueError(_too_deep("tables")) from None
    except tomllib.TOMLDecodeError as error:
        raise ValueError(str(error)) from None
    except ValueError:
        raise ValueError(_too_long()) from None
    if depth_exceeds(data):
        raise ValueError(_too_deep("tables"))
    _check_bits(data)
    return data


class _PhraseError(ValueError):
    """Raised by the hooks of the JSON parser; its text needs no rewording."""


def _too_deep(containers: str) -> str:
    return f"lists or {containers} are nested more than {MAX_DEPTH} deep"


def _too_long() -> str:
    # The only other ValueError of the parsers: the interpreter converts no longer numbers.
    return f"a number has more than {sys.get_int_max_str_digits():,} digits"


def _refuse_constant(name: str) -> Any:
    raise _PhraseError(f"{name} is no number of JSON")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        twice = next(key for key, count in counts.items() if count > 1)
        raise _PhraseError(f"the key {ascii(twice)[:60]} is there twice in one object")
    return found


def depth_exceeds(value: Any) -> bool:
    """Return whether lists and objects are nested beyond ``MAX_DEPTH``."""
    level = [value] if value.__class__ in (list, dict) else []
    for _ in range(MAX_DEPTH):
        level = [
            item
            for outer in level
            for item in (outer.values() if outer.__class__ is dict else outer)
            if item.__class__ in (list, dict)
        ]
    return bool(level)


_PLAIN: Final = bytes(set(range(256)) - set(b"[]{}"))


def is_shallow(text: bytes) -> bool:
    """Return whether a valid JSON text is certainly not nested beyond ``MAX_DEPTH``: in less time.

    False if a string in it has a backslash; ``depth_exceeds`` then says.
    """
    if b"\\" in text:
        return False
    brackets = b"".join(text.split(b'"')[::2]).translate(None, _PLAIN)
    for _ in range(MAX_DEPTH):
        if not brackets:
            return True
        brackets = brackets.replace(b"[]", b"").replace(b"{}", b"")
    return not brackets


def _check_bits(value: Any) -> None:
    if isinstance(value, int) and value.bit_length() > MAX_BITS:
        raise ValueError(f"a number has more than {MAX_BITS} bits")
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _check_bits(item)
