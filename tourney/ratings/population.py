"""The posterior of strengths that are a sample of a normal population, whose spread the results show.

Where pairings follow results and bots have few games, the maximum of a likelihood stretches: who was lucky
meets strong opponents, and is rated above them. The posterior does not, as the rule that paired the bots
depends on known results alone, and so drops out of it (D. B. Rubin, "Inference and missing data", Biometrika
63, 1976). It needs the spread of the strengths, which has a posterior of its own.

At one spread the posterior is the normal distribution that is nearest to it (the *variational* one: M. Opper
and C. Archambeau, "The variational Gaussian approximation revisited", Neural Computation 21, 2009): its mean
and precision are those of Newton's method, with the mean of each derivative over the distribution itself. The
mode with the curvature there (Laplace) covers 1 to 2 % less and takes the spread for up to a tenth too small.
Its evidence, a lower bound of the marginal likelihood, weights the spreads, and the mixture over them has the
mean and the covariance that are published. The quasi-likelihood is divided by its dispersion throughout.
"""

import math
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np

from tourney.ratings.counts import Counts, Floats
from tourney.ratings.likelihood import PRIOR, Expected
from tourney.ratings.sequential import ELO

START: Final = 200.0
"""The spread at which the dispersion is first estimated, in Elo."""
USUAL: Final = 250.0
"""The mean of the spread before any result, in Elo: its prior is an exponential distribution."""
SEAT: Final = 100.0
"""The prior standard deviation of a seat's effect, in Elo."""
MANY: Final = 200
"""The strengths from which the spread is taken for known: its own error widens intervals by less than 1 %."""
FEW: Final = 20
"""Games a bot up to which probabilities are rough among bots of nearly equal strength."""
ROUGH: Final = (83, 89)
"""Of 100 probabilities of 0.975 and more, those that were right in simulated Swiss tournaments of 32 bots, 14
games each and a spread of 30 and of 60 Elo (``python -m benchmarks.ratings designs --seeds 6``): from so few
games the spread is overestimated."""
DOUBT: Final = 20
"""The error of the spread in percent, from so few games: its standard deviation in simulated pools of 16
and 32 bots, 14 to 30 games each and spreads of 400 and 600 Elo was 9 to 24 %."""
_LOW, _HIGH = 1.0, 4000.0
"""The least and the largest spread, in Elo."""
_ROUND: Final = 64
"""Steps of the spread's logarithm to 1: at a rounded spread no rounding error decides what is published."""
_BESIDE: Final = 0.25
"""The step of the spread's logarithm over which its slope falls to show the deviation."""
_NODES: Final = (-2, -1, 0, 1, 2)
"""The spreads of the mixture, in steps around the most probable one."""
_STEPS, _WHOLE = 60, 10
"""Most steps to a posterior, and those after which the doubt goes by half steps."""
_LONGEST: Final = 2.0
"""The longest step of a strength, in natural units."""
_ENOUGH, _NEAR = 1e-9, 1e-3
"""The last step of a strength, in natural units: of what is published, and while a spread is sought."""


class Posterior(NamedTuple):
    """The normal distribution of the parameters at one spread, and the logarithm of the spread's evidence.

    ``precision`` is the prior's and ``doubt`` that of ``Expected.at``.
    """

    mean: Floats
    covariance: Floats
    precision: Floats
    doubt: Floats
    evidence: float


class Population:
    """A pool's posteriors by spread; ``luck`` is what the luck to subtract adds to the gradient."""

    def __init__(self, likelihood: Expected, counts: Counts, luck: Floats) -> None:
        self._likelihood, self._counts, self._luck = likelihood, counts, luck
        parts = likelihood.connected
        self._free = counts.size - len(parts)
        self._parts = np.zeros((len(parts), counts.size))
        for row, part in zip(self._parts, parts, strict=True):
            row[part] = 1 / math.sqrt(len(part))

    def posterior(
        self, spread: float, dispersion: float, start: Posterior | None = None, enough: float = _ENOUGH
    ) -> Posterior:
        """The posterior at a spread in Elo, found from another's until a step is below ``enough``."""
        likelihood = self._likelihood
        precision = likelihood.precision(replace(PRIOR, seat=SEAT, spread=spread))
        mean = np.zeros(likelihood.size) if start is None else start.mean
        doubt = likelihood.doubt_of(0 * precision) if start is None else start.doubt
        for number in range(_STEPS):
            point = likelihood.at(mean, doubt)
            inverse = np.linalg.inv(point.information / dispersion + precision)
            covariance: Floats = (inverse + inverse.T) / 2  # rounding leaves it a little asymmetric
            step = covariance @ ((point.gradient - self._luck) / dispersion - precision @ mean)
            longest = float(np.abs(step).max(initial=0.0))
            next_doubt = likelihood.doubt_of(covariance)
            change = float(np.abs(next_doubt - doubt).max(initial=0.0))
            mean = mean + step * min(1.0, _LONGEST / max(longest, _ENOUGH))
            # Whole steps of the doubt may swing for ever where a bot won everything.
            doubt = next_doubt if number < _WHOLE else (doubt + next_doubt) / 2
            if max(longest, change) < enough:
                break
        value = (point.value - float(self._luck @ mean)) / dispersion
        distance = float(mean @ precision @ mean) + float(np.sum(precision * covariance))
        volume = np.linalg.slogdet(precision)[1] + np.linalg.slogdet(covariance)[1]
        evidence = value + (float(volume) - distance) / 2
        return Posterior(mean, covariance, precision, doubt, evidence + _log_prior(spread))

    def spread(self, at: float, dispersion: float, start: Posterior) -> tuple[float, float, Posterior]:
        """The most probable spread, as a logarithm; the deviation of that; and the posterior at it.

        Secant steps in a bracket, from ``at`` on, seek the root of the evidence's slope.
        """
        low, high, last = math.log(_LOW), math.log(_HIGH), None
        while round(_ROUND * low) < round(_ROUND * high) - 1:
            start = self.posterior(math.exp(at), dispersion, start, _NEAR)
            slope, target = self._slope(math.exp(at), start)
            low, high = (at, high) if slope > 0 else (low, at)
            if last is not None and last[1] != slope:
                target = at - slope * (last[0] - at) / (last[1] - slope)
            last = (at, slope)
            if abs(target - at) < 0.5 / _ROUND:
                break
            at = target if low < target < high else (low + high) / 2
        at = round(_ROUND * at) / _ROUND
        mode = self.posterior(math.exp(at), dispersion, start)
        beside = math.exp(at + _BESIDE)
        fall = self._slope(math.exp(at), mode)[0]
        fall -= self._slope(beside, self.posterior(beside, dispersion, mode, _NEAR))[0]
        deviation = math.sqrt(_BESIDE / fall) if fall > 0 else 1.0
        return at, min(max(round(_ROUND * deviation), 1), _ROUND) / _ROUND, mode

    def mixture(
        self, at: float, dispersion: float, start: Posterior
    ) -> tuple[float, Posterior, Floats, Floats]:
        """The most probable spread and the posterior at it; mean and covariance over all spreads."""
        at, deviation, mode = self.spread(at, dispersion, start)
        nodes = _NODES if self._free < MANY else (0,)
        posteriors = [
            mode if node == 0 else self.posterior(math.exp(at + node * deviation), dispersion, mode)
            for node in nodes
        ]
        weights = np.exp([posterior.evidence - mode.evidence for posterior in posteriors])
        weights /= weights.sum()
        means = np.array([posterior.mean for posterior in posteriors])
        mean = weights @ means
        apart = means - mean
        covariance = (apart.T * weights) @ apart
        for weight, posterior in zip(weights, posteriors, strict=True):
            covariance += weight * posterior.covariance
        return math.exp(at), mode, mean, covariance

    def _slope(self, spread: float, posterior: Posterior) -> tuple[float, float]:
        """The slope of the evidence by the spread's logarithm, and the next such logarithm (EM)."""
        size = self._counts.size
        mean, covariance = posterior.mean[:size], posterior.covariance[:size, :size]
        within = float(mean @ mean + np.trace(covariance))
        within -= float(np.sum((self._parts @ mean) ** 2) + np.sum(self._parts @ covariance * self._parts))
        squares = within * (ELO / spread) ** 2
        slope = squares - self._free + 1 - spread / USUAL
        return slope, math.log(spread) + math.log(max(squares, 1e-9) / max(self._free, 1)) / 2


def _log_prior(spread: float) -> float:
    """The logarithm of the prior density of the spread's logarithm, up to a constant."""
    return math.log(spread) - spread / USUAL
