"""Rating what is stored: from a tournament to TrueSkill pools and batch tables, long schedules in part."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from tourney.errors import RecordError
from tourney.ratings.batch import Batch, rate
from tourney.ratings.counts import Counts
from tourney.ratings.draw_probability import default_draw_probability
from tourney.ratings.method import Forfeits, RatingLine, RatingMethod
from tourney.ratings.trueskill_rating import Pool, Settings, dump_pool, load_pool, settings_text
from tourney.schedule.row import ResultRow
from tourney.store.repository import Repository
from tourney.store.values import Checkpoint, Tournament

WORTH_KEEPING = 1000
"""A checkpoint is kept after so many matches that the last one lacks: some thousandths of a second's work."""


@dataclass(frozen=True, slots=True)
class Rated:
    """A TrueSkill pool after all stored matches; ``keep``: a checkpoint worth keeping, under ``settings``."""

    pool: Pool
    settings: str
    keep: Checkpoint | None


def rate_trueskill(
    repository: Repository, tournament: Tournament, settings: Settings, forfeits: Forfeits
) -> Rated:
    """Rate a tournament by TrueSkill, on from the last checkpoint under these settings, if there is one.

    A checkpoint lies within the settled prefix of the schedule, whose results never change; so matches that
    finish out of turn, and are rated in their place later, do no harm.
    """
    text = settings_text(settings, forfeits)
    numbers = [entrant.number for entrant in repository.entrants(tournament.id)]
    start, pool = 0, Pool.of(numbers, settings)
    try:
        kept = repository.checkpoint(tournament.id, text)
    except RecordError:
        kept = None
    settled = repository.settled(tournament.id)
    if kept is not None and kept.number <= settled:
        thawed = load_pool(kept.state, settings, numbers)
        if thawed is not None:
            start, pool = kept.number, thawed
    results = repository.results(tournament.id, after=start)
    beyond: list[ResultRow] = []

    def prefix() -> Iterator[ResultRow]:
        for result in results:
            if result.number > settled:
                beyond.append(result)
                return
            yield result

    pool = pool.after_ordered(prefix(), forfeits)
    keep = Checkpoint(settled, dump_pool(pool)) if settled - start >= WORTH_KEEPING else None
    return Rated(pool.after_ordered(chain(beyond, results), forfeits), text, keep)


def rate_by(
    repository: Repository, tournament: Tournament, method: RatingMethod, forfeits: Forfeits
) -> Sequence[RatingLine]:
    """Rate a tournament by any method, from all of its results."""
    numbers = [entrant.number for entrant in repository.entrants(tournament.id)]
    return method.rate(repository.results(tournament.id), numbers, tournament.seats, forfeits)


def rate_batch(
    repository: Repository, tournament: Tournament, forfeits: Forfeits, *, pairs: bool = True
) -> Batch:
    """Rate a tournament in one fit; without ``pairs`` those are left out."""
    return rate(count(repository, tournament, forfeits), pairs=pairs)


def count(repository: Repository, tournament: Tournament, forfeits: Forfeits) -> Counts:
    """Return a tournament's counts: of two seats counted by the database, of more from its rows."""
    numbers = [entrant.number for entrant in repository.entrants(tournament.id)]
    if tournament.seats == 2:
        return Counts.of_groups(repository.group_counts(tournament.id), numbers, 2, forfeits)
    return Counts.of_results(repository.results(tournament.id), numbers, tournament.seats, forfeits)


def draw_probability_of(repository: Repository, tournament: Tournament) -> float:
    """Return what TrueSkill takes for a tournament: what is kept for its game and seats, or the default."""
    kept = repository.draw_probability(tournament.game, tournament.seats)
    if kept is not None:
        return kept.probability
    return default_draw_probability(tournament.game, tournament.seats, dict(tournament.plan.options))
