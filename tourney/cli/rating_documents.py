"""JSON documents on ratings, for ``tourney ratings`` and ``tourney rate``."""

from typing import Literal

from tourney.ratings.sequential import Intervals
from tourney.schema import Document, Part


class Fit(Part, frozen=True, kw_only=True):
    """The test of fit: whether results vary more than chance and one number a bot explain.

    `ratio` is the mean square of the residuals of `pairs` pairs in units of what chance gives.
    """

    pairs: int
    ratio: float | None
    p_value: float | None


class EloLine(Part, frozen=True, kw_only=True):
    """A bot. `low` and `high` are a 95 % interval of `elo`; `best_rank` and `worst_rank` of its true rank."""

    rank: int
    best_rank: int
    worst_rank: int
    name: str
    elo: float
    low: float
    high: float
    score: float | None
    games: int
    faults: int
    p_best: float


class CycleLine(Part, frozen=True, kw_only=True):
    """Three bots, each better than the next and the last better than the first.

    `scores` is what each is expected to score against the next; `probability` that all three are above 0.5.
    """

    bots: tuple[str, str, str]
    scores: tuple[float, float, float]
    probability: float


class EvaluationLine(Part, frozen=True, kw_only=True):
    """A bot's values that allow for cycles.

    `lottery` is its share in the lottery that no bot beats (maximal lottery, Nash average), `against` its
    expected score against that lottery, `alpha` its share by alpha-rank.
    """

    name: str
    lottery: float
    against: float
    alpha: float


class Cycles(Part, frozen=True, kw_only=True):
    """What is known where strength is not one number.

    `deviation`: by how much a pair's expected score differs from what its ratings say, as a standard
    deviation. `cycles` are the likeliest. With more than 100 bots both lists are empty.
    """

    deviation: float
    cycles: tuple[CycleLine, ...]
    evaluations: tuple[EvaluationLine, ...]


class VersionLine(Part, frozen=True, kw_only=True):
    """A version of a bot: its files (`digest`) with arguments.

    `gain` is its Elo less that of its `predecessor`; null for the first version. `since` is the start of its
    first tournament (ISO 8601, UTC).
    """

    rank: int
    name: str
    version: str
    args: tuple[str, ...]
    digest: str
    elo: float
    low: float
    high: float
    predecessor: str | None
    gain: float | None
    gain_low: float | None
    gain_high: float | None
    since: str
    games: int
    tournaments: int
    faults: int


class LeftOut(Part, frozen=True, kw_only=True):
    """A tournament that cannot be pooled, and why."""

    tournament: str
    why: str


class VersionsDocument(Document, frozen=True, kw_only=True):
    """The ratings of all versions of bots in one fit over `tournaments`, best first.

    All have the settings of `reference`. Elo is relative to the mean of the pool, or to anchors.
    """

    format: Literal["tourney-versions/1"] = "tourney-versions/1"
    game: str
    reference: str
    tournaments: tuple[str, ...]
    left_out: tuple[LeftOut, ...]
    intervals: Intervals
    versions: tuple[VersionLine, ...]
    notes: tuple[str, ...]


class RatingsDocument(Document, frozen=True, kw_only=True):
    """A batch rating, best first; Elo is relative to the mean of the pool, or to anchors.

    `tournament` is null for results of files. `model` says what Elo means. `intervals` is their kind.
    `cycles` is null unless the test of fit says, with p below 0.01, that strength is not one number. `notes`
    are sentences on the limits of the ratings.
    """

    format: Literal["tourney-ratings/1"] = "tourney-ratings/1"
    tournament: str | None
    model: str
    intervals: Intervals
    fit: Fit
    ratings: tuple[EloLine, ...]
    cycles: Cycles | None
    notes: tuple[str, ...]


class MeasuresLine(Part, frozen=True, kw_only=True):
    """A bot; `measures` are the method's own by name."""

    rank: int
    name: str
    measures: dict[str, float | None]
    games: int
    faults: int


class MeasuresDocument(Document, frozen=True, kw_only=True):
    """A rating by another method, best first. TrueSkill's measures are mu, sigma and exposed (mu - 3 sigma).

    `tournament` is null for results of files.
    """

    format: Literal["tourney-ratings-by-method/1"] = "tourney-ratings-by-method/1"
    tournament: str | None
    method: str
    ratings: tuple[MeasuresLine, ...]
    notes: tuple[str, ...]


class PairLine(Part, frozen=True, kw_only=True):
    """Two bots, `a` in front of `b` in the ratings.

    `los` is the probability that a is the better bot. The fit expects `expected` of the `points` of a;
    `residual` is their difference, `z` the same in standard deviations (null for a pair that never met).
    """

    a: str
    b: str
    los: float
    games: int
    points: float
    expected: float
    residual: float
    z: float | None


class PairsDocument(Document, frozen=True, kw_only=True):
    """All pairs of a batch rating. `tournament` is null for results of files."""

    format: Literal["tourney-pairs/1"] = "tourney-pairs/1"
    tournament: str | None
    pairs: tuple[PairLine, ...]
    notes: tuple[str, ...]


class SeatLine(Part, frozen=True, kw_only=True):
    """The advantage of a seat in Elo, relative to the mean of all seats, with a 95 % interval."""

    seat: int
    elo: float
    low: float
    high: float


class PoolDocument(Document, frozen=True, kw_only=True):
    """The figures of the whole pool of a batch rating. `tournament` is null for results of files.

    `groups` are mirrored groups of `matches`; `dispersion` is the variance of their scores in units of that
    of independent matches. Bots of different `parts` never met, not even through others. `prior_elo` is the
    standard deviation of strengths before any match. `p_best` is each bot's probability of being the best.
    """

    format: Literal["tourney-pool/1"] = "tourney-pool/1"
    tournament: str | None
    matches: int
    groups: int
    draw_rate: float | None
    intervals: Intervals
    seats: tuple[SeatLine, ...]
    dispersion: float
    fit: Fit
    parts: tuple[tuple[str, ...], ...]
    prior_elo: float
    p_best: dict[str, float]
    notes: tuple[str, ...]
