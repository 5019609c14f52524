"""Adds the tables that the models have and the database lacks: analyses.

The number v2 was that of a development version and is not used again.
"""

from alembic import op

from tourney.store.tables import METADATA

revision = "v3"
down_revision = "v1"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the missing tables."""
    METADATA.create_all(op.get_bind())
