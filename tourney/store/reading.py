"""Queries: from rows of SQL to values, in schedule order."""

from collections.abc import Iterator
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tourney.schedule.row import MatchKey, ResultRow, Row
from tourney.store import codec, damage
from tourney.store.column_validation import ColumnError, read_int, read_text
from tourney.store.models import ENTRANT, MATCH, SCHEDULE, SEAT, TOURNAMENT
from tourney.store.rows import Shape, check_order, check_void, entrant_of, shape_of, tournament_of
from tourney.store.scan import first_of_schedule
from tourney.store.values import Match, Result, RowCounts, StoredEntrant, Tournament, VoidReason

T = TypeVar("T")

_CHUNK = 2000
"""Rows fetched at a time, so that a million matches are not held at once."""

_S, _M = SCHEDULE.c, MATCH.c
_KEY = (_S.round_no, _S.table_no, _S.repeat_no, _S.order_no)
_PLAYED = SCHEDULE.join(MATCH, _M.id == _S.id)

_BEFORE = MatchKey(0, 0, 0, 0)
"""Before the first match."""


def tournaments(connection: Connection) -> tuple[Tournament, ...]:
    """Return all tournaments by id."""
    found = []
    for row in connection.execute(sa.select(TOURNAMENT).order_by(TOURNAMENT.c.id)).mappings():
        try:
            found.append(tournament_of(row))
        except ColumnError as error:
            raise damage.in_row(connection, TOURNAMENT, row["id"], error, f"{row['name']}") from error
    return tuple(found)


def entrants(connection: Connection, tournament: int) -> tuple[StoredEntrant, ...]:
    """Return a tournament's entrants by number."""
    query = sa.select(ENTRANT).where(ENTRANT.c.tournament_id == tournament).order_by(ENTRANT.c.number)
    found = []
    for number, row in enumerate(connection.execute(query).mappings()):
        try:
            found.append(entrant_of(row, number))
        except ColumnError as error:
            key = f"{tournament},{row['number']}"
            raise damage.in_row(connection, ENTRANT, key, error, f"entrant {row['name']}") from error
    return tuple(found)


def rows(connection: Connection, tournament: int, *, pending: bool = False) -> Iterator[tuple[int, Row]]:
    """Yield numbers and rows of the schedule: all, or those without a result."""
    shape = shape_of(connection, tournament)
    query = sa.select(_S.number, *_KEY, _S.seating)
    if pending:
        query = query.select_from(SCHEDULE.outerjoin(MATCH, _M.id == _S.id)).where(_M.id.is_(None))
    last = _BEFORE
    for number, *key, seating in _each(connection, _of(query, tournament)):
        try:
            last = _key(last, number, *key)
            row = Row(*last, codec.seating(seating, *shape))
        except ColumnError as error:
            raise damage.in_match(connection, SCHEDULE, tournament, number, error) from error
        yield number, row


def progress(connection: Connection, tournament: int) -> RowCounts:
    """Return how far a tournament is."""
    query = (
        sa.select(
            sa.func.count(_S.id),
            sa.func.count(_M.id),
            sa.func.coalesce(sa.func.sum(sa.case((_M.void, 1), else_=0)), 0),
            sa.func.coalesce(sa.func.max(_S.round_no), 0),
        )
        .select_from(SCHEDULE.outerjoin(MATCH, _M.id == _S.id))
        .where(_S.tournament_id == tournament)
    )
    rows_, done, void, rounds = connection.execute(query).one()
    if type(rounds) is not int:
        raise first_of_schedule(connection, tournament)
    return RowCounts(int(rows_), int(done), int(void), rounds)


def matches(
    connection: Connection,
    tournament: int,
    *,
    entrant: int | None = None,
    number: int | None = None,
    finished: bool = False,
) -> Iterator[Match]:
    """Yield matches in schedule order, with what the tables know of their results."""
    shape = shape_of(connection, tournament)
    result = [_M.digest, _M.ranks, _M.reason, _M.faults, _M.void, _M.note, _M.actions, _M.reproducible]
    result += [_M.void_reason, _M.void_entrant]
    query = sa.select(_S.number, *_KEY, _S.seating, _M.id, *result).select_from(
        _PLAYED if finished else SCHEDULE.outerjoin(MATCH, _M.id == _S.id)
    )
    if number is not None:
        query = query.where(_S.number == number)
    if entrant is not None:
        query = query.where(sa.literal(",").concat(_S.seating).concat(",").like(f"%,{entrant:d},%"))
    last = _BEFORE
    for row in _each(connection, _of(query, tournament)):
        try:
            played = None if row[6] is None else _result(*row[7:], shape=shape)
            last = _key(last, *row[:5])
            match = Match(tournament, row[0], last, codec.seating(row[5], *shape), played)
        except ColumnError as error:
            raise damage.in_result(connection, tournament, row[0], error) from error
        yield match


def finished_numbers(connection: Connection, tournament: int) -> tuple[int, ...]:
    """Return the numbers of the finished matches, in schedule order."""
    query = sa.select(_S.number).select_from(_PLAYED)
    return tuple(number for (number,) in _each(connection, _of(query, tournament)))


def results(connection: Connection, tournament: int, *, after: int = 0) -> Iterator[ResultRow]:
    """Yield the finished matches of a number above ``after``, in schedule order."""
    shape = shape_of(connection, tournament)
    query = sa.select(_S.number, *_KEY, _S.seating, _M.ranks, _M.faults, _M.void).select_from(_PLAYED)
    query = query.where(_S.number > after)
    last = _BEFORE
    for row in _each(connection, _of(query, tournament)):
        number, round_, table, repeat, order, seating, ranks, faults, void = row
        try:
            last = _key(last, number, round_, table, repeat, order)
            result = ResultRow(
                last,
                codec.seating(seating, *shape),
                codec.ranks(ranks, shape.seats),
                codec.faults(faults, shape.seats),
                void,
                number,
            )
        except ColumnError as error:
            raise damage.in_result(connection, tournament, number, error) from error
        yield result


def faulty(
    connection: Connection, tournament: int
) -> tuple[tuple[int, tuple[int, ...], tuple[str | None, ...]], ...]:
    """Return number, entrants and faults of the matches that hold a fault."""
    held = sa.select(SEAT.c.match_id).where(SEAT.c.tournament_id == tournament, SEAT.c.fault.is_not(None))
    query = sa.select(_S.number, _S.seating, _M.faults).select_from(_PLAYED).where(_M.id.in_(held))
    shape = shape_of(connection, tournament)
    found = []
    for number, seating, faults in _each(connection, _of(query, tournament)):
        try:
            found.append((number, codec.seating(seating, *shape), codec.faults(faults, shape.seats)))
        except ColumnError as error:
            raise damage.in_result(connection, tournament, number, error) from error
    return tuple(found)


def _of(query: Any, tournament: int) -> Any:
    return query.where(_S.tournament_id == tournament).order_by(_S.number)


def _each(connection: Connection, query: Any) -> Iterator[Any]:
    # Closed also where a reader wants no more: a server's cursor must not be left open.
    with connection.execute(query, execution_options={"yield_per": _CHUNK}) as rows:
        yield from rows


def _key(last: MatchKey, number: Any, round_: Any, table: Any, repeat: Any, order: Any) -> MatchKey:
    """Return a match's key, once it and the match's number are integers, and it comes after the last one."""
    if not (type(number) is type(round_) is type(table) is type(repeat) is type(order) is int):
        row = {"number": number, "round_no": round_, "table_no": table}
        row |= {"repeat_no": repeat, "order_no": order}
        for column in row:
            read_int(row, column, 1)
    key = MatchKey(round_, table, repeat, order)
    if key <= last:
        check_order(last, key)
    return key


def _result(
    digest: str,
    ranks: str,
    reason: str,
    faults: str,
    void: bool,
    note: str,
    actions: int,
    reproducible: bool,
    void_reason: VoidReason | None,
    void_entrant: int | None,
    *,
    shape: Shape,
) -> Result:
    if not (type(digest) is type(reason) is type(note) is str and type(actions) is int):
        row = {"digest": digest, "reason": reason, "note": note, "actions": actions}
        for column in ("digest", "reason", "note"):
            read_text(row, column)
        read_int(row, "actions")
    if void or void_reason is not None or void_entrant is not None:
        row = {"void": void, "void_reason": void_reason, "void_entrant": void_entrant}
        check_void(row, shape.entrants)
    return Result(
        digest,
        codec.ranks(ranks, shape.seats),
        reason,
        codec.faults(faults, shape.seats),
        void,
        note,
        actions,
        reproducible,
        void_reason,
        void_entrant,
    )
