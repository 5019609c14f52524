"""``tourney compare``: two bots play batches of mirrored pairs until a rule ends it.

The rule is a sequential test, or the width of the interval that holds at every look.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any, Final

from msgspec import to_builtins

from tourney.compare.question import (
    BatchSums,
    Extra,
    QuestionFormat,
    QuestionRule,
    QuestionState,
    Table,
    added,
    rounded,
    whole_rounds,
)
from tourney.compare.question_results import ComparisonResult, signed
from tourney.errors import TournamentError
from tourney.ratings.sequential import (
    EVERY_LOOK,
    FIXED,
    Hypothesis,
    Intervals,
    PairCounts,
    PairEstimate,
    Sprt,
    estimate,
    estimate_now,
    pairs_to_decide,
    pairs_to_measure,
)
from tourney.results.standings import setup_of
from tourney.schedule.format import History, Setup

if TYPE_CHECKING:
    from tourney.store.database import Database
    from tourney.store.values import Tournament

BATCH: Final = 16
"""The default number of pairs in a batch."""
DEVIATION: Final = 0.3
"""The standard deviation of the score of a pair for which intervals are tuned; 0.35 without draws."""
TEST: Final = ("alpha", "beta", "elo0", "elo1")
"""The numbers of a test."""


@dataclass(frozen=True, slots=True)
class ComparisonState(QuestionState):
    """The state of a comparison.

    ``pairs`` counts the pairs by the first entrant's half-points, 0 to 4. ``lost`` counts the pairs with a
    void match. ``decision`` is the accepted hypothesis or None. ``as_planned``: it has ended since the limit
    of pairs is reached, and no result ended it.
    """

    tables: tuple[Table, ...]
    rule: "ComparisonRule"
    pairs: PairCounts
    lost: int
    decision: Hypothesis | None
    as_planned: bool

    @property
    def estimate(self) -> PairEstimate | None:
        """The advantage of the first entrant, None before the first pair.

        Its interval holds at every look, or is the fixed one of a comparison that ended at ``max_pairs``.
        """
        return estimate(self.pairs) if self.as_planned else estimate_now(self.pairs, self.rule.planned)

    @property
    def intervals(self) -> Intervals:
        """The kind of the estimate's interval."""
        return FIXED if self.as_planned else EVERY_LOOK

    def lines(self, names: Sequence[str]) -> Iterator[str]:  # noqa: ARG002 - the line names no bot
        """Yield the one line of progress."""
        found, sprt = self.estimate, self.rule.sprt
        ratio = f"LLR {sprt.llr(self.pairs):+.2f} ({sprt.lower:+.2f} .. {sprt.upper:+.2f})"
        if self.rule.width is not None:
            ratio = f"to be known to {self.rule.width} Elo on each side"
        if found is None:
            yield f"no pair counts so far, {ratio}"
            return
        elo, low, high = (signed(rounded(value)) for value in (found.elo, found.low, found.high))
        score = f"score {100 * found.score:.1f} %"
        yield f"{found.pairs} pairs, {score}, Elo {elo} ({low} .. {high}, {self.intervals}), {ratio}"


@dataclass(frozen=True, slots=True)
class ComparisonRule(QuestionRule[ComparisonResult]):
    """When a comparison ends: the test, the pairs of a batch, and the most pairs (None: no limit).

    With ``width`` no test is made: it ends when the interval of Elo has that half width.
    """

    kind = "compare"
    noun = "comparison"
    title = "{0:.24}-v-{1:.24}"
    other_names = ("{name:.62}-2",)
    # Stored comparisons have the entrants' lines as they were given, and continue only with the same ones.
    by_digest = False

    sprt: Sprt
    batch: int = BATCH
    max_pairs: int | None = None
    width: int | None = None

    @property
    def planned(self) -> float:
        """The pairs for which intervals are tuned: about what the rule needs, or its limit."""
        if self.width is not None:
            needed: float = pairs_to_measure(self.width, DEVIATION)
        else:
            needed = pairs_to_decide(self.sprt.elo0, self.sprt.elo1, self.sprt.upper, DEVIATION)
        return min(max(needed, self.batch), self.max_pairs or inf)

    def extra(self) -> tuple[tuple[str, int | str], ...]:
        """The rule as settings of its format, sorted by name."""
        found: dict[str, int | str] = {"batch": self.batch}
        if self.width is None:
            found |= {name: repr(float(getattr(self.sprt, name))) for name in TEST}
        else:
            found["width"] = self.width
        if self.max_pairs is not None:
            found["max-pairs"] = self.max_pairs
        return tuple(sorted(found.items()))

    @classmethod
    def of(cls, extra: Extra) -> "ComparisonRule":
        """Read a stored rule. Raises KeyError, TypeError, ValueError and UsageError."""
        values = dict(extra)
        most, width = values.get("max-pairs"), values.get("width")
        sprt = Sprt() if width is not None else Sprt(**{name: float(values[name]) for name in TEST})
        return cls(
            sprt,
            int(values["batch"]),
            None if most is None else int(most),
            None if width is None else int(width),
        )

    def check(self, setup: Setup) -> None:
        """Raise TournamentError unless there are two entrants and two seats."""
        if len(setup.participants) != 2 or setup.seats != 2:
            raise TournamentError("a comparison is between two bots at a table of two seats")

    def judge(self, setup: Setup, history: History) -> ComparisonState:  # noqa: ARG002 - the results say all
        """Judge all batches together: one is paired only if those before it did not decide.

        A batch of lost pairs ends the comparison: something is wrong with a bot or the machine, and more
        pairs would be lost.
        """
        batches = history.sums(BatchSums).batches[1]
        pairs, lost = added(batches)
        decision, known = None, False
        if self.width is not None:
            found = estimate_now(pairs, self.planned)
            known = found is not None and round(found.width, 1) <= self.width
        elif any(pairs):
            decision = self.sprt.decide(pairs)
        limit_reached = self.max_pairs is not None and sum(pairs) + lost >= self.max_pairs
        early = known or decision is not None or (bool(batches) and batches[-1].all_lost)
        tables = () if early or limit_reached else ((1, (0, 1)),)
        return ComparisonState(tables, self, pairs, lost, decision, limit_reached and not early)

    def result(self, database: "Database", tournament: "Tournament") -> ComparisonResult:
        """The result, from the stored matches alone."""
        entrants = database.tournaments.entrants(tournament.id)
        setup = setup_of(tournament.plan, tournament.seed, entrants)
        state = self.judge(setup, whole_rounds(database, tournament))
        faults = {0: 0, 1: 0}
        for number, _, count in database.totals.faults(tournament.id):
            faults[number] += count
        found, sprt = state.estimate, None if self.width is not None else self.sprt
        return ComparisonResult(
            comparison=tournament.name,
            game=tournament.game,
            a=entrants[0].name,
            b=entrants[1].name,
            decision=state.decision,
            ended=not state.tables,
            pairs=sum(state.pairs),
            pentanomial=tuple(state.pairs),
            lost_pairs=state.lost,
            score=rounded(found and found.score, 4),
            elo=rounded(found and found.elo),
            low=rounded(found and found.low),
            high=rounded(found and found.high),
            los=rounded(found and found.los, 4),
            intervals=state.intervals,
            width=self.width,
            llr=None if sprt is None else rounded(sprt.llr(state.pairs), 3),
            lower=None if sprt is None else rounded(sprt.lower, 3),
            upper=None if sprt is None else rounded(sprt.upper, 3),
            elo0=None if sprt is None else sprt.elo0,
            elo1=None if sprt is None else sprt.elo1,
            alpha=None if sprt is None else sprt.alpha,
            beta=None if sprt is None else sprt.beta,
            faults_a=faults[0],
            faults_b=faults[1],
        )


def stored_form(result: ComparisonResult) -> dict[str, Any]:
    """A result as the database keeps it."""
    data: dict[str, Any] = to_builtins(result)
    del data["format"]
    return data | {"pentanomial": list(result.pentanomial)}


def wrong_verdict(database: "Database", tournament: "Tournament") -> Iterator[str]:
    """Yield a sentence if the stored result of an ended comparison differs from that of its matches."""
    kept = database.tournaments.verdict(tournament.id)
    # The result of one that goes on is not final: it may stem from before the newest matches.
    if kept is None or not kept["ended"]:
        return
    if kept != stored_form(ComparisonRule.of(tournament.plan.extra).result(database, tournament)):
        yield "the stored result of the comparison does not follow from its matches"


class ComparisonFormat(QuestionFormat):
    """Entrant 0 against entrant 1, a batch of mirrored pairs a round."""

    name = "compare"
    rule = ComparisonRule
