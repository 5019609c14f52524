"""Seeds of 256 bits, where a seed comes from, and the salt of its commitment."""

import sqlalchemy as sa
from alembic import op

revision = "v2"
down_revision = "v1"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Widen the seed and add the columns of its origin; databases from before had 20 digits."""
    op.add_column("tournament", sa.Column("salt", sa.String(32), nullable=True))
    op.add_column("tournament", sa.Column("beacon", sa.Text, nullable=True))
    if op.get_bind().dialect.name != "sqlite":
        op.alter_column("tournament", "seed", type_=sa.String(78))
