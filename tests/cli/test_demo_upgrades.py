"""The demo in a folder that an older version left, and on a machine where bots do not start."""

import re
from pathlib import Path

import pytest

from tests.support.command import run
from tests.support.gates import FIRST
from tests.support.releases import release
from tests.support.tournaments import refused, write_file
from tourney.cli.demo import upgrade_demo
from tourney.errors import StoreError
from tourney.store import sqlite
from tourney.store.database import Database

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
    """Make a database as an earlier release would have."""
    path.parent.mkdir()
    sqlite.create(path)


def test_demo_upgrades_old_database_and_refuses_damaged_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = tmp_path / "demo" / "tourney.db"
    old_database(database)
    release(monkeypatch, tmp_path)
    messages: list[str] = []
    with refused(StoreError, "older Tourney"):
        Database.open(str(database))
    upgrade_demo(database, messages.append)
    assert len(messages) == 1
    assert re.fullmatch(
        rf"the demo's database {database} is an older one: upgraded from v\d+ to v\d+", messages[0]
    )
    Database.open(str(database)).close()
    upgrade_demo(database, messages.append)
    assert len(messages) == 1
    database.write_bytes(b"SQLite format 3\0 and no more")
    with refused(StoreError, "damaged"):
        upgrade_demo(database, messages.append)


@pytest.mark.slow
def test_demo_fails_if_bots_do_not_start(tmp_path: Path) -> None:
    """The demo still writes the report, and a second demo fails too."""
    home = tmp_path / "demo"
    home.mkdir()
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
    assert "chosen by a person" not in first.stderr
    assert (home / "report" / "index.html").is_file()
