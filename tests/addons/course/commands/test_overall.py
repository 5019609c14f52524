"""``tourney overall``: its table, page and document."""

import csv
from pathlib import Path

import pytest

from scripts.make_reference import documents
from tests.addons.course.results import tournament
from tests.support.command import invoke
from tests.support.documents import Printer, commands_of
from tourney.store.database import Database


@pytest.fixture
def db(tmp_path: Path) -> str:
    path = str(tmp_path / "t.db")
    with Database.open(path, create=True) as database:
        tournament(database, "first", 3)
        tournament(database, "second", 2)
    return path


def test_every_command_of_courses_prints_documents() -> None:
    assert commands_of("course") <= set(documents())


def test_document_names_parts_and_missing_entrants(db: str) -> None:
    document = Printer()("overall", "first", "second", "--by", "strength", "--db", db)
    assert "no rank" in document["meaning"]
    last = document["lines"][-1]
    assert (last["name"], last["rank"], last["missing"]) == ("c", None, ["second"])


def test_page_and_table_say_the_same(db: str, tmp_path: Path) -> None:
    out = tmp_path / "overall.html"
    done = invoke("overall", "first", "second", "--out", str(out), "--format", "csv", "--db", db)
    rows = list(csv.DictReader(done.stdout.splitlines()))
    assert [(row["name"], float(row["value"]), row["missing"]) for row in rows] == [
        ("a", 100, ""),
        ("b", 25, ""),
        ("c", 0, "second"),
    ]
    page = out.read_text()
    assert "<td>b</td>" in page
    assert "25.0" in page
    assert "(place 2 of 3)" in page
    assert "a missing tournament gives 0" in page
    people = invoke("overall", "first", "second", "--db", db)
    assert "a missing tournament gives 0" in people.stderr
