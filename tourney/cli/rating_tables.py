"""Tables of ratings, for ``tourney ratings`` and ``tourney rate``: for people, CSV and JSON documents."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from tourney.cli.output import OutputFormat, current
from tourney.errors import UsageError
from tourney.ratings.batch import Batch, SeatEffect
from tourney.ratings.method import METHODS, RatingLine, RatingMethod
from tourney.ratings.sequential import EVERY_LOOK, Intervals
from tourney.results import columns as catalogue
from tourney.results import ratings as results
from tourney.results.columns import Column, rendered
from tourney.results.ratings import Rows
from tourney.results.texts import Names
from tourney.results.versions import VersionPool, version_rows
from tourney.schema import Document, Part


class Fit(Part, frozen=True, kw_only=True):
    """The test of fit: whether results vary more than chance and one number a bot explain.

    `ratio` is the mean square of the residuals of `pairs` pairs in units of what chance gives.
    """

    pairs: int
    ratio: float | None
    p_value: float | None


class EloLine(Part, frozen=True, kw_only=True):
    """A bot. `low` and `high` are a 95 % interval of `elo`; `best_rank` and `worst_rank` of its true rank.

    `p_best` is null where one number a bot does not fit. `luck`: points per match that the dice gave;
    `elo_with_luck`: `elo` if no luck is subtracted; null if it is not known. `wins`: first places alone;
    `won`: the share of matches won, in which ties for first share.
    """

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
    p_best: float | None
    luck: float | None
    elo_with_luck: float | None
    wins: int
    won: float | None


class CycleLine(Part, frozen=True, kw_only=True):
    """Three bots, each better than the next and the last better than the first.

    `scores` is what each is expected to score against the next; `probability` that all three are above 0.5.
    """

    bots: tuple[str, str, str]
    scores: tuple[float, float, float]
    probability: float


class Cycles(Part, frozen=True, kw_only=True):
    """What is known where strength is not one number.

    `deviation`: by how much a pair's expected score differs from what its ratings say, as a standard
    deviation. `cycles` are the likeliest; null with more than 100 bots. `drift` is the
    p-value of no change between the halves of the results; null if it is not tested.
    """

    deviation: float
    drift: float | None
    cycles: tuple[CycleLine, ...] | None


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

    All have the settings of `reference`. Elo is relative to the zero of the pool, which `notes` name if it is
    not the mean of all, or to anchors.
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
    """A batch rating, best first; Elo is relative to the zero of the pool, or to anchors.

    0 is the mean of all bots, or of those that `notes` name.
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


class PoolDocument(Document, frozen=True, kw_only=True):
    """The figures of the whole pool of a batch rating. `tournament` is null for results of files.

    Of `matches`, `distinct` ones repeat no other; `groups` are their clusters, and `dispersion` the variance
    of the clusters' scores in units of that of independent matches. Bots of different `parts` never met, not
    even through others. `prior_elo` is the estimated standard deviation of the
    strengths, which are a normal population. `p_best` is each
    bot's probability of being the best.
    """

    format: Literal["tourney-pool/1"] = "tourney-pool/1"
    tournament: str | None
    matches: int
    distinct: int
    groups: int
    draw_rate: float | None
    intervals: Intervals
    seats: tuple[SeatEffect, ...]
    dispersion: float
    fit: Fit
    parts: tuple[tuple[str, ...], ...]
    prior_elo: float
    p_best: dict[str, float]
    notes: tuple[str, ...]


P = TypeVar("P", bound=Part)


@dataclass(frozen=True, slots=True)
class RatedBots:
    """The names and faults of rated bots by number, and their ``tournament`` (None: results of files)."""

    names: Names
    faults: Mapping[int, int]
    tournament: str | None = None


def print_ratings(
    document: Callable[[], Document], rows: Rows, columns: Sequence[Column], notes: Sequence[str]
) -> None:
    """Print a table as people, CSV or JSON have it, and say the ``notes``."""
    output = current()
    if output.format is OutputFormat.JSON:  # of many pairs it takes a while
        output.document(document())
    output.table(rows, columns)
    for sentence in notes:
        output.say(sentence)


def print_batch(batch: Batch, bots: RatedBots, show: str, notes: Sequence[str]) -> None:
    """Print the ``pairs`` of a batch rating, its ``pool``, or the bots (any other word)."""
    names = bots.names
    about = {"tournament": bots.tournament, "fit": Fit.of(batch.pool.goodness), "notes": tuple(notes)}
    if show == "pairs":
        rows = results.pair_rows(batch, names)
        print_ratings(
            lambda: PairsDocument.of(about, pairs=lines_of(PairLine, rows)), rows, catalogue.PAIRS, notes
        )
    elif show == "pool":
        pool = batch.pool
        document = PoolDocument.of(
            pool,
            **about,
            groups=pool.clusters,
            intervals=batch.intervals,
            seats=pool.seats,
            parts=tuple(tuple(names[entrant] for entrant in part) for part in pool.parts),
            p_best={names[line.entrant]: line.p_best for line in batch.ratings if batch.cycles is None},
        )
        print_ratings(lambda: document, results.pool_rows(batch, names), catalogue.POOL, notes)
    else:
        _print_bots(batch, bots, about, notes)


def _print_bots(batch: Batch, bots: RatedBots, about: Mapping[str, object], notes: Sequence[str]) -> None:
    """Print the ratings and, if strength is not one number, the values and cycles below them, for people."""
    output = current()
    names = bots.names
    pool_cycles = batch.cycles
    rows = results.batch_rows(batch, names, bots.faults)
    cycles = pool_cycles and Cycles.of(
        pool_cycles,
        cycles=None
        if pool_cycles.cycles is None
        else tuple(
            CycleLine.of(cycle, bots=tuple(names[n] for n in cycle.entrants)) for cycle in pool_cycles.cycles
        ),
    )
    wins = batch.seats > 2
    shown = catalogue.elo_shown(batch.intervals, batch.model, luck=bool(batch.luck), wins=wins)
    output.document(RatingsDocument.of(batch, **about, ratings=lines_of(EloLine, rows), cycles=cycles))
    if output.people:
        output.table(results.without_guesses(rows, batch), shown)
    else:
        output.table(rows, catalogue.ELO)
    if output.people and (cycle_rows := results.cycle_rows(batch, names)):
        output.write("")
        output.table(cycle_rows, catalogue.CYCLES)
    for sentence in notes:
        output.say(sentence)


def print_measures(
    lines: Iterable[RatingLine], method: RatingMethod, bots: RatedBots, notes: Sequence[str]
) -> None:
    """Print the ratings of a method that has measures of its own and no intervals."""
    rows = results.rating_rows(lines, method.measures, bots.names, bots.faults)
    columns = catalogue.rating_columns(method.measures)
    exact = rendered(rows, columns, people=False)
    ratings = ({**row, "measures": {name: row[name] for name, *_ in method.measures}} for row in exact)
    document = MeasuresDocument(
        tournament=bots.tournament,
        method=method.name,
        ratings=lines_of(MeasuresLine, ratings),
        notes=tuple(notes),
    )
    print_ratings(lambda: document, rows, columns, notes)


def print_versions(pool: VersionPool, batch: Batch, notes: Sequence[str]) -> None:
    """Print the ratings of all versions of bots."""
    rows = version_rows(pool, batch)
    document = VersionsDocument(
        game=pool.reference.game,
        reference=pool.reference.name,
        tournaments=tuple(tournament.name for tournament in pool.tournaments),
        left_out=tuple(LeftOut(tournament=name, why=why) for name, why in pool.left_out),
        intervals=EVERY_LOOK,
        versions=lines_of(VersionLine, rows),
        notes=tuple(notes),
    )
    if current().people:
        print_ratings(lambda: document, results.without_guesses(rows, batch), catalogue.VERSIONS_SHOWN, notes)
    else:
        print_ratings(lambda: document, rows, catalogue.VERSIONS, notes)


def lines_of(kind: type[P], rows: Iterable[object]) -> tuple[P, ...]:
    """The rows of a table, or values, as parts of a document."""
    return tuple(map(kind.of, rows))


def refuse_others(method: RatingMethod, options: Mapping[str, tuple[str, object]]) -> None:
    """Raise UsageError for the first option that is set and that the method does not have.

    ``options``: by name, the words on the command line and whether they are there.
    """
    for name, (words, is_set) in options.items():
        if is_set and name not in method.options:
            takers = [taker.name for taker in METHODS.working()[0] if name in taker.options]
            raise UsageError(f"{words} is for --method {' or '.join(takers)}")


def tau_of(text: str) -> float:
    """The number of ``--tau``. Raises UsageError."""
    from tourney.ratings.trueskill import PACKAGE_TAU  # noqa: PLC0415 - only TrueSkill needs it

    return PACKAGE_TAU if text == "default" else number("--tau", text)


def number(option: str, text: str) -> float:
    """The number of an option. Raises UsageError."""
    try:
        return float(text)
    except ValueError as error:
        raise UsageError(f"{option} {text} is not a number") from error
