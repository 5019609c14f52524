"""The repository's part on sums over many matches, stored or made by the database."""

from collections.abc import Iterator
from functools import partial
from itertools import groupby
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tourney.store import damage
from tourney.store.columns import ColumnError, read_faults, read_int, read_ranks, read_seating
from tourney.store.engine import Access
from tourney.store.models import FAULT_TOTAL, KEY, MATCH, MATCH_TOTAL, SCHEDULE, SCORE_TOTAL, SEAT
from tourney.store.rows import Shape, each, shape_of
from tourney.store.stored_totals import (
    check_totals,
    count_totals,
    differences,
    read_totals,
    replace_totals,
    standings_totals,
)
from tourney.store.values import (
    GroupCount,
    GroupGame,
    OverloadedMatch,
    OverloadTotals,
    PairTotal,
    StandingsTotals,
)

_S, _M = SCHEDULE.c, MATCH.c
_PLAYED = SCHEDULE.join(MATCH, _M.id == _S.id)
_BY_MATCH: Any = _S.tournament_id + 0
"""The tournament of few matches: as a sum, so that these are looked up first and not the whole schedule."""


class Totals(Access):
    """Reads sums over the matches of a tournament."""

    def standings_totals(self, tournament: int) -> StandingsTotals:
        """Return what standings are made of, from the stored totals.

        Raises StoreDamaged if these contradict each other; ``recount`` also shows an altered match.
        """
        with self._read() as connection:
            totals = read_totals(connection, tournament)
            check_totals(connection, tournament, totals)
        return standings_totals(totals)

    def recount(self, tournament: int) -> tuple[StandingsTotals, tuple[str, ...]]:
        """Count what standings are made of anew; return it, and how the stored totals differ."""
        with self._read() as connection:
            counted = count_totals(connection, tournament)
            return standings_totals(counted), differences(connection, tournament, counted)

    def rebuild_totals(self, tournament: int) -> tuple[str, ...]:
        """Count the stored totals anew and store them; return how they differed before."""
        with self._write() as connection:
            counted = count_totals(connection, tournament)
            if found := differences(connection, tournament, counted):
                replace_totals(connection, tournament, counted)
        return found

    def pair_totals(self, tournament: int) -> tuple[PairTotal, ...]:
        """Return the score of each entrant against each other, sorted; pairs that never met are left out."""
        return self.standings_totals(tournament).pairs

    def faults(self, tournament: int) -> tuple[tuple[int, str, int], ...]:
        """Return ``(entrant number, kind, count)`` of all faults, in void matches too, sorted."""
        with self._read() as connection:
            totals = read_totals(connection, tournament, (FAULT_TOTAL,))[FAULT_TOTAL]
        return tuple((entrant, kind, times) for (entrant, kind), (times,) in totals.items())

    def overload(self, tournament: int) -> tuple[OverloadTotals, dict[int, OverloadTotals]]:
        """Return how much of a tournament was overloaded, and how much of each entrant's matches.

        Matches without measurements count as none. The matches of all are not the sum of the entrants'
        matches, as entrants share these.
        """
        with self._read() as connection:
            totals = read_totals(connection, tournament, (MATCH_TOTAL, SCORE_TOTAL))
        found: dict[int, OverloadTotals] = {}
        for (entrant, _), sums in totals[SCORE_TOTAL].items():
            one = zip(found.get(entrant, OverloadTotals()), sums[5:], strict=True)
            found[entrant] = OverloadTotals(*map(sum, one))
        turns, overloaded = (sum(one[place] for one in found.values()) for place in range(2))
        return OverloadTotals(turns, overloaded, totals[MATCH_TOTAL].get((), (0, 0, 0))[2]), found

    def overloaded_matches(self, tournament: int, most: int | None = None) -> tuple[OverloadedMatch, ...]:
        """Return the matches with overloaded turns, those with the most first; at most ``most``."""
        seat = SEAT.c
        stretched = sa.func.sum(seat.overloaded)
        query = (
            sa.select(_S.number, sa.func.coalesce(sa.func.sum(seat.turns), 0), stretched)
            .select_from(SEAT.join(SCHEDULE, _S.id == seat.match_id))
            .where(_S.tournament_id == tournament)
            .group_by(_S.number)
            .having(stretched > 0)
            .order_by(stretched.desc(), _S.number)
            .limit(most)
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
            .where(tournament == _BY_MATCH, _M.void_reason.in_(("machine-failure", "overload")))
            .order_by(_S.number)
        )
        with self._read() as connection:
            return tuple((int(number), str(note)) for number, note in connection.execute(query))

    def benched(self, tournament: int) -> tuple[tuple[int, int], ...]:
        """Return ``(entrant number, matches void for it)`` of the benched entrants, sorted."""
        query = (
            sa.select(_M.void_entrant, sa.func.count())
            .select_from(_PLAYED)
            .where(tournament == _BY_MATCH, _M.void_reason == "benched")
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


def _game(
    connection: Connection, tournament: int, shape: Shape, seating: str, ranks: str, faults: str
) -> GroupGame:
    try:
        return GroupGame(
            read_seating(seating, *shape), read_ranks(ranks, shape.seats), read_faults(faults, shape.seats)
        )
    except ColumnError as error:
        raise damage.find_value(connection, tournament, error) from error
