"""What a seed decides, and how far the machine was overloaded, in words for command line and report."""

from tourney.games.base import AnyGame
from tourney.store.exchange import IMPORTED
from tourney.store.values import OverloadTotals, Plan, Tournament


def _decided(plan: Plan, game: AnyGame | None) -> tuple[bool, bool]:
    """Return whether there are dice, and whether openings are drawn; a game that is unknown may have dice."""
    return game is None or game.has_chance, bool(plan.opening_plies or plan.book)


def risk_text(plan: Plan, game: AnyGame | None) -> str:
    """Return what a bot that knows the seed could compute ("the dice"), or ""."""
    dice, openings = _decided(plan, game)
    return " and ".join(["the dice"] * dice + ["the openings"] * openings)


def sharing_text(plan: Plan, game: AnyGame | None) -> str:
    """Say what the games of a mirrored group share, as a sentence without its end; "" for nothing."""
    dice, openings = _decided(plan, game)
    if not dice and not openings:
        return ""
    if plan.mirrored_dice:
        return f"the games of a mirrored group share {' and '.join(['dice'] * dice + ['opening'] * openings)}"
    return f"every match has {' and '.join(['dice'] * dice + ['an opening'] * openings)} of its own"


def origin_text(tournament: Tournament, game: AnyGame | None) -> str:
    """Say where the seed comes from: a person, random bits, or (imported records) no one place."""
    if tournament.plan.format == IMPORTED:
        return "imported: each record has its own seed"
    if not tournament.recorded:
        return "imported: results of another program, without records"
    if not tournament.seed_chosen:
        return "random"
    risk = risk_text(tournament.plan, game)
    return f"chosen by a person, so bots could compute {risk}" if risk else "chosen by a person"


def overload_text(totals: OverloadTotals) -> str:
    """Return how many turns and matches were overloaded; "" where nothing was measured."""
    if not totals.turns:
        return ""
    if not totals.overloaded:
        return f"none of {totals.turns:,} turns"
    share = 100 * totals.overloaded / totals.turns
    matches = f"{totals.matches:,} match{'' if totals.matches == 1 else 'es'}"
    return f"{totals.overloaded:,} of {totals.turns:,} turns ({share:.1f} %), in {matches}"
