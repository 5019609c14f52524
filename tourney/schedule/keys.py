"""The keys that formats add to the top of a tournament file: what they are called and what they may hold."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Key:
    """A key of a format's own.

    Its value is kept as an integer or a string: ``flag`` (true or false) as 1 or 0, ``integer`` from ``low``
    to ``high``, ``choice`` as one of ``words``, ``names`` (a list of entrants' names) as the names joined by
    commas. A key that is not given is not kept.
    """

    name: str
    kind: Literal["flag", "integer", "choice", "names"]
    low: int = 0
    high: int = 0
    words: tuple[str, ...] = ()


SEEDING = Key("seeding", "choice", words=("file", "rating"))
"""Whose turn is first: the order of the file, or ratings from the tournaments before in the same database."""


def joined(names: tuple[str, ...]) -> str:
    """Return names as they are kept: no name holds a comma."""
    return ",".join(names)


def parted(value: int | str | None) -> tuple[str, ...]:
    """Return what ``joined`` was given; nothing for a key that was not given."""
    return tuple(str(value).split(",")) if value else ()
