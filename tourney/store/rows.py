"""Turn rows of SQL into values and values into rows; every column that is read is checked.

SQLModel does not validate the rows of tables, and its errors would name no row; so checks are here. Functions
that read raise ColumnError, which names the column.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from itertools import zip_longest
from operator import itemgetter
from typing import Any, NamedTuple, TypeVar, cast

import sqlalchemy as sa
from sqlalchemy.engine import Connection, RowMapping

from tourney.match.record import FAULT_KINDS, FaultKind
from tourney.match.result import SeatLoad
from tourney.schedule.row import MatchKey
from tourney.store.column_reading import (
    MAX_DICTIONARY,
    ColumnError,
    Columns,
    Dictionaries,
    read_digest,
    read_faults,
    read_flag,
    read_int,
    read_maybe_int,
    read_ranks,
    read_seating,
    read_text,
    read_word,
    unpack_record,
)
from tourney.store.models import DICTIONARY, ENTRANT, KEY, MATCH, TOURNAMENT
from tourney.store.values import VOID_REASONS, ReplacedResult, Result

T = TypeVar("T")

FIRST_KEY = MatchKey(0, 0, 0, 0)
"""A key before that of the first match."""

_KEY = tuple(column.name for column in KEY)


def dictionaries_of(connection: Connection, tournament: int) -> Dictionaries:
    """What a tournament's columns are packed with; what is damaged or unknown is left out."""
    query = sa.select(DICTIONARY.c.name, DICTIONARY.c.data).where(DICTIONARY.c.tournament_id == tournament)
    found = {name: data for name, data in connection.execute(query) if isinstance(data, bytes)}
    return Dictionaries(*(found.get(name, b"") for name in Dictionaries._fields))


def check_dictionary(row: Columns) -> None:
    """Check a dictionary of packed columns."""
    read_word(row, "name", Dictionaries._fields)
    if not isinstance(row["data"], bytes) or not 0 < len(row["data"]) <= MAX_DICTIONARY:
        raise ColumnError("data", row["data"], f"1 to {MAX_DICTIONARY:,} bytes")


class Shape(NamedTuple):
    """What the rows of a tournament must fit: its seats per table, and its number of entrants."""

    seats: int
    entrants: int


def shape_of(connection: Connection, tournament: int) -> Shape:
    """The shape of a tournament."""
    count = sa.select(sa.func.count()).select_from(ENTRANT).where(ENTRANT.c.tournament_id == tournament)
    query = sa.select(TOURNAMENT.c.seats, count.scalar_subquery()).where(TOURNAMENT.c.id == tournament)
    seats, entrants = connection.execute(query).one()
    return Shape(seats, entrants)


def each(connection: Connection, query: Any, chunk: int = 2000) -> Iterator[Any]:
    """Yield the rows of a query, a chunk at a time, so that a million are never held at once."""
    # Closed also if a reader stops early: a server's cursor must not be left open.
    with connection.execute(query, execution_options={"yield_per": chunk}) as found:
        yield from found


def chunks(values: Sequence[T], size: int = 500) -> Iterator[Sequence[T]]:
    """Yield parts of a sequence: databases bound the number of keys in one query."""
    for start in range(0, len(values), size):
        yield values[start : start + size]


def stored_row(connection: Connection, table: sa.Table, **key: object) -> RowMapping | None:
    """The row of a key, or None."""
    return connection.execute(sa.select(table).filter_by(**key)).mappings().first()


def keep_row(connection: Connection, table: sa.Table, key: dict[str, Any], **values: object) -> None:
    """Replace the row of a key."""
    connection.execute(sa.delete(table).filter_by(**key))
    connection.execute(sa.insert(table).values(**key, **values))


class KeyOrder:
    """Reads the keys of matches one after the other, and checks that each comes after the one before."""

    def __init__(self) -> None:
        self._last = FIRST_KEY

    def next_key(self, number: Any, round_: Any, table: Any, repeat: Any, order: Any) -> MatchKey:
        """The key of a match, from the values of its columns."""
        if not (type(number) is type(round_) is type(table) is type(repeat) is type(order) is int):
            row = dict(zip(("number", *_KEY), (number, round_, table, repeat, order), strict=True))
            for column in row:
                read_int(row, column, 1)
        key = MatchKey(round_, table, repeat, order)
        if key <= self._last:
            check_order(self._last, key)
        self._last = key
        return key


def check_schedule(row: Columns, shape: Shape, before: Columns | None = None) -> None:
    """Check a row of the schedule, also against the one before it."""
    for column in ("number", *_KEY):
        read_int(row, column, 1)
    if before is not None:
        check_order(tuple(before[column] for column in _KEY), tuple(row[column] for column in _KEY))
        if row["number"] <= before["number"]:
            raise ColumnError("number", row["number"], f"a number after {before['number']}")
    read_seating(row["seating"], *shape)


def check_order(last: tuple[int, ...], key: tuple[int, ...]) -> None:
    """Check that a match's key comes after that of the match before it."""
    if key <= last:
        before = ".".join(map(str, last))
        raise ColumnError("round_no", key[0], f"a place after {before}, that of the match before it")


def check_match(row: Columns, shape: Shape, dictionary: bytes, *, archived: bool = False) -> None:
    """Check a finished match, its record too as far as its shape goes; ``archived``: that there is none."""
    read_ranks(row["ranks"], shape.seats)
    read_faults(row["faults"], shape.seats)
    read_text(row, "reason", least=1)
    read_text(row, "note")
    read_int(row, "actions")
    read_flag(row, "reproducible")
    check_void(row, shape.entrants)
    if archived:
        if row["record"] is not None:
            raise ColumnError("record", row["record"], "nothing, as the tournament is archived")
        if row["digest"] != "":
            read_digest(row, "digest")
    elif row["record"] is None:
        if row["digest"] != "":
            raise ColumnError("record", None, f"the record of the digest {str(row['digest'])[:16]}")
    else:
        read_digest(row, "digest")
        unpack_record("record", row["record"], shape.seats, dictionary)


RESULT = [MATCH.c[field.name] for field in fields(Result)]
"""The columns of a result, in the order of its fields."""


def result_of(row: Sequence[Any], seats: int) -> Result:
    """A finished match's result from the values of the columns ``RESULT``."""
    digest, ranks, reason, faults, note, actions, reproducible, void_reason, void_entrant = row
    # Most rows pass this test, which makes no object; a bad one is read column by column for its error.
    fits = type(digest) is type(reason) is type(note) is str and type(actions) is int and actions >= 0
    if not fits or void_reason is not None or void_entrant is not None:
        columns = dict(zip((column.name for column in RESULT), row, strict=True))
        for name in ("digest", "reason", "note"):
            read_text(columns, name)
        read_int(columns, "actions")
        if void_reason is not None:
            read_word(columns, "void_reason", VOID_REASONS)
        read_maybe_int(columns, "void_entrant")
    return Result(
        digest,
        read_ranks(ranks, seats),
        reason,
        read_faults(faults, seats),
        note,
        actions,
        reproducible,
        void_reason,
        void_entrant,
    )


def match_values(id_: int, result: Result, record: bytes | None) -> dict[str, Any]:
    """The columns of a finished match; ``record`` is packed."""
    return {
        "id": id_,
        "digest": result.digest,
        "ranks": joined(result.ranks),
        "faults": ",".join(kind or "" for kind in result.faults),
        "reason": result.reason,
        "note": result.note,
        "actions": result.actions,
        "reproducible": result.reproducible,
        "record": record,
        "void_reason": result.void_reason,
        "void_entrant": result.void_entrant,
    }


def seat_values(
    id_: int, tournament: int, result: Result, seating: Sequence[int], load: Sequence[SeatLoad] = ()
) -> Iterator[dict[str, Any]]:
    """Yield the columns of each seat of a finished match, from its result and what was measured."""
    columns = zip_longest(seating, result.ranks, result.faults, load[: len(seating)])
    for seat, (entrant, rank, fault, found) in enumerate(columns, 1):
        yield {
            "match_id": id_,
            "seat": seat,
            "tournament_id": tournament,
            "entrant": entrant,
            "rank": rank,
            "fault": fault,
            "turns": None if found is None else found.turns,
            "overloaded": None if found is None else found.overloaded,
        }


def insert_rows(connection: Connection, table: sa.Table, rows: Sequence[Columns]) -> None:
    """Insert rows, each with all columns.

    They go to the driver as they are: SQLAlchemy takes half as long to translate them as SQLite to store
    them, and a server takes a copy in half of the time of insertions.
    """
    if not rows:
        return
    dialect = connection.dialect
    name = dialect.identifier_preparer.format_table(table)
    columns = ", ".join(map(dialect.identifier_preparer.format_column, table.columns))
    values = map(itemgetter(*table.columns.keys()), rows)
    if dialect.name == "sqlite":
        marks = ", ".join("?" for _ in table.columns)
        text = f"INSERT INTO {name} ({columns}) VALUES ({marks})"  # noqa: S608 - the names are those of our tables
        connection.exec_driver_sql(text, list(values))
        return
    driver: Any = dialect.dbapi
    cursor: Any = connection.connection.cursor()
    text = f"COPY {name} ({columns}) FROM STDIN"
    try:
        with cursor, cursor.copy(text) as copy:
            for row in values:
                copy.write_row(row)
    except driver.Error as error:
        lost = isinstance(error, driver.OperationalError)
        raise (sa.exc.OperationalError if lost else sa.exc.DBAPIError)(text, None, error) from error


def joined(numbers: Sequence[int]) -> str:
    """Numbers as they are kept: separated by commas."""
    return ",".join(map(str, numbers))


def check_void(row: Columns, entrants: int) -> None:
    """Check the reason of a void match: only benching names an entrant."""
    if row["void_reason"] is None:
        if row["void_entrant"] is not None:
            raise ColumnError("void_entrant", row["void_entrant"], "nothing, as the match counts")
        return
    reason = read_word(row, "void_reason", VOID_REASONS)
    if reason == "benched":
        read_int(row, "void_entrant", 0, entrants - 1)
    elif row["void_entrant"] is not None:
        raise ColumnError("void_entrant", row["void_entrant"], f"nothing, as the reason is {reason}")


def check_seat(row: Columns, shape: Shape) -> None:
    """Check what came of a seat."""
    read_int(row, "seat", 1, shape.seats)
    read_int(row, "entrant", 0, shape.entrants - 1)
    read_int(row, "rank", 1, shape.seats)
    if row["fault"] is not None:
        read_word(row, "fault", FAULT_KINDS)
    for column in ("turns", "overloaded"):
        read_maybe_int(row, column)


def replaced_of(row: Columns, shape: Shape) -> ReplacedResult:
    """A result that was taken back."""
    kinds = tuple(kind or "" for kind in read_faults(row["faults"], shape.seats))
    return ReplacedResult(
        read_int(row, "number", 1),
        read_int(row, "rounds", 1),
        read_ranks(row["ranks"], shape.seats),
        cast("tuple[FaultKind, ...]", kinds),  # read_faults has checked them
        read_flag(row, "void"),
    )


def replaced_values(tournament: int, results: Iterable[ReplacedResult]) -> list[dict[str, Any]]:
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
