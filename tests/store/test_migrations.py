"""The migrations against the models, and upgrades of older databases."""

import os
import shutil
import subprocess
import sys
import zlib
from contextlib import nullcontext
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from tests.store.test_postgres import empty_database, needs_server
from tests.tournaments import begin, played
from tourney.match.record import FaultKind
from tourney.results.standings import compute_standings
from tourney.run.engine.recorder import spec_of
from tourney.store import migrations, sqlite
from tourney.store.columns import inflate
from tourney.store.engine import open_engine, transaction
from tourney.store.maintenance import check_database, upgrade_database
from tourney.store.models import LOG, MATCH, MEASURED, METADATA
from tourney.store.repository import Repository
from tourney.store.rows import dictionaries_of
from tourney.store.stored_totals import TABLES
from tourney.store.values import MatchResult

BOTH: tuple[tuple[int, FaultKind, int], ...] = ((1, "startup", 0), (2, "startup", 0))
"""The faults of a match in which no bot started."""


@pytest.mark.filterwarnings("ignore:.*expression-based index")
def test_migrations_create_the_models_tables(database: Path) -> None:
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
        "from tourney.store.repository import Repository\n"
        "import tourney\n"
        "Repository.open('made.db', create=True).close()\n"
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


def pack_without_dictionaries(connection: sa.Connection) -> None:
    """Pack a database of one tournament as older versions did."""
    known = dictionaries_of(connection, 1)
    for table, column in ((MATCH, MATCH.c.record), (LOG, LOG.c.lines), (MEASURED, MEASURED.c.data)):
        key = next(iter(table.primary_key))
        for row, blob in connection.execute(sa.select(key, column).where(column.is_not(None))).all():
            text = inflate(column.name, blob, "text", getattr(known, column.name))
            old = sa.update(table).where(key == row).values({column: zlib.compress(text, 1)})
            connection.execute(old)


@pytest.mark.parametrize("place", ["file", pytest.param("server", marks=needs_server)])
def test_void_reasons_come_from_the_notes_of_older_databases(tmp_path: Path, place: str) -> None:
    """Old notes name benched entrants; only a whole name at the start of the note counts."""
    with empty_database() if place == "server" else nullcontext(str(tmp_path / "old.db")) as url:
        with Repository.open(url, create=True) as repository:
            tournament = begin(repository, 4, games=4)
            entrants = repository.entrants(tournament.id)
            rows = repository.pending(tournament.id)
            neither = played(spec_of(tournament, entrants, rows[0][1]), (1, 1), faults=BOTH)
            found = [MatchResult(1, neither)]
            found += [
                MatchResult(2, None, "benched: b failed at start-up 3 times", 1),
                MatchResult(3, None, "benched: d failed at start-up 3 times", 3),
                MatchResult(4, None, "benched: bee failed at start-up 3 times"),
                MatchResult(5, None, "the machine failed 3 times: benched: a is out"),
            ]
            found += [MatchResult(n, played(spec_of(tournament, entrants, row))) for n, row in rows[5:]]
            repository.record_results(tournament.id, found)
            before = list(repository.matches(tournament.id)), compute_standings(repository, tournament.id)
        engine = open_engine(url)
        with transaction(engine, write=True) as connection:
            connection.execute(sa.text("DROP INDEX ix_match_digest_start"))
            connection.execute(sa.text('CREATE INDEX ix_match_digest ON "match" (digest)'))
            pack_without_dictionaries(connection)
            connection.execute(sa.text("DROP INDEX ix_match_void"))
            connection.execute(sa.text("DROP INDEX ix_seat_fault"))
            connection.execute(sa.text("CREATE INDEX ix_seat_standings ON seat (tournament_id, entrant)"))
            later = ("replaced_result", "presentation", "baseline", "dictionary", "archive")
            for table in (*later, *(table.name for table in TABLES)):
                connection.execute(sa.text(f"DROP TABLE {table}"))
            connection.execute(sa.text("ALTER TABLE tournament DROP COLUMN root"))
            connection.execute(sa.text("ALTER TABLE entrant DROP COLUMN broken"))
            for column in ("turns", "overloaded"):
                connection.execute(sa.text(f"ALTER TABLE seat DROP COLUMN {column}"))
            for column in ("void_reason", "void_entrant"):
                connection.execute(sa.text(f'ALTER TABLE "match" DROP COLUMN {column}'))
            connection.execute(sa.text("UPDATE alembic_version SET version_num = '0003'"))
        engine.dispose()
        assert upgrade_database(url) == ("0003", migrations.HEAD)
        assert check_database(url) == ()
        with Repository.open(url) as repository:
            after = list(repository.matches(tournament.id)), compute_standings(repository, tournament.id)
            assert repository.benched(tournament.id) == ((1, 1), (3, 1))
        assert after == before
