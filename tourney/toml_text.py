"""TOML from outside, with what is wrong said in plain words; see ``tourney.json_text``."""

import sys
import tomllib
from typing import Any, Final

from tourney.json_text import MAX_DEPTH

MAX_BITS: Final = 128
"""Of an integer: twice what any of ours has, so that a value that is too large can still be printed."""


def loads(text: str) -> dict[str, Any]:
    """Return the tables of a TOML text.

    Raises ValueError with a phrase that says what is wrong: also for lists and tables nested more than
    ``MAX_DEPTH`` deep and for integers of more than ``MAX_BITS`` bits.
    """
    try:
        data = tomllib.loads(text)
    except RecursionError:
        raise ValueError(_DEEP) from None
    except tomllib.TOMLDecodeError as error:
        raise ValueError(str(error)) from None
    except ValueError:
        # The interpreter's own: it reads no longer numbers, and says to programmers how it could.
        raise ValueError(f"a number has more than {sys.get_int_max_str_digits():,} digits") from None
    _check(data, 0)
    return data


_DEEP: Final = f"lists or tables are nested more than {MAX_DEPTH} deep"


def _check(value: Any, depth: int) -> None:
    if depth > MAX_DEPTH:
        raise ValueError(_DEEP)
    if isinstance(value, int) and value.bit_length() > MAX_BITS:
        raise ValueError(f"a number has more than {MAX_BITS} bits")
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for item in inner:
        _check(item, depth + 1)
