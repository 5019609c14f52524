"""The models of Ordo and of BayesElo, so that their ratings can be reproduced; both for two seats.

Ordo (M. A. Ballicora, https://github.com/michiguel/Ordo): the expected score of a difference d is
1 / (1 + exp(-beta d)), where beta makes it 0.76 at 202 Elo; the ratings are those with which every player's
expected points equal its points, a draw being half a point. That is the maximum of the likelihood
sum s log p + (1 - s) log (1 - p), s the score of a game. White has no advantage.

BayesElo (R. Coulom, https://www.remi-coulom.fr/Bayesian-Elo/): with f(d) = 1 / (1 + 10^(-d/400)) white wins
with probability W = f(d + a - b), loses with L = f(-d - a - b) and draws otherwise; the advantage a is 32.8
Elo, the draw parameter b 97.3. The prior is two virtual draws a player, shared among its opponents in
proportion to its games with each, half of them on each side. The ratings are the posterior's mode, times
4 x / (1 + x)^2 with x = 10^(-b/400): its scale, by which expected scores of near equals are as without draws.

Intervals, superiority and the fit are this package's, from clusters (``tourney.ratings.fit``).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from tourney.errors import UsageError
from tourney.ratings.counts import Counts, Floats, Ints
from tourney.ratings.fit import ELO, Prior
from tourney.ratings.likelihood import Davidson, Likelihood, Point, Scores, scatter, scatter_matrix
from tourney.ratings.plackett_luce import PlackettLuce

_UNUSED: Final = 1.0
"""The precision of seats' effects, which are parameters of every fit, but occur in neither model."""


@dataclass(frozen=True, slots=True)
class Model:
    """A model of results: its likelihood, the precisions of its prior, and its Elo for a unit of log odds.

    ``free_seats``: the effects of seats are estimated. ``anchored``: it needs a pool in which every player
    took points off others and lost some, directly or by way of others.
    """

    name: str
    likelihood: Callable[[Counts], Likelihood]
    precision: Callable[[Prior, Counts, Likelihood], Floats]
    elo: float = ELO
    free_seats: bool = True
    anchored: bool = False


def _logistic(u: Floats) -> Floats:
    p: Floats = 0.5 * (1 + np.tanh(u / 2))
    return p


class Expected(Davidson):
    """Ordo's likelihood: the score of a game has the mean that the difference says; draws are half points."""

    has_draws = False

    def __init__(self, counts: Counts) -> None:
        if counts.seats != 2:
            raise UsageError("the models of Ordo and BayesElo are for games of two players")
        super().__init__(counts)
        self.size = counts.size + 2

    def at(self, x: Floats) -> Point:
        """Value and derivatives."""
        mean, _, _, value = self._probabilities(x)
        games = self._table.sum(axis=0)
        scored = self._table[0] + self._table[1] / 2
        return self._point(value, scored - games * mean, games * mean * (1 - mean))

    def scores(self, x: Floats) -> Scores:
        """The clusters' gradients."""
        return self._scores(self._residual(x))

    def _point(self, value: float, slope: Floats, bend: Floats) -> Point:
        """A point from each cell's derivatives by its difference."""
        gradient = np.zeros(self.size)
        information = np.zeros((self.size, self.size))
        index, sign = self._columns()
        for i, s in zip(index, sign, strict=True):
            gradient += scatter(i, s * slope, self.size)
            for j, t in zip(index, sign, strict=True):
                information += scatter_matrix(i, j, s * t * bend, self.size)
        return Point(value, gradient, information)

    def _scores(self, slope: Floats) -> Scores:
        """The clusters' gradients from each game's derivative by its difference."""
        index, sign = self._columns()
        return Scores(
            np.tile(self._counts.cluster, len(index)),
            np.concatenate([i[self._cell] for i in index]),
            np.concatenate([s * slope for s in sign]),
        )

    def _columns(self) -> tuple[tuple[Ints, ...], tuple[float, ...]]:
        return (self._first, self._second), (1.0, -1.0)

    def _difference(self, x: Floats) -> Floats:
        difference: Floats = x[self._first] - x[self._second]
        return difference

    def _probabilities(self, x: Floats) -> tuple[Floats, Floats, Floats, float]:
        difference = self._difference(x)
        mean = _logistic(difference)
        games = self._table.sum(axis=0)
        scored = self._table[0] + self._table[1] / 2
        value = -np.sum(
            scored * np.logaddexp(0, -difference) + (games - scored) * np.logaddexp(0, difference)
        )
        return mean, np.zeros_like(mean), 1 - mean, float(value)


class Bayes(Expected):
    """BayesElo's posterior: the likelihood with its virtual draws."""

    ADVANTAGE: Final = 32.8
    DRAW: Final = 97.3
    PRIOR: Final = 2.0

    def __init__(self, counts: Counts) -> None:
        super().__init__(counts)
        n = max(counts.size, 1)
        first, second = counts.seating[:, 0], counts.seating[:, 1]
        times = counts.game_times.astype(np.float64)
        low, high = np.minimum(first, second), np.maximum(first, second)
        pairs, which = np.unique(low * n + high, return_inverse=True)
        met = scatter(which.reshape(-1), times, len(pairs))
        a, b = pairs // n, pairs % n
        games = scatter(a, met, n) + scatter(b, met, n)
        draws = self.PRIOR / 4 * met * (1 / games[a] + 1 / games[b])
        self._prior_first: Ints = np.concatenate([a, b])
        self._prior_second: Ints = np.concatenate([b, a])
        self._prior_draws: Floats = np.concatenate([draws, draws])

    def at(self, x: Floats) -> Point:
        """Value and derivatives."""
        win, draw, loss, value = self._probabilities(x)
        wins, draws, losses = self._table
        one, two = win * (1 - win), loss * (1 - loss)
        slope = wins * (1 - win) + draws * (loss - win) - losses * (1 - loss)
        point = self._point(value, slope, (wins + draws) * one + (losses + draws) * two)
        win, draw, loss = self._outcomes(x[self._prior_first] - x[self._prior_second])
        slope = self._prior_draws * (loss - win)
        bend = self._prior_draws * (win * (1 - win) + loss * (1 - loss))
        gradient, information = point.gradient, point.information
        for i, s in ((self._prior_first, 1.0), (self._prior_second, -1.0)):
            gradient = gradient + scatter(i, s * slope, self.size)
            for j, t in ((self._prior_first, 1.0), (self._prior_second, -1.0)):
                information = information + scatter_matrix(i, j, s * t * bend, self.size)
        return Point(value + float(np.sum(self._prior_draws * np.log(draw))), gradient, information)

    def scores(self, x: Floats) -> Scores:
        """The clusters' gradients."""
        win, _, loss, _ = self._probabilities(x)
        slopes = np.stack([1 - win, loss - win, loss - 1])
        return self._scores(slopes[self._outcome, self._cell])

    def _outcomes(self, difference: Floats) -> tuple[Floats, Floats, Floats]:
        win = _logistic(difference + (self.ADVANTAGE - self.DRAW) / ELO)
        loss = _logistic(-difference - (self.ADVANTAGE + self.DRAW) / ELO)
        # Since W and L are logistic, 1 - W - L = W L (exp(2b) - 1), which stays exact in the tails.
        return win, win * loss * math.expm1(2 * self.DRAW / ELO), loss

    def _probabilities(self, x: Floats) -> tuple[Floats, Floats, Floats, float]:
        win, draw, loss = self._outcomes(self._difference(x))
        value = float(np.sum(self._table * np.log(np.stack([win, draw, loss]))))
        return win, draw, loss, value


def _own_precision(prior: Prior, counts: Counts, likelihood: Likelihood) -> Floats:
    return prior.precision(counts.size, counts.seats, draws=likelihood.has_draws)


def _flat_precision(_: Prior, counts: Counts, __: Likelihood) -> Floats:
    """The precision of the ratings' mean alone: a model without a prior says nothing about it."""
    n = counts.size
    # Only differences of ratings have a likelihood; without this the level is free and the Hessian singular.
    precision = np.diag(np.full(n + counts.seats, _UNUSED))
    precision[:n, :n] = 1 / max(n, 1)
    return precision


def likelihood_of(counts: Counts) -> Likelihood:
    """This package's model: Davidson's for two seats, Plackett and Luce's for more."""
    return Davidson(counts) if counts.seats == 2 else PlackettLuce(counts)


TOURNEY: Final = Model("tourney", likelihood_of, _own_precision)
MODELS: Final[dict[str, Model]] = {
    "tourney": TOURNEY,
    "ordo": Model(
        "ordo", Expected, _flat_precision, elo=202 / math.log(0.76 / 0.24), free_seats=False, anchored=True
    ),
    "bayeselo": Model(
        "bayeselo", Bayes, _flat_precision, elo=ELO / math.cosh(Bayes.DRAW / ELO / 2) ** 2, free_seats=False
    ),
}
"""The models by name."""
