"""Compact text for a page's data: numbers as one or two characters, and columns of values that seldom change.

The texts contain none of the characters that JSON or HTML escape. ``templates/static/board.js`` decodes them,
``replay.js`` integers and steps.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import compress, pairwise
from operator import ne

from tourney.games.diagrams import FIELD

ALPHABET = "".join(c for c in map(chr, range(33, 127)) if c not in "\"\\<>&'")
"""The digits: 88 characters, without the blank that separates texts."""
_ONE = 62  # numbers below it have one character
_TWO = 24  # further characters that begin a number of two; the last two begin one of four
_BASE = len(ALPHABET)

_HALF = _BASE // 2

SAME, COUNT, ALTERNATE, SPLICE = "=+~/"
"""Predictions of a column's values: the value before, one more than it, the value before the last, or the
value before without the common start and end."""

RUN = "'"
"""Begins several things of one sprite; no digit."""

_LONG = 16  # characters from which values are spliced


def number(n: int) -> str:
    """The code of a number from 0 to 1,000,000: no code is the start of another."""
    if n < _ONE:
        return ALPHABET[n]
    n -= _ONE
    if n < _TWO * _BASE:
        return ALPHABET[_ONE + n // _BASE] + ALPHABET[n % _BASE]
    n -= _TWO * _BASE
    high, low = divmod(n, _BASE)
    top, high = divmod(high, _BASE)
    over, top = divmod(top, _BASE)
    return ALPHABET[_ONE + _TWO + over] + ALPHABET[top] + ALPHABET[high] + ALPHABET[low]


def integers(values: Iterable[int | None]) -> str:
    """The code of integers of any size, blanks for None: no code is the start of another.

    The digits have base 44; all but the last are from the second half of the alphabet. A number n is
    written as 2n, or as -2n - 1 if it is negative.
    """
    return "".join([" " if n is None else _integer(n) for n in values])


def steps(values: Iterable[int | None]) -> str:
    """The code of the differences of integers; None is passed over."""
    differences: list[int | None] = []
    before = 0
    for value in values:
        differences.append(None if value is None else value - before)
        before = before if value is None else value
    return integers(differences)


@lru_cache(maxsize=1 << 14)
def _integer(n: int) -> str:
    # Zigzag: small negative numbers get short codes too.
    n, digit = divmod(2 * n if n >= 0 else -2 * n - 1, _HALF)
    code = ALPHABET[digit]
    while n:
        n, digit = divmod(n, _HALF)
        code = ALPHABET[_HALF + digit] + code
    return code


def column(values: Sequence[str]) -> str:
    """The code of a column of texts without blanks: its way of prediction and the other values.

    The first value follows the way; then, after a blank each, the plies since the last such entry, as a
    number, and the value. ``SPLICE`` puts the lengths of the common start and end before the rest of a value.
    """
    before = values[0]
    same = list(compress(range(1, len(values)), map(ne, values[1:], values)))
    if not same:
        return SAME + before
    # Long values, as whole positions, change in one place; short ones are cheaper to repeat.
    if max(map(len, values)) > _LONG:
        return _entries(SPLICE, before, same, [_splice(values[k - 1], values[k]) for k in same])
    best = same
    way = SAME
    # Most values change, as in turns: the value before the last may predict better.
    if 2 * len(same) > len(values):
        alternate = [1, *compress(range(2, len(values)), map(ne, values[2:], values))]
        if len(alternate) < len(best):
            best = alternate
            way = ALTERNATE
    if before.isascii() and before.isdecimal() and 3 * len(best) > len(values):
        counted = list(compress(range(1, len(values)), map(ne, values[1:], map(_next, values))))
        if len(counted) < len(best):
            best = counted
            way = COUNT
    return _entries(way, before, best, [values[k] for k in best])


def _entries(way: str, first: str, places: Sequence[int], texts: Sequence[str]) -> str:
    words = [way + first]
    at = 0
    for place, text in zip(places, texts, strict=True):
        words.append(number(place - at) + text)
        at = place
    return " ".join(words)


@lru_cache(maxsize=1 << 12)
def _next(text: str) -> str:
    return str(int(text) + 1) if text.isascii() and text.isdecimal() and len(text) < 10 else ""


def _splice(old: str, new: str) -> str:
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    return number(head) + number(tail) + new[head : len(new) - tail]


def _common(a: str, b: str) -> int:
    """The length of the common start of two texts."""
    low = 0
    high = min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def prefixed(texts: Sequence[str]) -> list[str]:
    """The code of texts: each as the length of the start that it shares with the one before, and the rest."""
    shared = [_common(before, text) for before, text in pairwise(("", *texts))]
    return [number(head) + text[head:] for head, text in zip(shared, texts, strict=True)]


def columns(texts: Sequence[str]) -> list[list[str]]:
    """The code of texts that are fields separated by blanks: per field its separator and its columns.

    A field is split by ``/``, ``,`` or ``:`` into columns if it always has as many of them. Texts with
    different numbers of fields are one column, without a separator, with ``FIELD`` for their blanks.
    """
    rows = [text.split(" ") for text in texts]
    if len(set(map(len, rows))) > 1:
        return [["", column([text.replace(" ", FIELD) for text in texts])]]
    fields = []
    for values in zip(*rows, strict=True):
        separator = next((c for c in "/,:" if c in values[0] and _steady(values, c)), "")
        parts = zip(*[value.split(separator) for value in values], strict=True) if separator else (values,)
        fields.append([separator, *map(column, parts)])
    return fields


def _steady(values: Sequence[str], separator: str) -> bool:
    return len({value.count(separator) for value in values}) == 1
