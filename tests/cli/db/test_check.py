"""``tourney db check``: a sound database, and a damaged one."""

import json
import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.command import invoke


def test_sound_database_passes(db: str) -> None:
    sound = f"{db} is sound; whether the records hold is for `tourney verify --all`\n"
    assert invoke("db", "check", "--db", db).stderr == sound


def test_truncated_database_is_damaged(db: str, tmp_path: Path) -> None:
    cut = shutil.copy(db, tmp_path / "cut.db")
    os.truncate(cut, Path(cut).stat().st_size - 4096)
    damaged = invoke("db", "check", "--db", str(cut))
    assert damaged.exit_code == 1
    assert "damaged" in damaged.stderr


def problems_of(db: Path) -> list[str]:
    """The problems that the JSON document of a check lists; its exit code is 1."""
    done = invoke("db", "check", "--db", str(db), "--format", "json")
    assert done.exit_code == 1
    document = json.loads(done.stdout)
    assert not document["sound"]
    return list(document["problems"])


@pytest.fixture
def copied(db: str, tmp_path: Path) -> Path:
    return Path(shutil.copy(db, tmp_path / "copy.db"))


def test_check_lists_every_kind_of_problem(copied: Path) -> None:
    with closing(sqlite3.connect(copied)) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("UPDATE entrant SET digest = 'x'")
        connection.execute("UPDATE \"match\" SET ranks = 'x' WHERE id = 1")
        connection.execute("DELETE FROM seat WHERE match_id = 2 AND seat = 1")
        connection.execute("INSERT INTO log (match_id, lines) VALUES (4711, x'00')")
        connection.execute("CREATE TRIGGER mine AFTER DELETE ON seat BEGIN SELECT 1; END")
        connection.execute("DROP TABLE verdict")
        connection.execute("UPDATE alembic_version SET version_num = 'v2'")
        connection.commit()
    text = "\n".join(problems_of(copied))
    for part in (
        "bears the revision v2, which no version of Tourney gives",
        "the table verdict is missing",
        "the trigger mine does not belong to the database",
        "column digest of table entrant",
        "column ranks of table match",
        "match cup/2 has 1 seats stored, not 2",
        "row 4711 of log refers to a row of",
    ):
        assert part in text


def test_check_reads_on_after_a_damaged_page(copied: Path) -> None:
    with closing(sqlite3.connect(copied)) as connection:
        size = connection.execute("PRAGMA page_size").fetchone()[0]
        query = "SELECT rootpage FROM sqlite_master WHERE name = 'log'"
        page = connection.execute(query).fetchone()[0]
        connection.execute("UPDATE entrant SET digest = 'x'")
        connection.commit()
    with copied.open("r+b") as file:
        file.seek(size * (page - 1))
        file.write(b"\xa5" * size)
    problems = problems_of(copied)
    assert any(f"page {page}" in problem.lower() for problem in problems)
    assert any("the table log cannot be read whole" in problem for problem in problems)
    assert sum("column digest of table entrant" in problem for problem in problems) > 1
    # Any other command still refuses such a file.
    assert invoke("standings", "--db", str(copied)).exit_code == 3


def test_file_that_is_not_a_database_is_no_damage(tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("name,points\n")
    done = invoke("db", "check", "--db", str(tmp_path / "text.db"), "--format", "json")
    assert (done.exit_code, done.stdout) == (3, "")
