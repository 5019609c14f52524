"""The fit of a pool: posterior, covariance, and how well it explains the scores of pairs.

What is published is the posterior of ``tourney.ratings.population``: its mean is the estimate. The *flat* fit
is the mode under a prior so wide that it only keeps estimates finite. It judges the fit of pairs, and decides
where stored schedules rest on it.

An inverse Hessian H^-1 (H = J / phi + P: the data's information and the prior's) is the covariance if the
model holds and matches are independent but for a dispersion phi. The sandwich H^-1 (B / phi^2 + P) H^-1, B
being the sum of the squared scores of clusters, needs neither (Liang and Zeger, "Longitudinal data analysis
using generalized linear models", Biometrika 73, 1986; Huber 1967). But with few surprises, as for a bot that
won everything, B has nothing to measure and the sandwich is far too narrow. So the published covariance is
H^-1 M H^-1 where M is, in each direction, the larger of B / phi^2 + P and H. The dispersion is the variance
of clusters in units of that of independent matches, estimated over the whole pool.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np

from tourney.match.evidence import MeanLuck
from tourney.ratings.counts import Counts, Floats, Ints, components
from tourney.ratings.likelihood import PRIOR, Expected, Meetings, Prior, Scores, scatter, scatter_matrix
from tourney.ratings.population import START, Population, Posterior


def published(value: float, digits: int) -> float:
    """A number as it is published; adding 0.0 turns -0.0 into 0.0, which prints without a sign."""
    return round(float(value), digits) + 0.0


_STEP = 1e-9
"""The last step is shorter than this, in natural units: 1e-7 Elo."""
_RISE = 1e-18
"""Or its relative gain is below this: with hardly any data, steps are noise."""
_STEPS = 200


@dataclass(frozen=True, eq=False, slots=True)
class Mode:
    """The posterior's mode: parameters, the data's information J and the prior's precision (a matrix)."""

    x: Floats
    information: Floats
    precision: Floats

    @property
    def hessian(self) -> Floats:
        """The negative second derivative of the log-posterior: J + the prior's."""
        return self.information + self.precision


def maximise(likelihood: Expected, precision: Floats) -> Mode:
    """The mode by damped Newton steps; the posterior is strictly concave, so there is one.

    ``precision`` is the prior's. Raises ArithmeticError if the steps do not converge, which is a defect of
    this program.
    """
    x = np.zeros(likelihood.size)
    point = likelihood.at(x)
    for _ in range(_STEPS):
        gradient = point.gradient - precision @ x
        step = np.linalg.solve(point.information + precision, gradient)
        rise = float(gradient @ step)
        now = point.value - float(x @ precision @ x) / 2
        if np.max(np.abs(step), initial=0.0) < _STEP or rise < _RISE * (1 + abs(now)):
            return Mode(x, point.information, precision)
        size = 1.0
        while True:
            there = x + size * step
            next_point = likelihood.at(there)
            gain = next_point.value - float(there @ precision @ there) / 2 - now
            # Near the maximum rounding hides the gain, and a full step is right.
            if gain >= 1e-4 * size * rise or rise < 1e-9 * (1 + abs(now)) or size < 1e-9:
                break
            size /= 2
        x, point = there, next_point
    raise ArithmeticError(f"Newton's method took more than {_STEPS} steps")


STEADY = 25.0
"""The weight of phi = 1 against the pool's own estimate: the information of fifty even games."""


def covariance(mode: Mode, scores: Scores, times: Ints, entrants: int) -> tuple[Floats, float]:
    """The covariance of all parameters, (P, P), and phi, by scores of clusters that occurred ``times``."""
    prior = mode.precision
    inverse = np.linalg.inv(mode.hessian)
    inverse = (inverse + inverse.T) / 2  # rounding leaves it a little asymmetric
    clusters = int(times.sum())
    # The mode was fitted to these scores, so C clusters show the spread of C - 1.
    meat = squared_scores(scores, times, len(mode.x)) * (clusters / max(clusters - 1, 1))
    seen = float(np.trace(meat[:entrants, :entrants]))
    expected = float(np.trace(mode.information[:entrants, :entrants]))
    dispersion = (seen + STEADY) / (expected + STEADY)
    wide = upper_envelope(meat + prior, dispersion * mode.information + prior)
    return inverse @ wide @ inverse, dispersion


MOST_LUCK: Final = 1.5
"""The most that is subtracted: values of a crude function may be too small."""
PAYS: Final = 0.05
"""The share of the residuals' variance that luck must explain to be subtracted."""
ENOUGH: Final = 16
"""The clusters of pairs from which that is judged; also the weight of 0 in the share to subtract."""


def luck_share(likelihood: Expected, mode: Mode, times: Ints, entrants: int) -> float:
    """The share of the luck to subtract: the slope of pairs' residuals by luck, 0 if it does not pay."""
    residual, luck = (likelihood.by_pair(one) for one in (likelihood.residual(mode.x), likelihood.luck()))
    keys, inverse = np.unique(residual.cluster * entrants**2 + residual.parameter, return_inverse=True)
    left = scatter(inverse.reshape(-1), residual.value, len(keys))
    lucky = scatter(inverse.reshape(-1), luck.value, len(keys))
    weight = times[keys // entrants**2] * (lucky != 0)
    products, squares = float(np.sum(weight * left * lucky)), float(np.sum(weight * lucky**2))
    if weight.sum() < ENOUGH or products <= 0:
        return 0.0
    share = min(products / squares * weight.sum() / (weight.sum() + ENOUGH), MOST_LUCK)
    explained = share * (2 * products - share * squares) / float(np.sum(weight * left**2))
    return share if explained >= PAYS else 0.0


def luck_gradient(likelihood: Expected, counts: Counts) -> Floats:
    """What the luck of all games adds to the gradient."""
    luck = likelihood.by_parameter(likelihood.luck())
    return scatter(luck.parameter, counts.times[luck.cluster] * luck.value, likelihood.size)


def without_luck(likelihood: Expected, mode: Mode, counts: Counts, share: float) -> tuple[Mode, Scores]:
    """The mode after one step that takes a share of the luck out of the gradient, and the clusters' scores.

    The mean of luck is 0, so the step moves no estimate on average; what luck explained is gone from the
    scores, and so from their errors. Luck as a term of the log-odds would be wrong: a lucky game is not won
    by better play.
    """
    scores = likelihood.scores(mode.x)
    if not share:
        return mode, scores
    x = mode.x - share * np.linalg.solve(mode.hessian, luck_gradient(likelihood, counts))
    luck = likelihood.by_parameter(likelihood.luck())
    return replace(mode, x=x), scores._replace(value=scores.value - share * luck.value)


def squared_scores(scores: Scores, times: Ints, size: int) -> Floats:
    """The sum over clusters of each score times itself transposed, (size, size)."""
    total = np.zeros((size, size))
    if not len(times):
        return total
    keys, inverse = np.unique(scores.cluster * size + scores.parameter, return_inverse=True)
    value = scatter(inverse.reshape(-1), scores.value, len(keys))
    cluster, parameter = keys // size, keys % size
    # One row per cluster, with a column for each parameter of the cluster that has most.
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


def upper_envelope(covariance: Floats, base: Floats) -> Floats:
    """The matrix that in each direction is the larger of the two; ``base`` is positive definite.

    With the unit matrix as ``base``, all eigenvalues of ``covariance`` below 1 become 1. The result is a
    continuous function of both: a tie of eigenvalues causes no jump.
    """
    factor = np.linalg.cholesky(base)
    white = np.linalg.solve(factor, np.linalg.solve(factor, covariance).T)
    values, vectors = np.linalg.eigh((white + white.T) / 2)
    spread = factor @ vectors
    envelope: Floats = spread @ (np.maximum(values, 1.0)[:, None] * spread.T)
    return envelope


class Estimate(NamedTuple):
    """A fit in natural units, and what was subtracted of luck.

    ``mean`` and ``covariance`` of all parameters are published, with the ``dispersion``; ``lucky`` is the
    mean if no luck is subtracted. ``spread`` of the strengths in Elo, None in a flat fit. ``raw`` is the flat
    mode with the luck, ``share`` the part of it that is subtracted (0: none), ``luck`` the mean of each
    entrant's.
    """

    likelihood: Expected
    mean: Floats
    covariance: Floats
    dispersion: float
    lucky: Floats
    spread: float | None
    raw: Mode
    share: float
    luck: Mapping[int, MeanLuck]


def estimate(
    counts: Counts, model: type[Expected] = Expected, prior: Prior = PRIOR, *, flat: bool = False
) -> Estimate:
    """Fit a pool; ``flat``, as all models but this package's, without a population.

    The luck of bots that may know the dice is not subtracted. Raises UsageError for a pool that the model
    cannot rate.
    """
    luck = counts.mean_lucks()
    if alarmed := [number for number, mean in luck.items() if mean.alarm]:
        counts = counts.without_luck_of(alarmed)
    likelihood = model(counts)
    raw = maximise(likelihood, likelihood.precision(prior))
    share = luck_share(likelihood, raw, counts.times, counts.size) if counts.luck.any() else 0.0
    if flat or not likelihood.populated:
        mode, scores = without_luck(likelihood, raw, counts, share)
        matrix, dispersion = covariance(mode, scores, counts.times, counts.size)
        return Estimate(likelihood, mode.x, matrix, dispersion, raw.x, None, raw, share, luck)
    return _populated(likelihood, counts, raw, share, luck)


def _populated(
    likelihood: Expected, counts: Counts, raw: Mode, share: float, luck: Mapping[int, MeanLuck]
) -> Estimate:
    total = share * luck_gradient(likelihood, counts)
    population = Population(likelihood, counts, total)
    at, dispersion, clusters = math.log(START), 1.0, int(counts.times.sum())
    start = population.posterior(START, dispersion)
    dispersion, _ = _dispersion(likelihood, counts, start, dispersion, share)
    at, _, start = population.spread(at, dispersion, start)
    dispersion, meat = _dispersion(likelihood, counts, start, dispersion, share)
    spread, mode, mean, matrix = population.mixture(at, dispersion, start)
    meat *= clusters / max(clusters - 1, 1) / dispersion**2
    hessian = np.linalg.inv(mode.covariance).astype(np.float64)
    wide = upper_envelope(meat + mode.precision, hessian)
    matrix = matrix + mode.covariance @ wide @ mode.covariance - mode.covariance
    lucky = mean
    if share:
        lucky = (
            mean
            + Population(likelihood, counts, 0 * total).posterior(spread, dispersion, mode).mean
            - mode.mean
        )
    return Estimate(likelihood, mean, matrix, dispersion, lucky, spread, raw, share, luck)


def _dispersion(
    likelihood: Expected, counts: Counts, posterior: Posterior, before: float, share: float
) -> tuple[float, Floats]:
    """The dispersion by the scores at a posterior, and the sum of these squared over clusters."""
    x, n = posterior.mean, counts.size
    scores = likelihood.scores(x)
    if share:
        luck = likelihood.by_parameter(likelihood.luck())
        scores = scores._replace(value=scores.value - share * luck.value)
    meat = squared_scores(scores, counts.times, len(x))
    information = float(np.trace(likelihood.at(x).information[:n, :n]))
    # The estimate was fitted to these scores, so they vary less around it than around the truth.
    left = max(information - likelihood.taken(x, posterior.doubt) / before, information / 4)
    return (float(np.trace(meat[:n, :n])) + STEADY) / (left + STEADY), meat


def pair_totals(meetings: Meetings, entrants: int) -> Meetings:
    """The sums of meetings by pair: an entry for each two that met, ``a`` below ``b``."""
    n = max(entrants, 1)
    swapped = meetings.a > meetings.b
    a, b = np.where(swapped, meetings.b, meetings.a), np.where(swapped, meetings.a, meetings.b)
    keys, inverse = np.unique(a * n + b, return_inverse=True)
    points = np.where(swapped, meetings.games - meetings.points, meetings.points)
    expected = np.where(swapped, meetings.games - meetings.expected, meetings.expected)
    columns = (meetings.games, points, expected, meetings.variance, meetings.cumulant)
    return Meetings(
        keys // n, keys % n, *(scatter(inverse.reshape(-1), column, len(keys)) for column in columns)
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

    groups = sorted(components(met), key=lambda part: min(map(place, part)))
    strong = sorted(components(links, strong=True), key=lambda group: min(map(place, group)))
    parts = tuple(numbers(part) for part in groups)
    steps = tuple(tuple(numbers(group) for group in strong if group[0] in part) for part in groups)
    return parts, steps


def core(counts: Counts, x: Floats, totals: Meetings) -> dict[int, float]:
    """The zero of a connected pool: 0 by position, for the largest group that took points off each other.

    Directly or by way of others; so one far above all others, or below, shifts none. Empty for all.
    """
    ranked = np.argsort(np.argsort(-x[: counts.size], kind="stable"), kind="stable")
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
        distinct, back = np.unique(joined, return_inverse=True)
        covariance = scatter(back.reshape(-1), times_of * product, len(distinct))
        squares = scatter(back.reshape(-1), times_of * product**2, len(distinct))
        first_variance, second_variance = (
            variance[distinct // len(pair_keys)],
            variance[distinct % len(pair_keys)],
        )
        positive = (first_variance > 0) & (second_variance > 0)
        share = (covariance**2 - squares)[positive] / (first_variance * second_variance)[positive]
        spread += max(4 * float(np.sum(share)), 0.0)
    return variance, spread


class Goodness(NamedTuple):
    """How well the fit explains the scores of pairs.

    ``ratio``: the mean square of the pairs' residuals over the one expected by chance; 1 where the model
    holds. ``p_value``: the probability that chance alone leaves as much or more. Both are None where the
    pairs leave no degree of freedom to test, or have fewer than ``TESTED`` games. ``freedom``: the degrees of
    freedom that they leave.
    """

    pairs: int
    ratio: float | None
    p_value: float | None
    freedom: float


TESTED: Final = 4.0
"""The games of a pair (their harmonic mean over pairs) from which the fit is tested."""


def goodness(
    mode: Mode,
    totals: Meetings,
    variance: Floats,
    spread: float,
    ratings: int,
    least: float = TESTED,
) -> Goodness:
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
    # The square of one even game's residual is 1/4 whatever its result. So of pairs that met once the
    # statistic has the variance 0 in an even pool, and says nothing about the fit of others (P. McCullagh and
    # J. A. Nelder, "Generalized Linear Models", 1989, section 4.4.5; `benchmarks/audits.py sparse`).
    games = pairs / float(np.sum(1 / totals.games[varied]))
    if round(games, 6) < least:
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
    variance, spread = chance(likelihood.by_pair(likelihood.residual(mode.x)), counts.times, totals, n)
    return PairFit(totals, variance, goodness(mode, totals, variance, spread, n))


def tail(statistic: float, mean: float, variance: float) -> float:
    """P(X > statistic), X a multiple of chi-squared of this mean and variance, both above 0.

    Uses Wilson and Hilferty's approximation (Proceedings of the National Academy of Sciences 17, 1931): the
    cube root of a chi-squared over its degrees of freedom is nearly normal.
    """
    degrees = 2 * mean**2 / variance
    small = 2 / (9 * degrees)
    z = ((statistic / mean) ** (1 / 3) - (1 - small)) / math.sqrt(small)
    return math.erfc(z / math.sqrt(2)) / 2
