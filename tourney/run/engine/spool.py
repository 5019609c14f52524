"""The spool: results that could not be stored, kept beside the database until they can be.

A text file: one line that names the tournament, then one line a result, each ``CHECKSUM JSON``. A line is on
the disk when ``keep`` returns. The file is created at the start with reserved space, for when the disk is
full; unused space is zero bytes, which end the text. The file is deleted when the run ends.
"""

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from msgspec import Struct, convert, to_builtins

from tourney.errors import RecordError, StoreError
from tourney.match.record import check_record
from tourney.match.result import LogLine, Measurements, PlayedMatch
from tourney.parsing import parse_json
from tourney.prepared_types import prepared
from tourney.store.values import MatchResult, Tournament

FORMAT = "tourney-spool/1"
RESERVE = 1 << 20  # bytes: several hundred results, more than can be in play at a time


@dataclass(frozen=True, slots=True)
class Spooled:
    """The contents of a spool: intact results by number, and the number of damaged lines, skipped."""

    results: tuple[MatchResult, ...]
    damaged: int


class _SpooledMatch(Struct, frozen=True):
    """A match that was played, with its record as JSON data: ``check_record`` decides whether it is one."""

    record: object
    log: tuple[LogLine, ...]
    measured: Measurements


class _SpoolLine(Struct, frozen=True, rename="kebab", omit_defaults=True):
    number: int
    note: str
    played: _SpooledMatch | None
    void_entrant: int | None = None
    overloaded: bool = False
    out_of_memory: bool = False


class Spool:
    """The spool of a run. A failing disk raises nothing here: ``open`` and ``keep`` return False."""

    def __init__(self, path: Path, tournament: Tournament, reserve: int = RESERVE) -> None:
        self.path = path
        self._head = _line(_head(tournament))
        self._reserve = reserve
        self._fd = -1
        self._end = 0
        self._numbers: set[int] = set()

    def open(self) -> bool:
        """Create the file with reserved space, or empty it; return whether that worked."""
        try:
            if self._fd < 0:
                self._fd = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            self._empty()
        except OSError:
            return False
        return True

    @property
    def dirty(self) -> bool:
        """Whether the spool holds results."""
        return bool(self._numbers)

    def keep(self, results: Iterable[MatchResult]) -> bool:
        """Write the results that are not kept yet; return whether all are on the disk."""
        new = [item for item in results if item.number not in self._numbers]
        if not new:
            return True
        if self._fd < 0 and not self.open():
            return False
        data = b"".join(_line(_format_result(item)) for item in new)
        try:
            written = 0
            while written < len(data):
                written += os.pwrite(self._fd, data[written:], self._end + written)
            os.fsync(self._fd)
        except OSError:
            with suppress(OSError):  # without it the checksum would reject the torn line
                os.pwrite(self._fd, b"\0", self._end)
            return False
        self._end += len(data)
        self._numbers |= {item.number for item in new}
        return True

    def clear(self) -> None:
        """Empty the spool: its results are in the database now."""
        if self.dirty:
            with suppress(OSError):
                self._empty()

    def close(self) -> None:
        """Close the spool, and delete the file if it holds no result."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
        if not self.dirty:
            with suppress(OSError):
                self.path.unlink(missing_ok=True)

    def _empty(self) -> None:
        # Truncate first, so that no line of the old text ever follows the new first line.
        os.ftruncate(self._fd, 0)
        self._end = 0
        self._numbers.clear()
        with suppress(OSError):
            os.posix_fallocate(self._fd, 0, self._reserve)
        os.pwrite(self._fd, self._head, 0)
        os.fsync(self._fd)
        self._end = len(self._head)


def spool_path(place: Path, tournament: Tournament) -> Path:
    """The spool of a tournament; ``place`` as in ``tourney.store.engine.place_of``."""
    return place.with_name(f"{place.name}-{tournament.name}.spool")


def read_spool(path: Path, tournament: Tournament) -> Spooled | None:
    """The results that an earlier run left in the spool; None without a spool.

    Raises StoreError if the spool is another tournament's or cannot be read.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StoreError(f"the spool {path} cannot be read: {error.strerror}") from error
    text = data.partition(b"\0")[0]  # the reserved space, or the rest of a torn write
    if not text:
        return Spooled((), 0)
    lines = text.split(b"\n")
    if _parse_line(lines[0]) != _head(tournament):
        raise StoreError(
            f"the spool {path} holds results of another tournament, or is damaged: move it away if you do not"
            " need it, and run again"
        )
    finished: dict[int, MatchResult] = {}
    damaged = 0
    for line in filter(None, lines[1:]):
        item = _parse_result(line)
        if item is None:
            damaged += 1
        else:
            finished.setdefault(item.number, item)
    return Spooled(tuple(finished[number] for number in sorted(finished)), damaged)


def _head(tournament: Tournament) -> dict[str, object]:
    # The name alone is not enough: a tournament may have been removed, and another one begun under its name.
    return {
        "format": FORMAT,
        "tournament": tournament.name,
        "seed": str(tournament.seed),
        "created": tournament.created,
    }


def _format_result(item: MatchResult) -> dict[str, object]:
    match = item.played
    played = None
    if match is not None:
        played = _SpooledMatch(to_builtins(match.record), match.log, match.measured)
    line = _SpoolLine(item.number, item.note, played, item.void_entrant, item.overloaded, item.out_of_memory)
    data: dict[str, object] = to_builtins(line)
    return data


def _parse_result(line: bytes) -> MatchResult | None:
    """The result of a line, or None if the line is damaged."""
    try:
        spooled = convert(_parse_line(line), prepared(_SpoolLine))
        played = spooled.played
        match = None
        if played is not None:
            match = PlayedMatch(check_record(played.record), played.log, played.measured)
    except (TypeError, ValueError, RecordError):
        return None
    return MatchResult(
        spooled.number, match, spooled.note, spooled.void_entrant, spooled.overloaded, spooled.out_of_memory
    )


def _line(data: Mapping[str, object]) -> bytes:
    body = json.dumps(data, separators=(",", ":")).encode("ascii")
    return _checksum(body) + b" " + body + b"\n"


def _parse_line(line: bytes) -> dict[str, object] | None:
    checksum, _, body = line.partition(b" ")
    if checksum != _checksum(body):
        return None
    try:
        data = parse_json(body)
    except ValueError:
        return None
    return data if isinstance(data, dict) else None


def _checksum(body: bytes) -> bytes:
    return hashlib.sha256(body).hexdigest()[:32].encode("ascii")
