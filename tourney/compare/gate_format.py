"""The format of a gate: a candidate meets each baseline in batches of mirrored pairs until all is decided.

No tournament file can name it; ``tourney gate`` makes the tournament (``tourney.compare.gate``). Entrant 0 is
the candidate, the others are the baselines. A round holds a batch against each baseline that is still open.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final, Literal

from tourney.compare.format import pair_scores
from tourney.errors import TournamentError, UsageError
from tourney.ratings.betting import evidence, holm
from tourney.ratings.sprt import Pairs
from tourney.schedule.format import Format, History, Pairings, Setup, rows_of
from tourney.schedule.row import ResultRow, Row

MAX_BASELINES: Final = 16
Claim = Literal["better", "worse"]
"""What is proven of the candidate against a baseline: it exceeds the rule's ``elo0``, or misses ``elo1``."""


@dataclass(frozen=True, slots=True)
class GateRule:
    """When a gate ends.

    A claim "better" says that the candidate is more than ``elo0`` Elo better than a baseline, a claim "worse"
    that it is less than ``elo1`` better. With probability 1 - ``alpha`` no claim "better" is wrong, with
    1 - ``beta`` no claim "worse". ``batch``: pairs between looks. ``max_faults`` of the candidate reject it.
    Raise UsageError for numbers that make no test.
    """

    elo0: float = 0.0
    elo1: float = 5.0
    alpha: float = 0.05
    beta: float = 0.05
    batch: int = 16
    max_faults: int = 1

    def __post_init__(self) -> None:
        if not -1000 <= self.elo0 < self.elo1 <= 1000:
            raise UsageError(
                f"--no-regression {self.elo0:g} must lie below --gain {self.elo1:g}, both from -1000 to 1000"
            )
        for name, value in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0.0001 <= value < 0.5:
                raise UsageError(f"{name} {value} is not from 0.0001 up to (not with) 0.5")

    def extra(self) -> tuple[tuple[str, int | str], ...]:
        """Return the rule as a format's own settings, sorted by name."""
        found: dict[str, int | str] = {
            name: repr(float(getattr(self, name))) for name in ("alpha", "beta", "elo0", "elo1")
        }
        return tuple(sorted((found | {"batch": self.batch, "max-faults": self.max_faults}).items()))

    @classmethod
    def of(cls, extra: Iterable[tuple[str, int | str]]) -> "GateRule":
        """Return the rule that ``extra`` describes. Raises KeyError, TypeError and ValueError."""
        values = dict(extra)
        elo0, elo1, alpha, beta = (float(values[name]) for name in ("elo0", "elo1", "alpha", "beta"))
        return cls(elo0, elo1, alpha, beta, int(values["batch"]), int(values["max-faults"]))


@dataclass(frozen=True, slots=True)
class Versus:
    """The candidate against one baseline, after whole rounds.

    ``pairs`` counts the pairs by the candidate's half-points, 0 to 4; ``lost`` counts those with a void
    match. ``better`` and ``worse`` are the logarithms of the evidence for each claim, and ``claim`` is the
    one proven, or None. ``broken``: a whole batch was void, or the baseline was at fault in half of its games
    or more, so its results say nothing of its strength.
    """

    pairs: tuple[int, int, int, int, int]
    lost: int
    better: float
    worse: float
    claim: Claim | None
    broken: bool


@dataclass(frozen=True, slots=True)
class GateState:
    """A gate after whole rounds: the baselines in their order, and the candidate's faults."""

    versus: tuple[Versus, ...]
    faults: int
    max_faults: int

    @property
    def verdict(self) -> Literal["accepted", "rejected"] | None:
        """The verdict, or None while there is none."""
        if self.faults >= self.max_faults or any(one.claim == "worse" for one in self.versus):
            return "rejected"
        return "accepted" if all(one.claim == "better" for one in self.versus) else None

    @property
    def ended(self) -> bool:
        """Whether no further round can change or bring a verdict."""
        return self.verdict is not None or any(one.broken for one in self.versus)

    @property
    def open(self) -> tuple[int, ...]:
        """The baselines (entrants' numbers) that the candidate still plays."""
        if self.ended:
            return ()
        return tuple(number for number, one in enumerate(self.versus, 1) if one.claim is None)


def judge(rule: GateRule, baselines: int, results: Iterable[ResultRow]) -> GateState:
    """Judge the results of whole rounds, in schedule order.

    The state depends on the results alone: evidence never falls, so it does not matter that a baseline whose
    claim is proven plays no more.
    """
    rows = list(results)
    batches: list[list[Pairs]] = [[] for _ in range(baselines)]
    lost, broken = [0] * baselines, [False] * baselines
    games, failed = [0] * baselines, [0] * baselines
    for (_, table), group in groupby(pair_scores(rows).items(), key=lambda item: item[0][:2]):
        scores = Counter(score for _, score in group)
        lost[table - 1] += scores[None]
        broken[table - 1] |= scores.total() == scores[None]
        batches[table - 1].append(tuple(scores[half_points] for half_points in range(5)))
    faults = 0
    for row in rows:
        faulty = [number for number, kind in zip(row.entrants, row.faults, strict=False) if kind]
        faults += 0 in faulty
        games[max(row.entrants) - 1] += 1
        failed[max(row.entrants) - 1] += any(faulty)
    versus = tuple(
        Versus(
            _sum(batches[k]),
            lost[k],
            *proven,
            broken[k] or (games[k] > 0 and 2 * failed[k] >= games[k]),
        )
        for k, proven in enumerate(prove(rule, batches))
    )
    return GateState(versus, faults, rule.max_faults)


def prove(rule: GateRule, batches: Sequence[Sequence[Pairs]]) -> list[tuple[float, float, Claim | None]]:
    """Return the evidence for "better" and "worse", and the claim proven, by the batches of each baseline."""
    better = [evidence(one, rule.elo0, rule.elo1) for one in batches]
    worse = [evidence(one, rule.elo1, rule.elo0) for one in batches]
    found = zip(better, worse, holm(better, rule.alpha), holm(worse, rule.beta), strict=True)
    return [(one, other, "worse" if bad else "better" if good else None) for one, other, good, bad in found]


def _sum(batches: Iterable[Pairs]) -> tuple[int, int, int, int, int]:
    a, b, c, d, e = (sum(column) for column in zip((0,) * 5, *batches, strict=True))
    return a, b, c, d, e


class GateFormat(Format):
    """Entrant 0 against each of the others, a batch of mirrored pairs each a round, until all is decided."""

    name = "gate"
    in_files = False
    ends_by_results = True

    def check(self, setup: Setup) -> None:
        """Raise TournamentError unless there are a candidate, baselines, and a rule."""
        if not 2 <= len(setup.participants) <= MAX_BASELINES + 1 or setup.seats != 2:
            raise TournamentError(
                f"a gate needs a candidate and 1 to {MAX_BASELINES} baselines, at tables of two seats"
            )
        try:
            GateRule.of(setup.extra)
        except (KeyError, TypeError, ValueError, UsageError) as error:
            raise TournamentError(f"the settings of the gate cannot be read ({error})") from error

    def next_rounds(self, setup: Setup, history: History) -> Pairings:
        """Return the next batches; none once all is decided, or after ``rounds`` rounds."""
        self.check(setup)
        state = judge(GateRule.of(setup.extra), len(setup.participants) - 1, history.results)
        if setup.rounds is not None and history.rounds >= setup.rounds:
            return Pairings((), complete=True)
        rows: tuple[Row, ...] = ()
        for number in state.open:
            # The table is the baseline's number, so its dice do not depend on which others still play.
            rows += rows_of(setup, history.rounds + 1, number, (0, number))
        return Pairings(rows, complete=not rows)
