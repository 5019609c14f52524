"""A line of the standings as a format ranks it."""

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Line:
    """An entrant's place.

    ``rank`` is 1 + the number of entrants that are better; equal ones share it. ``points`` are those by which
    it ranks, ``awarded`` the part of them that no match gave (byes). ``values`` holds the tie-breaks in the
    order in which they are applied, None where one says nothing of this entrant.
    """

    rank: int
    number: int
    points: Fraction
    awarded: Fraction
    values: tuple[tuple[str, Fraction | None], ...]
