"""JSON documents on comparisons, gates, baselines and placements on a ladder."""

from typing import Literal

from tourney.cli.documents.tournaments import Faults, Intervals
from tourney.cli.output import Document, Part


class ComparisonDocument(Document, frozen=True, kw_only=True):
    """The result of a comparison.

    `decision` is H1 (A is `elo1` Elo better), H0 (`elo0`) or null; `ended`: no further game is played.
    `pentanomial` counts the pairs of games in which A scored 0, 1/2, 1, 3/2 and 2. `low` and `high` are the
    ends of the interval of `elo`, of the kind `intervals`; null is no bound. `llr` is the log-likelihood
    ratio, which decides at `lower` and `upper`. With `width` no test is made: the comparison ends when Elo is
    known to so much on each side. `los` is the probability that A is better, at this moment.
    """

    format: Literal["tourney-compare/1"] = "tourney-compare/1"
    comparison: str
    game: str
    a: str
    b: str
    decision: Literal["H0", "H1"] | None
    ended: bool
    pairs: int
    pentanomial: tuple[int, ...]
    lost_pairs: int
    score: float | None
    elo: float | None
    low: float | None
    high: float | None
    los: float | None
    intervals: Intervals
    width: int | None
    llr: float | None
    lower: float | None
    upper: float | None
    elo0: float | None
    elo1: float | None
    alpha: float | None
    beta: float | None
    faults_a: int
    faults_b: int


class FirstFault(Part, frozen=True, kw_only=True):
    """The first match in which the bot was at fault, its seat there, and the fault's kind."""

    match: int
    seat: int
    kind: str


class GateBot(Part, frozen=True, kw_only=True):
    """A bot, with its arguments."""

    name: str
    bot: str
    version: str
    args: tuple[str, ...]
    digest: str


class Evidence(Part, frozen=True, kw_only=True):
    """The evidence for both claims, as logarithms, and how much of it proves them."""

    better: float
    better_needed: float
    worse: float
    worse_needed: float


class GateLine(GateBot, frozen=True, kw_only=True):
    """The candidate against a baseline, which this names.

    `claim` is what is proven of the candidate, or null; `broken`: the baseline fails too often to compare
    with. `pentanomial` counts the pairs of games in which the candidate scored 0, 1/2, 1, 3/2 and 2,
    `lost_pairs` those with a void match. `low` and `high` are the ends of an interval of `elo` that holds at
    every look; null where it has none. `faults` are the baseline's.
    """

    claim: Literal["better", "worse"] | None
    broken: bool
    pairs: int
    pentanomial: tuple[int, ...]
    lost_pairs: int
    score: float | None
    elo: float | None
    low: float | None
    high: float | None
    faults: int
    evidence: Evidence


class GateDocument(Document, frozen=True, kw_only=True):
    """The verdict on a candidate.

    `reason` is `better` or `worse` (proven), `faults` (of the candidate), `start` (it cannot be built or
    started), `baseline` (one fails), `pairs` (the limit is reached) or `unfinished`; `ended`: no further
    match can change the verdict. `gate` is the tournament, null if no match was played. `log` is the end of
    the candidate's log in its first match with a fault, or of its build.
    """

    format: Literal["tourney-gate/1"] = "tourney-gate/1"
    gate: str | None
    game: str
    candidate: GateBot
    verdict: Literal["accepted", "rejected", "undecided"]
    reason: Literal["better", "worse", "faults", "start", "baseline", "pairs", "unfinished"]
    ended: bool
    no_regression: float
    gain: float
    alpha: float
    beta: float
    batch: int
    max_faults: int
    rounds: int
    pairs: int
    against: tuple[GateLine, ...]
    faults: Faults
    first_fault: FirstFault | None
    log: tuple[str, ...]


class BeatenBot(Part, frozen=True, kw_only=True):
    """A bot that was beaten by `elo`; null: an end of the interval that it has not."""

    name: str
    version: str
    digest: str
    elo: float
    low: float | None
    high: float | None
    pairs: int


class BaselineLine(GateBot, frozen=True, kw_only=True):
    """A baseline. `number` counts the promotions of its name; `gate` accepted it, or is null."""

    game: str
    number: int
    promoted: str
    gate: str | None
    beaten: tuple[BeatenBot, ...]


class BaselinesDocument(Document, frozen=True, kw_only=True):
    """Baselines by game and name, of each name the newest last."""

    format: Literal["tourney-baselines/1"] = "tourney-baselines/1"
    baselines: tuple[BaselineLine, ...]


class RungLine(Part, frozen=True, kw_only=True):
    """A rung, and the bot's games against it; `expected` is the score that the bot's rating promises."""

    name: str
    bot: str
    args: tuple[str, ...]
    rating: float
    games: int
    won: int
    drawn: int
    lost: int
    score: float | None
    expected: float | None


class LostGame(Part, frozen=True, kw_only=True):
    """A game in which the bot was not first. `look` is the command that shows it; `fault` is the bot's."""

    match: int
    against: tuple[str, ...]
    seat: int
    rank: int
    actions: int
    reason: str
    fault: str | None
    look: str


class LadderDocument(Document, frozen=True, kw_only=True):
    """A bot's place on a ladder.

    `rating`, its 95 % interval and the ranks are null before the first game that counts; `intervals` names
    the kind of interval. `ended`: no further game is played; `ending` says why. `next` is the nearest rung
    above the bot. `lost` are the lost games, the shortest first.
    """

    format: Literal["tourney-ladder/1"] = "tourney-ladder/1"
    tournament: str
    game: str
    seats: int
    bot: str
    ended: bool
    ending: Literal["width", "above", "below", "games", "out"] | None
    width: int
    intervals: Intervals
    rating: float | None
    low: float | None
    high: float | None
    rank: int | None
    best_rank: int | None
    worst_rank: int | None
    next: str | None
    games: int
    void: int
    not_counted: int
    faults: Faults
    first_fault: FirstFault | None
    rungs: tuple[RungLine, ...]
    lost: tuple[LostGame, ...]


class LadderRung(Part, frozen=True, kw_only=True):
    """A rung of a game's ladder, with its fixed rating and the interval of that; null: not rated yet."""

    game: str
    seats: int
    name: str
    bot: str
    args: tuple[str, ...]
    elo: float | None
    low: float | None
    high: float | None


class LaddersDocument(Document, frozen=True, kw_only=True):
    """The rungs of the ladders, of each game the strongest last."""

    format: Literal["tourney-ladders/1"] = "tourney-ladders/1"
    rungs: tuple[LadderRung, ...]
