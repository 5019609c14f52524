"""The migrations against the models, and upgrades of databases of earlier releases."""

import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing, nullcontext
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from tests.store.test_postgres import empty_database, needs_server, play_all
from tests.support.releases import release
from tests.support.tournaments import refused
from tourney.check.database import check_database
from tourney.errors import StoreError
from tourney.results.standings import compute_standings
from tourney.store import migrations, sqlite
from tourney.store.database import Database, upgrade_database
from tourney.store.engine import open_engine, transaction
from tourney.store.tables import METADATA


@pytest.mark.filterwarnings("ignore:.*expression-based index")
def test_new_database_has_the_models_tables(database: Path) -> None:
    sqlite.create(database)
    engine = sqlite.make_engine(database)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, METADATA) == []
        inspector = sa.inspect(connection)
        assert set(inspector.get_table_names()) == {*METADATA.tables, "alembic_version"}
        for table in METADATA.tables:  # autogenerate does not compare these
            model = METADATA.tables[table]
            assert inspector.get_pk_constraint(table)["constrained_columns"] == [
                column.name for column in model.primary_key
            ]
            made = {column["name"]: column["nullable"] for column in inspector.get_columns(table)}
            assert made == {column.name: bool(column.nullable) for column in model.columns}
    engine.dispose()


def test_revisions_match_alembics_list() -> None:
    found = list(ScriptDirectory.from_config(migrations.config()).walk_revisions())
    assert tuple(script.revision for script in reversed(found)) == migrations.REVISIONS


def test_migrations_work_from_any_folder_without_alembic_ini(tmp_path: Path) -> None:
    """A copy of the package, laid out like a wheel, creates a database from another folder."""
    package = Path(migrations.__file__).parents[2]
    shutil.copytree(package, tmp_path / "site 100%" / "tourney", ignore=shutil.ignore_patterns("__pycache__"))
    script = (
        "from tourney.store.database import Database\n"
        "import tourney\n"
        "Database.open('made.db', create=True).close()\n"
        "print(tourney.__file__)\n"
    )
    (tmp_path / "empty").mkdir()
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path / "empty",
        env={**os.environ, "PYTHONPATH": str(tmp_path / "site 100%")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    assert done.stdout.strip() == str(tmp_path / "site 100%" / "tourney" / "__init__.py")
    assert [path.name for path in (tmp_path / "empty").iterdir()] == ["made.db"]


@pytest.mark.parametrize("place", ["file", pytest.param("server", marks=needs_server)])
def test_database_of_an_earlier_release_is_upgraded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    with empty_database() if place == "server" else nullcontext(str(tmp_path / "old.db")) as url:
        with Database.open(url, create=True) as repository:
            tournament = play_all(repository)
            before = list(repository.matches.all(tournament.id)), compute_standings(repository, tournament.id)
        assert upgrade_database(url) == ("v4", "v4")
        release(monkeypatch, tmp_path)
        with refused(StoreError, "older Tourney (revision v4, now v5)", "`tourney db upgrade --db "):
            Database.open(url)
        assert upgrade_database(url) == ("v4", "v5")
        assert check_database(url) == ()
        with Database.open(url) as repository:
            after = list(repository.matches.all(tournament.id)), compute_standings(repository, tournament.id)
        assert after == before
        engine = open_engine(url)
        with transaction(engine) as connection:
            assert connection.execute(sa.text("SELECT id FROM later")).scalars().all() == [tournament.id]
        engine.dispose()


@pytest.mark.parametrize("revision", migrations.UNRELEASED)
def test_database_of_a_development_version_is_refused(database: Path, revision: str) -> None:
    sqlite.create(database)
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = ?", (revision,))
    before = database.read_bytes()
    for attempt in (lambda: Database.open(str(database)), lambda: upgrade_database(str(database))):
        with refused(StoreError, f"development version of Tourney (revision {revision})", "export each"):
            attempt()
    assert database.read_bytes() == before
