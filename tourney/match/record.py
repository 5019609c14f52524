"""The match record: what happened, and the digest that proves it is unchanged; and files of records.

A record is JSON: strings, lists, objects and integers below 2**53 only; u64s are decimal strings.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Final, Literal, get_args

import msgspec
import rfc8785
from msgspec import Meta, Struct

from tourney.compression import reading
from tourney.errors import RecordError
from tourney.match.spec import MAX_ACTIONS, MAX_MOVECOUNT, Entrant, Limits, MatchSpec, Opening
from tourney.parsing import depth_exceeds, is_shallow, parse_json
from tourney.schema import (
    Count,
    Digest,
    GameName,
    SchemaError,
    Token,
    U64Text,
    Word,
    check_range,
    check_u64,
    read,
)

FORMAT: Final = "tourney-record/1"
MAX_SEATS: Final = 64

FaultKind = Literal["startup", "illegal", "timeout", "crash", "protocol", "overflow"]
"""Why a bot lost a seat.

``startup``: it did not start, or was not ready in time. ``illegal``: its action is not legal. ``timeout``: it
used up its time. ``crash``: its process ended, or ran out of memory. ``protocol``: it sent a line that the
protocol does not allow. ``overflow``: it sent too much between two requests.
"""
FAULT_KINDS: Final[tuple[FaultKind, ...]] = get_args(FaultKind)

Record = dict[str, Any]
"""A record as JSON data, of the form of ``RecordForm``: made by ``make_record``, read by ``check_record``."""

Seat = Annotated[int, Meta(ge=1, le=MAX_SEATS)]
Fault = tuple[Seat, FaultKind, Count]
"""The seat, its fault, and the number of actions played before it."""
Resignation = tuple[Seat, Count]
"""The seat, and the number of actions played before it resigned."""
Score = Annotated[
    str, Meta(pattern=r"\A(0|-?[1-9][0-9]{0,11})\Z", description="Hundredths, as a decimal string.")
]
SeatScores = Annotated[tuple[Score, ...], Meta(max_length=MAX_MOVECOUNT)]


class Adjudication(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Why the referee ended a match: by which rule of its limits, and the scores on which that rests.

    ``scores`` holds two lists, for seats 1 and 2: the scores of the seat's last actions, the oldest first, or
    none where the rule does not look at that seat. A tablebase needs no scores.
    """

    rule: Literal["draw", "resign", "tablebase"]
    scores: Annotated[tuple[SeatScores, ...], Meta(min_length=2, max_length=2)] = ()

    def as_json(self) -> dict[str, Any]:
        """Return the outcome's ``adjudication``."""
        data: dict[str, Any] = {"rule": self.rule}
        if self.scores:
            data["scores"] = [list(scores) for scores in self.scores]
        return data


class Outcome(Struct, frozen=True, forbid_unknown_fields=True):
    """How a match ended.

    ``ranks`` per seat: 1 + the number of seats strictly better. ``reason`` is a word of the game's, or a
    ``Termination``. ``faults`` and ``resigned`` are in the order in which the seats were withdrawn.
    ``adjudication`` is there if the referee ended the match.
    """

    ranks: tuple[Seat, ...]
    reason: Word
    faults: tuple[Fault, ...] = ()
    resigned: Annotated[tuple[Resignation, ...], Meta(min_length=1)] = ()
    adjudication: Adjudication | None = None

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
        if self.adjudication is not None:
            data["adjudication"] = self.adjudication.as_json()
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Outcome":
        """Return what ``as_json`` wrote; other keys are ignored. Raises SchemaError."""
        own = {key: data[key] for key in cls.__struct_fields__ if key in data}
        return read(own, cls, needed=("faults",), at=("outcome",))


class RecordForm(Struct, frozen=True, forbid_unknown_fields=True):
    """A match record: the match spec, the actions played, the outcome, and the digest of all of these."""

    format: Literal["tourney-record/1"]
    game: GameName
    rules: Annotated[Token, Meta(description="The version of the game's rules.")]
    options: Annotated[dict[Token, Token], Meta(description="All options of the game.")]
    seed: U64Text
    opening: Annotated[Opening, Meta(extra_json_schema={"minProperties": 1, "maxProperties": 1})]
    seats: Annotated[tuple[Entrant, ...], Meta(min_length=1, max_length=MAX_SEATS)]
    limits: Limits
    actions: Annotated[
        tuple[tuple[Annotated[int, Meta(ge=0, le=MAX_SEATS)], Token], ...],
        Meta(max_length=MAX_ACTIONS, description="Actor (a seat from 1; 0 is chance) and action, in order."),
    ]
    outcome: Outcome
    digest: Annotated[
        Digest, Meta(description="SHA-256, in hex, of the RFC 8785 form of the record without its digest.")
    ]

    def __post_init__(self) -> None:
        """Check what depends on more than one field. Raises SchemaError."""
        check_u64("seed", self.seed)
        seats, actions, outcome = len(self.seats), len(self.actions), self.outcome
        if max((actor for actor, _ in self.actions), default=0) > seats:
            for index, (actor, _) in enumerate(self.actions):
                check_range(("actions", index, 0), actor, 0, seats)
        if len(outcome.ranks) != seats:
            raise SchemaError(("outcome", "ranks"), f"has {len(outcome.ranks)} items, but must have {seats}")
        for index, rank in enumerate(outcome.ranks):
            check_range(("outcome", "ranks", index), rank, 1, seats)
        if any(rank != 1 + sum(other < rank for other in outcome.ranks) for rank in outcome.ranks):
            raise SchemaError(
                ("outcome", "ranks"),
                f"is {list(outcome.ranks)}: a rank is 1 plus the number of seats strictly better",
            )
        left = [("faults", index, seat, count) for index, (seat, _, count) in enumerate(outcome.faults)]
        left += [("resigned", index, seat, count) for index, (seat, count) in enumerate(outcome.resigned)]
        for key, index, seat, count in left:
            check_range(("outcome", key, index, 0), seat, 1, seats)
            check_range(("outcome", key, index, 2 if key == "faults" else 1), count, 0, actions)
        if len({seat for _, _, seat, _ in left}) < len(left):
            raise SchemaError(("outcome",), "withdraws a seat twice, in faults or resigned")
        if (outcome.adjudication is None) == (outcome.reason == "adjudication"):
            raise SchemaError(("outcome",), "must have the key adjudication exactly with that reason")


_compact = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode


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
        "seats": msgspec.to_builtins(seats),
        "seed": 0,
    }
    # A quote inside a string is escaped, so these are the keys themselves.
    head, mark, tail = canonical(record).partition(b'"outcome":')
    return head[1:] + mark, tail[1:-2]


def check_record(data: object) -> Record:
    """Return a record read from outside once its shape and its digest hold.

    Raises RecordError that names the key. ``verify`` checks it against the game's rules.
    """
    return check_written(data)[0]


def check_written(data: object) -> tuple[Record, bytes]:
    """Return a record as ``check_record`` does, and its RFC 8785 form, which gives the digest."""
    record = check_shape(data)
    # Of such strings and keys msgspec writes the same text, in a fifth of the time.
    plain = all(key.isascii() for key in record["options"])
    text = msgspec.json.encode(record, order="sorted") if plain else canonical(record)
    # The key stands behind the actions, in whose strings every quote has a backslash before it.
    mark = b'"digest":"%s",' % record["digest"].encode("ascii")
    digest = hashlib.sha256(text.replace(mark, b"", 1)).hexdigest()
    if digest != record["digest"]:
        raise RecordError(
            f"the record's digest is {record['digest'][:16]}..., but its content gives {digest[:16]}...:"
            " it was changed after it was made"
        )
    return record, text


def check_shape(data: object) -> Record:
    """Return a record read from outside once it is of the form; its digest is left unchecked."""
    try:
        read(data, RecordForm)
        assert isinstance(data, dict)  # noqa: S101 - for the type checker: it has just been read as an object
        _check_nested(data)
    except SchemaError as error:
        raise RecordError(error.in_json("the record"), key=error.key) from error
    return data


def _check_nested(data: Record) -> None:
    """Check what the parts of a record ask for beyond their types. Raises SchemaError."""
    Outcome.from_json(data["outcome"])
    Limits.from_json(data["limits"])
    Opening.from_json(data["opening"])


_form = msgspec.json.Decoder(RecordForm)


def parse_sound_record(text: bytes) -> Record | None:
    """Return a record from its JSON, checked as by ``parse_json`` and ``check_shape``, in less time.

    None if anything is unusual: these functions then say what is wrong, or that nothing is.
    """
    try:
        _form.decode(text)
        data: Record = msgspec.json.decode(text)
        if depth_exceeds({**data, "actions": []}):
            return None
        _check_nested(data)
    except (msgspec.MsgspecError, SchemaError, UnicodeError, RecursionError):
        return None
    return data


def spec_of(record: Record) -> MatchSpec:
    """Return the spec of the match of a checked record."""
    return MatchSpec(
        game=record["game"],
        options=tuple(record["options"].items()),
        seats=msgspec.convert(record["seats"], tuple[Entrant, ...]),
        seed=int(record["seed"]),
        limits=Limits.from_json(record["limits"]),
        opening=Opening.from_json(record["opening"]),
    )


MAX_LINE: Final = 64 * 1024 * 1024
"""Bytes of the longest record that is read."""

_GOES_ON = (b"{", b"[", b",", b":")
"""How a first line ends whose value goes on in the next; JSON by itself ends with none of them."""


def read_json_lines(path: Path, name: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the JSON values of a file with their places, as ``FILE line N``; empty lines are passed over.

    A file that holds one value over many lines gives that value; it may be compressed (.gz, .zst). ``name``
    is the file's name in places (default: its path). Raises RecordError for what is no JSON, InputError for a
    damaged compressed file, and OSError where the file cannot be read.
    """
    name = name or str(path)
    with reading(path, name) as file:
        first = file.readline(MAX_LINE + 1)
        if first.rstrip().endswith(_GOES_ON):
            yield name, _parse(first + file.read(MAX_LINE + 1 - len(first)), name)
            return
        number, line = 1, first
        while line:
            if line.strip():
                where = f"{name} line {number}"
                yield where, _parse(line.rstrip(), where)
            number, line = number + 1, file.readline(MAX_LINE + 1)


def read_record(path: Path) -> Any:
    """Return the JSON value of a file that holds exactly one. Raises RecordError, OSError."""
    values = [value for _, value in islice(read_json_lines(path), 2)]
    if len(values) != 1:
        raise RecordError(
            f"{path} holds {'more than one record' if values else 'no record'}; one is wanted here"
        )
    return values[0]


def _parse(data: bytes, where: str) -> Any:
    if len(data) > MAX_LINE:
        raise RecordError(f"{where} is longer than {MAX_LINE >> 20} MiB: this is no record")
    with suppress(msgspec.MsgspecError, UnicodeError, OverflowError, RecursionError):
        value = msgspec.json.decode(data)
        # What it is written as again has each key once, and nothing else that JSON does not know.
        if msgspec.json.encode(value, order="sorted") == data and (
            is_shallow(data) or not depth_exceeds(value)
        ):
            return value
    try:
        return parse_json(data, unique=True)
    except ValueError as error:
        raise RecordError(f"{where} is no JSON: {error}") from error
