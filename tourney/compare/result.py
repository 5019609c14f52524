"""The result of a comparison: as JSON data, in sentences, and live after each batch."""

import math
from collections.abc import Iterable, Mapping
from typing import Any

from tourney.compare.format import TEST, StoppingRule, Verdict, half_points, judge, judge_results
from tourney.match.record import Outcome
from tourney.ratings.sequences import EVERY_LOOK, FIXED
from tourney.run.monitoring.progress import Listener, Progress
from tourney.schedule.row import ResultRow
from tourney.store.repository import Repository
from tourney.store.values import Tournament


def result_data(repository: Repository, tournament: Tournament) -> dict[str, Any]:
    """Return the result of a comparison as JSON data with rounded numbers, from its stored results alone."""
    rule = StoppingRule.of(tournament.plan.extra)
    verdict = judge_results(rule, repository.results(tournament.id))
    faults = {0: 0, 1: 0}
    for number, _, count in repository.faults(tournament.id):
        faults[number] += count
    a, b = (entrant.name for entrant in repository.entrants(tournament.id))
    found = rule.estimate(verdict)
    tests = rule.width is None
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
        **{
            name: None if found is None else _rounded(getattr(found, name), digits)
            for name, digits in (("score", 4), ("elo", 1), ("low", 1), ("high", 1), ("los", 4))
        },
        "intervals": FIXED if verdict.as_planned else EVERY_LOOK,
        "width": rule.width,
        "llr": _rounded(rule.sprt.llr(verdict.pairs), 3) if tests else None,
        "lower": _rounded(rule.sprt.lower, 3) if tests else None,
        "upper": _rounded(rule.sprt.upper, 3) if tests else None,
        **{name: getattr(rule.sprt, name) if tests else None for name in TEST},
        "faults_a": faults[0],
        "faults_b": faults[1],
    }


def verdict_text(rule: StoppingRule, verdict: Verdict) -> str:
    """Return the state of a comparison in one line."""
    found = rule.estimate(verdict)
    sprt = rule.sprt
    ratio = f"LLR {sprt.llr(verdict.pairs):+.2f} ({sprt.lower:+.2f} .. {sprt.upper:+.2f})"
    if rule.width is not None:
        ratio = f"to be known to {rule.width} Elo on each side"
    if found is None:
        return f"no pair counts so far, {ratio}"
    intervals = FIXED if verdict.as_planned else EVERY_LOOK
    return (
        f"{found.pairs} pairs, score {100 * found.score:.1f} %,"
        f" Elo {_signed(_rounded(found.elo, 1))}"
        f" ({_signed(_rounded(found.low, 1))} .. {_signed(_rounded(found.high, 1))}, {intervals}), {ratio}"
    )


def decision_text(result: Mapping[str, Any]) -> str:
    """Return the decision of a comparison in a sentence."""
    a, b = result["a"], result["b"]
    if result["width"] is not None:
        return _width_text(result)
    elo0, elo1 = (f"{result[key]:+g} Elo" for key in ("elo0", "elo1"))
    if result["decision"] == "H1":
        return f"{a} is better than {b}: the results fit {elo1}, not {elo0}"
    if result["decision"] == "H0":
        return f"{a} is not better than {b}: the results fit {elo0}, not {elo1}"
    if not result["ended"]:
        return f"undecided so far: run the same command again to find out whether {a} is better than {b}"
    if not result["pairs"]:
        return f"no pair of {a} and {b} counts, as matches are void: run `tourney bots check` on both"
    return f"undecided after {result['pairs']} pairs whether {a} is better than {b}"


def _width_text(result: Mapping[str, Any]) -> str:
    """Return the result of a comparison that plays until Elo is known to a width."""
    a, b, pairs, width = (result[key] for key in ("a", "b", "pairs", "width"))
    if result["ended"] and not pairs:
        return f"no pair of {a} and {b} counts, as matches are void: run `tourney bots check` on both"
    if not pairs:
        return f"no pair of {a} and {b} is played so far: run the same command again"
    ends = " to ".join(_signed(result[key]) for key in ("low", "high"))
    known = f"{a} is {result['elo']:+} Elo against {b} ({ends}, {result['intervals']})"
    low, high = result["low"], result["high"]
    if low is not None and high is not None and max(high - result["elo"], result["elo"] - low) <= width + 0.1:
        return f"{known} after {pairs} pairs"
    if result["ended"]:
        return f"{known}: it is not known to {width} Elo after {pairs} pairs; set --max-pairs higher"
    return f"{known}: run the same command again to know it to {width} Elo on each side"


def _rounded(value: float, digits: int) -> float | None:
    """Return a number as it is published, None for an infinite one; adding 0.0 turns -0.0 into 0.0."""
    return round(value, digits) + 0.0 if math.isfinite(value) else None


def _signed(value: float | None) -> str:
    """Return an end of an interval in words."""
    return "no bound" if value is None else f"{value:+}"


class LiveResult(Listener):
    """Sends another listener a line after each whole batch, in whatever order the matches end.

    ``before``: the results stored before the run.
    """

    def __init__(self, listener: Listener, rule: StoppingRule, before: Iterable[ResultRow]) -> None:
        self._listener = listener
        self._rule = rule
        self._points: dict[int, int | None] = {}  # entrant 0's half-points by match number, None if void
        self._batches: list[list[int | None]] = []
        for result in before:
            row = result.row
            number = 2 * ((row.round - 1) * rule.batch + row.repeat - 1) + row.order
            self._points[number] = None if result.void else half_points(result.ranks, row.seats.index(0))
        self._take_batches()

    def event(self, name: str, data: Mapping[str, Any]) -> None:
        """Take a stored match."""
        if name != "match":
            return
        number = data["match"]
        # Matches are numbered in schedule order: of each pair, entrant 0 sits first in the first match.
        void = "void" in data or Outcome.from_json({**data, "faults": data.get("faults", [])}).void
        self._points[number] = None if void else half_points(data["ranks"], (number - 1) % 2)

    def progress(self, progress: Progress) -> None:  # noqa: ARG002 - ``event`` took what matters
        """Send a line if a batch has ended."""
        if self._take_batches():
            self._listener.say(verdict_text(self._rule, judge(self._rule, self._batches)))

    def _take_batches(self) -> bool:
        """Take the batches that are whole now; return whether there is a new one."""
        size = 2 * self._rule.batch
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
