"""A finished tournament's root, and the results that --unbench replaced: later rounds may rest on them."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column and the table; what older databases did not keep stays unknown."""
    op.add_column("tournament", sa.Column("root", sa.String(64), nullable=True))
    op.create_table(
        "replaced_result",
        sa.Column("tournament_id", sa.Integer, sa.ForeignKey("tournament.id"), nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("rounds", sa.Integer, nullable=False),
        sa.Column("ranks", sa.String, nullable=False),
        sa.Column("faults", sa.String, nullable=False),
        sa.Column("void", sa.Boolean, nullable=False),
        sa.PrimaryKeyConstraint("tournament_id", "number", "rounds"),
    )
