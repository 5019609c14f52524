"""How many turns of a seat were asked for, and how many of them an overloaded machine stretched."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns; of older matches both are unknown."""
    op.add_column("seat", sa.Column("turns", sa.Integer, nullable=True))
    op.add_column("seat", sa.Column("overloaded", sa.Integer, nullable=True))
