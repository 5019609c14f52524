"""The games worth seeing: upset, turning point, best played, shortest win and longest game, by rules."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal, NamedTuple

from tourney.match.analysis import Analysis
from tourney.match.evidence import largest_rise
from tourney.match.record import Record
from tourney.store.values import Result
from tourney.texts import counted

Kind = Literal["upset", "swing", "best", "shortest", "longest"]

TITLES: Final[Mapping[Kind, str]] = {
    "upset": "Upset",
    "swing": "Turning point",
    "best": "Best played",
    "shortest": "Shortest win",
    "longest": "Longest game",
}
"""The kinds in the order in which pages show them, with their titles."""
SUPERLATIVES: Final[frozenset[Kind]] = frozenset({"best", "shortest", "longest"})
"""The kinds whose title is true of the greatest ``size`` alone."""
LEAST_JUDGED: Final = 20
"""Actions from which on a game can be the best played: in a short one every bot is accurate."""


class Highlight(NamedTuple):
    """A game that may be the best of its kind: the one with the greatest ``size`` is.

    ``ply`` is the number of actions before the position that shows it; None: the last one.
    """

    kind: Kind
    size: float
    text: str
    ply: int | None = None


def highlights_of_result(
    result: Result, names: Sequence[str], elo: Sequence[float | None]
) -> Iterator[Highlight]:
    """Yield what the result of a match shows; ``names`` and ratings are by seat, None where not known."""
    if result.void:
        return
    first = winner_of(result.ranks)
    length = counted(result.actions, "action")
    end = (
        f"{names[first]} wins" if first is not None else "a draw" if len(set(result.ranks)) == 1 else "shared"
    )
    # A game that a fault cut off shows no long fight, even where all others were shorter.
    if not any(result.faults):
        yield Highlight("longest", result.actions, f"{end} after {length}")
    if first is None:
        return
    if not any(result.faults) and result.reason != "resign":
        yield Highlight("shortest", -result.actions, f"{end} after {length}")
    own_elo = elo[first]
    rivals = [(rival, seat) for seat, rival in enumerate(elo) if rival is not None and seat != first]
    if own_elo is not None and len(rivals) == len(names) - 1:
        rival, seat = max(rivals, key=lambda rival_seat: rival_seat[0])
        gap = rival - own_elo
        words = f"{names[first]} beats {names[seat]}, which was rated {gap:.0f} Elo above it"
        yield Highlight("upset", gap, words)


def turning_point(record: Record, names: Sequence[str]) -> Iterator[Highlight]:
    """Yield the action that raised the winner's prospects most; replays the record, which takes time."""
    first = winner_of(record.outcome.ranks)
    rise = None if first is None else largest_rise(record, first + 1)
    if first is not None and rise is not None:
        change = f"from {100 * rise.before:.0f} % of the points to {100 * rise.after:.0f} %"
        action = record.actions[rise.ply][1]
        words = f"{names[first]} comes {change} with action {rise.ply + 1}, {action}"
        yield Highlight("swing", rise.after - rise.before, words, rise.ply + 1)


def best_played(analysis: Analysis, result: Result) -> Iterator[Highlight]:
    """Yield the accuracy of the least accurate seat, by an analysis."""
    seats = range(1, len(result.ranks) + 1)
    accuracies = [accuracy for seat in seats if (accuracy := analysis.accuracy(seat)) is not None]
    if result.actions >= LEAST_JUDGED and len(accuracies) == len(result.ranks):
        shown = " and ".join(f"{accuracy:.1f} %" for accuracy in accuracies)
        yield Highlight("best", min(accuracies), f"accuracy {shown}")


def winner_of(ranks: Sequence[int]) -> int | None:
    """The seat (from 0) that is first alone, or None."""
    return ranks.index(1) if ranks.count(1) == 1 else None
