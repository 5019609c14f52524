"""``tourney db upgrade``: a current database stays as it is."""

import shutil
from pathlib import Path

from tests.support.command import invoke
from tourney.store.migrations import newest


def test_current_database_is_up_to_date(db: str, tmp_path: Path) -> None:
    copy = shutil.copy(db, tmp_path / "copy.db")
    done = invoke("db", "upgrade", "--db", str(copy))
    assert done.stderr == f"{copy} is up to date ({newest()})\n"
