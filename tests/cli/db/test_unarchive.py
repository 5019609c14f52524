"""``tourney db unarchive``: the records come back from the file, and from no other."""

import shutil
from pathlib import Path

from tests.support.command import invoke


def test_records_come_back_from_the_archive(db: str, tmp_path: Path) -> None:
    at = ("--db", str(shutil.copy(db, tmp_path / "t.db")))
    before = invoke("export", *at).stdout
    out = tmp_path / "cup.gz"
    assert invoke("db", "archive", "--out", str(out), *at).exit_code == 0
    assert invoke("export", *at).exit_code == 2
    done = invoke("db", "unarchive", str(out), *at)
    assert (done.exit_code, done.stdout) == (0, "")
    assert "the records of cup are back" in done.stderr
    assert invoke("export", *at).stdout == before


def test_device_is_not_an_archive(db: str) -> None:
    done = invoke("db", "unarchive", "/dev/null", "--db", db)
    assert done.exit_code == 2
    assert "name the archive" in done.stderr
