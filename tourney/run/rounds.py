"""The rounds of a tournament as a run goes through them: open ones, finished ones, the next ones drawn."""

from collections import Counter
from collections.abc import Iterable

from tourney.run.draw import Round, draw_next
from tourney.run.formats import find_format
from tourney.schedule.row import Row
from tourney.store.repository import Repository
from tourney.store.values import Tournament


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
        drawn = draw_next(self._repository, self._tournament)
        if drawn is not None:
            self._complete = drawn.complete
            self.take(row for _, row in drawn.rows)
        return drawn
