"""The match record: what happened, and the digest that proves it is unchanged.

JSON objects of strings, lists, objects and integers below 2**53 only; u64s are decimal strings.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, Literal

import rfc8785

from tourney.errors import RecordError
from tourney.games.base import ACTION_PATTERN
from tourney.match.shape import read_choice, read_int, read_list, read_object, read_text, read_u64
from tourney.match.spec import Entrant, Limits, MatchSpec, Opening
from tourney.parsing import parse_json

FORMAT = "tourney-record/1"

FaultKind = Literal["startup", "illegal", "timeout", "crash", "protocol", "overflow"]
FAULT_KINDS: tuple[FaultKind, ...] = ("startup", "illegal", "timeout", "crash", "protocol", "overflow")

MAX_SEATS: Final = 64
MAX_ACTIONS: Final = 1_000_000

_KEYS = (
    *("format", "game", "rules", "options", "seed", "opening", "seats", "limits", "actions", "outcome"),
    "digest",
)
_GAME = re.compile(r"[a-z][a-z0-9-]*", re.ASCII)
_REASON = re.compile(r"[a-z][a-z0-9-]*", re.ASCII)
_WORD = re.compile(r"[!-~]{1,200}", re.ASCII)
_DIGEST = re.compile(r"[0-9a-f]{64}", re.ASCII)
_compact = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode

Record = dict[str, Any]
"""A record as JSON data; made by ``make_record``, read by ``check_record``."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a match ended.

    ``ranks`` per seat; ``reason`` a word of the game's, or ``resign``, ``fault``, ``adjudication``.
    ``faults`` and ``resigned`` hold ``(seat, kind, actions so far)`` and ``(seat, actions so far)`` in the
    order in which the seats were withdrawn. If all seats failed at start-up the match is void for ratings.
    """

    ranks: tuple[int, ...]
    reason: str
    faults: tuple[tuple[int, FaultKind, int], ...] = ()
    resigned: tuple[tuple[int, int], ...] = ()

    @property
    def void(self) -> bool:
        """Whether the match counts for nothing: every seat failed at start-up."""
        return len({seat for seat, kind, _ in self.faults if kind == "startup"}) == len(self.ranks)

    @property
    def seat_faults(self) -> tuple[FaultKind | None, ...]:
        """Each seat's fault or None, in seat order."""
        kinds = {seat: kind for seat, kind, _ in self.faults}
        return tuple(kinds.get(seat) for seat in range(1, len(self.ranks) + 1))

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


def canonical(data: Mapping[str, Any]) -> bytes:
    """Return the RFC 8785 form of JSON data.

    A record holds strings, lists, objects and integers below 2**53, and its keys are ASCII: for such data the
    standard library's encoder gives the same bytes as the package ``rfc8785``, in a seventh of the time.
    """
    if not all(key.isascii() for key in data.get("options", ())):
        return rfc8785.dumps(dict(data))
    return _compact(data).encode("utf-8")


def digest_of(record: Mapping[str, Any]) -> str:
    """Return the SHA-256, in hex, of the RFC 8785 form of a record without its ``digest``."""
    body = {key: value for key, value in record.items() if key != "digest"}
    return hashlib.sha256(canonical(body)).hexdigest()


def make_record(spec: MatchSpec, rules: str, actions: Sequence[tuple[int, str]], outcome: Outcome) -> Record:
    """Return the record of a match: the spec, what was played (actor 0 is chance) and how it ended."""
    record: Record = json.loads(write_record(spec, rules, actions, outcome)[0])
    return record


def write_record(
    spec: MatchSpec, rules: str, actions: Sequence[tuple[int, str]], outcome: Outcome
) -> tuple[bytes, str]:
    """Return the RFC 8785 form of ``make_record``'s record, and its digest.

    Matches of a tournament have most of it in common, which is written once for many of them.
    """
    head, tail = _frame(spec.game, rules, spec.options, spec.opening, spec.seats, spec.limits)
    played, end = _compact(actions).encode("ascii"), _compact(outcome.as_json()).encode("ascii")
    # Keys stand sorted: the actions first, the seed last, and the digest right behind the actions.
    rest = b'%s%s%s"%d"}' % (head, end, tail, spec.seed)
    digest = hashlib.sha256(b'{"actions":%s,%s' % (played, rest)).hexdigest()
    return b'{"actions":%s,"digest":"%s",%s' % (played, digest.encode("ascii"), rest), digest


@lru_cache(maxsize=256)
def _frame(
    game: str,
    rules: str,
    options: tuple[tuple[str, str], ...],
    opening: Opening,
    seats: tuple[Entrant, ...],
    limits: Limits,
) -> tuple[bytes, bytes]:
    """Return what stands in a record's text between actions and outcome, and from there to the seed."""
    record = {
        "format": FORMAT,
        "game": game,
        "limits": limits.as_json(),
        "opening": opening.as_json(),
        "options": dict(options),
        "outcome": 0,
        "rules": rules,
        "seats": [
            {
                "entrant": entrant.name,
                "bot": entrant.bot,
                "version": entrant.version,
                "args": list(entrant.args),
                "digest": entrant.digest,
            }
            for entrant in seats
        ],
        "seed": 0,
    }
    # A quote inside a string is escaped, so these are the keys themselves.
    head, mark, tail = canonical(record).partition(b'"outcome":')
    return head[1:] + mark, tail[1:-2]


def check_record(data: object) -> Record:
    """Return a record read from outside once its shape and its digest hold.

    Raises RecordError that names the key. Whether it keeps to the game's rules is ``verify``'s to say.
    """
    record = check_shape(data)
    digest = digest_of(record)
    if digest != record["digest"]:
        raise RecordError(
            f"the record's digest is {record['digest'][:16]}..., but its content gives {digest[:16]}...:"
            " it was changed after it was made"
        )
    return record


def check_shape(data: object) -> Record:
    """Return a record read from outside once it is of the one form, its digest left unchecked."""
    record = read_object(data, "the record", _KEYS)
    read_choice(record["format"], "format", (FORMAT,))
    read_text(record["game"], "game", _GAME)
    read_text(record["rules"], "rules", _WORD)
    read_u64(record["seed"], "seed")
    options = record["options"]
    for key, value in read_object(
        options, "options", (), options if isinstance(options, dict) else ()
    ).items():
        read_text(key, "a name in options", _WORD)
        read_text(value, f"options.{key}", _WORD)
    check_opening(record["opening"])
    seats = read_list(record["seats"], "seats", 1, MAX_SEATS)
    for number, seat in enumerate(seats):
        _check_seat(seat, f"seats[{number}]")
    _check_limits(record["limits"])
    actions = read_list(record["actions"], "actions", 0, MAX_ACTIONS)
    for number, entry in enumerate(actions):
        where = f"actions[{number}]"
        actor, action = read_list(entry, where, 2, 2)
        read_int(actor, f"{where}[0]", 0, len(seats))
        read_text(action, f"{where}[1]", ACTION_PATTERN)
    _check_outcome(record["outcome"], len(seats), len(actions))
    read_text(record["digest"], "digest", _DIGEST)
    return record


def spec_of(record: Record) -> MatchSpec:
    """Return the spec of the match that a checked record tells of."""
    return MatchSpec(
        game=record["game"],
        options=tuple(record["options"].items()),
        seats=tuple(
            Entrant(seat["entrant"], seat["bot"], seat["version"], tuple(seat["args"]), seat["digest"])
            for seat in record["seats"]
        ),
        seed=int(record["seed"]),
        limits=Limits.from_json(record["limits"]),
        opening=check_opening(record["opening"]),
    )


def check_opening(value: object) -> Opening:
    """Return the opening that a record names. Raises RecordError."""
    opening = read_object(value, "opening", (), ("plies", "actions"))
    if len(opening) != 1:
        raise RecordError("opening must hold either plies or actions")
    if "plies" in opening:
        return Opening(plies=read_int(opening["plies"], "opening.plies", 0, MAX_ACTIONS))
    actions = read_list(opening["actions"], "opening.actions", 1, MAX_ACTIONS)
    return Opening(
        actions=tuple(
            read_text(action, f"opening.actions[{number}]", ACTION_PATTERN)
            for number, action in enumerate(actions)
        )
    )


def _check_seat(value: object, where: str) -> None:
    seat = read_object(value, where, ("entrant", "bot", "version", "args", "digest"))
    for key in ("entrant", "bot", "version"):
        read_text(seat[key], f"{where}.{key}", least=1)
    for number, arg in enumerate(read_list(seat["args"], f"{where}.args", 0, 100)):
        read_text(arg, f"{where}.args[{number}]", most=1000)
    read_text(seat["digest"], f"{where}.digest", _DIGEST)


def _check_limits(value: object) -> None:
    numbers = ("margin-ms", "startup-ms", "memory-mb")
    maybe = ("move-ms", "clock-ms", "increment-ms", "nodes")
    limits = read_object(value, "limits", (*numbers, "charge", "ponder"), maybe)
    for key in (*numbers, *maybe):
        if key in limits:
            read_int(limits[key], f"limits.{key}")
    read_choice(limits["charge"], "limits.charge", ("wall", "cpu"))
    read_choice(limits["ponder"], "limits.ponder", ("allow", "freeze"))
    if ("clock-ms" in limits) != ("increment-ms" in limits):
        raise RecordError("limits must hold clock-ms and increment-ms together, or neither")


def _check_outcome(value: object, seats: int, actions: int) -> None:
    outcome = read_object(value, "outcome", ("ranks", "reason", "faults"), ("resigned",))
    ranks = [
        read_int(rank, f"outcome.ranks[{number}]", 1, seats)
        for number, rank in enumerate(read_list(outcome["ranks"], "outcome.ranks", seats, seats))
    ]
    if any(rank != 1 + sum(other < rank for other in ranks) for rank in ranks):
        raise RecordError(f"outcome.ranks is {ranks}: a rank is 1 plus the number of seats strictly better")
    read_text(outcome["reason"], "outcome.reason", _REASON)
    left = []
    for number, fault in enumerate(read_list(outcome["faults"], "outcome.faults", 0, seats)):
        where = f"outcome.faults[{number}]"
        seat, kind, count = read_list(fault, where, 3, 3)
        left.append(read_int(seat, f"{where}[0]", 1, seats))
        read_choice(kind, f"{where}[1]", FAULT_KINDS)
        read_int(count, f"{where}[2]", 0, actions)
    if "resigned" in outcome:
        for number, entry in enumerate(read_list(outcome["resigned"], "outcome.resigned", 1, seats)):
            where = f"outcome.resigned[{number}]"
            seat, count = read_list(entry, where, 2, 2)
            left.append(read_int(seat, f"{where}[0]", 1, seats))
            read_int(count, f"{where}[1]", 0, actions)
    if len(set(left)) < len(left):
        raise RecordError("outcome withdraws a seat twice, in faults or resigned")


MAX_LINE: Final = 64 * 1024 * 1024
"""Bytes of the longest record that is read."""


_GOES_ON = (b"{", b"[", b",", b":")
"""How a first line ends whose value goes on in the next; JSON by itself ends with none of them."""


def read_json_lines(path: Path) -> Iterator[tuple[str, Any]]:
    """Yield the JSON values of a file with their places, as ``FILE line N``; empty lines are passed over.

    A file that holds one value over many lines gives that value. Raises RecordError for what is no JSON, and
    OSError where the file cannot be read.
    """
    with path.open("rb") as file:
        first = file.readline(MAX_LINE + 1)
        if first.rstrip().endswith(_GOES_ON):
            yield str(path), _parse(first + file.read(MAX_LINE + 1 - len(first)), str(path))
            return
        number, line = 1, first
        while line:
            if line.strip():
                where = f"{path} line {number}"
                yield where, _parse(line.rstrip(), where)
            number, line = number + 1, file.readline(MAX_LINE + 1)


def read_record(path: Path) -> Any:
    """Return the JSON value of a file that holds exactly one. Raises RecordError, OSError."""
    values = list(_take(read_json_lines(path), 2))
    if len(values) != 1:
        raise RecordError(
            f"{path} holds {'more than one record' if values else 'no record'}; one is wanted here"
        )
    return values[0][1]


def _take(values: Iterator[tuple[str, Any]], most: int) -> Iterator[tuple[str, Any]]:
    for _, value in zip(range(most), values, strict=False):
        yield value


def _parse(data: bytes, where: str) -> Any:
    if len(data) > MAX_LINE:
        raise RecordError(f"{where} is longer than {MAX_LINE >> 20} MiB: this is no record")
    try:
        return parse_json(data, unique=True)
    except ValueError as error:
        raise RecordError(f"{where} is no JSON: {error}") from error
