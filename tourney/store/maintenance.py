"""Upgrade, back up and copy databases."""

from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.engine import URL, Engine

from tourney.errors import StoreError, UsageError
from tourney.store import migrations, sqlite
from tourney.store.engine import (
    is_sqlite,
    opened,
    parse_url,
    revision_of,
    shown,
    transaction,
)
from tourney.store.models import METADATA, SCHEDULE, TOURNAMENT

_CHUNK = 1000


def upgrade_database(url: str) -> tuple[str, str]:
    """Bring a database to the newest revision, in one transaction; return its revision before and after."""
    with opened(url, write=True, old=True) as engine:
        before, newest = revision_of(engine) or "", migrations.newest()
        if before != newest:
            with transaction(engine, write=True) as connection:
                migrations.upgrade(connection)
        return before, newest


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
    """What two URLs of one database have in common: the file itself, where it is there."""
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
