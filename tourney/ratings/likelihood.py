"""What a model of results offers to the fit.

The parameters are the ratings, the seats' effects, and what else a model has; all in natural units: a rating
is the natural logarithm of a strength.
"""

from typing import NamedTuple, Protocol

import numpy as np

from tourney.ratings.counts import Floats, Ints


class Point(NamedTuple):
    """The log-likelihood at some parameters, its gradient (P), and its negative second derivative (P, P)."""

    value: float
    gradient: Floats
    information: Floats


class Scores(NamedTuple):
    """The clusters' gradients, one occurrence of each, as a sparse matrix (C, P): E entries, which add up."""

    cluster: Ints
    parameter: Ints
    value: Floats


class Meetings(NamedTuple):
    """What pairs of entrants scored against each other; a pair has one line or more, which add up.

    ``a`` and ``b``: positions in the pool. ``half_points`` of a. ``undecided``: how many meetings ended level
    in a model that makes nothing of it. Under the model: ``expected`` points of a, half a point for each that
    is undecided; their ``variance`` and fourth ``cumulant``.
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
    """Return residuals of a's points as ``Likelihood.residuals`` does."""
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
        """Return value and derivatives."""

    def scores(self, x: Floats) -> Scores:
        """Return the clusters' gradients."""

    def meetings(self, x: Floats) -> Meetings:
        """Return what pairs scored and were expected to."""

    def residuals(self, x: Floats) -> Scores:
        """Return what pairs scored in clusters, one occurrence of each, less what was expected.

        In the place of a parameter stands the pair, ``a * n + b``, a < b; the points are a's.
        """


def scatter(index: Ints, weight: Floats, size: int) -> Floats:
    """Return the sums of weights by index, (size)."""
    sums: Floats = np.bincount(index, weights=weight, minlength=size).astype(np.float64, copy=False)
    return sums


def scatter_matrix(row: Ints, column: Ints, weight: Floats, size: int) -> Floats:
    """Return the sums of weights by row and column, (size, size)."""
    return scatter(row * size + column, weight, size * size).reshape(size, size)
