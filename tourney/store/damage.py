"""Say where a database is damaged: database, table, row and column, in one sentence.

``bad_columns`` and ``bad_details`` read every row of a database.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tourney.errors import StoreDamaged
from tourney.store import rows
from tourney.store.baselines import baseline_of
from tourney.store.columns import ColumnError, Columns, unpack_log, unpack_measured
from tourney.store.engine import shown
from tourney.store.models import (
    ARCHIVE,
    BASELINE,
    CHECKPOINT,
    DICTIONARY,
    DRAW_PROBABILITY,
    ENTRANT,
    LOG,
    MATCH,
    MEASURED,
    PRESENTATION,
    REPLACED,
    SCHEDULE,
    SEAT,
    TOURNAMENT,
    VERDICT,
)
from tourney.store.presentation import presentation_of
from tourney.store.rows import Shape
from tourney.store.values import Dictionaries

MAX_SHOWN = 40

_MATCH = sa.select(SCHEDULE.c.id, SCHEDULE.c.number, TOURNAMENT.c.name).join_from(SCHEDULE, TOURNAMENT)
"""A match's id and number, and its tournament's name."""


def in_row(
    connection: Connection,
    table: sa.Table,
    row: object,
    misfit: ColumnError,
    whose: str = "",
    advice: str = "restore a backup",
) -> StoreDamaged:
    """Return the error for a row, named by its primary key; ``whose`` describes it for people."""
    return altered(shown(connection.engine.url), table, row, misfit, whose, advice)


def altered(
    database: str,
    table: sa.Table,
    row: object,
    misfit: ColumnError,
    whose: str = "",
    advice: str = "restore a backup",
) -> StoreDamaged:
    """Return the error of ``in_row`` for a database that is not at hand, by its name for messages."""
    of = f" ({whose})" if whose else ""
    return StoreDamaged(
        f"the database {database} was altered: column {misfit.column} of table {table.name}, row {row}{of},"
        f" holds {_shown(misfit.value)} and not {misfit.want}; {advice}"
    )


def in_match(
    connection: Connection, table: sa.Table, tournament: int, number: object, misfit: ColumnError
) -> StoreDamaged:
    """Return the error for the row of a table whose keys are the schedule's, by a match's number."""
    found = connection.execute(
        _MATCH.where(SCHEDULE.c.tournament_id == tournament, SCHEDULE.c.number == number)
    ).first()
    if found is None:
        return in_row(connection, table, "?", misfit, f"match {number}")
    return in_row(connection, table, found.id, misfit, f"match {number} of {found.name}")


def in_result(connection: Connection, tournament: int, number: object, misfit: ColumnError) -> StoreDamaged:
    """Return the error for a match's row of the schedule or of its result, whichever has the column."""
    table = MATCH if misfit.column in MATCH.c else SCHEDULE
    return in_match(connection, table, tournament, number, misfit)


def find_value(connection: Connection, tournament: int, misfit: ColumnError) -> StoreDamaged:
    """Return the error for the first match of a tournament whose column holds this value.

    For readers of groups of matches, which do not know the match of a value.
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


_CHUNK = 500

Step = Callable[[int, str], None]
"""Hears now and then how many rows of a table have been read."""

_INDEPENDENT: tuple[tuple[sa.Table, Callable[[Columns], object]], ...] = (
    (DRAW_PROBABILITY, rows.check_draw_probability),
    (CHECKPOINT, rows.check_checkpoint),
    (VERDICT, rows.check_verdict),
    (PRESENTATION, presentation_of),
    (BASELINE, baseline_of),
    (DICTIONARY, rows.check_dictionary),
    (ARCHIVE, rows.archive_of),
)
"""Tables whose rows can be read without knowing their tournament."""
DETAILS: dict[sa.Table, Callable[..., object]] = {
    LOG: lambda row, known: unpack_log("lines", row["lines"], known.lines),
    MEASURED: lambda row, known: unpack_measured("data", row["data"], known.data),
}
"""Tables beside the results, from which nothing is counted, with the check of a row."""


def bad_columns(connection: Connection, step: Step, *, every_match: bool = True) -> Iterator[StoreDamaged]:
    """Yield an error for each row with a bad column, and the first such column of it; see ``bad_details``.

    Without ``every_match`` the rows of the schedule, of results and of seats are left out.
    """
    read = partial(_rows, connection, step)
    shapes: dict[object, Shape] = {}
    counts: dict[object, int] = {}
    for row in read(ENTRANT):
        number = counts.setdefault(row["tournament_id"], 0)
        counts[row["tournament_id"]] = number + 1
        yield from _tried(connection, ENTRANT, row, partial(rows.entrant_of, number=number))
    for row in read(TOURNAMENT):
        bad = list(_tried(connection, TOURNAMENT, row, rows.tournament_of))
        yield from bad
        if not bad:
            shapes[row["id"]] = Shape(row["seats"], counts.get(row["id"], 0))
    # Rows of a damaged tournament cannot be checked; its error is enough.
    if every_match:
        yield from _bad_matches(connection, read, shapes)
    for row in read(REPLACED):
        if shape := shapes.get(row["tournament_id"]):
            yield from _tried(connection, REPLACED, row, partial(rows.replaced_of, shape=shape))
    for table, independent in _INDEPENDENT:
        for row in read(table):
            yield from _tried(connection, table, row, independent)


def _bad_matches(
    connection: Connection, read: Callable[..., Iterator[Columns]], shapes: Mapping[object, Shape]
) -> Iterator[StoreDamaged]:
    """Yield an error for each bad row of the schedule, of results and of seats."""
    last: dict[object, Columns] = {}
    for row in read(SCHEDULE):
        if shape := shapes.get(row["tournament_id"]):
            before = last.get(row["tournament_id"])
            ordered = partial(rows.check_schedule, shape=shape, before=before)
            bad = list(_tried(connection, SCHEDULE, row, ordered))
            yield from bad
            if not bad:
                last[row["tournament_id"]] = row
    known = partial(_known, connection, {})
    archived = set(connection.execute(sa.select(ARCHIVE.c.tournament_id)).scalars())
    for row in read(MATCH, SCHEDULE.c.tournament_id):
        if shape := shapes.get(row["tournament_id"]):
            dictionary = known(row["tournament_id"]).record
            gone = row["tournament_id"] in archived
            check = partial(rows.check_match, shape=shape, dictionary=dictionary, archived=gone)
            yield from _tried(connection, MATCH, row, check)
    for row in read(SEAT):
        if shape := shapes.get(row["tournament_id"]):
            yield from _tried(connection, SEAT, row, partial(rows.check_seat, shape=shape))


def bad_details(connection: Connection, step: Step) -> Iterator[StoreDamaged]:
    """Yield an error for each bad log and each bad row of measurements."""
    read = partial(_rows, connection, step)
    known = partial(_known, connection, {})
    for table, check in DETAILS.items():
        for row in read(table, SCHEDULE.c.tournament_id):
            fit = partial(check, known=known(row["tournament_id"]))
            yield from _tried(connection, table, row, fit)


def _known(connection: Connection, kept: dict[int, Dictionaries], tournament: int) -> Dictionaries:
    """Return the dictionaries of a tournament; ``kept`` has those that were asked for before."""
    if tournament not in kept:
        kept[tournament] = rows.dictionaries_of(connection, tournament)
    return kept[tournament]


def first_bad(connection: Connection, table: sa.Table, tournament: int) -> StoreDamaged:
    """Return the error for a tournament's first bad row of ``schedule`` or ``seat``; sums do not show it."""
    check = {SCHEDULE: rows.check_schedule, SEAT: rows.check_seat}[table]
    shape = rows.shape_of(connection, tournament)
    query = sa.select(table).where(table.c.tournament_id == tournament).order_by(*table.primary_key)
    for row in connection.execute(query).mappings():
        for error in _tried(connection, table, row, partial(check, shape=shape)):
            return error
    raise AssertionError(f"every row of {table.name} fits, but their sums do not")


def _rows(connection: Connection, step: Step, table: sa.Table, *more: sa.Column[Any]) -> Iterator[Columns]:
    """Yield all rows in the order of their keys, flags as they are kept."""
    columns: list[Any] = []
    for column in table.c:
        flag = isinstance(column.type, sa.Boolean)
        columns.append(sa.type_coerce(column, sa.Integer).label(column.name) if flag else column)
    query = sa.select(*columns, *more).order_by(*table.primary_key)
    if more:
        of = SCHEDULE.c.id == next(iter(table.primary_key))
        query = query.select_from(table.outerjoin(SCHEDULE, of))
    for done, row in enumerate(connection.execute(query, execution_options={"yield_per": _CHUNK}).mappings()):
        if done and done % _CHUNK == 0:
            step(done, table.name)
        yield row


def _tried(
    connection: Connection, table: sa.Table, row: Columns, check: Callable[[Columns], object]
) -> Iterator[StoreDamaged]:
    try:
        check(row)
    except ColumnError as error:
        key = ",".join(str(row[column.name]) for column in table.primary_key)
        yield in_row(connection, table, key, error, _whose(connection, table, row))


def _whose(connection: Connection, table: sa.Table, row: Columns) -> str:
    """Return a description of a row for people; "" if there is none."""
    if table is TOURNAMENT:
        return str(row["name"])
    if table is ENTRANT:
        return f"entrant {row['name']}"
    id_ = row.get("match_id", row["id"] if table in (SCHEDULE, MATCH) else None)
    if id_ is None:
        return ""
    found = connection.execute(_MATCH.where(SCHEDULE.c.id == id_)).first()
    return "" if found is None else f"match {found.number} of {found.name}"
