"""The lock of a run on a PostgreSQL server: an advisory lock of a session, which ends with its connection.

What the run says of itself is the session's application name, which everybody may read.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.exc import SQLAlchemyError

from tourney.errors import StoreUnavailable, UsageError
from tourney.store import sqlite
from tourney.store.engine import LOCK_CLASS, shown, store_error

_HELD = sa.text(
    "SELECT activity.application_name FROM pg_locks AS held JOIN pg_stat_activity AS activity USING (pid)"
    " WHERE held.locktype = 'advisory' AND held.granted AND held.objsubid = 2"
    " AND held.classid::bigint = :class AND held.objid::bigint = :tournament"
    " AND held.database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)


class _Session:
    """The session that holds the lock of one tournament, or tries to."""

    def __init__(self, engine: Engine, tournament: int, label: str) -> None:
        self._engine = engine
        self._tournament = tournament
        self._label = label
        self._connection: Connection | None = None

    def take(self) -> bool:
        """Say whether the lock could be had, by a connection of its own."""
        connection = self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        try:
            connection.execute(sa.select(sa.func.set_config("application_name", self._label, False)))
            wanted = sa.select(sa.func.pg_try_advisory_lock(LOCK_CLASS, self._tournament))
            held = bool(connection.execute(wanted).scalar())
        except BaseException:
            connection.close()
            raise
        if held:
            self._connection = connection
        else:
            connection.close()
        return held

    def keep(self) -> bool:
        """Say whether the lock is held: still, or again after the connection was lost."""
        if self._connection is not None:
            try:
                self._connection.execute(sa.select(1))
            except SQLAlchemyError:
                self._close()
            else:
                return True
        return self.take()

    def drop(self) -> None:
        """Give the lock back; one whose connection was lost is gone already."""
        if self._connection is not None:
            with suppress(SQLAlchemyError):
                unlock = sa.func.pg_advisory_unlock(LOCK_CLASS, self._tournament)
                self._connection.execute(sa.select(unlock))
        self._close()

    def _close(self) -> None:
        if self._connection is not None:
            with suppress(SQLAlchemyError):
                self._connection.close()
            self._connection = None


@contextmanager
def run_lock(engine: Engine, tournament: int, name: str, label: str) -> Iterator[None]:
    """Hold the lock of a tournament. Raises UsageError if another run holds it.

    Before each transaction that writes it is made sure that the lock is held. If it was lost with the
    connection, and another run has taken it meanwhile, writing raises StoreUnavailable until that has ended.
    """
    place = shown(engine.url)
    session = _Session(engine, tournament, label)
    try:
        taken = session.take()
    except SQLAlchemyError as error:
        raise store_error(place, error) from error
    if not taken:
        raise UsageError(
            f"{name} is being run by another process already: wait for it, or stop it (see `tourney status`)"
        )

    def begin(connection: Connection) -> None:
        if connection.get_execution_options().get(sqlite.WRITE) and not session.keep():
            raise StoreUnavailable(
                f"the connection to {place} was lost, and another process runs {name} since then"
            )

    sa.event.listen(engine, "begin", begin)
    try:
        yield
    finally:
        sa.event.remove(engine, "begin", begin)
        session.drop()


def running_label(engine: Engine, tournament: int) -> str | None:
    """Return what the run of a tournament that goes on now says of itself, or None where there is none."""
    try:
        with engine.connect() as connection:
            label = connection.execute(_HELD, {"class": LOCK_CLASS, "tournament": tournament}).scalar()
    except SQLAlchemyError as error:
        raise store_error(shown(engine.url), error) from error
    return None if label is None else str(label)
