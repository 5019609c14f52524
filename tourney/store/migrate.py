"""Alembic, driven from inside the package: no ini file, and the revisions come with the wheel."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy.engine import Connection

from tourney.store import migrations
from tourney.store.migrations import HEAD


def config(connection: Connection | None = None) -> Config:
    """Return Alembic's configuration; migrations run over the connection, in its transaction."""
    made = Config()
    made.set_main_option("script_location", str(Path(migrations.__file__).parent).replace("%", "%%"))
    made.set_main_option("path_separator", "os")
    made.attributes["connection"] = connection
    return made


def upgrade(connection: Connection) -> None:
    """Bring a database (an empty one too) to the newest revision; the caller commits."""
    command.upgrade(config(connection), HEAD)
