"""The draw probability: how often neighbours in the final order are tied, per game and number of seats.

TrueSkill wants it from outside. It is estimated once from results and then kept: a number that followed the
results would move every rating with every match.
"""

from collections.abc import Iterable, Mapping
from itertools import pairwise

import trueskill

from tourney.ratings.values import Forfeits, rated
from tourney.schedule.row import ResultRow

ONE_WINNER = frozenset({"element", "sage-stones"})
"""Games that part a winner from the rest and no more: all other seats share the second rank."""


def default(game: str, seats: int, options: Mapping[str, str] | None = None) -> float:
    """Return the draw probability a game is rated with when nobody names another.

    The package's default; but where a game knows one winner alone, the (seats - 2) ties among the others are
    no accident and say little: of the (seats - 1) neighbours so many are tied by the rules.
    """
    plays_on = (options or {}).get("play-on") == "yes"
    if game in ONE_WINNER and seats > 2 and not plays_on:
        return round((seats - 2) / (seats - 1), 4)
    probability: float = trueskill.DRAW_PROBABILITY
    return probability


def estimate(results: Iterable[ResultRow], forfeits: Forfeits = "loss") -> float:
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
