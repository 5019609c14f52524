"""The interface between a model of results and the fit.

Parameters are the ratings, the seats' effects, then the model's own, all in natural units: a rating is the
natural logarithm of a strength.
"""

from typing import NamedTuple, Protocol

import numpy as np

from tourney.ratings.counts import Floats, Ints


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
        """Return the scores of pairs, with those expected."""

    def residuals(self, x: Floats) -> Scores:
        """Return the scores of pairs in one occurrence of each cluster, less those expected.

        The pair ``a * n + b``, a < b, takes the place of the parameter; the points are a's.
        """


def scatter(index: Ints, weight: Floats, size: int) -> Floats:
    """Return the sums of weights by index, (size)."""
    sums: Floats = np.bincount(index, weights=weight, minlength=size).astype(np.float64, copy=False)
    return sums


def scatter_matrix(row: Ints, column: Ints, weight: Floats, size: int) -> Floats:
    """Return the sums of weights by row and column, (size, size)."""
    return scatter(row * size + column, weight, size * size).reshape(size, size)
