"""TOML tables read strictly: each value checked with a sentence, and no key passed over."""

import re
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any, NoReturn

from tourney.errors import TournamentError

MISSING = object()


class TomlTable:
    """One table of a file. Every ``take_...`` removes a key; ``finish`` refuses those that are left.

    ``where`` begins every sentence: the file, and the table where it is not the top one. All methods raise
    TournamentError.
    """

    def __init__(self, data: dict[str, Any], where: str) -> None:
        self._data = dict(data)
        self._known: list[str] = []
        self.where = where

    def refuse(self, key: str, what: str) -> NoReturn:
        """Raise the error that a key's value is not what it must be."""
        raise TournamentError(f"{self.where}: {key} {what}")

    def take(self, key: str, default: object = MISSING) -> Any:
        """Return a key's value as it is; without a default it must be there."""
        self._known.append(key)
        value = self._data.pop(key, default)
        if value is MISSING:
            self.refuse(key, "is missing")
        return value

    def text(self, key: str, default: object = MISSING, pattern: re.Pattern[str] | None = None) -> Any:
        """Return a string that matches the whole pattern, or the default."""
        value = self.take(key, default)
        if value is default:
            return value
        if not isinstance(value, str):
            self.refuse(key, f"is {show(value)}, but must be a string")
        if pattern is not None and pattern.fullmatch(value) is None:
            self.refuse(key, f"is {show(value)}, but must match {pattern.pattern}")
        return value

    def integer(self, key: str, low: int, high: int, default: object = MISSING) -> Any:
        """Return an integer within bounds, or the default."""
        value = self.take(key, default)
        if value is default:
            return value
        if not isinstance(value, int) or isinstance(value, bool):
            self.refuse(key, f"is {show(value)}, but must be an integer")
        if not low <= value <= high:
            self.refuse(key, f"is {show(value)}, but must be from {low} to {high}")
        return value

    def flag(self, key: str, default: bool) -> bool:
        """Return true or false."""
        value = self.take(key, default)
        if not isinstance(value, bool):
            self.refuse(key, f"is {show(value)}, but must be true or false")
        return value

    def choice(self, key: str, words: Sequence[str], default: object = MISSING) -> Any:
        """Return one of some words."""
        value = self.take(key, default)
        if value is not default and (not isinstance(value, str) or value not in words):
            self.refuse(key, f"is {show(value)}, but must be {_either(words)}")
        return value

    def texts(self, key: str, default: object = MISSING) -> tuple[str, ...]:
        """Return a list of strings."""
        value = self.take(key, default)
        if not isinstance(value, (list, tuple)) or not all(isinstance(item, str) for item in value):
            self.refuse(key, f"is {show(value)}, but must be a list of strings")
        return tuple(value)

    def table(self, key: str) -> "TomlTable":
        """Return a table; an empty one if it is not there."""
        value = self.take(key, {})
        if not isinstance(value, dict):
            self.refuse(key, f"is {show(value)}, but must be a table: [{key}]")
        return TomlTable(value, f"{self.where}, [{key}]")

    def tables(self, key: str) -> tuple["TomlTable", ...]:
        """Return a list of tables; none if it is not there."""
        value = self.take(key, [])
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            self.refuse(key, f"is {show(value)}, but must be a list of tables: [[{key}]]")
        return tuple(TomlTable(item, f"{self.where}, [[{key}]] {n}") for n, item in enumerate(value, 1))

    def rest(self) -> dict[str, Any]:
        """Return and remove whatever is left."""
        left, self._data = self._data, {}
        return left

    def finish(self) -> None:
        """Refuse a key that nobody took."""
        for key in self._data:
            near = get_close_matches(key, self._known, 1)
            hint = f"; did you mean {near[0]}?" if near else f"; the keys are: {', '.join(self._known)}"
            raise TournamentError(f"{self.where}: there is no key {show(key)}{hint}")


def show(value: object) -> str:
    """Return a value for a sentence, cut short."""
    text = '"' + value + '"' if isinstance(value, str) else str(value)
    if isinstance(value, bool):
        text = text.lower()
    text = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
    return text if len(text) <= 60 else text[:57] + "..."


def _either(words: Sequence[str]) -> str:
    quoted = [f'"{word}"' for word in words]
    return quoted[0] if len(quoted) == 1 else ", ".join(quoted[:-1]) + " or " + quoted[-1]
