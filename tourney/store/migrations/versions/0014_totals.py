"""Totals of a tournament's results, so that standings need not read the matches."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

FILL = (
    """
    INSERT INTO match_total (tournament_id, done, void, overloaded)
    SELECT s.tournament_id, count(*), sum(CASE WHEN s.void THEN 1 ELSE 0 END), sum(s.stretched)
    FROM (
        SELECT tournament_id, match_id, void, max(CASE WHEN overloaded > 0 THEN 1 ELSE 0 END) AS stretched
        FROM seat GROUP BY tournament_id, match_id, void
    ) AS s
    GROUP BY s.tournament_id
    """,
    """
    INSERT INTO score_total
        (tournament_id, entrant, seat, games, units, wins, draws, faults, turns, overloaded, stretched)
    SELECT
        tournament_id, entrant, seat,
        sum(CASE WHEN void THEN 0 ELSE 1 END),
        sum(CASE WHEN void THEN 0 ELSE units END),
        sum(CASE WHEN NOT void AND rank = 1 AND NOT shared THEN 1 ELSE 0 END),
        sum(CASE WHEN NOT void AND rank = 1 AND shared THEN 1 ELSE 0 END),
        sum(CASE WHEN NOT void AND fault IS NOT NULL THEN 1 ELSE 0 END),
        coalesce(sum(turns), 0),
        coalesce(sum(overloaded), 0),
        sum(CASE WHEN overloaded > 0 THEN 1 ELSE 0 END)
    FROM seat GROUP BY tournament_id, entrant, seat
    """,
    """
    INSERT INTO pair_total (tournament_id, entrant, opponent, games, half_points)
    SELECT
        mine.tournament_id, mine.entrant, theirs.entrant, count(*),
        sum(CASE WHEN mine.rank < theirs.rank THEN 2 WHEN mine.rank = theirs.rank THEN 1 ELSE 0 END)
    FROM seat AS mine
    JOIN seat AS theirs ON mine.match_id = theirs.match_id AND mine.seat <> theirs.seat
    WHERE NOT mine.void
    GROUP BY mine.tournament_id, mine.entrant, theirs.entrant
    """,
    """
    INSERT INTO fault_total (tournament_id, entrant, kind, times)
    SELECT tournament_id, entrant, fault, count(*)
    FROM seat WHERE fault IS NOT NULL
    GROUP BY tournament_id, entrant, fault
    """,
)


def upgrade() -> None:
    """Add the tables and fill them; exchange the index that covered the standings for two small ones."""
    op.create_table(
        "match_total",
        sa.Column(
            "tournament_id", sa.Integer, sa.ForeignKey("tournament.id"), primary_key=True, autoincrement=False
        ),
        *(sa.Column(name, sa.Integer, nullable=False) for name in ("done", "void", "overloaded")),
    )
    op.create_table(
        "score_total",
        *_key("entrant", "seat"),
        *(
            sa.Column(name, sa.Integer, nullable=False)
            for name in ("games", "units", "wins", "draws", "faults")
        ),
        sa.Column("turns", sa.BigInteger, nullable=False),
        sa.Column("overloaded", sa.BigInteger, nullable=False),
        sa.Column("stretched", sa.Integer, nullable=False),
    )
    op.create_table(
        "pair_total",
        *_key("entrant", "opponent"),
        sa.Column("games", sa.Integer, nullable=False),
        sa.Column("half_points", sa.Integer, nullable=False),
    )
    op.create_table(
        "fault_total",
        *_key("entrant"),
        sa.Column("kind", sa.String, primary_key=True),
        sa.Column("times", sa.Integer, nullable=False),
    )
    for statement in FILL:
        op.execute(statement)
    op.drop_index("ix_seat_standings", "seat")
    for table, name, columns, what in (
        ("seat", "ix_seat_fault", ["tournament_id", "match_id"], "fault"),
        ("match", "ix_match_void", ["void_reason"], "void_reason"),
    ):
        there = sa.text(f"{what} IS NOT NULL")
        op.create_index(name, table, columns, sqlite_where=there, postgresql_where=there)


def _key(*more: str) -> tuple[sa.Column[int], ...]:
    """Return the columns of a key that begins with the tournament."""
    first = sa.Column("tournament_id", sa.Integer, sa.ForeignKey("tournament.id"), primary_key=True)
    return (first, *(sa.Column(name, sa.Integer, primary_key=True) for name in more))
