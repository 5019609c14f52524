"""The draw probability: how often neighbours in the final order are tied, per game and number of seats.

TrueSkill wants it from outside. It is estimated once from results and then kept: a number that followed the
results would move every rating with every match.
"""

from collections.abc import Iterable
from itertools import pairwise

import trueskill

from tourney.ratings.values import Forfeits, RatedResult, rated

DEFAULTS: dict[tuple[str, int], float] = {}
"""Per game and number of seats, where something better than the package's default is known."""


def default(game: str, seats: int) -> float:
    """Return the draw probability a game is rated with when nobody names another."""
    probability: float = DEFAULTS.get((game, seats), trueskill.DRAW_PROBABILITY)
    return probability


def estimate(results: Iterable[RatedResult], forfeits: Forfeits = "loss") -> float:
    """Return the share of neighbours in the order of ranks that are tied, to 4 decimals, never 0 or 1.

    (ties + 1) / (neighbours + 2), Laplace's rule of succession: a pool without a draw yet may have one later.
    At two seats it is the share of draws.
    """
    ties = neighbours = 0
    for result in rated(results, forfeits):
        ordered = sorted(result.ranks)
        neighbours += len(ordered) - 1
        ties += sum(a == b for a, b in pairwise(ordered))
    return min(max(round((ties + 1) / (neighbours + 2), 4), 0.0001), 0.9999)
