"""What a comparison came to: as JSON data, and in sentences."""

from typing import Any

from tourney.compare.format import Terms, Verdict, standing
from tourney.ratings.sprt import estimate
from tourney.store.repository import Repository
from tourney.store.values import Tournament


def result_of(repository: Repository, tournament: Tournament) -> dict[str, Any]:
    """Return how a comparison stands, as JSON data, every number rounded; a function of its results."""
    terms = Terms.of(tournament.plan.extra)
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


def stand_text(terms: Terms, verdict: Verdict) -> str:
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
