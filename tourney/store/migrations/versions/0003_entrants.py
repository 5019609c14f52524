"""What formats know of entrants: when one was withdrawn, and its rating from tournaments before."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns; of the entrants there are nothing is known."""
    for name in ("left_at", "rating", "deviation"):
        op.add_column("entrant", sa.Column(name, sa.Integer, nullable=True))
