"""Why the bot of an entrant cannot be started, where a run went on without it."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; in older databases no run went on without a bot."""
    op.add_column("entrant", sa.Column("broken", sa.Text, nullable=True))
