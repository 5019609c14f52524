"""What ratings are made from and what they give, as frozen values.

Ratings are made from ``tourney.schedule.row.ResultRow``; nothing here knows the store.
"""

from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from tourney.schedule.row import ResultRow

Forfeits = Literal["loss", "void"]
"""What a fault is for ratings: a loss, as the ranks say, or a match that is left out."""


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


def rated(results: Iterable[ResultRow], forfeits: Forfeits = "loss") -> Iterator[ResultRow]:
    """Yield the results that count: none that is void, and with ``forfeits="void"`` none with a fault."""
    for result in results:
        if not result.void and not (forfeits == "void" and any(result.faults)):
            yield result
