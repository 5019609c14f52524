"""Queries that add up: what the seats of all matches come to, without reading a match."""

from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tourney.match.record import FAULT_KINDS
from tourney.store import damage
from tourney.store.column_validation import ColumnError
from tourney.store.models import MATCH, SCHEDULE, SEAT
from tourney.store.rows import Shape, shape_of
from tourney.store.scan import first_of_seats
from tourney.store.values import PairTotal, ScoreTotals

_S, _M = SCHEDULE.c, MATCH.c
_PLAYED = SCHEDULE.join(MATCH, _M.id == _S.id)


def tallies(connection: Connection, tournament: int) -> dict[int, ScoreTotals]:
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
    shape = shape_of(connection, tournament)
    for entrant, games, units, wins, draws in connection.execute(query):
        # SQLite adds up what is no integer as a float.
        if not _is_entrant(entrant, shape) or isinstance(units, float):
            raise first_of_seats(connection, tournament)
        found[entrant] = ScoreTotals(int(games), int(units), int(wins), int(draws))
    return found


def faults(connection: Connection, tournament: int) -> tuple[tuple[int, str, int], ...]:
    """Return entrant, kind and count of all faults, in void matches too, sorted."""
    seat = SEAT.c
    query = (
        sa.select(seat.entrant, seat.fault, sa.func.count())
        .where(seat.tournament_id == tournament, seat.fault.is_not(None))
        .group_by(seat.entrant, seat.fault)
    )
    found = [(entrant, kind, int(count)) for entrant, kind, count in connection.execute(query)]
    shape = shape_of(connection, tournament)
    if not all(_is_entrant(entrant, shape) and kind in FAULT_KINDS for entrant, kind, _ in found):
        raise first_of_seats(connection, tournament)
    return tuple(sorted(found))


def benched(connection: Connection, tournament: int) -> tuple[tuple[int, int], ...]:
    """Return the entrants that are benched and how many matches are void for it."""
    query = (
        sa.select(_M.void_entrant, sa.func.count())
        .select_from(_PLAYED)
        .where(_S.tournament_id == tournament, _M.void_reason == "benched")
        .group_by(_M.void_entrant)
    )
    found = connection.execute(query).all()
    shape = shape_of(connection, tournament)
    for entrant, _ in found:
        if not _is_entrant(entrant, shape):
            misfit = ColumnError("void_entrant", entrant, f"an integer from 0 to {shape.entrants - 1}")
            raise damage.find_value(connection, tournament, misfit)
    return tuple(sorted((entrant, int(count)) for entrant, count in found))


def void_for(connection: Connection, tournament: int, entrant: int) -> tuple[int, ...]:
    """Return the numbers of the matches that are void because this entrant is benched."""
    query = sa.select(_S.number).select_from(_PLAYED).where(_M.void_entrant == entrant)
    query = query.where(_S.tournament_id == tournament).order_by(_S.number)
    return tuple(number for (number,) in connection.execute(query))


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
    found = [PairTotal(*row[:2], *map(int, row[2:])) for row in connection.execute(query)]
    shape = shape_of(connection, tournament)
    if not all(_is_entrant(pair.entrant, shape) for pair in found):
        raise first_of_seats(connection, tournament)
    return tuple(sorted(found))


def _is_entrant(number: Any, shape: Shape) -> bool:
    return type(number) is int and 0 <= number < shape.entrants
