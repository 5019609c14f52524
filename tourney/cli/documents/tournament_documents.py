"""JSON documents on tournaments, their runs, standings and ratings.

It is long because each key stands here with its description, from which the schemas are made.
"""

from typing import Literal

from tourney.ratings.sequential import Intervals
from tourney.schema import Document, Part

Faults = dict[str, int]
"""The number of faults by kind."""


class StandingsLine(Part, frozen=True, kw_only=True):
    """An entrant.

    `mean` is its points per match, byes apart. `tie_breaks` has the format's own values by name; null where
    one does not apply.
    """

    rank: int
    name: str
    points: float
    games: int
    mean: float | None
    wins: int
    draws: int
    losses: int
    faults: int
    kinds: Faults
    tie_breaks: dict[str, float | None]


class StandingsDocument(Document, frozen=True, kw_only=True):
    """The standings of a tournament, best first.

    `ranked_by` names what ranks first and then breaks ties: keys of a line, or of its `tie_breaks`.
    `finished` is false while matches are to be played or rounds to be paired.
    """

    format: Literal["tourney-standings/1"] = "tourney-standings/1"
    tournament: str
    finished: bool
    ranked_by: tuple[str, ...]
    standings: tuple[StandingsLine, ...]


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


class SuperiorityDocument(Document, frozen=True, kw_only=True):
    """The probability that each player is better than each other, in the order of `players`; null: itself."""

    format: Literal["tourney-superiority/1"] = "tourney-superiority/1"
    players: tuple[str, ...]
    better: tuple[tuple[float | None, ...], ...]
    notes: tuple[str, ...]


class Problem(Part, frozen=True, kw_only=True):
    """A game, line or file that cannot be rated; `line` is 0 for a whole file."""

    kind: str
    file: str
    line: int
    why: str


class ProblemsDocument(Document, frozen=True, kw_only=True):
    """What cannot be rated in files of results."""

    format: Literal["tourney-problems/1"] = "tourney-problems/1"
    problems: tuple[Problem, ...]


class RunDocument(Document, frozen=True, kw_only=True):
    """How a run ended, and how far the tournament is.

    `end` is "drained" or "stopped" for a run that was asked to stop. `rows` are the matches paired so far,
    `done` those with a result, `played` and `seconds` those of this run alone. `rate` is its matches a
    second. `root` is that of a finished tournament.
    """

    format: Literal["tourney-run/1"] = "tourney-run/1"
    tournament: str
    end: Literal["finished", "time", "faults", "drained", "stopped"]
    rows: int
    done: int
    void: int
    faults: int
    played: int
    seconds: float
    rate: float | None
    root: str | None


class DryRunEntrant(Part, frozen=True, kw_only=True):
    """An entrant and its bot, as name@version."""

    name: str
    bot: str


class DryRunDocument(Document, frozen=True, kw_only=True):
    """What a run would do.

    `started`: it would continue a tournament, to which the file adds the entrants `added` and from which it
    withdraws those `withdrawn`. `rounds` and `matches` are those of the whole tournament; null where results
    decide them. `most_matches` bounds them, null where only results do. `paired` are the matches known now,
    `done` those with a result. `seconds` is the time for all that is left, with `workers` matches at a time:
    an estimate from stored matches, or an upper bound from the limits, as `basis` says. `shared` are
    sentences on what games and bots share.
    """

    format: Literal["tourney-dry-run/1"] = "tourney-dry-run/1"
    tournament: str
    game: str
    tournament_format: str
    seats: int
    entrants: tuple[DryRunEntrant, ...]
    started: bool
    added: tuple[str, ...]
    withdrawn: tuple[str, ...]
    rounds: int | None
    matches: int | None
    most_matches: int | None
    paired: int
    done: int
    workers: int
    seconds: float | None
    basis: Literal["matches", "limits"] | None
    shared: tuple[str, ...]
