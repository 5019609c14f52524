"""``tourney gate``: a candidate meets each baseline in batches of mirrored pairs until all is decided.

Entrant 0 is the candidate, the others are the baselines. A round holds a batch against each baseline that is
still open.
"""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, Literal, NamedTuple

from msgspec.structs import replace

from tourney.addons.lab import question
from tourney.addons.lab.results import (
    Claim,
    FirstFault,
    GateBot,
    GateEvidence,
    GateLine,
    GateResult,
    Reason,
    Verdict,
)
from tourney.bots.catalogue.shipped import Rung
from tourney.errors import EnvironmentFailure, TournamentError, UsageError
from tourney.games.base import AnyGame
from tourney.match.evidence import subtracted
from tourney.ratings.sequential import BETS, Findings, Scores, SequentialTest, check_test, holm, needed
from tourney.results.standings import has_ended, load_setup, setup_of
from tourney.schedule.format import History, Setup
from tourney.store.database import Database
from tourney.store.values import Plan, StoredEntrant, Tournament
from tourney.texts import printable

MAX_BASELINES: Final = 16
LOG_LINES: Final = 20
"""The last lines of a log that a verdict shows."""


class Proof(NamedTuple):
    """The evidence for each claim against a baseline, as logarithms, and the proven claim or None."""

    better: float
    worse: float
    claim: Claim | None


@dataclass(frozen=True, slots=True)
class Versus:
    """The candidate against one baseline, after whole rounds.

    ``total`` has all pairs, ``batches`` the scores of each batch. ``better`` and ``worse`` are the logarithms
    of the evidence for each claim, and ``claim`` is the one proven, or None. ``broken``: a whole batch was
    void, or the baseline was at fault in half of its games or more, so its results say nothing of its
    strength.
    """

    total: question.PairBatch
    batches: Sequence[Scores]
    better: float
    worse: float
    claim: Claim | None
    broken: bool


@dataclass(frozen=True, slots=True)
class GateState(question.QuestionState):
    """A gate after whole rounds: the baselines in their order, and the candidate's faults."""

    tables: tuple[question.Table, ...]
    rule: "GateRule"
    versus: tuple[Versus, ...]
    faults: int

    @property
    def verdict(self) -> Literal["accepted", "rejected"] | None:
        """The verdict, or None while there is none."""
        if self.faults >= self.rule.max_faults or any(versus.claim == "worse" for versus in self.versus):
            return "rejected"
        return "accepted" if all(versus.claim == "better" for versus in self.versus) else None

    @property
    def ended(self) -> bool:
        """Whether no further round can change or bring a verdict."""
        return self.verdict is not None or any(versus.broken for versus in self.versus)

    def find(self, versus: Versus) -> Findings | None:
        """The findings of the pairs against a baseline; the interval agrees with the claims."""
        return self.rule.test.find(versus.batches, self._open(versus, "better"), self._open(versus, "worse"))

    def evidence(self, versus: Versus) -> GateEvidence:
        """The evidence for both claims, and the bounds that prove them given the other baselines."""
        rule = self.rule
        enough = (
            rule.test.needed
            if rule.sprt
            else (
                needed(self._open(versus, "better"), rule.alpha),
                needed(self._open(versus, "worse"), rule.beta),
            )
        )
        return GateEvidence(
            better=round(versus.better, 2),
            better_needed=round(enough[0], 2),
            worse=round(versus.worse, 2),
            worse_needed=round(enough[1], 2),
        )

    def _open(self, versus: Versus, claim: Claim) -> int:
        """The baselines, this one among them, of which a claim is not proven."""
        return 1 + sum(another.claim != claim for another in self.versus if another is not versus)

    def lines(self, names: Sequence[str]) -> Iterator[str]:
        """Yield a line for each baseline."""
        for name, versus in zip(names[1:], self.versus, strict=True):
            proof = self.evidence(versus)
            shown = (
                f"proven {versus.claim}"
                if versus.claim
                else f"better {proof.better:.2f} of {proof.better_needed:.2f},"
                f" worse {proof.worse:.2f} of {proof.worse_needed:.2f}"
            )
            yield f"against {name}: {question.findings_text(self.find(versus))}; {shown}"


@dataclass(frozen=True, slots=True)
class GateRule(question.QuestionRule[GateResult]):
    """When a gate ends.

    A claim "better" says that the candidate is more than ``elo0`` Elo better than a baseline, a claim "worse"
    that it is less than ``elo1`` better. With probability 1 - ``alpha`` no claim "better" is wrong, with
    1 - ``beta`` no claim "worse". ``batch``: pairs between looks. ``max_faults`` of the candidate reject it.
    ``max_pairs`` against each baseline (None: no limit) is not part of the question: more pairs continue it.
    Raise UsageError for numbers that make no test.
    """

    kind = "gate"
    noun = "gate"
    title = "{0:.40}-gate"
    other_names = (
        "{name:.40}-{version:.20}",
        "{name:.56}-base",
        *(f"{{name:.56}}-base{number}" for number in range(2, 99)),
    )
    builds_first = True

    elo0: float = 0.0
    elo1: float = 5.0
    alpha: float = 0.05
    beta: float = 0.05
    batch: int = 16
    max_faults: int = 1
    max_pairs: int | None = field(default=None, compare=False)
    luck: bool = False
    bets: int = BETS
    sprt: bool = False

    def __post_init__(self) -> None:
        check_test(self.elo0, self.elo1, self.alpha, self.beta, ("--no-regression", "--gain"))

    @property
    def rounds(self) -> int | None:
        """The rounds that ``max_pairs`` allows."""
        return None if self.max_pairs is None else max(1, self.max_pairs // self.batch)

    @property
    def test(self) -> SequentialTest:
        """The test of the candidate against one baseline."""
        return SequentialTest(self.elo0, self.elo1, self.alpha, self.beta, self.luck, self.bets, self.sprt)

    def extra(self) -> tuple[tuple[str, int | str], ...]:
        """The rule as settings of its format, sorted by name."""
        return question.stored_settings(
            self,
            batch=self.batch,
            max_faults=self.max_faults,
            bets=self.bets,
            sprt=1 if self.sprt else None,
            luck=1 if self.luck else None,
        )

    @classmethod
    def of(cls, extra: question.Extra) -> "GateRule":
        """Read a stored rule. Raises KeyError, TypeError, ValueError and UsageError."""
        values = dict(extra)
        alpha, beta, elo0, elo1 = (float(values[name]) for name in question.TEST)
        return cls(
            *(elo0, elo1, alpha, beta, int(values["batch"]), int(values["max-faults"])),
            luck="luck" in values,
            bets=int(values.get("bets", 1)),
            sprt="sprt" in values,
        )

    def fitting(self, game: AnyGame, seats: int) -> tuple["GateRule", tuple[Rung, ...]]:  # noqa: ARG002 - always two
        """The rule for a game; it subtracts luck if the game's luck is known."""
        return dataclasses.replace(self, luck=self.luck and subtracted(game)), ()

    def check(self, setup: Setup) -> None:
        """Raise TournamentError unless there are a candidate and baselines."""
        if not 2 <= len(setup.participants) <= MAX_BASELINES + 1 or setup.seats != 2:
            raise TournamentError(
                f"a gate needs a candidate and 1 to {MAX_BASELINES} baselines, at tables of two seats"
            )
        if self.sprt and len(setup.participants) != 2:
            raise TournamentError(
                "--sprt tests against one baseline, as its error rates hold for one test: name one --against"
            )

    def judge(self, setup: Setup, history: History) -> GateState:
        """Judge whole rounds: the state depends on the results alone.

        Evidence never falls, so it does not matter that a baseline whose claim is proven plays no more.
        """
        sums = history.sums(question.BatchSums)
        tables = range(1, len(setup.participants))
        batches = [[batch.scores(luck=self.luck) for batch in sums.batches[table]] for table in tables]
        versus = tuple(
            Versus(
                question.added(sums.batches[table]),
                scores,
                better,
                worse,
                claim,
                any(batch.all_lost for batch in sums.batches[table])
                or 2 * sums.faulty[table] >= sums.games[table] > 0,
            )
            for table, scores, (better, worse, claim) in zip(
                tables, batches, self.prove(batches), strict=True
            )
        )
        state = GateState((), self, versus, sums.bot_faults)
        if state.ended or (setup.rounds is not None and history.rounds >= setup.rounds):
            return state
        # The table is the baseline's number, so its dice do not depend on which others still play.
        open_ = (number for number, opponent in enumerate(versus, 1) if opponent.claim is None)
        return GateState(tuple((number, (0, number)) for number in open_), self, versus, sums.bot_faults)

    def prove(self, batches: Sequence[Sequence[Scores]]) -> list[Proof]:
        """The evidence for "better" and "worse", and the claim proven, by the batches of each baseline."""
        # Between the bounds both claims are true, and may be proven: "worse" counts, as the gain is missing.
        better, worse = zip(*map(self.test.evidence, batches), strict=True)
        claims: tuple[tuple[bool, ...], tuple[bool, ...]] = holm(better, self.alpha), holm(worse, self.beta)
        if self.sprt:
            enough = self.test.needed
            claims = (better[0] >= enough[0],), (worse[0] >= enough[1],)
        proofs = zip(better, worse, *claims, strict=True)
        return [
            Proof(for_better, for_worse, "worse" if bad else "better" if good else None)
            for for_better, for_worse, good, bad in proofs
        ]

    def refuse(self, entrants: Sequence[StoredEntrant]) -> None:
        """Raise UsageError for a baseline that is named twice."""
        seen = set()
        for stored in entrants[1:]:
            bot = (stored.entrant.digest, stored.entrant.args)
            if bot in seen:
                raise UsageError(
                    f"--against names {stored.entrant.bot} twice: the same files with the same arguments"
                )
            seen.add(bot)

    def unstartable(
        self, plan: Plan, entrants: Sequence[StoredEntrant], broken: Mapping[int, Sequence[str]]
    ) -> GateResult | None:
        """Reject a candidate that cannot be built or started, without a match.

        Raises EnvironmentFailure for a baseline that cannot be started.
        """
        if 0 in broken:
            state = self.judge(setup_of(plan, 0, entrants), History())
            reason, *notes = broken[0]
            log = (reason, *map(printable, notes[-LOG_LINES:]))
            return replace(self._verdict(plan, entrants, state, "start"), log=log)
        for number, (reason, *_) in broken.items():
            raise EnvironmentFailure(
                f"the baseline {entrants[number].name} cannot be started here, so there is nothing to compare"
                f" with: {reason}"
            )
        return None

    def result(self, database: Database, tournament: Tournament) -> GateResult:
        """The verdict from the stored results alone: by whole rounds, but the candidate's faults at once."""
        plan = tournament.plan
        entrants = database.tournaments.entrants(tournament.id)
        history = question.whole_rounds(database, tournament)
        state = self.judge(load_setup(database, tournament.id), history)
        faults, first = question.bot_faults(database, tournament)
        others = database.totals.faults_by_entrant(tournament.id)
        reason: Reason
        # Faults come before claims: a bot that crashes is rejected whatever it has won.
        if sum(faults.values()) >= self.max_faults:
            reason = "faults"
        elif state.verdict is not None:
            reason = "better" if state.verdict == "accepted" else "worse"
        elif state.ended:
            reason = "baseline"
        else:
            reason = "pairs" if has_ended(database, tournament) else "unfinished"
        return replace(
            self._verdict(plan, entrants, state, reason, others),
            gate=tournament.name,
            rounds=history.rounds,
            faults=faults,
            first_fault=first,
            log=() if first is None else _log(database, tournament.id, first),
        )

    def _verdict(
        self,
        plan: Plan,
        entrants: Sequence[StoredEntrant],
        state: GateState,
        reason: Reason,
        faults: Mapping[int, int] = MappingProxyType({}),
    ) -> GateResult:
        """A verdict without the fields of a stored tournament; ``faults`` are the entrants', by number."""
        verdict: Verdict = "undecided"
        if reason in ("better", "worse", "faults", "start"):
            verdict = "accepted" if reason == "better" else "rejected"
        return GateResult.of(
            self,
            gate=None,
            game=plan.game,
            candidate=GateBot.of(entrants[0].entrant),
            verdict=verdict,
            reason=reason,
            ended=verdict != "undecided" or state.ended,
            no_regression=self.elo0,
            gain=self.elo1,
            rounds=0,
            pairs=sum(sum(versus.total.pairs) for versus in state.versus),
            against=tuple(
                GateLine.of(
                    stored.entrant,
                    claim=versus.claim,
                    broken=versus.broken,
                    **question.figures(versus.total, state.find(versus)),
                    faults=faults.get(stored.number, 0),
                    evidence=state.evidence(versus),
                )
                for versus, stored in zip(state.versus, entrants[1:], strict=True)
            ),
            faults={},
            first_fault=None,
            log=(),
        )


class GateFormat(question.QuestionFormat):
    """Entrant 0 against each of the others, a batch of mirrored pairs each a round, until all is decided."""

    name = "gate"
    rule = GateRule


def _log(database: Database, tournament: int, fault: FirstFault) -> tuple[str, ...]:
    """The last lines of a match's log from the referee and the bot."""
    if (archive := database.tournaments.archives().get(tournament)) is not None:
        return (f"in {archive}",)
    lines = [line for line in database.records.log(tournament, fault.match) if line.seat in (0, fault.seat)]
    return tuple(printable(f"{line.kind}: {line.text}") for line in lines[-LOG_LINES:])
