"""The repository's part on sums over many matches, made by the database without reading a match."""

from collections.abc import Iterator
from functools import partial
from itertools import groupby
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tourney.match.record import FAULT_KINDS
from tourney.store import damage
from tourney.store.columns import ColumnError, read_faults, read_int, read_ranks, read_seating
from tourney.store.engine import Access
from tourney.store.models import KEY, MATCH, SCHEDULE, SEAT
from tourney.store.rows import Shape, each, shape_of
from tourney.store.values import (
    GroupCount,
    GroupGame,
    OverloadedMatch,
    OverloadTotals,
    PairTotal,
    ScoreTotals,
)

_S, _M = SCHEDULE.c, MATCH.c
_PLAYED = SCHEDULE.join(MATCH, _M.id == _S.id)


class Totals(Access):
    """Reads sums over the matches of a tournament."""

    def score_totals(self, tournament: int) -> dict[int, ScoreTotals]:
        """Return the sums of each entrant's matches; an entrant without one is left out."""
        return {key[0]: totals for key, totals in self._totals(tournament, SEAT.c.entrant)}

    def seat_totals(self, tournament: int) -> dict[tuple[int, int], ScoreTotals]:
        """Return the sums of each entrant's matches on each seat (from 1)."""
        found = self._totals(tournament, SEAT.c.entrant, SEAT.c.seat)
        return {(key[0], key[1]): totals for key, totals in found}

    def _totals(
        self, tournament: int, *group: sa.Column[Any]
    ) -> Iterator[tuple[tuple[int, ...], ScoreTotals]]:
        """Yield the sums of the matches that count by a group of columns, the entrant first."""
        seat = SEAT.c
        first = seat.rank == 1
        query = (
            sa.select(
                *group,
                sa.func.count(),
                sa.func.sum(seat.units),
                sa.func.sum(sa.case((sa.and_(first, sa.not_(seat.shared)), 1), else_=0)),
                sa.func.sum(sa.case((sa.and_(first, seat.shared), 1), else_=0)),
                sa.func.count(seat.fault),
            )
            .where(seat.tournament_id == tournament, sa.not_(seat.void))
            .group_by(*group)
        )
        with self._read() as connection:
            shape = shape_of(connection, tournament)
            for *key, games, units, wins, draws, faults in connection.execute(query):
                # SQLite adds up values that are no integers as a float.
                if not _is_entrant(key[0], shape) or isinstance(units, float):
                    raise damage.first_bad(connection, SEAT, tournament)
                yield tuple(key), ScoreTotals(*map(int, (games, units, wins, draws, faults)))

    def pair_totals(self, tournament: int) -> tuple[PairTotal, ...]:
        """Return the score of each entrant against each other, sorted; pairs that never met are left out."""
        mine, theirs = SEAT.alias("mine"), SEAT.alias("theirs")
        half_points = sa.case((mine.c.rank < theirs.c.rank, 2), (mine.c.rank == theirs.c.rank, 1), else_=0)
        others = sa.and_(mine.c.match_id == theirs.c.match_id, mine.c.seat != theirs.c.seat)
        query = (
            sa.select(mine.c.entrant, theirs.c.entrant, sa.func.count(), sa.func.sum(half_points))
            .join_from(mine, theirs, others)
            .where(mine.c.tournament_id == tournament, sa.not_(mine.c.void))
            .group_by(mine.c.entrant, theirs.c.entrant)
        )
        with self._read() as connection:
            found = [PairTotal(*row[:2], *map(int, row[2:])) for row in connection.execute(query)]
            shape = shape_of(connection, tournament)
            if not all(_is_entrant(pair.entrant, shape) for pair in found):
                raise damage.first_bad(connection, SEAT, tournament)
        return tuple(sorted(found))

    def faults(self, tournament: int) -> tuple[tuple[int, str, int], ...]:
        """Return ``(entrant number, kind, count)`` of all faults, in void matches too, sorted."""
        seat = SEAT.c
        query = (
            sa.select(seat.entrant, seat.fault, sa.func.count())
            .where(seat.tournament_id == tournament, seat.fault.is_not(None))
            .group_by(seat.entrant, seat.fault)
        )
        with self._read() as connection:
            found = [(entrant, kind, int(count)) for entrant, kind, count in connection.execute(query)]
            shape = shape_of(connection, tournament)
            if not all(_is_entrant(entrant, shape) and kind in FAULT_KINDS for entrant, kind, _ in found):
                raise damage.first_bad(connection, SEAT, tournament)
        return tuple(sorted(found))

    def overload(self, tournament: int) -> tuple[OverloadTotals, dict[int, OverloadTotals]]:
        """Return how much of a tournament was overloaded, and how much of each entrant's matches.

        Matches without measurements count as none. The turns and matches of all are not the sums of the
        entrants' matches, as entrants share these.
        """
        seat = SEAT.c
        stretched = sa.case((seat.overloaded > 0, seat.match_id))
        sums = (
            sa.func.coalesce(sa.func.sum(seat.turns), 0),
            sa.func.coalesce(sa.func.sum(seat.overloaded), 0),
            sa.func.count(sa.distinct(stretched)),
        )
        mine = seat.tournament_id == tournament
        with self._read() as connection:
            shape = shape_of(connection, tournament)
            rows = connection.execute(sa.select(seat.entrant, *sums).where(mine).group_by(seat.entrant)).all()
            whole = connection.execute(sa.select(*sums).where(mine)).one()
            if not all(_is_entrant(row[0], shape) for row in rows) or any(map(_is_float, whole)):
                raise damage.first_bad(connection, SEAT, tournament)
        return OverloadTotals(*map(int, whole)), {row[0]: OverloadTotals(*map(int, row[1:])) for row in rows}

    def overloaded_matches(self, tournament: int) -> tuple[OverloadedMatch, ...]:
        """Return the matches with overloaded turns, those with the most first."""
        seat = SEAT.c
        stretched = sa.func.sum(seat.overloaded)
        query = (
            sa.select(_S.number, sa.func.coalesce(sa.func.sum(seat.turns), 0), stretched)
            .select_from(SEAT.join(SCHEDULE, _S.id == seat.match_id))
            .where(seat.tournament_id == tournament)
            .group_by(_S.number)
            .having(stretched > 0)
            .order_by(stretched.desc(), _S.number)
        )
        with self._read() as connection:
            rows = connection.execute(query).all()
            if any(_is_float(value) for row in rows for value in row):
                raise damage.first_bad(connection, SEAT, tournament)
        return tuple(OverloadedMatch(int(number), int(turns), int(much)) for number, turns, much in rows)

    def void_matches(self, tournament: int) -> tuple[tuple[int, str], ...]:
        """Return the numbers and notes of the matches that the machine made void."""
        query = (
            sa.select(_S.number, _M.note)
            .select_from(_PLAYED)
            .where(_S.tournament_id == tournament, _M.void_reason.in_(("machine-failure", "overload")))
            .order_by(_S.number)
        )
        with self._read() as connection:
            return tuple((int(number), str(note)) for number, note in connection.execute(query))

    def benched(self, tournament: int) -> tuple[tuple[int, int], ...]:
        """Return ``(entrant number, matches void for it)`` of the benched entrants, sorted."""
        query = (
            sa.select(_M.void_entrant, sa.func.count())
            .select_from(_PLAYED)
            .where(_S.tournament_id == tournament, _M.void_reason == "benched")
            .group_by(_M.void_entrant)
        )
        with self._read() as connection:
            found = connection.execute(query).all()
            shape = shape_of(connection, tournament)
            for entrant, _ in found:
                try:
                    read_int({"void_entrant": entrant}, "void_entrant", 0, shape.entrants - 1)
                except ColumnError as error:
                    raise damage.find_value(connection, tournament, error) from error
        return tuple(sorted((entrant, int(count)) for entrant, count in found))

    def void_for(self, tournament: int, entrant: int) -> tuple[int, ...]:
        """Return the numbers of the matches that are void because this entrant is benched."""
        query = sa.select(_S.number).select_from(_PLAYED).where(_M.void_entrant == entrant)
        with self._read() as connection:
            found = connection.execute(query.where(_S.tournament_id == tournament).order_by(_S.number))
            return tuple(found.scalars())

    def match_counts(self, tournament: int) -> Iterator[GroupCount]:
        """Yield the frequency of each outcome of a match, each a group by itself; void matches are left out.

        Matches are equal if their seatings, ranks and faults are. The order is the database's and means
        nothing.
        """
        columns = (_S.seating, _M.ranks, _M.faults)
        mine = sa.and_(_S.tournament_id == tournament, sa.not_(_M.void))
        counts = sa.select(*columns, sa.func.count()).select_from(_PLAYED).where(mine).group_by(*columns)
        with self._read() as connection:
            game = partial(_game, connection, tournament, shape_of(connection, tournament))
            for *texts, times in each(connection, counts):
                yield GroupCount((game(*texts),), int(times))

    def group_counts(self, tournament: int) -> Iterator[GroupCount]:
        """Yield the frequency of each outcome of a mirrored group of two games; void matches are left out.

        Groups are equal if their seatings, ranks and faults are. The order is the database's and means
        nothing. Groups of more than two games (of imported records) are counted one by one. Made for two
        seats; for more, read ``results``.
        """
        mine = sa.and_(_S.tournament_id == tournament, sa.not_(_M.void))
        group = KEY[:3]
        columns = []
        for order in (1, 2):
            for name, column in (("s", _S.seating), ("r", _M.ranks), ("f", _M.faults)):
                value = sa.func.max(sa.case((_S.order_no == order, column)))
                columns.append(sa.func.coalesce(value, "").label(f"{name}{order}"))
        grouped = sa.select(*columns).select_from(_PLAYED).where(mine).group_by(*group)
        small = grouped.having(sa.func.max(_S.order_no) <= 2).subquery()
        counts = sa.select(*small.c, sa.func.count()).group_by(*small.c)
        large = sa.select(*group).select_from(_PLAYED).where(mine).group_by(*group)
        found = large.having(sa.func.max(_S.order_no) > 2).subquery()
        rows = (
            sa.select(*group, _S.seating, _M.ranks, _M.faults)
            .select_from(_PLAYED.join(found, sa.and_(*(column == found.c[column.name] for column in group))))
            .where(mine)
            .order_by(_S.number)
        )
        with self._read() as connection:
            game = partial(_game, connection, tournament, shape_of(connection, tournament))
            for *texts, times in each(connection, counts):
                games = (game(*texts[k : k + 3]) for k in (0, 3) if texts[k])
                yield GroupCount(tuple(games), int(times))
            for _, members in groupby(connection.execute(rows), lambda row: row[:3]):
                yield GroupCount(tuple(game(*row[3:]) for row in members), 1)


def _is_float(value: object) -> bool:
    """Return whether SQLite added up values that are no integers."""
    return isinstance(value, float)


def _is_entrant(number: Any, shape: Shape) -> bool:
    return type(number) is int and 0 <= number < shape.entrants


def _game(
    connection: Connection, tournament: int, shape: Shape, seating: str, ranks: str, faults: str
) -> GroupGame:
    try:
        return GroupGame(
            read_seating(seating, *shape), read_ranks(ranks, shape.seats), read_faults(faults, shape.seats)
        )
    except ColumnError as error:
        raise damage.find_value(connection, tournament, error) from error
