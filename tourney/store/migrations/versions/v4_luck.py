"""Adds the tables that the models have and the database lacks: luck.

The luck in the evidence of older matches stays there and is used: it costs nothing to read, and that of
archived tournaments could not be computed again.
"""

from alembic import op

from tourney.store.tables import METADATA

revision = "v4"
down_revision = "v3"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the missing tables."""
    METADATA.create_all(op.get_bind())
