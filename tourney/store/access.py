"""Transactions on one database, for the repository's parts."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.engine import Connection, Engine

from tourney.store.engine import transaction


class Access:
    """A database, or one moment of it: with a connection all reads are of that connection's transaction."""

    def __init__(self, engine: Engine, connection: Connection | None = None) -> None:
        self._engine = engine
        self._connection = connection

    @contextmanager
    def _read(self) -> Iterator[Connection]:
        if self._connection is not None:
            yield self._connection
        else:
            with transaction(self._engine) as connection:
                yield connection

    @contextmanager
    def _write(self) -> Iterator[Connection]:
        with transaction(self._engine, write=True) as connection:
            yield connection
