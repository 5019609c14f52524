"""The fit against the results: residuals of pairs, and how well the model tells them altogether."""

import math
from dataclasses import dataclass

import numpy as np

from tourney.ratings.batch.counts import Floats, Ints
from tourney.ratings.batch.covariance import STEADY
from tourney.ratings.batch.likelihood import Likelihood, Meetings, Scores, scatter
from tourney.ratings.batch.newton import Mode
from tourney.ratings.batch.values import Goodness


@dataclass(frozen=True, eq=False, slots=True)
class PairTotals:
    """What pairs that met scored, a line each, ``a`` < ``b`` positions in the pool, all from a's side."""

    a: Ints
    b: Ints
    games: Ints
    half_points: Ints
    expected: Floats
    variance: Floats
    cumulant: Floats


def pair_totals(meetings: Meetings, entrants: int) -> PairTotals:
    """Add meetings up by pairs."""
    n = max(entrants, 1)
    swapped = meetings.a > meetings.b
    a, b = np.where(swapped, meetings.b, meetings.a), np.where(swapped, meetings.a, meetings.b)
    keys, inverse = np.unique(a * n + b, return_inverse=True)
    half_points = np.where(swapped, 2 * meetings.games - meetings.half_points, meetings.half_points)
    expected = np.where(swapped, meetings.games - meetings.expected, meetings.expected)

    def total(values: Floats | Ints) -> Floats:
        return scatter(inverse.reshape(-1), values.astype(np.float64), len(keys))

    return PairTotals(
        keys // n,
        keys % n,
        np.rint(total(meetings.games)).astype(np.int64),
        np.rint(total(half_points)).astype(np.int64),
        total(expected),
        total(meetings.variance),
        total(meetings.cumulant),
    )


def pair_dispersion(residuals: Scores, times: Ints, totals: PairTotals) -> float:
    """Return how much pairs' scores vary from cluster to cluster, in units of what independent matches would.

    Steadied towards 1 as the dispersion of ratings is; at two seats the two are one.
    """
    width = int(residuals.parameter.max(initial=0)) + 1
    keys, inverse = np.unique(residuals.cluster * width + residuals.parameter, return_inverse=True)
    value = scatter(inverse.reshape(-1), residuals.value, len(keys))
    seen = float(np.sum(times[keys // width] * value**2))
    return (seen + STEADY / 2) / (float(totals.variance.sum()) + STEADY / 2)


def goodness(
    likelihood: Likelihood, mode: Mode, totals: PairTotals, dispersion: float, ratings: int
) -> Goodness:
    """Test the model by the residuals of pairs: the sum of their squares in units of their variance.

    Under the model its mean is the number of pairs less what the ratings followed, and its variance is known
    from fourth cumulants and, with more than two seats, from what meetings share a match; a multiple of
    chi-squared of that mean and variance gives the p-value (Rao and Scott, "The analysis of categorical data
    from complex sample surveys", Journal of the American Statistical Association 76, 1981).
    """
    variance = dispersion * totals.variance
    told = variance > 0
    pairs = int(np.sum(told))
    hessian = mode.hessian
    followed = float(np.trace(np.linalg.solve(hessian, mode.information)[:ratings, :ratings]))
    mean = pairs - followed
    if mean < 1:
        return Goodness(pairs, None, None)
    residual = totals.half_points / 2 - totals.expected
    statistic = float(np.sum(residual[told] ** 2 / variance[told]))
    spread = float(np.sum(2 + totals.cumulant[told] / totals.variance[told] ** 2))
    overlap = likelihood.overlap(mode.x)
    spread += 4 * float(np.sum(overlap[:, 0] ** 2 / (overlap[:, 1] * overlap[:, 2])))
    spread *= mean / pairs
    return Goodness(pairs, round(statistic / mean, 3), round(_tail(statistic, mean, spread), 3) + 0.0)


def _tail(statistic: float, mean: float, variance: float) -> float:
    """Return P(X > statistic), X a multiple of chi-squared of this mean and variance.

    By Wilson and Hilferty's approximation (Proceedings of the National Academy of Sciences 17, 1931): the
    cube root of a chi-squared over its degrees of freedom is all but normal.
    """
    degrees = 2 * mean**2 / variance
    small = 2 / (9 * degrees)
    z = ((statistic / mean) ** (1 / 3) - (1 - small)) / math.sqrt(small)
    return math.erfc(z / math.sqrt(2)) / 2
