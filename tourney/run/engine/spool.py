"""The spool: results that could not be stored, kept beside the database until they can be.

A text file: a line that says whose results these are, then one line a result, each ``CHECKSUM JSON``. A line
is on the disk when ``keep`` returns. The file is made at the start with room reserved in it, so that there is
room still when the disk is full; unused room is zero bytes, which end the text. It goes when the run ends.
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tourney.errors import RecordError, StoreError
from tourney.match.record import check_record
from tourney.match.record import spec_of as spec_of_record
from tourney.match.result import LogLine, PlayedMatch
from tourney.parsing import parse_json
from tourney.run.engine.pairing import spec_of
from tourney.store.repository import Repository
from tourney.store.values import MatchResult, Tournament

FORMAT = "tourney-spool/1"
RESERVE = 1 << 20
"""Bytes reserved: several hundred results, more than can be out at a time."""


@dataclass(frozen=True, slots=True)
class Spooled:
    """What a spool held: sound results, and how many lines were torn or damaged and are not used."""

    finished: tuple[MatchResult, ...]
    damaged: int


class Spool:
    """The spool of a run, being written. Nothing here raises for a disk that fails: ``keep`` says so."""

    def __init__(self, path: Path, tournament: Tournament, reserve: int = RESERVE) -> None:
        self.path = path
        self._head = _line(_head(tournament))
        self._reserve = reserve
        self._fd = -1
        self._end = 0
        self._numbers: set[int] = set()

    def open(self) -> bool:
        """Make the file, empty, with room in it; say whether that was possible."""
        try:
            if self._fd < 0:
                self._fd = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            self._empty()
        except OSError:
            return False
        return True

    @property
    def dirty(self) -> bool:
        """Whether results are kept here."""
        return bool(self._numbers)

    def keep(self, finished: Iterable[MatchResult]) -> bool:
        """Keep results, those kept already apart; True once they are all on the disk."""
        new = [item for item in finished if item.number not in self._numbers]
        if not new:
            return True
        if self._fd < 0 and not self.open():
            return False
        data = b"".join(_line(_result(item)) for item in new)
        try:
            written = 0
            while written < len(data):
                written += os.pwrite(self._fd, data[written:], self._end + written)
            os.fsync(self._fd)
        except OSError:
            with suppress(OSError):  # a torn tail would be refused by its checksum anyhow
                os.pwrite(self._fd, b"\0", self._end)
            return False
        self._end += len(data)
        self._numbers |= {item.number for item in new}
        return True

    def clear(self) -> None:
        """Forget what is kept: it is in the database now."""
        if self.dirty:
            with suppress(OSError):
                self._empty()

    def close(self) -> None:
        """End the spool; the file goes if nothing is kept in it."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
        if not self.dirty:
            with suppress(OSError):
                self.path.unlink(missing_ok=True)

    def _empty(self) -> None:
        # Zero bytes first, cut after: at no moment is there a line of the old text behind the new one.
        os.ftruncate(self._fd, 0)
        self._end = 0
        self._numbers.clear()
        with suppress(OSError):
            os.posix_fallocate(self._fd, 0, self._reserve)
        os.pwrite(self._fd, self._head, 0)
        os.fsync(self._fd)
        self._end = len(self._head)


def read_spool(path: Path, tournament: Tournament) -> Spooled | None:
    """Return what a spool that was left behind holds; None if there is none.

    Raises StoreError for a spool of another tournament, and where it cannot be read.
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
    if _read(lines[0]) != _head(tournament):
        raise StoreError(
            f"the spool {path} holds results of another tournament, or is damaged: move it away if you do not"
            " need them, and run again"
        )
    finished: dict[int, MatchResult] = {}
    damaged = 0
    for item in _results(lines[1:]):
        if item is None:
            damaged += 1
        else:
            finished.setdefault(item.number, item)
    return Spooled(tuple(finished[number] for number in sorted(finished)), damaged)


def _results(lines: Iterable[bytes]) -> Iterator[MatchResult | None]:
    for line in lines:
        if not line:
            continue
        data = _read(line)
        try:
            yield None if data is None else _finished(data)
        except (KeyError, TypeError, ValueError, RecordError):
            yield None


def _head(tournament: Tournament) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "tournament": tournament.name,
        "seed": str(tournament.seed),
        "created": tournament.created,
    }


def _result(item: MatchResult) -> dict[str, Any]:
    data: dict[str, Any] = {"number": item.number, "note": item.note, "played": None}
    if item.played is None:
        data["void-entrant"] = item.void_entrant
    if item.played is not None:
        data["played"] = {
            "record": item.played.record,
            "log": [[line.ply, line.seat, line.kind, line.text] for line in item.played.log],
            "measured": item.played.measured,
        }
    return data


def _finished(data: dict[str, Any]) -> MatchResult:
    played = data["played"]
    if played is None:
        entrant = data["void-entrant"]
        return MatchResult(
            int(data["number"]), None, str(data["note"]), None if entrant is None else int(entrant)
        )
    log = tuple(LogLine(ply, seat, kind, text) for ply, seat, kind, text in played["log"])
    return MatchResult(
        int(data["number"]),
        PlayedMatch(check_record(played["record"]), log, dict(played["measured"])),
        str(data["note"]),
    )


def _line(data: dict[str, Any]) -> bytes:
    body = json.dumps(data, separators=(",", ":")).encode("ascii")
    return _checksum(body) + b" " + body + b"\n"


def _read(line: bytes) -> dict[str, Any] | None:
    """Return a line's data, or None where it is torn or damaged."""
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


_CHUNK = 500


def replay_spool(
    repository: Repository, tournament: Tournament, path: Path, say: Callable[[str], None]
) -> int:
    """Store the results in a spool that was left behind; return how many; the caller holds the lock.

    Rows that have a result keep it. A line that is torn or damaged, or a record that does not belong to its
    row, is not used: that match is played again. Raises StoreError for a spool of another tournament, and
    where they cannot be stored; then it stays.
    """
    spooled = read_spool(path, tournament)
    if spooled is None:
        return 0
    entrants = repository.entrants(tournament.id)
    open_rows = dict(repository.pending(tournament.id)) if spooled.finished else {}
    taken: list[MatchResult] = []
    damaged = spooled.damaged
    for item in spooled.finished:
        row = open_rows.get(item.number)
        if row is None:
            continue
        if item.played is not None:
            spec = spec_of(tournament, entrants, row)
            record = spec_of_record(item.played.record)
            if (record.game, record.seed, record.seats) != (spec.game, spec.seed, spec.seats):
                damaged += 1
                continue
        taken.append(item)
    for start in range(0, len(taken), _CHUNK):
        repository.record_results(tournament.id, taken[start : start + _CHUNK])
    if taken:
        count = f"{len(taken)} results" if len(taken) > 1 else "1 result"
        say(f"{count} that could not be stored before came out of {path}")
    if damaged:
        lines = f"{damaged} lines" if damaged > 1 else "1 line"
        say(f"{lines} of {path} were torn or damaged and are not used: those matches are played again")
    path.unlink(missing_ok=True)
    return len(taken)
