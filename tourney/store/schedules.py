"""The schedules of tournaments: rows drawn, rows still to be played, and how far they are."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import sqlalchemy as sa

from tourney.errors import StoreError
from tourney.schedule.row import MatchKey, Row
from tourney.store.column_reading import Cells, read_seating
from tourney.store.engine import Subject
from tourney.store.rows import FIRST_KEY, KeyOrder, Shape, checked, first_bad, joined
from tourney.store.tables import ALL_ROWS, KEY, MATCH, PLAYED, SCHEDULE
from tourney.store.tournaments import Tournaments, change_tournament

_SCHEDULE = SCHEDULE.c
_MATCH = MATCH.c


class RowCounts(NamedTuple):
    """The progress of a tournament: rows, rows with a result, void ones among them, and rounds."""

    rows: int
    done: int
    void: int
    rounds: int


class Schedules(Subject):
    """Reads and writes schedules."""

    def add(self, tournament: int, rows: Sequence[Row], *, complete: bool) -> tuple[tuple[int, Row], ...]:
        """Store rows of new rounds, and return them with their numbers, which go on from the stored ones.

        ``complete``: no further row will come. Raises StoreError for a key that does not come after all
        stored ones: a stored round never changes; and UsageError for an archived tournament.
        """
        Tournaments(self._access).refuse_archived(tournament)
        last = sa.select(_SCHEDULE.number, *KEY).where(_SCHEDULE.tournament_id == tournament)
        with self._access.write() as connection:
            last_row = connection.execute(last.order_by(_SCHEDULE.number.desc()).limit(1)).first()
            number = 0
            key = FIRST_KEY
            if last_row is not None:
                number, *cells = last_row
                key = MatchKey(*cells)
            numbered = []
            values = []
            for row in sorted(rows):
                if row.key <= key:
                    raise StoreError(
                        f"match {tuple(row.key)} of the schedule was drawn already, or comes before one that"
                        " was"
                    )
                number += 1
                key = row.key
                numbered.append((number, row))
                place = {column.name: part for column, part in zip(KEY, key, strict=True)}
                seating = joined(row.seats)
                values.append({"tournament_id": tournament, "number": number, "seating": seating, **place})
            if values:
                connection.execute(sa.insert(SCHEDULE), values)
            change_tournament(connection, tournament, complete=complete, root=None)
        return tuple(numbered)

    def rows(self, tournament: int, *, pending: bool = False) -> Iterator[tuple[int, Row]]:
        """Yield each match's number and row, in schedule order: all, or those without a result."""
        query = sa.select(_SCHEDULE.number, *KEY, _SCHEDULE.seating)
        if pending:
            query = query.select_from(ALL_ROWS).where(_MATCH.id.is_(None))
        order = KeyOrder()

        def row_of(row: Cells, shape: Shape) -> tuple[int, Row]:
            number, *_, seating = row
            return number, Row(*order.next_key(row[:-1]), read_seating(seating, *shape))

        with self._access.read() as connection:
            yield from checked(connection, query, tournament, row_of)

    def pending(self, tournament: int) -> tuple[tuple[int, Row], ...]:
        """The rows without a result, with their numbers, in schedule order."""
        return tuple(self.rows(tournament, pending=True))

    def open_groups(self, tournament: int) -> frozenset[int]:
        """The numbers of the matches with a result in whose mirrored group a match has none."""
        group = (_SCHEDULE.round_no, _SCHEDULE.table_no, _SCHEDULE.repeat_no)
        mine = _SCHEDULE.tournament_id == tournament
        open_ = sa.select(*group).select_from(ALL_ROWS).where(mine, _MATCH.id.is_(None)).subquery()
        same = sa.and_(*(column == open_.c[column.name] for column in group))
        query = sa.select(_SCHEDULE.number).distinct().select_from(PLAYED.join(open_, same)).where(mine)
        with self._access.read() as connection:
            return frozenset(connection.execute(query).scalars())

    def progress(self, tournament: int) -> RowCounts:
        """How far a tournament is."""
        last = sa.select(_SCHEDULE.number, _SCHEDULE.round_no).where(_SCHEDULE.tournament_id == tournament)
        done = sa.select(sa.func.count()).select_from(PLAYED).where(_SCHEDULE.tournament_id == tournament)
        # The index of void matches holds these alone, and so they are looked up first.
        void = sa.select(sa.func.count()).select_from(MATCH.join(SCHEDULE, _MATCH.id == _SCHEDULE.id))
        void = void.where(_MATCH.void_reason.is_not(None), _SCHEDULE.tournament_id + 0 == tournament)
        with self._access.read() as connection:
            rows, rounds = connection.execute(last.order_by(_SCHEDULE.number.desc()).limit(1)).first() or (
                0,
                0,
            )
            if type(rows) is not int or type(rounds) is not int:
                raise first_bad(connection, SCHEDULE, tournament)
            counted = [connection.execute(query).scalar_one() for query in (done, void)]
        return RowCounts(rows, counted[0], counted[1], rounds)

    def settled(self, tournament: int) -> int:
        """The number of matches from the first on that all have a result: that prefix never changes."""
        mine = _SCHEDULE.tournament_id == tournament
        open_ = (
            sa.select(sa.func.min(_SCHEDULE.number)).select_from(ALL_ROWS).where(mine, _MATCH.id.is_(None))
        )
        count = sa.select(sa.func.coalesce(sa.func.max(_SCHEDULE.number), 0)).where(mine)
        with self._access.read() as connection:
            first_open = connection.execute(open_).scalar()
            last = connection.execute(count).scalar()
            if type(last) is not int or type(first_open) not in (int, type(None)):
                raise first_bad(connection, SCHEDULE, tournament)
        return last if first_open is None else int(first_open) - 1
