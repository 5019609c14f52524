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
from tourney.ratings.counts import Counts, Floats, Ints, components
from tourney.ratings.fit import Prior
from tourney.ratings.likelihood import Expected, Likelihood, Point, Scores, logistic, scatter, scatter_matrix
from tourney.ratings.sequential import ELO

_UNUSED: Final = 1.0
"""The precision of seats' effects, which are parameters of every fit, but occur in neither model."""


@dataclass(frozen=True, slots=True)
class Model:
    """A model of results: its likelihood, the precisions of its prior, and its Elo for a unit of log odds.

    ``title``: its name beside Elo. ``free_seats``: the effects of seats are estimated. ``anchored``: it needs
    a pool in which every player took points off others and lost some, directly or by way of others.
    """

    name: str
    title: str
    likelihood: Callable[[Counts], Likelihood]
    precision: Callable[[Prior, Counts], Floats]
    elo: float = ELO
    free_seats: bool = True
    anchored: bool = False

    def check(self, counts: Counts) -> None:
        """Raise UsageError for a pool in which no rating is finite."""
        if not self.anchored:
            return
        groups = components(counts.taken_off(), strong=True)
        if len(groups) > 1:
            raise UsageError(
                f"the model {self.name} has no ratings for these results: they fall into {len(groups)} groups"
                " of players, and no player of one ever took points off one of another, as where a player won"
                " or lost all its games; leave out such players, or use the model tourney"
            )


class Ordo(Expected):
    """Ordo's likelihood: that of this package without effects of seats."""

    free_seats = False

    def __init__(self, counts: Counts) -> None:
        if counts.seats != 2:
            raise UsageError("the models of Ordo and BayesElo are for games of two players")
        super().__init__(counts)


class Bayes(Ordo):
    """BayesElo's posterior: the likelihood with its virtual draws."""

    ADVANTAGE: Final = 32.8
    DRAW: Final = 97.3
    PRIOR: Final = 2.0

    def __init__(self, counts: Counts) -> None:
        super().__init__(counts)
        n = max(counts.size, 1)
        first, second = counts.seating[:, 0], counts.seating[:, 1]
        times = counts.game_weights
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
        win, draw, loss = self._outcomes(self._difference(x))
        value = float(np.sum(self._table * np.log(np.stack([win, draw, loss]))))
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
        win, _, loss = self._outcomes(self._difference(x))
        slopes = np.stack([1 - win, loss - win, loss - 1])
        return self._scores(self._counts.weight * slopes[self._outcome, self._cell])

    def _outcomes(self, difference: Floats) -> tuple[Floats, Floats, Floats]:
        win = logistic(difference + (self.ADVANTAGE - self.DRAW) / ELO)
        loss = logistic(-difference - (self.ADVANTAGE + self.DRAW) / ELO)
        # Since W and L are logistic, 1 - W - L = W L (exp(2b) - 1), which stays exact in the tails.
        return win, win * loss * math.expm1(2 * self.DRAW / ELO), loss

    def _mean(self, x: Floats) -> Floats:
        win, draw, _ = self._outcomes(self._difference(x))
        return win + draw / 2


def _own_precision(prior: Prior, counts: Counts) -> Floats:
    return prior.precision(counts.size, counts.seats)


def _flat_precision(_: Prior, counts: Counts) -> Floats:
    """The precision of the ratings' mean alone: a model without a prior says nothing about it."""
    n = counts.size
    # Only differences of ratings have a likelihood; without this the level is free and the Hessian singular.
    precision = np.diag(np.full(n + counts.seats, _UNUSED))
    precision[:n, :n] = 1 / max(n, 1)
    return precision


TOURNEY: Final = Model("tourney", "expected score", Expected, _own_precision)
MODELS: Final[dict[str, Model]] = {
    "tourney": TOURNEY,
    "ordo": Model(
        "ordo",
        "Ordo",
        Ordo,
        _flat_precision,
        elo=202 / math.log(0.76 / 0.24),
        free_seats=False,
        anchored=True,
    ),
    "bayeselo": Model(
        "bayeselo",
        "BayesElo",
        Bayes,
        _flat_precision,
        elo=ELO / math.cosh(Bayes.DRAW / ELO / 2) ** 2,
        free_seats=False,
    ),
}
"""The models by name."""
