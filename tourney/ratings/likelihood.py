"""The models of ratings: this package's, and those of Ordo and BayesElo, so that theirs can be reproduced.

``Expected``: a pair of seats scores 1, 1/2 or 0 against each other, and the expected score of a difference d
of ratings is 1 / (1 + exp(-d)) in natural units, at two seats and more: Ordo's model, a quasi-likelihood
(Wedderburn, "Quasi-likelihood functions, generalized linear models, and the Gauss-Newton method", Biometrika
61, 1974). It says nothing about draws, so no draw parameter can be wrong. A match of k seats has
k (k - 1) / 2 such pairs, which are not independent: each has the weight 3 / (k + 1), with which the
information of a match of equals in random order is the variance of its score; for all else there are the
clusters (``tourney.ratings.fit``).

``Ordo`` (M. A. Ballicora, https://github.com/michiguel/Ordo): beta in 1 / (1 + exp(-beta d)) makes the
expected score 0.76 at 202 Elo; the ratings are those with which every player's expected points equal its
points, a draw being half a point. That is the maximum of the likelihood sum s log p + (1 - s) log (1 - p), s
the score of a game. White has no advantage.

``Bayes`` (BayesElo by R. Coulom, https://www.remi-coulom.fr/Bayesian-Elo/): with f(d) = 1 / (1 + 10^(-d/400))
white wins with probability W = f(d + a - b), loses with L = f(-d - a - b) and draws otherwise; the advantage
a is 32.8 Elo, the draw parameter b 97.3. The prior is two virtual draws a player, shared among its opponents
in proportion to its games with each, half of them on each side. The ratings are the posterior's mode, times
4 x / (1 + x)^2 with x = 10^(-b/400): its scale, by which expected scores of near equals are as without draws.

Parameters are the ratings, then the seats' effects, both in natural units.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import ClassVar, Final, NamedTuple

import numpy as np

from tourney.errors import UsageError
from tourney.match.evidence import POINT
from tourney.ratings.counts import Counts, Floats, Ints, components
from tourney.ratings.sequential import ELO
from tourney.schedule.row import BY_WIN


@dataclass(frozen=True, slots=True)
class Prior:
    """Normal distributions, given by their standard deviations in Elo.

    ``rating``: of the mean of the strengths in each group of bots that matches connect; ``spread``: of the
    strengths around that mean. Without a ``spread`` each strength by itself has ``rating`` around 0, which at
    600 weighs a third of one even game: the *flat* prior. ``seat``: of a seat's effect.
    """

    rating: float = 600.0
    seat: float = 200.0
    spread: float | None = None

    def precision(self, counts: Counts, groups: Sequence[Sequence[int]] | None = None) -> Floats:
        """The precisions of the ratings, then of the seats, as a matrix.

        ``groups`` of entrants that matches connect are found if they are not given.
        """
        level, size = (self.rating / ELO) ** 2, counts.size
        seats = np.full(counts.seats, (ELO / self.seat) ** 2)
        precision: Floats = np.diag(np.concatenate([np.full(size, 1 / level), seats]))
        if self.spread is not None:
            variance = (self.spread / ELO) ** 2
            precision[:size, :size] = np.eye(size) / variance
            for part in components(counts.met()) if groups is None else groups:
                # The inverse of variance I + level 11' (Sherman and Morrison, 1950).
                shared = level / (variance * (variance + len(part) * level))
                precision[np.ix_(part, part)] -= shared
        return precision


PRIOR: Final = Prior()
"""The flat prior."""


class Point(NamedTuple):
    """The log-likelihood at a point, its gradient (P), and its negative second derivative (P, P)."""

    value: float
    gradient: Floats
    information: Floats


class Scores(NamedTuple):
    """The gradient of one occurrence of each cluster, a sparse matrix (C, P) of E entries, which add up."""

    cluster: Ints
    parameter: Ints
    value: Floats


class Meetings(NamedTuple):
    """Scores of pairs of entrants against each other; the entries of a pair add up.

    ``a`` and ``b``: positions in the pool. ``games`` by what they count, and ``points`` of a in them. Under
    the model: ``expected`` points of a, and their ``variance`` and fourth ``cumulant`` if no game were drawn.
    """

    a: Ints
    b: Ints
    games: Floats
    points: Floats
    expected: Floats
    variance: Floats
    cumulant: Floats


def scatter(index: Ints, weight: Floats, size: int) -> Floats:
    """The sums of weights by index, (size)."""
    # Of no weights at all NumPy gives sums that are integers.
    sums: Floats = np.bincount(index, weights=weight, minlength=size).astype(np.float64, copy=False)
    return sums


def scatter_matrix(row: Ints, column: Ints, weight: Floats, size: int) -> Floats:
    """The sums of weights by row and column, (size, size)."""
    return scatter(row * size + column, weight, size * size).reshape(size, size)


def logistic(u: Floats) -> Floats:
    """The expected score of a difference in natural units."""
    p: Floats = 0.5 * (1 + np.tanh(u / 2))
    return p


_HALF: Final = (
    (6.363947888829839, 8.589649899633252e-10),
    (5.190093591304781, 5.975419597920599e-07),
    (4.1962077112690155, 5.642146405189029e-05),
    (3.2890824243987664, 0.001567357503549956),
    (2.432436827009758, 0.017365774492137616),
    (1.6067100690287297, 0.08941779539984437),
    (0.799129068324548, 0.23246229360973225),
)
"""Nodes and weights above 0 of ``np.polynomial.hermite_e.hermegauss(15)``, which loads eight modules."""
NODES: Final = np.array([*(-node for node, _ in _HALF), 0.0, *(node for node, _ in reversed(_HALF))])
"""Nodes of the mean over a standard normal variable (Gauss and Hermite)."""
WEIGHTS: Final = np.array(
    [*(weight for _, weight in _HALF), 0.31825951825951815, *(weight for _, weight in reversed(_HALF))]
)
"""The weights of ``NODES``, of sum 1."""


class Expected:
    """Tourney's model: the quasi-likelihood of the scores of pairs of seats, which is concave.

    Cells are the meetings of two entrants at two seats, Q pairs of seats in each of G games. ``title``: the
    model's name beside Elo. ``elo``: its Elo for a unit of log odds. ``free_seats``: seats have effects.
    ``populated``: strengths are a sample of a population (``tourney.ratings.population``).
    ``size``: the number of parameters P, n ratings and k seats' effects.
    """

    name: ClassVar[str] = "tourney"
    title: ClassVar[str] = "expected score"
    elo: ClassVar[float] = ELO
    free_seats: ClassVar[bool] = True
    populated: ClassVar[bool] = True

    def __init__(self, counts: Counts) -> None:
        n, k = max(counts.size, 1), counts.seats
        self._counts = counts
        self._n = counts.size
        self.size = counts.size + k
        self._pairs = tuple(combinations(range(k), 2))
        self._weight = self._pair_weight(k)
        many = len(self._pairs)
        keys = [
            (counts.seating[:, s] * n + counts.seating[:, t]) * many + q
            for q, (s, t) in enumerate(self._pairs)
        ]
        cells, inverse = np.unique(np.stack(keys), return_inverse=True)
        self._cell: Ints = inverse.reshape(many, -1)
        self._first: Ints = cells // many // n
        self._second: Ints = cells // many % n
        seats: Ints = np.array(self._pairs, dtype=np.int64)[cells % many].T + counts.size
        ratings = np.stack([self._first, self._second])
        # The K parameters of each cell's difference, (K, C), of which every second one is subtracted; and the
        # places in a matrix (P, P) of every two of them. A fit asks for sums over these hundreds of times.
        self._parameters: Ints = np.concatenate([ratings, seats]) if self.free_seats else ratings
        self._signs: Floats = np.tile([1.0, -1.0], len(self._parameters) // 2)
        rows, columns = self._parameters[:, None] * self.size, self._parameters[None]
        self._places: Ints = (rows + columns).reshape(len(self._signs) ** 2, -1)
        self._place_signs: Floats = np.outer(self._signs, self._signs).reshape(-1)
        # 0 win, 1 draw, 2 loss of the first of the two
        sides = [counts.ranks[:, s] - counts.ranks[:, t] for s, t in self._pairs]
        self._outcome: Ints = 1 + np.sign(np.stack(sides))
        self._counted: Floats = self._counting(counts.ranks)
        times = (counts.game_weights * self._counted).reshape(-1)
        kind = (self._outcome * len(cells) + self._cell).reshape(-1)
        self._table = scatter(kind, times, 3 * len(cells)).reshape(3, -1)
        self._games: Floats = self._table.sum(axis=0)
        self._scored: Floats = self._table[0] + self._table[1] / 2

    def _pair_weight(self, seats: int) -> float:
        """What a pair of seats counts: so that an even game's score varies as its information says."""
        return 3 / (seats + 1)

    @cached_property
    def connected(self) -> list[list[int]]:
        """The groups of entrants that matches connect; a fit asks for them at each of its spreads."""
        return components(self._counts.met())

    def _counting(self, ranks: Ints) -> Floats:
        """1 for each game's pairs of seats that count and 0 for others, (Q, G)."""
        return np.ones((len(self._pairs), len(ranks)))

    def precision(self, prior: Prior) -> Floats:
        """The precision of the prior, (P, P)."""
        return prior.precision(self._counts, self.connected)

    def at(self, x: Floats, doubt: Floats | None = None) -> Point:
        """Value and derivatives; with ``doubt`` (``doubt_of``) their means where cells' differences vary."""
        difference = self._difference(x)
        games, scored = self._games, self._scored
        varied = difference[:, None]
        weights = np.ones(1)
        if doubt is not None:
            varied = varied + np.sqrt(doubt)[:, None] * NODES
            weights = WEIGHTS
        mean = logistic(varied)
        value = np.sum(scored * difference - games * (np.logaddexp(0, varied) @ weights))
        return self._point(
            float(value), scored - games * (mean @ weights), games * (mean * (1 - mean) @ weights)
        )

    def doubt_of(self, covariance: Floats) -> Floats:
        """The variance of each cell's difference if the parameters have this covariance."""
        doubt: Floats = np.maximum(self._place_signs @ covariance.reshape(-1)[self._places], 0.0)
        return doubt

    def taken(self, x: Floats, doubt: Floats) -> float:
        """The information on ratings that a fit with this ``doubt`` took from its own scores, a trace.

        A cluster's score of an entrant varies by that much less around the fit than around the truth. The
        differences to several opponents in one cluster are taken to be wrong together.
        """
        counts, mean = self._counts, self._mean(x)
        weight = counts.weight * self._counted
        parts = weight * (self._weight * mean * (1 - mean) * np.sqrt(doubt))[self._cell]
        sides = np.zeros((counts.seats, len(counts.cluster)))
        for (s, t), part in zip(self._pairs, parts, strict=True):
            sides[s] += part
            sides[t] += part
        keys, inverse = np.unique(counts.cluster * max(self._n, 1) + counts.seating.T, return_inverse=True)
        sums = scatter(inverse.reshape(-1), sides.reshape(-1), len(keys))
        return float(np.sum(counts.times[keys // max(self._n, 1)] * sums**2))

    def scores(self, x: Floats) -> Scores:
        """The clusters' gradients."""
        return self.by_parameter(self.residual(x))

    def meetings(self, x: Floats) -> Meetings:
        """The scores of pairs; a pair has an entry for each two seats that it had."""
        mean, games = self._mean(x), self._games
        variance = mean * (1 - mean)
        return Meetings(
            self._first,
            self._second,
            games,
            self._scored,
            games * mean,
            games * variance,
            games * variance * (1 - 6 * variance),
        )

    def residual(self, x: Floats) -> Floats:
        """The points of each game's pairs, less those expected, by what the game counts, (Q, G)."""
        weight = self._counts.weight * self._counted
        residual: Floats = weight * (1 - self._outcome / 2 - self._mean(x)[self._cell])
        return residual

    def luck(self) -> Floats:
        """The luck of each game's pairs in points, by what the game counts, (Q, G)."""
        luck = self._counts.luck
        pairs = [luck[:, s] - luck[:, t] for s, t in self._pairs]
        points: Floats = self._counts.weight * self._counted * np.stack(pairs) / (2 * POINT)
        return points

    def by_pair(self, points: Floats) -> Scores:
        """Points of the first of each game's pairs of seats, (Q, G), by cluster and pair of entrants.

        The pair ``a * n + b``, a < b, takes the place of the parameter; the points are a's.
        """
        cell, value = self._cell.reshape(-1), points.reshape(-1)
        a, b = self._first[cell], self._second[cell]
        cluster = np.tile(self._counts.cluster, len(self._pairs))
        pair = np.minimum(a, b) * self._n + np.maximum(a, b)
        return Scores(cluster, pair, np.where(a < b, value, -value))

    def by_parameter(self, slope: Floats) -> Scores:
        """The clusters' gradients from the derivatives of the pairs of each game, (Q, G)."""
        counts = self._counts
        slopes = np.zeros((counts.seats, len(counts.cluster)))
        for (s, t), part in zip(self._pairs, self._weight * slope, strict=True):
            slopes[s] += part
            slopes[t] -= part
        parameters = [counts.seating.T.reshape(-1)]
        if self.free_seats:
            parameters.append(np.repeat(np.arange(self._n, self.size), len(counts.cluster)))
        return Scores(
            np.tile(counts.cluster, len(parameters) * counts.seats),
            np.concatenate(parameters),
            np.tile(slopes.reshape(-1), len(parameters)),
        )

    def _point(self, value: float, slope: Floats, bend: Floats) -> Point:
        """A point from each cell's derivatives by its difference."""
        n = self.size
        gradient = scatter(self._parameters.reshape(-1), np.outer(self._signs, slope).reshape(-1), n)
        bends = np.outer(self._place_signs, bend).reshape(-1)
        information = scatter(self._places.reshape(-1), bends, n * n).reshape(n, n)
        return Point(self._weight * value, self._weight * gradient, self._weight * information)

    def _difference(self, x: Floats) -> Floats:
        difference: Floats = self._signs @ x[self._parameters]
        return difference

    def _mean(self, x: Floats) -> Floats:
        """Each cell's expected points of a game."""
        return logistic(self._difference(x))


class Winners(Expected):
    """Tourney's model if rank 1 alone counts: a pair of seats says something in games that one of them won.

    By the choice axiom a bot's share of these is logistic in the difference, with any others at the table
    (R. D. Luce, "Individual Choice Behavior", 1959). At two seats it is the same as ``Expected``.
    """

    name = "wins"
    title = "matches won"

    def _pair_weight(self, seats: int) -> float:
        return 2 / seats

    def _counting(self, ranks: Ints) -> Floats:
        won = ranks == 1
        return np.stack([won[:, s] | won[:, t] for s, t in self._pairs]).astype(np.float64)


class Ordo(Expected):
    """Ordo's likelihood: that of this package without effects of seats, and without a prior.

    Raises UsageError for a pool that the model cannot rate: one in which not every player took points off
    others and lost some, directly or by way of others; no rating is finite there.
    """

    name = "ordo"
    title = "Ordo"
    elo = 202 / math.log(0.76 / 0.24)
    free_seats = False
    populated = False

    def __init__(self, counts: Counts) -> None:
        if counts.seats != 2:
            raise UsageError("the models of Ordo and BayesElo are for games of two players")
        super().__init__(counts)
        groups = self._groups(counts)
        if len(groups) > 1:
            raise UsageError(
                f"the model {self.name} has no ratings for these results: they fall into {len(groups)} groups"
                f" of players, and {self._between}; leave out such players, or use the model tourney"
            )

    _between: ClassVar[str] = (
        "no player of one ever took points off one of another, as where a player won or lost all its games"
    )
    """What does not happen between two groups."""

    def _groups(self, counts: Counts) -> list[list[int]]:
        """The groups of players between which the results leave the difference open."""
        return components(counts.taken_off(), strong=True)

    def precision(self, prior: Prior) -> Floats:  # noqa: ARG002 - these models have none
        """The precision of the ratings' mean alone, about which the results say nothing."""
        n = self._n
        # Only differences of ratings have a likelihood: without this the level is free, and the Hessian
        # singular. Effects of seats are parameters of every fit, but occur in neither model.
        precision = np.diag(np.ones(self.size))
        precision[:n, :n] = 1 / max(n, 1)
        return precision


class Bayes(Ordo):
    """BayesElo's posterior: the likelihood with its virtual draws.

    These join opponents only, so a pool that its games do not connect has no ratings: UsageError.
    """

    ADVANTAGE: Final = 32.8
    DRAW: Final = 97.3
    PRIOR: Final = 2.0

    name = "bayeselo"
    title = "BayesElo"
    elo = ELO / math.cosh(DRAW / ELO / 2) ** 2

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

    _between = "no game was played between players of two of them"

    def _groups(self, counts: Counts) -> list[list[int]]:
        """The groups of players that no game connects."""
        return components(counts.met())

    def at(self, x: Floats, doubt: Floats | None = None) -> Point:  # noqa: ARG002 - it has no population
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
        return self.by_parameter(self._counts.weight * slopes[self._outcome, self._cell])

    def _outcomes(self, difference: Floats) -> tuple[Floats, Floats, Floats]:
        win = logistic(difference + (self.ADVANTAGE - self.DRAW) / ELO)
        loss = logistic(-difference - (self.ADVANTAGE + self.DRAW) / ELO)
        # Since W and L are logistic, 1 - W - L = W L (exp(2b) - 1), which stays exact in the tails.
        return win, win * loss * math.expm1(2 * self.DRAW / ELO), loss

    def _mean(self, x: Floats) -> Floats:
        win, draw, _ = self._outcomes(self._difference(x))
        return win + draw / 2


def model_of(score: str | None) -> type[Expected]:
    """Tourney's model for what a match gives, as a plan stores it."""
    return Winners if score == BY_WIN else Expected


MODELS: Final[dict[str, type[Expected]]] = {model.name: model for model in (Expected, Ordo, Bayes)}
"""The models by name."""
