"""A match as it was played: the record, and beside it log and measurements, which lie outside the digest.

``PlayedMatch`` is packed once, in the worker that played it; it is sent packed, and unpacked only on access.
"""

import json
import sys
import zlib
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Final, Literal, NamedTuple, Self

import msgspec
from msgspec import Meta, Struct

from tourney.match.record import Outcome, Record, canonical

_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode

LogKind = Literal["info", "stderr", "note"]


class LogLine(NamedTuple):
    """One line of a match's log: ``ply`` actions had been played; ``seat`` 0 is the referee."""

    ply: int
    seat: int
    kind: LogKind
    text: str


Number = Annotated[float, Meta(ge=-sys.float_info.max, le=sys.float_info.max)]
"""An integer or a finite float."""


class SeatMeasurements(Struct, frozen=True, rename="kebab"):
    """What was measured of a seat; ``cpu_ms`` is None where it cannot be measured.

    ``waited_ms``: time that was not charged, because the bot or the referee waited for a processor.
    ``overloaded_turns``: turns in which that was more than 10 ms and more than a tenth of the turn.
    """

    wall_ms: Number
    turns: int
    cpu_ms: Number | None = None
    overloaded_turns: int = 0
    waited_ms: Number = 0


class SandboxMeasurements(Struct, frozen=True):
    """The sandbox in force; each protection is ``enforced``, ``partial`` or ``absent``."""

    level: str = ""
    kind: str = ""
    protections: dict[str, str] = {}


class Measurements(Struct, frozen=True, rename="kebab"):
    """What is measured of a match, outside its digest; later versions may add keys.

    ``started`` is ISO 8601, UTC. ``times_ms`` has an item for each action of the record: None for chance,
    openings and substitutes. ``why_not`` says in words why a match is not ``reproducible``. ``speed`` is that
    of the host in a cluster, in steps of a fixed loop in a millisecond; 0: not measured.
    """

    started: str = ""
    wall_ms: Number = 0
    host: str = ""
    sandbox: SandboxMeasurements = SandboxMeasurements()
    times_ms: tuple[Number | None, ...] = ()
    seats: tuple[SeatMeasurements, ...] = ()
    reproducible: bool = False
    why_not: tuple[str, ...] = ()
    speed: int = 0


class Texts(NamedTuple):
    """The JSON of a match as it is stored, apart from compression; log and measurements may be None.

    The record is its RFC 8785 form, the log a list of lists ``[ply, seat, kind, text]``, the measurement an
    object.
    """

    record: bytes
    log: bytes | None
    measured: bytes | None


class Packed(NamedTuple):
    """The ``Texts`` of a match, each compressed (zlib), as they are sent."""

    record: bytes
    log: bytes | None
    measured: bytes | None


_MOST = 2**31 - 1
"""The most that an integer of every database holds; so sums of it fit too."""


class SeatLoad(NamedTuple):
    """A seat's turns, those that overload stretched, and milliseconds: of its turns, and not charged."""

    turns: int
    overloaded: int
    wall_ms: int
    waited_ms: int


def load_of(measured: Mapping[str, Any]) -> tuple[SeatLoad, ...]:
    """Return the load of each seat, or () where it was not measured."""
    found = []
    for seat in measured.get("seats", ()):
        values: list[int] = []
        for key in ("turns", "overloaded-turns", "wall-ms", "waited-ms"):
            value = seat.get(key) if isinstance(seat, Mapping) else None
            if not isinstance(value, int | float) or not 0 <= value <= _MOST:
                return ()
            values.append(int(value))
        found.append(SeatLoad(*values))
    return tuple(found)


class PlayedMatch:
    """A record with its log and measurements; immutable.

    ``measured`` is JSON data of the form of ``Measurements``, outside the digest.

    ``outcome``, ``digest``, ``count`` (of actions), ``reproducible``, ``wall_ms`` and ``load`` (of each seat,
    () where it was not measured) are known without unpacking.
    """

    __slots__ = (
        *("_log", "_measured", "_packed", "_record", "_text"),
        *("count", "digest", "load", "outcome", "reproducible", "wall_ms"),
    )

    def __init__(
        self,
        record: Record,
        log: Iterable[LogLine] = (),
        measured: Mapping[str, Any] | None = None,
        text: bytes | None = None,
    ) -> None:
        """Hold a match; ``text`` is the record's RFC 8785 form, where it is at hand."""
        self._set(
            Outcome.from_json(record["outcome"]), record["digest"], len(record["actions"]), measured or {}
        )
        self._record: Record | None = record
        self._log: tuple[LogLine, ...] | None = tuple(log)
        self._text = text

    @classmethod
    def written(
        cls,
        text: bytes,
        digest: str,
        outcome: Outcome,
        count: int,
        log: tuple[LogLine, ...],
        measured: Mapping[str, Any],
    ) -> Self:
        """Return a match whose record is at hand in its RFC 8785 form, as ``write_record`` gives it."""
        played = cls.__new__(cls)
        played._set(outcome, digest, count, measured)  # noqa: SLF001 - another way to make one
        played._record, played._log, played._text = None, log, text  # noqa: SLF001 - likewise
        return played

    def _set(self, outcome: Outcome, digest: str, count: int, measured: Mapping[str, Any]) -> None:
        self.outcome = outcome
        self.digest = digest
        self.count = count
        self.reproducible = bool(measured.get("reproducible", False))
        self.wall_ms: int | None = measured.get("wall-ms")
        self.load = load_of(measured)
        self._measured: dict[str, Any] | None = dict(measured)
        self._packed: Packed | None = None

    @property
    def record(self) -> Record:
        """The match record."""
        if self._record is None:
            self._record = unpack(self.packed.record) if self._text is None else json.loads(self._text)
        return self._record

    @property
    def log(self) -> tuple[LogLine, ...]:
        """The lines of the bots beside the game, and the referee's notes."""
        if self._log is None:
            blob = self.packed.log
            self._log = () if blob is None else tuple(LogLine(*line) for line in unpack(blob))
        return self._log

    def texts(self, seat: int, kind: LogKind) -> list[str]:
        """Return a seat's lines of one kind."""
        return [line.text for line in self.log if line.seat == seat and line.kind == kind]

    @property
    def measured(self) -> dict[str, Any]:
        """The measurements."""
        if self._measured is None:
            blob = self.packed.measured
            self._measured = {} if blob is None else unpack(blob)
        return self._measured

    @property
    def plain(self) -> Texts:
        """The match as JSON."""
        if self._packed is not None:
            record, log, measured = self._packed
            return Texts(
                zlib.decompress(record),
                None if log is None else zlib.decompress(log),
                None if measured is None else zlib.decompress(measured),
            )
        return Texts(
            canonical(self.record) if self._text is None else self._text,
            _log_text(self._log) if self._log else None,
            _json_text(self._measured) if self._measured else None,
        )

    @property
    def packed(self) -> Packed:
        """The match as bytes, to be sent."""
        if self._packed is None:
            record, log, measured = self.plain
            self._packed = Packed(
                _compress(record),
                None if log is None else _compress(log),
                None if measured is None else _compress(measured),
            )
        return self._packed

    def __getstate__(self) -> tuple[Any, ...]:
        """Return the bytes, and what is known without unpacking them, as built-in values."""
        end = self.outcome
        return (
            *self.packed,
            *(end.ranks, end.reason, end.faults, end.resigned, end.adjudication),
            *(self.digest, self.count, self.reproducible, self.wall_ms, tuple(map(tuple, self.load))),
        )

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        """Restore the match; it stays packed."""
        self._record, self._log, self._measured, self._text = None, None, None, None
        self._packed = Packed(*state[:3])
        self.outcome = Outcome(*state[3:8])
        self.digest, self.count, self.reproducible, self.wall_ms, load = state[8:]
        self.load = tuple(SeatLoad(*seat) for seat in load)

    def __eq__(self, other: object) -> bool:
        """Compare record, log and measurements."""
        if not isinstance(other, PlayedMatch):
            return NotImplemented
        return (self.record, self.log, self.measured) == (other.record, other.log, other.measured)

    __hash__ = None  # type: ignore[assignment]  # as of anything that holds dictionaries

    def __repr__(self) -> str:
        """Name the match by its digest."""
        return f"Played({self.digest[:16]}..., {self.outcome})"


def pack(data: Any) -> bytes:
    """Return JSON data, its keys sorted, compressed: equal bytes for equal values.

    This is not the form of digests: it is much faster to write, and takes any text.
    """
    return _compress(_encode(data).encode("ascii"))


def pack_log(lines: Iterable[LogLine]) -> bytes:
    """Return a match's log, packed."""
    return _compress(_log_text(lines))


def _log_text(lines: Iterable[LogLine]) -> bytes:
    return _json_text([[line.ply, line.seat, line.kind, line.text] for line in lines])


def _json_text(data: Any) -> bytes:
    """Return JSON, its keys sorted; quickly, unless a text has half a character."""
    try:
        return msgspec.json.encode(data, order="sorted")
    except UnicodeError:
        return _encode(data).encode("ascii")


def _compress(data: bytes) -> bytes:
    """Compress at the fastest level: the best one is a third slower and saves one byte in eleven."""
    return zlib.compress(data, 1)


def unpack(blob: bytes) -> Any:
    """Return what ``pack`` was given. Data from outside is read by ``tourney.store.columns``."""
    return json.loads(zlib.decompress(blob))


MAX_LINES: Final = 2_000
"""The most lines of a seat in a log."""
MAX_CHARS: Final = 128 * 1024
"""The most characters of a seat in a log."""


class MatchLog:
    """Collects lines in order of arrival, and counts those beyond a seat's bounds.

    Keeps all notes of the referee.
    """

    def __init__(self, seats: int) -> None:
        self._lines: list[LogLine] = []
        self._room = [MAX_LINES] * (seats + 1)
        self._chars = [MAX_CHARS] * (seats + 1)
        self._dropped = [0] * (seats + 1)

    def note(self, ply: int, seat: int, text: str) -> None:
        """Add a note of the referee about a seat (0: about the match)."""
        self._lines.append(LogLine(ply, seat, "note", text))

    def add(self, ply: int, seat: int, kind: LogKind, texts: Iterable[str]) -> None:
        """Add lines of a bot."""
        for text in texts:
            if self._room[seat] == 0 or self._chars[seat] < len(text):
                self._room[seat] = 0
                self._dropped[seat] += 1
            else:
                self._room[seat] -= 1
                self._chars[seat] -= len(text)
                self._lines.append(LogLine(ply, seat, kind, text))

    def extend(self, lines: Iterable[LogLine]) -> None:
        """Add the log of an earlier play; its lines count towards the bounds."""
        for line in lines:
            if line.kind == "note":
                self._lines.append(line)
            else:
                self.add(line.ply, line.seat, line.kind, (line.text,))

    def lines(self, ply: int) -> tuple[LogLine, ...]:
        """Return the log; its last lines count the dropped ones."""
        for seat, dropped in enumerate(self._dropped):
            if dropped:
                self.note(ply, seat, f"{dropped:,} more lines of this bot were dropped")
        return tuple(self._lines)
