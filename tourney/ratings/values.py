"""What ratings are made from and what they give, as frozen values.

Nothing here knows the store: the store's rows of results fit ``RatedResult`` as they are.
"""

from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple, Protocol

Forfeits = Literal["loss", "void"]
"""What a fault is for ratings: a loss, as the ranks say, or a match that is left out."""


class RatedResult(Protocol):
    """A finished match as ratings see it; per seat, in seat order, what is plural.

    ``key`` is (round, table, repeat, order): its order is the schedule order, and matches that agree in the
    first three are one mirrored group (they share dice and opening). ``entrants`` are numbers, each at most
    once. ``faults`` holds a fault's kind or None. A void match counts for nothing.
    """

    @property
    def key(self) -> tuple[int, int, int, int]: ...  # noqa: D102 - described above
    @property
    def entrants(self) -> tuple[int, ...]: ...  # noqa: D102 - described above
    @property
    def ranks(self) -> tuple[int, ...]: ...  # noqa: D102 - described above
    @property
    def faults(self) -> tuple[str | None, ...]: ...  # noqa: D102 - described above
    @property
    def void(self) -> bool: ...  # noqa: D102 - described above


class Result(NamedTuple):
    """The plain form of a ``RatedResult``."""

    key: tuple[int, int, int, int]
    entrants: tuple[int, ...]
    ranks: tuple[int, ...]
    faults: tuple[str | None, ...] = ()
    void: bool = False


class Rating(NamedTuple):
    """A line of the TrueSkill table, as published: mu and sigma to 3 decimals.

    ``exposed`` is mu - 3 sigma, of the published numbers, so that a reader gets the same. ``rank`` is 1 + the
    number of entrants with a higher exposed rating. ``games`` counts the matches that were rated.
    """

    rank: int
    entrant: int
    mu: float
    sigma: float
    exposed: float
    games: int


def rated(results: Iterable[RatedResult], forfeits: Forfeits = "loss") -> Iterator[RatedResult]:
    """Yield the results that count: none that is void, and with ``forfeits="void"`` none with a fault."""
    for result in results:
        if not result.void and not (forfeits == "void" and any(result.faults)):
            yield result
