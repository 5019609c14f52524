"""A match as it was played: the record, and beside it log and measurements, which lie outside the digest."""

import json
import sys
import zlib
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Annotated, Any, Final, Literal, NamedTuple

import msgspec
from msgspec import Meta, Struct

from tourney.match.evidence import Evidence
from tourney.match.record import UNSURE_FAULTS, Outcome, Record, decode_record
from tourney.match.spec import written
from tourney.prepared_types import prepared
from tourney.schema import MAX_INT

LogKind = Literal["info", "stderr", "note"]


class LogLine(NamedTuple):
    """One line of a match's log: ``ply`` actions had been played; ``seat`` 0 is the referee."""

    ply: int
    seat: int
    kind: LogKind
    text: str


Number = (
    Annotated[int, Meta(ge=-MAX_INT, le=MAX_INT)]
    | Annotated[float, Meta(ge=-sys.float_info.max, le=sys.float_info.max)]
)
"""An integer or a finite float."""


class SeatMeasurements(Struct, frozen=True, rename="kebab"):
    """The measurements of a seat; ``cpu-ms`` is null where it cannot be measured.

    ``waited-ms``: time that was not charged, because the bot or the referee waited for a processor.
    ``overloaded-turns``: turns in which that was more than 10 ms and more than a tenth of the turn.
    ``start-ms``: the time of its answers before the first turn.
    """

    wall_ms: Number
    turns: int
    cpu_ms: Number | None = None
    overloaded_turns: int = 0
    waited_ms: Number = 0
    start_ms: Number = 0


class SandboxMeasurements(Struct, frozen=True):
    """The sandbox in force; each protection is ``enforced``, ``partial`` or ``absent``."""

    level: str = ""
    kind: str = ""
    protections: dict[str, str] = {}

    @property
    def name(self) -> str:
        """Level and kind, as ``auto bubblewrap``."""
        return f"{self.level} {self.kind}".strip() or "off"


_MOST = 2**31 - 1  # the most that an integer of every database holds; so sums of it fit too


class SeatLoad(NamedTuple):
    """A seat's turns, those that overload stretched, and milliseconds: of its turns, and not charged."""

    turns: int
    overloaded: int
    wall_ms: int
    waited_ms: int


def machine_of(host: str) -> str:
    """The machine in the name of a host beside a record: the part after the last "/"."""
    return host.rpartition("/")[2]


class Measurements(Struct, frozen=True, rename="kebab", omit_defaults=True):
    """The measurements of a match, outside its digest.

    ``started`` is ISO 8601, UTC. ``times-ms`` has an item for each action of the record: null for chance,
    openings and substitutes. ``why-not`` says in words why a match is not ``reproducible``. ``speed`` is that
    of the host in a cluster, in steps of a fixed loop in a millisecond; 0: not measured. ``engines`` are the
    names by which the seats' bots introduced themselves, with version and author; "" for those that did not.
    ``machine`` is the processor's name and the number of processors, ``settings`` what can make times of
    that machine uneven (``machine_settings``), as it was when its first match in this process began.
    """

    # Unknown keys are ignored: a later version may add some.

    started: str = ""
    wall_ms: Number | None = None
    host: str = ""
    sandbox: SandboxMeasurements | None = None
    times_ms: tuple[Number | None, ...] = written(())
    seats: tuple[SeatMeasurements, ...] = written(())
    reproducible: bool | None = None
    why_not: tuple[str, ...] = written(())
    speed: int = 0
    engines: tuple[str, ...] = written(())
    machine: str = ""
    settings: str = ""

    @property
    def used_ms(self) -> tuple[Number, ...]:
        """The cost of the match by each seat's bot: the larger of its wall-clock and processor time.

        A bot that sleeps takes a worker from others as much as one that computes. Of its start only that
        counts by which it was slower than another seat's: the rest is the time of the sandbox.
        """
        quickest = min((seat.start_ms for seat in self.seats), default=0)
        return tuple(max(seat.wall_ms + seat.start_ms - quickest, seat.cpu_ms or 0) for seat in self.seats)

    @property
    def load(self) -> tuple[SeatLoad, ...]:
        """The load of each seat, or () where it was not measured, or nonsense was stored."""
        loads = []
        for seat in self.seats:
            values = (seat.turns, seat.overloaded_turns, seat.wall_ms, seat.waited_ms)
            if not all(0 <= value <= _MOST for value in values):
                return ()
            loads.append(SeatLoad(*map(int, values)))
        return tuple(loads)


NOT_MEASURED: Final = Measurements()


def doubts_of(record: Record, measured: Measurements) -> tuple[str, ...]:
    """Why a match is not promised to come out the same again; () if it is.

    A fault is a reason only where the record itself has it, and under fuel nothing is: what stands beside a
    record excuses no difference.
    """
    if record.limits.by_fuel:
        return ()
    unexplained = set(UNSURE_FAULTS) - record.outcome.explained
    beside = {why for why in measured.why_not if why not in unexplained}
    return tuple(sorted(beside | record.outcome.unsure_faults))


class Texts(NamedTuple):
    """The JSON of a match, stored compressed; log and measurements may be None.

    The record is in its RFC 8785 form, the log a list of lists ``[ply, seat, kind, text]``, the measurements
    an object.
    """

    record: bytes
    log: bytes | None
    measured: bytes | None


Cause = Literal["machine", "overload", "memory"]
"""Why a match could not be played: the machine failed, was overloaded, or its memory was full."""


class Playing(NamedTuple):
    """A match being played: its number and its start (seconds since the epoch)."""

    number: int
    since: float


class PlayedMatch:
    """A record with its log and measurements; immutable.

    It travels from the worker that played it as compressed texts, which are read only on access: a
    coordinator that only stores matches never reads them. ``outcome``, ``digest``, ``count`` (of actions),
    ``reproducible``, ``wall_ms`` and ``load`` (of each seat) are known without that.
    """

    def __init__(
        self, record: Record, log: Iterable[LogLine] = (), measured: Measurements = NOT_MEASURED
    ) -> None:
        self.outcome: Outcome = record.outcome
        self.digest = record.digest
        self.count = len(record.actions)
        self.reproducible = bool(measured.reproducible)
        self.wall_ms = measured.wall_ms
        self.load = measured.load
        self._packed: tuple[bytes | None, ...] = ()
        # The properties of these names read them from the texts only in a match that has travelled.
        vars(self).update(record=record, log=tuple(log), measured=measured)

    def doubted(self, *why: str) -> "PlayedMatch":
        """The match, not promised to reproduce for further reasons."""
        reasons = tuple(sorted({*self.measured.why_not, *why}))
        measured = msgspec.structs.replace(self.measured, reproducible=False, why_not=reasons)
        return PlayedMatch(self.record, self.log, measured)

    @cached_property
    def record(self) -> Record:
        """The match record."""
        return decode_record(self.texts.record)

    @cached_property
    def evidence(self) -> Evidence:
        """The match's evidence, with its luck after ``find_luck``; a match that travels takes it along."""
        return Evidence.without_luck(self.record)

    def find_luck(self) -> None:
        """Let the evidence have the match's luck, for a run whose pairings depend on it."""
        if not self.evidence.luck:
            self.evidence = self.evidence.with_luck(self.record)

    @cached_property
    def log(self) -> tuple[LogLine, ...]:
        """The lines of the bots beside the game, and the referee's notes."""
        text = self.texts.log
        return () if text is None else tuple(LogLine(*line) for line in json.loads(text))

    def lines(self, seat: int, kind: LogKind) -> list[str]:
        """A seat's lines of one kind."""
        return [line.text for line in self.log if line.seat == seat and line.kind == kind]

    @cached_property
    def measured(self) -> Measurements:
        """The measurements."""
        text = self.texts.measured
        return NOT_MEASURED if text is None else msgspec.convert(json.loads(text), prepared(Measurements))

    @property
    def texts(self) -> Texts:
        """The match as JSON."""
        if self._packed:
            record, *others = (None if part is None else zlib.decompress(part) for part in self._packed)
            assert record is not None  # noqa: S101 - only log and measurements may be missing
            return Texts(record, *others)
        return Texts(
            self.record.encode(),
            json_text(self.log) if self.log else None,
            json_text(self.measured) if self.measured != NOT_MEASURED else None,
        )

    def __getstate__(self) -> tuple[object, ...]:
        """The compressed texts, and the values that are known without reading them."""
        # The fastest level: the best one is a third slower and saves one byte in eleven.
        packed = self._packed or tuple(
            None if text is None else zlib.compress(text, 1) for text in self.texts
        )
        values = (self.outcome, self.digest, self.count, self.reproducible, self.wall_ms, self.load)
        return packed, self.evidence, *values

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        """Restore the match; its texts stay compressed."""
        self._packed, self.evidence, self.outcome, self.digest, *values = state
        self.count, self.reproducible, self.wall_ms, self.load = values

    def __eq__(self, other: object) -> bool:
        """Compare record, log and measurements."""
        if not isinstance(other, PlayedMatch):
            return NotImplemented
        return (self.record, self.log, self.measured) == (other.record, other.log, other.measured)

    __hash__ = None  # type: ignore[assignment]  # as of anything that holds dictionaries

    def __repr__(self) -> str:
        """The match's digest and outcome."""
        return f"PlayedMatch({self.digest[:16]}..., {self.outcome})"


def json_text(data: Measurements | Iterable[LogLine]) -> bytes:
    """The JSON of measurements or a log, keys sorted."""
    try:
        return msgspec.json.encode(data, order="sorted")
    except UnicodeError:  # a bot's text has half a character, which only an escape can write
        plain = msgspec.to_builtins(data)
        return json.dumps(plain, sort_keys=True, separators=(",", ":")).encode("ascii")


def fault_cause(log: Sequence[LogLine], seat: int, kind: str) -> tuple[str, ...]:
    """The referee's last note on a seat's fault, and the bot's last line of standard error with words.

    Nothing of either that the log does not have.
    """
    lines = [line for line in log if line.seat == seat and any(map(str.isalnum, line.text))]
    notes = [line.text for line in lines if line.kind == "note" and line.text.startswith(f"{kind}: ")]
    errors = [f"standard error: {line.text.strip()}" for line in lines if line.kind == "stderr"]
    return (*notes[-1:], *errors[-1:])


MAX_LINES: Final = 2_000  # of a seat in a log
MAX_CHARS: Final = 128 * 1024  # of a seat in a log


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

    def lines(self, ply: int) -> tuple[LogLine, ...]:
        """The log; its last lines count the dropped ones."""
        for seat, dropped in enumerate(self._dropped):
            if dropped:
                self.note(ply, seat, f"{dropped:,} more lines of this bot were dropped")
        return tuple(self._lines)
