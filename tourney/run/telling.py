"""A result as the log tells it."""

from collections.abc import Sequence
from typing import Any

from tourney.store.values import Finished


def told(finished: Finished, entrants: Sequence[str]) -> dict[str, Any]:
    """Return a result as JSON data; ``entrants`` are named in seat order."""
    data: dict[str, Any] = {"match": finished.number, "entrants": list(entrants)}
    if finished.played is None:
        return {**data, "void": finished.note}
    outcome = finished.played.outcome
    data |= {"ranks": list(outcome.ranks), "reason": outcome.reason, "digest": finished.played.digest}
    if outcome.faults:
        data["faults"] = [list(fault) for fault in outcome.faults]
    return {**data, "ms": finished.played.wall_ms}
