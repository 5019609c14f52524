"""OpenSpiel's texts in the strings of Tourney: percent-encoded, and decoded again."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final
from urllib.parse import quote, unquote

from tourney.errors import ActionError

MAX_ACTION: Final = 200
"""The most characters of an action string."""
_PLAIN: Final = "".join(chr(code) for code in range(ord("!"), ord("~") + 1) if chr(code) != "%")
_AS_IT_IS = re.compile(r"[!-$&-~]*", re.ASCII)
_ENCODED = re.compile(r"(?:[!-$&-~]|%[0-9A-F]{2})+", re.ASCII)


def encode(text: str) -> str:
    """Return a text as ASCII without blanks: ``%`` and all bytes (UTF-8) but ``!`` to ``~`` are ``%XX``."""
    if _AS_IT_IS.fullmatch(text) is not None:
        return text
    return quote(text, safe=_PLAIN, errors="surrogateescape")


_encode_known = lru_cache(maxsize=1 << 16)(encode)
"""The same for texts of actions, which come again and again."""


def decode(text: str) -> str:
    """Return the text that ``encode`` was given."""
    return unquote(text, errors="surrogateescape")


def check_action(text: str) -> str:
    """Return an action string, or raise ActionError where no action has this string."""
    if (
        len(text) > MAX_ACTION
        or _ENCODED.fullmatch(text) is None
        or text == "?"
        or encode(decode(text)) != text
    ):
        raise ActionError(f"{text[:60]!r} is no action string of OpenSpiel, percent-encoded")
    return text


def action_strings(texts: Sequence[str], codes: Sequence[int]) -> list[str]:
    """Return unique strings of the actions of one state, from OpenSpiel's texts and codes.

    An action's text that is empty, ``?``, too long, or that of another action, gets ``~CODE`` behind it.
    """
    encoded = [_encode_known(text) for text in texts]
    once = len(set(encoded)) == len(encoded)
    if once and all(text and text != "?" and len(text) <= MAX_ACTION for text in encoded):
        return encoded
    seen: dict[str, int] = {}
    for text in encoded:
        seen[text] = seen.get(text, 0) + 1
    found = []
    for text, code in zip(encoded, codes, strict=True):
        if seen[text] > 1 or not text or text == "?" or len(text) > MAX_ACTION:
            end = f"~{code}"
            cut = text[: MAX_ACTION - len(end)] if len(text) > MAX_ACTION - len(end) else text
            found.append(re.sub(r"%[0-9A-F]?\Z", "", cut) + end)
        else:
            found.append(text)
    return found
