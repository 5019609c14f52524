"""Results of questions about a bot: what the commands print as JSON, rounded, and sentences for people."""

import math
from collections.abc import Iterator
from typing import Final, Literal

from tourney.ratings.sequential import Intervals
from tourney.schema import Document, Part
from tourney.texts import counted

Claim = Literal["better", "worse"]
"""What is proven of the candidate against a baseline: it exceeds the rule's ``elo0``, or misses ``elo1``."""
Hypothesis = Literal["H0", "H1"]
Verdict = Literal["accepted", "rejected", "undecided"]
Reason = Literal["better", "worse", "faults", "start", "baseline", "pairs", "unfinished"]
VAGUE: Final = 1000
"""An interval of more Elo than this to either side says nothing, and is not shown in words."""
Ending = Literal["width", "above", "below", "games", "out"]
"""Why a placement ended: the rating is known; the bot is far above or below the ladder; the limit of matches
is reached; the bot cannot start."""


class FirstFault(Part, frozen=True, kw_only=True):
    """The first match in which the bot was at fault, its seat there, and the fault's kind."""

    match: int
    seat: int
    kind: str


class ComparisonResult(Document, frozen=True, kw_only=True):
    """The result of a comparison.

    `decision` is H1 (it is proven that A is more than `elo0` Elo better), H0 (less than `elo1`) or null;
    `ended`: no further game is played. `pentanomial` counts the pairs of games in which A scored 0, 1/2, 1,
    3/2 and 2; `distinct` of their games repeat no other. `better` and `worse` are the logarithms of the
    evidence for H1 and H0, which decide at `better_needed` and `worse_needed`. From `low` to `high` lie the
    tenths of Elo that are not refuted, so H1 is proven exactly if `low` lies above `elo0`, H0 if `high` lies
    below `elo1`; null means no bound, and `intervals` names the kind. With `width` no test is made: the
    comparison ends when the interval of Elo has that half width. `los` is the probability that A is better,
    at this moment. `halves` are the scores of A in the first and the last half, if they differ more than
    chance explains. In a game with dice and known values `score` is without A's luck, `luck` its mean a game,
    and `score_with_luck` the mean of the results. With `sprt` the test is the pentanomial GSPRT of fishtest
    and fastchess: `better` is its logarithm of the likelihood ratio and `worse` less that, and the interval
    does not decide. `normalised_elo` is in standard deviations of a game, on fishtest's scale.
    """

    format: Literal["tourney-compare/1"] = "tourney-compare/1"
    comparison: str
    game: str
    a: str
    b: str
    decision: Hypothesis | None
    ended: bool
    pairs: int
    pentanomial: tuple[int, ...]
    lost_pairs: int
    distinct: int
    score: float | None
    score_with_luck: float | None
    luck: float | None
    elo: float | None
    low: float | None
    high: float | None
    los: float | None
    intervals: str
    width: int | None
    better: float | None
    better_needed: float | None
    worse: float | None
    worse_needed: float | None
    elo0: float | None
    elo1: float | None
    alpha: float | None
    beta: float | None
    faults_a: int
    faults_b: int
    halves: tuple[float, float] | None
    sprt: bool = False
    normalised_elo: float | None = None

    def evidence_sentence(self) -> str:
        """What its evidence is, in words; "" without a test or a pair."""
        if self.better is None or self.better_needed is None or self.worse_needed is None or not self.pairs:
            return ""
        if self.sprt:
            normalised = "" if self.normalised_elo is None else f", nElo {self.normalised_elo:+.1f}"
            return (
                f"LLR {self.better:.2f} ({-self.worse_needed:.2f}, {self.better_needed:.2f})"
                f" [{self.elo0:g}, {self.elo1:g}]{normalised}: the pentanomial GSPRT of fishtest and"
                f" fastchess. At {self.elo0:g} Elo it is wrong in about"
                f" {100 * (self.alpha or 0):g} % of tests, at {self.elo1:g} in {100 * (self.beta or 0):g} %"
            )
        side, has, enough = (
            ("H1", self.better, self.better_needed)
            if self.better - self.better_needed >= (self.worse or 0.0) - self.worse_needed
            else ("H0", self.worse or 0.0, self.worse_needed)
        )
        return (
            f"evidence {has:.2f} of {enough:.2f} for {side}: bets on it grew"
            f" {math.exp(min(has, 50.0)):,.1f}-fold at best; if {side} were wrong, they would ever grow"
            f" {math.exp(enough):,.0f}-fold in at most {100 * math.exp(-enough):.2g} % of comparisons"
        )

    def sentence(self) -> str:
        """The decision."""
        a = self.a
        b = self.b
        if self.ended and not self.pairs:
            return f"no pair of {a} and {b} counts, as matches are void: run `tourney bots check` on both"
        if self.width is not None:
            return self._width_sentence(self.width)
        if self.decision is not None:
            claim: Claim = "better" if self.decision == "H1" else "worse"
            return f"{a} {claim_text(claim, self.elo0 or 0.0, self.elo1 or 0.0)} {b}"
        if not self.ended:
            return f"undecided so far: run the same command again to find out whether {a} is better than {b}"
        return f"undecided after {self.pairs} pairs whether {a} is better than {b}"

    def _width_sentence(self, width: int) -> str:
        a = self.a
        b = self.b
        pairs = self.pairs
        elo = self.elo
        low = self.low
        high = self.high
        if elo is None:
            return f"no pair of {a} and {b} is played so far: run the same command again"
        estimate = f"{a} is {elo:+} Elo against {b} ({signed(low)} to {signed(high)}, {self.intervals})"
        # All three are rounded to tenths, so their differences may be off by a tenth.
        if low is not None and high is not None and max(high - elo, elo - low) <= width + 0.1:
            return f"{estimate} after {pairs} pairs"
        if self.ended:
            return f"{estimate}: it is not known to {width} Elo after {pairs} pairs; set --max-pairs higher"
        return f"{estimate}: run the same command again to know it to {width} Elo on each side"


class GateBot(Part, frozen=True, kw_only=True):
    """A bot, with its arguments."""

    name: str
    bot: str
    version: str
    args: tuple[str, ...]
    digest: str


class GateEvidence(Part, frozen=True, kw_only=True):
    """The evidence for both claims, as logarithms, and how much of it proves them."""

    better: float
    better_needed: float
    worse: float
    worse_needed: float


class GateLine(GateBot, frozen=True, kw_only=True):
    """The candidate against a baseline, which this names.

    `claim` is what is proven of the candidate, or null; `broken`: the baseline fails too often to compare
    with. `pentanomial` counts the pairs of games in which the candidate scored 0, 1/2, 1, 3/2 and 2,
    `lost_pairs` those with a void match; `distinct` of their games repeat no other. From `low` to `high` lie
    the tenths of Elo that are not refuted at the level that a claim has beside those still open; null means
    no bound. `halves` are the scores of the candidate in the first and the last half, if they differ more
    than chance explains. `faults` are the baseline's.
    """

    claim: Claim | None
    broken: bool
    pairs: int
    pentanomial: tuple[int, ...]
    lost_pairs: int
    distinct: int
    score: float | None
    score_with_luck: float | None
    luck: float | None
    elo: float | None
    low: float | None
    high: float | None
    faults: int
    evidence: GateEvidence
    halves: tuple[float, float] | None


class GateResult(Document, frozen=True, kw_only=True):
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
    verdict: Verdict
    reason: Reason
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
    faults: dict[str, int]
    first_fault: FirstFault | None
    log: tuple[str, ...]


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


class LadderResult(Document, frozen=True, kw_only=True):
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
    ending: Ending | None
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
    faults: dict[str, int]
    first_fault: FirstFault | None
    rungs: tuple[RungLine, ...]
    lost: tuple[LostGame, ...]

    def place_sentence(self) -> str:
        """The bot's place on the ladder."""
        if self.rating is None or self.low is None or self.high is None:
            return f"{self.bot} has no rating yet: none of its games counts"
        where = f"{self.bot}: rank {self.rank} of {len(self.rungs) + 1} on the ladder of {self.game}"
        if self.seats > 2:
            where += f" with {self.seats} seats"
        if self.best_rank != self.worst_rank:
            where += f" (from {self.best_rank} to {self.worst_rank} at 95 %)"
        if self.high - self.low > 2 * VAGUE:
            return f"{where}, rating not known to {VAGUE} Elo yet"
        interval = f"{self.intervals}: {self.low:+.1f} to {self.high:+.1f}"
        return f"{where}, rating {self.rating:+.1f} ({interval})"

    def ending_sentence(self) -> str:
        """The end of the placement in words, or that it goes on."""
        games = counted(self.games, "game")
        width = f"±{self.width} Elo"
        missed = f"±{((self.high or 0) - (self.low or 0)) / 2:.1f} Elo"
        if self.ending is None:
            return f"{games} so far: run the same command again to go on to an interval of {width}"
        return {
            "width": f"{games}: the interval is at most {width}",
            "above": f"{games}: {self.bot} is far above the ladder, which cannot measure it any closer",
            "below": f"{games}: {self.bot} is far below the ladder, which cannot measure it any closer",
            "games": f"{games}: the limit of --games is reached, and the interval is {missed} where"
            f" --width asks for {width}; set one of them higher",
            "out": f"{games}: {self.bot} did not start, so it cannot be placed",
        }[self.ending]

    def next_sentence(self) -> str:
        """The rung to beat next; "" without a rating."""
        if self.rating is None:
            return ""
        rung = next((rung for rung in self.rungs if rung.name == self.next), None)
        if rung is None:
            return "Next to beat: none, as the bot is above all rungs."
        score = f"; so far {rung.won} won, {rung.drawn} drawn, {rung.lost} lost" if rung.games else ""
        return (
            f"Next to beat: {rung.name} ({rung.rating:+.1f}), against which it scores about"
            f" {100 * (rung.expected or 0):.0f} %{score}."
        )


class TunedParameter(Part, frozen=True, kw_only=True):
    """A parameter: its bounds and step, the value of `bot.toml`, and the tuned one."""

    name: str
    low: float
    high: float
    step: float
    start: str
    value: str


class TunePoint(Part, frozen=True, kw_only=True):
    """The values after some pairs of games, and their estimated gain in Elo with its 95 % interval."""

    pairs: int
    values: tuple[str, ...]
    gain: float
    low: float
    high: float


class TuneResult(Document, frozen=True, kw_only=True):
    """The result of a tuning.

    `pairs` counts those of `planned_pairs` that were played and count, `lost_pairs` those with a void match;
    `ended`: no further pair is played, and `void`: because no pair of a whole batch counts.
    `points` are the way of the values, evenly spread if there are many. `faults` are those of the bot with
    any values, by kind. `gate` is the verdict on the tuned bot against the bot; null until the tuning has
    ended, and if no value changed. `out` is the folder of the accepted bot.
    """

    format: Literal["tourney-tune/1"] = "tourney-tune/1"
    tuning: str
    game: str
    bot: GateBot
    method: str
    pairs: int
    lost_pairs: int
    planned_pairs: int
    ended: bool
    void: bool
    parameters: tuple[TunedParameter, ...]
    points: tuple[TunePoint, ...]
    faults: dict[str, int]
    first_fault: FirstFault | None
    gate: GateResult | None
    out: str | None


def signed(value: float | None) -> str:
    """An end of an interval in words."""
    return "no bound" if value is None else f"{value:+}"


def claim_text(claim: Claim, elo0: float, elo1: float) -> str:
    """A claim about the first bot in words, up to the name of the other."""
    if claim == "better":
        return "is better than" if not elo0 else f"is {_bound(elo0, 'more')} than"
    return "is weaker than" if not elo1 else f"is {_bound(elo1, 'less')} than"


def _bound(elo: float, word: str) -> str:
    """``more than 5 Elo better``, or of a negative bound ``less than 5 Elo weaker``."""
    if elo > 0:
        return f"{word} than {elo:g} Elo better"
    return f"{'less' if word == 'more' else 'more'} than {-elo:g} Elo weaker"


def distinct_text(result: ComparisonResult | GateLine) -> str:
    """The number of distinct games, as ``2 distinct of 32``."""
    return f"{result.distinct:,} distinct of {2 * result.pairs:,}"


def warnings(result: ComparisonResult | GateLine, bot: str, opponent: str) -> Iterator[str]:
    """Yield sentences on games that repeat, and on a strength that changed during the test."""
    if result.distinct < 2 * result.pairs:
        yield (
            f"warning: {distinct_text(result)} games of {bot} and {opponent}: the result says what these"
            " games say; let others begin by --opening-plies or --opening-book"
        )
    if result.halves is not None:
        first, last = (f"{100 * score:.1f} %" for score in result.halves)
        yield (
            f"warning: {bot} scored {first} against {opponent} in the first half of the pairs and"
            f" {last} in the last, more than chance explains: a bot's strength changed, and the result is a"
            " mean of both"
        )
