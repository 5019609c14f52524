"""The format of a comparison: two bots play batches of mirrored pairs until a rule ends it.

The rule is a sequential test, or the width of the interval that holds at every look.

No tournament file can name it; ``tourney compare`` makes the tournament (``tourney.compare.compare``).
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tourney.errors import TournamentError
from tourney.ratings.sequences import estimate_now, multiplier
from tourney.ratings.sprt import Decision, Estimate, Sprt, estimate, expected_score
from tourney.schedule.format import Format, History, Pairings, Setup, rows_of
from tourney.schedule.row import ResultRow

BATCH = 16
"""The default number of pairs in a batch."""
DEVIATION = 0.3
"""The standard deviation of the score of a pair for which intervals are tuned; 0.35 without draws."""
TEST = ("alpha", "beta", "elo0", "elo1")
"""The numbers of a test."""


@dataclass(frozen=True, slots=True)
class StoppingRule:
    """When a comparison ends: the test, the pairs of a batch, and the most pairs (None: no limit).

    With ``width`` no test is made: it ends when Elo is known to so much on each side.
    """

    sprt: Sprt
    batch: int = BATCH
    max_pairs: int | None = None
    width: int | None = None

    @property
    def planned(self) -> float:
        """The pairs for which intervals are tuned: about what the rule needs, or its limit."""
        if self.width is not None:
            needed: float = planned_for(self.width)
        else:
            gap = expected_score(self.sprt.elo1) - expected_score(self.sprt.elo0)
            needed = 2 * (DEVIATION / gap) ** 2 * self.sprt.upper
        return min(max(needed, self.batch), self.max_pairs or math.inf)

    def extra(self) -> tuple[tuple[str, int | str], ...]:
        """Return the rule as a format's own settings, sorted by name."""
        found: dict[str, int | str] = {"batch": self.batch}
        if self.width is None:
            found |= {name: repr(float(getattr(self.sprt, name))) for name in TEST}
        else:
            found["width"] = self.width
        if self.max_pairs is not None:
            found["max-pairs"] = self.max_pairs
        return tuple(sorted(found.items()))

    @classmethod
    def of(cls, extra: Iterable[tuple[str, int | str]]) -> "StoppingRule":
        """Return the rule that ``extra`` describes."""
        values = dict(extra)
        most, width = values.get("max-pairs"), values.get("width")
        sprt = Sprt() if width is not None else Sprt(**{name: float(values[name]) for name in TEST})
        return cls(
            sprt,
            int(values["batch"]),
            None if most is None else int(most),
            None if width is None else int(width),
        )

    def estimate(self, verdict: "Verdict") -> Estimate | None:
        """Return the advantage of the first entrant, None before the first pair.

        Its interval holds at every look, or is the fixed one of a comparison that ended at ``max_pairs``.
        """
        if verdict.as_planned:
            return estimate(verdict.pairs)
        return estimate_now(verdict.pairs, self.planned)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The state of a comparison after whole batches.

    ``pairs`` counts the pairs by the first entrant's half-points, 0 to 4. ``lost`` counts the pairs with a
    void match. ``decision`` is the accepted hypothesis or None; ``ended``: no further batch is played;
    ``as_planned``: since the limit of pairs is reached, and no result ended it.
    """

    pairs: tuple[int, int, int, int, int]
    lost: int
    decision: Decision | None
    ended: bool
    as_planned: bool = False


def judge(rule: StoppingRule, batches: Sequence[Sequence[int | None]]) -> Verdict:
    """Judge whole batches; each holds the half-points of its pairs, None for a lost pair.

    A batch is paired only if those before did not decide, so all are judged together. A batch of lost pairs
    ends the comparison: something is wrong with a bot or the machine, and more pairs would be lost.
    """
    counts = Counter(pair for batch in batches for pair in batch)
    a, b, c, d, e = (counts[half_points] for half_points in range(5))
    pairs = (a, b, c, d, e)
    decision, known = None, False
    if rule.width is not None:
        found = estimate_now(pairs, rule.planned)
        known = found is not None and round(found.width, 1) <= rule.width
    elif any(pairs):
        decision = rule.sprt.decide(pairs)
    limit_reached = rule.max_pairs is not None and counts.total() >= rule.max_pairs
    all_lost = bool(batches) and all(pair is None for pair in batches[-1])
    early = known or decision is not None or all_lost
    return Verdict(pairs, counts[None], decision, early or limit_reached, limit_reached and not early)


def planned_for(width: float) -> int:
    """Return the pairs of even bots after which Elo is known to ``width`` on each side, at every look.

    A score of one half grows by ln(10) / 1600 for each Elo.
    """
    return math.ceil((multiplier(1.0) * DEVIATION * 1600 / math.log(10) / width) ** 2)


def pair_scores(results: Iterable[ResultRow]) -> Mapping[tuple[int, int, int], int | None]:
    """Return entrant 0's half-points of each finished pair by (round, table, repeat); None if one is void."""
    games: dict[tuple[int, int, int], list[int | None]] = {}
    for result in results:
        points = None if result.void else half_points(result.ranks, result.entrants.index(0))
        round_, table, repeat, _ = result.key
        games.setdefault((round_, table, repeat), []).append(points)
    return {
        key: None if None in both else sum(points for points in both if points is not None)
        for key, both in games.items()
        if len(both) == 2
    }


def half_points(ranks: Sequence[int], seat: int) -> int:
    """Return the half-points of a seat (from 0) of two: 2, 1 or 0."""
    mine, theirs = ranks[seat], ranks[1 - seat]
    return 1 if mine == theirs else 2 if mine < theirs else 0


def judge_results(rule: StoppingRule, results: Iterable[ResultRow]) -> Verdict:
    """Judge the whole batches of results, from the first on."""
    scores = pair_scores(results)
    batches = []
    round_ = 1
    while all((round_, 1, repeat) in scores for repeat in range(1, rule.batch + 1)):
        batches.append([scores[round_, 1, repeat] for repeat in range(1, rule.batch + 1)])
        round_ += 1
    return judge(rule, batches)


class ComparisonFormat(Format):
    """Entrant 0 against entrant 1, a batch of mirrored pairs a round, until the test decides."""

    name = "compare"
    in_files = False
    ends_by_results = True

    def check(self, setup: Setup) -> None:
        """Raise TournamentError unless there are two entrants and two seats."""
        if len(setup.participants) != 2 or setup.seats != 2:
            raise TournamentError("a comparison is between two bots at a table of two seats")
        try:
            StoppingRule.of(setup.extra)
        except (KeyError, TypeError, ValueError) as error:
            raise TournamentError(f"the settings of the comparison cannot be read ({error})") from error

    def next_rounds(self, setup: Setup, history: History) -> Pairings:
        """Return the next batch, or nothing after the test has decided."""
        rule = StoppingRule.of(setup.extra)
        if judge_results(rule, history.results).ended:
            return Pairings((), complete=True)
        rows = rows_of(setup, history.rounds + 1, 1, (0, 1))
        return Pairings(rows, complete=False)
