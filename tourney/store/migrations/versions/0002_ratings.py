"""What ratings keep: draw probabilities, checkpoints of long schedules, verdicts of comparisons."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the tables; what is stored stays as it is."""
    op.create_table(
        "draw_probability",
        sa.Column("game", sa.String, primary_key=True),
        sa.Column("seats", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("probability", sa.Float, nullable=False),
        sa.Column("tournament", sa.String, nullable=False),
        sa.Column("matches", sa.Integer, nullable=False),
    )
    op.create_table(
        "rating_checkpoint",
        sa.Column(
            "tournament_id", sa.Integer, sa.ForeignKey("tournament.id"), primary_key=True, autoincrement=False
        ),
        sa.Column("settings", sa.String(250), primary_key=True),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("state", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "verdict",
        sa.Column(
            "tournament_id", sa.Integer, sa.ForeignKey("tournament.id"), primary_key=True, autoincrement=False
        ),
        sa.Column("data", sa.Text, nullable=False),
    )
