"""A damaged log, measurement or record is named, found by a check, and costs only that part."""

import sqlite3
import zlib
from pathlib import Path

import pytest

from tests.report.html_pages import Page
from tests.support import genuine
from tests.support.command import invoke
from tourney.store.column_reading import pack
from tourney.store.database import Database


@pytest.fixture
def database(tmp_path: Path) -> str:
    path = str(tmp_path / "tourney.db")
    with Database.open(path, create=True) as repository:
        genuine.play_all(repository, genuine.begin(repository, ("drawn-1", "drawn-2")))
    return path


BLOBS = {
    "no zlib": b"nonsense",
    "torn": pack([[1, 1, "info", "x" * 500]])[:-9],
    "other data": pack({"times-ms": "soon", "format": 5}),
    "a string": pack("x"),
    "deep": zlib.compress(b"[" * 100_000),
    "long": zlib.compress(b"[" + b"9" * 5000 + b"]"),
    "empty": b"",
    "lost": None,
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("table", "column", "part", "blob"),
    [
        *(("log", "lines", "log", name) for name in BLOBS if name != "lost"),
        *(("measured", "data", "measurements", name) for name in ("torn", "other data", "long")),
        *(("match", "record", "record", name) for name in ("no zlib", "other data", "deep", "lost")),
    ],
)
def test_damaged_part_is_omitted_and_reported(
    database: str, table: str, column: str, part: str, blob: str
) -> None:
    key = "id" if table == "match" else "match_id"
    with sqlite3.connect(database) as connection:
        connection.execute(f'UPDATE "{table}" SET {column} = ? WHERE {key} = 2', (BLOBS[blob],))  # noqa: S608 - our names
    connection.close()
    row = "row 2 (match 2 of cup), holds"
    where = f"the database {database} was altered: column {column} of table {table}, {row}"
    out = Path(database).parent / "report"

    done = invoke("report", "--db", database, "--out", str(out))
    assert done.exit_code == 3
    assert done.stdout == f"{out}/index.html\n"
    lines = done.stderr.splitlines()
    assert len(lines) == 4
    assert where in lines[2]
    assert lines[3].startswith("error: 1 part of the report could not be written")
    page = Page((out / "matches" / "2.html").read_text())
    assert page.problems == []
    said = "".join(page.text)
    assert (
        f"The {part} of this match {'are' if part == 'measurements' else 'is'} damaged in the database"
        in said
    )
    assert "infrastructure" not in said
    assert ("moves" in page.ids) == (table != "match")
    assert "damaged" not in (out / "matches" / "1.html").read_text()
    beside = out / "matches" / "2.json"
    assert beside.is_file() == ('href="2.json"' in (out / "matches" / "2.html").read_text())
    assert beside.is_file() == (table != "match")
    done = invoke("show", "2", "--record", "--db", database)
    assert done.exit_code == (3 if table == "match" else 0)
    assert done.stdout_bytes == (b"" if table == "match" else beside.read_bytes())

    done = invoke("report", "--db", database, "--out", str(out), "--no-measured")
    assert done.exit_code == (3 if table == "match" else 0)

    done = invoke("db", "check", "--db", database)
    assert done.exit_code == 1
    assert where in done.stdout

    done = invoke("show", "2", "--db", database)
    assert done.exit_code == 3
    assert where in done.stderr
    assert ("after " in done.stdout) == (table != "match")
    assert invoke("show", "1", "--db", database).exit_code == 0

    verified = invoke("verify", "--all", "--db", database)
    assert verified.exit_code == (1 if table == "match" else 0)


@pytest.mark.parametrize("words", [("show", "2"), ("verify", "2"), ("rerun", "2"), ("export",)])
def test_lost_record_is_damage_and_not_a_result_without_one(database: str, words: tuple[str, ...]) -> None:
    with sqlite3.connect(database) as connection:
        connection.execute("UPDATE match SET record = NULL WHERE id = 2")
    connection.close()
    done = invoke(*words, "--db", database)
    assert done.exit_code == 3
    assert "column record of table match, row 2 (match 2 of cup), holds nothing" in done.stderr


def test_damaged_cache_is_computed_again(database: str) -> None:
    assert invoke("ratings", "--method", "trueskill", "--db", database).exit_code == 0
    with sqlite3.connect(database) as connection:
        connection.execute("INSERT INTO rating_checkpoint VALUES (1, 'x', 1, ?)", (b"nonsense",))
    connection.close()
    assert invoke("ratings", "--method", "trueskill", "--db", database).exit_code == 0
    done = invoke("db", "check", "--db", database)
    assert (done.exit_code, done.stdout.count("\n")) == (1, 1)
    assert (
        "column state of table rating_checkpoint, row 1,x, holds 8 bytes and not packed JSON" in done.stdout
    )
