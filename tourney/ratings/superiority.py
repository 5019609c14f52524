"""Ranks and their ranges, the likelihood of superiority, and the probability of being the best.

Random samples derive from labels, without a generator that has a state, so they are always the same.
"""

import hashlib
import math
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tourney.ratings.counts import Floats, Ints
from tourney.seeds import derive


def uniforms(count: int, *labels: str | int) -> Floats:
    """``count`` independent samples, uniform between 0 and 1 (both excluded), from the labels alone.

    SHAKE-256 over the seed derived from 0 and the labels gives 64-bit words; the upper 53 bits of each are a
    sample.
    """
    seed = derive(0, "ratings", *labels)
    data = hashlib.shake_256(seed.to_bytes(8, "big")).digest(8 * count)
    words = np.frombuffer(data, dtype=">u8") >> np.uint64(11)
    samples: Floats = (words.astype(np.float64) + 0.5) * 2.0**-53
    return samples


def normals(count: int, *labels: str | int) -> Floats:
    """``count`` independent standard normal samples, a function of the labels alone.

    Pairs of uniform samples become normal by Box and Muller (Annals of Mathematical Statistics 29, 1958).
    """
    pairs = (count + 1) // 2
    first, second = uniforms(2 * pairs, *labels).reshape(2, pairs)
    radius, angle = np.sqrt(-2 * np.log(first)), 2 * np.pi * second
    return np.concatenate([radius * np.cos(angle), radius * np.sin(angle)])[:count]


CONFIDENCE = 0.95


def ranks(published: Floats) -> Ints:
    """1 + the number of entrants with a higher published rating, (n)."""
    ordered = np.sort(published)
    places: Ints = 1 + len(published) - np.searchsorted(ordered, published, side="right")
    return places


def critical(entrants: int) -> float:
    """The standard deviations between two entrants that make their order significant.

    Each is compared to all n - 1 others, and all its comparisons hold together with probability 0.95:
    Sidak's inequality ("Rectangular confidence regions for the means of multivariate normal distributions",
    Journal of the American Statistical Association 62, 1967).
    """
    alone = CONFIDENCE ** (1 / max(entrants - 1, 1))
    return NormalDist().inv_cdf((1 + alone) / 2)


def stepped_down(mean: Floats, spread: Floats) -> Floats:
    """The gaps beyond which two differ significantly, (n, n), from the standard deviations of differences.

    Steps down: an entrant's clearest comparison must hold beside its n - 1 others, the next one beside those
    that are left (S. Holm, Scandinavian Journal of Statistics 6, 1979), as far as each holds.
    """
    n = len(mean)
    gap = np.abs(mean[:, None] - mean[None, :])
    clear = np.divide(gap, spread, out=np.zeros_like(gap), where=spread > 0)
    ordered = -np.sort(-clear, axis=1)[:, : max(n - 1, 0)]
    needed = np.array([critical(left + 1) for left in range(n - 1, 0, -1)])
    passed = np.sum(np.cumprod(ordered > needed, axis=1), axis=1, dtype=np.int64)
    # What comes after the first that fails must not pass: its own level, or the last that was needed.
    levels = np.append(needed, math.inf)[np.minimum(passed, max(n - 2, 0))] if n > 1 else np.zeros(n)
    apart: Floats = np.where(passed == n - 1, 0.0, levels)[:, None] * spread
    return apart


def ranges(mean: Floats, apart: Floats) -> tuple[Ints, Ints]:
    """The best and the worst possible rank of each, (n) both, with confidence 0.95 for each.

    ``apart`` (n, n): the gaps beyond which two differ significantly, for the entrant of the row.

    They are 1 + the number of significantly better and n - that of significantly worse entrants (Mogstad,
    Romano, Shaikh and Wilhelm, "Inference for ranks", Review of Economic Studies 91, 2024).
    """
    n = len(mean)
    gap = mean[:, None] - mean[None, :]
    sure = np.abs(gap) > apart
    first: Ints = 1 + np.sum(sure & (gap < 0), axis=1)
    last: Ints = n - np.sum(sure & (gap > 0), axis=1)
    return first, last


SAMPLES = 20_000
"""Samples of the posterior; the standard error of a probability is at most 0.0036."""
_SAME = 9
"""Decimals by which strengths and variances differ, in natural units: further ones are rounding."""
_CHUNK = 1 << 20
"""Normal samples in memory at a time."""


def spreads(covariance: Floats) -> Floats:
    """The standard deviation of each difference of two, (n, n)."""
    variance = np.diag(covariance)
    squared = variance[:, None] + variance[None, :] - 2 * covariance
    np.fill_diagonal(squared, 0.0)
    return np.sqrt(np.maximum(squared, 0.0))


def los(gap: float, spread: float) -> float:
    """The likelihood of superiority: P(difference > 0), normal with this mean and deviation."""
    if spread <= 0:
        return 0.5 if gap == 0 else float(gap > 0)
    return math.erfc(-gap / spread / math.sqrt(2)) / 2


class Leaders(NamedTuple):
    """By samples of the posterior: ``shares`` (n), each entrant's probability of having the highest rating.

    ``first`` and ``last`` (n): ranks between which the true ranks of all entrants lie together with
    probability 0.95.
    """

    shares: Floats
    first: Ints
    last: Ints


def leaders(mean: Floats, covariance: Floats) -> Leaders:
    """Probabilities of being the best, and ranges of ranks, from samples of the posterior.

    Half of the samples mirror the other half at the mean, which makes the error smaller. The strongest comes
    first where samples are drawn, so that they do not depend on the entrants' numbers.
    """
    n = len(mean)
    if not n:
        return Leaders(np.zeros(0), *(np.zeros(0, dtype=np.int64) for _ in range(2)))
    keys = np.round(np.diag(covariance), _SAME), -np.round(mean, _SAME)
    order = np.lexsort(keys)
    mean, covariance = mean[order], covariance[np.ix_(order, order)]
    # Normal samples times this factor have the covariance.
    factor = np.linalg.cholesky(covariance)
    places = np.empty((SAMPLES, n), dtype=np.int16)  # from 0; of 2,000 entrants they take 80 MB
    done = part = 0
    while done < SAMPLES // 2:
        count = min(SAMPLES // 2 - done, max(_CHUNK // n, 1))
        noise = normals(count * n, "posterior", part).reshape(count, n) @ factor.T
        for half, sign in enumerate((1, -1)):
            start = half * (SAMPLES // 2) + done
            best_first = np.argsort(-(mean + sign * noise), axis=1)
            np.put_along_axis(
                places[start : start + count], best_first, np.arange(n, dtype=np.int16)[None, :], axis=1
            )
        done, part = done + count, part + 1
    first, last = _ranges_together(places)
    # Of entrants that the results do not distinguish none has another range by chance.
    _, alike = np.unique(np.stack(keys)[:, order], axis=1, return_inverse=True)
    for group in range(int(alike.max()) + 1):
        of_group = alike.reshape(-1) == group
        first[of_group], last[of_group] = first[of_group].min(), last[of_group].max()
    back = np.argsort(order)
    return Leaders((np.sum(places == 0, axis=0) / SAMPLES)[back], first[back], last[back])


def _ranges_together(places: NDArray[np.int16]) -> tuple[Ints, Ints]:
    """The ranks between which 95 % of the samples have all entrants, (n) both, from 1.

    Each sample is as deep as its rarest place, by the share of samples that have an entrant there or beyond,
    and the deepest samples stay (J. Besag, P. Green, D. Higdon and K. Mengersen, "Bayesian computation and
    stochastic systems", Statistical Science 10, 1995).
    """
    samples, n = places.shape
    above, below = np.empty((n, n)), np.empty((n, n))
    depth = np.ones(samples)
    for entrant in range(n):
        column = places[:, entrant]
        count = np.bincount(column, minlength=n)
        above[entrant] = np.cumsum(count) / samples
        below[entrant] = np.cumsum(count[::-1])[::-1] / samples
        np.minimum(depth, np.minimum(above[entrant], below[entrant])[column], out=depth)
    # Of two entrants one order is then certain from P(better) = 0.975 on, as their difference is.
    least = min(float(np.sort(depth)[math.floor((1 - CONFIDENCE) * samples)]), (1 - CONFIDENCE) / 2)
    first: Ints = 1 + np.argmax(above >= least, axis=1)
    last: Ints = n - np.argmax(below[:, ::-1] >= least, axis=1)
    return first, last
