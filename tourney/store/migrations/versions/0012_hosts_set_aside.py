"""Results that were taken back name the host that was set aside for them."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; in older databases --unbench took all of them back."""
    op.add_column("replaced_result", sa.Column("host", sa.String, nullable=True))
