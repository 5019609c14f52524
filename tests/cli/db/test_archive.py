"""``tourney db archive``: what the other commands then say."""

import json
import shutil
from pathlib import Path

import pytest

from tests.support import genuine
from tests.support.command import invoke
from tourney.exchange.archiving import archive_tournament
from tourney.store.database import Database

VOID = 2


def archive(db: Path, out: Path, name: str | None = "cup") -> None:
    with Database.open(str(db), write=True) as repository:
        archive_tournament(repository, name, out, "2026-11-22")


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with a finished tournament, one of whose matches is void."""
    return genuine.finished(tmp_path_factory.mktemp("finished") / "t.db", VOID)


@pytest.fixture
def db(finished: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(finished, tmp_path / "t.db"))


def test_commands_that_need_records_name_the_archive(db: Path, tmp_path: Path) -> None:
    out, at = tmp_path / "cup.gz", ("--db", str(db))
    root = json.loads(invoke("status", "--format", "json", *at).stdout)["tournaments"][0]["root"]
    done = invoke("db", "archive", "cup", "--out", str(out), *at)
    assert (done.exit_code, done.stdout) == (0, f"{out}\n")
    assert "the database is smaller by it" in " ".join(done.stderr.split())
    target = tmp_path / "out"
    for words in (
        ("show", "1"),
        ("verify", "1"),
        ("rerun", "1"),
        ("export", "--out", str(target)),
        ("export", "--what", "tournament", "--out", str(target)),
        ("report", "--out", str(target)),
        ("db", "archive", "cup", "--out", str(tmp_path / "again.gz")),
    ):
        done = invoke(*words, *at)
        said = " ".join(done.stderr.split())
        assert done.exit_code == 2, words
        assert done.stdout == "", words
        assert "cup is in the archive cup.gz (sha256" in said, words
        assert "`tourney db unarchive cup.gz` brings it back" in said, words
    assert sorted(path.name for path in tmp_path.iterdir() if path.suffix != ".db") == ["cup.gz"]
    assert "void" in invoke("show", str(VOID), *at).stderr
    checked = invoke("verify", "--all", "--root", root, *at)
    assert checked.exit_code == 0, checked.stderr
    assert "cup is whole" in checked.stdout
    assert "cup has this root" in checked.stdout
    assert "cup is in the archive cup.gz" in " ".join(checked.stderr.split())
    done = invoke("db", "unarchive", str(out), *at)
    assert done.exit_code == 0, done.stderr
    assert invoke("verify", "--all", *at).exit_code == 0
    assert invoke("show", "1", *at).exit_code == 0


@pytest.mark.slow
def test_what_covers_all_tournaments_leaves_archived_ones_out(db: Path, tmp_path: Path) -> None:
    at, out = ("--db", str(db)), tmp_path / "report"
    with Database.open(str(db), write=True) as repository:
        other = genuine.begin(repository, name="other")
        genuine.play_all(repository, other)
    archive(db, tmp_path / "other.gz", "other")
    done = invoke("report", "--all", "--out", str(out), *at)
    assert done.exit_code == 0, done.stderr
    assert "left out: other is in the archive other.gz" in " ".join(done.stderr.split())
    assert list(out.glob("*cup*"))
    assert not list(out.glob("*other*"))
    again = invoke("rerun", "--sample", "1", "--seed", "1", *at)
    assert "left out: other is in the archive other.gz" in " ".join(again.stderr.split())
    assert "a sample of 1 of" in again.stderr
    archive(db, tmp_path / "cup.gz")
    for words, said in (
        (("rerun", "--all"), f"there is no record to replay in {db}: cup is in the archive cup.gz"),
        (("rerun", "--sample", "1"), "`tourney rerun --all FILE`"),
        (
            ("report", "--all", "--out", str(tmp_path / "none")),
            "no tournament has its records here: other is in the archive",
        ),
    ):
        done = invoke(*words, *at)
        assert (done.exit_code, done.stdout) == (2, ""), words
        assert said in " ".join(done.stderr.split()), words
    assert not (tmp_path / "none").exists()
