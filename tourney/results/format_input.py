"""Build the input of a format from the store."""

from collections.abc import Iterable, Sequence

from tourney.schedule.format import History, Participant, Setup, group_size
from tourney.schedule.row import ResultRow, Row
from tourney.store.repository import Repository
from tourney.store.values import Plan, StoredEntrant


def load_setup(repository: Repository, tournament: int) -> Setup:
    """Return a stored tournament as its format sees it, without the matches."""
    stored = repository.tournament_by_id(tournament)
    return setup_of(stored.plan, stored.seed, repository.entrants(tournament))


def load_history(repository: Repository, tournament: int) -> History:
    """Return all stored rows and results of a tournament as its format sees them."""
    with repository.snapshot() as moment:
        rows = (row for _, row in moment.rows(tournament))
        return history_of(rows, moment.results(tournament))


def setup_of(plan: Plan, seed: int, entrants: Sequence[StoredEntrant]) -> Setup:
    """Return what a format needs to know of a tournament, its results apart."""
    return Setup(
        participants=tuple(
            Participant(
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
        tuple(result for result in results if rounds is None or result.key.round <= rounds),
    )
