"""The demo in a folder that an older version left, and on a machine where bots do not start."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from alembic import command

from tests.command import run
from tests.gates import FIRST
from tests.tournaments import refused, write_file
from tourney.errors import StoreError
from tourney.run.demo import DemoFiles, upgrade_demo
from tourney.store import migrations, sqlite
from tourney.store.migrations import HEAD, REVISIONS
from tourney.store.repository import Repository

SMALL = """
name = "NAME"
game = "sage-stones"
seed = 7
bots = ["./first", "./dead"]
games-per-pairing = 2
[run]
sandbox = "off"
"""


def old_database(path: Path) -> None:
    """Make a database as the first version would have."""
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA application_id = {sqlite.APPLICATION_ID}")
    engine = sqlite.make_engine(path)
    with engine.connect().execution_options(**{sqlite.WRITE: True}) as connection_, connection_.begin():
        command.upgrade(migrations.config(connection_), REVISIONS[0])
    engine.dispose()


def files_in(folder: Path) -> DemoFiles:
    return DemoFiles(folder, folder / "tourney.db", folder / "tourney-bots", ())


def test_demo_upgrades_old_database_and_refuses_damaged_one(tmp_path: Path) -> None:
    files = files_in(tmp_path / "demo")
    old_database(files.database)
    messages: list[str] = []
    with refused(StoreError, "older Tourney"):
        Repository.open(str(files.database))
    upgrade_demo(files, messages.append)
    assert messages == [
        f"the demo's database {files.database} is an older one: upgraded from {REVISIONS[0]} to {HEAD}"
    ]
    Repository.open(str(files.database)).close()
    upgrade_demo(files, messages.append)
    assert len(messages) == 1
    files.database.write_bytes(b"SQLite format 3\0 and no more")
    with refused(StoreError, "damaged"):
        upgrade_demo(files, messages.append)


@pytest.mark.slow
def test_demo_fails_if_bots_do_not_start(tmp_path: Path) -> None:
    """The demo still writes the report, and a second demo fails too."""
    home = tmp_path / "demo"
    old_database(home / "tourney.db")
    for name in ("tafl", "stones"):
        write_file(home, SMALL.replace("NAME", f"demo-{name}"), f"{name}.toml")
    for name, text in (("first", FIRST), ("dead", "#!/bin/sh\nexit 1\n")):
        write_file(home, text, name).chmod(0o755)
    first, second = (run("demo", "--out", str(home)) for _ in range(2))
    failure = "dead 2 times in demo-tafl, dead 2 times in demo-stones"
    for done in (first, second):
        assert done.returncode == 3, done.stderr
        assert f"error: the demo failed, as bots could not start: {failure}; run `tourney" in done.stderr
        assert done.stdout.splitlines() == [str(home / "report" / "index.html")]
    assert f"upgraded from {REVISIONS[0]} to {HEAD}" in first.stderr
    assert "chosen by a person" not in first.stderr
    assert (home / "report" / "index.html").is_file()
