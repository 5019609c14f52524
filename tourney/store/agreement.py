"""Hold what stands in columns beside a record to the record.

Standings and ratings are counted over columns, so that a million records need not be unpacked; whoever
alters a column alters a result, though every record still holds.
"""

from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tourney.match.played import Played
from tourney.match.record import Record
from tourney.store import codec, damage
from tourney.store.misfit import MisfitError
from tourney.store.models import MATCH, SCHEDULE, SEAT
from tourney.store.rows import shape_of
from tourney.store.values import Finished
from tourney.store.writing import match_values, seat_values

_DERIVED = ("digest", "ranks", "faults", "reason", "void", "actions")
"""The columns of a match that follow from its record alone."""


def disagreement(connection: Connection, tournament: int, number: int, record: Record | None) -> str | None:
    """Return the first column of a match that does not follow from its record, as a sentence, or None.

    The record must be of the one form, and hold; None is that of a match that is void for want of a machine.
    """
    shape = shape_of(connection, tournament)
    query = (
        sa.select(SCHEDULE.c.seating, MATCH)
        .select_from(SCHEDULE.join(MATCH, MATCH.c.id == SCHEDULE.c.id))
        .where(SCHEDULE.c.tournament_id == tournament, SCHEDULE.c.number == number)
    )
    stored = connection.execute(query).mappings().one()
    try:
        seating = codec.seating(stored["seating"], *shape)
    except MisfitError as error:
        raise damage.in_match(connection, SCHEDULE, tournament, number, error) from error
    if record is None and stored["record"] is not None:
        return "there is a record in the database, but no digest of it"
    played = None if record is None else Played(record)
    right = match_values(stored["id"], Finished(number, played, stored["note"]), shape.seats)
    for name in _DERIVED:
        if stored[name] != right[name]:
            return _differs(name, stored[name], right[name])
    seats = sa.select(SEAT).where(SEAT.c.match_id == stored["id"]).order_by(SEAT.c.seat)
    rows = [dict(row) for row in connection.execute(seats).mappings()]
    for row, values in zip(rows, seat_values(tournament, right, seating), strict=False):
        for name, value in values.items():
            if row[name] != value:
                return _differs(f"{name} of seat {values['seat']}", row[name], value)
    if len(rows) != len(seating):
        return f"the database has results of {len(rows)} seats, not {len(seating)}"
    return None


def _differs(name: str, stored: Any, right: Any) -> str:
    return f"{name} is {_plain(stored)} in the database, but {_plain(right)} follows from the record"


def _plain(value: Any) -> str:
    return str(value)[:64].replace(",", " ") or "empty"
