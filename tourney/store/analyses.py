"""Analyses of matches: beside their records, outside of all digests, one for each analyser and its limits."""

from collections.abc import Iterator, Sequence

import sqlalchemy as sa

from tourney.match.analysis import Analysis
from tourney.store.column_reading import ColumnError, Columns, deflate, unpack_analysis
from tourney.store.engine import Subject
from tourney.store.models import ANALYSIS, MATCH, SCHEDULE
from tourney.store.rows import chunks, read_values

_MINE = ANALYSIS.join(SCHEDULE, SCHEDULE.c.id == ANALYSIS.c.match_id).join(MATCH, MATCH.c.id == SCHEDULE.c.id)


class Analyses(Subject):
    """Reads and writes analyses."""

    def keep(self, tournament: int, number: int, analysis: Analysis) -> None:
        """Store the analysis of a match; it replaces an earlier one of the same analyser.

        Nothing is stored for a match whose result was taken back or replayed meanwhile.
        """
        mine = SCHEDULE.c.tournament_id == tournament, SCHEDULE.c.number == number
        query = sa.select(MATCH.c.id).join(SCHEDULE, SCHEDULE.c.id == MATCH.c.id)
        limits, key = analysis.analyser.limits, analysis.analyser.key
        with self._access.write() as connection:
            id_ = connection.execute(query.where(*mine, MATCH.c.digest == analysis.record)).scalar()
            if id_ is None:
                return
            same = (ANALYSIS.c.match_id == id_) & (ANALYSIS.c.analyser == key)
            connection.execute(sa.delete(ANALYSIS).where(same))
            connection.execute(
                sa.insert(ANALYSIS).values(
                    match_id=id_,
                    analyser=key,
                    effort=limits.nodes or limits.move_ms or 0,
                    data=deflate(analysis.encode(), b""),
                )
            )

    def of(self, tournament: int, number: int) -> tuple[Analysis, ...]:
        """The analyses of a match, that with the largest limit first. Raises StoreDamaged."""
        query = sa.select(ANALYSIS).select_from(_MINE)
        query = query.where(SCHEDULE.c.tournament_id == tournament, SCHEDULE.c.number == number)
        query = query.order_by(ANALYSIS.c.effort.desc(), ANALYSIS.c.analyser)
        return read_values(self._access, ANALYSIS, query, analysis_of_row)

    def all(self, tournament: int) -> Iterator[tuple[int, Analysis]]:
        """Yield all analyses of a tournament with the numbers of their matches, in schedule order.

        Raises StoreDamaged.
        """
        query = sa.select(SCHEDULE.c.number).distinct().select_from(_MINE)
        query = query.where(SCHEDULE.c.tournament_id == tournament).order_by(SCHEDULE.c.number)
        with self._access.read() as connection:
            numbers = connection.execute(query).scalars().all()
        yield from ((number, one) for number in numbers for one in self.of(tournament, number))

    def packed(self, tournament: int, numbers: Sequence[int]) -> dict[int, bytes]:
        """The packed analysis with the largest limit, by the number of its match; others are left out."""
        query = (
            sa.select(SCHEDULE.c.number, ANALYSIS.c.data)
            .select_from(_MINE)
            .where(SCHEDULE.c.tournament_id == tournament)
            .order_by(ANALYSIS.c.effort, ANALYSIS.c.analyser.desc())
        )
        found: dict[int, bytes] = {}
        with self._access.read() as connection:
            for some in chunks(numbers):
                rows = connection.execute(query.where(SCHEDULE.c.number.in_(some)))
                found.update((number, data) for number, data in rows)
        return found

    def done(self, tournament: int, key: str) -> frozenset[int]:
        """The numbers of the matches that an analyser has valued."""
        query = sa.select(SCHEDULE.c.number).select_from(_MINE)
        query = query.where(SCHEDULE.c.tournament_id == tournament, ANALYSIS.c.analyser == key)
        with self._access.read() as connection:
            return frozenset(connection.execute(query).scalars())


def analysis_of_row(row: Columns) -> Analysis:
    """The analysis of a row. Raises ColumnError."""
    if not isinstance(row["effort"], int) or row["effort"] < 0:
        raise ColumnError("effort", row["effort"], "a limit of an action")
    found = unpack_analysis("data", row["data"])
    if found.analyser.key != row["analyser"]:
        raise ColumnError("analyser", row["analyser"], "the key of the analyser that the data name")
    return found
