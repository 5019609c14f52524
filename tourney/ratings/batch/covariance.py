"""How sure the estimates are: the inverse Hessian, the cluster sandwich, and what is published.

The inverse Hessian H^-1 (H = J + L: the data's information and the prior's) holds if the model does and
matches are independent. The sandwich H^-1 (B + L) H^-1, B being the sum of the squared scores of clusters,
needs neither (Liang and Zeger, "Longitudinal data analysis using generalized linear models", Biometrika 73,
1986; Huber 1967), but where few surprises were seen, as with a bot that won everything, B has nothing to
measure and the sandwich is far too narrow. So the published covariance is H^-1 M H^-1 where M is, in each
direction, the larger of B + L and phi J + L; phi, the dispersion, is how much clusters vary in units of what
independent matches would, estimated over the whole pool.
"""

from dataclasses import dataclass

import numpy as np

from tourney.ratings.batch.counts import Floats, Ints
from tourney.ratings.batch.likelihood import Scores, scatter, scatter_matrix
from tourney.ratings.batch.newton import Mode

STEADY = 25.0
"""The weight of "phi is 1" against the pool's own estimate: the information of fifty even games."""


@dataclass(frozen=True, eq=False, slots=True)
class Covariance:
    """Covariances of all parameters, (P, P) each, and the dispersion phi."""

    hessian: Floats
    sandwich: Floats
    published: Floats
    dispersion: float


def covariance(mode: Mode, scores: Scores, times: Ints, entrants: int) -> Covariance:
    """Return the covariances at a mode, by the scores of clusters that occurred ``times`` (C)."""
    prior = np.diag(mode.precision)
    inverse = np.linalg.inv(mode.hessian)
    inverse = (inverse + inverse.T) / 2
    meat = squared_scores(scores, times, len(mode.x))
    seen = float(np.trace(meat[:entrants, :entrants]))
    told = float(np.trace(mode.information[:entrants, :entrants]))
    dispersion = (seen + STEADY) / (told + STEADY)
    wide = upper_envelope(meat + prior, dispersion * mode.information + prior)
    return Covariance(
        hessian=inverse,
        sandwich=inverse @ (meat + prior) @ inverse,
        published=inverse @ wide @ inverse,
        dispersion=dispersion,
    )


def squared_scores(scores: Scores, times: Ints, size: int) -> Floats:
    """Return the sum over clusters of each score times itself transposed, (size, size)."""
    total = np.zeros((size, size))
    if not len(times):
        return total
    keys, inverse = np.unique(scores.cluster * size + scores.parameter, return_inverse=True)
    value = scatter(inverse.reshape(-1), scores.value, len(keys))
    cluster, parameter = keys // size, keys % size
    # Side by side in a row per cluster: as many columns as the fullest cluster has parameters.
    place = np.arange(len(keys)) - np.searchsorted(cluster, cluster)
    width = int(place.max()) + 1
    parameters = np.zeros((len(times), width), dtype=np.int64)
    values = np.zeros((len(times), width))
    parameters[cluster, place] = parameter
    values[cluster, place] = value
    for i in range(width):
        weighted = times * values[:, i]
        for j in range(width):
            total += scatter_matrix(parameters[:, i], parameters[:, j], weighted * values[:, j], size)
    return total


def upper_envelope(one: Floats, base: Floats) -> Floats:
    """Return the matrix that in each direction is the larger of the two; ``base`` is positive definite.

    Where ``base`` is the unit matrix, all eigenvalues of ``one`` below 1 become 1. A continuous function of
    both: no tie of eigenvalues can make it jump.
    """
    factor = np.linalg.cholesky(base)
    white = np.linalg.solve(factor, np.linalg.solve(factor, one).T)
    values, vectors = np.linalg.eigh((white + white.T) / 2)
    spread = factor @ vectors
    envelope: Floats = spread @ (np.maximum(values, 1.0)[:, None] * spread.T)
    return envelope
