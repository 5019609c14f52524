"""The tables. Only the store sees them; a change here needs a migration.

They are tables of SQLAlchemy's core, which is all that the store needs: declared as classes of SQLModel they
took two thirds of the time in which a short command starts. ``tourney.store.models`` makes such classes of
them, for programs that want rows as objects.

A number is at least what its column says (``LEAST``), else 0; so is the length of a text
(``tourney.store.rows.check_columns``).

Seeds are decimal strings, as SQL integers end at 2**63-1. A match is a row of the schedule
and, once played, a row of ``match`` under the same id, written in one transaction with its seats, log and
measurements: a row of ``match`` is the unit of truth, and a row of the schedule without one is still to play.
"""

from typing import Final

import sqlalchemy as sa

METADATA: Final = sa.MetaData()

LEAST: Final = "least"
"""The key of a column's ``info`` for its least value, or for the least length of a text."""
START: Final = 12
"""The digits of a digest by which matches are found: they tell all but a few from each other, and an index of
them takes a third of the space."""


def _few(name: str, *columns: str, column: str) -> sa.Index:
    """An index of the rows that have a value in a column, which are few."""
    return sa.Index(name, *columns, sqlite_where=sa.text(f"{column} IS NOT NULL"))


@sa.event.listens_for(METADATA, "before_create")
def _prepare_for_server(_metadata: sa.MetaData, connection: sa.Connection, **_options: object) -> None:
    """Let indexes of few rows be so on PostgreSQL too.

    Named at once, the option loads SQLAlchemy's code for PostgreSQL, a fifth of the time that the store takes
    to load, in every command on an SQLite file.
    """
    if connection.dialect.name == "postgresql":
        for index in (index for table in METADATA.tables.values() for index in table.indexes):
            if (rows := index.dialect_options["sqlite"]["where"]) is not None:
                index.dialect_options["postgresql"]["where"] = rows


TOURNAMENT: Final = sa.Table(
    "tournament",
    METADATA,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("name", sa.String(64), nullable=False, unique=True),
    sa.Column("game", sa.String, nullable=False),
    sa.Column("format", sa.String, nullable=False),
    sa.Column("seats", sa.Integer, nullable=False),
    sa.Column("seed", sa.String(78), nullable=False),
    sa.Column("seed_chosen", sa.Boolean, nullable=False),
    sa.Column("plan", sa.Text, nullable=False),
    sa.Column("run", sa.Text, nullable=False),
    sa.Column("complete", sa.Boolean, nullable=False),
    sa.Column("created", sa.String, nullable=False),
    sa.Column("root", sa.String(64), nullable=True),
    sa.Column("salt", sa.String(32), nullable=True),
    sa.Column("beacon", sa.Text, nullable=True),
)
"""A ``Tournament``; ``plan``, ``run`` and ``beacon`` are JSON. ``root`` is kept once all is played, NULL
before and after every change (see ``tourney.check.root``)."""

ENTRANT: Final = sa.Table(
    "entrant",
    METADATA,
    sa.Column("tournament_id", sa.Integer, sa.ForeignKey("tournament.id"), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("name", sa.String, nullable=False, info={LEAST: 1}),
    sa.Column("bot", sa.String, nullable=False),
    sa.Column("version", sa.String, nullable=False),
    sa.Column("args", sa.Text, nullable=False),
    sa.Column("digest", sa.String(64), nullable=False, index=True),
    sa.Column("title", sa.String, nullable=False),
    sa.Column("author", sa.String, nullable=False),
    sa.Column("joined", sa.Integer, nullable=False, info={LEAST: 1}),
    sa.Column("line", sa.Text, nullable=False),
    sa.Column("left_at", sa.Integer, nullable=True),
    sa.Column("rating", sa.Integer, nullable=True, info={LEAST: -(2**63)}),
    sa.Column("deviation", sa.Integer, nullable=True),
    sa.Column("broken", sa.Text, nullable=True, info={LEAST: 1}),
    sa.UniqueConstraint("tournament_id", "name"),
)
"""A ``StoredEntrant``; ``args`` is a JSON list, ``left_at`` the round ``left``."""

SCHEDULE: Final = sa.Table(
    "schedule",
    METADATA,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("tournament_id", sa.Integer, sa.ForeignKey("tournament.id"), nullable=False),
    sa.Column("number", sa.Integer, nullable=False, info={LEAST: 1}),
    sa.Column("round_no", sa.Integer, nullable=False, info={LEAST: 1}),
    sa.Column("table_no", sa.Integer, nullable=False, info={LEAST: 1}),
    sa.Column("repeat_no", sa.Integer, nullable=False, info={LEAST: 1}),
    sa.Column("order_no", sa.Integer, nullable=False, info={LEAST: 1}),
    sa.Column("seating", sa.String, nullable=False),
    sa.UniqueConstraint("tournament_id", "number"),
    sa.UniqueConstraint("tournament_id", "round_no", "table_no", "repeat_no", "order_no"),
)
"""A match to be played; ``number`` from 1 in schedule order, ``seating`` as "0,3": entrants by seat."""

MATCH: Final = sa.Table(
    "match",
    METADATA,
    sa.Column("id", sa.Integer, sa.ForeignKey("schedule.id"), primary_key=True),
    sa.Column("digest", sa.String(64), nullable=False),
    sa.Column("ranks", sa.String, nullable=False),
    sa.Column("faults", sa.String, nullable=False),
    sa.Column("reason", sa.String, nullable=False, info={LEAST: 1}),
    sa.Column("note", sa.String, nullable=False),
    sa.Column("actions", sa.Integer, nullable=False),
    sa.Column("reproducible", sa.Boolean, nullable=False),
    sa.Column("record", sa.LargeBinary, nullable=True),
    sa.Column("void_reason", sa.String, nullable=True),
    sa.Column("void_entrant", sa.Integer, nullable=True),
    sa.Column("evidence", sa.String, nullable=False),
    sa.Index("ix_match_digest_start", sa.text(f"substr(digest, 1, {START})")),
    _few("ix_match_void", "void_reason", column="void_reason"),
)
"""The ``Result`` of a finished match, and its ``record`` as compressed JSON. The record is NULL where the
infrastructure failed for good, and where the tournament is archived. ``ranks`` ("1,2") and ``faults``
("timeout,", a kind or nothing per seat) repeat what ``seat`` holds, so that a million results are read from
one row each. ``evidence`` is a text (``tourney.match.evidence``), since revision v4 without the luck."""

SEAT: Final = sa.Table(
    "seat",
    METADATA,
    sa.Column("match_id", sa.Integer, sa.ForeignKey("match.id"), primary_key=True),
    sa.Column("seat", sa.Integer, primary_key=True),
    sa.Column("tournament_id", sa.Integer, sa.ForeignKey("tournament.id"), nullable=False),
    sa.Column("entrant", sa.Integer, nullable=False),
    sa.Column("rank", sa.Integer, nullable=False),
    sa.Column("fault", sa.String, nullable=True),
    sa.Column("turns", sa.Integer, nullable=True),
    sa.Column("overloaded", sa.Integer, nullable=True),
    _few("ix_seat_fault", "tournament_id", "match_id", column="fault"),
)
"""The entrant on a seat (from 1) of a finished match, and its result. ``turns`` and ``overloaded`` repeat
what was measured, so that it is added up without unpacking; NULL where it is unknown."""

LUCK: Final = sa.Table(
    "luck",
    METADATA,
    sa.Column("match_id", sa.Integer, sa.ForeignKey("match.id"), primary_key=True),
    sa.Column("value_version", sa.Integer, nullable=False),
    sa.Column("units", sa.String, nullable=False),
)
"""The luck of a match's seats in ``units`` ("120,-120"; "" where it is not known), by the value function of a
version. It follows from the record, so rows may be lost without harm: who asks for luck computes them again.
Matches of older versions have theirs in ``evidence``, and a copy here."""

LOG: Final = sa.Table(
    "log",
    METADATA,
    sa.Column("match_id", sa.Integer, sa.ForeignKey("match.id"), primary_key=True),
    sa.Column("lines", sa.LargeBinary, nullable=False),
)
"""A match's log, compressed JSON; a match without a line has no row."""

MEASURED: Final = sa.Table(
    "measured",
    METADATA,
    sa.Column("match_id", sa.Integer, sa.ForeignKey("match.id"), primary_key=True),
    sa.Column("data", sa.LargeBinary, nullable=False),
)
"""The measurements of a match, compressed JSON: outside the digest."""

ANALYSIS: Final = sa.Table(
    "analysis",
    METADATA,
    sa.Column("match_id", sa.Integer, sa.ForeignKey("match.id"), primary_key=True),
    sa.Column("analyser", sa.String(64), primary_key=True),
    sa.Column("effort", sa.Integer, nullable=False),
    sa.Column("data", sa.LargeBinary, nullable=False),
)
"""An analysis of a match (``tourney.match.analysis``), compressed JSON: outside the digest. ``analyser`` is
the key of what made it, ``effort`` its nodes or milliseconds per action."""

DICTIONARY: Final = sa.Table(
    "dictionary",
    METADATA,
    sa.Column("tournament_id", sa.Integer, sa.ForeignKey("tournament.id"), primary_key=True),
    sa.Column("name", sa.String(16), primary_key=True),
    sa.Column("data", sa.LargeBinary, nullable=False),
)
"""The compression dictionaries of a tournament's packed columns, by column; written once. ``data`` is a
dictionary of zlib (RFC 1950). Tournaments of older versions have none."""

ARCHIVE: Final = sa.Table(
    "archive",
    METADATA,
    sa.Column("tournament_id", sa.Integer, sa.ForeignKey("tournament.id"), primary_key=True),
    sa.Column("file", sa.String, nullable=False, info={LEAST: 1}),
    sa.Column("sha256", sa.String(64), nullable=False),
    sa.Column("created", sa.String, nullable=False),
    sa.Column("hosts", sa.String, nullable=True),
)
"""An ``Archive``; ``hosts`` is a JSON object."""

REPLACED: Final = sa.Table(
    "replaced_result",
    METADATA,
    sa.Column("tournament_id", sa.Integer, sa.ForeignKey("tournament.id"), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True, info={LEAST: 1}),
    sa.Column("rounds", sa.Integer, primary_key=True, info={LEAST: 1}),
    sa.Column("ranks", sa.String, nullable=False),
    sa.Column("faults", sa.String, nullable=False),
    sa.Column("void", sa.Boolean, nullable=False),
)
"""A ``ReplacedResult``; some of the rounds drawn may rest on it."""

REFUSED_HOST: Final = sa.Table(
    "refused_host",
    METADATA,
    sa.Column("tournament_id", sa.Integer, sa.ForeignKey("tournament.id"), primary_key=True),
    sa.Column("host", sa.String, primary_key=True, info={LEAST: 1}),
    sa.Column("why", sa.String, nullable=False),
)
"""A ``RefusedHost``: it was caught forging, or its matches were withdrawn."""

DRAW_PROBABILITY: Final = sa.Table(
    "draw_probability",
    METADATA,
    sa.Column("game", sa.String, primary_key=True),
    sa.Column("seats", sa.Integer, primary_key=True, info={LEAST: 1}),
    sa.Column("probability", sa.Float, nullable=False),
    sa.Column("tournament", sa.String, nullable=False),
    sa.Column("matches", sa.Integer, nullable=False),
)
"""The ``DrawProbability`` of a game and a number of seats."""

CHECKPOINT: Final = sa.Table(
    "rating_checkpoint",
    METADATA,
    sa.Column("tournament_id", sa.Integer, sa.ForeignKey("tournament.id"), primary_key=True),
    sa.Column("settings", sa.String(250), primary_key=True),
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("state", sa.LargeBinary, nullable=False),
)
"""A ``Checkpoint`` of ratings, so that its matches need not be rated again. ``settings`` are those of the
rating (JSON); ``state`` is compressed JSON. A row may be lost without harm."""

VERDICT: Final = sa.Table(
    "verdict",
    METADATA,
    sa.Column("tournament_id", sa.Integer, sa.ForeignKey("tournament.id"), primary_key=True),
    sa.Column("data", sa.Text, nullable=False),
)
"""The verdict of a comparison of two bots: JSON."""

PRESENTATION: Final = sa.Table(
    "presentation",
    METADATA,
    sa.Column("tournament_id", sa.Integer, sa.ForeignKey("tournament.id"), primary_key=True),
    sa.Column("data", sa.Text, nullable=False),
)
"""The ``Presentation`` of a tournament: JSON."""

BASELINE: Final = sa.Table(
    "baseline",
    METADATA,
    sa.Column("game", sa.String, primary_key=True, info={LEAST: 1}),
    sa.Column("name", sa.String(64), primary_key=True, info={LEAST: 1}),
    sa.Column("number", sa.Integer, primary_key=True, info={LEAST: 1}),
    sa.Column("digest", sa.String(64), nullable=False),
    sa.Column("data", sa.Text, nullable=False),
)
"""A ``Baseline``, the ``number``th of its name; its promotion is JSON."""

KEY = (SCHEDULE.c.round_no, SCHEDULE.c.table_no, SCHEDULE.c.repeat_no, SCHEDULE.c.order_no)
"""The columns that order a schedule."""

PLAYED = SCHEDULE.join(MATCH, MATCH.c.id == SCHEDULE.c.id)
"""The matches with a result."""
WITH_LUCK = PLAYED.outerjoin(LUCK, LUCK.c.match_id == SCHEDULE.c.id)
"""The matches with a result, and their luck where it is kept."""
ALL_ROWS = SCHEDULE.outerjoin(MATCH, MATCH.c.id == SCHEDULE.c.id)
"""All matches of the schedule, with their results where there are any."""
