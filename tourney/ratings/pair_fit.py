"""The scores of pairs beside those that a fit expects: residuals, variation by chance, the test of fit."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tourney.ratings.counts import Counts, Floats, Ints, components
from tourney.ratings.fit import STEADY, Mode, published
from tourney.ratings.likelihood import Expected, Meetings, Scores, scatter


def pair_totals(meetings: Meetings, entrants: int) -> Meetings:
    """The sums of meetings by pair: an entry for each two that met, ``a`` below ``b``."""
    n = max(entrants, 1)
    swapped = meetings.a > meetings.b
    a, b = np.where(swapped, meetings.b, meetings.a), np.where(swapped, meetings.a, meetings.b)
    keys, inverse = np.unique(a * n + b, return_inverse=True)
    points = np.where(swapped, meetings.games - meetings.points, meetings.points)
    expected = np.where(swapped, meetings.games - meetings.expected, meetings.expected)

    def total(values: Floats | Ints) -> Floats:
        return scatter(inverse.reshape(-1), values.astype(np.float64), len(keys))

    return Meetings(
        keys // n,
        keys % n,
        total(meetings.games),
        total(points),
        total(expected),
        total(meetings.variance),
        total(meetings.cumulant),
    )


def connected_parts(
    counts: Counts, totals: Meetings, order: Mapping[int, int]
) -> tuple[tuple[tuple[int, ...], ...], tuple[tuple[tuple[int, ...], ...], ...]]:
    """The pool's connected parts, and each part's steps; all in the order of the table."""
    links: list[list[int]] = [[] for _ in counts.entrants]
    met: list[list[int]] = [[] for _ in counts.entrants]
    left = np.round(totals.games - totals.points, 9)
    for a, b, mine, theirs in zip(totals.a, totals.b, np.round(totals.points, 9), left, strict=True):
        met[a].append(int(b))
        if mine > 0:
            links[a].append(int(b))
        if theirs > 0:
            links[b].append(int(a))

    places = [order[number] for number in counts.entrants]
    place = places.__getitem__

    def numbers(group: Sequence[int]) -> tuple[int, ...]:
        return tuple(counts.entrants[position] for position in sorted(group, key=place))

    found = sorted(components(met), key=lambda part: min(map(place, part)))
    strong = sorted(components(links, strong=True), key=lambda group: min(map(place, group)))
    parts = tuple(numbers(part) for part in found)
    steps = tuple(tuple(numbers(group) for group in strong if group[0] in part) for part in found)
    return parts, steps


def core(counts: Counts, mode: Mode, totals: Meetings) -> dict[int, float]:
    """The zero of a connected pool: 0 by position, for the largest group that took points off each other.

    Directly or by way of others; so one far above all others, or below, shifts none. Empty for all.
    """
    ranked = np.argsort(np.argsort(-mode.x[: counts.size], kind="stable"), kind="stable")
    order = dict(zip(counts.entrants, ranked.tolist(), strict=True))
    parts, steps = connected_parts(counts, totals, order)
    largest = max((group for part in steps for group in part), key=len, default=())
    if len(parts) > 1 or len(largest) < 2:
        return {}
    return {counts.entrants.index(number): 0.0 for number in largest}


def chance(residuals: Scores, times: Ints, totals: Meetings, entrants: int) -> tuple[Floats, float]:
    """Estimate how residuals vary by chance, from those of clusters.

    Gives the variance of each pair's residual, (P), and that of the sum of their squares, each in units of
    its variance. The first is the one of independent matches times the dispersion: the variance between
    clusters, shrunk towards 1 as the dispersion of ratings is (at two seats the two are equal). The second is
    2 for each pair plus its fourth cumulant, and with more than two seats twice the squared correlations of
    pairs that share matches; these are estimated without bias from products of residuals in one cluster,
    taken for different clusters.
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
    varied = totals.variance > 0
    spread = float(np.sum(2 + totals.cumulant[varied] / totals.variance[varied] ** 2))
    # All pairs of entries of one cluster: entries are sorted by cluster, so shift them by each distance.
    products: list[tuple[Ints | Floats, ...]] = []
    for distance in range(1, int(np.bincount(cluster, minlength=1).max(initial=1))):
        same = cluster[distance:] == cluster[:-distance]
        first, second = pair[:-distance][same], pair[distance:][same]
        both = value[:-distance][same] * value[distance:][same]
        products.append((first * len(pair_keys) + second, both, times[cluster[distance:][same]]))
    if products:
        joined, product, times_of = (np.concatenate(parts) for parts in zip(*products, strict=True))
        found, back = np.unique(joined, return_inverse=True)
        covariance = scatter(back.reshape(-1), times_of * product, len(found))
        squares = scatter(back.reshape(-1), times_of * product**2, len(found))
        one, other = variance[found // len(pair_keys)], variance[found % len(pair_keys)]
        known = (one > 0) & (other > 0)
        share = (covariance**2 - squares)[known] / (one * other)[known]
        spread += max(4 * float(np.sum(share)), 0.0)
    return variance, spread


class Goodness(NamedTuple):
    """How well the fit explains the scores of pairs.

    ``ratio``: the mean square of the pairs' residuals over the one expected by chance; 1 where the model
    holds. ``p_value``: the probability that chance alone leaves as much or more. Both are None where the
    pairs leave no degree of freedom to test. ``freedom``: the degrees of freedom that they leave.
    """

    pairs: int
    ratio: float | None
    p_value: float | None
    freedom: float


def goodness(mode: Mode, totals: Meetings, variance: Floats, spread: float, ratings: int) -> Goodness:
    """Test the model by the sum of squared residuals of pairs; ``variance`` and ``spread`` as ``chance`` has.

    Under the model its mean is the number of pairs less the degrees of freedom of the ratings; a multiple of
    chi-squared with that mean and the variance by chance gives the p-value (Rao and Scott, "The analysis of
    categorical data from complex sample surveys", Journal of the American Statistical Association 76, 1981).
    """
    varied = variance > 0
    pairs = int(np.sum(varied))
    freedom = float(np.trace(np.linalg.solve(mode.hessian, mode.information)[:ratings, :ratings]))
    mean = pairs - freedom
    if mean < 1:
        return Goodness(pairs, None, None, round(mean, 6))
    residual = totals.points - totals.expected
    statistic = float(np.sum(residual[varied] ** 2 / variance[varied]))
    p_value = tail(statistic, mean, spread * mean / pairs)
    return Goodness(pairs, round(statistic / mean, 3), published(p_value, 3), round(mean, 6))


@dataclass(frozen=True, eq=False, slots=True)
class PairFit:
    """The scores of the P pairs that met, beside those that a fit expects, and how well the two agree.

    ``variance`` (P): of each pair's residual, by chance.
    """

    totals: Meetings
    variance: Floats
    goodness: Goodness

    @property
    def residual(self) -> Floats:
        """Points less those expected, (P)."""
        return self.totals.points - self.totals.expected


def pair_fit(likelihood: Expected, mode: Mode, counts: Counts) -> PairFit:
    """The scores of pairs at the mode of a fit to these counts."""
    n = counts.size
    totals = pair_totals(likelihood.meetings(mode.x), n)
    variance, spread = chance(likelihood.residuals(mode.x), counts.times, totals, n)
    return PairFit(totals, variance, goodness(mode, totals, variance, spread, n))


def tail(statistic: float, mean: float, variance: float) -> float:
    """P(X > statistic), X a multiple of chi-squared of this mean and variance.

    Uses Wilson and Hilferty's approximation (Proceedings of the National Academy of Sciences 17, 1931): the
    cube root of a chi-squared over its degrees of freedom is nearly normal.
    """
    degrees = 2 * mean**2 / variance
    small = 2 / (9 * degrees)
    z = ((statistic / mean) ** (1 / 3) - (1 - small)) / math.sqrt(small)
    return math.erfc(z / math.sqrt(2)) / 2
