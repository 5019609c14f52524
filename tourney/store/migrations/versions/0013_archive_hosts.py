"""Archives note the hosts that played, by which tournaments under wall time are pooled."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; the hosts of older archives are not known here."""
    op.add_column("archive", sa.Column("hosts", sa.String, nullable=True))
