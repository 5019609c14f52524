"""Overload in words, the same for command line and report."""

from tourney.store.values import OverloadTotals


def overload_text(totals: OverloadTotals) -> str:
    """Return how many turns and matches were overloaded; "" where nothing was measured."""
    if not totals.turns:
        return ""
    if not totals.overloaded:
        return f"none of {totals.turns:,} turns"
    share = 100 * totals.overloaded / totals.turns
    matches = f"{totals.matches:,} match{'' if totals.matches == 1 else 'es'}"
    return f"{totals.overloaded:,} of {totals.turns:,} turns ({share:.1f} %), in {matches}"
