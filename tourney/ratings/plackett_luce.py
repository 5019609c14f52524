"""Plackett and Luce's model of an order of k seats, ties averaged over their orders.

R. L. Plackett, "The analysis of permutations", Applied Statistics 24 (1975): the first is chosen in
proportion to the strengths of all, the second to those of the rest, and so on. The order of a tie is unknown:
its likelihood is the mean over all orders that it leaves open (Kalbfleisch and Prentice, "Marginal
likelihoods based on Cox's regression and life model", Biometrika 60, 1973). So entrants that share the last
place carry no information about each other, which is right for games with a single winner, and a match with
one shared rank carries none at all. The logarithm stays concave: it is that of the probability of a convex
set under a log-concave density, shifted by the ratings (Prekopa, Acta Scientiarum Mathematicarum 34, 1973).
"""

from functools import cache
from itertools import combinations, permutations, product

import numpy as np

from tourney.ratings.counts import Counts, Floats, Ints
from tourney.ratings.likelihood import (
    Meetings,
    Point,
    Scores,
    pair_residuals,
    scatter,
    scatter_matrix,
)


@cache
def orders(ranks: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """The orders of seats (from 0) that ranks leave open, without the seats that share the last place.

    All have the same length; a match with one shared rank has one order, of length 0.
    """
    *before, _ = ([seat for seat, other in enumerate(ranks) if other == rank] for rank in sorted(set(ranks)))
    return tuple(sum(parts, ()) for parts in product(*(tuple(permutations(group)) for group in before)))


class PlackettLuce:
    """The likelihood of counts of any number of seats; it has no parameter of its own."""

    has_draws = False

    def __init__(self, counts: Counts) -> None:
        self._counts = counts
        self._n, self._k = counts.size, counts.seats
        self.size = self._n + self._k
        rows = np.concatenate([counts.seating, counts.ranks], axis=1)
        kinds, inverse = np.unique(rows, axis=0, return_inverse=True)
        self._kind: Ints = inverse.reshape(-1)
        self._seating: Ints = kinds[:, : self._k]
        self._ranks: Ints = kinds[:, self._k :]
        self._times = scatter(self._kind, counts.game_times.astype(np.float64), len(kinds))
        patterns, which = np.unique(self._ranks, axis=0, return_inverse=True)
        self._patterns = [
            (tuple(map(int, ranks)), np.flatnonzero(which.reshape(-1) == index))
            for index, ranks in enumerate(patterns)
        ]

    def at(self, x: Floats) -> Point:
        """Value and derivatives."""
        gradient, second, value = self._kinds(x)
        n, k, size = self._n, self._k, self.size
        total = np.zeros(size)
        information = np.zeros((size, size))
        for s in range(k):
            slope = self._times * gradient[:, s]
            total += scatter(self._seating[:, s], slope, size)
            total[n + s] += slope.sum()
            for t in range(k):
                weight = self._times * second[:, s, t]
                information += scatter_matrix(self._seating[:, s], self._seating[:, t], weight, size)
                across = scatter(self._seating[:, s], weight, size)
                information[:, n + t] += across
                information[n + t, :] += across
                information[n + s, n + t] += weight.sum()
        return Point(value, total, information)

    def scores(self, x: Floats) -> Scores:
        """The clusters' gradients."""
        gradient, _, _ = self._kinds(x)
        slopes = gradient[self._kind]
        games = len(self._kind)
        parameters = [self._counts.seating[:, s] for s in range(self._k)]
        parameters += [np.full(games, self._n + s) for s in range(self._k)]
        return Scores(
            np.tile(self._counts.cluster, 2 * self._k),
            np.concatenate(parameters),
            np.tile(slopes.T.reshape(-1), 2),
        )

    def meetings(self, x: Floats) -> Meetings:
        """The scores of pairs.

        A shared rank is undecided: half a point, and expected as such. For other pairs the expected score is
        the probability of finishing ahead, given the number of seats that share each rank.
        """
        before = self._before(x)
        times = self._times.astype(np.int64)
        columns: list[tuple[Ints | Floats, ...]] = []
        for s, t in combinations(range(self._k), 2):
            p = before[:, s, t]
            half_points = 1 + np.sign(self._ranks[:, t] - self._ranks[:, s])
            decided = half_points != 1
            variance = decided * p * (1 - p)
            columns.append(
                (
                    self._seating[:, s],
                    self._seating[:, t],
                    times,
                    half_points * times,
                    np.where(decided, 0, times),
                    times * np.where(decided, p, 0.5),
                    times * variance,
                    times * variance * (1 - 6 * variance),
                )
            )
        joined = [np.concatenate(parts) for parts in zip(*columns, strict=True)]
        return Meetings(*joined)

    def residuals(self, x: Floats) -> Scores:
        """The scores of pairs in clusters, less those expected."""
        before = self._before(x)[self._kind]
        seating, ranks = self._counts.seating, self._counts.ranks
        parts = []
        for s, t in combinations(range(self._k), 2):
            order = np.sign(ranks[:, t] - ranks[:, s])
            residual = np.where(order, (1 + order) / 2 - before[:, s, t], 0.0)
            parts.append(
                pair_residuals(self._counts.cluster, seating[:, s], seating[:, t], residual, self._n)
            )
        return Scores(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))

    def _utility(self, x: Floats) -> Floats:
        utility: Floats = x[self._seating] + x[self._n :]
        return utility

    def _before(self, x: Floats) -> Floats:
        """``finishing`` of each kind of game, (kinds, k, k)."""
        utility = self._utility(x)
        before = np.zeros((len(utility), self._k, self._k))
        for ranks, rows in self._patterns:
            before[rows] = finishing(utility[rows], ranks)
        return before

    def _kinds(self, x: Floats) -> tuple[Floats, Floats, float]:
        """Each kind of game's gradient and information by seat, and the log-likelihood."""
        utility = self._utility(x)
        kinds, k = utility.shape
        gradient = np.zeros((kinds, k))
        second = np.zeros((kinds, k, k))
        value = np.zeros(kinds)
        for ranks, rows in self._patterns:
            some = [_order(utility[rows], order) for order in orders(ranks)]
            values = np.stack([v for v, _, _ in some])
            slopes = np.stack([g for _, g, _ in some])
            top = values.max(axis=0)
            weights = np.exp(values - top)
            total = weights.sum(axis=0)
            weights /= total
            mean = np.einsum("or,ors->rs", weights, slopes)
            # The mean over orders is a mixture: its second derivative is the mean of those of the orders,
            # less the variance of their slopes.
            bent = np.einsum("or,orst->rst", weights, np.stack([h for _, _, h in some]))
            spread = (
                np.einsum("or,ors,ort->rst", weights, slopes, slopes) - mean[:, :, None] * mean[:, None, :]
            )
            value[rows] = top + np.log(total / len(some))
            gradient[rows] = mean
            second[rows] = bent - spread
        return gradient, second, float(np.sum(self._times * value))


def _order(utility: Floats, order: tuple[int, ...]) -> tuple[Floats, Floats, Floats]:
    """The log-probability of an order of seats, the rest in any order, (R), for utilities (R, k).

    Its gradient (R, k) and negative second derivative (R, k, k) by the utilities follow.
    """
    rows, k = utility.shape
    value = np.zeros(rows)
    gradient = np.zeros((rows, k))
    second = np.zeros((rows, k, k))
    left = list(range(k))
    for seat in order:
        among = utility[:, left]
        top = among.max(axis=1, keepdims=True)
        strength = np.exp(among - top)
        total = strength.sum(axis=1, keepdims=True)
        share = strength / total
        value += utility[:, seat] - (top + np.log(total))[:, 0]
        gradient[:, seat] += 1
        gradient[:, left] -= share
        second[:, left, left] += share
        second[np.ix_(range(rows), left, left)] -= share[:, :, None] * share[:, None, :]
        left.remove(seat)
    return value, gradient, second


def finishing(utility: Floats, ranks: tuple[int, ...]) -> Floats:
    """The probability of each seat to finish ahead of each other, (R, k, k), for utilities (R, k).

    It is conditional on the two sharing no rank, and on the number of seats at each rank of ``ranks``. If
    only the last rank is shared, it is the odds of the strengths; otherwise it follows from all orders.
    """
    sizes = [ranks.count(rank) for rank in sorted(set(ranks))]
    if max(sizes[:-1], default=1) == 1:
        odds: Floats = 1 / (1 + np.exp(utility[:, None, :] - utility[:, :, None]))
        return odds
    group = np.repeat(np.arange(len(sizes)), sizes)
    seats = len(ranks)
    before = np.zeros((len(utility), seats, seats))
    for order in permutations(range(seats)):
        probability = np.exp(_order(utility, order)[0])
        for i, j in combinations(range(seats), 2):
            if group[i] < group[j]:
                before[:, order[i], order[j]] += probability
    # The diagonal has no meaning, but must not be 0/0.
    total = before + before.transpose(0, 2, 1) + np.eye(seats)
    shares: Floats = before / total
    return shares
