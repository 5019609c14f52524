"""``tourney compare``: two bots play batches of mirrored pairs until a rule ends it.

The rule is the sequential test of a gate with one baseline, or the width of that test's interval.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from msgspec import to_builtins

from tourney.addons.lab import question
from tourney.addons.lab.results import ComparisonResult, Hypothesis
from tourney.bots.catalogue.shipped import Rung
from tourney.errors import TournamentError, UsageError
from tourney.games.base import AnyGame
from tourney.match.evidence import subtracted
from tourney.parsing import JsonObject
from tourney.ratings.sequential import BETS, Findings, SequentialTest, normalised_elo, pair_scores
from tourney.results.standings import load_setup
from tourney.schedule.format import History, Setup
from tourney.store.database import Database
from tourney.store.values import StoredEntrant, Tournament

BATCH: Final = 16
"""The default number of pairs in a batch."""
PROOF: Final = ("better", "better_needed", "worse", "worse_needed")
"""Its evidence in a result."""


@dataclass(frozen=True, slots=True)
class ComparisonState(question.QuestionState):
    """The state of a comparison.

    ``total`` counts the pairs by the first entrant's half-points; ``left``: the most that may follow.
    ``better`` and ``worse`` are the logarithms of the evidence for H1 and H0, and ``decision`` is the proven
    one or None. ``findings`` is None before the first pair.
    """

    tables: tuple[question.Table, ...]
    left: int
    rule: "ComparisonRule"
    total: question.PairBatch
    better: float
    worse: float
    decision: Hypothesis | None
    findings: Findings | None

    @property
    def groups(self) -> int:
        """The pairs of the next batch, within ``max_pairs``."""
        return min(self.left, self.rule.batch)

    def lines(self, names: Sequence[str]) -> Iterator[str]:  # noqa: ARG002 - the line names no bot
        """Yield the one line of progress."""
        test = self.rule.test
        findings = question.findings_text(self.findings)
        if self.rule.width is not None:
            yield f"{findings}, to be known to {self.rule.width} Elo on each side"
        else:
            yield (
                f"{findings}; better {self.better:.2f} of {test.needed[0]:.2f},"
                f" worse {self.worse:.2f} of {test.needed[1]:.2f}"
            )


@dataclass(frozen=True, slots=True)
class ComparisonRule(question.QuestionRule[ComparisonResult]):
    """When a comparison ends: the test, the pairs of a batch, and the most pairs (None: no limit).

    With ``width`` the test decides nothing: it ends when the interval of Elo has that half width.
    """

    kind = "compare"
    noun = "comparison"
    title = "{0:.24}-v-{1:.24}"
    other_names = ("{name:.60}-{age}",)

    test: SequentialTest
    batch: int = BATCH
    max_pairs: int | None = None
    width: int | None = None

    def extra(self) -> tuple[tuple[str, int | str], ...]:
        """The rule as settings of its format, sorted by name."""
        test = self.test if self.width is None else None
        return question.stored_settings(
            test,
            batch=self.batch,
            bets=self.test.bets,
            sprt=1 if self.test.sprt else None,
            width=self.width,
            max_pairs=self.max_pairs,
            luck=1 if self.test.luck else None,
        )

    @classmethod
    def of(cls, extra: question.Extra) -> "ComparisonRule":
        """Read a stored rule. Raises KeyError, TypeError, ValueError and UsageError."""
        values = dict(extra)
        batch = int(values["batch"])
        most = values.get("max-pairs")
        luck, bets = "luck" in values, int(values.get("bets", 1))
        limit = None if most is None else int(most)
        if (width := values.get("width")) is not None:
            return cls.to_width(int(width), batch, limit, luck=luck, bets=bets)
        numbers = {name: float(values[name]) for name in question.TEST}
        test = SequentialTest(**numbers, luck=luck, bets=bets, sprt="sprt" in values)
        return cls(test, batch, limit)

    @classmethod
    def to_width(
        cls,
        width: int,
        batch: int = BATCH,
        max_pairs: int | None = None,
        *,
        luck: bool = False,
        bets: int = BETS,
    ) -> "ComparisonRule":
        """Without a test, until the interval of 95 % has this half width in Elo."""
        return cls(SequentialTest(0.0, width, 0.025, 0.025, luck, bets), batch, max_pairs, width)

    def fitting(self, game: AnyGame, seats: int) -> tuple["ComparisonRule", tuple[Rung, ...]]:  # noqa: ARG002 - always two
        """The rule for a game; it subtracts luck if the game's luck is known."""
        return replace(self, test=replace(self.test, luck=self.test.luck and subtracted(game))), ()

    def check(self, setup: Setup) -> None:
        """Raise TournamentError unless there are two entrants and two seats."""
        if len(setup.participants) != 2 or setup.seats != 2:
            raise TournamentError("a comparison is between two bots at a table of two seats")

    def refuse(self, entrants: Sequence[StoredEntrant]) -> None:
        """Raise UsageError for a bot beside itself."""
        a, b = (stored.entrant for stored in entrants)
        if (a.digest, a.args) == (b.digest, b.args):
            raise UsageError(
                f"both bots are {a.bot} {a.version}, the same files (digest {a.digest[:12]}) with the same"
                " arguments: there is nothing to compare; `tourney bots list` shows the digests of others"
            )

    def judge(self, setup: Setup, history: History) -> ComparisonState:  # noqa: ARG002 - the results say all
        """Judge all batches together: a batch is paired only if the earlier ones did not decide.

        A batch of lost pairs ends the comparison: something is wrong with a bot or the machine, and more
        pairs would be lost.
        """
        batches = history.sums(question.BatchSums).batches[1]
        test = self.test
        total = question.added(batches)
        scores = [batch.scores(luck=test.luck) for batch in batches]
        better, worse = test.evidence(scores)
        findings = test.find(scores)
        decision: Hypothesis | None = None
        if self.width is not None:
            # Rounded as printed: a width shown as 20.0 has reached --width 20.
            over = findings is not None and round(findings.width, 1) <= self.width
        else:
            if better >= test.needed[0]:
                decision = "H1"
            elif worse >= test.needed[1]:
                decision = "H0"
            over = decision is not None
        left = self.batch if self.max_pairs is None else self.max_pairs - sum(total.pairs) - total.lost
        over = over or left <= 0 or (bool(batches) and batches[-1].all_lost)
        tables = () if over else ((1, (0, 1)),)
        return ComparisonState(tables, left, self, total, better, worse, decision, findings)

    def result(self, database: Database, tournament: Tournament) -> ComparisonResult:
        """The result, from the stored matches alone."""
        setup = load_setup(database, tournament.id)
        state = self.judge(setup, question.whole_rounds(database, tournament))
        a, b = setup.participants
        faults = database.totals.faults_by_entrant(tournament.id)
        test = self.test
        numbers: JsonObject = dict.fromkeys((*PROOF, *question.TEST))
        if self.width is None:
            proof = (state.better, test.needed[0], state.worse, test.needed[1])
            numbers = dict(zip(PROOF, (question.rounded(value, 3) for value in proof), strict=True))
            numbers |= {name: getattr(test, name) for name in question.TEST}
        return ComparisonResult(
            comparison=tournament.name,
            game=tournament.game,
            a=a.name,
            b=b.name,
            decision=state.decision,
            ended=not state.tables,
            los=question.rounded(state.findings and state.findings.los, 4),
            intervals=self.test.intervals,
            width=self.width,
            sprt=test.sprt,
            normalised_elo=question.rounded(normalised_elo(pair_scores(state.total.pairs))),
            faults_a=faults[0],
            faults_b=faults[1],
            **question.figures(state.total, state.findings),
            **numbers,
        )


def stored_form(result: ComparisonResult) -> JsonObject:
    """A result as the database keeps it."""
    data: JsonObject = to_builtins(result)
    del data["format"]
    return data | {"pentanomial": list(result.pentanomial), "halves": result.halves and list(result.halves)}


def wrong_verdict(database: Database, tournament: Tournament) -> Iterator[str]:
    """Yield a sentence if the stored result of an ended comparison differs from its matches' result."""
    stored = database.tournaments.verdict(tournament.id)
    # The result of one that goes on is not final: it may stem from before the newest matches.
    if stored is None or not stored["ended"]:
        return
    now = stored_form(ComparisonRule.of(tournament.plan.extra).result(database, tournament))
    if any(stored.get(key, value) != value for key, value in now.items()):  # an older one lacks newer keys
        yield "the stored result of the comparison does not follow from its matches"


class ComparisonFormat(question.QuestionFormat):
    """Entrant 0 against entrant 1, a batch of mirrored pairs a round."""

    name = "compare"
    rule = ComparisonRule
