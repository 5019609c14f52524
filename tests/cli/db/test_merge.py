"""``tourney db merge``: what it says of each tournament, and the refusal of one database twice."""

from pathlib import Path

from tests.support.command import invoke
from tests.support.tournaments import begin
from tourney.store.database import Database


def test_each_tournament_is_named_with_its_matches(db: str, tmp_path: Path) -> None:
    here = tmp_path / "here.db"
    with Database.open(str(here), create=True) as repository:
        begin(repository, 2, name="ours")
    done = invoke("db", "merge", db, "--db", str(here))
    assert (done.exit_code, done.stdout) == (0, "")
    assert "cup brought in: 12 of 12 matches came from" in " ".join(done.stderr.split())
    again = invoke("db", "merge", db, "--db", str(here))
    assert "cup was here: 0 of 12 matches came from" in " ".join(again.stderr.split())


def test_database_is_not_merged_with_itself(db: str) -> None:
    done = invoke("db", "merge", db, "--db", db)
    assert (done.exit_code, "is both source and target" in done.stderr) == (2, True)
