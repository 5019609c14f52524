"""Drawing rounds: from what is stored to a format's question, and its answer into the store."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tourney.match.seeds import match_seed
from tourney.match.spec import MatchSpec
from tourney.results.format_input import history_of, setup_of
from tourney.run.config.opening_book import choose
from tourney.schedule.registry import find_format
from tourney.schedule.row import Row
from tourney.store.repository import Repository
from tourney.store.values import StoredEntrant, Tournament


@dataclass(frozen=True, slots=True)
class Round:
    """Rows that were drawn and stored, with their numbers; ``complete``: they were the last."""

    rows: tuple[tuple[int, Row], ...]
    complete: bool


def pair_next(repository: Repository, tournament: int) -> Round | None:
    """Draw and store the next rounds if their time has come; None if it has not, or if all are drawn.

    Their time has come when all rounds up to ``last drawn - lag`` are finished: the format sees their results
    and no others.
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
    drawn = format_.next_rounds(setup_of(stored.plan, stored.seed, entrants), history)
    if not (drawn.rows or drawn.complete):
        raise ValueError(f"the format {format_.name} drew nothing and would wait for ever")
    return Round(repository.add_rows(tournament, drawn.rows, complete=drawn.complete), drawn.complete)


def spec_of(tournament: Tournament, entrants: Sequence[StoredEntrant], row: Row) -> MatchSpec:
    """Return the spec of a row of the schedule: all that decides the match."""
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


class Rounds:
    """Knows which rounds have rows without a stored result, and so when the next ones can be drawn."""

    def __init__(self, repository: Repository, tournament: Tournament) -> None:
        self._repository = repository
        self._tournament = tournament.id
        self._complete = tournament.complete
        self._lag = find_format(tournament.plan.format).lag
        self._last = repository.progress(tournament.id).rounds
        self._open: Counter[int] = Counter()

    def take(self, rows: Iterable[Row]) -> None:
        """Take rows without a result."""
        for row in rows:
            self._open[row.round] += 1
            self._last = max(self._last, row.round)

    def finish(self, row: Row) -> None:
        """Note that a row's result is stored."""
        self._open[row.round] -= 1
        if not self._open[row.round]:
            del self._open[row.round]

    @property
    def due(self) -> bool:
        """Whether the next rounds can be drawn: all that their format may look at is stored."""
        return not self._complete and all(round_ > self._last - self._lag for round_ in self._open)

    @property
    def over(self) -> bool:
        """Whether all rounds are drawn and all their rows have a stored result."""
        return self._complete and not self._open

    def draw(self) -> Round | None:
        """Draw and store the next rounds, and take them; None if there are none. Raises StoreError."""
        drawn = pair_next(self._repository, self._tournament)
        if drawn is not None:
            self._complete = drawn.complete
            self.take(row for _, row in drawn.rows)
        return drawn
