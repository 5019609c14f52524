"""JSON documents on gates and baselines."""

from typing import Literal

from tourney.cli.documents.tournaments import Faults, FirstFault
from tourney.cli.output import Document, Part


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
