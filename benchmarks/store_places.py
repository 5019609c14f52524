"""Where ``benchmarks.store`` keeps its databases: files in a folder, or databases on a PostgreSQL server."""

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import sqlalchemy as sa

from tourney.store.engine import parse_url

STOP_SECONDS = 60
_OWNER = "postgres"
"""PostgreSQL refuses to run as root; Debian makes this user."""


class Place(Protocol):
    """Databases by name."""

    name: str

    def url(self, name: str) -> str:
        """Return the URL of a database; it is made, empty, if the server lacks it."""

    def has(self, name: str) -> bool:
        """Return whether there is a database with content."""

    def drop(self, name: str) -> None:
        """Remove a database; there may be none."""

    def size(self, name: str) -> int:
        """Return the bytes of the tables and indexes of a database."""


class Files:
    """SQLite files in a folder."""

    name = "SQLite"

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def url(self, name: str) -> str:
        """Return the file's path; Tourney makes the file."""
        return str(self._folder / f"{name}.db")

    def has(self, name: str) -> bool:
        """Return whether there is such a file."""
        return Path(self.url(name)).exists()

    def drop(self, name: str) -> None:
        """Remove the file and what SQLite keeps beside it."""
        for ending in ("", "-wal", "-shm"):
            Path(self.url(name) + ending).unlink(missing_ok=True)

    def size(self, name: str) -> int:
        """Return the size of the file."""
        return Path(self.url(name)).stat().st_size


class Server:
    """Databases on a PostgreSQL server; the URL is of any database there, of a user that may create more."""

    name = "PostgreSQL"

    def __init__(self, url: str) -> None:
        self._url = parse_url(url)
        self._engine = sa.create_engine(self._url, isolation_level="AUTOCOMMIT", poolclass=sa.NullPool)

    def url(self, name: str) -> str:
        """Create the database if it is missing, and return its URL."""
        with self._engine.connect() as connection:
            found = connection.execute(
                sa.text("SELECT 1 FROM pg_database WHERE datname = :name"), {"name": _named(name)}
            )
            if found.first() is None:
                connection.execute(sa.text(f"CREATE DATABASE {_named(name)}"))
        return self._url.set(database=_named(name)).render_as_string(hide_password=False)

    def has(self, name: str) -> bool:
        """Return whether the database has tables."""
        return self.size(name) > 0

    def drop(self, name: str) -> None:
        """Drop the database."""
        with self._engine.connect() as connection:
            connection.execute(sa.text(f"DROP DATABASE IF EXISTS {_named(name)} WITH (FORCE)"))

    def size(self, name: str) -> int:
        """Return the sum over all tables, with their indexes and what is stored apart (TOAST)."""
        engine = sa.create_engine(self.url(name), poolclass=sa.NullPool)
        query = "SELECT coalesce(sum(pg_total_relation_size(relid)), 0) FROM pg_stat_user_tables"
        with engine.connect() as connection:
            return int(connection.execute(sa.text(query)).scalar_one())


def _named(name: str) -> str:
    return f"tourney_bench_{name}".replace("-", "_")


@contextmanager
def throw_away_server(folder: Path) -> Iterator[str]:
    """Start a PostgreSQL server on loopback with its own settings, and remove it at the end; yield its URL.

    It syncs each transaction to the disk. Raises SystemExit if PostgreSQL is not installed.
    """
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[4]))
    initdb = str(found[-1]) if found else shutil.which("initdb")
    if initdb is None:
        raise SystemExit("PostgreSQL is not installed: apt-get install postgresql, or give --server URL")
    programs = Path(initdb).parent
    home = Path(tempfile.mkdtemp(prefix="tourney-postgres-", dir=folder))
    owner = ["runuser", "-u", _OWNER, "--"] if os.geteuid() == 0 else []
    if owner:
        shutil.chown(home, _OWNER)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    data, log = home / "data", home / "log"

    def control(*words: str) -> None:
        command = [*owner, str(programs / "pg_ctl"), "-D", str(data), "-w", "-t", str(STOP_SECONDS), *words]
        subprocess.run(command, check=True, cwd="/", stdout=subprocess.DEVNULL)

    try:
        begin = [str(initdb), "-D", str(data), "-U", "tourney", "-A", "trust", "-E", "UTF8", "--locale=C"]
        subprocess.run([*owner, *begin], check=True, cwd="/", stdout=subprocess.DEVNULL)
        settings = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={home}"
        control("-l", str(log), "-o", settings, "start")
        yield f"postgresql+psycopg://tourney@127.0.0.1:{port}/postgres"
    finally:
        if (data / "postmaster.pid").exists():
            control("-m", "fast", "stop")
        shutil.rmtree(home, ignore_errors=True)
