"""``tourney db remove``: a tournament moves to a file of its own, and comes back from it."""

import shutil
from pathlib import Path

from tests.support.command import invoke
from tests.support.tournaments import begin
from tourney.run.engine.spool import spool_path
from tourney.store.database import Database


def two(db: str, folder: Path) -> Path:
    """A copy of a database with a second tournament, which is not played."""
    copy = Path(shutil.copy(db, folder / "t.db"))
    with Database.open(str(copy), write=True) as database:
        begin(database, name="other")
    return copy


def exported(db: Path, folder: Path) -> bytes:
    out = folder / "out.jsonl"
    done = invoke("export", "cup", "--what", "tournament", "--measured", "--out", str(out), "--db", str(db))
    assert done.exit_code == 0, done.stderr
    return out.read_bytes()


def test_removed_tournament_comes_back_by_merge(db: str, tmp_path: Path) -> None:
    copy = two(db, tmp_path)
    before, kept = exported(copy, tmp_path), tmp_path / "t.db-cup.removed.db"
    said = invoke("db", "remove", "cup", "--dry-run", "--db", str(copy))
    assert said.exit_code == 0
    assert "12 of 12 matches played" in said.stdout
    assert not kept.exists()
    done = invoke("db", "remove", "cup", "--db", str(copy))
    assert (done.exit_code, done.stdout) == (0, f"{kept}\n")
    assert "brings it back" in done.stderr
    with Database.open(str(copy)) as database:
        assert [one.name for one in database.tournaments.all()] == ["other"]
    for file in (copy, kept):
        checked = invoke("db", "check", "--db", str(file))
        assert checked.exit_code == 0, checked.stdout + checked.stderr
    assert exported(kept, tmp_path) == before
    assert invoke("db", "merge", str(kept), "--db", str(copy)).exit_code == 0
    assert exported(copy, tmp_path) == before


def test_only_its_own_rows_go(db: str, tmp_path: Path) -> None:
    copy = two(db, tmp_path)
    before, out = exported(copy, tmp_path), tmp_path / "o.db"
    assert invoke("db", "remove", "other", "--backup", str(out), "--db", str(copy)).exit_code == 0
    assert exported(copy, tmp_path) == before
    assert invoke("verify", "--all", "--db", str(copy)).exit_code == 0


def test_what_would_lose_something_is_refused(db: str, tmp_path: Path) -> None:
    copy = two(db, tmp_path)
    before = copy.read_bytes()
    words = ("db", "remove", "other", "--db", str(copy))
    taken = tmp_path / "there.db"
    taken.write_text("mine")
    done = invoke(*words, "--backup", str(taken))
    assert (done.exit_code, taken.read_text()) == (2, "mine")
    assert "is there already; name another file by --backup" in done.stderr
    with Database.open(str(copy)) as database:
        spool = spool_path(database.place, database.tournaments.get("other"))
    spool.write_bytes(b"x")
    done = invoke(*words)
    assert done.exit_code == 2
    assert "holds results of other that are not stored yet" in " ".join(done.stderr.split())
    assert copy.read_bytes() == before
    assert "no tournament 'cap'" in invoke("db", "remove", "cap", "--db", str(copy)).stderr
