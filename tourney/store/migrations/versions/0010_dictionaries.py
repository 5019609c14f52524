"""Matches are packed with dictionaries of their tournaments, and found by the first digits of digests."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table and exchange the index; matches that are stored stay as they are."""
    op.create_table(
        "dictionary",
        sa.Column(
            "tournament_id", sa.Integer, sa.ForeignKey("tournament.id"), primary_key=True, autoincrement=False
        ),
        sa.Column("name", sa.String(16), primary_key=True),
        sa.Column("data", sa.LargeBinary, nullable=False),
    )
    op.drop_index("ix_match_digest", "match")
    op.create_index("ix_match_digest_start", "match", [sa.text("substr(digest, 1, 12)")])
