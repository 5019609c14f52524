"""The draw probability: the share of ties between neighbours in the final order, per game and seats.

It is an input of TrueSkill. It is estimated once from results and then stored: a value that followed the
results would change every rating with every match.
"""

from collections.abc import Iterable, Mapping
from itertools import pairwise

import trueskill

from tourney.errors import GameError
from tourney.games.registry import find_game
from tourney.ratings.method import Forfeits, rated
from tourney.schedule.row import ResultRow


def default_draw_probability(game: str, seats: int, options: Mapping[str, str] | None = None) -> float:
    """Return the default draw probability of a game.

    The trueskill package's default, except in a game with a single winner: its rules tie (seats - 2) of the
    (seats - 1) pairs of neighbours. A game whose rules are not installed gets the package's default.
    """
    if seats > 2 and _has_single_winner(game, seats, options):
        return round((seats - 2) / (seats - 1), 4)
    probability: float = trueskill.DRAW_PROBABILITY
    return probability


def _has_single_winner(game: str, seats: int, options: Mapping[str, str] | None) -> bool:
    try:
        rules = find_game(game)
        return rules.has_single_winner(*rules.settings(seats, options))
    except GameError:
        return False


def estimate_draw_probability(results: Iterable[ResultRow], forfeits: Forfeits = "loss") -> float:
    """Return the share of tied neighbours in the order of ranks, to 4 decimals, never 0 or 1.

    It is (ties + 1) / (neighbours + 2), Laplace's rule of succession: a pool without draws may have one
    later. At two seats it is the share of draws.
    """
    ties = neighbours = 0
    for result in rated(results, forfeits):
        ordered = sorted(result.ranks)
        neighbours += len(ordered) - 1
        ties += sum(a == b for a, b in pairwise(ordered))
    return min(max(round((ties + 1) / (neighbours + 2), 4), 0.0001), 0.9999)
