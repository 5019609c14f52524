"""A comparison of two bots: a tournament that grows by batches of mirrored pairs until it is decided.

The format is never named in a tournament file: ``tourney compare`` makes the tournament (see
``tourney.compare.compare``).
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tourney.errors import TournamentError
from tourney.ratings.sprt import Decision, Sprt
from tourney.schedule.format import Format, History, Pairings, Setup, rows_of
from tourney.schedule.row import ResultRow

BATCH = 16
"""Pairs in a batch, where nobody says otherwise."""


@dataclass(frozen=True, slots=True)
class StoppingRule:
    """How a comparison is decided: the test, the pairs of a batch, and after how many pairs it gives up."""

    sprt: Sprt
    batch: int = BATCH
    max_pairs: int | None = None

    def extra(self) -> tuple[tuple[str, int | str], ...]:
        """Return the terms as a format's own settings, sorted by name."""
        sprt = self.sprt
        found: dict[str, int | str] = {
            name: repr(float(value))
            for name, value in (
                ("alpha", sprt.alpha),
                ("beta", sprt.beta),
                ("elo0", sprt.elo0),
                ("elo1", sprt.elo1),
            )
        }
        found["batch"] = self.batch
        if self.max_pairs is not None:
            found["max-pairs"] = self.max_pairs
        return tuple(sorted(found.items()))

    @classmethod
    def of(cls, extra: Iterable[tuple[str, int | str]]) -> "StoppingRule":
        """Return what ``extra`` gave."""
        values = dict(extra)
        sprt = Sprt(*(float(values[name]) for name in ("elo0", "elo1", "alpha", "beta")))
        most = values.get("max-pairs")
        return cls(sprt, int(values["batch"]), None if most is None else int(most))


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a comparison stands after whole batches.

    ``pairs``: how often the first entrant scored 0 to 4 half-points of a pair. ``lost``: pairs that do not
    count, as one of their matches is void. ``decision``: the hypothesis taken, None as long as there is none;
    ``ended``: no further batch is played.
    """

    pairs: tuple[int, int, int, int, int]
    lost: int
    decision: Decision | None
    ended: bool


def judge(terms: StoppingRule, batches: Sequence[Sequence[int | None]]) -> Verdict:
    """Judge whole batches; each holds the half-points of its pairs, None for one that is lost.

    A batch is drawn only where those before did not decide, so all of them are judged together. A batch that
    is lost whole ends a comparison: something is wrong with a bot or the machine, and more would be lost.
    """
    counts = Counter(pair for batch in batches for pair in batch)
    a, b, c, d, e = (counts[half_points] for half_points in range(5))
    pairs = (a, b, c, d, e)
    decision = terms.sprt.decide(pairs) if any(pairs) else None
    most = terms.max_pairs
    given_up = most is not None and counts.total() >= most
    hopeless = bool(batches) and all(pair is None for pair in batches[-1])
    return Verdict(pairs, counts[None], decision, ended=decision is not None or given_up or hopeless)


def pair_scores(results: Iterable[ResultRow]) -> Mapping[tuple[int, int], int | None]:
    """Return the half-points of entrant 0 by (round, repeat), of pairs with two results; None if void."""
    games: dict[tuple[int, int], list[int | None]] = {}
    for result in results:
        points = None if result.void else half_points(result.ranks, result.entrants.index(0))
        games.setdefault((result.key.round, result.key.repeat), []).append(points)
    return {
        key: None if None in both else sum(points for points in both if points is not None)
        for key, both in games.items()
        if len(both) == 2
    }


def half_points(ranks: Sequence[int], seat: int) -> int:
    """Return what a seat (from 0) of two scored: 2, 1 or 0."""
    mine, theirs = ranks[seat], ranks[1 - seat]
    return 1 if mine == theirs else 2 if mine < theirs else 0


def standing(terms: StoppingRule, results: Iterable[ResultRow]) -> Verdict:
    """Judge results: whole batches, from the first on."""
    scores = pair_scores(results)
    batches = []
    round_ = 1
    while all((round_, repeat) in scores for repeat in range(1, terms.batch + 1)):
        batches.append([scores[round_, repeat] for repeat in range(1, terms.batch + 1)])
        round_ += 1
    return judge(terms, batches)


class ComparisonFormat(Format):
    """Entrant 0 against entrant 1 in rounds of a batch of mirrored pairs each, until the test has decided."""

    name = "compare"
    in_files = False

    def check(self, setup: Setup) -> None:
        """Raise TournamentError unless two meet at tables of two."""
        if len(setup.participants) != 2 or setup.seats != 2:
            raise TournamentError("a comparison is between two bots at a table of two seats")
        StoppingRule.of(setup.extra)

    def next_rounds(self, setup: Setup, history: History) -> Pairings:
        """Return the next batch, or nothing once the test has decided."""
        terms = StoppingRule.of(setup.extra)
        if standing(terms, history.results).ended:
            return Pairings((), complete=True)
        rows = rows_of(setup, history.rounds + 1, 1, (0, 1))
        return Pairings(rows, complete=False)
