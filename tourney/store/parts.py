"""Unpack what is stored of a match away from its database, such as in another process."""

import hashlib

from tourney.errors import StoreDamaged
from tourney.match.record import Record
from tourney.match.result import LogLine
from tourney.store.columns import ColumnError, inflate, unpack_log, unpack_measured, unpack_record
from tourney.store.values import MatchParts, Measured

BAD = "the stored parts of a match are damaged"


def unpack_parts(parts: MatchParts, seats: int) -> tuple[Record | None, tuple[LogLine, ...], Measured]:
    """Return a match's record, log and measurements; ``seats`` is the number of its tournament.

    Raises StoreDamaged; ``Repository.record``, ``log`` and ``measured`` say which row is damaged, and how.
    """
    known = parts.dictionaries
    try:
        return (
            None if parts.record is None else unpack_record("record", parts.record, seats, known.record),
            () if parts.log is None else unpack_log("lines", parts.log, known.lines),
            {} if parts.measured is None else unpack_measured("data", parts.measured, known.data),
        )
    except ColumnError as error:
        raise StoreDamaged(BAD) from error


def record_hash(parts: MatchParts) -> str:
    """Return a hash of a match's record as it was before it was packed. Raises StoreDamaged."""
    if parts.record is None:
        return ""
    try:
        text = inflate("record", parts.record, "a packed record", parts.dictionaries.record)
    except ColumnError as error:
        raise StoreDamaged(BAD) from error
    return hashlib.sha256(text).hexdigest()
