"""The repository's part on matches: records, logs, measurements."""

from collections.abc import Iterator, Sequence
from typing import Any

from tourney.errors import RecordError, UsageError
from tourney.match.played import LogLine
from tourney.match.record import Record
from tourney.store import codec, reading, writing
from tourney.store.tournaments import Tournaments
from tourney.store.values import Finished, Match, Measured


class Matches(Tournaments):
    """Reads and writes matches."""

    def record_results(self, tournament: int, finished: Sequence[Finished]) -> None:
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
        RecordError if the stored bytes do not unpack.
        """
        with self._read() as connection:
            blob = reading.record_blob(connection, tournament, number)
        if blob is None:
            match = self.match(tournament, number)
            why = "has not been played yet" if match.result is None else f"is void: {match.result.note}"
            raise UsageError(f"match {number} {why}, so it has no record")
        return self._unpack_record(number, blob)

    def disagreement(self, tournament: int, number: int, record: Record) -> str | None:
        """Return what the tables say of a match that does not follow from its record, or None."""
        from tourney.store.agreement import disagreement  # noqa: PLC0415 - for verify alone

        with self._read() as connection:
            return disagreement(connection, tournament, number, record)

    def records(self, tournament: int) -> Iterator[tuple[int, Record]]:
        """Yield the numbers and records of a tournament in schedule order, those without a record left out.

        Raises RecordError as ``record`` does.
        """
        with self._read() as connection:
            for number, blob in reading.record_blobs(connection, tournament):
                yield number, self._unpack_record(number, blob)

    def log(self, tournament: int, number: int) -> tuple[LogLine, ...]:
        """Return a match's log; empty if there is none."""
        with self._read() as connection:
            blob = reading.log_blob(connection, tournament, number)
        return () if blob is None else codec.unpack_log(blob)

    def measured(self, tournament: int, number: int) -> Measured:
        """Return what was measured of a match; empty if nothing was."""
        with self._read() as connection:
            blob = reading.measured_blob(connection, tournament, number)
        data: Measured = {} if blob is None else codec.unpack(blob)
        return data

    def recent_seconds(self, tournament: int, count: int) -> tuple[float, ...]:
        """Return how long matches took, as measured, of the ``count`` last ones in schedule order."""
        with self._read() as connection:
            blobs = reading.recent_measured(connection, tournament, count)
        return tuple(codec.unpack(blob).get("wall-ms", 0) / 1000 for blob in blobs)

    @staticmethod
    def _unpack_record(number: int, blob: bytes) -> dict[str, Any]:
        try:
            data = codec.unpack(blob)
        except RecordError as error:
            raise RecordError(f"the record of match {number} is damaged: {error}") from error
        if not isinstance(data, dict):
            raise RecordError(f"the record of match {number} is damaged: it is no JSON object")
        return data
