"""How a tournament presents itself in its report: title, description, logo and links."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table; older tournaments have their name alone."""
    op.create_table(
        "presentation",
        sa.Column(
            "tournament_id", sa.Integer, sa.ForeignKey("tournament.id"), primary_key=True, autoincrement=False
        ),
        sa.Column("data", sa.Text, nullable=False),
    )
