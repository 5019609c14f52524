"""What ratings read and keep: mirrored groups counted by SQL, and the three tables of their own.

Nothing of it is a result: counts are made of the results whenever they are asked for, so that they cannot
differ from them, and what is kept can be lost or made again.
"""

import json
from collections.abc import Iterator
from functools import partial
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tourney.store import codec, damage
from tourney.store.column_validation import ColumnError, read_int
from tourney.store.models import CHECKPOINT, DRAW_PROBABILITY, MATCH, SCHEDULE, VERDICT
from tourney.store.rows import Shape, check_draw_probability, check_verdict, shape_of
from tourney.store.scan import first_of_schedule
from tourney.store.values import Checkpoint, DrawProbability, GroupCount, GroupGame

_CHUNK = 2000
_S, _M = SCHEDULE.c, MATCH.c
_PLAYED = SCHEDULE.join(MATCH, _M.id == _S.id)


def group_counts(connection: Connection, tournament: int) -> Iterator[GroupCount]:
    """Yield how often each outcome of a mirrored group of two games occurred; void matches are left out.

    A group is told apart by its seatings, ranks and faults. The order is the database's and means nothing.
    Groups of more than two games (of imported records) are counted one by one.
    """
    game = partial(_game, connection, tournament, shape_of(connection, tournament))
    mine = sa.and_(_S.tournament_id == tournament, sa.not_(_M.void))
    group = (_S.round_no, _S.table_no, _S.repeat_no)
    columns = []
    for order in (1, 2):
        for name, column in (("s", _S.seating), ("r", _M.ranks), ("f", _M.faults)):
            value = sa.func.max(sa.case((_S.order_no == order, column)))
            columns.append(sa.func.coalesce(value, "").label(f"{name}{order}"))
    small = (
        sa.select(*columns)
        .select_from(_PLAYED)
        .where(mine)
        .group_by(*group)
        .having(sa.func.max(_S.order_no) <= 2)
        .subquery()
    )
    query = sa.select(*small.c, sa.func.count()).group_by(*small.c)
    with connection.execute(query, execution_options={"yield_per": _CHUNK}) as counted:
        for *texts, times in counted:
            games = (game(*texts[k : k + 3]) for k in (0, 3) if texts[k])
            yield GroupCount(tuple(games), int(times))
    large = (
        sa.select(*group)
        .select_from(_PLAYED)
        .where(mine)
        .group_by(*group)
        .having(sa.func.max(_S.order_no) > 2)
    )
    found = large.subquery()
    rows = (
        sa.select(*group, _S.seating, _M.ranks, _M.faults)
        .select_from(_PLAYED.join(found, sa.and_(*(column == found.c[column.name] for column in group))))
        .where(mine)
        .order_by(_S.number)
    )
    key: list[int] | None = None
    games_of: list[GroupGame] = []
    for *next_key, seating, ranks, faults in connection.execute(rows):
        if next_key != key and games_of:
            yield GroupCount(tuple(games_of), 1)
            games_of = []
        key = next_key
        games_of.append(game(seating, ranks, faults))
    if games_of:
        yield GroupCount(tuple(games_of), 1)


def settled(connection: Connection, tournament: int) -> int:
    """Return the number of the last match before which all have a result, itself included; 0 for none."""
    mine = _S.tournament_id == tournament
    first_open = connection.execute(
        sa.select(sa.func.min(_S.number))
        .select_from(SCHEDULE.outerjoin(MATCH, _M.id == _S.id))
        .where(mine, _M.id.is_(None))
    ).scalar()
    last = connection.execute(sa.select(sa.func.coalesce(sa.func.max(_S.number), 0)).where(mine)).scalar()
    if type(last) is not int or type(first_open) not in (int, type(None)):
        raise first_of_schedule(connection, tournament)
    return last if first_open is None else int(first_open) - 1


def draw_probability(connection: Connection, game: str, seats: int) -> DrawProbability | None:
    """Return what is kept for a game and a number of seats."""
    column = DRAW_PROBABILITY.c
    query = sa.select(DRAW_PROBABILITY).where(column.game == game, column.seats == seats)
    row = connection.execute(query).mappings().first()
    if row is None:
        return None
    try:
        check_draw_probability(row)
    except ColumnError as error:
        raise damage.in_row(connection, DRAW_PROBABILITY, f"{game},{seats}", error) from error
    return DrawProbability(float(row["probability"]), row["tournament"], row["matches"])


def keep_draw_probability(connection: Connection, game: str, seats: int, value: DrawProbability) -> None:
    """Keep a draw probability in the place of what was kept."""
    column = DRAW_PROBABILITY.c
    connection.execute(sa.delete(DRAW_PROBABILITY).where(column.game == game, column.seats == seats))
    connection.execute(sa.insert(DRAW_PROBABILITY).values(game=game, seats=seats, **value._asdict()))


def checkpoint(connection: Connection, tournament: int, settings: str) -> Checkpoint | None:
    """Return the checkpoint of a tournament that was kept under these settings.

    None for one that is damaged too: it only saves time.
    """
    column = CHECKPOINT.c
    row = (
        connection.execute(
            sa.select(column.number, column.state).where(
                column.tournament_id == tournament, column.settings == settings
            )
        )
        .mappings()
        .first()
    )
    if row is None:
        return None
    try:
        return Checkpoint(read_int(row, "number"), codec.unpack("state", row["state"]))
    except ColumnError:
        return None


def keep_checkpoint(connection: Connection, tournament: int, settings: str, value: Checkpoint) -> None:
    """Keep a checkpoint in the place of what was kept under these settings."""
    column = CHECKPOINT.c
    connection.execute(
        sa.delete(CHECKPOINT).where(column.tournament_id == tournament, column.settings == settings)
    )
    connection.execute(
        sa.insert(CHECKPOINT).values(
            tournament_id=tournament, settings=settings, number=value.number, state=codec.pack(value.state)
        )
    )


def verdict(connection: Connection, tournament: int) -> dict[str, Any] | None:
    """Return what a comparison came to."""
    query = sa.select(VERDICT).where(VERDICT.c.tournament_id == tournament)
    row = connection.execute(query).mappings().first()
    if row is None:
        return None
    try:
        return check_verdict(row)
    except ColumnError as error:
        raise damage.in_row(connection, VERDICT, tournament, error) from error


def keep_verdict(connection: Connection, tournament: int, data: dict[str, Any]) -> None:
    """Keep what a comparison came to, in the place of what was kept."""
    connection.execute(sa.delete(VERDICT).where(VERDICT.c.tournament_id == tournament))
    text = json.dumps(data, sort_keys=True, allow_nan=False)
    connection.execute(sa.insert(VERDICT).values(tournament_id=tournament, data=text))


def _game(
    connection: Connection, tournament: int, shape: Shape, seating: str, ranks: str, faults: str
) -> GroupGame:
    try:
        return GroupGame(
            codec.seating(seating, *shape), codec.ranks(ranks, shape.seats), codec.faults(faults, shape.seats)
        )
    except ColumnError as error:
        raise damage.find_value(connection, tournament, error) from error
