"""``tourney db backup``: the same standings from the copy, and no file replaced."""

from pathlib import Path

import pytest

from tests.support.command import invoke


@pytest.mark.slow
def test_backup_has_the_same_standings_and_replaces_no_file(db: str, tmp_path: Path) -> None:
    backup = str(tmp_path / "backup.db")
    assert invoke("db", "backup", backup, "--db", db).stdout == f"{backup}\n"
    assert invoke("standings", "--db", backup).stdout == invoke("standings", "--db", db).stdout
    assert invoke("db", "backup", backup, "--db", db).exit_code == 2
