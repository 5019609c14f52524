"""The spool: results that could not be stored, kept beside the database until they can be.

A text file: one line that names the tournament, then one line a result, each ``CHECKSUM JSON``. A line is on
the disk when ``keep`` returns. The file is created at the start with reserved space, for when the disk is
full; unused space is zero bytes, which end the text. The file is deleted when the run ends.
"""

import hashlib
import json
import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tourney.errors import RecordError, StoreError
from tourney.match.record import check_record
from tourney.match.result import LogLine, PlayedMatch
from tourney.parsing import parse_json
from tourney.store.values import MatchResult, Tournament

FORMAT = "tourney-spool/1"
RESERVE = 1 << 20
"""Bytes reserved: several hundred results, more than can be in play at a time."""


@dataclass(frozen=True, slots=True)
class Spooled:
    """What a spool holds: intact results by number, and the number of damaged lines, which are skipped."""

    results: tuple[MatchResult, ...]
    damaged: int


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


def read_spool(path: Path, tournament: Tournament) -> Spooled | None:
    """Return what an earlier run left in the spool; None without a spool.

    Raises StoreError if the spool is another tournament's or cannot be read.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StoreError(f"the spool {path} cannot be read: {error.strerror}") from error
    text = data.partition(b"\0")[0]
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


def _head(tournament: Tournament) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "tournament": tournament.name,
        "seed": str(tournament.seed),
        "created": tournament.created,
    }


def _format_result(item: MatchResult) -> dict[str, Any]:
    data: dict[str, Any] = {"number": item.number, "note": item.note, "played": None}
    if item.played is None:
        data["void-entrant"] = item.void_entrant
        data["overloaded"] = item.overloaded
    else:
        data["played"] = {
            "record": item.played.record,
            "log": [[line.ply, line.seat, line.kind, line.text] for line in item.played.log],
            "measured": item.played.measured,
        }
    return data


def _parse_result(line: bytes) -> MatchResult | None:
    """Return the result of a line, or None if the line is damaged."""
    data = _parse_line(line)
    if data is None:
        return None
    try:
        number, note, played = int(data["number"]), str(data["note"]), data["played"]
        if played is None:
            entrant = data["void-entrant"]
            benched = None if entrant is None else int(entrant)
            return MatchResult(number, None, note, benched, data.get("overloaded") is True)
        log = tuple(LogLine(ply, seat, kind, text) for ply, seat, kind, text in played["log"])
        match = PlayedMatch(check_record(played["record"]), log, dict(played["measured"]))
        return MatchResult(number, match, note)
    except (KeyError, TypeError, ValueError, RecordError):
        return None


def _line(data: dict[str, Any]) -> bytes:
    body = json.dumps(data, separators=(",", ":")).encode("ascii")
    return _checksum(body) + b" " + body + b"\n"


def _parse_line(line: bytes) -> dict[str, Any] | None:
    """Return a line's data, or None if it is damaged."""
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
