"""Sums over a tournament's matches, stored: kept with every write, read, counted anew, compared.

Whatever writes or removes rows of ``match`` and ``seat`` hands its matches to ``Changes``, and stores these
in the same transaction (``Tournaments._write_results``). The database adds them, in the order of tables and
keys. A sum of zeros is the same as no row.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, starmap
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tourney.errors import StoreDamaged
from tourney.match.record import FAULT_KINDS
from tourney.match.result import SeatLoad
from tourney.schedule.row import score_units
from tourney.store import damage
from tourney.store.columns import (
    ColumnError,
    Columns,
    read_faults,
    read_int,
    read_ranks,
    read_seating,
    read_word,
)
from tourney.store.engine import shown
from tourney.store.models import (
    ENTRANT,
    FAULT_TOTAL,
    MATCH,
    MATCH_TOTAL,
    PAIR_TOTAL,
    SCHEDULE,
    SCORE_TOTAL,
    SEAT,
    TOURNAMENT,
)
from tourney.store.rows import Shape, each, shape_of
from tourney.store.values import PairTotal, ScoreTotals, StandingsTotals

TABLES: Final = (MATCH_TOTAL, SCORE_TOTAL, PAIR_TOTAL, FAULT_TOTAL)
"""In the order in which they are written."""

Key = tuple[Any, ...]
"""The primary key of a row without the tournament."""
Sums = Mapping[Key, tuple[int, ...]]
"""The rows of a table for one tournament: the other columns by key, in the order of the table."""
Totals = Mapping[sa.Table, Sums]


def _columns(table: sa.Table) -> tuple[list[str], list[str]]:
    """Return the names of a table's columns: those of ``Key``, and the sums."""
    names = [column.name for column in table.c if column.name != "tournament_id"]
    keys = [name for name in names if table.c[name].primary_key]
    return keys, [name for name in names if name not in keys]


def _increment(table: sa.Table) -> sa.TextClause:
    """Return the statement that adds to a row, or makes it."""
    names = [column.name for column in table.c]
    key = ", ".join(column.name for column in table.primary_key)
    adds = ", ".join(f"{name} = {table.name}.{name} + excluded.{name}" for name in _columns(table)[1])
    values = ", ".join(f":{name}" for name in names)
    # Both databases have this form of an upsert, but SQLAlchemy a construct for each of them.
    return sa.text(
        f"INSERT INTO {table.name} ({', '.join(names)}) VALUES ({values})"  # noqa: S608 - our own names
        f" ON CONFLICT ({key}) DO UPDATE SET {adds}"
    )


_INCREMENTS: Final = {table: _increment(table) for table in TABLES}


class Changes:
    """The results of a batch that are stored or removed, added up before they are stored.

    Equal results are counted first, so that a match of a large batch costs little.
    """

    def __init__(self) -> None:
        self._results: Counter[tuple[tuple[int, ...], str, str, bool]] = Counter()
        self._loads: defaultdict[Key, tuple[int, ...]] = defaultdict(lambda: (0, 0, 0))
        self.stretched = 0
        """The matches with overloaded turns."""

    def add(
        self,
        seating: tuple[int, ...],
        match: Columns,
        load: Sequence[SeatLoad | tuple[int, int]] = (),
        times: int = 1,
    ) -> None:
        """Count a match by the columns ``ranks``, ``faults`` and ``void`` of its row; -1 times removes it.

        ``load``: each seat's turns and overloaded turns first, or nothing.
        """
        self._results[seating, match["ranks"], match["faults"], match["void"]] += times
        stretched = False
        for seat, (entrant, (turns, overloaded, *_)) in enumerate(zip(seating, load, strict=False), 1):
            if turns or overloaded:
                self.add_load(entrant, seat, (turns, overloaded, overloaded > 0), times)
                stretched = stretched or overloaded > 0
        self.stretched += times * stretched

    def add_load(self, entrant: int, seat: int, load: Sequence[int], times: int = 1) -> None:
        """Count turns, overloaded turns and matches with such of an entrant on a seat."""
        self._loads[entrant, seat] = _plus(self._loads[entrant, seat], load, times)

    def store(self, connection: Connection, tournament: int) -> None:
        """Add the changes to the stored totals of a tournament."""
        for table, sums in self.sums().items():
            names = [name for part in _columns(table) for name in part]
            rows = [
                {"tournament_id": tournament, **dict(zip(names, (*key, *sums[key]), strict=True))}
                for key in sorted(sums)
                if any(sums[key])
            ]
            if rows:
                connection.execute(_INCREMENTS[table], rows)

    def sums(self) -> Totals:
        """Return the rows of the tables that the changes make."""
        done = void = 0
        scores: defaultdict[Key, tuple[int, ...]] = defaultdict(lambda: (0, 0, 0, 0, 0))
        pairs: defaultdict[Key, tuple[int, ...]] = defaultdict(lambda: (0, 0))
        faults: defaultdict[Key, tuple[int, ...]] = defaultdict(lambda: (0,))
        for (seating, rank_text, fault_text, is_void), times in self._results.items():
            done += times
            void += times * is_void
            kinds = fault_text.split(",")
            for entrant, kind in zip(seating, kinds, strict=True):
                if kind:
                    faults[entrant, kind] = (faults[entrant, kind][0] + times,)
            if is_void:
                continue
            ranks = [int(rank) for rank in rank_text.split(",")]
            alone = ranks.count(1) == 1
            seats = zip(seating, ranks, score_units(ranks), kinds, strict=True)
            for seat, (entrant, rank, units, kind) in enumerate(seats, 1):
                first = rank == 1
                one = (1, units, first and alone, first and not alone, bool(kind))
                scores[entrant, seat] = _plus(scores[entrant, seat], one, times)
                for other, (opponent, rank_of_other) in enumerate(zip(seating, ranks, strict=True), 1):
                    if other != seat:
                        half_points = (rank < rank_of_other) + (rank <= rank_of_other)
                        pairs[entrant, opponent] = _plus(pairs[entrant, opponent], (1, half_points), times)
        keys = {*scores, *self._loads}
        merged = {key: (*scores[key], *self._loads[key]) for key in keys}
        return {
            MATCH_TOTAL: {(): (done, void, self.stretched)},
            SCORE_TOTAL: merged,
            PAIR_TOTAL: pairs,
            FAULT_TOTAL: faults,
        }


def _plus(sums: tuple[int, ...], more: Iterable[int], times: int) -> tuple[int, ...]:
    return tuple(one + times * other for one, other in zip(sums, more, strict=True))


def read_totals(
    connection: Connection, tournament: int, tables: Sequence[sa.Table] = TABLES
) -> dict[sa.Table, Sums]:
    """Return the stored totals, all or those of some tables. Raises StoreDamaged for a bad column."""
    shape = shape_of(connection, tournament)
    found: dict[sa.Table, Sums] = {}
    for table in tables:
        keys, _ = _columns(table)
        query = sa.select(table).where(table.c.tournament_id == tournament)
        rows: dict[Key, tuple[int, ...]] = {}
        for row in connection.execute(query).mappings():
            try:
                key, sums = _read_row(table, row, shape)
            except ColumnError as error:
                name = ",".join(map(str, (tournament, *(row[key] for key in keys))))
                raise damage.in_row(connection, table, name, error, advice=_ADVICE) from error
            if any(sums):
                rows[key] = sums
        found[table] = dict(sorted(rows.items()))
    return found


_ADVICE: Final = "count the totals anew with `tourney db recount`"


def _read_row(table: sa.Table, row: Mapping[Any, Any], shape: Shape) -> tuple[Key, tuple[int, ...]]:
    keys, names = _columns(table)
    key: list[int | str] = []
    for name in keys:
        if name == "kind":
            key.append(read_word(row, name, FAULT_KINDS))
        elif name == "seat":
            key.append(read_int(row, name, 1, shape.seats))
        else:
            key.append(read_int(row, name, 0, shape.entrants - 1))
    return tuple(key), tuple(read_int(row, name) for name in names)


def count_totals(connection: Connection, tournament: int) -> Totals:
    """Return the totals as all results of the tournament give them. Raises StoreDamaged for a bad row."""
    shape = shape_of(connection, tournament)
    mine = SCHEDULE.c.tournament_id == tournament
    counted = Changes()
    columns = (SCHEDULE.c.seating, MATCH.c.ranks, MATCH.c.faults, MATCH.c.void)
    results = sa.select(*columns, sa.func.count()).where(mine).group_by(*columns)
    results = results.select_from(SCHEDULE.join(MATCH, MATCH.c.id == SCHEDULE.c.id))
    for text, ranks, faults, void, times in each(connection, results):
        try:
            seating = read_seating(text, *shape)
            read_ranks(ranks, shape.seats)
            read_faults(faults, shape.seats)
        except ColumnError as error:
            raise damage.find_value(connection, tournament, error) from error
        counted.add(seating, {"ranks": ranks, "faults": faults, "void": void}, times=times)
    seat = SEAT.c
    seats = SCHEDULE.join(SEAT, seat.match_id == SCHEDULE.c.id)
    sums = (sa.func.sum(seat.turns), sa.func.sum(seat.overloaded), sa.func.sum(_STRETCHED))
    overloaded = False
    loads = sa.select(seat.entrant, seat.seat, *sums).select_from(seats).where(mine, seat.turns.is_not(None))
    for entrant, place, *load in connection.execute(loads.group_by(seat.entrant, seat.seat)):
        fits = _is_number(entrant, 0, shape.entrants - 1) and _is_number(place, 1, shape.seats)
        # SQLite adds up values that are no integers as a float.
        if not fits or any(isinstance(value, float) for value in load):
            raise damage.first_bad(connection, SEAT, tournament)
        counted.add_load(entrant, place, [int(value or 0) for value in load])
        overloaded = overloaded or load[-1] > 0
    if overloaded:
        stretched = sa.select(sa.func.count(sa.distinct(seat.match_id))).select_from(seats)
        counted.stretched = connection.execute(stretched.where(mine, _STRETCHED == 1)).scalar_one()
    return counted.sums()


_STRETCHED: Final = sa.case((SEAT.c.overloaded > 0, 1), else_=0)


def _is_number(value: object, least: int, most: int) -> bool:
    return type(value) is int and least <= value <= most


def standings_totals(totals: Totals) -> StandingsTotals:
    """Return what standings by points are made of."""
    scores = {key: ScoreTotals(*sums[:5]) for key, sums in sorted(totals[SCORE_TOTAL].items()) if sums[0]}
    pairs = (PairTotal(*key, *sums) for key, sums in sorted(totals[PAIR_TOTAL].items()) if sums[0])
    faults = ((*key, *sums) for key, sums in sorted(totals[FAULT_TOTAL].items()) if sums[0])
    return StandingsTotals(scores, tuple(pairs), tuple(faults))


def check_totals(connection: Connection, tournament: int, totals: Totals) -> None:
    """Check that stored totals agree with each other and with the schedule's length; nothing is counted.

    Raises StoreDamaged. So one altered value never gives standings; only the matches themselves, or all
    tables altered alike, want ``differences``.
    """
    if why := _contradiction(totals, *_size(connection, tournament)):
        name = connection.execute(sa.select(TOURNAMENT.c.name).where(TOURNAMENT.c.id == tournament)).scalar()
        raise StoreDamaged(
            f"the stored totals of {name} in {shown(connection.engine.url)} contradict each other"
            f" ({why}): the database was altered; see `tourney standings --recount`, and {_ADVICE}"
        )


def _size(connection: Connection, tournament: int) -> tuple[int, int]:
    last = sa.select(sa.func.coalesce(sa.func.max(SCHEDULE.c.number), 0))
    rows = connection.execute(last.where(SCHEDULE.c.tournament_id == tournament)).scalar_one()
    if type(rows) is not int:
        raise damage.first_bad(connection, SCHEDULE, tournament)
    return shape_of(connection, tournament).seats, rows


def _contradiction(totals: Totals, seats: int, rows: int) -> str | None:
    """Return the first contradiction of totals; ``rows``: how long the schedule is."""
    done, void, stretched = totals[MATCH_TOTAL].get((), (0, 0, 0))
    if not max(void, stretched) <= done <= rows:
        return f"{done} matches done and {void} void of {rows}"
    counted = done - void
    scores, pairs = totals[SCORE_TOTAL], totals[PAIR_TOTAL]
    games, units, firsts = (sum(score[place] for score in scores.values()) for place in range(3))
    if (games, units) != (counted * seats, counted * seats * (seats - 1)):
        return f"{games} games and {units} units of {counted} matches that count"
    games_of: Counter[int] = Counter()
    met: Counter[int] = Counter()
    charged: Counter[int] = Counter()
    for (entrant, _), score in scores.items():
        games_of[entrant] += score[0]
        charged[entrant] += score[4]
        if score[2] + score[3] > score[0]:
            return f"more wins and draws than games of entrant {entrant}"
    if firsts > counted:
        return f"{firsts} matches won of {counted} that count"
    for (entrant, opponent), (times, half_points) in pairs.items():
        met[entrant] += times
        back = pairs.get((opponent, entrant), (0, 0))
        if times != back[0] or half_points + back[1] != 2 * times:
            return f"the meetings of the entrants {entrant} and {opponent}"
    if met != Counter({entrant: times * (seats - 1) for entrant, times in games_of.items()}):
        return "the games of the entrants and their meetings"
    kinds: Counter[int] = Counter()
    for (entrant, _), (times,) in totals[FAULT_TOTAL].items():
        kinds[entrant] += times
    if any(times > kinds[entrant] for entrant, times in charged.items()):
        return "the faults of the entrants"
    return None


def differences(connection: Connection, tournament: int, counted: Totals) -> tuple[str, ...]:
    """Return how the stored totals differ from counted ones: the first difference and the number of others.

    Empty if they are the same; a sentence otherwise.
    """
    name = connection.execute(sa.select(TOURNAMENT.c.name).where(TOURNAMENT.c.id == tournament)).scalar()
    try:
        stored = read_totals(connection, tournament)
    except StoreDamaged as error:
        return (str(error),)
    query = sa.select(ENTRANT.c.number, ENTRANT.c.name).where(ENTRANT.c.tournament_id == tournament)
    names = {int(row.number): str(row.name) for row in connection.execute(query)}
    found = list(chain.from_iterable(_differences(table, stored, counted, names) for table in TABLES))
    if not found:
        return ()
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    sentence = (
        f"the stored totals of {name} differ from its results: {found[0]}{more}; if `tourney verify --all`"
        f" finds nothing else, {_ADVICE}, otherwise restore a backup"
    )
    return (sentence,)


def _differences(table: sa.Table, stored: Totals, counted: Totals, names: Mapping[int, str]) -> Iterator[str]:
    keys, columns = _columns(table)
    here, there = stored[table], counted[table]
    nothing = (0,) * len(columns)
    for key in sorted({*here, *there}):
        for column, mine, right in zip(columns, here.get(key, nothing), there.get(key, nothing), strict=True):
            if mine != right:
                whose = starmap(_part, zip(keys, key, strict=True))
                where = " ".join(f"{word} {names.get(part, part)}" for word, part in whose)
                what = f"{column.replace('_', ' ')}{' of ' if where else ''}{where}"
                yield f"{what} is {mine} stored, {right} counted"


def _part(name: str, value: Any) -> tuple[str, Any]:
    """Return a part of a key with its word; a seat's number must not be taken for an entrant's."""
    return ("against" if name == "opponent" else name, f"{value}" if name == "seat" else value)


def replace_totals(connection: Connection, tournament: int, totals: Totals) -> None:
    """Store these totals in place of those that are stored."""
    for table in TABLES:
        connection.execute(sa.delete(table).where(table.c.tournament_id == tournament))
        names = [name for part in _columns(table) for name in part]
        rows = [
            {"tournament_id": tournament, **dict(zip(names, (*key, *sums), strict=True))}
            for key, sums in sorted(totals[table].items())
            if any(sums)
        ]
        if rows:
            connection.execute(sa.insert(table), rows)
