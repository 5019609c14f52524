import os
import shutil
import subprocess
import sys
from pathlib import Path

import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from tourney.store import migrate, migrations, sqlite
from tourney.store.models import METADATA

OURS = {
    "tournament",
    "entrant",
    "schedule",
    "match",
    "seat",
    "log",
    "measured",
    "draw_probability",
    "rating_checkpoint",
    "verdict",
}


def test_the_migrations_make_what_the_models_say(database: Path) -> None:
    sqlite.create(database)
    engine = sqlite.make_engine(database)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, METADATA) == []
        inspector = sa.inspect(connection)
        assert set(inspector.get_table_names()) == {*METADATA.tables, "alembic_version"}
        for table in METADATA.tables:  # what autogenerate does not compare
            model = METADATA.tables[table]
            assert inspector.get_pk_constraint(table)["constrained_columns"] == [
                column.name for column in model.primary_key
            ]
            made = {column["name"]: column["nullable"] for column in inspector.get_columns(table)}
            assert made == {column.name: bool(column.nullable) for column in model.columns}
    engine.dispose()


def test_the_list_of_revisions_is_alembics_own() -> None:
    found = list(ScriptDirectory.from_config(migrate.config()).walk_revisions())
    assert tuple(script.revision for script in reversed(found)) == migrations.REVISIONS


def test_migrations_work_from_any_place_without_an_ini(tmp_path: Path) -> None:
    """The package copied elsewhere, as a wheel would lay it, makes a database from a folder of its own."""
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
