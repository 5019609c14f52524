"""The repository's part on results, as standings, ratings and formats want them."""

from collections.abc import Iterator

from tourney.schedule.row import ResultRow
from tourney.store import rating_data, reading, sums
from tourney.store.tournaments import Tournaments
from tourney.store.values import GroupCount, PairTotal, ScoreTotals


class Results(Tournaments):
    """Reads results, in schedule order."""

    def results(self, tournament: int, *, after: int = 0) -> Iterator[ResultRow]:
        """Yield the finished matches as plain tuples in schedule order, void ones too (they say so).

        Only those of a number above ``after``: what was rated up to there need not be read again.
        """
        with self._read() as connection:
            yield from reading.results(connection, tournament, after=after)

    def group_counts(self, tournament: int) -> Iterator[GroupCount]:
        """Yield how often each outcome of a mirrored group of two seats occurred, void matches left out.

        The order means nothing. Made for two seats; with more, read ``results``.
        """
        with self._read() as connection:
            yield from rating_data.group_counts(connection, tournament)

    def settled(self, tournament: int) -> int:
        """Return how many matches from the first on all have a result: that prefix will never change."""
        with self._read() as connection:
            return rating_data.settled(connection, tournament)

    def pair_totals(self, tournament: int) -> tuple[PairTotal, ...]:
        """Return what each entrant scored against each other; pairs that never met are left out."""
        with self._read() as connection:
            return sums.pair_totals(connection, tournament)

    def score_totals(self, tournament: int) -> dict[int, ScoreTotals]:
        """Return the sums of each entrant's matches; an entrant without one is left out."""
        with self._read() as connection:
            return sums.tallies(connection, tournament)

    def faults(self, tournament: int) -> tuple[tuple[int, str, int], ...]:
        """Return ``(entrant number, kind, count)`` of all faults, sorted."""
        with self._read() as connection:
            return sums.faults(connection, tournament)

    def faulty_matches(
        self, tournament: int
    ) -> tuple[tuple[int, tuple[int, ...], tuple[str | None, ...]], ...]:
        """Return number, entrants and faults (in seat order) of the matches that hold a fault, by number."""
        with self._read() as connection:
            return reading.faulty(connection, tournament)

    def benched(self, tournament: int) -> tuple[tuple[int, int], ...]:
        """Return ``(entrant number, matches void for it)`` of the entrants that are benched, sorted."""
        with self._read() as connection:
            return sums.benched(connection, tournament)

    def void_for(self, tournament: int, entrant: int) -> tuple[int, ...]:
        """Return the numbers of the matches that are void because this entrant is benched."""
        with self._read() as connection:
            return sums.void_for(connection, tournament, entrant)
