"""The fit against the results: residuals of pairs, and how well the model tells them altogether."""

import math
from dataclasses import dataclass

import numpy as np

from tourney.ratings.batch.counts import Floats, Ints
from tourney.ratings.batch.covariance import STEADY
from tourney.ratings.batch.likelihood import Meetings, Scores, scatter
from tourney.ratings.batch.newton import Mode
from tourney.ratings.batch.values import Goodness


@dataclass(frozen=True, eq=False, slots=True)
class PairTotals:
    """What pairs that met scored, a line each, ``a`` < ``b`` positions in the pool, all from a's side."""

    a: Ints
    b: Ints
    games: Ints
    half_points: Ints
    undecided: Ints
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
        np.rint(total(meetings.undecided)).astype(np.int64),
        total(expected),
        total(meetings.variance),
        total(meetings.cumulant),
    )


@dataclass(frozen=True, eq=False, slots=True)
class Chance:
    """What chance alone makes of the scores of pairs that met, P of them.

    ``dispersion``: how much they vary from cluster to cluster, in units of what independent matches would;
    steadied towards 1 as the dispersion of ratings is (at two seats the two are one). ``variance`` (P) of a
    pair's residual, and the variance of the ``sum`` over pairs of squared residuals in units of theirs.
    """

    dispersion: float
    variance: Floats
    sum: float


def chance(residuals: Scores, times: Ints, totals: PairTotals, entrants: int) -> Chance:
    """Learn from the residuals of clusters how much chance makes of those of pairs.

    Var(sum) of squares is 2 each and fourth cumulants, and with more than two seats twice the squared
    correlations of pairs that share matches; those are estimated without bias from products of residuals in
    one cluster, taken for different clusters.
    """
    pair_keys = totals.a * max(entrants, 1) + totals.b
    keys, inverse = np.unique(
        residuals.cluster * len(pair_keys) + np.searchsorted(pair_keys, residuals.parameter),
        return_inverse=True,
    )
    value = scatter(inverse.reshape(-1), residuals.value, len(keys))
    cluster, pair = keys // max(len(pair_keys), 1), keys % max(len(pair_keys), 1)
    seen = float(np.sum(times[cluster] * value**2))
    dispersion = (seen + STEADY / 2) / (float(totals.variance.sum()) + STEADY / 2)
    variance = dispersion * totals.variance
    told = totals.variance > 0
    spread = float(np.sum(2 + totals.cumulant[told] / totals.variance[told] ** 2))
    # All twos of one cluster's lines: the lines are in the order of clusters, so shift them by each distance.
    products: list[tuple[Ints, Floats, Ints]] = []
    for distance in range(1, int(np.bincount(cluster, minlength=1).max(initial=1))):
        same = cluster[distance:] == cluster[:-distance]
        first, second = pair[:-distance][same], pair[distance:][same]
        both = value[:-distance][same] * value[distance:][same]
        products.append((first * len(pair_keys) + second, both, times[cluster[distance:][same]]))
    if products:
        joined, times_of = (
            np.concatenate([k for k, _, _ in products]),
            np.concatenate([t for _, _, t in products]),
        )
        product = np.concatenate([p for _, p, _ in products])
        found, back = np.unique(joined, return_inverse=True)
        covariance = scatter(back.reshape(-1), times_of * product, len(found))
        squares = scatter(back.reshape(-1), times_of * product**2, len(found))
        one, other = variance[found // len(pair_keys)], variance[found % len(pair_keys)]
        known = (one > 0) & (other > 0)
        share = (covariance**2 - squares)[known] / (one * other)[known]
        spread += max(4 * float(np.sum(share)), 0.0)
    return Chance(dispersion, variance, spread)


def goodness(mode: Mode, totals: PairTotals, by_chance: Chance, ratings: int) -> Goodness:
    """Test the model by the residuals of pairs: the sum of their squares in units of their variance.

    Under the model its mean is the number of pairs less what the ratings followed; a multiple of chi-squared
    of that mean and the variance that chance makes gives the p-value (Rao and Scott, "The analysis of
    categorical data from complex sample surveys", Journal of the American Statistical Association 76, 1981).
    """
    told = by_chance.variance > 0
    pairs = int(np.sum(told))
    followed = float(np.trace(np.linalg.solve(mode.hessian, mode.information)[:ratings, :ratings]))
    mean = pairs - followed
    if mean < 1:
        return Goodness(pairs, None, None)
    residual = totals.half_points / 2 - totals.expected
    statistic = float(np.sum(residual[told] ** 2 / by_chance.variance[told]))
    p_value = _tail(statistic, mean, by_chance.sum * mean / pairs)
    return Goodness(pairs, round(statistic / mean, 3), round(p_value, 3) + 0.0)


def _tail(statistic: float, mean: float, variance: float) -> float:
    """Return P(X > statistic), X a multiple of chi-squared of this mean and variance.

    By Wilson and Hilferty's approximation (Proceedings of the National Academy of Sciences 17, 1931): the
    cube root of a chi-squared over its degrees of freedom is all but normal.
    """
    degrees = 2 * mean**2 / variance
    small = 2 / (9 * degrees)
    z = ((statistic / mean) ** (1 / 3) - (1 - small)) / math.sqrt(small)
    return math.erfc(z / math.sqrt(2)) / 2
