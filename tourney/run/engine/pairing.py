"""Pairs the next rounds of a stored tournament, and builds the specs of its matches."""

from collections.abc import Sequence
from dataclasses import dataclass

from tourney.match.seeds import match_seed
from tourney.match.spec import MatchSpec
from tourney.results.format_input import history_of, setup_of
from tourney.run.config.opening_book import choose
from tourney.schedule.format import find_format
from tourney.schedule.row import Row
from tourney.store.repository import Repository
from tourney.store.values import StoredEntrant, Tournament

NumberedRow = tuple[int, Row]
"""A row of the schedule, after its match's number."""


@dataclass(frozen=True, slots=True)
class PairedRows:
    """Rows that were paired and stored; ``complete``: they are the last."""

    rows: tuple[NumberedRow, ...]
    complete: bool


def pair_next(repository: Repository, tournament: int) -> PairedRows | None:
    """Pair and store the next rounds; None while they cannot be paired, and when all rounds are.

    They can be paired when all rounds up to the last one less the format's ``lag`` are finished: the format
    sees the results of those and no others.
    """
    with repository.snapshot() as moment:
        stored = moment.tournament_by_id(tournament)
        if stored.complete:
            return None
        format_ = find_format(stored.plan.format)
        entrants = moment.entrants(tournament)
        rows = tuple(row for _, row in moment.rows(tournament))
        seen = (rows[-1].round if rows else 0) - format_.lag
        history = history_of(rows, moment.results(tournament), seen)
    if len(history.results) < sum(row.round <= seen for row in rows):
        return None
    pairings = format_.next_rounds(setup_of(stored.plan, stored.seed, entrants), history)
    if not (pairings.rows or pairings.complete):
        raise ValueError(f"the format {format_.name} paired nothing and would wait for ever")
    numbered = repository.add_rows(tournament, pairings.rows, complete=pairings.complete)
    return PairedRows(numbered, pairings.complete)


def spec_of(tournament: Tournament, entrants: Sequence[StoredEntrant], row: Row) -> MatchSpec:
    """Return the spec of a row of the schedule: everything that decides its match."""
    plan = tournament.plan
    seed = match_seed(tournament.seed, row.round, row.table, row.repeat)
    return MatchSpec(
        game=plan.game,
        options=plan.options,
        seats=tuple(entrants[number].entrant for number in row.seats),
        seed=seed,
        limits=plan.limits,
        opening=choose(seed, plan.opening_plies, plan.book),
    )
