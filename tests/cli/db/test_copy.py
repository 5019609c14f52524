"""``tourney db copy``: the same standings from the copy."""

from pathlib import Path

import pytest

from tests.support.command import invoke


@pytest.mark.slow
def test_copy_has_the_same_standings(db: str, tmp_path: Path) -> None:
    copy = str(tmp_path / "copy.db")
    assert invoke("db", "copy", copy, "--db", db).exit_code == 0
    assert invoke("standings", "--db", copy).stdout == invoke("standings", "--db", db).stdout
