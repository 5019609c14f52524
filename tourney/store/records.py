"""The records, logs and measurements of matches, here or in archives."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tourney.errors import StoreDamaged, UsageError
from tourney.match.evidence import Evidence
from tourney.match.record import Record
from tourney.match.result import NOT_MEASURED, LogLine, Measurements, PlayedMatch, SandboxMeasurements
from tourney.store.column_reading import (
    Cells,
    ColumnError,
    Columns,
    Dictionaries,
    MatchParts,
    naming,
    read_seating,
    unpack_log,
    unpack_measured,
    unpack_record,
)
from tourney.store.engine import Subject, shown
from tourney.store.matches import Details, Matches
from tourney.store.rows import (
    LUCK_CELLS,
    RESULT,
    KeyOrder,
    Shape,
    altered,
    bad_match,
    checked,
    chunks,
    dictionaries_of,
    evidence_of,
    lost_record,
    match_values,
    result_of,
    seat_values,
    shape_of,
    table_of,
)
from tourney.store.tables import (
    ARCHIVE,
    DICTIONARY,
    KEY,
    LOG,
    LUCK,
    MATCH,
    MEASURED,
    PLAYED,
    SCHEDULE,
    SEAT,
    TOURNAMENT,
)
from tourney.store.tournaments import Archive, Tournaments
from tourney.store.values import MatchResult, TournamentMatch

T = TypeVar("T")

_SCHEDULE = SCHEDULE.c
_MATCH = MATCH.c
_MEASURED_TOO = PLAYED.outerjoin(MEASURED, MEASURED.c.match_id == _SCHEDULE.id)
_ALL_PARTS = _MEASURED_TOO.outerjoin(LUCK, LUCK.c.match_id == _SCHEDULE.id)
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
_FIRST: Final = 16  # matches of which one has readable measurements


@dataclass(frozen=True, slots=True)
class Owner:
    """The tournament that matches belong to; ``database`` is its name for messages."""

    database: str
    tournament: int
    name: str
    shape: Shape
    known: Dictionaries


@dataclass(frozen=True, slots=True)
class StoredMatch:
    """The rows of a finished match as they are stored; each column is checked when it is asked for.

    ``place``: the columns of its key. ``columns``: those of its result, with the record. ``seats``: the rows
    of its seats, in their order. ``luck``: ``LUCK_CELLS``. Methods raise StoreDamaged for a bad column.
    """

    owner: Owner
    number: int
    place: tuple[object, ...]
    seating: str
    columns: Columns
    seats: tuple[Columns, ...]
    data: bytes | None
    luck: Cells

    def match(self) -> TournamentMatch:
        """The match with its result."""
        shape = self.owner.shape
        with naming(self._damaged):
            result = result_of([self.columns[column.name] for column in RESULT], shape.seats)
            key = KeyOrder().next_key((self.number, *self.place))
            seats = read_seating(self.seating, *shape)
        return TournamentMatch(self.owner.tournament, self.number, key, seats, result)

    def record(self) -> Record:
        """The record, its digest unchecked. Raises UsageError if there is none."""
        blob = self.columns["record"]
        digest = self.columns["digest"]
        if blob is None and not digest:
            raise no_record(self.match())
        with naming(self._damaged):
            if blob is None:
                raise lost_record(digest)
            return unpack_record(blob, self.owner.shape.seats, self.owner.known.record)

    def measured(self) -> Measurements:
        """The measurements; empty if there are none."""
        if self.data is None:
            return NOT_MEASURED
        with naming(self._damaged):
            return unpack_measured(self.data, self.owner.known.data)

    @property
    def luck_version(self) -> int:
        """The version of the value function behind the stored luck; 0 without luck."""
        with naming(self._damaged):
            return evidence_of(self.columns["evidence"], self.luck, self.owner.shape.seats).values

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
        reason = stored["void_reason"]
        item = MatchResult(
            *(self.number, played, stored["note"], stored["void_entrant"]),
            overloaded=reason == "overload",
            out_of_memory=reason == "memory",
        )
        result = item.result(self.owner.shape.seats)
        right = match_values(stored["id"], result, stored["record"])
        for name in _DERIVED:
            if stored[name] != right[name]:
                return _difference(name, stored[name], right[name])
        with naming(self._damaged):
            evidence = evidence_of(stored["evidence"], self.luck, len(seating))
        right_evidence = result.evidence
        # Luck that is not kept need not be computed, which takes longer than all other checks.
        if record is not None and (evidence.luck or self.luck[0] is not None):
            right_evidence = Evidence.of(record)
        if not right_evidence.fits(evidence):
            return _difference("evidence", evidence.text, right_evidence.text)
        rows = seat_values(stored["id"], self.owner.tournament, result, seating)
        for row, values in zip(self.seats, rows, strict=False):
            for name, value in values.items():
                if name not in _MEASURED and row[name] != value:
                    return _difference(f"{name} of seat {values['seat']}", row[name], value)
        if len(self.seats) != len(seating):
            return f"the database has results of {len(self.seats)} seats, not {len(seating)}"
        return None

    def _damaged(self, misfit: ColumnError) -> StoreDamaged:
        """The error for a bad column."""
        whose = f"match {self.number} of {self.owner.name}"
        return altered(self.owner.database, table_of(misfit.column), self.columns["id"], misfit, whose)


def no_record(match: TournamentMatch) -> UsageError:
    """The error for a match that has no record, though its tournament is not archived."""
    if match.result is None:
        why = "has not been played yet"
    elif match.result.void:
        why = f"is void: {match.result.note}"
    else:
        why = "was imported as a result alone"
    return UsageError(f"match {match.number} {why}, so it has no record")


def _difference(name: str, stored: object, right: object) -> str:
    here, there = (str(value)[:64].replace(",", " ") or "empty" for value in (stored, right))
    return f"{name} is {here} in the database, but {there} follows from the record"


class Records(Subject):
    """Reads records, logs and measurements, and moves them to archives and back."""

    def get(self, tournament: int, number: int) -> Record:
        """A match's record, its digest unchecked.

        Raises UsageError if there is none yet, the match is void without one, or the tournament is archived,
        and StoreDamaged if the stored bytes are not a record of this tournament.
        """
        with self._access.read() as connection:
            unpack = partial(unpack_record, seats=shape_of(connection, tournament).seats)
            record = _read_blob(connection, tournament, number, _MATCH.record, unpack)
        if record is None:
            match = Matches(self._access).get(tournament, number)
            if match.result is not None and match.result.digest:
                Tournaments(self._access).refuse_archived(tournament, f"match {number} of ")
                with self._access.read() as connection:
                    raise bad_match(connection, tournament, number, lost_record(match.result.digest))
            raise no_record(match)
        return record

    def all(self, tournament: int) -> Iterator[tuple[int, Record]]:
        """Yield the numbers and records of a tournament in schedule order; matches without one are left out.

        Raises UsageError for an archived tournament, and StoreDamaged as ``get`` does.
        """
        Tournaments(self._access).refuse_archived(tournament)
        query = sa.select(_SCHEDULE.number, _MATCH.record, _MATCH.digest).select_from(PLAYED)
        query = query.where(sa.or_(_MATCH.record.is_not(None), _MATCH.digest != ""))
        with self._access.read() as connection:
            dictionary = dictionaries_of(connection, tournament).record

            def record_of(row: Cells, shape: Shape) -> tuple[int, Record]:
                number, packed, digest = row
                if packed is None:
                    raise lost_record(digest)
                return number, unpack_record(packed, shape.seats, dictionary)

            yield from checked(connection, query, tournament, record_of, 500)

    def log(self, tournament: int, number: int) -> tuple[LogLine, ...]:
        """A match's log; empty if there is none. Raises StoreDamaged if it is damaged."""
        with self._access.read() as connection:
            return _read_blob(connection, tournament, number, LOG.c.lines, unpack_log) or ()

    def measured(self, tournament: int, number: int) -> Measurements:
        """A match's measurements; empty if there are none. Raises StoreDamaged if damaged."""
        with self._access.read() as connection:
            column = MEASURED.c.data
            return _read_blob(connection, tournament, number, column, unpack_measured) or NOT_MEASURED

    def all_measured(self, tournament: int) -> Iterator[tuple[int, Measurements]]:
        """Yield the numbers and measurements of a tournament in schedule order; some matches have none."""
        measured = SCHEDULE.join(MEASURED, MEASURED.c.match_id == _SCHEDULE.id)
        query = sa.select(_SCHEDULE.number, MEASURED.c.data).select_from(measured)
        with self._access.read() as connection:
            dictionary = dictionaries_of(connection, tournament).data

            def measured_of(row: Cells, _: Shape) -> tuple[int, Measurements]:
                number, packed = row
                return number, unpack_measured(packed, dictionary)

            yield from checked(connection, query, tournament, measured_of, 500)

    def parts(self, tournament: int, numbers: Sequence[int]) -> dict[int, MatchParts]:
        """The stored parts of finished matches, packed, by number; others are left out.

        A record that is lost comes as no bytes, which cannot be unpacked.
        """
        lost = sa.case((_MATCH.digest != "", sa.literal(b"", sa.LargeBinary)), else_=None)
        archived = tournament in Tournaments(self._access).archives()
        record = sa.func.coalesce(_MATCH.record, sa.null() if archived else lost)
        query = (
            sa.select(_SCHEDULE.number, record, LOG.c.lines, MEASURED.c.data)
            .select_from(_MEASURED_TOO.outerjoin(LOG, LOG.c.match_id == _SCHEDULE.id))
            .where(_SCHEDULE.tournament_id == tournament)
        )
        parts: dict[int, MatchParts] = {}
        with self._access.read() as connection:
            dictionaries = dictionaries_of(connection, tournament)
            for some in chunks(numbers):
                rows = connection.execute(query.where(_SCHEDULE.number.in_(some)))
                for number, packed, log, measured in rows:
                    parts[number] = MatchParts(packed, log, measured, dictionaries)
        return parts

    def first_sandbox(self, tournament: int) -> SandboxMeasurements | None:
        """The sandbox of the first match in schedule order that has one beside it, or None."""
        first = self._some_measured(tournament, _SCHEDULE.number.asc(), _FIRST)
        return next((measured.sandbox for measured in first if measured.sandbox is not None), None)

    def recent_seconds(self, tournament: int, count: int) -> tuple[float, ...]:
        """The durations of the ``count`` last matches in schedule order."""
        latest = self._some_measured(tournament, _SCHEDULE.number.desc(), count)
        return tuple((measured.wall_ms or 0) / 1000 for measured in latest)

    def _some_measured(self, tournament: int, order: sa.ColumnElement[int], count: int) -> list[Measurements]:
        """The measurements of the first matches in an order.

        They only serve estimates and comparisons, so damaged ones are left out.
        """
        query = (
            sa.select(MEASURED.c.data)
            .select_from(SCHEDULE.join(MEASURED, MEASURED.c.match_id == _SCHEDULE.id))
            .where(_SCHEDULE.tournament_id == tournament)
            .order_by(order)
            .limit(count)
        )
        measurements = []
        with self._access.read() as connection:
            dictionary = dictionaries_of(connection, tournament).data
            for (blob,) in connection.execute(query):
                with suppress(ColumnError):
                    measurements.append(unpack_measured(blob, dictionary))
        return measurements

    def stored(self, tournament: int, chunk: int, first: int = 1) -> Iterator[list[StoredMatch]]:
        """Yield all that is stored of the finished matches from a number on, a chunk at a time."""
        last = first - 1
        while matches := self._stored(tournament, _SCHEDULE.number > last, chunk):
            yield matches
            last = matches[-1].number

    def stored_match(self, tournament: int, number: int) -> StoredMatch:
        """All that is stored of a finished match. Raises UsageError if it is not finished."""
        for match in self._stored(tournament, _SCHEDULE.number == number, 1):
            return match
        raise no_record(Matches(self._access).get(tournament, number))

    def move_out(self, tournament: int, archive: Archive) -> None:
        """Remove the records, logs and measurements of a tournament, and note the archive that has them."""
        mine = sa.select(_SCHEDULE.id).where(_SCHEDULE.tournament_id == tournament)
        with self._access.write() as connection:
            for column in (LOG.c.match_id, MEASURED.c.match_id):
                connection.execute(sa.delete(column.table).where(column.in_(mine)))
            connection.execute(sa.update(MATCH).where(_MATCH.id.in_(mine)).values(record=None))
            connection.execute(sa.delete(DICTIONARY).where(DICTIONARY.c.tournament_id == tournament))
            values = archive._asdict()
            if archive.hosts is not None:
                values["hosts"] = json.dumps(archive.hosts)
            connection.execute(sa.insert(ARCHIVE).values(tournament_id=tournament, **values))

    def forget_archive(self, tournament: int) -> None:
        """Let a tournament count as not archived; ``bring_back`` stores what its archive has."""
        self._remove(ARCHIVE, tournament_id=tournament)

    def bring_back(self, tournament: int, finished: Sequence[MatchResult]) -> None:
        """Store the records, logs and measurements of matches whose results are stored without them."""
        texts_of = {item.number: item.played.texts for item in finished if item.played is not None}
        query = sa.select(_SCHEDULE.number, _SCHEDULE.id).select_from(PLAYED)
        query = query.where(_SCHEDULE.tournament_id == tournament, _SCHEDULE.number.in_(list(texts_of)))
        put = sa.update(MATCH).where(_MATCH.id == sa.bindparam("row")).values(record=sa.bindparam("packed"))
        with self._access.write() as connection:
            details = Details(connection, tournament, texts_of.values())
            records = [
                {"row": id_, "packed": details.add(id_, texts_of[number])}
                for number, id_ in connection.execute(query.order_by(_SCHEDULE.number)).all()
            ]
            if records:
                connection.execute(put, records)
            details.insert()

    def _stored(self, tournament: int, chosen: sa.ColumnElement[bool], most: int) -> list[StoredMatch]:
        """The first chosen ones of the finished matches: a query for them, and one for their seats."""
        before = (_SCHEDULE.number, *KEY, _SCHEDULE.seating, MEASURED.c.data)
        query = sa.select(*before, *LUCK_CELLS, MATCH).select_from(_ALL_PARTS)
        query = (
            query.where(_SCHEDULE.tournament_id == tournament, chosen).order_by(_SCHEDULE.number).limit(most)
        )
        seats: dict[int, list[Columns]] = {}
        with self._access.read() as connection:
            name = sa.select(TOURNAMENT.c.name).where(TOURNAMENT.c.id == tournament)
            owner = Owner(
                shown(self._access.engine.url),
                tournament,
                str(connection.execute(name).scalar()),
                shape_of(connection, tournament),
                dictionaries_of(connection, tournament),
            )
            rows = connection.execute(query).all()
            ids = [row[len(before) + len(LUCK_CELLS)] for row in rows]
            of_them = sa.select(SEAT).where(SEAT.c.match_id.in_(ids))
            for seat in connection.execute(of_them.order_by(SEAT.c.match_id, SEAT.c.seat)).mappings():
                seats.setdefault(seat["match_id"], []).append(seat)
        matches = []
        for row in rows:
            number, *key, seating, data = row[: len(before)]
            cells = row[len(before) :]
            luck = tuple(cells[: len(LUCK_CELLS)])
            columns = dict(zip(MATCH.c.keys(), cells[len(LUCK_CELLS) :], strict=True))
            mine = tuple(seats.get(columns["id"], ()))
            matches.append(StoredMatch(owner, number, tuple(key), seating, columns, mine, data, luck))
        return matches


def _read_blob(
    connection: Connection,
    tournament: int,
    number: int,
    column: sa.Column[bytes],
    unpack: Callable[..., T],
) -> T | None:
    """The unpacked value of a packed column of a match, or None if there is none."""
    key = column.table.primary_key.columns[0]
    query = sa.select(column).select_from(SCHEDULE.join(column.table, key == _SCHEDULE.id))
    blob = connection.execute(
        query.where(_SCHEDULE.tournament_id == tournament, _SCHEDULE.number == number)
    ).scalar()
    if blob is None:
        return None
    with naming(partial(bad_match, connection, tournament, number)):
        return unpack(blob, dictionary=getattr(dictionaries_of(connection, tournament), column.name))
