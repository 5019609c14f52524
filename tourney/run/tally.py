"""The tally of a run: how the tournament stands, counted on as results are stored."""

from tourney.run.progress import Tick
from tourney.store.repository import Repository
from tourney.store.values import Finished


class Tally:
    """Counts rows, results, faults and voids: those that were stored before, and what comes.

    ``played``: matches that this run played and stored. ``done``: rows with a result, whoever played them.
    """

    def __init__(self, repository: Repository, tournament: int) -> None:
        before = repository.progress(tournament)
        self.rows = before.rows
        self.done = before.done
        self.played = 0
        self._void = before.void
        self._faults = sum(count for _, _, count in repository.faults(tournament))

    def note(self, finished: Finished) -> None:
        """Count a result that was stored."""
        self.done += 1
        if finished.played is None:
            self._void += 1
            return
        self.played += 1
        outcome = finished.played.outcome
        self._faults += len(outcome.faults)
        self._void += outcome.void

    def tick(self, seconds: float) -> Tick:
        """Return how it stands, so many seconds after the run's start."""
        return Tick(self.rows, self.done, self.played, self._faults, self._void, seconds)
