"""The repository's part on tournaments and their entrants."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from tourney.errors import UsageError
from tourney.match.record import Record
from tourney.store import importing, reading, writing
from tourney.store.access import Access
from tourney.store.values import Plan, RunSettings, StoredEntrant, Tournament


class Tournaments(Access):
    """Reads and writes tournaments."""

    def tournaments(self) -> tuple[Tournament, ...]:
        """Return all tournaments, in the order in which they were begun."""
        with self._read() as connection:
            return reading.tournaments(connection)

    def tournament(self, name: str | None = None) -> Tournament:
        """Return a tournament by name, or the one begun last. Raises UsageError if there is none."""
        found = self.tournaments()
        if not found:
            raise UsageError("the database holds no tournament yet: begin one with `tourney run FILE.toml`")
        if name is None:
            return found[-1]
        for tournament in found:
            if tournament.name == name:
                return tournament
        names = ", ".join(t.name for t in found)
        raise UsageError(f"there is no tournament {name!r} in this database; there are: {names}")

    def tournament_by_id(self, tournament: int) -> Tournament:
        """Return a tournament by id. Raises UsageError if there is none."""
        for found in self.tournaments():
            if found.id == tournament:
                return found
        raise UsageError(f"there is no tournament with the id {tournament} in this database")

    def begin(
        self,
        plan: Plan,
        *,
        seed: int,
        seed_chosen: bool,
        run: RunSettings,
        entrants: Sequence[StoredEntrant],
        created: str,
    ) -> Tournament:
        """Store a new tournament with its entrants. Raises UsageError if the name is taken."""
        with self._write() as connection:
            return writing.begin(connection, plan, seed, seed_chosen, run, entrants, created)

    def import_records(
        self, name: str, records: Callable[[], Iterable[tuple[str, Record]]], created: str
    ) -> Tournament:
        """Store checked records as a finished tournament of the format ``import``, all or none.

        ``records`` gives the records each time it is called, each with the place it comes from, for errors.
        Raises RecordError for records that do not belong together, UsageError if the name is taken.
        """
        with self._write() as connection:
            return importing.import_records(connection, name, records(), records(), created)

    def amend(
        self,
        tournament: int,
        *,
        rounds: int | None,
        run: RunSettings,
        entrants: Sequence[StoredEntrant] = (),
        left: Mapping[int, int] | None = None,
    ) -> None:
        """Change what a later file may change: ``rounds``, run settings, entrants added at the end.

        ``left`` says of entrants that were withdrawn, by number, which is the first round without them.
        """
        with self._write() as connection:
            writing.amend(connection, tournament, rounds, run, entrants, left or {})

    def entrants(self, tournament: int) -> tuple[StoredEntrant, ...]:
        """Return a tournament's entrants by number."""
        with self._read() as connection:
            return reading.entrants(connection, tournament)
