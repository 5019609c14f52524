"""Upgrade, back up, check and copy databases."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.engine import URL, Connection, Engine

from tourney.errors import StoreDamaged, StoreError, UsageError
from tourney.store import sqlite
from tourney.store.damage import DETAILS, Step, bad_columns, bad_details, first_bad
from tourney.store.engine import (
    is_sqlite,
    opened,
    parse_url,
    revision_of,
    shown,
    transaction,
)
from tourney.store.migrations import HEAD, upgrade
from tourney.store.models import MATCH, METADATA, SCHEDULE, SEAT, TOURNAMENT
from tourney.store.stored_totals import count_totals, differences

MOST = 20
"""Bad rows to name at most."""

_CHUNK = 1000


def upgrade_database(url: str) -> tuple[str, str]:
    """Bring a database to the newest revision, in one transaction; return its revision before and after."""
    with opened(url, write=True, old=True) as engine:
        before = revision_of(engine) or ""
        if before != HEAD:
            with transaction(engine, write=True) as connection:
                upgrade(connection)
        return before, HEAD


def remove_empty(url: str) -> None:
    """Remove an SQLite file that holds no tournament and that no other program has open; else do nothing."""
    parsed = parse_url(url)
    if not is_sqlite(parsed) or not (path := sqlite.path_of(parsed)).exists():
        return
    with opened(url) as engine, transaction(engine) as connection:
        used = connection.execute(sa.select(TOURNAMENT.c.id)).first() is not None
    # The last program that closes a file takes away the log beside it.
    if not used and not path.with_name(f"{path.name}-wal").exists():
        path.unlink(missing_ok=True)


def backup_database(url: str, target: Path) -> None:
    """Copy an SQLite database to a new file, also while it is written. Raises UsageError for servers."""
    parsed = parse_url(url)
    if not is_sqlite(parsed):
        raise UsageError(f"{shown(parsed)} is on a server: use its own tools, or `tourney db copy`")
    sqlite.backup(sqlite.path_of(parsed), target)


def check_database(url: str, step: Step = lambda _done, _table: None) -> tuple[str, ...]:
    """Return what is wrong with a database, a sentence each; nothing if it is sound."""
    results, beside = check_parts(url, step)
    return (*results, *beside)


def check_parts(
    url: str, step: Step = lambda _done, _table: None, *, every_match: bool = True
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what is wrong with the results of a database, and with the logs and measurements beside them.

    Nothing is counted from logs and measurements, so that a run can go on without one of them. Each is a
    sentence. Without ``every_match`` the rows of matches are not read one by one: pages, references, missing
    rows and the totals over all results are checked, in a tenth of the time.
    """
    parsed = parse_url(url)
    details = {table.name for table in DETAILS}
    orphans: tuple[tuple[str, str], ...] = ()
    if is_sqlite(parsed):
        problems, orphans = sqlite.full_check(sqlite.path_of(parsed))
        problems += tuple(text for table, text in orphans if table not in details)
        if problems:
            return problems, ()
    with opened(url) as engine, transaction(engine) as connection:
        if altered := _altered_schema(connection):
            return tuple(altered), ()
        parts = []
        details_of = bad_details(connection, step) if every_match else iter(())
        for errors in (bad_columns(connection, step, every_match=every_match), details_of):
            found = [str(error) for error in islice(errors, MOST)]
            if len(found) == MOST:
                found.append("there may be more: restore a backup first")
            parts.append(tuple(found))
        beside = (*(text for _, text in orphans), *parts[1])
        return parts[0] or (*_gaps(connection), *_wrong_totals(connection)), beside


def _wrong_totals(connection: Connection) -> Iterator[str]:
    """Yield how stored totals differ from those counted anew."""
    for tournament in (
        connection.execute(sa.select(TOURNAMENT.c.id).order_by(TOURNAMENT.c.id)).scalars().all()
    ):
        try:
            yield from differences(connection, tournament, count_totals(connection, tournament))
        except StoreDamaged as error:
            yield str(error)


def copy_database(source: str, target: str) -> int:
    """Copy all rows into an empty database, made if it is missing; return how many. All or nothing.

    Raises StoreError if the target holds a tournament already.
    """
    check_apart(source, target)
    with opened(source) as origin, opened(target, create=True, write=True) as copy:
        return _copy(origin, copy)


def check_apart(source: str, target: str) -> None:
    """Raise UsageError if two URLs are of one database."""
    if _identity(parse_url(target)) == _identity(parse_url(source)):
        raise UsageError(f"{shown(parse_url(source))} is both source and target; name another database")


def _identity(url: URL) -> object:
    """Return what two URLs of one database have in common: the file itself, where it is there."""
    if not is_sqlite(url):
        return url
    path = sqlite.path_of(url)
    return (path.stat().st_dev, path.stat().st_ino) if path.exists() else path


def _copy(origin: Engine, copy: Engine) -> int:
    count = 0
    with transaction(origin) as reader, transaction(copy, write=True) as writer:
        if writer.execute(sa.select(sa.func.count()).select_from(TOURNAMENT)).scalar():
            raise StoreError(f"the database {shown(copy.url)} is not empty: name another one")
        for table in METADATA.sorted_tables:
            rows = reader.execute(sa.select(table), execution_options={"yield_per": _CHUNK})
            for chunk in rows.mappings().partitions():
                values = [dict(row) for row in chunk]
                writer.execute(sa.insert(table), values)
                count += len(values)
        if copy.dialect.name == "postgresql":
            for table in (TOURNAMENT, SCHEDULE):
                # Ids were given; the server's own counter must go on after them.
                writer.execute(
                    sa.select(
                        sa.func.setval(
                            sa.func.pg_get_serial_sequence(table.name, "id"),
                            sa.select(sa.func.coalesce(sa.func.max(table.c.id), 1)).scalar_subquery(),
                        )
                    )
                )
    return count


_PROGRAMS = {
    "sqlite": "SELECT type, name FROM sqlite_master WHERE type IN ('trigger', 'view') ORDER BY name",
    "postgresql": (
        "SELECT DISTINCT 'trigger', trigger_name FROM information_schema.triggers"
        " WHERE trigger_schema = current_schema() UNION SELECT 'view', table_name FROM"
        " information_schema.views WHERE table_schema = current_schema()"
    ),
}
"""Queries for what a database runs of itself; Tourney makes none."""


def _altered_schema(connection: Connection) -> list[str]:
    """Return how tables, columns and indexes differ from the models, and what does not belong here."""
    inspector = sa.inspect(connection)
    found = []
    tables = set(inspector.get_table_names())
    for table in METADATA.sorted_tables:
        if table.name not in tables:
            found.append(f"the table {table.name} is missing")
            continue
        columns = {column["name"] for column in inspector.get_columns(table.name)}
        wanted = {column.name for column in table.columns}
        found += [f"the table {table.name} lacks its column {name}" for name in sorted(wanted - columns)]
        found += [f"the table {table.name} has a column {name} too many" for name in sorted(columns - wanted)]
        here = _index_names(connection, table.name)
        indexes = {str(index.name) for index in table.indexes}
        found += [f"the index {name} of {table.name} is missing" for name in sorted(indexes - here)]
    if query := _PROGRAMS.get(connection.dialect.name):
        for kind, name in connection.execute(sa.text(query)):
            found.append(f"the {kind} {name} does not belong to the database: it may alter what is stored")
    return found


def _index_names(connection: Connection, table: str) -> set[str]:
    """Return the names of a table's indexes, also those that SQLAlchemy does not list."""
    if connection.dialect.name == "sqlite":
        query = sa.text("SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name = :table")
        return set(connection.execute(query, {"table": table}).scalars())
    return {str(index["name"]) for index in sa.inspect(connection).get_indexes(table)}


def _gaps(connection: Connection) -> list[str]:
    """Return the contradictions between tables."""
    found = []
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
            found.append(str(first_bad(connection, SCHEDULE, tournament)))
        elif count != last:
            found.append(f"{name}: {last - count} rows of the schedule are missing")
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
        found.append(f"match {name}/{number} has {count} seats stored, not {wanted}")
    return found
