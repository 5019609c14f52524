"""Why a match is void, as columns: before, a benched entrant stood only in the note ("benched: NAME ...")."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_BENCHED = "benched: "


def upgrade() -> None:
    """Add the columns and fill them from the notes and records of the void matches."""
    op.add_column("match", sa.Column("void_reason", sa.String, nullable=True))
    op.add_column("match", sa.Column("void_entrant", sa.Integer, nullable=True))
    match = sa.table(
        "match",
        *map(sa.column, ("id", "void", "note", "digest", "void_reason", "void_entrant")),
    )
    schedule = sa.table("schedule", sa.column("id"), sa.column("tournament_id"))
    entrant = sa.table("entrant", *map(sa.column, ("tournament_id", "number", "name")))
    void = sa.type_coerce(match.c.void, sa.Boolean)
    start = sa.literal(_BENCHED, sa.String).concat(entrant.c.name).concat(" ")
    benched = (
        sa.select(entrant.c.number)
        .join_from(entrant, schedule, entrant.c.tournament_id == schedule.c.tournament_id)
        .where(schedule.c.id == match.c.id)
        .where(sa.func.substr(match.c.note, 1, sa.func.length(start)) == start)
        .scalar_subquery()
    )
    op.execute(
        sa.update(match)
        .where(void, match.c.digest == "", match.c.note.like(f"{_BENCHED}%"))
        .values(void_entrant=benched)
    )
    reason = sa.case(
        (match.c.digest != "", "startup-failure"),
        (match.c.void_entrant.is_not(None), "benched"),
        else_="machine-failure",
    )
    op.execute(sa.update(match).where(void).values(void_reason=reason))
