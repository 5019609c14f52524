"""The repository's part on matches: records, logs, measurements."""

from collections.abc import Iterator, Sequence

from tourney.errors import UsageError
from tourney.match.record import Record
from tourney.match.result import LogLine
from tourney.store import details, reading, writing
from tourney.store.tournaments import Tournaments
from tourney.store.values import Match, MatchResult, Measured


class Matches(Tournaments):
    """Reads and writes matches."""

    def record_results(self, tournament: int, finished: Sequence[MatchResult]) -> None:
        """Store finished matches with their logs and measurements, all in one transaction.

        They count as done when this returns. A row that has a result already keeps it: nothing is stored
        twice.
        """
        with self._write() as connection:
            writing.record_results(connection, tournament, finished)

    def take_back(self, tournament: int, numbers: Sequence[int]) -> None:
        """Remove results, so that their rows are played again, and the ratings kept of them.

        Only for a person who asks for it: everything else treats a result as final.
        """
        with self._write() as connection:
            writing.take_back(connection, tournament, numbers)

    def matches(
        self, tournament: int, *, entrant: int | None = None, finished: bool = False
    ) -> Iterator[Match]:
        """Yield matches in schedule order: all, those of an entrant, or only those that have a result."""
        with self._read() as connection:
            yield from reading.matches(connection, tournament, entrant=entrant, finished=finished)

    def finished_numbers(self, tournament: int) -> tuple[int, ...]:
        """Return the numbers of the matches that have a result, in schedule order, void ones too."""
        with self._read() as connection:
            return reading.finished_numbers(connection, tournament)

    def match(self, tournament: int, number: int) -> Match:
        """Return a match by its number. Raises UsageError if there is none."""
        with self._read() as connection:
            for match in reading.matches(connection, tournament, number=number):
                return match
        raise UsageError(f"there is no match {number} in this tournament; see `tourney status`")

    def find_match(self, text: str, tournament: str | None = None) -> Match:
        """Return the match that a person named: ``12``, or ``autumn-cup/12``.

        A bare number is of the named tournament, or of the one begun last. Raises UsageError.
        """
        name, slash, number = text.rpartition("/")
        if not (number.isascii() and number.isdigit() and len(number) < 10):
            raise UsageError(f"{text!r} is no match: name one by its number, as 12 or autumn-cup/12")
        return self.match(self.tournament(name if slash else tournament).id, int(number))

    def record(self, tournament: int, number: int) -> Record:
        """Return a match's record as JSON data, its digest unchecked.

        Raises UsageError if there is none yet or the match is void for want of a working machine, and
        StoreDamaged if what is stored is no record of so many seats.
        """
        with self._read() as connection:
            record = details.record(connection, tournament, number)
        if record is None:
            match = self.match(tournament, number)
            why = "has not been played yet" if match.result is None else f"is void: {match.result.note}"
            raise UsageError(f"match {number} {why}, so it has no record")
        return record

    def disagreement(self, tournament: int, number: int, record: Record | None) -> str | None:
        """Return what the tables say of a match that does not follow from its record, or None.

        ``record`` None: of a match that is void for want of a working machine.
        """
        from tourney.store.consistency import disagreement  # noqa: PLC0415 - for verify alone

        with self._read() as connection:
            return disagreement(connection, tournament, number, record)

    def records(self, tournament: int) -> Iterator[tuple[int, Record]]:
        """Yield the numbers and records of a tournament in schedule order, those without a record left out.

        Raises StoreDamaged as ``record`` does.
        """
        with self._read() as connection:
            yield from details.records(connection, tournament)

    def log(self, tournament: int, number: int) -> tuple[LogLine, ...]:
        """Return a match's log; empty if there is none. Raises StoreDamaged if it is damaged."""
        with self._read() as connection:
            return details.log(connection, tournament, number) or ()

    def measured(self, tournament: int, number: int) -> Measured:
        """Return what was measured of a match; empty if nothing was. Raises StoreDamaged if it is damaged."""
        with self._read() as connection:
            return details.measured(connection, tournament, number) or {}

    def recent_seconds(self, tournament: int, count: int) -> tuple[float, ...]:
        """Return how long matches took, as measured, of the ``count`` last ones in schedule order.

        It only serves to guess, so measurements that are damaged are left out.
        """
        with self._read() as connection:
            found = details.recent_measured(connection, tournament, count)
        return tuple(measured.get("wall-ms", 0) / 1000 for measured in found)
