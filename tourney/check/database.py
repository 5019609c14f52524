"""Find everything that is wrong with a database: pages, tables, columns, rows, and contradictions."""

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from itertools import islice
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from sqlalchemy.exc import DBAPIError

from tourney.errors import StoreDamaged, StoreError, TournamentError
from tourney.schedule.format import FORMATS, find_format
from tourney.store import rows, sqlite
from tourney.store.baselines import baseline_of
from tourney.store.column_reading import (
    MAX_DICTIONARY,
    ColumnError,
    Columns,
    Dictionaries,
    read_word,
    unpack_log,
    unpack_measured,
)
from tourney.store.derived import analysis_of_row, checkpoint_of, draw_probability_of
from tourney.store.engine import (
    is_sqlite,
    opened,
    parse_url,
    revision_of,
    revision_text,
    shown,
    transaction,
    unknown_revision,
)
from tourney.store.presentation import presentation_of
from tourney.store.rows import Shape
from tourney.store.tables import (
    ANALYSIS,
    ARCHIVE,
    BASELINE,
    CHECKPOINT,
    DICTIONARY,
    DRAW_PROBABILITY,
    ENTRANT,
    LOG,
    LUCK,
    MATCH,
    MEASURED,
    METADATA,
    PRESENTATION,
    REFUSED_HOST,
    REPLACED,
    SCHEDULE,
    SEAT,
    TOURNAMENT,
    VERDICT,
)
from tourney.store.tournaments import archive_of, entrant_of, refused_host_of, tournament_of, verdict_of

MOST = 20
"""Bad rows to name at most when a run starts, which needs only the first."""
MOST_LISTED = 1_000
"""Bad rows that a check lists; more of them say nothing more, and a million would fill the terminal."""

_CHUNK = 500  # rows read at a time, between two calls of ``step``

Step = Callable[[int, str], None]
"""Hears now and then how many rows of a table have been read."""


def _check_dictionary(row: Columns) -> None:
    read_word("name", row["name"], Dictionaries._fields)
    if not isinstance(row["data"], bytes) or not 0 < len(row["data"]) <= MAX_DICTIONARY:
        raise ColumnError("data", row["data"], f"1 to {MAX_DICTIONARY:,} bytes")


_INDEPENDENT: tuple[tuple[sa.Table, Callable[[Columns], object]], ...] = (
    (DRAW_PROBABILITY, draw_probability_of),
    (CHECKPOINT, checkpoint_of),
    (VERDICT, verdict_of),
    (PRESENTATION, presentation_of),
    (BASELINE, baseline_of),
    (DICTIONARY, _check_dictionary),
    (ARCHIVE, archive_of),
    (REFUSED_HOST, refused_host_of),
)
"""Tables whose rows can be read without knowing their tournament."""
DETAILS: dict[sa.Table, Callable[..., object]] = {
    LOG: lambda row, known: unpack_log(row["lines"], known.lines),
    MEASURED: lambda row, known: unpack_measured(row["data"], known.data),
    ANALYSIS: lambda row, known: analysis_of_row(row),  # noqa: ARG005 - packed without a dictionary
}
"""Tables beside the results, from which nothing is counted, with the check of a row."""


class DatabaseProblems(NamedTuple):
    """The problems of the results of a database, and of logs and measurements ``beside``; a sentence each."""

    results: tuple[str, ...]
    beside: tuple[str, ...]


def check_database(url: str, step: Step = lambda _done, _table: None) -> tuple[str, ...]:
    """The problems of a database, a sentence each; none if it is sound."""
    results, beside = check_parts(url, step, most=MOST_LISTED)
    return (*results, *beside)


def unknown_rankings(url: str) -> tuple[str, ...]:
    """A sentence for each tournament of a sound database that this version cannot rank."""
    sentences = []
    with opened(url) as engine, transaction(engine) as connection:
        for row in _rows(connection, lambda _done, _table: None, TOURNAMENT):
            plan = tournament_of(row).plan
            if plan.ranking is not None and FORMATS.knows(plan.format):
                try:
                    find_format(plan.format).check_rule(plan.ranking, plan.seats)
                except TournamentError as error:
                    sentences.append(f"{plan.name}: {error}")
    return tuple(sentences)


def check_parts(
    url: str, step: Step = lambda _done, _table: None, *, every_match: bool = True, most: int = MOST
) -> DatabaseProblems:
    """Check the results of a database, and the logs and measurements beside them.

    Nothing is counted from logs and measurements, so that a run can go on without one of them. Without
    ``every_match`` the rows of matches are not read one by one: pages, references, missing rows and whether
    the tables agree are checked, in a tenth of the time. A damaged database is read as far as it can be;
    at most ``most`` problems of a kind are listed. Raises StoreError for what is not a database of Tourney.
    """
    parsed = parse_url(url)
    details = {table.name for table in DETAILS}
    orphans: tuple[sqlite.Orphan, ...] = ()
    results: list[str] = []
    if is_sqlite(parsed):
        problems, orphans = sqlite.full_check(sqlite.path_of(parsed), most)
        results += problems
        results += (orphan.sentence for orphan in orphans if orphan.table not in details)
    beside = [orphan.sentence for orphan in orphans if orphan.table in details]
    try:
        with opened(url, damaged=True) as engine, transaction(engine) as connection:
            if unknown_revision(revision := revision_of(engine)):
                results.append(revision_text(shown(parsed), revision))
            differences, unreadable = _altered_schema(connection)
            results += differences
            reader = _Reader(connection, step, unreadable)
            results += _listed(bad_columns(reader, every_match=every_match), most)
            if every_match:
                beside += _listed(bad_details(reader), most)
            results += reader.unread
            if not unreadable & _COMPARED:
                results += _compared(connection, most)
    except StoreError as error:
        # Without damage the error is about the whole file, as where it is not a database of Tourney.
        if not results:
            raise
        results.append(str(error))
    return DatabaseProblems(tuple(dict.fromkeys(results)), tuple(dict.fromkeys(beside)))


_COMPARED = {table.name for table in (TOURNAMENT, SCHEDULE, MATCH, SEAT)}
"""The tables that ``_gaps`` and ``_differences`` read."""


def _listed(errors: Iterator[StoreDamaged], most: int) -> list[str]:
    sentences = [str(error) for error in islice(errors, most)]
    if len(sentences) == most:
        sentences.append("there may be more: restore a backup first")
    return sentences


def _compared(connection: Connection, most: int) -> list[str]:
    """The contradictions between the tables of results."""
    try:
        return [*_gaps(connection), *_differences(connection, most)]
    except DBAPIError as error:
        if not isinstance(error.orig, sqlite3.Error):
            raise
        return [f"schedule, results and seats cannot be compared: {error.orig}"]


class _Reader:
    """Reads the rows of tables as far as that is possible; ``unread`` has a sentence for each other table.

    Tables in ``unreadable`` lack columns, or are missing; they have been named.
    """

    def __init__(self, connection: Connection, step: Step, unreadable: set[str]) -> None:
        self.connection = connection
        self.unread: list[str] = []
        self._step = step
        self._unreadable = unreadable

    def rows(self, table: sa.Table, *more: sa.Column[object]) -> Iterator[Columns]:
        """Yield the rows of a table in the order of their keys, flags as they are kept."""
        if {table.name, *(column.table.name for column in more)} & self._unreadable:
            return
        try:
            yield from _rows(self.connection, self._step, table, *more)
        except DBAPIError as error:
            # On a server the transaction is over with the first error, so only a file is read on.
            if not isinstance(error.orig, sqlite3.Error):
                raise
            self.unread.append(f"the table {table.name} cannot be read whole: {error.orig}")


def bad_columns(reader: _Reader, *, every_match: bool = True) -> Iterator[StoreDamaged]:
    """Yield an error for each row with a bad column, and the first such column of it; see ``bad_details``.

    Without ``every_match`` the rows of the schedule, of results and of seats are left out.
    """
    connection = reader.connection
    shapes: dict[object, Shape] = {}
    counts: dict[object, int] = {}
    for row in reader.rows(ENTRANT):
        number = counts.setdefault(row["tournament_id"], 0)
        counts[row["tournament_id"]] = number + 1
        yield from _tried(connection, ENTRANT, row, partial(entrant_of, number=number))
    for row in reader.rows(TOURNAMENT):
        bad = list(_tried(connection, TOURNAMENT, row, tournament_of))
        yield from bad
        if not bad:
            shapes[row["id"]] = Shape(row["seats"], counts.get(row["id"], 0))
    # Rows of a damaged tournament cannot be checked; its error is enough.
    if every_match:
        yield from _bad_matches(reader, shapes)
    for row in reader.rows(REPLACED):
        if shape := shapes.get(row["tournament_id"]):
            yield from _tried(connection, REPLACED, row, partial(rows.replaced_of, shape=shape))
    for table, independent in _INDEPENDENT:
        for row in reader.rows(table):
            yield from _tried(connection, table, row, independent)


def _bad_matches(reader: _Reader, shapes: Mapping[object, Shape]) -> Iterator[StoreDamaged]:
    """Yield an error for each bad row of the schedule, of results and of seats."""
    connection = reader.connection
    last: dict[object, Columns] = {}
    for row in reader.rows(SCHEDULE):
        if shape := shapes.get(row["tournament_id"]):
            before = last.get(row["tournament_id"])
            ordered = partial(rows.check_schedule, shape=shape, before=before)
            bad = list(_tried(connection, SCHEDULE, row, ordered))
            yield from bad
            if not bad:
                last[row["tournament_id"]] = row
    dictionaries = cache(partial(_dictionaries, connection))
    archived = {row["tournament_id"] for row in reader.rows(ARCHIVE)}
    for row in reader.rows(MATCH, SCHEDULE.c.tournament_id):
        if shape := shapes.get(row["tournament_id"]):
            dictionary = dictionaries(row["tournament_id"]).record
            gone = row["tournament_id"] in archived
            check = partial(rows.check_match, shape=shape, dictionary=dictionary, archived=gone)
            yield from _tried(connection, MATCH, row, check)
    for row in reader.rows(SEAT):
        if shape := shapes.get(row["tournament_id"]):
            yield from _tried(connection, SEAT, row, partial(rows.check_seat, shape=shape))
    for row in reader.rows(LUCK, SCHEDULE.c.tournament_id):
        if shape := shapes.get(row["tournament_id"]):
            yield from _tried(connection, LUCK, row, partial(rows.check_luck, shape=shape))


def bad_details(reader: _Reader) -> Iterator[StoreDamaged]:
    """Yield an error for each bad log and each bad row of measurements."""
    dictionaries = cache(partial(_dictionaries, reader.connection))
    for table, check in DETAILS.items():
        for row in reader.rows(table, SCHEDULE.c.tournament_id):
            fit = partial(check, known=dictionaries(row["tournament_id"]))
            yield from _tried(reader.connection, table, row, fit)


def _dictionaries(connection: Connection, tournament: int) -> Dictionaries:
    """The dictionaries of a tournament; without them its packed columns are found to be damaged too."""
    try:
        return rows.dictionaries_of(connection, tournament)
    except DBAPIError as error:
        if not isinstance(error.orig, sqlite3.Error):
            raise
        return Dictionaries()


def _rows(connection: Connection, step: Step, table: sa.Table, *more: sa.Column[object]) -> Iterator[Columns]:
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
        yield rows.bad_row(connection, table, row, error)


_PROGRAMS = {
    "sqlite": "SELECT type, name FROM sqlite_master WHERE type IN ('trigger', 'view') ORDER BY name",
    "postgresql": (
        "SELECT DISTINCT 'trigger', trigger_name FROM information_schema.triggers"
        " WHERE trigger_schema = current_schema() UNION SELECT 'view', table_name FROM"
        " information_schema.views WHERE table_schema = current_schema()"
    ),
}
"""Queries for programs that a database runs by itself; Tourney makes none."""


def _altered_schema(connection: Connection) -> tuple[list[str], set[str]]:
    """The differences of tables, columns and indexes from the models, and foreign triggers and views.

    With them, the names of the tables that cannot be read with the models.
    """
    inspector = sa.inspect(connection)
    differences = []
    unreadable = set()
    tables = set(inspector.get_table_names())
    for table in METADATA.sorted_tables:
        if table.name not in tables:
            differences.append(f"the table {table.name} is missing")
            unreadable.add(table.name)
            continue
        columns = {column["name"] for column in inspector.get_columns(table.name)}
        wanted = {column.name for column in table.columns}
        if wanted - columns:
            unreadable.add(table.name)
        differences += [
            f"the table {table.name} lacks its column {name}" for name in sorted(wanted - columns)
        ]
        differences += [
            f"the table {table.name} has a column {name} too many" for name in sorted(columns - wanted)
        ]
        here = _index_names(connection, table.name)
        indexes = {str(index.name) for index in table.indexes}
        differences += [f"the index {name} of {table.name} is missing" for name in sorted(indexes - here)]
    if query := _PROGRAMS.get(connection.dialect.name):
        for kind, name in connection.execute(sa.text(query)):
            differences.append(
                f"the {kind} {name} does not belong to the database: it may alter what is stored"
            )
    return differences, unreadable


def _index_names(connection: Connection, table: str) -> set[str]:
    """The names of a table's indexes, also of indexes that SQLAlchemy does not list."""
    if connection.dialect.name == "sqlite":
        query = sa.text("SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name = :table")
        return set(connection.execute(query, {"table": table}).scalars())
    return {str(index["name"]) for index in sa.inspect(connection).get_indexes(table)}


def _gaps(connection: Connection) -> list[str]:
    """The contradictions between tables."""
    gaps = []
    numbers = (
        sa.select(
            TOURNAMENT.c.id,
            TOURNAMENT.c.name,
            sa.func.count(SCHEDULE.c.id),
            sa.func.coalesce(sa.func.max(SCHEDULE.c.number), 0),
        )
        .select_from(TOURNAMENT.outerjoin(SCHEDULE, SCHEDULE.c.tournament_id == TOURNAMENT.c.id))
        .group_by(TOURNAMENT.c.id, TOURNAMENT.c.name)
        .order_by(TOURNAMENT.c.id)
    )
    for tournament, name, count, last in connection.execute(numbers):
        if type(last) is not int:
            gaps.append(str(rows.first_bad(connection, SCHEDULE, tournament)))
        elif count != last:
            gaps.append(f"{name}: {last - count} rows of the schedule are missing")
    present = (
        sa.select(TOURNAMENT.c.name, SCHEDULE.c.number, TOURNAMENT.c.seats, sa.func.count(SEAT.c.seat))
        .select_from(
            MATCH.join(SCHEDULE, SCHEDULE.c.id == MATCH.c.id)
            .join(TOURNAMENT, TOURNAMENT.c.id == SCHEDULE.c.tournament_id)
            .outerjoin(SEAT, SEAT.c.match_id == MATCH.c.id)
        )
        .group_by(TOURNAMENT.c.name, SCHEDULE.c.number, TOURNAMENT.c.seats)
        .having(sa.func.count(SEAT.c.seat) != TOURNAMENT.c.seats)
        .order_by(TOURNAMENT.c.name, SCHEDULE.c.number)
    )
    for name, number, wanted, count in connection.execute(present):
        gaps.append(f"match {name}/{number} has {count} seats stored, not {wanted}")
    return gaps


def _differences(connection: Connection, most: int) -> list[str]:
    """The first matches whose results differ between the tables ``match`` and ``seat``.

    Standings are counted over ``match``, faults over ``seat``. The columns of ``match`` and ``schedule`` have
    a part for each seat, separated by commas.
    """
    pairs = (
        (SCHEDULE.c.seating, sa.cast(SEAT.c.entrant, sa.Text)),
        (MATCH.c.ranks, sa.cast(SEAT.c.rank, sa.Text)),
        (MATCH.c.faults, sa.func.coalesce(SEAT.c.fault, "")),
    )
    wrong = [
        sa.case(
            (SEAT.c.seat == 1, whole.not_like(part.concat(",%"))),
            (SEAT.c.seat == TOURNAMENT.c.seats, whole.not_like(sa.literal("%,").concat(part))),
            else_=whole.not_like(sa.literal("%,").concat(part).concat(",%")),
        )
        for whole, part in pairs
    ]
    query = (
        sa.select(TOURNAMENT.c.name, SCHEDULE.c.number, SEAT.c.seat)
        .select_from(
            SEAT.join(MATCH, MATCH.c.id == SEAT.c.match_id)
            .join(SCHEDULE, SCHEDULE.c.id == MATCH.c.id)
            .join(TOURNAMENT, TOURNAMENT.c.id == SCHEDULE.c.tournament_id)
        )
        .where(TOURNAMENT.c.seats > 1, sa.or_(*wrong))
        .order_by(TOURNAMENT.c.id, SCHEDULE.c.number, SEAT.c.seat)
        .limit(most)
    )
    return [
        f"match {name}/{number} has another result or entrant in the table seat than beside it, at seat"
        f" {seat}: the database was altered"
        for name, number, seat in connection.execute(query)
    ]
