"""Swiss rounds for more than two seats: tables (pods) of near scores, with few meetings again.

The entrants are ranked by score and cut into tables. Then two entrants change places wherever that makes the
sum over all pairs at a table smaller::

    (W * meetings)**2 + (difference of their scores)**2

``meetings`` being how often the two sat together before and W what a win of every match of a round is worth:
to meet once again counts as much as a whole round's win between the two. It ends when no change between
tables that stand near each other helps.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

NEAR: Final = 3
"""Entrants change places between tables that are at most so far apart in the order of scores."""


@dataclass(frozen=True, slots=True)
class Guest:
    """An entrant who is to be seated.

    ``score`` in units; ``rank`` from 0 in seeding order; ``met``: how often it sat with whom; ``rests``: how
    many byes it had, ``rested`` the round of the last (0: none).
    """

    number: int
    score: int
    rank: int
    met: dict[int, int]
    rests: int = 0
    rested: int = 0


def resting(guests: Sequence[Guest], seats: int) -> tuple[Guest, ...]:
    """Return who has a bye: those with the fewest so far, of these the ones with the lowest scores."""
    order = sorted(guests, key=lambda guest: (guest.rests, guest.rested, guest.score, -guest.rank))
    return tuple(order[: len(guests) % seats])


def seat(guests: Sequence[Guest], seats: int, worth: int) -> list[tuple[int, ...]]:
    """Return the tables, best scores first, each by score, then by rank; ``worth`` is W.

    The number of guests must be divisible by ``seats``.
    """
    order = sorted(guests, key=lambda guest: (-guest.score, guest.rank))
    tables = [list(order[start : start + seats]) for start in range(0, len(order), seats)]
    changed = set(range(len(tables)))
    while changed:
        looked, changed = changed, set()
        for one in range(len(tables)):
            for other in range(one + 1, min(len(tables), one + 1 + NEAR)):
                if (one in looked or other in looked) and _improve(tables[one], tables[other], worth):
                    changed |= {one, other}
    for table in tables:
        table.sort(key=lambda guest: (-guest.score, guest.rank))
    tables.sort(key=lambda table: ([-guest.score for guest in table], table[0].rank))
    return [tuple(guest.number for guest in table) for table in tables]


def _improve(one: list[Guest], other: list[Guest], worth: int) -> bool:
    """Exchange entrants of two tables as long as that makes them cheaper; say whether it did."""
    improved = False
    again = True
    while again:
        again = False
        for i, a in enumerate(one):
            for j, b in enumerate(other):
                ours, theirs = one[:i] + one[i + 1 :], other[:j] + other[j + 1 :]
                before = _at(a, ours, worth) + _at(b, theirs, worth)
                if _at(b, ours, worth) + _at(a, theirs, worth) < before:
                    one[i], other[j] = b, a
                    improved = again = True
                    break
            if again:
                break
    return improved


def _at(guest: Guest, others: Sequence[Guest], worth: int) -> int:
    """Return what a guest costs at a table with these others."""
    return sum(
        (worth * guest.met.get(other.number, 0)) ** 2 + (guest.score - other.score) ** 2 for other in others
    )
