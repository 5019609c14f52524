"""Who is likely better than whom: LOS for each pair, and the probability of being the best."""

import math

import numpy as np

from tourney.ratings.batch.counts import Floats
from tourney.ratings.batch.normal import normals

DRAWS = 20_000
"""Draws of the posterior; the error of a probability is at most 0.0036 (a standard error)."""
_CHUNK = 1 << 20
"""Normal numbers held at a time."""


def spreads(covariance: Floats) -> Floats:
    """Return the standard deviation of each difference of two, (n, n)."""
    variance = np.diag(covariance)
    squared = variance[:, None] + variance[None, :] - 2 * covariance
    np.fill_diagonal(squared, 0.0)
    return np.sqrt(np.maximum(squared, 0.0))


def los(gap: float, spread: float) -> float:
    """Return the likelihood of superiority: P(difference > 0), normal with this mean and deviation."""
    if spread <= 0:
        return 0.5 if gap == 0 else float(gap > 0)
    return math.erfc(-gap / spread / math.sqrt(2)) / 2


def best(mean: Floats, covariance: Floats) -> Floats:
    """Return each entrant's probability of having the highest rating, (n), from draws of the posterior.

    Half of the draws are the other half mirrored at the mean, which makes the error smaller.
    """
    n = len(mean)
    wins = np.zeros(n, dtype=np.int64)
    if not n:
        return np.zeros(0)
    factor = np.linalg.cholesky(covariance)
    done = part = 0
    while done < DRAWS // 2:
        count = min(DRAWS // 2 - done, max(_CHUNK // n, 1))
        noise = normals(count * n, "posterior", part).reshape(count, n) @ factor.T
        for sign in (1, -1):
            wins += np.bincount(np.argmax(mean + sign * noise, axis=1), minlength=n)
        done, part = done + count, part + 1
    return wins / DRAWS
