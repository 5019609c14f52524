"""Statements that write, each within the caller's transaction."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tourney.errors import StoreError, UsageError
from tourney.match.record import Outcome
from tourney.schedule.row import Row
from tourney.store import codec, damage, reading
from tourney.store.column_validation import ColumnError
from tourney.store.models import CHECKPOINT, ENTRANT, LOG, MATCH, MEASURED, SCHEDULE, SEAT, TOURNAMENT
from tourney.store.plans import plan_text, run_text
from tourney.store.points import score_units
from tourney.store.rows import shape_of
from tourney.store.values import MatchResult, Plan, RunSettings, StoredEntrant, Tournament

_CHUNK = 500
"""Keys named in one query: databases bound their number."""

_S = SCHEDULE.c


def begin(
    connection: Connection,
    plan: Plan,
    seed: int,
    seed_chosen: bool,
    run: RunSettings,
    entrants: Sequence[StoredEntrant],
    created: str,
) -> Tournament:
    """Store a tournament and its entrants. Raises UsageError if the name is taken."""
    if connection.execute(sa.select(TOURNAMENT.c.id).where(TOURNAMENT.c.name == plan.name)).first():
        raise UsageError(f"the database holds a tournament {plan.name!r} already")
    made = connection.execute(
        sa.insert(TOURNAMENT).values(
            name=plan.name,
            game=plan.game,
            format=plan.format,
            seats=plan.seats,
            seed=str(seed),
            seed_chosen=seed_chosen,
            plan=plan_text(plan),
            run=run_text(run),
            complete=False,
            created=created,
        )
    )
    key = made.inserted_primary_key
    if key is None:
        raise StoreError("the database gave a new tournament no id")
    tournament = Tournament(key[0], plan, seed, seed_chosen, run, complete=False, created=created)
    _add_entrants(connection, tournament.id, entrants)
    return tournament


def amend(
    connection: Connection,
    tournament: int,
    rounds: int | None,
    run: RunSettings,
    entrants: Sequence[StoredEntrant],
    left: Mapping[int, int],
) -> None:
    """Change rounds and run settings, add entrants, and note who left at which round."""
    this = TOURNAMENT.c.id == tournament
    plan = next(found.plan for found in reading.tournaments(connection) if found.id == tournament)
    values: dict[str, Any] = {
        "plan": plan_text(replace(plan, rounds=rounds)),
        "run": run_text(run),
    }
    if entrants or rounds != plan.rounds:
        values["complete"] = False
    connection.execute(sa.update(TOURNAMENT).where(this).values(**values))
    _add_entrants(connection, tournament, entrants)
    for number, round_ in left.items():
        mine = (ENTRANT.c.tournament_id == tournament) & (ENTRANT.c.number == number)
        connection.execute(sa.update(ENTRANT).where(mine).values(left_at=round_))


def add_rows(
    connection: Connection, tournament: int, rows: Sequence[Row], complete: bool
) -> tuple[tuple[int, Row], ...]:
    """Store rows after those there are, and number them. Raises StoreError if one does not come after all."""
    mine = _S.tournament_id == tournament
    last = connection.execute(
        sa.select(_S.number, _S.round_no, _S.table_no, _S.repeat_no, _S.order_no)
        .where(mine)
        .order_by(_S.number.desc())
        .limit(1)
    ).first()
    number, key = (last[0], tuple(last[1:])) if last else (0, (0, 0, 0, 0))
    values = []
    numbered = []
    for row in sorted(rows):
        next_key = (row.round, row.table, row.repeat, row.order)
        if next_key <= key:
            raise StoreError(
                f"match {next_key} of the schedule was drawn already, or comes before one that was"
            )
        number, key = number + 1, next_key
        numbered.append((number, row))
        values.append(
            {
                "tournament_id": tournament,
                "number": number,
                "round_no": row.round,
                "table_no": row.table,
                "repeat_no": row.repeat,
                "order_no": row.order,
                "seating": _joined(row.seats),
            }
        )
    if values:
        connection.execute(sa.insert(SCHEDULE), values)
    connection.execute(sa.update(TOURNAMENT).where(TOURNAMENT.c.id == tournament).values(complete=complete))
    return tuple(numbered)


def record_results(connection: Connection, tournament: int, finished: Sequence[MatchResult]) -> None:
    """Store finished matches; rows that have a result keep it."""
    rows = _open_rows(connection, tournament, [item.number for item in finished])
    matches: list[dict[str, Any]] = []
    seats: list[dict[str, Any]] = []
    logs: list[dict[str, Any]] = []
    measured: list[dict[str, Any]] = []
    for item in finished:
        found = rows.pop(item.number, None)
        if found is None:
            continue
        id_, seating = found
        match = match_values(id_, item, len(seating))
        matches.append(match)
        seats.extend(seat_values(tournament, match, seating))
        if item.played is not None:
            packed = item.played.packed
            if packed.log is not None:
                logs.append({"match_id": id_, "lines": packed.log})
            if packed.measured is not None:
                measured.append({"match_id": id_, "data": packed.measured})
    for table, values in ((MATCH, matches), (SEAT, seats), (LOG, logs), (MEASURED, measured)):
        if values:
            connection.execute(sa.insert(table), values)


def take_back(connection: Connection, tournament: int, numbers: Sequence[int]) -> None:
    """Remove the results of some matches, and the checkpoints of ratings, which may rest on them."""
    for start in range(0, len(numbers), _CHUNK):
        ids = (
            sa.select(_S.id)
            .where(_S.tournament_id == tournament, _S.number.in_(numbers[start : start + _CHUNK]))
            .scalar_subquery()
        )
        for column in (SEAT.c.match_id, LOG.c.match_id, MEASURED.c.match_id, MATCH.c.id):
            connection.execute(sa.delete(column.table).where(column.in_(ids)))
    connection.execute(sa.delete(CHECKPOINT).where(CHECKPOINT.c.tournament_id == tournament))


def match_values(id_: int, item: MatchResult, seats: int) -> dict[str, Any]:
    """Return a finished match's columns. Raises StoreError if it has not so many seats."""
    if item.played is None:
        outcome = Outcome((1,) * seats, "void")
        digest, record, actions, reproducible = "", None, 0, False
    else:
        played = item.played
        outcome, digest, actions = played.outcome, played.digest, played.count
        record, reproducible = played.packed.record, played.reproducible
    if len(outcome.ranks) != seats:
        raise StoreError(f"match {item.number} was played with {len(outcome.ranks)} seats, not {seats}")
    return {
        "id": id_,
        "digest": digest,
        "ranks": _joined(outcome.ranks),
        "faults": ",".join(kind or "" for kind in outcome.seat_faults),
        "reason": outcome.reason,
        "void": item.played is None or outcome.void,
        "note": _plain(item.note),
        "actions": actions,
        "reproducible": reproducible,
        "record": record,
        "void_reason": item.void_reason,
        "void_entrant": None if item.played is not None else item.void_entrant,
    }


def seat_values(tournament: int, match: dict[str, Any], seating: Sequence[int]) -> Iterable[dict[str, Any]]:
    """Yield the columns of each seat of a match, from the match's own and who sat where."""
    ranks = [int(rank) for rank in match["ranks"].split(",")]
    shared = Counter(ranks)
    columns = zip(seating, ranks, score_units(ranks), match["faults"].split(","), strict=True)
    for seat, (entrant, rank, units, fault) in enumerate(columns, 1):
        yield {
            "match_id": match["id"],
            "seat": seat,
            "tournament_id": tournament,
            "entrant": entrant,
            "rank": rank,
            "shared": shared[rank] > 1,
            "units": units,
            "fault": fault or None,
            "void": match["void"],
        }


def _open_rows(
    connection: Connection, tournament: int, numbers: Sequence[int]
) -> dict[int, tuple[int, tuple[int, ...]]]:
    """Return id and seating, by number, of those rows that have no result yet."""
    found: dict[int, tuple[int, tuple[int, ...]]] = {}
    shape = shape_of(connection, tournament)
    for start in range(0, len(numbers), _CHUNK):
        query = (
            sa.select(_S.number, _S.id, _S.seating)
            .select_from(SCHEDULE.outerjoin(MATCH, MATCH.c.id == _S.id))
            .where(
                _S.tournament_id == tournament,
                _S.number.in_(numbers[start : start + _CHUNK]),
                MATCH.c.id.is_(None),
            )
        )
        for number, id_, seating in connection.execute(query):
            try:
                found[number] = (id_, codec.seating(seating, *shape))
            except ColumnError as error:
                raise damage.in_match(connection, SCHEDULE, tournament, number, error) from error
    return found


def _add_entrants(connection: Connection, tournament: int, entrants: Sequence[StoredEntrant]) -> None:
    values = [
        {
            "tournament_id": tournament,
            "number": stored.number,
            "name": stored.entrant.name,
            "bot": stored.entrant.bot,
            "version": stored.entrant.version,
            "args": json.dumps(list(stored.entrant.args)),
            "digest": stored.entrant.digest,
            "title": stored.title,
            "author": stored.author,
            "joined": stored.joined,
            "line": stored.line,
            "left_at": stored.left,
            "rating": stored.rating,
            "deviation": stored.deviation,
        }
        for stored in entrants
    ]
    if values:
        connection.execute(sa.insert(ENTRANT), values)


def _joined(numbers: Sequence[int]) -> str:
    return ",".join(map(str, numbers))


def _plain(text: str) -> str:
    """Return a text that every database can keep: no NUL, no half of a character, no line's end."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
