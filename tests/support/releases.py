"""A later release, whose databases have one more revision than those of this one."""

import shutil
from pathlib import Path

import pytest

from tourney.store import migrations

LATER = "v5"
_REVISION = """
import sqlalchemy as sa
from alembic import op

revision = "v5"
down_revision = "v4"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table("later", sa.Column("id", sa.Integer, primary_key=True))
    op.execute("INSERT INTO later SELECT id FROM tournament")
"""


def release(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Turn this Tourney into a later release: databases made before are old from here on."""
    copied = folder / "later-migrations"
    shutil.copytree(migrations.FOLDER, copied, ignore=shutil.ignore_patterns("__pycache__"))
    (copied / "versions" / "v5_later.py").write_text(_REVISION)
    monkeypatch.setattr(migrations, "FOLDER", copied)
    monkeypatch.setattr(migrations, "REVISIONS", (*migrations.REVISIONS, LATER))
