"""Queries: from rows of SQL to values, in schedule order."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tourney.match.spec import Entrant
from tourney.schedule.row import Row
from tourney.store import codec
from tourney.store.models import ENTRANT, LOG, MATCH, MEASURED, SCHEDULE, SEAT, TOURNAMENT
from tourney.store.standings import Tally
from tourney.store.values import (
    BENCHED,
    Key,
    Match,
    PairTotal,
    Progress,
    Result,
    ResultRow,
    StoredEntrant,
    Tournament,
)

_CHUNK = 2000
"""Rows fetched at a time, so that a million matches are not held at once."""

_S, _M = SCHEDULE.c, MATCH.c
_KEY = (_S.round_no, _S.table_no, _S.repeat_no, _S.order_no)
_PLAYED = SCHEDULE.join(MATCH, _M.id == _S.id)


def tournaments(connection: Connection) -> tuple[Tournament, ...]:
    """Return all tournaments by id."""
    return tuple(
        Tournament(
            id=row.id,
            plan=codec.plan_from(row.plan),
            seed=int(row.seed),
            seed_chosen=row.seed_chosen,
            run=codec.run_from(row.run),
            complete=row.complete,
            created=row.created,
        )
        for row in connection.execute(sa.select(TOURNAMENT).order_by(TOURNAMENT.c.id))
    )


def entrants(connection: Connection, tournament: int) -> tuple[StoredEntrant, ...]:
    """Return a tournament's entrants by number."""
    query = sa.select(ENTRANT).where(ENTRANT.c.tournament_id == tournament).order_by(ENTRANT.c.number)
    return tuple(
        StoredEntrant(
            number=row.number,
            entrant=Entrant(row.name, row.bot, row.version, tuple(codec.parsed(row.args)), row.digest),
            title=row.title,
            author=row.author,
            joined=row.joined,
            line=row.line,
            left=row.left_at,
            rating=row.rating,
            deviation=row.deviation,
        )
        for row in connection.execute(query)
    )


def rows(connection: Connection, tournament: int, *, pending: bool = False) -> Iterator[tuple[int, Row]]:
    """Yield numbers and rows of the schedule: all, or those without a result."""
    query = sa.select(_S.number, *_KEY, _S.seating)
    if pending:
        query = query.select_from(SCHEDULE.outerjoin(MATCH, _M.id == _S.id)).where(_M.id.is_(None))
    for number, round_, table, repeat, order, seating in _each(connection, _of(query, tournament)):
        yield number, Row(round_, table, repeat, order, codec.ints(seating))


def progress(connection: Connection, tournament: int) -> Progress:
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
    return Progress(*(int(value) for value in connection.execute(query).one()))


def matches(
    connection: Connection,
    tournament: int,
    *,
    entrant: int | None = None,
    number: int | None = None,
    finished: bool = False,
) -> Iterator[Match]:
    """Yield matches in schedule order, with what the tables know of their results."""
    result = (_M.digest, _M.ranks, _M.reason, _M.faults, _M.void, _M.note, _M.actions, _M.reproducible)
    query = sa.select(_S.number, *_KEY, _S.seating, _M.id, *result).select_from(
        _PLAYED if finished else SCHEDULE.outerjoin(MATCH, _M.id == _S.id)
    )
    if number is not None:
        query = query.where(_S.number == number)
    if entrant is not None:
        query = query.where(sa.literal(",").concat(_S.seating).concat(",").like(f"%,{entrant:d},%"))
    for row in _each(connection, _of(query, tournament)):
        played = None
        if row[6] is not None:
            digest, ranks, reason, faults, void, note, actions, reproducible = row[7:]
            played = Result(
                digest, codec.ints(ranks), reason, codec.kinds(faults), void, note, actions, reproducible
            )
        yield Match(tournament, row[0], Key(*row[1:5]), codec.ints(row[5]), played)


def results(connection: Connection, tournament: int, *, after: int = 0) -> Iterator[ResultRow]:
    """Yield the finished matches of a number above ``after``, in schedule order."""
    query = sa.select(_S.number, *_KEY, _S.seating, _M.ranks, _M.faults, _M.void).select_from(_PLAYED)
    query = query.where(_S.number > after)
    for row in _each(connection, _of(query, tournament)):
        number, round_, table, repeat, order, seating, ranks, faults, void = row
        yield ResultRow(
            number,
            Key(round_, table, repeat, order),
            codec.ints(seating),
            codec.ints(ranks),
            codec.kinds(faults),
            void,
        )


def record_blob(connection: Connection, tournament: int, number: int) -> bytes | None:
    """Return a match's packed record, or None if it has none."""
    return _blob(connection, tournament, number, _M.record, _PLAYED)


def log_blob(connection: Connection, tournament: int, number: int) -> bytes | None:
    """Return a match's packed log, or None if it has none."""
    return _blob(connection, tournament, number, LOG.c.lines, SCHEDULE.join(LOG, LOG.c.match_id == _S.id))


def measured_blob(connection: Connection, tournament: int, number: int) -> bytes | None:
    """Return a match's packed measurements, or None if it has none."""
    joined = SCHEDULE.join(MEASURED, MEASURED.c.match_id == _S.id)
    return _blob(connection, tournament, number, MEASURED.c.data, joined)


def record_blobs(connection: Connection, tournament: int) -> Iterator[tuple[int, bytes]]:
    """Yield numbers and packed records in schedule order."""
    query = sa.select(_S.number, _M.record).select_from(_PLAYED).where(_M.record.is_not(None))
    yield from _each(connection, _of(query, tournament))


def tallies(connection: Connection, tournament: int) -> dict[int, Tally]:
    """Return what the matches that count add up to, by entrant; an entrant without one is left out."""
    seat = SEAT.c
    first = seat.rank == 1
    query = (
        sa.select(
            seat.entrant,
            sa.func.count(),
            sa.func.sum(seat.units),
            sa.func.sum(sa.case((sa.and_(first, sa.not_(seat.shared)), 1), else_=0)),
            sa.func.sum(sa.case((sa.and_(first, seat.shared), 1), else_=0)),
        )
        .where(seat.tournament_id == tournament, sa.not_(seat.void))
        .group_by(seat.entrant)
    )
    found = {}
    for entrant, games, units, wins, draws in connection.execute(query):
        found[entrant] = Tally(int(games), int(units), int(wins), int(draws))
    return found


def faults(connection: Connection, tournament: int) -> tuple[tuple[int, str, int], ...]:
    """Return entrant, kind and count of all faults, in void matches too, sorted."""
    seat = SEAT.c
    query = (
        sa.select(seat.entrant, seat.fault, sa.func.count())
        .where(seat.tournament_id == tournament, seat.fault.is_not(None))
        .group_by(seat.entrant, seat.fault)
    )
    return tuple(sorted((entrant, kind, int(count)) for entrant, kind, count in connection.execute(query)))


def faulty(
    connection: Connection, tournament: int
) -> tuple[tuple[int, tuple[int, ...], tuple[str | None, ...]], ...]:
    """Return number, entrants and faults of the matches that hold a fault."""
    held = sa.select(SEAT.c.match_id).where(SEAT.c.tournament_id == tournament, SEAT.c.fault.is_not(None))
    query = sa.select(_S.number, _S.seating, _M.faults).select_from(_PLAYED).where(_M.id.in_(held))
    return tuple(
        (number, codec.ints(seating), codec.kinds(faults))
        for number, seating, faults in _each(connection, _of(query, tournament))
    )


def benched(connection: Connection, tournament: int) -> tuple[tuple[int, int], ...]:
    """Return the entrants that are benched and how many matches are void for it."""
    query = (
        sa.select(_M.note, sa.func.count())
        .select_from(_PLAYED)
        .where(_S.tournament_id == tournament, _M.void, _M.note.like(f"{BENCHED}%"))
        .group_by(_M.note)
    )
    numbers = {stored.name: stored.number for stored in entrants(connection, tournament)}
    counts: Counter[int] = Counter()
    for note, count in connection.execute(query):
        counts[numbers[note.removeprefix(BENCHED).split(" ")[0]]] += int(count)
    return tuple(sorted(counts.items()))


def void_for(connection: Connection, tournament: int, name: str) -> tuple[int, ...]:
    """Return the numbers of the matches that are void as an entrant is benched."""
    note = f"{BENCHED}{name} "
    query = sa.select(_S.number, _M.note).select_from(_PLAYED).where(_M.void, _M.note.like(f"{BENCHED}%"))
    return tuple(
        number for number, text in _each(connection, _of(query, tournament)) if text.startswith(note)
    )


def recent_measured(connection: Connection, tournament: int, count: int) -> tuple[bytes, ...]:
    """Return the packed measurements of the last matches in schedule order."""
    query = (
        sa.select(MEASURED.c.data)
        .select_from(SCHEDULE.join(MEASURED, MEASURED.c.match_id == _S.id))
        .where(_S.tournament_id == tournament)
        .order_by(_S.number.desc())
        .limit(count)
    )
    return tuple(row[0] for row in connection.execute(query))


def pair_totals(connection: Connection, tournament: int) -> tuple[PairTotal, ...]:
    """Return what each entrant scored against each other, sorted."""
    mine, theirs = SEAT.alias("mine"), SEAT.alias("theirs")
    half_points = sa.case((mine.c.rank < theirs.c.rank, 2), (mine.c.rank == theirs.c.rank, 1), else_=0)
    query = (
        sa.select(mine.c.entrant, theirs.c.entrant, sa.func.count(), sa.func.sum(half_points))
        .join_from(mine, theirs, sa.and_(mine.c.match_id == theirs.c.match_id, mine.c.seat != theirs.c.seat))
        .where(mine.c.tournament_id == tournament, sa.not_(mine.c.void))
        .group_by(mine.c.entrant, theirs.c.entrant)
    )
    return tuple(sorted(PairTotal(a, b, int(n), int(h)) for a, b, n, h in connection.execute(query)))


def _of(query: Any, tournament: int) -> Any:
    return query.where(_S.tournament_id == tournament).order_by(_S.number)


def _each(connection: Connection, query: Any) -> Iterator[Any]:
    yield from connection.execute(query, execution_options={"yield_per": _CHUNK})


def _blob(
    connection: Connection, tournament: int, number: int, column: sa.Column[Any], joined: sa.Join
) -> bytes | None:
    query = sa.select(column).select_from(joined).where(_S.tournament_id == tournament, _S.number == number)
    blob: bytes | None = connection.execute(query).scalar()
    return blob
