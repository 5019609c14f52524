"""Strikes: matches that were lost because a bot did not start; three of them bench it."""

from collections.abc import Iterator, Sequence
from typing import Final

MAX_STARTUP_FAILURES: Final = 3
"""Who failed at start-up so often is benched."""


def startup_failures(seats: Sequence[int], faults: Sequence[str | None]) -> Iterator[int]:
    """Yield who of a match has a strike: who sat in it, and each seat's fault or None.

    A match in which all failed at start-up is nobody's strike: more likely it was the machine.
    """
    if set(faults) != {"startup"}:
        for entrant, fault in zip(seats, faults, strict=True):
            if fault == "startup":
                yield entrant
