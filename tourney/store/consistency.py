"""Hold what stands in columns beside a record to the record.

Standings and ratings are counted over columns, so that a million records need not be unpacked; whoever
alters a column alters a result, though every record still holds.
"""

from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from tourney.match.record import Record, spec_of
from tourney.match.result import PlayedMatch
from tourney.match.spec import Entrant, MatchSpec
from tourney.schedule.row import MatchKey
from tourney.store import codec, damage
from tourney.store.column_validation import ColumnError
from tourney.store.importing import FORMAT
from tourney.store.models import MATCH, SCHEDULE, SEAT
from tourney.store.rows import shape_of
from tourney.store.values import Match, MatchResult, Tournament
from tourney.store.writing import match_values, seat_values

_DERIVED = ("digest", "ranks", "faults", "reason", "void", "void_reason", "void_entrant", "actions")
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
    except ColumnError as error:
        raise damage.in_match(connection, SCHEDULE, tournament, number, error) from error
    if record is None and stored["record"] is not None:
        return "there is a record in the database, but no digest of it"
    played = None if record is None else PlayedMatch(record)
    right = match_values(
        stored["id"], MatchResult(number, played, stored["note"], stored["void_entrant"]), shape.seats
    )
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


def is_imported(tournament: Tournament) -> bool:
    """Say whether a tournament was made of records that were read in: its format says so."""
    return tournament.plan.format == FORMAT


class Belonging:
    """Holds the records of one tournament to it, one after the other."""

    def __init__(self, tournament: Tournament) -> None:
        self._tournament = tournament
        self._imported = is_imported(tournament)
        self._seeds: dict[tuple[int, int, int], tuple[int, int]] = {}

    def foreign(self, match: Match, record: Record, expected: MatchSpec) -> str | None:
        """Return the first thing by which a record is not this match's, as a sentence, or None.

        The record must be of the one form; ``expected`` is the spec of the match's row.
        """
        return next(self._foreign(match, record, expected), None)

    def _foreign(self, match: Match, record: Record, expected: MatchSpec) -> Iterator[str]:
        found = spec_of(record)
        rules = self._tournament.plan.rules
        for what, said, right in (
            ("game", found.game, expected.game),
            ("version of the rules", record["rules"], rules),
            ("options", _sorted(found.options), _sorted(expected.options)),
            ("limits", found.limits.as_json(), expected.limits.as_json()),
        ):
            if said != right:
                yield f"its {what}: {_spec_text(said)}, but {_spec_text(right)} in the tournament's plan"
        for seat, (here, there) in enumerate(zip(found.seats, expected.seats, strict=False), start=1):
            if here != there:
                yield f"on its seat {seat} is {_who(here)}, but {_who(there)} in the schedule"
        if self._imported:
            yield from self._group(match.key, match.number, found.seed)
            return
        if found.seed != expected.seed:
            yield (
                f"its seed is {found.seed}, but the tournament's seed and its place in the schedule give"
                f" {expected.seed}"
            )
        if found.opening != expected.opening:
            said, right = found.opening.as_json(), expected.opening.as_json()
            yield f"its opening: {_spec_text(said)}, but {_spec_text(right)} by the plan and the seed"

    def _group(self, key: MatchKey, number: int, seed: int) -> Iterator[str]:
        first, other = self._seeds.setdefault((key.round, key.table, key.repeat), (number, seed))
        if other != seed:
            yield f"its seed is {seed}, but match {first} of the same mirrored group has {other}"


def _sorted(pairs: tuple[tuple[str, str], ...]) -> dict[str, str]:
    return dict(sorted(pairs))


def _who(entrant: Entrant) -> str:
    args = "".join(f" {arg}" for arg in entrant.args)
    return f"{entrant.name} ({entrant.bot}@{entrant.version}{args}, {entrant.digest[:12]})"[:300]


def _spec_text(value: Any) -> str:
    if isinstance(value, dict):
        return " ".join(f"{key}={_spec_text(item)}" for key, item in value.items())[:200] or "none"
    return "/".join(value)[:200] if isinstance(value, list) else str(value)
