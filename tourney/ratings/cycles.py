"""Cycles: which bots beat each other in a circle.

All of it rests on the expected score of each pair. The fit of one number a bot explains the pairs' scores up
to residuals. Their excess over chance is taken for a deviation of each pair from its ratings, normal around
0 and independent of the others, and each pair's own deviation is shrunk accordingly (a random effect; its
variance by DerSimonian and Laird's moments, "Meta-analysis in clinical trials", Controlled Clinical Trials 7,
1986). With more than two seats a pair's score counts who finished ahead of the other.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final, NamedTuple

import numpy as np

from tourney.ratings.counts import Floats
from tourney.ratings.fit import PairFit, published
from tourney.ratings.superiority import los

SIGNIFICANT: Final = 0.01
"""The p-value of the test of fit below which cycles are looked for."""
LEAST: Final = 0.01
"""The deviation of pairs' scores below which no bot's author need care, however significant it is."""
MOST: Final = 100
"""Most entrants whose cycles and evaluations are computed: the work grows with their number cubed."""
SHOWN: Final = 5
"""Most cycles in the result."""


class Cycle(NamedTuple):
    """Three entrants, each better than the next and the last better than the first.

    ``scores`` (3 decimals): what each is expected to score against the next. ``probability`` (3 decimals):
    that all three are truly above one half.
    """

    entrants: tuple[int, int, int]
    scores: tuple[float, float, float]
    probability: float


@dataclass(frozen=True, slots=True)
class PoolCycles:
    """What is known where one number a bot does not explain the results of tables with ``seats``.

    ``deviation`` (3 decimals): by how much a pair's expected score differs from what its ratings say, as a
    standard deviation. ``cycles``: the most probable ones, at most ``SHOWN``, each more probable than not;
    None beyond ``MOST`` entrants. ``drift``: the p-value of no change between the halves of the results, None
    if it is not tested; below ``SIGNIFICANT`` no cycle is named.
    """

    seats: int
    deviation: float
    cycles: tuple[Cycle, ...] | None
    drift: float | None = None

    @property
    def changed(self) -> bool:
        """Whether strengths changed, so that no cycle is named."""
        return self.drift is not None and self.drift < SIGNIFICANT


def find_cycles(
    order: Sequence[int], numbers: Sequence[int], strengths: Floats, fitted: PairFit, seats: int
) -> PoolCycles | None:
    """The cycles of n entrants; None if pairs deviate by less than ``LEAST``.

    ``order`` has their positions in the order of the table; ``numbers`` (entrants' numbers) and ``strengths``
    (in natural units) are by position, as in ``fitted``, whose pairs must leave a degree of freedom.
    """
    deviation = _deviation(fitted)
    if deviation < LEAST:
        return None
    if len(order) > MOST:
        return PoolCycles(seats, published(deviation, 3), None)
    score, spread = _expected_scores(order, strengths, fitted, deviation)
    triples = _triples([numbers[position] for position in order], score, spread)
    return PoolCycles(seats, published(deviation, 3), triples)


def _deviation(fitted: PairFit) -> float:
    """The standard deviation of pairs' expected scores from their ratings, by moments (see the module)."""
    games = fitted.totals.games
    residual, by_chance = fitted.residual / games, fitted.variance / games**2
    varied = by_chance > 0
    freedom = fitted.goodness.freedom
    excess = float(np.sum(residual[varied] ** 2 / by_chance[varied])) - freedom
    weight = float(np.sum(1 / by_chance[varied])) * freedom / max(int(np.sum(varied)), 1)
    return math.sqrt(max(excess, 0.0) / weight) if weight else 0.0


_DIGITS: Final = 4
"""Decimals of the scores from which evaluations follow, so that rounding errors do not change these."""


def _expected_scores(
    order: Sequence[int], strengths: Floats, fitted: PairFit, deviation: float
) -> tuple[Floats, Floats]:
    """What each entrant of the table is expected to score against each other, (n, n), and the spread."""
    n = len(order)
    place = np.empty(n, dtype=np.int64)
    place[list(order)] = np.arange(n)
    totals = fitted.totals
    a, b, games = place[totals.a], place[totals.b], totals.games
    residual, by_chance = fitted.residual / games, fitted.variance / games**2
    ordered = strengths[list(order)]
    gap = ordered[:, None] - ordered[None, :]
    score: Floats = 1 / (1 + np.exp(-gap))
    spread = np.full((n, n), deviation)
    # A pair that met is shrunk towards its ratings, more so the less its games say; one that never met has
    # only its ratings, and the deviation of all pairs as its spread.
    variance = deviation**2 + by_chance
    share = np.divide(deviation**2, variance, out=np.zeros_like(variance), where=variance > 0)
    expected = np.clip(totals.expected / games + share * residual, 0.0, 1.0)
    score[a, b], score[b, a] = expected, 1 - expected
    spread[a, b] = spread[b, a] = np.sqrt(share * by_chance)
    score = np.round(score, _DIGITS)
    score = np.where(np.tri(n, dtype=bool), 1 - score.T, score)  # exactly skew around one half
    np.fill_diagonal(score, 0.5)
    return score, spread


def _triples(numbers: Sequence[int], score: Floats, spread: Floats) -> tuple[Cycle, ...]:
    """The most probable cycles, each from its best rated entrant on."""
    better = [
        [los(float(score[i, j]) - 0.5, float(spread[i, j])) for j in range(len(numbers))]
        for i in range(len(numbers))
    ]
    candidates: list[tuple[float, float, tuple[int, int, int]]] = []
    for i, j, k in combinations(range(len(numbers)), 3):
        # Three bots have two directions of a circle; at most one of them can be more probable than not.
        for x, y, z in ((i, j, k), (i, k, j)):
            probability = better[x][y] * better[y][z] * better[z][x]
            if probability > 0.5:
                least = min(float(score[x, y]), float(score[y, z]), float(score[z, x]))
                candidates.append((-published(probability, 3), -least, (x, y, z)))
    return tuple(
        Cycle(
            (numbers[x], numbers[y], numbers[z]),
            (published(score[x, y], 3), published(score[y, z], 3), published(score[z, x], 3)),
            -negated,
        )
        for negated, _, (x, y, z) in sorted(candidates)[:SHOWN]
    )


_STEPS: Final = 100
"""Most steps of Newton's method."""
_ENOUGH: Final = 1e-11
"""The error at which they end."""
_CENTRED: Final = 0.2
"""The part of the value that is left after a whole step of the interior-point method."""
_INSIDE: Final = 0.95
"""The part of the way to the border that a step goes at most."""
