"""JSON from outside: what nothing of Tourney's can hold is refused in plain words, before it does harm."""

import json
import sys
from collections import Counter
from typing import Any, Final

MAX_DEPTH: Final = 32
"""Lists and objects within each other; the deepest of Tourney's own data has less than ten."""


def loads(data: bytes | str, *, unique: bool = False) -> Any:
    """Return the value of a JSON text; bytes must be UTF-8. With ``unique`` no object has a key twice.

    Raises ValueError with a phrase that says what is wrong, never with advice meant for programmers: also for
    what Python would read but JSON does not know (NaN, Infinity), for numbers of thousands of digits, and for
    lists and objects nested more than ``MAX_DEPTH`` deep.
    """
    try:
        text = data if isinstance(data, str) else data.decode("utf-8")
        value = json.loads(
            text, parse_constant=_refuse_constant, object_pairs_hook=_unique if unique else None
        )
    except RecursionError:
        raise ValueError(_DEEP) from None
    except UnicodeDecodeError as error:
        raise ValueError(f"byte {error.start} is no UTF-8") from None
    except json.JSONDecodeError as error:
        raise ValueError(_plain(error)) from None
    except _PhraseError:
        raise
    except ValueError:
        # The interpreter's own, and the only one left: it reads no longer numbers, and says how it could.
        raise ValueError(f"a number has more than {sys.get_int_max_str_digits():,} digits") from None
    if _too_deep(value):
        raise ValueError(_DEEP)
    return value


_DEEP: Final = f"lists or objects are nested more than {MAX_DEPTH} deep"


_NESTING: Final = (list, dict)


class _PhraseError(ValueError):
    """What the hooks raise: it says what is wrong already."""


def _refuse_constant(name: str) -> Any:
    raise _PhraseError(f"{name} is no number of JSON")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        twice = next(key for key, count in counts.items() if count > 1)
        raise _PhraseError(f"the key {ascii(twice)[:60]} is there twice in one object")
    return found


def _plain(error: json.JSONDecodeError) -> str:
    if error.msg.startswith("Unexpected UTF-8 BOM"):
        return "it begins with a byte order mark, which JSON does not have"
    return str(error)


def _too_deep(value: Any) -> bool:
    level = [value] if value.__class__ in _NESTING else []
    for _ in range(MAX_DEPTH):
        level = [
            item
            for outer in level
            for item in (outer.values() if outer.__class__ is dict else outer)
            if item.__class__ in _NESTING
        ]
    return bool(level)
