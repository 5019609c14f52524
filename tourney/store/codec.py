"""How values become columns, and how columns are read back by those who trust nobody.

Records, logs and measurements are JSON, compressed one by one (zlib): what queries need of them stands in
columns beside them, so nothing is lost by it, and a million matches stay near a gigabyte. Readers raise
ColumnError, which names the column.
"""

import zlib
from functools import lru_cache
from typing import Any, Final

from tourney.errors import RecordError
from tourney.match.record import FAULT_KINDS, Record, check_shape
from tourney.match.result import LogLine, pack, pack_log
from tourney.parsing import parse_json
from tourney.store.column_validation import ColumnError

__all__ = ["faults", "pack", "pack_log", "parsed", "ranks", "seating"]
__all__ += ["unpack", "unpack_log", "unpack_record"]

MAX_UNPACKED: Final = 1 << 28
"""Bytes that a column may unpack to: a few altered ones could fill the memory."""

_LOG_KINDS = ("info", "stderr", "note")


def unpack(column: str, blob: bytes, want: str = "packed JSON") -> Any:
    """Return what ``pack`` was given."""
    if not isinstance(blob, bytes):
        raise ColumnError(column, blob, want)
    reader = zlib.decompressobj()
    try:
        text = reader.decompress(blob, MAX_UNPACKED)
        if not reader.eof or reader.unused_data:
            raise ColumnError(column, blob, f"{want} (it breaks off, or goes on)")
        return parse_json(text)
    except (zlib.error, ValueError) as error:
        raise ColumnError(column, blob, f"{want} ({error})") from error


def unpack_record(column: str, blob: bytes, seats: int) -> Record:
    """Return a record of a match of so many seats, its shape checked, its digest not."""
    data = unpack(column, blob, "a packed record")
    try:
        record = check_shape(data)
    except RecordError as error:
        raise ColumnError(column, blob, f"a packed record ({error})") from error
    if len(record["seats"]) != seats:
        raise ColumnError(column, blob, f"a packed record of {seats} seats (it has {len(record['seats'])})")
    return record


def unpack_log(column: str, blob: bytes) -> tuple[LogLine, ...]:
    """Return what ``pack_log`` was given."""
    data = unpack(column, blob, "a packed log")
    if not isinstance(data, list) or not all(map(_is_log_line, data)):
        raise ColumnError(column, blob, "a packed log (lines of ply, seat, kind and text)")
    return tuple(LogLine(ply, seat, kind, text) for ply, seat, kind, text in data)


def parsed(column: str, text: str) -> Any:
    """Return the JSON data of a column."""
    if not isinstance(text, str):
        raise ColumnError(column, text, "JSON")
    try:
        return parse_json(text)
    except ValueError as error:
        raise ColumnError(column, text, f"JSON ({error})") from error


@lru_cache(maxsize=1 << 16)
def seating(text: str, seats: int, entrants: int) -> tuple[int, ...]:
    """Return who sits where: so many numbers of so many entrants, parted by commas.

    Equal texts share a tuple: a million results hold few seatings.
    """
    found = _ints(text)
    if found is None or len(found) != seats or not all(0 <= number < entrants for number in found):
        want = f"the numbers of {seats} of the {entrants} entrants (from 0), parted by commas"
        raise ColumnError("seating", text, want)
    return found


@lru_cache(maxsize=1 << 12)
def ranks(text: str, seats: int) -> tuple[int, ...]:
    """Return the ranks of so many seats: each 1 + the number of seats that are better."""
    found = _ints(text)
    if (
        found is None
        or len(found) != seats
        or any(rank != 1 + sum(other < rank for other in found) for rank in found)
    ):
        raise ColumnError("ranks", text, f"the ranks of {seats} seats, parted by commas")
    return found


@lru_cache(maxsize=1 << 12)
def faults(text: str, seats: int) -> tuple[str | None, ...]:
    """Return the kinds of faults of so many seats, None where there is none; equal texts share a tuple."""
    found = tuple(kind or None for kind in text.split(",")) if isinstance(text, str) else ()
    if len(found) != seats or not all(kind is None or kind in FAULT_KINDS for kind in found):
        raise ColumnError("faults", text, f"a fault's kind or nothing for each of {seats} seats")
    return found


def _ints(text: str) -> tuple[int, ...] | None:
    """Return numbers parted by commas, in the one form, or None."""
    if not isinstance(text, str) or len(text) > 1000:
        return None
    try:
        found = tuple(map(int, text.split(",")))
    except ValueError:
        return None
    return found if ",".join(map(str, found)) == text else None


def _is_log_line(line: Any) -> bool:
    if not isinstance(line, list) or len(line) != 4:
        return False
    ply, seat, kind, text = line
    return type(ply) is int and type(seat) is int and kind in _LOG_KINDS and isinstance(text, str)
