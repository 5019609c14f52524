"""The interface between a model of results and the fit, and Davidson's model for two seats.

Parameters are the ratings, the seats' effects, then the model's own, all in natural units: a rating is the
natural logarithm of a strength.
"""

from typing import NamedTuple, Protocol

import numpy as np

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

    ``a`` and ``b``: positions in the pool. ``half_points`` of a. ``undecided``: drawn meetings in a model
    that learns nothing from them. Under the model: ``expected`` points of a, half a point for each undecided
    meeting; their ``variance`` and fourth ``cumulant``.
    """

    a: Ints
    b: Ints
    games: Ints
    half_points: Ints
    undecided: Ints
    expected: Floats
    variance: Floats
    cumulant: Floats


def pair_residuals(cluster: Ints, a: Ints, b: Ints, residual: Floats, entrants: int) -> Scores:
    """Residuals of a's points as ``Likelihood.residuals`` does."""
    low, high = np.minimum(a, b), np.maximum(a, b)
    return Scores(cluster, low * entrants + high, np.where(a < b, residual, -residual))


class Likelihood(Protocol):
    """A concave log-likelihood of some counts. Parameters: n ratings, k seats' effects, then its own."""

    @property
    def size(self) -> int:
        """The number of parameters P."""

    @property
    def has_draws(self) -> bool:
        """Whether the last parameter is the logarithm of Davidson's nu."""

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


class Davidson:
    """The likelihood of win, draw and loss at two seats; its own parameter is log nu.

    R. R. Davidson, "On extending the Bradley-Terry model to accommodate ties in paired comparison
    experiments", Journal of the American Statistical Association 65 (1970): with strengths a and b the
    outcomes are as a : nu sqrt(ab) : b. With the difference d of the logarithms, seats' effects included,
    that is exp(d/2) : nu : exp(-d/2), a multinomial logit, concave in ratings, seats' effects and log nu.
    """

    has_draws = True

    def __init__(self, counts: Counts) -> None:
        n = counts.size
        self._counts = counts
        self.size = n + 3
        first, second = counts.seating[:, 0], counts.seating[:, 1]
        cells, self._cell = np.unique(first * max(n, 1) + second, return_inverse=True)
        self._first: Ints = cells // max(n, 1)
        self._second: Ints = cells % max(n, 1)
        # 0 win, 1 draw, 2 loss of the first seat
        self._outcome: Ints = 1 + np.sign(counts.ranks[:, 0] - counts.ranks[:, 1])
        times = counts.game_times.astype(np.float64)
        self._table = np.stack(
            [scatter(self._cell[self._outcome == o], times[self._outcome == o], len(cells)) for o in range(3)]
        )

    def at(self, x: Floats) -> Point:
        """Value and derivatives."""
        win, draw, _, value = self._probabilities(x)
        games = self._table.sum(axis=0)
        scored = self._table[0] + self._table[1] / 2
        mean = win + draw / 2
        residual = scored - games * mean
        index, sign = self._columns()
        gradient = np.zeros(self.size)
        information = np.zeros((self.size, self.size))
        score_variance = games * (win + draw / 4 - mean**2)
        mixed = games * draw * (0.5 - mean)
        draws = self.size - 1
        for i, s in zip(index, sign, strict=True):
            gradient += scatter(i, s * residual, self.size)
            information[:, draws] += scatter(i, s * mixed, self.size)
            for j, t in zip(index, sign, strict=True):
                information += scatter_matrix(i, j, s * t * score_variance, self.size)
        information[draws, :] = information[:, draws]
        gradient[draws] = np.sum(self._table[1] - games * draw)
        information[draws, draws] = np.sum(games * draw * (1 - draw))
        return Point(value, gradient, information)

    def scores(self, x: Floats) -> Scores:
        """The clusters' gradients."""
        score = self._residual(x)
        _, draw, _, _ = self._probabilities(x)
        drawn = (self._outcome == 1) - draw[self._cell]
        index, sign = self._columns()
        rows = [(i[self._cell], s * score) for i, s in zip(index, sign, strict=True)]
        rows.append((np.full(len(drawn), self.size - 1), drawn))
        return Scores(
            np.tile(self._counts.cluster, len(rows)),
            np.concatenate([parameter for parameter, _ in rows]),
            np.concatenate([value for _, value in rows]),
        )

    def meetings(self, x: Floats) -> Meetings:
        """The scores of pairs; a pair has an entry for each entrant that had the first seat."""
        win, draw, loss, _ = self._probabilities(x)
        games = self._table.sum(axis=0)
        mean = win + draw / 2
        variance = win + draw / 4 - mean**2
        fourth = win * (1 - mean) ** 4 + draw * (0.5 - mean) ** 4 + loss * mean**4
        return Meetings(
            self._first,
            self._second,
            games.astype(np.int64),
            (2 * self._table[0] + self._table[1]).astype(np.int64),
            np.zeros(len(games), dtype=np.int64),
            games * mean,
            games * variance,
            games * (fourth - 3 * variance**2),
        )

    def residuals(self, x: Floats) -> Scores:
        """The scores of pairs in clusters, less those expected."""
        first, second = self._first[self._cell], self._second[self._cell]
        return pair_residuals(self._counts.cluster, first, second, self._residual(x), self._counts.size)

    def _residual(self, x: Floats) -> Floats:
        """Each game's points of the first seat, less those expected."""
        win, draw, _, _ = self._probabilities(x)
        residual: Floats = 1 - self._outcome / 2 - (win + draw / 2)[self._cell]
        return residual

    def _columns(self) -> tuple[tuple[Ints, ...], tuple[float, ...]]:
        """The parameters of a cell's difference, each with its sign."""
        seat = np.full(len(self._first), self.size - 3)
        return (self._first, self._second, seat, seat + 1), (1.0, -1.0, 1.0, -1.0)

    def _probabilities(self, x: Floats) -> tuple[Floats, Floats, Floats, float]:
        """Each cell's probabilities of win, draw and loss, and the log-likelihood."""
        half = (x[self._first] - x[self._second] + x[-3] - x[-2]) / 2
        utility = np.stack([half, np.full(len(half), x[-1]), -half])
        utility -= utility.max(axis=0)
        weight = np.exp(utility)
        total = weight.sum(axis=0)
        value = float(np.sum(self._table * (utility - np.log(total))))
        win, draw, loss = weight / total
        return win, draw, loss, value
