"""The database's history as Alembic revisions, run from inside the package: no ini file, wheels included.

``REVISIONS`` names all of them, oldest first, so that a database's age is known without loading Alembic. A
new database gets the tables of ``tourney.store.tables`` and the newest revision; revisions change older ones.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Final

from tourney.store.tables import METADATA

if TYPE_CHECKING:
    from alembic.config import Config
    from sqlalchemy.engine import Connection

REVISIONS: tuple[str, ...] = ("v1", "v3", "v4")
UNRELEASED: Final = tuple(f"{number:04}" for number in range(1, 15))
"""The revisions of development versions, from before there was a release; nothing upgrades them."""
FOLDER = Path(__file__).parent


def newest() -> str:
    """The revision that this version of Tourney reads and writes."""
    return REVISIONS[-1]


def config(connection: "Connection | None" = None) -> "Config":
    """Alembic's configuration; migrations run over the connection, in its transaction."""
    from alembic.config import Config  # noqa: PLC0415 - slow to import, and seldom needed

    made = Config()
    made.set_main_option("script_location", str(FOLDER).replace("%", "%%"))
    made.set_main_option("path_separator", "os")
    made.attributes["connection"] = connection
    return made


def create(connection: "Connection") -> None:
    """Make the tables in an empty database; the caller commits."""
    from alembic import command  # noqa: PLC0415 - as above

    METADATA.create_all(connection)
    command.stamp(config(connection), newest())


def upgrade(connection: "Connection") -> None:
    """Bring a database to the newest revision; the caller commits."""
    from alembic import command  # noqa: PLC0415 - as above

    command.upgrade(config(connection), newest())
