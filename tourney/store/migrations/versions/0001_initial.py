"""Tournaments, entrants, the schedule, matches with their seats, logs and measurements."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring an empty database to this revision."""
    op.create_table(
        "tournament",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.String(64), nullable=False, unique=True),
        sa.Column("game", sa.String, nullable=False),
        sa.Column("format", sa.String, nullable=False),
        sa.Column("seats", sa.Integer, nullable=False),
        sa.Column("seed", sa.String(20), nullable=False),
        sa.Column("seed_chosen", sa.Boolean, nullable=False),
        sa.Column("plan", sa.Text, nullable=False),
        sa.Column("run", sa.Text, nullable=False),
        sa.Column("complete", sa.Boolean, nullable=False),
        sa.Column("created", sa.String, nullable=False),
    )
    op.create_table(
        "entrant",
        sa.Column("tournament_id", sa.Integer, sa.ForeignKey("tournament.id"), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("bot", sa.String, nullable=False),
        sa.Column("version", sa.String, nullable=False),
        sa.Column("args", sa.Text, nullable=False),
        sa.Column("digest", sa.String(64), nullable=False, index=True),
        sa.Column("title", sa.String, nullable=False),
        sa.Column("author", sa.String, nullable=False),
        sa.Column("joined", sa.Integer, nullable=False),
        sa.Column("line", sa.Text, nullable=False),
        sa.UniqueConstraint("tournament_id", "name"),
    )
    op.create_table(
        "schedule",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("tournament_id", sa.Integer, sa.ForeignKey("tournament.id"), nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("round_no", sa.Integer, nullable=False),
        sa.Column("table_no", sa.Integer, nullable=False),
        sa.Column("repeat_no", sa.Integer, nullable=False),
        sa.Column("order_no", sa.Integer, nullable=False),
        sa.Column("seating", sa.String, nullable=False),
        sa.UniqueConstraint("tournament_id", "number"),
        sa.UniqueConstraint("tournament_id", "round_no", "table_no", "repeat_no", "order_no"),
    )
    op.create_table(
        "match",
        sa.Column("id", sa.Integer, sa.ForeignKey("schedule.id"), primary_key=True, autoincrement=False),
        sa.Column("digest", sa.String(64), nullable=False, index=True),
        sa.Column("ranks", sa.String, nullable=False),
        sa.Column("faults", sa.String, nullable=False),
        sa.Column("reason", sa.String, nullable=False),
        sa.Column("void", sa.Boolean, nullable=False),
        sa.Column("note", sa.String, nullable=False),
        sa.Column("actions", sa.Integer, nullable=False),
        sa.Column("reproducible", sa.Boolean, nullable=False),
        sa.Column("record", sa.LargeBinary, nullable=True),
    )
    op.create_table(
        "seat",
        sa.Column("match_id", sa.Integer, sa.ForeignKey("match.id"), primary_key=True),
        sa.Column("seat", sa.Integer, primary_key=True),
        sa.Column("tournament_id", sa.Integer, sa.ForeignKey("tournament.id"), nullable=False),
        sa.Column("entrant", sa.Integer, nullable=False),
        sa.Column("rank", sa.Integer, nullable=False),
        sa.Column("shared", sa.Boolean, nullable=False),
        sa.Column("units", sa.Integer, nullable=False),
        sa.Column("fault", sa.String, nullable=True),
        sa.Column("void", sa.Boolean, nullable=False),
    )
    op.create_index(
        "ix_seat_standings",
        "seat",
        ["tournament_id", "entrant", "void", "rank", "shared", "units", "fault"],
    )
    op.create_table(
        "log",
        sa.Column("match_id", sa.Integer, sa.ForeignKey("match.id"), primary_key=True),
        sa.Column("lines", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "measured",
        sa.Column("match_id", sa.Integer, sa.ForeignKey("match.id"), primary_key=True),
        sa.Column("data", sa.LargeBinary, nullable=False),
    )
