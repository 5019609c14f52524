"""``tourney db rename``: the name changes everywhere, and what a name cannot be is refused."""

import shutil
from pathlib import Path

import pytest

from tests.support.command import invoke
from tests.support.tournaments import begin
from tourney.run.listeners import withdrawn_path
from tourney.store.database import Database


def test_renamed_tournament_has_another_root_and_still_verifies(db: str, tmp_path: Path) -> None:
    copy = Path(shutil.copy(db, tmp_path / "t.db"))
    with Database.open(str(copy)) as database:
        old = database.tournaments.get()
        withdrawn_path(database.place, old).write_text("kept\n")
    done = invoke("db", "rename", "cup", "autumn-cup", "--db", str(copy))
    assert (done.exit_code, done.stdout) == (0, "")
    assert "change name in its tournament file too" in done.stderr
    with Database.open(str(copy)) as database:
        new = database.tournaments.get("autumn-cup")
        assert withdrawn_path(database.place, new).read_text() == "kept\n"
    assert (new.id, new.plan.name) == (old.id, "autumn-cup")
    assert new.root not in (None, old.root)
    assert f"root {new.root}, before {old.root}" in " ".join(done.stderr.split())
    assert invoke("verify", "--all", "--db", str(copy)).exit_code == 0


@pytest.mark.parametrize(
    ("name", "sentence"),
    [("other", "holds a tournament 'other' already"), ("Cup", "'Cup' cannot name a tournament")],
)
def test_other_names_are_refused(db: str, tmp_path: Path, name: str, sentence: str) -> None:
    copy = Path(shutil.copy(db, tmp_path / "t.db"))
    with Database.open(str(copy), write=True) as database:
        begin(database, name="other")
    done = invoke("db", "rename", "cup", name, "--db", str(copy))
    assert done.exit_code == 2
    assert sentence in " ".join(done.stderr.split())
