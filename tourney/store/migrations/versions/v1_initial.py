"""The tables of the first release."""

import sqlalchemy as sa
from alembic import op

revision = "v1"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make all tables in an empty database."""
    _make_schedule()
    _make_results()
    _make_tournament_parts()
    op.create_table(
        "draw_probability",
        sa.Column("game", sa.String, primary_key=True),
        _number("seats"),
        sa.Column("probability", sa.Float, nullable=False),
        _text("tournament"),
        _integer("matches"),
    )
    op.create_table(
        "baseline",
        sa.Column("game", sa.String, primary_key=True),
        sa.Column("name", sa.String(64), primary_key=True),
        _number("number"),
        _text("digest", 64),
        _json("data"),
    )


def _make_schedule() -> None:
    op.create_table(
        "tournament",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.String(64), nullable=False, unique=True),
        _text("game"),
        _text("format"),
        _integer("seats"),
        _text("seed", 78),
        sa.Column("seed_chosen", sa.Boolean, nullable=False),
        _json("plan"),
        _json("run"),
        sa.Column("complete", sa.Boolean, nullable=False),
        _text("created"),
        sa.Column("root", sa.String(64), nullable=True),
    )
    op.create_table(
        "entrant",
        _key("tournament_id", of="tournament"),
        sa.Column("number", sa.Integer, primary_key=True),
        _text("name"),
        _text("bot"),
        _text("version"),
        _json("args"),
        sa.Column("digest", sa.String(64), nullable=False, index=True),
        _text("title"),
        _text("author"),
        _integer("joined"),
        _json("line"),
        _integer("left_at", nullable=True),
        _integer("rating", nullable=True),
        _integer("deviation", nullable=True),
        sa.Column("broken", sa.Text, nullable=True),
        sa.UniqueConstraint("tournament_id", "name"),
    )
    op.create_table(
        "schedule",
        sa.Column("id", sa.Integer, primary_key=True),
        _integer("tournament_id", of="tournament"),
        _integer("number"),
        _integer("round_no"),
        _integer("table_no"),
        _integer("repeat_no"),
        _integer("order_no"),
        _text("seating"),
        sa.UniqueConstraint("tournament_id", "number"),
        sa.UniqueConstraint("tournament_id", "round_no", "table_no", "repeat_no", "order_no"),
    )


def _make_results() -> None:
    op.create_table(
        "match",
        sa.Column("id", sa.Integer, sa.ForeignKey("schedule.id"), primary_key=True, autoincrement=False),
        _text("digest", 64),
        _text("ranks"),
        _text("faults"),
        _text("reason"),
        _text("note"),
        _integer("actions"),
        sa.Column("reproducible", sa.Boolean, nullable=False),
        sa.Column("record", sa.LargeBinary, nullable=True),
        _text("void_reason", nullable=True),
        _integer("void_entrant", nullable=True),
    )
    op.create_table(
        "seat",
        _key("match_id", of="match"),
        sa.Column("seat", sa.Integer, primary_key=True),
        _integer("tournament_id", of="tournament"),
        _integer("entrant"),
        _integer("rank"),
        _text("fault", nullable=True),
        _integer("turns", nullable=True),
        _integer("overloaded", nullable=True),
    )
    op.create_index("ix_match_digest_start", "match", [sa.text("substr(digest, 1, 12)")])
    # These two hold only void matches and only faults, which are few.
    for table, name, columns, what in (
        ("match", "ix_match_void", ["void_reason"], "void_reason"),
        ("seat", "ix_seat_fault", ["tournament_id", "match_id"], "fault"),
    ):
        there = sa.text(f"{what} IS NOT NULL")
        op.create_index(name, table, columns, sqlite_where=there, postgresql_where=there)
    for table, column in (("log", "lines"), ("measured", "data")):
        op.create_table(
            table,
            _key("match_id", of="match"),
            _blob(column),
        )


def _make_tournament_parts() -> None:
    op.create_table(
        "dictionary",
        _tournament(),
        sa.Column("name", sa.String(16), primary_key=True),
        _blob("data"),
    )
    op.create_table(
        "archive",
        _tournament(),
        _text("file"),
        _text("sha256", 64),
        _text("created"),
        _text("hosts", nullable=True),
    )
    op.create_table(
        "replaced_result",
        _tournament(),
        _number("number"),
        _number("rounds"),
        _text("ranks"),
        _text("faults"),
        sa.Column("void", sa.Boolean, nullable=False),
    )
    op.create_table(
        "refused_host",
        _tournament(),
        sa.Column("host", sa.String, primary_key=True),
        _text("why"),
    )
    op.create_table(
        "rating_checkpoint",
        _tournament(),
        sa.Column("settings", sa.String(250), primary_key=True),
        _integer("number"),
        _blob("state"),
    )
    for table in ("verdict", "presentation"):
        op.create_table(table, _tournament(), _json("data"))


def _integer(name: str, *, of: str = "", nullable: bool = False) -> sa.Column[int]:
    """An integer; ``of``: the table whose ``id`` it is."""
    keys = [sa.ForeignKey(f"{of}.id")] if of else []
    return sa.Column(name, sa.Integer, *keys, nullable=nullable)


def _key(name: str, *, of: str) -> sa.Column[int]:
    """A part of the primary key: the ``id`` of a row of another table."""
    return sa.Column(name, sa.Integer, sa.ForeignKey(f"{of}.id"), primary_key=True)


def _number(name: str) -> sa.Column[int]:
    """A part of the primary key that the program counts; a database must not fill it in."""
    return sa.Column(name, sa.Integer, primary_key=True, autoincrement=False)


def _text(name: str, most: int | None = None, *, nullable: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.String(most), nullable=nullable)


def _json(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=False)


def _blob(name: str) -> sa.Column[bytes]:
    return sa.Column(name, sa.LargeBinary, nullable=False)


def _tournament() -> sa.Column[int]:
    """The tournament's ``id`` as a part of the primary key, not filled in by a database."""
    return sa.Column(
        "tournament_id", sa.Integer, sa.ForeignKey("tournament.id"), primary_key=True, autoincrement=False
    )
