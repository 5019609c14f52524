"""Unpack what is stored of a match away from its database, such as in another process.

This module imports nothing of SQLAlchemy, so that the processes that draw pages start without it.
"""

import hashlib
from typing import NamedTuple

from tourney.errors import StoreDamaged
from tourney.match.record import Record
from tourney.match.result import NOT_MEASURED, LogLine, Measurements
from tourney.store.column_reading import (
    ColumnError,
    Dictionaries,
    inflate,
    unpack_log,
    unpack_measured,
    unpack_record,
)


class MatchParts(NamedTuple):
    """What is stored of a match beyond its result, packed; None where there is none.

    Picklable, so that other processes can unpack it.
    """

    record: bytes | None = None
    log: bytes | None = None
    measured: bytes | None = None
    dictionaries: Dictionaries = Dictionaries()


BAD = "the stored parts of a match are damaged"


def unpack_parts(parts: MatchParts, seats: int) -> tuple[Record | None, tuple[LogLine, ...], Measurements]:
    """A match's record, log and measurements; ``seats`` is the number of its tournament.

    Raises StoreDamaged; ``Database.record``, ``log`` and ``measured`` say which row is damaged, and how.
    """
    known = parts.dictionaries
    try:
        return (
            None if parts.record is None else unpack_record("record", parts.record, seats, known.record),
            () if parts.log is None else unpack_log("lines", parts.log, known.lines),
            NOT_MEASURED if parts.measured is None else unpack_measured("data", parts.measured, known.data),
        )
    except ColumnError as error:
        raise StoreDamaged(BAD) from error


def record_hash(parts: MatchParts) -> str:
    """A hash of a match's record as it was before it was packed. Raises StoreDamaged."""
    if parts.record is None:
        return ""
    try:
        text = inflate("record", parts.record, "a packed record", parts.dictionaries.record)
    except ColumnError as error:
        raise StoreDamaged(BAD) from error
    return hashlib.sha256(text).hexdigest()
