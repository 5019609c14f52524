"""The model of ratings: a difference of Elo is an expected score, at two seats and more.

A pair of seats scores 1, 1/2 or 0 against each other, and the expected score of a difference d of ratings is
1 / (1 + exp(-d)) in natural units: Ordo's model, a quasi-likelihood (Wedderburn, "Quasi-likelihood functions,
generalized linear models, and the Gauss-Newton method", Biometrika 61, 1974). It says nothing about draws, so
no draw parameter can be wrong. A match of k seats has k (k - 1) / 2 such pairs, which are not independent:
each has the weight 3 / (k + 1), with which the information of a match of equals in random order is the
variance of its score; for all else there are the clusters (``tourney.ratings.fit``).

Parameters are the ratings, then the seats' effects, both in natural units.
"""

from itertools import combinations
from typing import NamedTuple, Protocol

import numpy as np

from tourney.match.evidence import POINT
from tourney.ratings.counts import Counts, Floats, Ints


class Point(NamedTuple):
    """The log-likelihood at a point, its gradient (P), and its negative second derivative (P, P)."""

    value: float
    gradient: Floats
    information: Floats


class Scores(NamedTuple):
    """The gradient of one occurrence of each cluster, a sparse matrix (C, P) of E entries, which add up."""

    cluster: Ints
    parameter: Ints
    value: Floats


class Meetings(NamedTuple):
    """Scores of pairs of entrants against each other; the entries of a pair add up.

    ``a`` and ``b``: positions in the pool. ``games`` by what they count, and ``points`` of a in them. Under
    the model: ``expected`` points of a, and their ``variance`` and fourth ``cumulant`` if no game were drawn.
    """

    a: Ints
    b: Ints
    games: Floats
    points: Floats
    expected: Floats
    variance: Floats
    cumulant: Floats


def pair_residuals(cluster: Ints, a: Ints, b: Ints, residual: Floats, entrants: int) -> Scores:
    """Residuals of a's points as ``Likelihood.residuals`` does."""
    low, high = np.minimum(a, b), np.maximum(a, b)
    return Scores(cluster, low * entrants + high, np.where(a < b, residual, -residual))


class Likelihood(Protocol):
    """A concave log-likelihood of some counts. Parameters: n ratings, then k seats' effects."""

    @property
    def size(self) -> int:
        """The number of parameters P."""

    def at(self, x: Floats) -> Point:
        """Value and derivatives."""

    def scores(self, x: Floats) -> Scores:
        """The clusters' gradients."""

    def meetings(self, x: Floats) -> Meetings:
        """The scores of pairs, with those expected."""

    def residuals(self, x: Floats) -> Scores:
        """The scores of pairs in one occurrence of each cluster, less those expected.

        The pair ``a * n + b``, a < b, takes the place of the parameter; the points are a's.
        """


def scatter(index: Ints, weight: Floats, size: int) -> Floats:
    """The sums of weights by index, (size)."""
    sums: Floats = np.bincount(index, weights=weight, minlength=size).astype(np.float64, copy=False)
    return sums


def scatter_matrix(row: Ints, column: Ints, weight: Floats, size: int) -> Floats:
    """The sums of weights by row and column, (size, size)."""
    return scatter(row * size + column, weight, size * size).reshape(size, size)


def logistic(u: Floats) -> Floats:
    """The expected score of a difference in natural units."""
    p: Floats = 0.5 * (1 + np.tanh(u / 2))
    return p


class Expected:
    """The quasi-likelihood of the scores of pairs of seats; with ``free_seats`` seats have effects.

    Cells are the meetings of two entrants at two seats, Q pairs of seats in each of G games.
    """

    free_seats = True

    def __init__(self, counts: Counts) -> None:
        n, k = max(counts.size, 1), counts.seats
        self._counts = counts
        self._n = counts.size
        self.size = counts.size + k
        self._pairs = tuple(combinations(range(k), 2))
        self._weight = 3 / (k + 1)
        many = len(self._pairs)
        keys = [
            (counts.seating[:, s] * n + counts.seating[:, t]) * many + q
            for q, (s, t) in enumerate(self._pairs)
        ]
        cells, inverse = np.unique(np.stack(keys), return_inverse=True)
        self._cell: Ints = inverse.reshape(many, -1)
        self._first: Ints = cells // many // n
        self._second: Ints = cells // many % n
        self._seats: Ints = np.array(self._pairs, dtype=np.int64)[cells % many].T + counts.size
        # 0 win, 1 draw, 2 loss of the first of the two
        sides = [counts.ranks[:, s] - counts.ranks[:, t] for s, t in self._pairs]
        self._outcome: Ints = 1 + np.sign(np.stack(sides))
        times = np.tile(counts.game_weights, many)
        kind = (self._outcome * len(cells) + self._cell).reshape(-1)
        self._table = scatter(kind, times, 3 * len(cells)).reshape(3, -1)

    def at(self, x: Floats) -> Point:
        """Value and derivatives."""
        difference = self._difference(x)
        mean, games, scored = logistic(difference), self._table.sum(axis=0), self._scored()
        value = -np.sum(
            scored * np.logaddexp(0, -difference) + (games - scored) * np.logaddexp(0, difference)
        )
        return self._point(float(value), scored - games * mean, games * mean * (1 - mean))

    def scores(self, x: Floats) -> Scores:
        """The clusters' gradients."""
        return self._scores(self._residual(x))

    def meetings(self, x: Floats) -> Meetings:
        """The scores of pairs; a pair has an entry for each two seats that it had."""
        mean, games = self._mean(x), self._table.sum(axis=0)
        variance = mean * (1 - mean)
        return Meetings(
            self._first,
            self._second,
            games,
            self._scored(),
            games * mean,
            games * variance,
            games * variance * (1 - 6 * variance),
        )

    def residuals(self, x: Floats) -> Scores:
        """The scores of pairs in clusters, less those expected."""
        cell = self._cell.reshape(-1)
        cluster = np.tile(self._counts.cluster, len(self._pairs))
        residual = self._residual(x).reshape(-1)
        return pair_residuals(cluster, self._first[cell], self._second[cell], residual, self._n)

    def pair_lucks(self) -> Scores:
        """The luck of pairs in points, with the entries of ``residuals``."""
        cell = self._cell.reshape(-1)
        cluster = np.tile(self._counts.cluster, len(self._pairs))
        return pair_residuals(
            cluster, self._first[cell], self._second[cell], self._luck().reshape(-1), self._n
        )

    def luck_scores(self) -> Scores:
        """The clusters' gradients if their residuals were their luck, with the entries of ``scores``."""
        return self._scores(self._luck())

    def _luck(self) -> Floats:
        """The luck of each game's pairs in points, by what the game counts, (Q, G)."""
        luck = self._counts.luck
        pairs = [luck[:, s] - luck[:, t] for s, t in self._pairs]
        points: Floats = self._counts.weight * np.stack(pairs) / (2 * POINT)
        return points

    def _point(self, value: float, slope: Floats, bend: Floats) -> Point:
        """A point from each cell's derivatives by its difference."""
        gradient = np.zeros(self.size)
        information = np.zeros((self.size, self.size))
        columns = self._columns()
        for i, s in columns:
            gradient += scatter(i, s * slope, self.size)
            for j, t in columns:
                information += scatter_matrix(i, j, s * t * bend, self.size)
        return Point(self._weight * value, self._weight * gradient, self._weight * information)

    def _scores(self, slope: Floats) -> Scores:
        """The clusters' gradients from the derivatives of the pairs of each game, (Q, G)."""
        counts = self._counts
        slopes = np.zeros((counts.seats, len(counts.cluster)))
        for (s, t), one in zip(self._pairs, self._weight * slope, strict=True):
            slopes[s] += one
            slopes[t] -= one
        parameters = [counts.seating.T.reshape(-1)]
        if self.free_seats:
            parameters.append(np.repeat(np.arange(self._n, self.size), len(counts.cluster)))
        return Scores(
            np.tile(counts.cluster, len(parameters) * counts.seats),
            np.concatenate(parameters),
            np.tile(slopes.reshape(-1), len(parameters)),
        )

    def _columns(self) -> tuple[tuple[Ints, float], ...]:
        """The parameters of a cell's difference, each with its sign."""
        ratings = ((self._first, 1.0), (self._second, -1.0))
        return (*ratings, *zip(self._seats, (1.0, -1.0), strict=True)) if self.free_seats else ratings

    def _difference(self, x: Floats) -> Floats:
        difference = np.zeros(len(self._first))
        for i, s in self._columns():
            difference += s * x[i]
        return difference

    def _mean(self, x: Floats) -> Floats:
        """Each cell's expected points of a game."""
        return logistic(self._difference(x))

    def _scored(self) -> Floats:
        """Each cell's points."""
        scored: Floats = self._table[0] + self._table[1] / 2
        return scored

    def _residual(self, x: Floats) -> Floats:
        """The points of each game's pairs, less those expected, by what the game counts, (Q, G)."""
        residual: Floats = self._counts.weight * (1 - self._outcome / 2 - self._mean(x)[self._cell])
        return residual
