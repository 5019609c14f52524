"""Queries for what is stored of a match beyond its result: record, log, measurements."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tourney.match.record import Record
from tourney.match.result import LogLine
from tourney.store import codec, damage
from tourney.store.column_validation import ColumnError
from tourney.store.measurements import unpack_measured
from tourney.store.models import LOG, MATCH, MEASURED, SCHEDULE
from tourney.store.rows import shape_of
from tourney.store.values import Measured

T = TypeVar("T")

_CHUNK = 500
_S, _M = SCHEDULE.c, MATCH.c
_PLAYED = SCHEDULE.join(MATCH, _M.id == _S.id)


def record(connection: Connection, tournament: int, number: int) -> Record | None:
    """Return a match's record, or None if it has none."""
    seats = shape_of(connection, tournament).seats
    return _unpacked(
        connection, tournament, number, _M.record, _PLAYED, lambda c, b: codec.unpack_record(c, b, seats)
    )


def log(connection: Connection, tournament: int, number: int) -> tuple[LogLine, ...] | None:
    """Return a match's log, or None if it has none."""
    joined = SCHEDULE.join(LOG, LOG.c.match_id == _S.id)
    return _unpacked(connection, tournament, number, LOG.c.lines, joined, codec.unpack_log)


def measured(connection: Connection, tournament: int, number: int) -> Measured | None:
    """Return a match's measurements, or None if it has none."""
    joined = SCHEDULE.join(MEASURED, MEASURED.c.match_id == _S.id)
    return _unpacked(connection, tournament, number, MEASURED.c.data, joined, unpack_measured)


def records(connection: Connection, tournament: int) -> Iterator[tuple[int, Record]]:
    """Yield numbers and records in schedule order."""
    seats = shape_of(connection, tournament).seats
    query = sa.select(_S.number, _M.record).select_from(_PLAYED).where(_M.record.is_not(None))
    query = query.where(_S.tournament_id == tournament).order_by(_S.number)
    with connection.execute(query, execution_options={"yield_per": _CHUNK}) as rows:
        for number, blob in rows:
            try:
                found = codec.unpack_record("record", blob, seats)
            except ColumnError as error:
                raise damage.in_match(connection, MATCH, tournament, number, error) from error
            yield number, found


def recent_measured(connection: Connection, tournament: int, count: int) -> tuple[Measured, ...]:
    """Return the measurements of the last matches in schedule order; what is damaged is left out."""
    query = (
        sa.select(MEASURED.c.data)
        .select_from(SCHEDULE.join(MEASURED, MEASURED.c.match_id == _S.id))
        .where(_S.tournament_id == tournament)
        .order_by(_S.number.desc())
        .limit(count)
    )
    found = []
    for row in connection.execute(query):
        with suppress(ColumnError):
            found.append(unpack_measured("data", row[0]))
    return tuple(found)


def _unpacked(
    connection: Connection,
    tournament: int,
    number: int,
    column: sa.Column[Any],
    joined: sa.Join,
    unpack: Callable[[str, bytes], T],
) -> T | None:
    query = sa.select(column).select_from(joined).where(_S.tournament_id == tournament, _S.number == number)
    blob = connection.execute(query).scalar()
    if blob is None:
        return None
    try:
        return unpack(column.name, blob)
    except ColumnError as error:
        raise damage.in_match(connection, column.table, tournament, number, error) from error
