"""Lists of legal actions that fit on a screen: numbered columns or, of many, their beginnings."""

from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import Final

from tourney.play.words import beginning_with

FEW: Final = 12
"""So many actions are listed unasked."""
MOST: Final = 60
"""More actions than these are not listed; their beginnings are."""
MOST_GROUPS: Final = 40


def listing(legal: Sequence[str], prefix: str, width: int) -> list[str]:
    """Return lines that list the legal actions which begin with a prefix, with their numbers among all.

    Of more than ``MOST`` the beginnings are listed, each with how many begin so.
    """
    numbers = {action: number for number, action in enumerate(legal, start=1)}
    found = beginning_with(prefix, legal)
    if not found:
        return [f"no legal action begins with {prefix[:40]!r}"]
    if len(found) <= MOST:
        return columns((f"{numbers[action]:>{len(str(len(legal)))}} {action}" for action in found), width)
    texts = (
        f"{_shared(group)}..  {len(group)}" if group[1:] else f"{group[0]}  (number {numbers[group[0]]})"
        for group in _groups(found)
    )
    return [f"{len(found)} actions, by how they begin; `moves PREFIX` lists one lot:", *columns(texts, width)]


def summary(legal: Sequence[str], width: int) -> list[str]:
    """Return what a person is told of the legal actions unasked: all of them if they are few."""
    if len(legal) <= FEW:
        return listing(legal, "", width)
    example = max(legal)[: len(_shared(legal)) + 1]
    return [f"{len(legal)} legal actions; `moves` lists them, `moves {example}` those that begin so"]


def columns(texts: Iterable[str], width: int) -> list[str]:
    """Return texts in as many columns as fit, to be read line by line."""
    cells = list(texts)
    if not cells:
        return []
    widest = max(map(len, cells)) + 3
    per_line = max(1, (width + 3) // widest)
    rows = [cells[k : k + per_line] for k in range(0, len(cells), per_line)]
    return ["".join(cell.ljust(widest) for cell in row).rstrip() for row in rows]


def _groups(actions: Sequence[str]) -> list[list[str]]:
    """Part actions by their beginnings: the longest of one length that make few enough."""
    shortest = len(_shared(actions)) + 1
    groups: dict[str, list[str]] = {}
    for length in range(shortest, max(map(len, actions)) + 1):
        finer: dict[str, list[str]] = {}
        for action in actions:
            finer.setdefault(action[:length], []).append(action)
        if groups and len(finer) > MOST_GROUPS:
            break
        groups = finer
    return list(groups.values())


def _shared(actions: Sequence[str]) -> str:
    """Return what all of some actions begin with."""
    pairs = zip(min(actions), max(actions), strict=False)
    return "".join(letter for letter, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
