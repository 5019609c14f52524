"""What a batch rating publishes, as frozen values, every number rounded.

Elo is relative to the mean of the pool: a difference d says that the odds of finishing before the other,
against finishing behind it, are 10 ** (d / 400). Intervals are of 95 %.
"""

from dataclasses import dataclass
from typing import NamedTuple


class BatchRating(NamedTuple):
    """A line of the table, the best first.

    ``elo``, ``low`` and ``high`` to 1 decimal. ``rank`` is 1 + the number of entrants of a higher published
    Elo; ``best_rank`` and ``worst_rank`` are the range of ranks. ``score`` is points per game (4 decimals),
    None before the first. ``p_best``: the probability of being the strongest (2 decimals).
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


class BatchPair(NamedTuple):
    """Two entrants, ``a`` in front of ``b`` in the table.

    ``los``: the probability that a is the stronger (4 decimals). Over their ``games`` together a took
    ``points`` (finishing before is 1, sharing a rank 1/2); the fit expects ``expected``; ``residual`` is
    points - expected (2 decimals) and ``z`` the same in standard deviations of the points. ``z`` is None
    for a pair that never met.
    """

    a: int
    b: int
    los: float
    games: int
    points: float
    expected: float
    residual: float
    z: float | None


class SeatEffect(NamedTuple):
    """What a seat is worth, in Elo relative to the mean of all seats, with its interval."""

    seat: int
    elo: float
    low: float
    high: float


class Goodness(NamedTuple):
    """How well the fit tells the scores of pairs.

    ``ratio``: the mean square of the pairs' residuals, in units of what chance alone would leave: 1 where the
    model holds. ``p_value``: how often chance alone would leave as much or more. Both None where the pairs
    leave nothing over to test.
    """

    pairs: int
    ratio: float | None
    p_value: float | None


@dataclass(frozen=True, slots=True)
class BatchPool:
    """What is said of the pool as a whole.

    ``matches`` rated, in ``clusters`` (mirrored groups). ``draw_rate``: the share of meetings that ended
    level, None before the first. ``dispersion``: the variance of the scores of clusters in units of what
    independent matches would have. ``parts``: the entrants (numbers) that are connected by matches, best
    first; more than one part cannot be compared. ``steps``: the same parts, split where nobody below ever
    took anything off anybody above; across a step the prior alone bounds the difference.
    """

    matches: int
    clusters: int
    draw_rate: float | None
    dispersion: float
    seats: tuple[SeatEffect, ...]
    goodness: Goodness
    parts: tuple[tuple[int, ...], ...]
    steps: tuple[tuple[tuple[int, ...], ...], ...]
    prior_elo: float


@dataclass(frozen=True, slots=True)
class Batch:
    """A pool, rated: the table, all pairs in the order of the table, and the pool."""

    ratings: tuple[BatchRating, ...]
    pairs: tuple[BatchPair, ...]
    pool: BatchPool
