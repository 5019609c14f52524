"""Intervals that hold at every look: confidence sequences for numbers that people watch while they grow.

A fixed 95 % interval holds at one look chosen beforehand. A confidence sequence holds at all looks together:
in at most 5 % of runs it excludes the truth at any time, so a run may be watched, and stopped at will. The
boundary is that of ``tourney.schedule.boundary``; its units are mirrored groups of games.
"""

import math
from dataclasses import dataclass

from tourney.ratings.sprt import Estimate, Pairs, estimate
from tourney.schedule.boundary import ALPHA, multiplier, p_value, tuned

__all__ = ["ALPHA", "EVERY_LOOK", "FIXED", "Look", "estimate_now", "multiplier", "p_value", "tuned"]

FIXED = "fixed 95 %"
EVERY_LOOK = "95 % at every look"
"""Names of the two kinds of intervals, as tables and pages print them."""
_ELO = 400 / math.log(10)


@dataclass(frozen=True, slots=True)
class Look:
    """A look at the ratings of an unfinished run, which plans ``games`` of each entrant at ``seats``."""

    games: float
    seats: int

    def deviations(self, variance: float, weight: float, alpha: float = ALPHA) -> float:
        """Return the standard deviations on each side of a contrast of strengths, in Elo.

        ``weight`` is the sum of the contrast's squared weights, and ``variance`` its variance (Elo squared).
        As planned, each strength has the variance of ``games`` even games. A game of k seats, in which places
        go in proportion to strength (Luce 1959), has the information (1 / k) sum over m = 2..k of (1 - 1 / m)
        on a strength in natural units.
        """
        planned = weight * self._variance / self.games
        return multiplier(planned / variance, alpha) if variance > 0 else 0.0

    def games_for(self, variance: float) -> float:
        """Return the even games after which a strength has this variance (Elo squared)."""
        return self._variance / variance

    @property
    def _variance(self) -> float:
        """The variance of a strength after one even game, in Elo squared."""
        return _ELO**2 * self.seats / sum(1 - 1 / places for places in range(2, self.seats + 1))


def estimate_now(pairs: Pairs, planned: float, alpha: float = ALPHA) -> Estimate | None:
    """Return the estimate of mirrored pairs with an interval that holds at every look.

    ``planned``: the pairs for which the interval is tuned. None before the first pair.
    """
    return estimate(pairs, multiplier(sum(pairs) / planned, alpha))
