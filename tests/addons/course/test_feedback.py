"""The private feedback of an entrant: its own matches and log, and nothing of another bot's."""

import csv
import json
from pathlib import Path

import pytest

from tests.addons.course.matches import cup
from tests.support.command import invoke
from tourney.addons.course.feedback import feedback_files
from tourney.match.record import check_record
from tourney.store.database import Database


@pytest.fixture
def db(tmp_path: Path) -> str:
    return cup(tmp_path)


def files_of(db: str, name: str, most: int = 200) -> dict[str, str]:
    with Database.open(db) as database:
        tournament = database.tournaments.get()
        entrant = next(e for e in database.tournaments.entrants(tournament.id) if e.name == name)
        files = feedback_files(database, tournament, entrant, most)
        return {file: content.decode() for file, content in files}


def test_faulted_match_has_record_log_dialogue_and_board(db: str) -> None:
    files = files_of(db, "anna")
    faulted = [name for name in files if name.endswith(".dialogue.txt")]
    assert len(faulted) == 4
    name = faulted[0].removesuffix(".dialogue.txt")
    record = check_record(json.loads(files[f"{name}.json"]))
    ((seat, kind, ply),) = record.outcome.faults
    assert kind == "illegal"
    *_, asked, fault = files[faulted[0]].splitlines()
    assert (asked.startswith("> go"), fault) == (True, "# illegal")
    own = [action for actor, action in record.actions[record.opening.length : ply] if actor == seat]
    moves = [line.removeprefix("< move ") for line in files[faulted[0]].splitlines() if line[:7] == "< move "]
    assert moves == own
    page = files["index.html"]
    assert f"illegal after {ply} actions" in page
    assert "nonsense&#39; is not an action of sage-stones" in page
    assert f"tourney debug {name}.json --seat {seat} --bot ./drawn" in page
    assert "in hand, by colour" in page


def test_no_line_of_another_bot_is_in_any_file(db: str) -> None:
    for name, others in (("anna", ("ben", "carl")), ("ben", ("anna", "carl"))):
        text = "\n".join(files_of(db, name).values())
        assert f"secret of {name}" in text
        assert not any(f"secret of {other}" in text for other in others)
        assert "the referee quotes" not in text


def test_lost_matches_beyond_the_bound_are_counted(db: str) -> None:
    files = files_of(db, "anna", 1)
    assert sum(name.endswith(".json") for name in files) == 1
    assert "The first 1 of 4." in files["index.html"]


def test_losses_count_the_points_of_all_matches(db: str) -> None:
    rows = list(csv.DictReader(files_of(db, "anna")["losses.csv"].splitlines()))
    assert sum(float(row["lost"]) for row in rows if row["by"] == "opponent") == 4
    assert sum(int(row["matches"]) for row in rows if row["by"] == "seat") == 4


def test_unfinished_tournament_keeps_shared_dice_closed(tmp_path: Path) -> None:
    db = cup(tmp_path, ())
    with Database.open(db, write=True) as database:
        tournament = database.tournaments.get()
        number = next(
            match.number
            for match in database.matches.all(tournament.id, entrant=0)
            if match.result is not None and 0 in match.seats
        )
        database.matches.take_back(tournament.id, [number])
    text = files_of(db, "anna")["index.html"]
    assert "1 of its matches share their dice with a match to come" in text
    assert "Interim standings" in text


def test_export_replaces_its_own_folder_and_no_other(db: str, tmp_path: Path) -> None:
    out = tmp_path / "replies"
    done = invoke("export", "cup", "--each", "--out", str(out), "--db", db)
    assert (done.exit_code, done.stderr) == (0, f"the files of 3 entrants of cup written to {out}\n")
    assert sorted(path.name for path in out.iterdir() if path.is_dir()) == ["anna", "ben", "carl"]
    assert out.stat().st_mode & 0o077 == 0
    done = invoke("export", "cup", "--bot", "ben", "--out", str(out), "--db", db)
    assert done.exit_code == 0
    assert not (out / "anna").exists()
    assert (out / "index.html").is_file()
    other = tmp_path / "other"
    other.mkdir()
    (other / "thesis.txt").write_text("years of work")
    done = invoke("export", "cup", "--each", "--out", str(other), "--db", db)
    assert (done.exit_code, f"{other} holds other files: choose a new folder" in done.stderr) == (2, True)
    assert (other / "thesis.txt").is_file()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--bot", "eve", "--out", "x"), "cup has no entrant 'eve'; there are: anna, ben, carl"),
        (("--bot", "anna"), "--bot and --each write folders: add --out DIR"),
        (("--bot", "anna", "--each", "--out", "x"), "--each writes all entrants: leave out --bot"),
        (("--each", "--what", "seats", "--out", "x"), "--what does not go with --bot and --each"),
    ],
)
def test_export_of_entrants_refuses_bad_words(
    db: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    done = invoke("export", "cup", *words, "--db", db)
    assert (done.exit_code, said in done.stderr) == (2, True), done.stderr
    assert not (tmp_path / "x").exists()
