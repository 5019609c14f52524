"""The recorder of a run: stores what comes, draws what follows, bears a database that cannot be written."""

from collections.abc import Callable, Sequence

from tourney.errors import StoreUnavailable
from tourney.run.patience import Patience
from tourney.run.progress import Listener, Tick
from tourney.run.rounds import Rounds
from tourney.run.spool import Spool
from tourney.run.tally import Tally
from tourney.run.telling import told
from tourney.run.writer import Writer
from tourney.schedule.row import Row
from tourney.store.repository import Repository
from tourney.store.values import Finished, Tournament

Rows = Sequence[tuple[int, Row]]


class Recorder:
    """All that a run reads and writes of its tournament; what cannot be written now is a pause.

    ``patience`` keeps the pauses, and raises StoreUnavailable at its end. ``listener`` hears of every result
    that is stored. ``rounds`` and ``tally`` are as stored.
    """

    def __init__(
        self,
        repository: Repository,
        tournament: Tournament,
        listener: Listener,
        clock: Callable[[], float],
        patience: Patience,
        spool: Spool | None,
    ) -> None:
        self._repository = repository
        self._tournament = tournament
        self._names = [entrant.name for entrant in repository.entrants(tournament.id)]
        self._listener = listener
        self._clock = clock
        self._began = clock()
        self._writer = Writer(repository, tournament.id, clock, spool)
        self._row_of: dict[int, Row] = {}  # of results that wait
        self.patience = patience
        self.rounds = Rounds(repository, tournament)
        self.tally = Tally(repository, tournament.id)

    def pending(self) -> Rows:
        """Return the rows without a result, once, at the start."""
        rows = self._repository.pending(self._tournament.id)
        self.rounds.take(row for _, row in rows)
        self._listener.tick(self.tick())
        return rows

    def add(self, finished: Finished, row: Row) -> None:
        """Take a result that counts, to be stored with those that come soon after it."""
        self._row_of[finished.number] = row
        self._writer.add(finished)

    @property
    def paused(self) -> bool:
        """Whether the database could not be written at the last attempt."""
        return self.patience.paused

    @property
    def due_in(self) -> float | None:
        """Seconds until what waits should be stored, 0 or more; None if nothing waits."""
        return self.patience.due_in if self.paused else self._writer.due_in

    def store(self) -> None:
        """Store what is due; in a pause, keep in the spool what waits."""
        due = self.due_in
        if due is not None and due <= 0:
            self.flush()
        elif self.paused:
            self._writer.spool()

    def flush(self, *, at_once: bool = False) -> None:
        """Store what waits; from now on it is done. If it cannot be stored the run pauses."""
        if self._writer.due_in is None or not self.patience.may_try(at_once=at_once):
            return
        try:
            stored = self._writer.flush()
        except StoreUnavailable as error:
            self.patience.fail(error, self._writer.whereabouts)
            return
        self.patience.succeed()
        for finished in stored:
            row = self._row_of.pop(finished.number)
            self._listener.note("match", told(finished, [self._names[number] for number in row.seats]))
            self.rounds.finish(row)
            self.tally.note(finished)
        self._listener.tick(self.tick())

    def last_flush(self) -> None:
        """Store what waits, when there is no more time to wait for it. Raises StoreUnavailable."""
        self.flush(at_once=True)
        if self._writer.due_in is not None:
            raise StoreUnavailable(f"{self.patience.why}; {self._writer.whereabouts}")

    def draw(self) -> Rows:
        """Draw and store the next rounds if their time has come; return their rows."""
        if not (self.rounds.due and self.patience.may_try()):
            return ()
        try:
            drawn = self.rounds.draw()
        except StoreUnavailable as error:
            self.patience.fail(error, self._writer.whereabouts)
            return ()
        if self._writer.due_in is None:
            self.patience.succeed()
        if drawn is None:
            return ()
        self.tally.rows += len(drawn.rows)
        return drawn.rows

    def tick(self) -> Tick:
        """Return how the tournament stands."""
        return self.tally.tick(self._clock() - self._began)
