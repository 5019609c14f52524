"""``tourney export``: records, tables, and refusals."""

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from tests.support.command import invoke
from tourney import plugins
from tourney.match.record import check_record
from tourney.plugins import Addon
from tourney.store.database import Database
from tourney.store.values import StoredEntrant, Tournament


def test_exported_records_import_as_the_same_tournament(db: str, tmp_path: Path) -> None:
    out = tmp_path / "records.jsonl"
    done = invoke("export", "cup", "--db", db, "--out", str(out))
    assert done.stderr == f"records of cup written to {out}\n"
    lines = out.read_text().splitlines()
    assert len(lines) == 12
    assert all(check_record(json.loads(line)) for line in lines)
    assert invoke("export", "--db", db).stdout == out.read_text()

    other = str(tmp_path / "other.db")
    done = invoke("import", str(out), "--name", "again", "--db", other)
    assert done.stderr == "12 matches imported as again\n"
    assert invoke("export", "--db", other).stdout == out.read_text()
    points = [
        {(line["name"], line["points"]) for line in json.loads(text)["standings"]}
        for text in (invoke("standings", "--db", each, "--format", "json").stdout for each in (db, other))
    ]
    assert points[0] == points[1]
    again = invoke("import", str(out), "--name", "again", "--db", other)
    assert (again.exit_code, again.stderr) == (2, "error: the database holds a tournament 'again' already\n")


TABLES = {"matches": 12, "seats": 24, "pairs": 6, "entrants": 3, "standings": 3}


@pytest.mark.parametrize(("what", "count"), TABLES.items())
def test_csv_and_parquet_exports_have_equal_rows(db: str, tmp_path: Path, what: str, count: int) -> None:
    rows = list(csv.DictReader(io.StringIO(invoke("export", "--what", what, "--db", db).stdout)))
    out = tmp_path / f"{what}.parquet"
    done = invoke("export", "--what", what, "--format", "parquet", "--out", str(out), "--db", db)
    assert done.exit_code == 0, done.stderr
    frame = pd.read_parquet(out)
    assert len(rows) == len(frame) == count
    assert list(rows[0]) == list(frame.columns)
    key = next(iter(rows[0]))
    assert [row[key] for row in rows] == [str(value) for value in frame[key]]
    assert [path.name for path in tmp_path.iterdir()] == [out.name]


def test_refused_table_prints_no_header(db: str, tmp_path: Path) -> None:
    copy = str(tmp_path / "copy.db")
    assert invoke("db", "copy", "--db", db, copy).exit_code == 0
    assert invoke("db", "archive", "--out", str(tmp_path / "cup.gz"), "--db", copy).exit_code == 0
    done = invoke("export", "--what", "times", "--db", copy)
    assert (done.exit_code, done.stdout) == (2, "")
    assert "is in the archive cup.gz" in done.stderr


def test_impossible_exports_are_refused(db: str, tmp_path: Path) -> None:
    for words, code, sentence in (
        (("--what", "seats", "--format", "jsonl"), 2, "--format jsonl does not go with --what seats"),
        (("--format", "csv"), 2, "--format csv does not go with --what records"),
        (("--what", "seats", "--format", "parquet"), 2, "--format parquet requires a file: --out FILE"),
        (
            ("--out", str(tmp_path / "x" / "y")),
            3,
            f"{tmp_path / 'x' / 'y'} cannot be written: there is no folder",
        ),
    ):
        done = invoke("export", "--db", db, *words)
        assert done.exit_code == code
        assert sentence in done.stderr
        assert done.stderr.count("\n") == 1


def test_files_of_an_entrant_come_from_add_ons(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without an add-on that makes them there are none."""
    addon = Addon(entrant_files={"greeting": f"{__name__}:greet"})
    monkeypatch.setattr(plugins, "shipped", dict)
    words = ("export", "--bot", "drawn-2", "--out", str(tmp_path / "out"), "--db", database)
    done = invoke(*words)
    assert (done.exit_code, "need an add-on that writes feedback" in done.stderr) == (2, True)
    monkeypatch.setattr(plugins, "shipped", lambda: {"greeting": addon})
    assert invoke(*words).exit_code == 0
    assert (tmp_path / "out" / "hello.txt").read_text() == "drawn-2 of cup, at most 200"


def greet(
    _: Database, tournament: Tournament, entrant: StoredEntrant, most: int
) -> Iterator[tuple[str, bytes]]:
    yield "hello.txt", f"{entrant.name} of {tournament.name}, at most {most}".encode()
