"""Errors that say where a database is damaged: database, table, row and column, in one sentence."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tourney.errors import StoreDamaged
from tourney.store.column_reading import ColumnError, Columns
from tourney.store.engine import shown
from tourney.store.models import MATCH, PLAYED, SCHEDULE, TOURNAMENT
from tourney.store.rows import Shape, each, shape_of

T = TypeVar("T")

MAX_SHOWN = 40

MATCH_NAME = sa.select(SCHEDULE.c.id, SCHEDULE.c.number, TOURNAMENT.c.name).join_from(SCHEDULE, TOURNAMENT)
"""A match's id and number, and its tournament's name."""


@contextmanager
def naming(connection: Connection, table: sa.Table, row: Columns, whose: str = "") -> Iterator[None]:
    """Name the row, by its primary key, in the error of a bad column; ``whose`` describes it for people."""
    try:
        yield
    except ColumnError as error:
        raise in_row(connection, table, key_of(table, row), error, whose) from error


def key_of(table: sa.Table, row: Columns) -> str:
    """The primary key of a row, for messages."""
    return ",".join(str(row[column.name]) for column in table.primary_key)


def checked(
    connection: Connection,
    query: sa.Select[Any],
    tournament: int,
    value_of: Callable[[Any, Shape], T],
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
            raise in_result(connection, tournament, row[0], error) from error
        yield value


def in_row(
    connection: Connection,
    table: sa.Table,
    row: object,
    misfit: ColumnError,
    whose: str = "",
    advice: str = "restore a backup",
) -> StoreDamaged:
    """The error for a row, named by its primary key; ``whose`` describes it for people."""
    return altered(shown(connection.engine.url), table, row, misfit, whose, advice)


def altered(
    database: str,
    table: sa.Table,
    row: object,
    misfit: ColumnError,
    whose: str = "",
    advice: str = "restore a backup",
) -> StoreDamaged:
    """The error of ``in_row`` for a database that is not at hand, by its name for messages."""
    of = f" ({whose})" if whose else ""
    return StoreDamaged(
        f"the database {database} was altered: column {misfit.column} of table {table.name}, row {row}{of},"
        f" holds {_shown(misfit.value)} and not {misfit.want}; {advice}"
    )


def in_match(
    connection: Connection, table: sa.Table, tournament: int, number: object, misfit: ColumnError
) -> StoreDamaged:
    """The error for the row of a table whose keys are the schedule's, by a match's number."""
    found = connection.execute(
        MATCH_NAME.where(SCHEDULE.c.tournament_id == tournament, SCHEDULE.c.number == number)
    ).first()
    if found is None:
        return in_row(connection, table, "?", misfit, f"match {number}")
    return in_row(connection, table, found.id, misfit, f"match {number} of {found.name}")


def in_result(connection: Connection, tournament: int, number: object, misfit: ColumnError) -> StoreDamaged:
    """The error for a match's row of the schedule or of its result, whichever has the column."""
    table = MATCH if misfit.column in MATCH.c else SCHEDULE
    return in_match(connection, table, tournament, number, misfit)


def find_value(connection: Connection, tournament: int, misfit: ColumnError) -> StoreDamaged:
    """The error for the first match of a tournament whose column holds this value.

    For readers of groups of matches, which do not know the match of a value.
    """
    table = MATCH if misfit.column in MATCH.c else SCHEDULE
    query = (
        sa.select(SCHEDULE.c.number)
        .select_from(PLAYED)
        .where(SCHEDULE.c.tournament_id == tournament, table.c[misfit.column] == misfit.value)
        .order_by(SCHEDULE.c.number)
        .limit(1)
    )
    return in_match(connection, table, tournament, connection.execute(query).scalar(), misfit)


def _shown(value: object) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, bytes):
        return f"{len(value):,} byte{'' if len(value) == 1 else 's'}"
    text = ascii(value) if isinstance(value, str) else str(value)
    return text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN - 3]}..."
