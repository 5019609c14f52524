"""Turn rows of SQL into values and values into rows; every column that is read is checked.

SQLModel does not validate the rows of tables, and its errors would name no row; so checks are here. Functions
that read raise ColumnError, which names the column.
"""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import fields
from functools import lru_cache
from itertools import zip_longest
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tourney.errors import StoreError
from tourney.match.record import FAULT_KINDS, Outcome
from tourney.match.result import SeatLoad
from tourney.match.spec import Entrant
from tourney.schedule.row import MatchKey, score_units
from tourney.store.columns import (
    MAX_DICTIONARY,
    ColumnError,
    Columns,
    read_digest,
    read_faults,
    read_flag,
    read_int,
    read_json,
    read_maybe_int,
    read_ranks,
    read_seating,
    read_text,
    read_u64,
    read_word,
    unpack,
    unpack_record,
)
from tourney.store.models import DICTIONARY, ENTRANT, KEY, MATCH, TOURNAMENT
from tourney.store.values import (
    VOID_REASONS,
    Archive,
    Dictionaries,
    MatchResult,
    ReplacedResult,
    Result,
    StoredEntrant,
    Tournament,
    plan_from,
    run_from,
)
from tourney.store.values import Outcome as ResultOutcome

FIRST_KEY = MatchKey(0, 0, 0, 0)
"""A key before that of the first match."""

_KEY = tuple(column.name for column in KEY)


def dictionaries_of(connection: Connection, tournament: int) -> Dictionaries:
    """Return what a tournament's columns are packed with; what is damaged or unknown is left out."""
    query = sa.select(DICTIONARY.c.name, DICTIONARY.c.data).where(DICTIONARY.c.tournament_id == tournament)
    found = {name: data for name, data in connection.execute(query) if isinstance(data, bytes)}
    return Dictionaries(*(found.get(name, b"") for name in Dictionaries._fields))


def check_dictionary(row: Columns) -> None:
    """Check a dictionary of packed columns."""
    read_word(row, "name", Dictionaries._fields)
    if not isinstance(row["data"], bytes) or not 0 < len(row["data"]) <= MAX_DICTIONARY:
        raise ColumnError("data", row["data"], f"1 to {MAX_DICTIONARY:,} bytes")


def archive_of(row: Columns) -> Archive:
    """Return where the records of a tournament are."""
    hosts = None
    if row["hosts"] is not None:
        hosts = read_json("hosts", row["hosts"])
        if not isinstance(hosts, dict) or any(type(speed) is not int for speed in hosts.values()):
            raise ColumnError("hosts", row["hosts"], "a JSON object of speeds")
    return Archive(
        read_text(row, "file", least=1), read_digest(row, "sha256"), read_text(row, "created"), hosts
    )


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


def each(connection: Connection, query: Any, chunk: int = 2000) -> Iterator[Any]:
    """Yield the rows of a query, a chunk at a time, so that a million are never held at once."""
    # Closed also where a reader wants no more: a server's cursor must not be left open.
    with connection.execute(query, execution_options={"yield_per": chunk}) as found:
        yield from found


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
        root=None if row["root"] is None else read_digest(row, "root"),
    )


def entrant_of(row: Columns, number: int) -> StoredEntrant:
    """Return the entrant of a number."""
    if row["number"] != number:
        raise ColumnError("number", row["number"], f"{number}, the next one")
    args = read_json("args", row["args"])
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
        rating=read_maybe_int(row, "rating", None),
        deviation=read_maybe_int(row, "deviation"),
        broken="" if row["broken"] is None else read_text(row, "broken", least=1),
    )


def entrant_values(tournament: int, stored: StoredEntrant) -> dict[str, Any]:
    """Return an entrant's columns."""
    entrant = stored.entrant
    return {
        "tournament_id": tournament,
        "number": stored.number,
        "name": entrant.name,
        "bot": entrant.bot,
        "version": entrant.version,
        "args": json.dumps(list(entrant.args)),
        "digest": entrant.digest,
        "title": stored.title,
        "author": stored.author,
        "joined": stored.joined,
        "line": stored.line,
        "left_at": stored.left,
        "rating": stored.rating,
        "deviation": stored.deviation,
        "broken": stored.broken or None,
    }


def match_key(last: MatchKey, number: Any, round_: Any, table: Any, repeat: Any, order: Any) -> MatchKey:
    """Return a match's key, after a check of its number and that it comes after the match before."""
    if not (type(number) is type(round_) is type(table) is type(repeat) is type(order) is int):
        row = dict(zip(("number", *_KEY), (number, round_, table, repeat, order), strict=True))
        for column in row:
            read_int(row, column, 1)
    key = MatchKey(round_, table, repeat, order)
    if key <= last:
        check_order(last, key)
    return key


def check_schedule(row: Columns, shape: Shape, before: Columns | None = None) -> None:
    """Check a row of the schedule, also against the one before it."""
    for column in ("number", *_KEY):
        read_int(row, column, 1)
    if before is not None:
        check_order(tuple(before[column] for column in _KEY), tuple(row[column] for column in _KEY))
        if row["number"] <= before["number"]:
            raise ColumnError("number", row["number"], f"a number after {before['number']}")
    read_seating(row["seating"], *shape)


def check_order(last: tuple[int, ...], key: tuple[int, ...]) -> None:
    """Check that a match's key comes after that of the match before it."""
    if key <= last:
        before = ".".join(map(str, last))
        raise ColumnError("round_no", key[0], f"a place after {before}, that of the match before it")


def check_match(row: Columns, shape: Shape, dictionary: bytes, *, archived: bool = False) -> None:
    """Check a finished match, its record too as far as its shape goes; ``archived``: that there is none."""
    read_ranks(row["ranks"], shape.seats)
    read_faults(row["faults"], shape.seats)
    read_text(row, "reason", least=1)
    read_flag(row, "void")
    read_text(row, "note")
    read_int(row, "actions")
    read_flag(row, "reproducible")
    check_void(row, shape.entrants)
    if archived:
        if row["record"] is not None:
            raise ColumnError("record", row["record"], "nothing, as the tournament is archived")
        if row["digest"] != "":
            read_digest(row, "digest")
    elif row["record"] is None:
        if row["digest"] != "":
            raise ColumnError("record", None, f"the record of the digest {str(row['digest'])[:16]}")
    else:
        read_digest(row, "digest")
        unpack_record("record", row["record"], shape.seats, dictionary)


RESULT = [MATCH.c[field.name] for field in fields(Result)]
"""The columns of a result, in the order of its fields."""


def result_of(row: Sequence[Any], seats: int) -> Result:
    """Return a finished match's result from the values of the columns ``RESULT``."""
    digest, ranks, reason, faults, void, note, actions, reproducible, void_reason, void_entrant = row
    # Most rows pass this test, which makes no object; a bad one is read column by column for its error.
    fits = type(digest) is type(reason) is type(note) is str and type(actions) is int and actions >= 0
    if not fits or void_reason is not None or void_entrant is not None:
        columns = dict(zip((column.name for column in RESULT), row, strict=True))
        for name in ("digest", "reason", "note"):
            read_text(columns, name)
        read_int(columns, "actions")
        if void_reason is not None:
            read_word(columns, "void_reason", VOID_REASONS)
        read_maybe_int(columns, "void_entrant")
    return Result(
        digest,
        read_ranks(ranks, seats),
        reason,
        read_faults(faults, seats),
        void,
        note,
        actions,
        reproducible,
        void_reason,
        void_entrant,
    )


class MatchColumns(NamedTuple):
    """A row of ``match``."""

    id: int
    digest: str
    ranks: str
    faults: str
    reason: str
    void: bool
    note: str
    actions: int
    reproducible: bool
    record: bytes | None
    void_reason: str | None
    void_entrant: int | None


class SeatColumns(NamedTuple):
    """A row of ``seat``."""

    match_id: int
    seat: int
    tournament_id: int
    entrant: int
    rank: int
    shared: bool
    units: int
    fault: str | None
    void: bool
    turns: int | None
    overloaded: int | None


def match_values(id_: int, item: MatchResult, seats: int, record: bytes | None) -> MatchColumns:
    """Return a finished match's columns; ``record`` is packed. Raises StoreError for other seats."""
    played = item.played
    outcome = Outcome((1,) * seats, "void") if played is None else played.outcome
    if len(outcome.ranks) != seats:
        raise StoreError(f"match {item.number} was played with {len(outcome.ranks)} seats, not {seats}")
    return MatchColumns(
        id=id_,
        digest=played.digest if played else "",
        ranks=joined(outcome.ranks),
        faults=",".join(kind or "" for kind in outcome.seat_faults),
        reason=outcome.reason,
        void=played is None or outcome.void,
        # No NUL, no half of a character, no end of a line: so that every database takes it.
        note="".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in item.note),
        actions=played.count if played else 0,
        reproducible=played is not None and played.reproducible,
        record=record,
        void_reason=item.void_reason,
        void_entrant=item.void_entrant if played is None else None,
    )


def outcome_values(id_: int, outcome: ResultOutcome) -> MatchColumns:
    """Return the columns of a finished match without a record."""
    return MatchColumns(
        id=id_,
        digest="",
        ranks=joined(outcome.ranks),
        faults=",".join(kind or "" for kind in outcome.faults),
        reason=outcome.reason,
        void=False,
        note="",
        actions=0,
        reproducible=False,
        record=None,
        void_reason=None,
        void_entrant=None,
    )


def seat_values(
    tournament: int, match: MatchColumns, seating: Sequence[int], load: Sequence[SeatLoad] = ()
) -> Iterator[SeatColumns]:
    """Yield the columns of each seat of a match, from the match's, its seating and what was measured."""
    columns = zip_longest(seating, _standing(match.ranks), match.faults.split(","), load[: len(seating)])
    for seat, (entrant, (rank, shared, units), fault, found) in enumerate(columns, 1):
        turns, overloaded = (None, None) if found is None else (found.turns, found.overloaded)
        yield SeatColumns(
            *(match.id, seat, tournament, entrant, rank, shared, units),
            *(fault or None, match.void, turns, overloaded),
        )


@lru_cache(maxsize=1 << 10)
def _standing(ranks: str) -> tuple[tuple[int, bool, int], ...]:
    """Return each seat's rank, whether another seat shares it, and its score, from a column ``ranks``."""
    found = [int(rank) for rank in ranks.split(",")]
    shared = Counter(found)
    return tuple(
        (rank, shared[rank] > 1, units) for rank, units in zip(found, score_units(found), strict=True)
    )


def insert_rows(connection: Connection, table: sa.Table, rows: Sequence[tuple[Any, ...]]) -> None:
    """Insert rows, tuples of all columns in their order.

    They go to the driver as they are: SQLAlchemy takes half as long to translate them as SQLite to store
    them, and a server takes a copy in half of the time of insertions.
    """
    if not rows:
        return
    dialect = connection.dialect
    name = dialect.identifier_preparer.format_table(table)
    columns = ", ".join(map(dialect.identifier_preparer.format_column, table.columns))
    if dialect.name == "sqlite":
        marks = ", ".join("?" for _ in table.columns)
        text = f"INSERT INTO {name} ({columns}) VALUES ({marks})"  # noqa: S608 - the names are those of our tables
        connection.exec_driver_sql(text, list(rows))
        return
    driver: Any = dialect.dbapi
    cursor: Any = connection.connection.cursor()
    text = f"COPY {name} ({columns}) FROM STDIN"
    try:
        with cursor, cursor.copy(text) as copy:
            for row in rows:
                copy.write_row(row)
    except driver.Error as error:
        lost = isinstance(error, driver.OperationalError)
        raise (sa.exc.OperationalError if lost else sa.exc.DBAPIError)(text, None, error) from error


def joined(numbers: Sequence[int]) -> str:
    """Return numbers as they are kept: separated by commas."""
    return ",".join(map(str, numbers))


def check_void(row: Columns, entrants: int) -> None:
    """Check the reason of a void match: only void ones have one, and only benching names an entrant."""
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
    for column in ("turns", "overloaded"):
        read_maybe_int(row, column)


def replaced_of(row: Columns, shape: Shape) -> ReplacedResult:
    """Return a result that was taken back."""
    return ReplacedResult(
        read_int(row, "number", 1),
        read_int(row, "rounds", 1),
        read_ranks(row["ranks"], shape.seats),
        read_faults(row["faults"], shape.seats),
        read_flag(row, "void"),
        None if row["host"] is None else read_text(row, "host"),
    )


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
    unpack("state", row["state"])


def check_verdict(row: Columns) -> dict[str, Any]:
    """Return what a comparison came to."""
    data = read_json("data", row["data"])
    if not isinstance(data, dict):
        raise ColumnError("data", row["data"], "a JSON object")
    return data
