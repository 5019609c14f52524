"""Check columns as they are read: SQLite keeps any value in any column, and people edit databases.

A reader raises ``ColumnError``, which names the column; ``tourney.store.rows`` turns it into a sentence that
also names database, table and row. Records, logs and measurements are JSON, compressed one by one (zlib) with
a dictionary of their tournament; all that queries need of them is repeated in columns of its own.

This module imports nothing of SQLAlchemy, so that the processes that draw pages start without it.
"""

import json
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from itertools import islice
from typing import Any, Final, NamedTuple, TypeVar

import msgspec
import rfc8785

from tourney.errors import RecordError, StoreDamaged
from tourney.match.analysis import Analysis
from tourney.match.evidence import Evidence, read_units
from tourney.match.record import FAULT_KINDS, Record, decode_record
from tourney.match.result import NOT_MEASURED, LogLine, Measurements
from tourney.parsing import parse_json
from tourney.prepared_types import prepared
from tourney.schema import DIGEST, SchemaError, read
from tourney.seeds import MAX_SEED

T = TypeVar("T")

Columns = Mapping[Any, Any]
"""A row: values by column."""
Cells = Sequence[Any]
"""A row as the database gave it."""

MAX_INTEGER: Final = 2**63 - 1  # the largest integer of SQLite and PostgreSQL
MAX_UNPACKED: Final = 1 << 28
"""Bytes that a column may unpack to: a few altered ones could fill the memory."""
SAMPLES: Final = 4
"""Most matches that a tournament's dictionaries are made of."""
SAMPLE_END: Final = 1_000
"""Bytes that a dictionary takes from the beginning and from the end of a sample."""
MAX_DICTIONARY: Final = 2 * SAMPLE_END * SAMPLES

_LEVEL: Final = 3
"""Of zlib, where a dictionary is used: 6 takes half as long again and saves one byte in twenty."""
_MEMORY: Final = 6
"""Of zlib's memory (1 to 9): with the usual 8, half of the time goes into clearing and copying it."""
_NARROW: Final = 14
"""The window, as a power of two, for texts that fit into it with their dictionary."""
_SHORT: Final = (1 << _NARROW) - 262
"""The most bytes of such a text and its dictionary: zlib looks back no further than a window less this."""


class Dictionaries(NamedTuple):
    """The compression dictionaries of a tournament's packed columns; b"" for a column without one."""

    record: bytes = b""
    lines: bytes = b""
    data: bytes = b""


class ComputedLuck(NamedTuple):
    """The luck of the match with a digest, as evidence that has nothing else."""

    digest: str
    evidence: Evidence


class ColumnError(Exception):
    """A column holds a wrong value; ``want`` says what it must hold. Never leaves the store."""

    def __init__(self, column: str, value: object, want: str) -> None:
        super().__init__(column, value, want)
        self.column = column
        self.value = value
        self.want = want


@contextmanager
def naming(error_of: Callable[[ColumnError], StoreDamaged]) -> Iterator[None]:
    """Let a bad column be raised as the error that a function makes of it, which names its row."""
    try:
        yield
    except ColumnError as error:
        raise error_of(error) from error


def read_word(column: str, value: object, words: Collection[str]) -> str:
    """One of some words."""
    if not isinstance(value, str) or value not in words:
        raise ColumnError(column, value, f"one of {', '.join(words)}")
    return value


def read_int(column: str, value: object, least: int, most: int = MAX_INTEGER) -> int:
    """An integer within bounds."""
    if type(value) is not int or not least <= value <= most:
        span = f"of at least {least}" if most == MAX_INTEGER else f"from {least} to {most}"
        raise ColumnError(column, value, f"an integer {span}")
    return value


def read_evidence(text: str, seats: int) -> Evidence:
    """The evidence of a match."""
    try:
        return Evidence.read(text, seats)
    except (ValueError, AttributeError, TypeError) as error:
        raise ColumnError("evidence", text, "two hashes and the luck of each seat") from error


def read_luck(value_version: object, units: object, seats: int) -> Evidence:
    """The luck of a match from the columns of its own table, as evidence that has nothing else."""
    version = read_int("value_version", value_version, 0)
    if units == "":
        return Evidence()
    try:
        return Evidence(luck=read_units(units, seats), values=version)  # type: ignore[arg-type]  # tried
    except (ValueError, AttributeError, TypeError) as error:
        raise ColumnError("units", units, "the luck of each seat") from error


def read_digest(column: str, value: object) -> str:
    """A digest."""
    if not isinstance(value, str) or DIGEST.fullmatch(value) is None:
        raise ColumnError(column, value, "a digest of 64 hex digits")
    return value


def read_seed(value: object) -> int:
    """A tournament's seed, which is kept as decimal text."""
    if isinstance(value, str) and len(value) <= 78 and value.isascii() and value.isdigit():
        number = int(value)
        if str(number) == value and number <= MAX_SEED:
            return number
    raise ColumnError("seed", value, "a number of at most 256 bits")


def read_json(column: str, text: str, type_: type[T], want: str, needed: Collection[str] = ()) -> T:
    """The JSON of a column as a value of a type, with the ``needed`` keys; ``want`` names such a value."""
    if not isinstance(text, str):
        raise ColumnError(column, text, "JSON")
    try:
        return read(parse_json(text), type_, needed=needed)
    except SchemaError as error:
        raise ColumnError(column, text, f"{want} ({error.in_json('the object')})") from error
    except ValueError as error:
        raise ColumnError(column, text, f"JSON ({error})") from error


def canonical(value: object) -> str:
    """A value as canonical JSON."""
    return rfc8785.dumps(msgspec.to_builtins(value)).decode("utf-8")


@lru_cache(maxsize=1 << 16)
def read_seating(text: str, seats: int, entrants: int) -> tuple[int, ...]:
    """The entrants' numbers by seat; equal texts share a tuple."""
    seating = _integers(text)
    if seating is None or len(seating) != seats or not all(0 <= number < entrants for number in seating):
        want = f"the numbers of {seats} of the {entrants} entrants (from 0), separated by commas"
        raise ColumnError("seating", text, want)
    return seating


@lru_cache(maxsize=1 << 12)
def read_ranks(text: str, seats: int) -> tuple[int, ...]:
    """The ranks of all seats: each 1 + the number of seats that are better."""
    ranks = _integers(text)
    if (
        ranks is None
        or len(ranks) != seats
        or any(rank != 1 + sum(better < rank for better in ranks) for rank in ranks)
    ):
        raise ColumnError("ranks", text, f"the ranks of {seats} seats, separated by commas")
    return ranks


@lru_cache(maxsize=1 << 12)
def read_faults(text: str, seats: int) -> tuple[str | None, ...]:
    """Each seat's kind of fault, None where there is none; equal texts share a tuple."""
    faults = tuple(kind or None for kind in text.split(",")) if isinstance(text, str) else ()
    if len(faults) != seats or not all(kind is None or kind in FAULT_KINDS for kind in faults):
        raise ColumnError("faults", text, f"a fault's kind or nothing for each of {seats} seats")
    return faults


def dictionary_of(texts: Iterable[bytes | None]) -> bytes:
    """A dictionary (RFC 1950) for texts like these: the ends of the first ``SAMPLES`` of them."""
    dictionary = bytearray()
    for text in islice(filter(None, texts), SAMPLES):
        dictionary += text if len(text) <= 2 * SAMPLE_END else text[:SAMPLE_END] + text[-SAMPLE_END:]
    return bytes(dictionary)


def deflate(text: bytes, dictionary: bytes) -> bytes:
    """A text compressed with a dictionary, if there is one: the header says whether it was used."""
    window = _NARROW if len(dictionary) + len(text) <= _SHORT else zlib.MAX_WBITS
    writer = _writer(dictionary, window).copy()
    return writer.compress(text) + writer.flush()


@lru_cache(maxsize=8)
def _writer(dictionary: bytes, window: int) -> "zlib._Compress":
    """A compressor (its type has no name in ``zlib``) that has read a dictionary, to be copied."""
    return zlib.compressobj(_LEVEL, zlib.DEFLATED, window, _MEMORY, zlib.Z_DEFAULT_STRATEGY, dictionary)


def inflate(column: str, blob: bytes, want: str, dictionary: bytes = b"") -> bytes:
    """The text of a packed column; ``dictionary`` is used if the text was packed with it."""
    if not isinstance(blob, bytes):
        raise ColumnError(column, blob, want)
    reader = zlib.decompressobj(zdict=dictionary) if dictionary else zlib.decompressobj()
    try:
        text = reader.decompress(blob, MAX_UNPACKED)
    except zlib.error as error:
        raise ColumnError(column, blob, f"{want} ({error})") from error
    # A text that goes on beyond the bound has not come to its end either.
    if not reader.eof or reader.unused_data:
        raise ColumnError(column, blob, f"{want} (it breaks off, or goes on)")
    return text


def pack(data: object) -> bytes:
    """JSON data, its keys sorted, compressed: equal bytes for equal values."""
    return zlib.compress(json.dumps(data, sort_keys=True, separators=(",", ":")).encode("ascii"), 1)


def unpack(column: str, blob: bytes) -> object:
    """The data given to ``pack``."""
    text = inflate(column, blob, "packed JSON")
    try:
        return parse_json(text)
    except ValueError as error:
        raise ColumnError(column, blob, f"packed JSON ({error})") from error


def _unpacked(column: str, blob: bytes, dictionary: bytes, type_: type[T], want: str) -> T:
    """The JSON of a packed column as a value of a type; ``want`` names such a value."""
    text = inflate(column, blob, want, dictionary)
    with suppress(msgspec.MsgspecError, UnicodeError):
        return msgspec.json.decode(text, type=prepared(type_))
    try:  # to say what is wrong; or a text has half a character
        return read(parse_json(text), type_)
    except SchemaError as error:
        raise ColumnError(column, blob, f"{want} ({error.in_json('the object')})") from error
    except ValueError as error:
        raise ColumnError(column, blob, f"{want} ({error})") from error


def unpack_record(blob: bytes, seats: int, dictionary: bytes = b"") -> Record:
    """The record of a match with this number of seats; its shape is checked, its digest is not."""
    want = "a packed record"
    try:
        record = decode_record(inflate("record", blob, want, dictionary))
    except RecordError as error:
        raise ColumnError("record", blob, f"{want} ({error})") from error
    if len(record.seats) != seats:
        raise ColumnError("record", blob, f"{want} of {seats} seats (it has {len(record.seats)})")
    return record


def unpack_log(blob: bytes, dictionary: bytes = b"") -> tuple[LogLine, ...]:
    """The lines of a log, as ``json_text`` wrote them."""
    want = "a packed log: lines of ply, seat, kind and text"
    return _unpacked("lines", blob, dictionary, tuple[LogLine, ...], want)


def unpack_measured(blob: bytes, dictionary: bytes = b"") -> Measurements:
    """The measurements of a match."""
    return _unpacked("data", blob, dictionary, Measurements, "packed measurements")


def unpack_analysis(blob: bytes) -> Analysis:
    """An analysis of a match."""
    return _unpacked("data", blob, b"", Analysis, "a packed analysis")


def _integers(text: str) -> tuple[int, ...] | None:
    """Numbers separated by commas, in their one form, or None."""
    if not isinstance(text, str) or len(text) > 1000:
        return None
    try:
        numbers = tuple(map(int, text.split(",")))
    except ValueError:
        return None
    return numbers if ",".join(map(str, numbers)) == text else None


class MatchParts(NamedTuple):
    """The stored parts of a match beside its result, packed; None for a missing one.

    Picklable, so that other processes can unpack it.
    """

    record: bytes | None = None
    log: bytes | None = None
    measured: bytes | None = None
    dictionaries: Dictionaries = Dictionaries()
    analysis: bytes | None = None


def _bad_parts(_: ColumnError) -> StoreDamaged:
    return StoreDamaged("the stored parts of a match are damaged")


def unpack_parts(parts: MatchParts, seats: int) -> tuple[Record | None, tuple[LogLine, ...], Measurements]:
    """A match's record, log and measurements; ``seats`` is the number of its tournament.

    Raises StoreDamaged; ``Database.record``, ``log`` and ``measured`` say which row is damaged, and how.
    """
    dictionaries = parts.dictionaries
    with naming(_bad_parts):
        return (
            None if parts.record is None else unpack_record(parts.record, seats, dictionaries.record),
            () if parts.log is None else unpack_log(parts.log, dictionaries.lines),
            NOT_MEASURED if parts.measured is None else unpack_measured(parts.measured, dictionaries.data),
        )


def analysis_in(parts: MatchParts) -> Analysis | None:
    """A match's analysis, if it has one. Raises StoreDamaged."""
    with naming(_bad_parts):
        return None if parts.analysis is None else unpack_analysis(parts.analysis)
