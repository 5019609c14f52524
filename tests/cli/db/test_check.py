"""``tourney db check``: a sound database, and a damaged one."""

import os
import shutil
from pathlib import Path

from tests.support.command import invoke


def test_sound_database_passes(db: str) -> None:
    sound = f"{db} is sound; whether the records hold is for `tourney verify --all`\n"
    assert invoke("db", "check", "--db", db).stderr == sound


def test_truncated_database_is_damaged(db: str, tmp_path: Path) -> None:
    cut = shutil.copy(db, tmp_path / "cut.db")
    os.truncate(cut, Path(cut).stat().st_size - 4096)
    damaged = invoke("db", "check", "--db", str(cut))
    assert damaged.exit_code in (1, 3)
    assert "damaged" in damaged.stderr
