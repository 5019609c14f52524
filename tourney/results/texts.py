"""Words for command line and report: counts, what a seed decides, and how far the machine was overloaded."""

from collections.abc import Mapping
from typing import Final

from tourney.games.base import AnyGame
from tourney.schedule.format import group_size
from tourney.seeds import U64
from tourney.store.exchange import IMPORTED
from tourney.store.totals import OverloadTotals
from tourney.store.values import Plan, Tournament

RANDOM_TEXT: Final = "random"
"""Where a seed comes from if no person chose it."""


def counted(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun: ``1 fault``, ``2 faults``, ``2 matches``."""
    many = plural or (f"{noun}es" if noun.endswith("ch") else f"{noun}s")
    return f"{number:,} {noun if number == 1 else many}"


def kinds_text(kinds: Mapping[str, int]) -> str:
    """Faults by kind, as ``2 timeout, 1 crash``, the most frequent first."""
    return ", ".join(
        f"{count} {kind}" for kind, count in sorted(kinds.items(), key=lambda kv: (-kv[1], kv[0]))
    )


def _decided(plan: Plan, game: AnyGame | None) -> tuple[bool, bool]:
    """Whether there are dice, and whether openings are drawn; a game that is unknown may have dice."""
    return game is None or game.has_chance, bool(plan.opening_plies or plan.book)


def risk_text(plan: Plan, game: AnyGame | None) -> str:
    """What a bot that knows the seed could compute ("the dice"), or ""."""
    dice, openings = _decided(plan, game)
    return " and ".join(["the dice"] * dice + ["the openings"] * openings)


def repeats_text(distinct: int, matches: int) -> str:
    """Say how many games repeat others, and what to do."""
    return (
        f"{distinct:,} distinct of {matches:,}: games that repeat are one observation. Use random openings or"
        f" a book; in a tiny game, where chance makes games equal, --repeats count counts them all."
    )


def repeats_warning(plan: Plan, game: AnyGame) -> str:
    """Warn that deterministic bots will repeat their games, as a sentence without its end; "" if not."""
    groups = plan.games_per_pairing // group_size(plan.seats)
    lines = len(plan.book) or 1
    if game.has_chance or plan.opening_plies or groups <= lines or game.outside:
        return ""
    where = f"{counted(lines, 'line')} of the book" if plan.book else "the one start of the game"
    return (
        f"two deterministic bots will repeat their games: {groups} groups of games from {where}; repeats are"
        " no evidence, so set opening-plies or opening-book"
    )


def sharing_text(plan: Plan, game: AnyGame | None) -> str:
    """Say what the games of a mirrored group share, as a sentence without its end; "" for nothing."""
    dice, openings = _decided(plan, game)
    if not dice and not openings:
        return ""
    if plan.mirrored_dice:
        return f"the games of a mirrored group share {' and '.join(['dice'] * dice + ['opening'] * openings)}"
    return f"every match has {' and '.join(['dice'] * dice + ['an opening'] * openings)} of its own"


def origin_text(tournament: Tournament, game: AnyGame | None) -> str:
    """Say where the seed comes from: a person, random bits, a beacon, or (imported records) no one place.

    A bot's own seed and the first dice confirm a guess, and a seed of few bits is soon guessed.
    """
    if tournament.plan.format == IMPORTED:
        return "imported: each record has its own seed"
    if not tournament.recorded:
        return "imported: results of another program, without records"
    if (beacon := tournament.origin.beacon) is not None:
        return f"the public beacon {beacon.round}"
    if not tournament.origin.chosen:
        return RANDOM_TEXT
    risk = risk_text(tournament.plan, game)
    if not risk:
        return "chosen by a person"
    if tournament.seed < U64:
        return f"chosen by a person and below 2^64: any bot can find it and compute {risk}"
    return f"chosen by a person: who knows it can compute {risk}"


def overload_text(totals: OverloadTotals) -> str:
    """How many turns and matches were overloaded; "" where nothing was measured."""
    if not totals.turns:
        return ""
    if not totals.overloaded:
        return f"none of {totals.turns:,} turns"
    share = 100 * totals.overloaded / totals.turns
    matches = f"{totals.matches:,} match{'' if totals.matches == 1 else 'es'}"
    return f"{totals.overloaded:,} of {totals.turns:,} turns ({share:.1f} %), in {matches}"
