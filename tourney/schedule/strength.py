"""How strong entrants are, as far as their results tell: estimates that a schedule may use.

The model is Bradley and Terry's (1952) on the scale of Elo: of two entrants the one that is d Elo stronger
is better with probability 1 / (1 + 10**(-d / 400)); equal ranks count as half a win. A match of k seats
counts as its pairs, each with weight 2 / k. Before the first match a strength is normal about what was known
of it. The estimate is the most probable one, and its covariance that of the normal distribution which touches
the posterior there (Laplace).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Final

from tourney.schedule.format import Player
from tourney.schedule.row import ResultRow

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[tuple[int, ...], np.dtype[np.float64]]

UNKNOWN: Final = 35_000
"""The standard deviation of a strength of which nothing is known, in hundredths of Elo."""
_STEPS: Final = 60
_LONGEST: Final = 300.0
_ENOUGH: Final = 1e-7


@dataclass(frozen=True)
class Strengths:
    """Estimates in Elo, by number, and their covariance.

    ``rating`` and ``deviation`` (of the difference from the mean of all) are rounded to whole hundredths.
    """

    mean: "Array"
    covariance: "Array"

    @property
    def rating(self) -> tuple[int, ...]:
        """Each one's strength less the mean of all, in hundredths of Elo."""
        return tuple(round(100 * value) for value in (self.mean - self.mean.mean()).tolist())

    @property
    def deviation(self) -> tuple[int, ...]:
        """The standard deviation of each one's rating, in hundredths of Elo."""
        rows = self.covariance.mean(axis=0)
        variance = self.covariance.diagonal() - 2 * rows + rows.mean()
        return tuple(round(100 * max(value, 0.0) ** 0.5) for value in variance.tolist())


def information(games: int, seats: int, difference: int) -> float:
    """Return what so many matches tell of a difference of strength, as 1 / variance in Elo.

    ``difference`` is how many hundredths of Elo the one is stronger than the other.
    """
    better = 1 / (1 + 10 ** (-difference / 40_000))
    return games * 2 / seats * _scale() ** 2 * better * (1 - better)


def estimate(players: Sequence[Player], results: Iterable[ResultRow], seats: int) -> Strengths:
    """Return the strengths of all players, whose ``rating`` and ``deviation`` are what was known before."""
    import numpy as np  # noqa: PLC0415 - slow to import, and only this needs it

    count = len(players)
    games = np.zeros((count, count))
    wins = np.zeros((count, count))
    for result in results:
        if result.void:
            continue
        for i, j in combinations(range(len(result.ranks)), 2):
            a, b = result.entrants[i], result.entrants[j]
            better = (result.ranks[i] < result.ranks[j]) + (result.ranks[i] <= result.ranks[j])
            games[a, b] += 2 / seats
            games[b, a] += 2 / seats
            wins[a, b] += better / seats
            wins[b, a] += (2 - better) / seats
    before = np.array([(player.rating or 0) / 100 for player in players])
    known = [UNKNOWN if player.deviation is None else max(player.deviation, 1) for player in players]
    precision = np.diag([(100 / deviation) ** 2 for deviation in known])
    mean = before.copy()
    scale = _scale()
    for _ in range(_STEPS):
        better = 1 / (1 + np.exp(scale * (mean[None, :] - mean[:, None])))
        slope = scale * (wins - games * better).sum(axis=1) - precision @ (mean - before)
        weights = scale**2 * games * better * (1 - better)
        curvature = np.diag(weights.sum(axis=1)) - weights + precision
        step = np.linalg.solve(curvature, slope)
        mean = mean + np.clip(step, -_LONGEST, _LONGEST)
        if np.abs(step).max(initial=0.0) < _ENOUGH:
            break
    return Strengths(mean, np.linalg.inv(curvature))


def _scale() -> float:
    """Return the natural logarithm of the odds that one Elo is worth."""
    return 2.302585092994046 / 400
