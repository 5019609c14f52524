"""Turn rows of SQL into values and values into rows; every column that is read is checked.

SQLAlchemy does not validate what it reads, and its errors would name no row; so checks are here. Functions
that check a row raise ColumnError, which names the column; those with a connection raise StoreDamaged, a
sentence that also names database, table and row.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import fields
from functools import lru_cache, partial
from itertools import islice, zip_longest
from typing import Final, NamedTuple, TypeVar, cast

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from sqlalchemy.exc import DBAPIError

from tourney.errors import StoreDamaged
from tourney.match.evidence import Evidence
from tourney.match.record import FAULT_KINDS, FaultKind
from tourney.match.result import SeatLoad
from tourney.schedule.row import MatchKey
from tourney.store.column_reading import (
    Cells,
    ColumnError,
    Columns,
    ComputedLuck,
    Dictionaries,
    naming,
    read_digest,
    read_evidence,
    read_faults,
    read_int,
    read_luck,
    read_ranks,
    read_seating,
    read_word,
    unpack_record,
)
from tourney.store.engine import Access, shown
from tourney.store.tables import (
    DICTIONARY,
    ENTRANT,
    KEY,
    LEAST,
    LOG,
    LUCK,
    MATCH,
    MEASURED,
    REPLACED,
    SCHEDULE,
    SEAT,
    TOURNAMENT,
    WITH_LUCK,
)
from tourney.store.values import BLAMING, VOID_REASONS, ReplacedResult, Result
from tourney.texts import counted

T = TypeVar("T")

FIRST_KEY = MatchKey(0, 0, 0, 0)
"""A key before that of the first match."""

_KEY = tuple(column.name for column in KEY)
_DIGESTS: Final = ("digest", "sha256", "root")  # columns that hold 64 hex digits
_MAX_SHOWN: Final = 40  # characters of a wrong value to quote: an altered one may have any length


# -- reading ------------------------------------------------------------------------------------------------


def dictionaries_of(connection: Connection, tournament: int) -> Dictionaries:
    """The dictionaries of a tournament's packed columns; damaged and unknown ones are left out."""
    query = sa.select(DICTIONARY.c.name, DICTIONARY.c.data).where(DICTIONARY.c.tournament_id == tournament)
    by_name = {name: data for name, data in connection.execute(query) if isinstance(data, bytes)}
    return Dictionaries(*(by_name.get(name, b"") for name in Dictionaries._fields))


class Shape(NamedTuple):
    """The bounds of a tournament's rows: its seats per table, and its number of entrants."""

    seats: int
    entrants: int


def shape_of(connection: Connection, tournament: int) -> Shape:
    """The shape of a tournament."""
    count = sa.select(sa.func.count()).select_from(ENTRANT).where(ENTRANT.c.tournament_id == tournament)
    query = sa.select(TOURNAMENT.c.seats, count.scalar_subquery()).where(TOURNAMENT.c.id == tournament)
    return Shape(*connection.execute(query).one())


def each(connection: Connection, query: sa.Executable, chunk: int = 2000) -> Iterator[Cells]:
    """Yield the rows of a query, a chunk at a time, so that a million are never held at once."""
    # Closed also if a reader stops early: a server's cursor must not be left open.
    with connection.execute(query, execution_options={"yield_per": chunk}) as rows:
        yield from rows


def chunks(values: Iterable[T], size: int = 500) -> Iterator[list[T]]:
    """Yield parts: databases bound the number of keys in one query, and a million matches fill the memory."""
    left = iter(values)
    while chunk := list(islice(left, size)):
        yield chunk


def checked(
    connection: Connection,
    query: sa.Select[object],
    tournament: int,
    value_of: Callable[[Cells, Shape], T],
    chunk: int = 2000,
) -> Iterator[T]:
    """Yield the value of each of a tournament's matches in a query, in schedule order.

    The query's first column is the number of the match, which the error for a bad column names.
    """
    shape = shape_of(connection, tournament)
    query = query.where(SCHEDULE.c.tournament_id == tournament).order_by(SCHEDULE.c.number)
    # No context manager here: this runs for each of a million rows.
    for row in each(connection, query, chunk):
        try:
            value = value_of(row, shape)
        except ColumnError as error:
            raise bad_match(connection, tournament, row[0], error) from error
        yield value


def read_values(
    access: Access, table: sa.Table, query: sa.Select[object], value_of: Callable[[Columns], T]
) -> tuple[T, ...]:
    """The value of each row of a table in a query."""
    values = []
    with access.read() as connection:
        for row in connection.execute(query).mappings():
            with naming(partial(bad_row, connection, table, row)):
                values.append(value_of(row))
    return tuple(values)


def read_value(access: Access, table: sa.Table, value_of: Callable[[Columns], T], **key: object) -> T | None:
    """The value of the row of a key, or None."""
    return next(iter(read_values(access, table, sa.select(table).filter_by(**key), value_of)), None)


class KeyOrder:
    """Reads the keys of matches one after the other, and checks that each comes after the one before."""

    def __init__(self) -> None:
        self._last = FIRST_KEY

    def next_key(self, cells: Cells) -> MatchKey:
        """The key of a match, from its number and the columns of its key."""
        number, round_, table, repeat, order = cells
        if not (type(number) is type(round_) is type(table) is type(repeat) is type(order) is int):
            check_columns(SCHEDULE, dict(zip(("number", *_KEY), cells, strict=True)))
        key = MatchKey(round_, table, repeat, order)
        if key <= self._last:
            _check_order(self._last, key)
        self._last = key
        return key


LUCK_CELLS: Final = (LUCK.c.value_version, LUCK.c.units)
"""The columns of a match's luck."""


def evidence_of(text: str, luck: Cells, seats: int, computed: ComputedLuck | None = None) -> Evidence:
    """The evidence of a match with the luck of its own table (``LUCK_CELLS``), if it is there.

    Else with the luck of its text, as older versions stored it, or with that of ``computed``.
    """
    evidence = read_evidence(text, seats)
    value_version, units = luck
    if units is not None:
        alone = read_luck(value_version, units, seats)
    elif evidence.luck or computed is None:
        return evidence
    else:
        alone = computed.evidence
    return evidence._replace(luck=alone.luck, values=alone.values)


RESULT = [MATCH.c[field.name] for field in fields(Result)]
"""The columns of a result, in the order of its fields."""


def result_of(
    row: Cells, seats: int, luck: Cells = (None, None), computed: ComputedLuck | None = None
) -> Result:
    """A finished match's result from the values of the columns ``RESULT``; ``evidence_of`` has the rest."""
    digest, ranks, reason, faults, note, actions, reproducible, void_reason, void_entrant, text = row
    # Most rows pass this test, which makes no object; a bad one is read column by column for its error.
    fits = type(digest) is type(reason) is type(note) is str and type(actions) is int and actions >= 0
    if not fits or void_reason is not None or void_entrant is not None:
        check_columns(MATCH, {column.name: cell for column, cell in zip(RESULT, row, strict=True)})
        if void_reason is not None:
            read_word("void_reason", void_reason, VOID_REASONS)
    places = read_ranks(ranks, seats)
    kinds = read_faults(faults, seats)
    evidence = evidence_of(text, luck, seats, computed)
    return Result(
        digest, places, reason, kinds, note, actions, reproducible, void_reason, void_entrant, evidence
    )


def replaced_of(row: Columns, shape: Shape) -> ReplacedResult:
    """A result that was taken back."""
    check_columns(REPLACED, row)
    kinds = (kind or "" for kind in read_faults(row["faults"], shape.seats))
    faults = cast("tuple[FaultKind, ...]", tuple(kinds))  # read_faults has checked them
    ranks = read_ranks(row["ranks"], shape.seats)
    return ReplacedResult(row["number"], row["rounds"], ranks, faults, bool(row["void"]))


# -- checks -------------------------------------------------------------------------------------------------


@lru_cache
def _declared(table: sa.Table) -> tuple[tuple[str, type, bool, int], ...]:
    """The columns of a table: name, type, whether it may be NULL, and its least value or length."""
    return tuple(
        (column.name, column.type.python_type, bool(column.nullable), column.info.get(LEAST, 0))
        for column in table.c
    )


def check_columns(table: sa.Table, row: Columns) -> None:
    """Check those columns of a table that a row has; packed ones are checked when they are unpacked."""
    for name, type_, nullable, least in _declared(table):
        if name not in row or type_ is bytes or (nullable and row[name] is None):
            continue
        value = row[name]
        if type_ is int:
            read_int(name, value, least)
        elif name in _DIGESTS:
            # The digest of a void match is empty.
            if table is not MATCH or value != "":
                read_digest(name, value)
        elif type_ is str:
            if not isinstance(value, str) or len(value) < least:
                raise ColumnError(name, value, "a text")
        elif type_ is bool:
            if type(value) not in (bool, int) or value not in (0, 1):
                raise ColumnError(name, value, "true (1) or false (0)")
        elif type(value) not in (int, float) or not 0 <= value <= 1:
            raise ColumnError(name, value, "a number from 0 to 1")


def check_schedule(row: Columns, shape: Shape, before: Columns | None = None) -> None:
    """Check a row of the schedule, also against the one before it."""
    check_columns(SCHEDULE, row)
    if before is not None:
        _check_order(tuple(before[column] for column in _KEY), tuple(row[column] for column in _KEY))
        if row["number"] <= before["number"]:
            raise ColumnError("number", row["number"], f"a number after {before['number']}")
    read_seating(row["seating"], *shape)


def _check_order(last: tuple[int, ...], key: tuple[int, ...]) -> None:
    """Check that a match's key comes after that of the match before it."""
    if key <= last:
        before = ".".join(map(str, last))
        raise ColumnError("round_no", key[0], f"a place after {before}, that of the match before it")


def lost_record(digest: str) -> ColumnError:
    """The error for a match that has a digest, but no record although its tournament is not archived."""
    return ColumnError("record", None, f"the record of the digest {digest[:16]}")


def check_match(row: Columns, shape: Shape, dictionary: bytes, *, archived: bool = False) -> None:
    """Check a finished match, its record too as far as its shape goes; ``archived``: that there is none."""
    read_ranks(row["ranks"], shape.seats)
    read_faults(row["faults"], shape.seats)
    read_evidence(row["evidence"], shape.seats)
    check_columns(MATCH, row)
    record = row["record"]
    digest = row["digest"]
    if record is None and digest != "" and not archived:
        raise lost_record(str(digest))
    if record is not None:
        if archived:
            raise ColumnError("record", record, "nothing, as the tournament is archived")
        read_digest("digest", digest)
        unpack_record(record, shape.seats, dictionary)
    reason = row["void_reason"]
    entrant = row["void_entrant"]
    if reason is not None and read_word("void_reason", reason, VOID_REASONS) in BLAMING:
        read_int("void_entrant", entrant, 0, shape.entrants - 1)
    elif entrant is not None:
        why = "as the match counts" if reason is None else f"as the reason is {reason}"
        raise ColumnError("void_entrant", entrant, f"nothing, {why}")


def check_seat(row: Columns, shape: Shape) -> None:
    """Check the result of a seat."""
    read_int("seat", row["seat"], 1, shape.seats)
    read_int("entrant", row["entrant"], 0, shape.entrants - 1)
    read_int("rank", row["rank"], 1, shape.seats)
    if row["fault"] is not None:
        read_word("fault", row["fault"], FAULT_KINDS)
    check_columns(SEAT, row)


def check_luck(row: Columns, shape: Shape) -> None:
    """Check the luck of a match."""
    read_luck(row["value_version"], row["units"], shape.seats)


# -- errors -------------------------------------------------------------------------------------------------

_NAMED = sa.select(SCHEDULE.c.id, SCHEDULE.c.number, TOURNAMENT.c.name).join_from(SCHEDULE, TOURNAMENT)


def altered(database: str, table: sa.Table, key: object, misfit: ColumnError, whose: str) -> StoreDamaged:
    """The error for the row of a primary key; ``whose`` describes it for people."""
    of = f" ({whose})" if whose else ""
    value = misfit.value
    if isinstance(value, bytes):
        shown_value = counted(len(value), "byte")
    else:
        shown_value = "nothing" if value is None else ascii(value) if isinstance(value, str) else str(value)
        if len(shown_value) > _MAX_SHOWN:
            shown_value = f"{shown_value[: _MAX_SHOWN - 3]}..."
    return StoreDamaged(
        f"the database {database} was altered: column {misfit.column} of table {table.name}, row {key}{of},"
        f" holds {shown_value} and not {misfit.want}; restore a backup"
    )


def bad_row(connection: Connection, table: sa.Table, row: Columns, misfit: ColumnError) -> StoreDamaged:
    """The error for a row, named by its primary key."""
    whose = ""
    # The name of the match may be what cannot be read.
    with suppress(DBAPIError):
        whose = _owner(connection, table, row)
    key = ",".join(str(row[column.name]) for column in table.primary_key)
    return altered(shown(connection.engine.url), table, key, misfit, whose)


def _owner(connection: Connection, table: sa.Table, row: Columns) -> str:
    """The entrant, tournament or match that a row belongs to, for people."""
    if table in (TOURNAMENT, ENTRANT):
        return f"{'entrant ' if table is ENTRANT else ''}{row['name']}"
    if (id_ := row.get("match_id", row["id"] if table in (SCHEDULE, MATCH) else None)) is not None:
        match = connection.execute(_NAMED.where(SCHEDULE.c.id == id_)).first()
        return "" if match is None else f"match {match.number} of {match.name}"
    return ""


def table_of(column: str) -> sa.Table:
    """The table with a column of a match, whose rows have the schedule's keys."""
    return next((table for table in (MATCH, LUCK, LOG, MEASURED) if column in table.c), SCHEDULE)


def bad_match(connection: Connection, tournament: int, number: object, misfit: ColumnError) -> StoreDamaged:
    """The error for a column of a match by its number."""
    mine = _NAMED.where(SCHEDULE.c.tournament_id == tournament, SCHEDULE.c.number == number)
    tournament_row = connection.execute(mine).first()
    whose = f"match {number}" if tournament_row is None else f"match {number} of {tournament_row.name}"
    key = "?" if tournament_row is None else tournament_row.id
    return altered(shown(connection.engine.url), table_of(misfit.column), key, misfit, whose)


def bad_value(connection: Connection, tournament: int, misfit: ColumnError) -> StoreDamaged:
    """The error for the first match of a tournament whose column holds this value.

    For readers of groups of matches, which do not know the match of a value.
    """
    query = sa.select(SCHEDULE.c.number).select_from(WITH_LUCK).order_by(SCHEDULE.c.number).limit(1)
    holds = table_of(misfit.column).c[misfit.column] == misfit.value
    number = connection.execute(query.where(SCHEDULE.c.tournament_id == tournament, holds)).scalar()
    return bad_match(connection, tournament, number, misfit)


def first_bad(connection: Connection, table: sa.Table, tournament: int) -> StoreDamaged:
    """The error for a tournament's first bad row of ``schedule`` or ``seat``; sums do not show it."""
    check = check_schedule if table is SCHEDULE else check_seat
    shape = shape_of(connection, tournament)
    query = sa.select(table).where(table.c.tournament_id == tournament).order_by(*table.primary_key)
    for row in connection.execute(query).mappings():
        try:
            check(row, shape)
        except ColumnError as error:
            return bad_row(connection, table, row, error)
    raise AssertionError(f"every row of {table.name} fits, but their sums do not")


# -- writing ------------------------------------------------------------------------------------------------


def match_values(id_: int, result: Result, record: bytes | None) -> dict[str, object]:
    """The columns of a finished match; ``record`` is packed."""
    columns = {column.name: getattr(result, column.name) for column in RESULT}
    faults = ",".join(kind or "" for kind in result.faults)
    texts = {"ranks": joined(result.ranks), "faults": faults, "evidence": result.evidence.bare.text}
    return columns | {"id": id_, "record": record, **texts}


def luck_values(id_: int, evidence: Evidence) -> dict[str, object]:
    """The columns of a match's luck."""
    return {"match_id": id_, "value_version": evidence.values, "units": joined(evidence.luck)}


def seat_values(
    id_: int, tournament: int, result: Result, seating: Sequence[int], load: Sequence[SeatLoad] = ()
) -> Iterator[dict[str, object]]:
    """Yield the columns of each seat of a finished match, from its result and the measured load."""
    columns = zip_longest(seating, result.ranks, result.faults, load[: len(seating)])
    for seat, (entrant, rank, fault, seat_load) in enumerate(columns, 1):
        yield {
            "match_id": id_,
            "seat": seat,
            "tournament_id": tournament,
            "entrant": entrant,
            "rank": rank,
            "fault": fault,
            "turns": None if seat_load is None else seat_load.turns,
            "overloaded": None if seat_load is None else seat_load.overloaded,
        }


def joined(numbers: Sequence[int]) -> str:
    """Numbers as they are kept: separated by commas."""
    return ",".join(map(str, numbers))


def replaced_values(tournament: int, results: Iterable[ReplacedResult]) -> list[dict[str, object]]:
    """The columns of results that were taken back."""
    return [
        {
            "tournament_id": tournament,
            "number": old.match,
            "rounds": old.rounds,
            "ranks": joined(old.ranks),
            "faults": ",".join(old.faults),
            "void": old.void,
        }
        for old in results
    ]
