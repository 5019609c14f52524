"""The batch rating: one fit of a whole pool, and its published tables with every number rounded.

Elo is relative to the mean (``core`` says whose): a difference d means the expected score
1 / (1 + 10 ** (-d / 400)). Intervals cover 95 %: at one look chosen beforehand, or given ``PlannedGames`` at
every look (``tourney.ratings.sequential``).
"""

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from tourney.match.evidence import MeanLuck
from tourney.ratings import superiority
from tourney.ratings.counts import Clusters, Counts, Floats, Ints
from tourney.ratings.cycles import SIGNIFICANT, PoolCycles, find_cycles
from tourney.ratings.fit import (
    Estimate,
    Goodness,
    PairFit,
    connected_parts,
    core,
    estimate,
    pair_fit,
    pair_totals,
    published,
    tail,
)
from tourney.ratings.likelihood import PRIOR, Expected, Winners, model_of
from tourney.ratings.method import Forfeits, Measure, RatingMethod
from tourney.ratings.sequential import ELO, EVERY_LOOK, FIXED, QUANTILE, Intervals, PlannedGames
from tourney.schedule.row import BY_WIN, ResultRow, units_of_win
from tourney.schedule.until_rule import ALPHA
from tourney.schema import Part


class BatchRating(NamedTuple):
    """A line of the table, the best first.

    ``elo``, ``low`` and ``high`` have 1 decimal. ``rank`` is 1 + the number of entrants with a higher
    published Elo; ``best_rank`` and ``worst_rank`` bound the true rank. ``score`` is points per game (4
    decimals), None before the first. ``p_best``: the probability of being the strongest (2 decimals).
    ``luck``: points a game (3 decimals) that the dice gave; ``elo_with_luck``: Elo if none of it is
    subtracted; None if it is not known. ``wins``: first places alone; ``won``: the share of games won, where
    ties for first share (4 decimals), None before the first.
    """

    rank: int
    best_rank: int
    worst_rank: int
    entrant: int
    elo: float
    low: float
    high: float
    games: int
    score: float | None
    p_best: float
    luck: float | None = None
    elo_with_luck: float | None = None
    wins: int = 0
    won: float | None = None


class BatchPair(NamedTuple):
    """Two entrants, ``a`` in front of ``b`` in the table.

    ``los``: the probability that a is the stronger (4 decimals), one half at least. In their ``games`` a
    scored ``points`` (finishing ahead is 1, sharing a rank 1/2); the fit expects ``expected``; ``residual``
    is points - expected (2 decimals) and ``z`` the same in standard deviations of the points, None for a pair
    that never met. ``elo`` is by how much a is in front, with its interval (1 decimal).
    """

    a: int
    b: int
    los: float
    games: int
    points: float
    expected: float
    residual: float
    z: float | None
    elo: float
    low: float
    high: float


class SeatEffect(Part, frozen=True):
    """The advantage of a seat in Elo, relative to the mean of all seats, with a 95 % interval."""

    seat: int
    elo: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class BatchPool:
    """The figures of the pool as a whole.

    ``matches`` rated, of them ``distinct`` ones, in ``clusters``. ``draw_rate``: the share of drawn meetings,
    None before the first. ``dispersion``: the variance of clusters' scores in units of that of independent
    matches. ``seats``: empty for a model without effects of seats. ``parts``: the entrants (numbers)
    connected by matches, best first; two parts cannot be compared. ``steps``: the same parts, split where no
    entrant below ever took anything off one above; across a step only the prior bounds the difference.
    ``prior_elo``: the most probable spread of the strengths. ``zero``: the entrants whose mean Elo is 0, best
    first; empty with anchors.
    """

    matches: int
    distinct: int
    clusters: int
    draw_rate: float | None
    dispersion: float
    seats: tuple[SeatEffect, ...]
    goodness: Goodness
    parts: tuple[tuple[int, ...], ...]
    steps: tuple[tuple[tuple[int, ...], ...], ...]
    prior_elo: float
    zero: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Batch:
    """A rated pool: the table, all pairs in the order of the table, and the pool's figures.

    ``model``: what Elo means, at tables of ``seats``. ``look``: what its intervals hold for, None if only as
    fixed ones. ``cycles``: None unless the test of fit says that one number a bot does not explain the
    results. ``share`` of the luck is subtracted; ``luck``: the mean of each entrant's, empty where none is
    known.
    """

    ratings: tuple[BatchRating, ...]
    pairs: tuple[BatchPair, ...]
    pool: BatchPool
    look: PlannedGames | None = None
    cycles: PoolCycles | None = None
    model: str = Expected.title
    share: float = 0.0
    luck: Mapping[int, MeanLuck] = field(default_factory=dict)
    seats: int = 2

    @property
    def intervals(self) -> Intervals:
        """The name of the kind of its intervals."""
        return FIXED if self.look is None else EVERY_LOOK

    @property
    def apart(self) -> frozenset[int]:
        """The entrants that never took a point off the group with the zero, or never lost one to it.

        Only the prior says how far they are from it.
        """
        zero = self.pool.zero or tuple(line.entrant for line in self.ratings)
        groups = (group for part in self.pool.steps for group in part if len(group) > 1)
        together = {entrant for group in groups for entrant in group if entrant in zero}
        return frozenset(line.entrant for line in self.ratings if line.entrant not in together)

    def prior_decides(self, a: int, b: int) -> bool:
        """Whether only the prior bounds the difference of two entrants: no results lead both ways."""
        return not any(a in group and b in group for part in self.pool.steps for group in part)


def relative(
    x: Floats, matrix: Floats, unit: float = ELO, anchors: Mapping[int, float] | None = None
) -> tuple[Floats, Floats]:
    """Estimates and their covariance relative to their mean, in Elo of this ``unit``.

    With ``anchors``, Elo by position, the mean of these estimates is that of the Elo given.
    """
    n = len(x)
    if not n:
        return x, matrix
    weight = np.full(n, 1 / n)
    if anchors:
        weight = np.zeros(n)
        weight[list(anchors)] = 1 / len(anchors)
    centre = np.eye(n) - weight
    level = sum(anchors.values()) / len(anchors) if anchors else 0.0
    return unit * (centre @ x) + level, unit**2 * (centre @ matrix @ centre.T)


def rate(
    counts: Counts,
    *,
    pairs: bool = True,
    best: bool = True,
    model: type[Expected] = Expected,
    anchors: Mapping[int, float] | None = None,
    look: PlannedGames | None = None,
) -> Batch:
    """Rate a pool; the published digits are a function of the counts (and the ``look``) alone.

    With ``look`` the run is unfinished: its intervals and ranges of ranks hold at every look. Without
    ``pairs`` they are left out: thousands of bots make millions. Without ``best``, which takes most of the
    time, ``p_best`` is 0, ranges of ranks are those of comparisons, and no cycles are looked for.
    ``anchors`` (Elo by entrant) fix the level of the ratings. Raise UsageError for a pool that the model
    cannot rate.
    """
    n = counts.size
    fit = estimate(counts, model)
    natural, natural_matrix = fit.mean[:n], fit.covariance[:n, :n]
    fitted = pair_fit(fit.likelihood, fit.raw, counts)
    at = {counts.entrants.index(number): level for number, level in (anchors or {}).items()}
    if model.populated and not at:
        at = core(counts, fit.mean, fitted.totals)
    elo, matrix = relative(natural, natural_matrix, model.elo, at)
    spread = superiority.spreads(matrix)
    leaders = superiority.leaders(natural, natural_matrix) if best else None
    lucky = relative(fit.lucky[:n], natural_matrix, model.elo, at)[0]
    lines = _lines(counts, (elo, matrix, spread, lucky), leaders, fit.luck, look, model)
    order = {line.entrant: place for place, line in enumerate(lines)}
    parts, steps = connected_parts(counts, fitted.totals, order)
    level = {counts.entrants[position] for position in at} or set(counts.entrants)
    pool = BatchPool(
        matches=int(counts.game_times.sum()),
        distinct=counts.distinct,
        clusters=int(counts.times.sum()),
        draw_rate=_draw_rate(counts),
        dispersion=published(fit.dispersion, 3),
        seats=_seat_effects(counts, fit, look) if model.free_seats else (),
        goodness=fitted.goodness,
        parts=parts,
        steps=steps,
        prior_elo=PRIOR.rating if fit.spread is None else published(fit.spread, 1),
        zero=() if anchors else tuple(line.entrant for line in lines if line.entrant in level),
    )
    table = _pairs(counts, elo, spread, fitted, order, look) if pairs else ()
    cycles = None
    if best and (p_value := fitted.goodness.p_value) is not None and p_value < SIGNIFICANT:
        positions = [counts.entrants.index(line.entrant) for line in lines]
        cycles = find_cycles(positions, counts.entrants, natural * (model.elo / ELO), fitted, counts.seats)
    share = round(fit.share, 3)
    return Batch(lines, table, pool, look, cycles, model.title, share, fit.luck, counts.seats)


def rate_clusters(
    clusters: Clusters, entrants: Sequence[int], seats: int, *, model: type[Expected] = Expected, **how: Any
) -> Batch:
    """Rate as ``rate`` does, but name no cycle where strengths changed: that looks like circles too."""
    batch = rate(clusters.counts(entrants, seats), model=model, **how)
    if batch.cycles is None:
        return batch
    halves = (clusters.half(entrants, seats, last=last) for last in (False, True))
    (before, first), (after, second) = (strengths(half, model, flat=True) for half in halves)
    # The zeros of the halves may be those of other bots. Relative to the mean of all, the last change follows
    # from the others.
    change, matrix = relative(after - before, first + second, unit=1.0)
    change, matrix = change[:-1], matrix[:-1, :-1]
    statistic = max(float(change @ np.linalg.pinv(matrix) @ change), 0.0)
    drift = published(tail(statistic, len(change), 2.0 * len(change)), 3)
    cycles = batch.cycles.cycles if drift >= SIGNIFICANT else ()
    return replace(batch, cycles=replace(batch.cycles, drift=drift, cycles=cycles))


def _draw_rate(counts: Counts) -> float | None:
    times, ranks = counts.game_times, counts.ranks
    met = int(times.sum()) * counts.seats * (counts.seats - 1) // 2
    pairs = combinations(range(counts.seats), 2)
    tied = sum(int(np.sum(times * (ranks[:, s] == ranks[:, t]))) for s, t in pairs)
    return published(tied / met, 4) if met else None


def _seat_effects(counts: Counts, fit: Estimate, look: PlannedGames | None) -> tuple[SeatEffect, ...]:
    n, k = counts.size, counts.seats
    seats, matrix = relative(fit.mean[n:], fit.covariance[n:, n:])
    # A seat takes part in every game, an entrant in k of n: so a seat's interval is tuned for more games.
    of_seats = None if look is None else PlannedGames(look.games * max(n, 1) / k, k)
    return tuple(
        SeatEffect(seat, *_interval(value, variance, 1 - 1 / k, of_seats))
        for seat, (value, variance) in enumerate(zip(seats, np.diag(matrix), strict=True), 1)
    )


def strengths(
    counts: Counts, model: type[Expected] = Expected, *, flat: bool = False
) -> tuple[Floats, Floats]:
    """The entrants' Elo, (n), and its covariance, (n, n), as ``rate`` has them before rounding.

    ``flat``: those of the flat fit, on which the end of stored tournaments rests.
    """
    n = counts.size
    fit = estimate(counts, model, flat=flat)
    at = core(counts, fit.mean, pair_totals(fit.likelihood.meetings(fit.raw.x), n))
    return relative(fit.mean[:n], fit.covariance[:n, :n], ELO, at)


Contrast = Mapping[int, float]
"""Weights of entrants, which add up to 0: a difference of strengths."""


def differences(
    counts: Counts,
    contrasts: Sequence[Contrast],
    look: PlannedGames | None = None,
    model: type[Expected] = Expected,
) -> list[tuple[float, float, float]]:
    """Differences of strengths in Elo, each with the ends of its 95 % interval, as published.

    With weights w, ratings r and their covariance C, the value is w'r and its variance w'Cw, from the same
    fit as ``rate``, which has a ``look`` too.
    """
    elo, matrix = strengths(counts, model)
    position = {number: k for k, number in enumerate(counts.entrants)}
    intervals = []
    for contrast in contrasts:
        weights = np.zeros(counts.size)
        weights[[position[number] for number in contrast]] = list(contrast.values())
        value, variance = float(weights @ elo), float(weights @ matrix @ weights)
        intervals.append(_interval(value, variance, float(weights @ weights), look))
    return intervals


class PoolMethod(RatingMethod):
    """A method that fits a whole pool at once: its table has intervals, and there are pairs and figures."""

    measures = (
        Measure("elo", "Strength above the zero of the pool", unit="Elo"),
        Measure("low", "Lower end of the 95 % interval", unit="Elo"),
        Measure("high", "Upper end of the 95 % interval", unit="Elo"),
        Measure("best_rank", "Best rank by strength, with 95 % confidence"),
        Measure("worst_rank", "Worst rank by strength, with 95 % confidence"),
        Measure("p_best", "Probability of being the best bot"),
    )
    options = frozenset({"show", "repeats", "no-luck", "anchor"})

    @abstractmethod
    def fit(
        self,
        counts: Counts,
        *,
        pairs: bool = True,
        anchors: Mapping[int, float] | None = None,
        look: PlannedGames | None = None,
    ) -> Batch:
        """Rate a pool. Arguments and errors are those of ``tourney.ratings.batch.rate``."""

    def fit_clusters(
        self,
        clusters: Clusters,
        entrants: Sequence[int],
        seats: int,
        *,
        pairs: bool = True,
        look: PlannedGames | None = None,
    ) -> Batch:
        """Rate the clusters of a tournament."""
        return self.fit(clusters.counts(entrants, seats), pairs=pairs, look=look)

    def rate(
        self, results: Iterable[ResultRow], entrants: Iterable[int], seats: int, forfeits: Forfeits = "loss"
    ) -> tuple[BatchRating, ...]:
        """The table, best first. Raise ValueError as ``Counts.of_results`` does."""
        return self.fit(Counts.of_results(results, entrants, seats, forfeits=forfeits), pairs=False).ratings


class BatchMethod(PoolMethod):
    """Tourney's own fit of all results, whatever their order."""

    name = "batch"
    options = PoolMethod.options | {"all", "model", "score"}

    def __init__(self, model: type[Expected] = Expected) -> None:
        self.model = model

    def with_model(self, model: type[Expected]) -> "BatchMethod":
        """The fit by another model."""
        return type(self)(model)

    def by_score(self, score: str | None) -> "BatchMethod":
        """The fit for what a match gives, as a plan stores it; models of other programs stay."""
        return self.with_model(model_of(score)) if self.model is Expected else self

    def fit(
        self,
        counts: Counts,
        *,
        pairs: bool = True,
        anchors: Mapping[int, float] | None = None,
        look: PlannedGames | None = None,
    ) -> Batch:
        """Rate a pool by ``rate``."""
        return rate(counts, pairs=pairs, model=self.model, anchors=anchors, look=look)

    def fit_clusters(
        self,
        clusters: Clusters,
        entrants: Sequence[int],
        seats: int,
        *,
        pairs: bool = True,
        look: PlannedGames | None = None,
    ) -> Batch:
        """Rate the clusters of a tournament, and name no cycle where strengths changed."""
        return rate_clusters(clusters, entrants, seats, pairs=pairs, model=self.model, look=look)


def _apart(elo: Floats, spread: Floats, look: PlannedGames | None) -> Floats:
    """Differences of Elo, a matrix by pair, from which on two entrants' ranks are apart.

    All comparisons of an entrant hold together; ``look`` has the levels where results may be looked at early.
    """
    if look is None:
        return superiority.stepped_down(elo, spread).reshape(len(elo), len(elo))
    level = ALPHA / max(len(elo) - 1, 1)
    rows = [[error * look.deviations(error**2, 2, level) for error in row] for row in spread.tolist()]
    return np.array(rows).reshape(len(elo), len(elo))


def _lines(
    counts: Counts,
    strength: tuple[Floats, Floats, Floats, Floats],
    leaders: superiority.Leaders | None,
    lucks: Mapping[int, MeanLuck],
    look: PlannedGames | None,
    model: type[Expected],
) -> tuple[BatchRating, ...]:
    """The table, by Elo, its covariance and spreads, and Elo with luck; ``leaders`` with ``best``."""
    elo, matrix, spread, raw = strength
    n, k = counts.size, counts.seats
    times = counts.game_times
    # Units of a point, so that sums are exact: of places and of shared wins.
    games, wins, units, shares = (np.zeros(n, dtype=np.int64) for _ in range(4))
    firsts = np.sum(counts.ranks == 1, axis=1)
    for seat in range(k):
        mine = counts.ranks[:, seat : seat + 1]
        beaten = 2 * np.sum(counts.ranks > mine, axis=1) + np.sum(counts.ranks == mine, axis=1) - 1
        won = counts.ranks[:, seat] == 1
        np.add.at(games, counts.seating[:, seat], times)
        np.add.at(units, counts.seating[:, seat], times * beaten)
        np.add.at(wins, counts.seating[:, seat], times * (won & (firsts == 1)))
        np.add.at(shares, counts.seating[:, seat], times * won * (units_of_win(k, BY_WIN) // firsts))

    def per_game(points: Ints, whole: int, place: int) -> float | None:
        return round(int(points[place]) / (whole * int(games[place])), 4) if games[place] else None

    won_share = [per_game(shares, units_of_win(k, BY_WIN), place) for place in range(n)]
    rank = superiority.ranks(np.array([published(value, 1) for value in elo]))
    if look is None and leaders is not None and model.populated:
        first, last = leaders.first, leaders.last
    else:
        first, last = superiority.ranges(elo, _apart(elo, spread, look))
    p_best = np.zeros(n) if leaders is None else leaders.shares
    variances = np.diag(matrix)
    lines = [
        BatchRating(
            int(rank[i]),
            int(first[i]),
            int(last[i]),
            number,
            *_interval(elo[i], variances[i], 1 - 1 / n, look),
            int(games[i]),
            won_share[i] if issubclass(model, Winners) else per_game(units, units_of_win(k), i),
            published(p_best[i], 2),
            published(lucks[number].mean, 3) if number in lucks else None,
            published(raw[i], 1) if number in lucks else None,
            int(wins[i]),
            won_share[i],
        )
        for i, number in enumerate(counts.entrants)
    ]
    return tuple(sorted(lines, key=lambda line: (line.rank, line.entrant)))


def _pairs(
    counts: Counts,
    elo: Floats,
    spread: Floats,
    fitted: PairFit,
    order: dict[int, int],
    look: PlannedGames | None,
) -> tuple[BatchPair, ...]:
    """The pairs, by Elo and the standard deviations of its differences."""
    totals, variance = fitted.totals, fitted.variance
    met = {(int(a), int(b)): row for row, (a, b) in enumerate(zip(totals.a, totals.b, strict=True))}
    played: Counter[tuple[int, int]] = Counter()
    seated = np.sort(counts.seating, axis=1).tolist()
    for seats, times in zip(seated, counts.game_times.tolist(), strict=True):
        played.update(dict.fromkeys(combinations(seats, 2), times))
    position = {number: k for k, number in enumerate(counts.entrants)}
    pairs = []
    for first, second in combinations(sorted(order, key=order.__getitem__), 2):
        a, b = position[first], position[second]
        lead, deviation = float(elo[a] - elo[b]), float(spread[a, b])
        # Of two with equal published Elo the one in front may be behind by less than a rounding.
        likelihood = max(round(superiority.los(lead, deviation), 4), 0.5)
        interval = _interval(lead, deviation**2, 2, look)
        row = met.get((min(a, b), max(a, b)))
        if row is None:
            pairs.append(BatchPair(first, second, likelihood, 0, 0.0, 0.0, 0.0, None, *interval))
            continue
        # A pair whose games count less is shown with all of them.
        games, counted = played[min(a, b), max(a, b)], float(totals.games[row])
        points, expected = (games * float(one[row]) / counted for one in (totals.points, totals.expected))
        if a > b:
            points, expected = games - points, games - expected
        by_luck = float(variance[row]) ** 0.5 * games / counted
        pairs.append(
            BatchPair(
                first,
                second,
                likelihood,
                games,
                round(2 * points) / 2,
                published(expected, 2),
                published(points - expected, 2),
                published((points - expected) / by_luck, 2) if by_luck > 0 else 0.0,
                *interval,
            )
        )
    return tuple(pairs)


def _interval(
    value: float, variance: float, weight: float, look: PlannedGames | None
) -> tuple[float, float, float]:
    """A value and the ends of its interval, as published; ``weight``: see ``PlannedGames.deviations``."""
    variance = max(float(variance), 0.0)
    deviations = QUANTILE if look is None else look.deviations(variance, weight)
    width = deviations * variance**0.5
    return published(value, 1), published(value - width, 1), published(value + width, 1)
