"""All that is stored of a finished match, checked away from its database, such as in another process."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import sqlalchemy as sa

from tourney.errors import UsageError
from tourney.match.record import Record
from tourney.match.result import NOT_MEASURED, Measurements, PlayedMatch
from tourney.store import damage
from tourney.store.column_reading import (
    ColumnError,
    Dictionaries,
    read_seating,
    unpack_measured,
    unpack_record,
)
from tourney.store.models import MATCH, MEASURED, SCHEDULE
from tourney.store.rows import RESULT, KeyOrder, Shape, match_values, result_of, seat_values
from tourney.store.values import MatchResult, TournamentMatch

_DERIVED: Final = (
    "digest",
    "ranks",
    "faults",
    "reason",
    "void_reason",
    "void_entrant",
    "actions",
)
"""The columns of a match that follow from its record."""
_MEASURED: Final = ("turns", "overloaded")
"""The columns of a seat that do not."""


@dataclass(frozen=True, slots=True)
class Owner:
    """What the matches of a tournament have in common; ``database`` is its name for messages."""

    database: str
    tournament: int
    name: str
    shape: Shape
    known: Dictionaries


@dataclass(frozen=True, slots=True)
class StoredMatch:
    """The rows of a finished match as they are stored; each column is checked when it is asked for.

    ``place``: the columns of its key. ``columns``: those of its result, with the record. ``seats``: the rows
    of its seats, in their order. Methods raise StoreDamaged for a bad column.
    """

    owner: Owner
    number: int
    place: tuple[Any, ...]
    seating: Any
    columns: Mapping[str, Any]
    seats: tuple[Mapping[str, Any], ...]
    data: Any

    def match(self) -> TournamentMatch:
        """The match with its result."""
        shape = self.owner.shape
        with self._naming(MATCH):
            result = result_of([self.columns[column.name] for column in RESULT], shape.seats)
            key = KeyOrder().next_key(self.number, *self.place)
            seats = read_seating(self.seating, *shape)
        return TournamentMatch(self.owner.tournament, self.number, key, seats, result)

    def record(self) -> Record:
        """The record, its digest unchecked. Raises UsageError if there is none."""
        blob = self.columns["record"]
        if blob is None:
            raise no_record(self.match())
        with self._naming(MATCH):
            return unpack_record("record", blob, self.owner.shape.seats, self.owner.known.record)

    def measured(self) -> Measurements:
        """The measurements; empty if there are none."""
        if self.data is None:
            return NOT_MEASURED
        with self._naming(MEASURED):
            return unpack_measured("data", self.data, self.owner.known.data)

    def disagreement(self, record: Record | None) -> str | None:
        """The first column that does not follow from the record, as a sentence, or None.

        Standings and ratings are counted over columns; an altered column alters a result although the record
        holds. The record must be of the one form, and hold; None: of a match that is void without one.
        """
        seating = self.match().seats
        stored = self.columns
        if record is None and stored["record"] is not None:
            return "there is a record in the database, but no digest of it"
        played = None if record is None else PlayedMatch(record)
        overloaded = stored["void_reason"] == "overload"
        item = MatchResult(self.number, played, stored["note"], stored["void_entrant"], overloaded)
        result = item.result(self.owner.shape.seats)
        right = match_values(stored["id"], result, stored["record"])
        for name in _DERIVED:
            if stored[name] != right[name]:
                return _difference(name, stored[name], right[name])
        rows = seat_values(stored["id"], self.owner.tournament, result, seating)
        for row, values in zip(self.seats, rows, strict=False):
            for name, value in values.items():
                if name not in _MEASURED and row[name] != value:
                    return _difference(f"{name} of seat {values['seat']}", row[name], value)
        if len(self.seats) != len(seating):
            return f"the database has results of {len(self.seats)} seats, not {len(seating)}"
        return None

    @contextmanager
    def _naming(self, table: sa.Table) -> Iterator[None]:
        """Let errors of a column name its row; those of the schedule's columns, that of the schedule."""
        try:
            yield
        except ColumnError as error:
            table = table if error.column in table.c else SCHEDULE
            whose = f"match {self.number} of {self.owner.name}"
            owner = self.owner
            raise damage.altered(owner.database, table, self.columns["id"], error, whose) from error


def no_record(match: TournamentMatch) -> UsageError:
    """The error for a match that has no record, though its tournament is not archived."""
    if match.result is None:
        why = "has not been played yet"
    elif match.result.void:
        why = f"is void: {match.result.note}"
    else:
        why = "was imported as a result alone"
    return UsageError(f"match {match.number} {why}, so it has no record")


def _difference(name: str, stored: Any, right: Any) -> str:
    here, there = (str(value)[:64].replace(",", " ") or "empty" for value in (stored, right))
    return f"{name} is {here} in the database, but {there} follows from the record"
