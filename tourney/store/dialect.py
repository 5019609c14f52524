"""SQLAlchemy's dialect of SQLite, for which a process compiles each statement once, not once a database."""

from typing import Final

from sqlalchemy.dialects import registry
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.util import LRUCache

DRIVER: Final = "sqlite+tourney"
"""The name of the dialect in URLs of SQLAlchemy."""
COMPILED: Final[LRUCache[object, object]] = LRUCache(1000)
"""The compiled statements, for engines of this dialect. Its keys hold the dialect."""


class Dialect(SQLiteDialect_pysqlite):
    """The dialect; all its instances are alike, and therefore equal."""

    supports_statement_cache = True

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self)

    def __hash__(self) -> int:
        return hash(type(self))


registry.register(DRIVER.replace("+", "."), __name__, Dialect.__name__)
