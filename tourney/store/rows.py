"""From rows of SQL to values: every column checked. Raises ColumnError, which names the column."""

from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tourney.match.record import FAULT_KINDS
from tourney.match.spec import Entrant
from tourney.store import codec
from tourney.store.column_validation import (
    ColumnError,
    Columns,
    read_digest,
    read_flag,
    read_int,
    read_maybe_int,
    read_text,
    read_u64,
    read_word,
)
from tourney.store.measurements import unpack_measured
from tourney.store.models import ENTRANT, TOURNAMENT
from tourney.store.plans import plan_from, run_from
from tourney.store.values import VOID_REASONS, StoredEntrant, Tournament

_KEY = ("round_no", "table_no", "repeat_no", "order_no")


class Shape(NamedTuple):
    """What the rows of a tournament must fit: its seats per table, and its number of entrants."""

    seats: int
    entrants: int


def shape_of(connection: Connection, tournament: int) -> Shape:
    """Return the shape of a tournament."""
    count = sa.select(sa.func.count()).select_from(ENTRANT).where(ENTRANT.c.tournament_id == tournament)
    query = sa.select(TOURNAMENT.c.seats, count.scalar_subquery()).where(TOURNAMENT.c.id == tournament)
    seats, entrants = connection.execute(query).one()
    return Shape(seats, entrants)


def tournament_of(row: Columns) -> Tournament:
    """Return a tournament; the columns that repeat its plan must agree with it."""
    plan = plan_from(row["plan"])
    for column in ("name", "game", "format", "seats"):
        if row[column] != getattr(plan, column):
            raise ColumnError(column, row[column], f"{getattr(plan, column)} as the column plan has it")
    return Tournament(
        id=read_int(row, "id"),
        plan=plan,
        seed=read_u64(row, "seed"),
        seed_chosen=read_flag(row, "seed_chosen"),
        run=run_from(row["run"]),
        complete=read_flag(row, "complete"),
        created=read_text(row, "created"),
    )


def entrant_of(row: Columns, number: int) -> StoredEntrant:
    """Return the entrant of a number."""
    if row["number"] != number:
        raise ColumnError("number", row["number"], f"{number}, the next one")
    args = codec.parsed("args", row["args"])
    if not isinstance(args, list) or not all(isinstance(arg, str) for arg in args):
        raise ColumnError("args", row["args"], "a JSON list of texts")
    return StoredEntrant(
        number=number,
        entrant=Entrant(
            read_text(row, "name", least=1),
            read_text(row, "bot"),
            read_text(row, "version"),
            tuple(args),
            read_digest(row, "digest"),
        ),
        title=read_text(row, "title"),
        author=read_text(row, "author"),
        joined=read_int(row, "joined", 1),
        line=read_text(row, "line"),
        left=read_maybe_int(row, "left_at"),
        rating=_maybe_any_int(row, "rating"),
        deviation=read_maybe_int(row, "deviation"),
    )


def check_schedule(row: Columns, shape: Shape, before: Columns | None = None) -> None:
    """Check a row of the schedule, also against the one before it."""
    for column in ("number", *_KEY):
        read_int(row, column, 1)
    if before is not None:
        check_order(tuple(before[column] for column in _KEY), tuple(row[column] for column in _KEY))
        if row["number"] <= before["number"]:
            raise ColumnError("number", row["number"], f"a number after {before['number']}")
    codec.seating(row["seating"], *shape)


def check_order(last: tuple[int, ...], key: tuple[int, ...]) -> None:
    """Check that a match's key comes after that of the match before it."""
    if key <= last:
        before = ".".join(map(str, last))
        raise ColumnError("round_no", key[0], f"a place after {before}, that of the match before it")


def check_match(row: Columns, shape: Shape) -> None:
    """Check a finished match, its record too as far as its shape goes."""
    codec.ranks(row["ranks"], shape.seats)
    codec.faults(row["faults"], shape.seats)
    read_text(row, "reason", least=1)
    read_flag(row, "void")
    read_text(row, "note")
    read_int(row, "actions")
    read_flag(row, "reproducible")
    check_void(row, shape.entrants)
    if row["record"] is None:
        if row["digest"] != "":
            raise ColumnError("record", None, f"the record of the digest {str(row['digest'])[:16]}")
    else:
        read_digest(row, "digest")
        codec.unpack_record("record", row["record"], shape.seats)


def check_void(row: Columns, entrants: int) -> None:
    """Check why a match is void: a reason if and only if it is, an entrant if and only if one is benched."""
    if not row["void"]:
        for column in ("void_reason", "void_entrant"):
            if row[column] is not None:
                raise ColumnError(column, row[column], "nothing, as the match counts")
        return
    reason = read_word(row, "void_reason", VOID_REASONS)
    if reason == "benched":
        read_int(row, "void_entrant", 0, entrants - 1)
    elif row["void_entrant"] is not None:
        raise ColumnError("void_entrant", row["void_entrant"], f"nothing, as the reason is {reason}")


def check_seat(row: Columns, shape: Shape) -> None:
    """Check what came of a seat."""
    read_int(row, "seat", 1, shape.seats)
    read_int(row, "entrant", 0, shape.entrants - 1)
    read_int(row, "rank", 1, shape.seats)
    read_flag(row, "shared")
    read_int(row, "units", 0, 2 * max(1, shape.seats - 1))
    if row["fault"] is not None:
        read_word(row, "fault", FAULT_KINDS)
    read_flag(row, "void")


def check_log(row: Columns) -> None:
    """Check a log."""
    codec.unpack_log("lines", row["lines"])


def check_measured(row: Columns) -> None:
    """Check measurements."""
    unpack_measured("data", row["data"])


def check_draw_probability(row: Columns) -> None:
    """Check a draw probability that is kept."""
    value = row["probability"]
    if type(value) not in (int, float) or not 0 <= value <= 1:
        raise ColumnError("probability", value, "a number from 0 to 1")
    read_int(row, "seats", 1)
    read_int(row, "matches")
    for column in ("game", "tournament"):
        read_text(row, column)


def check_checkpoint(row: Columns) -> None:
    """Check a checkpoint of ratings, as far as its form goes."""
    read_text(row, "settings")
    read_int(row, "number")
    codec.unpack("state", row["state"])


def check_verdict(row: Columns) -> dict[str, Any]:
    """Return what a comparison came to."""
    data = codec.parsed("data", row["data"])
    if not isinstance(data, dict):
        raise ColumnError("data", row["data"], "a JSON object")
    return data


def _maybe_any_int(row: Columns, column: str) -> int | None:
    value = row[column]
    if value is not None and type(value) is not int:
        raise ColumnError(column, value, "an integer or nothing")
    return value
