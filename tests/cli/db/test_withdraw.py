"""``tourney db withdraw``: the matches of a host by reason, and a host that played none."""

import shutil
from pathlib import Path

from tests.support.command import invoke
from tourney.store.database import Database


def host_of(db: Path) -> str:
    with Database.open(str(db)) as repository:
        host = repository.records.measured(repository.tournaments.get().id, 1).host
    assert host is not None
    return host.partition("/")[2] or host


def test_dry_run_prints_what_is_then_withdrawn(db: str, tmp_path: Path) -> None:
    copy = Path(shutil.copy(db, tmp_path / "t.db"))
    words = ("db", "withdraw", "cup", "--host", host_of(copy), "--db", str(copy))
    said = invoke(*words, "--dry-run")
    assert (said.exit_code, said.stderr) == (0, "")
    assert "12 matches played on the host" in said.stdout
    assert copy.read_bytes() == Path(db).read_bytes()
    done = invoke(*words)
    assert (done.exit_code, done.stdout) == (0, said.stdout)
    assert f"the matches are kept in {tmp_path / 't.db-cup.withdrawn.jsonl'}" in done.stderr
    assert "gets no more matches in cup" in done.stderr


def test_host_without_a_match_is_refused(db: str, tmp_path: Path) -> None:
    copy = shutil.copy(db, tmp_path / "t.db")
    done = invoke("db", "withdraw", "cup", "--host", "elsewhere", "--db", str(copy))
    assert done.exit_code == 2
    assert "cup has no match of the host 'elsewhere'" in done.stderr
