"""A match as it was played: the record, and beside it what lies outside the digest."""

from dataclasses import dataclass, field
from typing import Any, Literal

from tourney.match.record import Record

LogKind = Literal["info", "stderr", "note"]


@dataclass(frozen=True, slots=True)
class LogLine:
    """One line of a match's log: ``ply`` actions had been played; ``seat`` 0 is the referee."""

    ply: int
    seat: int
    kind: LogKind
    text: str


@dataclass(frozen=True, slots=True)
class Played:
    """A record with its log and what was measured.

    ``measured`` is JSON data outside the digest: ``started`` (ISO 8601, UTC), ``wall-ms``, ``host``,
    ``sandbox`` (level, and per protection enforced, partial or absent), ``times-ms`` (a list beside the
    record's actions; null for chance, openings and substitutes), ``seats`` (per seat: ``wall-ms``,
    ``cpu-ms`` or null, ``turns``), ``reproducible`` (bool) and ``why-not`` (a list of words).
    """

    record: Record
    log: tuple[LogLine, ...] = ()
    measured: dict[str, Any] = field(default_factory=dict)
