"""Results and calls as the log and a person are result_data of them."""

from collections.abc import Sequence
from typing import Any

from tourney.run.engine.bench_policy import Decision
from tourney.schedule.startup_failures import MAX_STARTUP_FAILURES
from tourney.store.values import MatchResult


def result_data(finished: MatchResult, entrants: Sequence[str]) -> dict[str, Any]:
    """Return a result as JSON data; ``entrants`` are named in seat order."""
    data: dict[str, Any] = {"match": finished.number, "entrants": list(entrants)}
    if finished.played is None:
        return {**data, "void": finished.note}
    outcome = finished.played.outcome
    data |= {"ranks": list(outcome.ranks), "reason": outcome.reason, "digest": finished.played.digest}
    if outcome.faults:
        data["faults"] = [list(fault) for fault in outcome.faults]
    return {**data, "ms": finished.played.wall_ms}


def bench_text(name: str, number: int, call: Decision) -> str:
    """Say that an entrant is benched from a match on, and what brings it back."""
    matches = ", ".join(map(str, call.matches))
    return (
        f"{name} is benched: it failed at start-up {MAX_STARTUP_FAILURES} times"
        f" (matches {matches}); its matches from"
        f" {number} on are void; mend what ails it, and run with --unbench {name}"
    )


def stop_text(call: Decision) -> str:
    """Say that there are too many faults, and what goes on nevertheless."""
    return (
        f"too many faults by match {call.matches[0]}: stopping; see `tourney status`, and run again"
        " with a higher --max-faults, or without"
    )
