"""``tourney marks``: its CSV for a course's system, pseudonyms, and its document."""

import csv
from pathlib import Path

import pytest

from tests.addons.course.results import tournament
from tests.support.command import invoke
from tests.support.documents import Printer
from tests.support.tournaments import write_file
from tourney.store.database import Database

FILE = f"""
game = "sage-stones"
games = 4
pseudonym-key = "horse battery"
[[step]]
mark = 10
bot = "weak"
digest = "{ord("d"):064x}"
score = 0.75
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    with Database.open("tourney.db", create=True) as database:
        tournament(database, "course", 4, games=2)
    write_file(tmp_path, FILE, "marks.toml")
    return tmp_path


def test_csv_has_a_row_for_each_author(home: Path) -> None:
    done = invoke("marks", str(home / "marks.toml"), "--format", "csv")
    rows = list(csv.DictReader(done.stdout.splitlines()))
    assert [(row["name"], float(row["mark"]), row["steps"]) for row in rows] == [
        ("a", 10, "weak:1.000/2"),
        ("b", 10, "weak:1.000/2"),
        ("c", 10, "weak:1.000/2"),
    ]
    assert "3 of 3 marks are provisional: fewer than 4 games count" in done.stderr


def test_public_table_has_no_name_and_no_digest(home: Path) -> None:
    document = Printer()("marks", str(home / "marks.toml"), "--pseudonyms")
    assert document["tournament"] == "course"
    names = [line["name"] for line in document["marks"]]
    assert names == sorted(names)
    assert all(name.startswith("bot-") for name in names)
    assert {line["digest"] for line in document["marks"]} == {""}


def test_pseudonyms_need_a_key(home: Path) -> None:
    write_file(home, FILE.replace("pseudonym-key", "# pseudonym-key"), "marks.toml")
    done = invoke("marks", "marks.toml", "--pseudonyms")
    assert (done.exit_code, "--pseudonyms needs a secret" in done.stderr) == (2, True)
