"""From what is stored to what formats ask for."""

from collections.abc import Iterable, Sequence

from tourney.schedule.format import History, Player, RowResult, Setup, group_size
from tourney.schedule.row import Row
from tourney.store.values import Plan, ResultRow, StoredEntrant


def setup_of(plan: Plan, seed: int, entrants: Sequence[StoredEntrant]) -> Setup:
    """Return what a format needs to know of a tournament, its results apart."""
    return Setup(
        players=tuple(
            Player(
                number=entrant.number,
                name=entrant.name,
                joined=entrant.joined,
                left=entrant.left,
                rating=entrant.rating,
                deviation=entrant.deviation,
            )
            for entrant in entrants
        ),
        seats=plan.seats,
        seed=seed,
        repeats=plan.games_per_pairing // group_size(plan.seats),
        rounds=plan.rounds,
        extra=plan.extra,
    )


def history_of(rows: Iterable[Row], results: Iterable[ResultRow], rounds: int | None = None) -> History:
    """Return the rows drawn with their results: all of them, or those of so many rounds."""
    return History(
        tuple(rows),
        tuple(
            RowResult(Row(*result.key, result.entrants), result.ranks, result.faults, result.void)
            for result in results
            if rounds is None or result.key.round <= rounds
        ),
    )
