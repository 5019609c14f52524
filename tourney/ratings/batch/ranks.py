"""Ranks, and the range of ranks that an entrant may truly have."""

from statistics import NormalDist

import numpy as np

from tourney.ratings.batch.counts import Floats, Ints

CONFIDENCE = 0.95


def ranks(published: Floats) -> Ints:
    """Return 1 + the number of entrants of a higher published rating, (n)."""
    ordered = np.sort(published)
    found: Ints = 1 + len(published) - np.searchsorted(ordered, published, side="right")
    return found


def critical(entrants: int) -> float:
    """Return how many standard deviations apart two entrants must be to be told apart for sure.

    Each is compared to all n - 1 others, and all its comparisons are to hold together with probability 0.95:
    Sidak's inequality ("Rectangular confidence regions for the means of multivariate normal distributions",
    Journal of the American Statistical Association 62, 1967).
    """
    alone = CONFIDENCE ** (1 / max(entrants - 1, 1))
    return NormalDist().inv_cdf((1 + alone) / 2)


def ranges(mean: Floats, spread: Floats) -> tuple[Ints, Ints]:
    """Return the best and the worst rank that each may have, (n) both, with confidence 0.95 for each.

    1 + those that are surely better, and n - those that are surely worse (Mogstad, Romano, Shaikh and
    Wilhelm, "Inference for ranks", Review of Economic Studies 91, 2024).
    """
    n = len(mean)
    gap = mean[:, None] - mean[None, :]
    sure = np.abs(gap) > critical(n) * spread
    first: Ints = 1 + np.sum(sure & (gap < 0), axis=1)
    last: Ints = n - np.sum(sure & (gap > 0), axis=1)
    return first, last
