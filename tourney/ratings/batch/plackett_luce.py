"""Plackett and Luce's model of an order of k seats, ties averaged over their orders.

R. L. Plackett, "The analysis of permutations", Applied Statistics 24 (1975): the first is drawn in proportion
to the strengths of all, the second of those that are left, and so on. A tie of some seats is each of their
orders in equal parts: the log-likelihood is the mean over the orders, which stays concave, and at two seats
is half a win and half a loss. Of the g! orders of a tie of g, the share in which just the seats T are still
to be drawn at some moment is 1 / binomial(g, |T|); so a match is a weighted list of sets, and the
log-likelihood is the sum of all seats' utilities less, for each set, its weight times the log of the
strengths' sum in it.
"""

from functools import cache
from itertools import combinations
from math import comb

import numpy as np

from tourney.ratings.batch.counts import Counts, Floats, Ints
from tourney.ratings.batch.likelihood import (
    Meetings,
    Point,
    Scores,
    pair_residuals,
    scatter,
    scatter_matrix,
)


@cache
def set_weights(ranks: tuple[int, ...]) -> tuple[float, ...]:
    """Return the weight of each set of seats, a bit mask (bit s for seat s, from 0), for these ranks."""
    weights = [0.0] * (1 << len(ranks))
    for rank in sorted(set(ranks)):
        tied = [seat for seat, other in enumerate(ranks) if other == rank]
        worse = sum(1 << seat for seat, other in enumerate(ranks) if other > rank)
        for size in range(1, len(tied) + 1):
            for some in combinations(tied, size):
                weights[worse + sum(1 << seat for seat in some)] += 1 / comb(len(tied), size)
    return tuple(weights)


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
        weights = [set_weights(tuple(map(int, ranks))) for ranks in self._ranks]
        self._weights = np.array(weights, dtype=np.float64).reshape(-1, 1 << self._k)
        self._sets = [
            (mask, [seat for seat in range(self._k) if mask >> seat & 1])
            for mask in range(1 << self._k)
            if mask.bit_count() > 1
        ]

    def at(self, x: Floats) -> Point:
        """Return value and derivatives."""
        utility, gradient, second, value = self._kinds(x)
        del utility
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
        """Return the clusters' gradients."""
        _, gradient, _, _ = self._kinds(x)
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
        """Return what pairs scored: of two seats, the one drawn first finished before the other."""
        utility = self._utility(x)
        times = self._times
        columns: list[tuple[Ints | Floats, ...]] = []
        for s, t in combinations(range(self._k), 2):
            p = 1 / (1 + np.exp(utility[:, t] - utility[:, s]))
            half_points = 1 + np.sign(self._ranks[:, t] - self._ranks[:, s])
            variance = p * (1 - p)
            columns.append(
                (
                    self._seating[:, s],
                    self._seating[:, t],
                    times.astype(np.int64),
                    half_points * times.astype(np.int64),
                    times * p,
                    times * variance,
                    times * variance * (1 - 6 * variance),
                )
            )
        joined = [np.concatenate(parts) for parts in zip(*columns, strict=True)]
        return Meetings(*joined)

    def residuals(self, x: Floats) -> Scores:
        """Return what pairs scored in clusters, less what was expected."""
        utility = self._utility(x)[self._kind]
        seating, ranks = self._counts.seating, self._counts.ranks
        parts = []
        for s, t in combinations(range(self._k), 2):
            points = (1 + np.sign(ranks[:, t] - ranks[:, s])) / 2
            residual = points - 1 / (1 + np.exp(utility[:, t] - utility[:, s]))
            parts.append(
                pair_residuals(self._counts.cluster, seating[:, s], seating[:, t], residual, self._n)
            )
        return Scores(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))

    def overlap(self, x: Floats) -> Floats:
        """Return the covariances of meetings that share an entrant.

        That i finishes before j and before l has the probability of i against both, i / (i + j + l); meetings
        without a common entrant are independent in this model.
        """
        utility = self._utility(x)
        strength = np.exp(utility - utility.max(axis=1, keepdims=True, initial=-np.inf))
        n = max(self._n, 1)
        keys: list[Ints] = []
        values: list[Floats] = []
        for s in range(self._k):
            for t, r in combinations([seat for seat in range(self._k) if seat != s], 2):
                first, one, other = strength[:, s], strength[:, t], strength[:, r]
                both = first / (first + one + other)
                covariance = both - first / (first + one) * (first / (first + other))
                low = np.minimum(self._seating[:, t], self._seating[:, r])
                high = np.maximum(self._seating[:, t], self._seating[:, r])
                keys.append((self._seating[:, s] * n + low) * n + high)
                values.append(self._times * covariance)
        if not keys:
            return np.zeros((0, 3))
        found, inverse = np.unique(np.concatenate(keys), return_inverse=True)
        covariance = scatter(inverse.reshape(-1), np.concatenate(values), len(found))
        meetings = self.meetings(x)
        variance = scatter_matrix(meetings.a, meetings.b, meetings.variance, n)
        variance += variance.T
        shared, low, high = found // (n * n), found // n % n, found % n
        return np.stack([covariance, variance[shared, low], variance[shared, high]], axis=1)

    def _utility(self, x: Floats) -> Floats:
        utility: Floats = x[self._seating] + x[self._n :]
        return utility

    def _kinds(self, x: Floats) -> tuple[Floats, Floats, Floats, float]:
        """Return, by kind of game: utilities, gradient and information by seat; and the log-likelihood."""
        utility = self._utility(x)
        kinds, k = utility.shape
        gradient = np.empty_like(utility)
        second = np.zeros((kinds, k, k))
        value = np.zeros(kinds)
        for seat in range(k):
            rest = 1 - self._weights[:, 1 << seat]
            gradient[:, seat] = rest
            value += rest * utility[:, seat]
        for mask, seats in self._sets:
            weight = self._weights[:, mask]
            among = utility[:, seats]
            top = among.max(axis=1, keepdims=True, initial=-np.inf)
            strength = np.exp(among - top)
            total = strength.sum(axis=1, keepdims=True)
            value -= weight * (top + np.log(total))[:, 0]
            share = strength / total
            for i, s in enumerate(seats):
                drawn = weight * share[:, i]
                gradient[:, s] -= drawn
                second[:, s, s] += drawn
                for j, t in enumerate(seats):
                    second[:, s, t] -= drawn * share[:, j]
        return utility, gradient, second, float(np.sum(self._times * value))
