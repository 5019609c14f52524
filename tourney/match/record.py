"""The match record: what happened, and the digest that proves it is unchanged.

JSON objects of strings, lists, objects and integers below 2**53 only; u64s are decimal strings.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import rfc8785

from tourney.errors import RecordError
from tourney.match.spec import MatchSpec

FORMAT = "tourney-record/1"

FaultKind = Literal["startup", "illegal", "timeout", "crash", "protocol", "overflow"]
FAULT_KINDS: tuple[FaultKind, ...] = ("startup", "illegal", "timeout", "crash", "protocol", "overflow")

Record = dict[str, Any]
"""A record as JSON data; made by ``make_record``, read by ``check_record``."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a match ended.

    ``ranks`` per seat; ``reason`` a word of the game's, or ``resign``, ``fault``, ``adjudication``; ``faults``
    and ``resigned`` hold ``(seat, kind, actions so far)`` and ``(seat, actions so far)`` in the order in which
    the seats were withdrawn. A match in which all seats failed at start-up is void for ratings.
    """

    ranks: tuple[int, ...]
    reason: str
    faults: tuple[tuple[int, FaultKind, int], ...] = ()
    resigned: tuple[tuple[int, int], ...] = ()

    @property
    def void(self) -> bool:
        """Whether the match counts for nothing: every seat failed at start-up."""
        return len({seat for seat, kind, _ in self.faults if kind == "startup"}) == len(self.ranks)

    def as_json(self) -> dict[str, Any]:
        """Return the record's ``outcome``."""
        data: dict[str, Any] = {
            "ranks": list(self.ranks),
            "reason": self.reason,
            "faults": [list(fault) for fault in self.faults],
        }
        if self.resigned:
            data["resigned"] = [list(entry) for entry in self.resigned]
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Outcome":
        """Read what ``as_json`` wrote."""
        return cls(
            ranks=tuple(data["ranks"]),
            reason=data["reason"],
            faults=tuple((seat, kind, count) for seat, kind, count in data["faults"]),
            resigned=tuple((seat, count) for seat, count in data.get("resigned", ())),
        )


def digest_of(record: Mapping[str, Any]) -> str:
    """Return the SHA-256, in hex, of the RFC 8785 form of a record without its ``digest``."""
    body = {key: value for key, value in record.items() if key != "digest"}
    return hashlib.sha256(rfc8785.dumps(body)).hexdigest()


def make_record(
    spec: MatchSpec, rules: str, actions: Sequence[tuple[int, str]], outcome: Outcome
) -> Record:
    """Return the record of a match: the spec, what was played (actor 0 is chance) and how it ended."""
    record: Record = {
        "format": FORMAT,
        "game": spec.game,
        "rules": rules,
        "options": dict(spec.options),
        "seed": str(spec.seed),
        "opening": spec.opening.as_json(),
        "seats": [
            {
                "entrant": entrant.name,
                "bot": entrant.bot,
                "version": entrant.version,
                "args": list(entrant.args),
                "digest": entrant.digest,
            }
            for entrant in spec.seats
        ],
        "limits": spec.limits.as_json(),
        "actions": [[actor, action] for actor, action in actions],
        "outcome": outcome.as_json(),
    }
    record["digest"] = digest_of(record)
    return record


def check_record(data: object) -> Record:
    """Return a record read from outside once its shape and its digest hold. Raises RecordError."""
    raise RecordError("to be written")
