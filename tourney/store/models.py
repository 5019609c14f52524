"""The tables, as SQLModel rows. Only the store sees them; a change here needs a migration.

The constraints of a column (``ge``, ``min_length``) are those by which it is checked when it is read
(``tourney.store.rows.check_columns``); an integer without one is at least 0.

Seeds are decimal strings, as SQL integers end at 2**63-1. A match is a row of the schedule
and, once played, a row of ``match`` under the same id, written in one transaction with its seats, log and
measurements: a row of ``match`` is the unit of truth, and a row of the schedule without one is still to play.
"""

from typing import Final

import sqlalchemy as sa
from sqlalchemy import Index, Text, UniqueConstraint, text
from sqlmodel import Field, SQLModel

START: Final = 12
"""The digits of a digest by which matches are found: they tell all but a few from each other, and an index of
them takes a third of the space."""


def _few(name: str, *columns: str, column: str) -> Index:
    """An index of the rows that have a value in a column, which are few."""
    there = text(f"{column} IS NOT NULL")
    return Index(name, *columns, sqlite_where=there, postgresql_where=there)


class TournamentRow(SQLModel, table=True):
    """A ``Tournament``; ``plan``, ``run`` and ``beacon`` are JSON.

    ``root`` is kept once all is played, NULL before and after every change (see ``tourney.check.root``).
    """

    __tablename__ = "tournament"

    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(unique=True, max_length=64)
    game: str
    format: str
    seats: int
    seed: str = Field(max_length=78)
    seed_chosen: bool
    plan: str = Field(sa_type=Text)
    run: str = Field(sa_type=Text)
    complete: bool
    created: str
    root: str | None = Field(default=None, max_length=64)
    salt: str | None = Field(default=None, max_length=32)
    beacon: str | None = Field(default=None, sa_type=Text)


class EntrantRow(SQLModel, table=True):
    """A ``StoredEntrant``; ``args`` is a JSON list, ``left_at`` the round ``left``."""

    __tablename__ = "entrant"
    __table_args__ = (UniqueConstraint("tournament_id", "name"),)

    tournament_id: int = Field(foreign_key="tournament.id", primary_key=True)
    number: int = Field(primary_key=True)
    name: str = Field(min_length=1)
    bot: str
    version: str
    args: str = Field(sa_type=Text)
    digest: str = Field(max_length=64, index=True)
    title: str
    author: str
    joined: int = Field(ge=1)
    line: str = Field(sa_type=Text)
    left_at: int | None
    rating: int | None = Field(ge=-(2**63))
    deviation: int | None
    broken: str | None = Field(min_length=1, sa_type=Text)


class ScheduleRow(SQLModel, table=True):
    """A match to be played; ``number`` from 1 in schedule order, ``seating`` as "0,3": entrants by seat."""

    __tablename__ = "schedule"
    __table_args__ = (
        UniqueConstraint("tournament_id", "number"),
        UniqueConstraint("tournament_id", "round_no", "table_no", "repeat_no", "order_no"),
    )

    id: int | None = Field(default=None, primary_key=True)
    tournament_id: int = Field(foreign_key="tournament.id")
    number: int = Field(ge=1)
    round_no: int = Field(ge=1)
    table_no: int = Field(ge=1)
    repeat_no: int = Field(ge=1)
    order_no: int = Field(ge=1)
    seating: str


class MatchRow(SQLModel, table=True):
    """The ``Result`` of a finished match, and its ``record`` as compressed JSON.

    The record is NULL where the infrastructure failed for good, and where the tournament is archived.
    ``ranks`` ("1,2") and ``faults`` ("timeout,", a kind or nothing per seat) repeat what ``seat`` holds, so
    that a million results are read from one row each. ``evidence`` is a text (``tourney.match.evidence``).
    """

    __tablename__ = "match"
    __table_args__ = (
        Index("ix_match_digest_start", text(f"substr(digest, 1, {START})")),
        _few("ix_match_void", "void_reason", column="void_reason"),
    )

    id: int = Field(foreign_key="schedule.id", primary_key=True)
    digest: str = Field(max_length=64)
    ranks: str
    faults: str
    reason: str = Field(min_length=1)
    note: str
    actions: int
    reproducible: bool
    record: bytes | None
    void_reason: str | None
    void_entrant: int | None
    evidence: str


class SeatRow(SQLModel, table=True):
    """The entrant on a seat (from 1) of a finished match, and its result.

    ``turns`` and ``overloaded`` repeat what was measured, so that it is added up without unpacking; NULL
    where it is unknown.
    """

    __tablename__ = "seat"
    __table_args__ = (_few("ix_seat_fault", "tournament_id", "match_id", column="fault"),)

    match_id: int = Field(foreign_key="match.id", primary_key=True)
    seat: int = Field(primary_key=True)
    tournament_id: int = Field(foreign_key="tournament.id")
    entrant: int
    rank: int
    fault: str | None
    turns: int | None
    overloaded: int | None


class LogRow(SQLModel, table=True):
    """A match's log, compressed JSON; a match without a line has no row."""

    __tablename__ = "log"

    match_id: int = Field(foreign_key="match.id", primary_key=True)
    lines: bytes


class MeasuredRow(SQLModel, table=True):
    """The measurements of a match, compressed JSON: outside the digest."""

    __tablename__ = "measured"

    match_id: int = Field(foreign_key="match.id", primary_key=True)
    data: bytes


class AnalysisRow(SQLModel, table=True):
    """An analysis of a match (``tourney.match.analysis``), compressed JSON: outside the digest.

    ``analyser`` is the key of what made it, ``effort`` its nodes or milliseconds per action.
    """

    __tablename__ = "analysis"

    match_id: int = Field(foreign_key="match.id", primary_key=True)
    analyser: str = Field(primary_key=True, max_length=64)
    effort: int
    data: bytes


class DictionaryRow(SQLModel, table=True):
    """The compression dictionaries of a tournament's packed columns, by column; written once.

    ``data`` is a dictionary of zlib (RFC 1950). Tournaments of older versions have none.
    """

    __tablename__ = "dictionary"

    tournament_id: int = Field(foreign_key="tournament.id", primary_key=True)
    name: str = Field(primary_key=True, max_length=16)
    data: bytes


class ArchiveRow(SQLModel, table=True):
    """An ``Archive``; ``hosts`` is a JSON object."""

    __tablename__ = "archive"

    tournament_id: int = Field(foreign_key="tournament.id", primary_key=True)
    file: str = Field(min_length=1)
    sha256: str = Field(max_length=64)
    created: str
    hosts: str | None


class ReplacedResultRow(SQLModel, table=True):
    """A ``ReplacedResult``; some of the rounds drawn may rest on it."""

    __tablename__ = "replaced_result"

    tournament_id: int = Field(foreign_key="tournament.id", primary_key=True)
    number: int = Field(ge=1, primary_key=True)
    rounds: int = Field(ge=1, primary_key=True)
    ranks: str
    faults: str
    void: bool


class RefusedHostRow(SQLModel, table=True):
    """A ``RefusedHost``: it was caught forging, or its matches were withdrawn."""

    __tablename__ = "refused_host"

    tournament_id: int = Field(foreign_key="tournament.id", primary_key=True)
    host: str = Field(primary_key=True, min_length=1)
    why: str


class DrawProbabilityRow(SQLModel, table=True):
    """The ``DrawProbability`` of a game and a number of seats."""

    __tablename__ = "draw_probability"

    game: str = Field(primary_key=True)
    seats: int = Field(ge=1, primary_key=True)
    probability: float = Field(ge=0, le=1)
    tournament: str
    matches: int


class CheckpointRow(SQLModel, table=True):
    """A ``Checkpoint`` of ratings, so that its matches need not be rated again.

    ``settings`` are those of the rating (JSON); ``state`` is compressed JSON. A row may be lost without harm.
    """

    __tablename__ = "rating_checkpoint"

    tournament_id: int = Field(foreign_key="tournament.id", primary_key=True)
    settings: str = Field(primary_key=True, max_length=250)
    number: int
    state: bytes


class VerdictRow(SQLModel, table=True):
    """The verdict of a comparison of two bots: JSON."""

    __tablename__ = "verdict"

    tournament_id: int = Field(foreign_key="tournament.id", primary_key=True)
    data: str = Field(sa_type=Text)


class PresentationRow(SQLModel, table=True):
    """The ``Presentation`` of a tournament: JSON."""

    __tablename__ = "presentation"

    tournament_id: int = Field(foreign_key="tournament.id", primary_key=True)
    data: str = Field(sa_type=Text)


class BaselineRow(SQLModel, table=True):
    """A ``Baseline``, the ``number``th of its name; its promotion is JSON."""

    __tablename__ = "baseline"

    game: str = Field(primary_key=True, min_length=1)
    name: str = Field(primary_key=True, min_length=1, max_length=64)
    number: int = Field(ge=1, primary_key=True)
    digest: str = Field(max_length=64)
    data: str = Field(sa_type=Text)


METADATA = SQLModel.metadata

TOURNAMENT = METADATA.tables["tournament"]
ENTRANT = METADATA.tables["entrant"]
SCHEDULE = METADATA.tables["schedule"]
MATCH = METADATA.tables["match"]
SEAT = METADATA.tables["seat"]
LOG = METADATA.tables["log"]
MEASURED = METADATA.tables["measured"]
ANALYSIS = METADATA.tables["analysis"]
DICTIONARY = METADATA.tables["dictionary"]
ARCHIVE = METADATA.tables["archive"]
REPLACED = METADATA.tables["replaced_result"]
REFUSED_HOST = METADATA.tables["refused_host"]
DRAW_PROBABILITY = METADATA.tables["draw_probability"]
CHECKPOINT = METADATA.tables["rating_checkpoint"]
VERDICT = METADATA.tables["verdict"]
PRESENTATION = METADATA.tables["presentation"]
BASELINE = METADATA.tables["baseline"]

KEY = (SCHEDULE.c.round_no, SCHEDULE.c.table_no, SCHEDULE.c.repeat_no, SCHEDULE.c.order_no)
"""The columns that order a schedule."""

PLAYED = SCHEDULE.join(MATCH, MATCH.c.id == SCHEDULE.c.id)
"""The matches with a result."""
ALL_ROWS = SCHEDULE.outerjoin(MATCH, MATCH.c.id == SCHEDULE.c.id)
"""All matches of the schedule, with their results where there are any."""


def least_values(table: sa.Table) -> dict[str, int]:
    """The least value of numbers, and the least length of texts, by the column, where a model sets one."""
    model = next(
        candidate for candidate in SQLModel.__subclasses__() if candidate.__tablename__ == table.name
    )
    return {
        name: getattr(bound, "ge", getattr(bound, "min_length", 0))
        for name, field in model.model_fields.items()
        for bound in field.metadata[:1]
    }
