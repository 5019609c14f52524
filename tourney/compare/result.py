"""What a comparison came to: as JSON data, and in sentences."""

from collections.abc import Iterable, Mapping
from typing import Any

from tourney.compare.format import StoppingRule, Verdict, half_points, judge, standing
from tourney.match.record import Outcome
from tourney.ratings.sprt import estimate
from tourney.run.monitoring.progress import Listener, Progress
from tourney.schedule.row import ResultRow
from tourney.store.repository import Repository
from tourney.store.values import Tournament


def result_of(repository: Repository, tournament: Tournament) -> dict[str, Any]:
    """Return how a comparison stands, as JSON data, every number rounded; a function of its results."""
    terms = StoppingRule.of(tournament.plan.extra)
    results = list(repository.results(tournament.id))
    verdict = standing(terms, results)
    faults = {0: 0, 1: 0}
    for number, _, count in repository.faults(tournament.id):
        faults[number] += count
    a, b = (entrant.name for entrant in repository.entrants(tournament.id))
    told = estimate(verdict.pairs)
    return {
        "comparison": tournament.name,
        "game": tournament.game,
        "a": a,
        "b": b,
        "decision": verdict.decision,
        "ended": verdict.ended,
        "pairs": sum(verdict.pairs),
        "pentanomial": list(verdict.pairs),
        "lost_pairs": verdict.lost,
        "score": None if told is None else _rounded(told.score, 4),
        "elo": None if told is None else _rounded(told.elo, 1),
        "low": None if told is None else _rounded(told.low, 1),
        "high": None if told is None else _rounded(told.high, 1),
        "los": None if told is None else _rounded(told.los, 4),
        "llr": _rounded(terms.sprt.llr(verdict.pairs), 3),
        "lower": _rounded(terms.sprt.lower, 3),
        "upper": _rounded(terms.sprt.upper, 3),
        "elo0": terms.sprt.elo0,
        "elo1": terms.sprt.elo1,
        "alpha": terms.sprt.alpha,
        "beta": terms.sprt.beta,
        "faults_a": faults[0],
        "faults_b": faults[1],
    }


def stand_text(terms: StoppingRule, verdict: Verdict) -> str:
    """Return how a comparison stands, in a line."""
    told = estimate(verdict.pairs)
    sprt = terms.sprt
    ratio = f"LLR {sprt.llr(verdict.pairs):+.2f} ({sprt.lower:+.2f} .. {sprt.upper:+.2f})"
    if told is None:
        return f"no pair counts so far, {ratio}"
    return (
        f"{told.pairs} pairs, score {100 * told.score:.1f} %,"
        f" Elo {_rounded(told.elo, 1):+} ({_rounded(told.low, 1):+} .. {_rounded(told.high, 1):+}), {ratio}"
    )


def decision_text(result: dict[str, Any]) -> str:
    """Return what a comparison came to, in a sentence."""
    a, b = result["a"], result["b"]
    elo0, elo1 = (f"{result[key]:+g} Elo" for key in ("elo0", "elo1"))
    if result["decision"] == "H1":
        return f"{a} is better than {b}: the results fit {elo1}, not {elo0}"
    if result["decision"] == "H0":
        return f"{a} is not better than {b}: the results fit {elo0}, not {elo1}"
    if not result["ended"]:
        return f"whether {a} is better than {b} is not decided yet: say the same again to go on"
    if not result["pairs"]:
        return f"no pair of {a} and {b} counts, as matches are void: try the bots with `tourney bots check`"
    return f"whether {a} is better than {b} was not decided within {result['pairs']} pairs"


def _rounded(value: float, digits: int) -> float:
    """Return a number as it is published; adding 0.0 turns -0.0 into 0.0."""
    return round(value, digits) + 0.0


class LiveResult(Listener):
    """Hears of matches in whatever order they end, and tells another listener of each batch that is whole.

    ``before``: the results that there were when the run began.
    """

    def __init__(self, listener: Listener, terms: StoppingRule, before: Iterable[ResultRow]) -> None:
        self._listener = listener
        self._terms = terms
        self._points: dict[int, int | None] = {}  # entrant 0's half-points by match number, None if void
        self._batches: list[list[int | None]] = []
        for result in before:
            row = result.row
            number = 2 * ((row.round - 1) * terms.batch + row.repeat - 1) + row.order
            self._points[number] = None if result.void else half_points(result.ranks, row.seats.index(0))
        self._take_batches()

    def event(self, name: str, data: Mapping[str, Any]) -> None:
        """Hear of a match that was stored."""
        if name != "match":
            return
        number = data["match"]
        # Matches are numbered in schedule order: of each pair, entrant 0 sits first in the first match.
        void = "void" in data or Outcome.from_json({**data, "faults": data.get("faults", [])}).void
        self._points[number] = None if void else half_points(data["ranks"], (number - 1) % 2)

    def progress(self, progress: Progress) -> None:  # noqa: ARG002 - what is wanted of it came by ``event``
        """Say how it stands if a batch has ended."""
        if self._take_batches():
            self._listener.say(stand_text(self._terms, judge(self._terms, self._batches)))

    def _take_batches(self) -> bool:
        """Take the batches that are whole now; say whether there is a new one."""
        size = 2 * self._terms.batch
        known = len(self._batches)
        while True:
            first = len(self._batches) * size + 1
            numbers = range(first, first + size)
            if not all(number in self._points for number in numbers):
                return len(self._batches) > known
            self._batches.append([self._pair(number) for number in numbers[::2]])

    def _pair(self, number: int) -> int | None:
        one, other = self._points[number], self._points[number + 1]
        return None if one is None or other is None else one + other
