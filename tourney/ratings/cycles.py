"""Cycles: which bots beat each other in a circle, and evaluations that allow for it.

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
from numpy.typing import NDArray

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
MUTATION: Final = 0.01
"""How likely alpha-rank takes a worse bot for a better one, against the opposite."""


class Cycle(NamedTuple):
    """Three entrants, each better than the next and the last better than the first.

    ``scores`` (3 decimals): what each is expected to score against the next. ``probability`` (3 decimals):
    that all three are truly above one half.
    """

    entrants: tuple[int, int, int]
    scores: tuple[float, float, float]
    probability: float


class Evaluation(NamedTuple):
    """An entrant's values (3 decimals) that allow for cycles.

    ``lottery``: its share in the lottery against which no bot scores more than one half, the one of the
    largest entropy. ``against``: its expected score against that lottery. ``alpha``: its share by
    alpha-rank: of the time in a world where a bot is replaced again and again by one that beats it.
    """

    entrant: int
    lottery: float
    against: float
    alpha: float


@dataclass(frozen=True, slots=True)
class PoolCycles:
    """What is known where one number a bot does not explain the results of tables with ``seats``.

    ``deviation`` (3 decimals): by how much a pair's expected score differs from what its ratings say, as a
    standard deviation. ``cycles``: the most probable ones, at most ``SHOWN``, each more probable than not.
    ``evaluations`` are in the order of the table. Both are empty beyond ``MOST`` entrants. ``drift``: the
    p-value of no change between the halves of the results, None if it is not tested; below ``SIGNIFICANT`` no
    cycle is named.
    """

    seats: int
    deviation: float
    cycles: tuple[Cycle, ...]
    evaluations: tuple[Evaluation, ...]
    drift: float | None = None

    @property
    def changed(self) -> bool:
        """Whether strengths changed, so that no cycle is named."""
        return self.drift is not None and self.drift < SIGNIFICANT


def find_cycles(
    order: Sequence[int], numbers: Sequence[int], strengths: Floats, fitted: PairFit, seats: int
) -> PoolCycles | None:
    """The cycles and evaluations of n entrants; None if pairs deviate by less than ``LEAST``.

    ``order`` has their positions in the order of the table; ``numbers`` (entrants' numbers) and ``strengths``
    (in natural units) are by position, as in ``fitted``, whose pairs must leave a degree of freedom.
    """
    deviation = _deviation(fitted)
    if deviation < LEAST:
        return None
    if len(order) > MOST:
        return PoolCycles(seats, published(deviation, 3), (), ())
    score, spread = _expected_scores(order, strengths, fitted, deviation)
    lottery = maximal_lottery(score - 0.5)
    alpha = alpha_rank(score)
    against = score @ lottery
    return PoolCycles(
        seats,
        published(deviation, 3),
        _triples([numbers[position] for position in order], score, spread),
        tuple(
            Evaluation(
                numbers[position], published(lottery[k], 3), published(against[k], 3), published(alpha[k], 3)
            )
            for k, position in enumerate(order)
        ),
    )


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
    known = deviation**2 + by_chance
    share = np.divide(deviation**2, known, out=np.zeros_like(known), where=known > 0)
    found = np.clip(totals.expected / games + share * residual, 0.0, 1.0)
    score[a, b], score[b, a] = found, 1 - found
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
    found: list[tuple[float, float, tuple[int, int, int]]] = []
    for i, j, k in combinations(range(len(numbers)), 3):
        # Three bots have two directions of a circle; at most one of them can be more probable than not.
        for x, y, z in ((i, j, k), (i, k, j)):
            probability = better[x][y] * better[y][z] * better[z][x]
            if probability > 0.5:
                least = min(float(score[x, y]), float(score[y, z]), float(score[z, x]))
                found.append((-published(probability, 3), -least, (x, y, z)))
    return tuple(
        Cycle(
            (numbers[x], numbers[y], numbers[z]),
            (published(score[x, y], 3), published(score[y, z], 3), published(score[z, x], 3)),
            -negated,
        )
        for negated, _, (x, y, z) in sorted(found)[:SHOWN]
    )


_STEPS: Final = 100
"""Most steps of Newton's method."""
_ENOUGH: Final = 1e-11
"""The error at which they end."""
_CENTRED: Final = 0.2
"""The part of the value that is left after a whole step of the interior-point method."""
_INSIDE: Final = 0.95
"""The part of the way to the border that a step goes at most."""


def maximal_lottery(margins: Floats) -> Floats:
    """The lottery that no entrant beats, of the largest entropy, (n).

    ``margins`` (n, n) is skew-symmetric: what the row's entrant wins against the column's. The lottery is an
    equilibrium of that zero-sum game: a maximal lottery (Fishburn, "Probabilistic social choice based on
    simple voting comparisons", Review of Economic Studies 51, 1984), and the Nash average of Balduzzi and
    others ("Re-evaluating evaluation", NeurIPS 2018).
    """
    n = len(margins)
    largest = float(np.abs(margins).max(initial=0.0))
    if largest == 0:
        return np.full(n, 1 / n)
    game = margins / largest
    shares, slack = _central(game)
    inside = shares > slack
    return _most_even(game, np.where(inside, shares, 0.0), inside)


def _central(game: Floats) -> tuple[Floats, Floats]:
    """A lottery x that no entrant beats, and the slack -game x; of each entrant just one is above 0.

    An interior-point method: x and slack = -game x + value are positive, and their products shrink together.
    As the game is skew-symmetric, the value is their sum, and shrinks too.
    """
    n = len(game)
    shares = np.full(n, 1 / n)
    value = 2.0
    slack = value - game @ shares
    for _ in range(_STEPS):
        if value < _ENOUGH:
            break
        system = np.block(
            [[np.diag(slack / shares) - game, np.ones((n, 1))], [np.ones((1, n)), np.zeros((1, 1))]]
        )
        side = np.append(_CENTRED * value / n / shares - slack, 0.0)
        step = np.linalg.solve(system, side)
        change, fall = step[:n], -game @ step[:n] + step[n]
        length = min(1.0, _INSIDE * _room(shares, change), _INSIDE * _room(slack, fall))
        shares, slack = shares + length * change, slack + length * fall
        shares /= shares.sum()
        value = float(shares @ slack)
    return shares, slack


def _room(positive: Floats, change: Floats) -> float:
    """The factor by which a change may be multiplied until a value is 0."""
    falling = change < 0
    return float(np.min(positive[falling] / -change[falling])) if np.any(falling) else math.inf


_SINGULAR: Final = 1e-8
"""Singular values below this are 0."""


def _most_even(game: Floats, shares: Floats, inside: NDArray[np.bool_]) -> Floats:
    """The lottery of the largest entropy among those that no entrant beats, from one of them.

    ``inside``: the entrants with a share in any of them. They all score just 0 against each; the others
    must not score more, which a barrier ensures that falls to nothing.
    """
    shares = shares / shares.sum()
    rows = np.vstack([game[np.ix_(inside, inside)], np.ones(int(inside.sum()))])
    _, sizes, basis = np.linalg.svd(rows)
    # The null space: the moves among equilibria, which change neither a score nor the sum of the shares.
    free = basis[int(np.sum(sizes > _SINGULAR)) :].T
    if not free.size:
        return shares
    outside = game[np.ix_(~inside, inside)]
    mine = shares[inside]
    weight = 1.0
    while weight > _ENOUGH:
        for _ in range(_STEPS):
            slack = -outside @ mine
            slope = free.T @ (np.log(mine) + 1 + weight * (outside.T @ (1 / slack)))
            curved = (free.T / mine) @ free
            bent = outside @ free / slack[:, None]
            step = free @ np.linalg.solve(curved + weight * bent.T @ bent, -slope)
            length = min(1.0, _INSIDE * _room(mine, step), _INSIDE * _room(slack, -outside @ step))
            mine = mine + length * step
            if float(np.abs(step).max()) < _ENOUGH:
                break
        weight /= 10
    shares[inside] = mine
    return shares


def alpha_rank(score: Floats) -> Floats:
    """The stationary shares of alpha-rank's Markov chain, (n), for an infinite alpha.

    ``score`` (n, n): what the row's entrant scores against the column's. From each entrant the chain goes to
    each other with weight 1 - ``MUTATION`` if that one scores more of the two, ``MUTATION`` if less, and 1/2
    if both score the same (Omidshafiei and others, "alpha-Rank: multi-agent evaluation by evolution",
    Scientific Reports 9, 2019; the perturbed chain of its limit).
    """
    n = len(score)
    if n < 2:
        return np.ones(n)
    wins = np.sign(score.T - score)  # of the column's entrant over the row's
    chain = np.where(wins > 0, 1 - MUTATION, np.where(wins < 0, MUTATION, 0.5)) / (n - 1)
    np.fill_diagonal(chain, 0.0)
    np.fill_diagonal(chain, 1 - chain.sum(axis=1))
    # One equation of a stationary distribution follows from the others; the sum of 1 takes its place.
    system = np.vstack([(chain.T - np.eye(n))[:-1], np.ones(n)])
    found: Floats = np.linalg.solve(system, np.eye(n)[-1])
    return found
