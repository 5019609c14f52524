"""Tournaments whose records, logs and measurements are in archive files."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table; no tournament is archived yet."""
    op.create_table(
        "archive",
        sa.Column(
            "tournament_id", sa.Integer, sa.ForeignKey("tournament.id"), primary_key=True, autoincrement=False
        ),
        sa.Column("file", sa.String, nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("created", sa.String, nullable=False),
    )
