"""The sentence for a column that holds what it may not: it names database, table, row and column."""

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tourney.errors import StoreDamaged
from tourney.store.column_validation import ColumnError
from tourney.store.engine import shown
from tourney.store.models import MATCH, SCHEDULE, TOURNAMENT

MAX_SHOWN = 40


def in_row(
    connection: Connection, table: sa.Table, row: object, misfit: ColumnError, whose: str = ""
) -> StoreDamaged:
    """Return the error for a row, told by its primary key; ``whose`` says in people's words what it is of."""
    name = shown(connection.engine.url)
    of = f" ({whose})" if whose else ""
    return StoreDamaged(
        f"the database {name} was altered: column {misfit.column} of table {table.name}, row {row}{of}, holds"
        f" {_shown(misfit.value)} and not {misfit.want}; restore a backup"
    )


def in_match(
    connection: Connection, table: sa.Table, tournament: int, number: object, misfit: ColumnError
) -> StoreDamaged:
    """Return the error for the row of a table whose keys are the schedule's, by a match's number."""
    query = (
        sa.select(SCHEDULE.c.id, TOURNAMENT.c.name)
        .select_from(SCHEDULE.join(TOURNAMENT, TOURNAMENT.c.id == SCHEDULE.c.tournament_id))
        .where(SCHEDULE.c.tournament_id == tournament, SCHEDULE.c.number == number)
    )
    found = connection.execute(query).first()
    if found is None:
        return in_row(connection, table, "?", misfit, f"match {number}")
    return in_row(connection, table, found.id, misfit, f"match {number} of {found.name}")


def in_result(connection: Connection, tournament: int, number: object, misfit: ColumnError) -> StoreDamaged:
    """Return the error for a match's row of the schedule or of its result, whichever has the column."""
    table = MATCH if misfit.column in MATCH.c else SCHEDULE
    return in_match(connection, table, tournament, number, misfit)


def find_value(connection: Connection, tournament: int, misfit: ColumnError) -> StoreDamaged:
    """Return the error for the first match of a tournament whose column holds this value.

    For those who read groups of matches, and do not know which one a value came from.
    """
    table = MATCH if misfit.column in MATCH.c else SCHEDULE
    query = (
        sa.select(SCHEDULE.c.number)
        .select_from(SCHEDULE.join(MATCH, MATCH.c.id == SCHEDULE.c.id))
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
