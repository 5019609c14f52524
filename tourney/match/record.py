"""The match record: what happened, and the digest that proves it is unchanged.

A record is JSON: strings, lists, objects and integers below 2**53 only; u64s are decimal strings. Its digest
is that of its RFC 8785 form, which ``Record.encode`` gives.
"""

import hashlib
import re
from collections.abc import Sequence
from typing import Annotated, Final, Literal, Self, cast, get_args

import msgspec
from msgspec import Meta, Struct

from tourney.errors import RecordError
from tourney.match.spec import (
    MAX_ACTIONS,
    MAX_MOVECOUNT,
    Entrant,
    Limits,
    MatchSpec,
    Opening,
    check_exact,
)
from tourney.parsing import parse_json
from tourney.prepared_types import prepared
from tourney.schema import (
    Count,
    Digest,
    GameName,
    SchemaError,
    Token,
    U64Text,
    Word,
    check_bits,
    check_range,
    read,
)

FORMAT: Final = "tourney-record/1"
MAX_SEATS: Final = 64  # of any game; tournaments have at most 4

FaultKind = Literal["startup", "illegal", "timeout", "crash", "protocol", "overflow"]
"""Why a bot lost a seat.

``startup``: it did not start, or was not ready in time. ``illegal``: its action is not legal. ``timeout``: it
used up its time. ``crash``: its process ended, or ran out of memory. ``protocol``: it sent a line that the
protocol does not allow. ``overflow``: it sent too much between two requests.
"""
FAULT_KINDS: Final[tuple[FaultKind, ...]] = get_args(FaultKind)
UNSURE_FAULTS: Final = ("timeout", "crash")
"""Faults that depend on more than the spec: a match with one is not promised to reproduce."""

Seat = Annotated[int, Meta(ge=1, le=MAX_SEATS)]
Fault = tuple[Seat, FaultKind, Count]  # the seat, its fault, and the number of actions played before it
Resignation = tuple[Seat, Count]  # the seat, and the number of actions played before it resigned
Score = Annotated[
    str, Meta(pattern=r"\A(0|-?[1-9][0-9]{0,11})\Z", description="Hundredths, as a decimal string.")
]
SeatScores = Annotated[tuple[Score, ...], Meta(max_length=MAX_MOVECOUNT)]


MAX_SCORE: Final = 10**12 - 1  # the most hundredths of a score; larger ones count as this
_SCORE: Final = re.compile(r"(?:\A| )score=([+-]?)([0-9]{1,300})(?:\.([0-9]{0,300}))?(?= |\Z)", re.ASCII)


def score_of(info: str) -> int | None:
    """The score of a bot's ``info`` line in hundredths, further decimals cut off; None without one.

    ``score=0.31`` is 31, ``score=-2`` is -200.
    """
    score = _SCORE.search(info)
    if score is None:
        return None
    value = min(int(score[2] + f"{score[3] or ''}00"[:2]), MAX_SCORE)
    return -value if score[1] == "-" else value


class Adjudication(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Why the referee ended a match: by which rule of its limits, and the scores on which that rests.

    ``scores`` holds two lists, for seats 1 and 2: the scores of the seat's last actions, the oldest first, or
    none where the rule does not look at that seat. A tablebase needs no scores.
    """

    rule: Literal["draw", "resign", "tablebase"]
    scores: Annotated[tuple[SeatScores, ...], Meta(min_length=2, max_length=2)] = ()


class Outcome(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """How a match ended.

    ``ranks`` per seat: 1 + the number of seats strictly better. ``reason`` is a word of the game's, or a
    ``Termination``. ``faults`` and ``resigned`` are in the order in which the seats were withdrawn.
    ``adjudication`` is there if the referee ended the match.
    """

    ranks: tuple[Seat, ...]
    reason: Word
    faults: tuple[Fault, ...]
    resigned: Annotated[tuple[Resignation, ...], Meta(min_length=1)] = ()
    adjudication: Adjudication | None = None

    @property
    def void(self) -> bool:
        """Whether the match counts for nothing: every seat failed at start-up."""
        return len({seat for seat, kind, _ in self.faults if kind == "startup"}) == len(self.ranks)

    @property
    def unsure_faults(self) -> frozenset[FaultKind]:
        """The kinds of its faults that need not come again if the match is replayed."""
        return frozenset(kind for _, kind, _ in self.faults if kind in UNSURE_FAULTS)

    @property
    def explained(self) -> frozenset[FaultKind]:
        """The unsure faults that measurements may name: a bot that fails at start-up crashed or was late."""
        started = all(kind != "startup" for _, kind, _ in self.faults)
        return self.unsure_faults if started else frozenset(UNSURE_FAULTS)

    @property
    def seat_faults(self) -> tuple[FaultKind | None, ...]:
        """Each seat's fault or None, in seat order."""
        kinds = {seat: kind for seat, kind, _ in self.faults}
        return tuple(kinds.get(seat) for seat in range(1, len(self.ranks) + 1))

    @classmethod
    def of_result(cls, ranks: tuple[int, ...], reason: str, seat_faults: Sequence[str | None]) -> Self:
        """The outcome of a match of which only the result is known, with each seat's fault or None."""
        faults = enumerate(seat_faults, start=1)
        return cls(ranks, reason, tuple((seat, cast("FaultKind", kind), 0) for seat, kind in faults if kind))


class Record(Struct, frozen=True, forbid_unknown_fields=True):
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
        check_bits("seed", self.seed)
        self.limits.check_fuel_keys()
        seats = len(self.seats)
        actions = len(self.actions)
        outcome = self.outcome
        # The place of a wrong actor is looked for only if there is one: a record has many actions.
        if max((actor for actor, _ in self.actions), default=0) > seats:
            for index, (actor, _) in enumerate(self.actions):
                check_range(("actions", index, 0), actor, 0, seats)
        if len(outcome.ranks) != seats:
            raise SchemaError(("outcome", "ranks"), f"has {len(outcome.ranks)} items, but must have {seats}")
        for index, rank in enumerate(outcome.ranks):
            check_range(("outcome", "ranks", index), rank, 1, seats)
        if any(rank != 1 + sum(better < rank for better in outcome.ranks) for rank in outcome.ranks):
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

    @property
    def spec(self) -> MatchSpec:
        """The spec of the match."""
        return MatchSpec(
            game=self.game,
            options=tuple(self.options.items()),
            seats=self.seats,
            seed=int(self.seed),
            limits=self.limits,
            opening=self.opening,
        )

    def encode(self) -> bytes:
        """The record in its RFC 8785 form."""
        return _encode(self)

    def content_digest(self) -> str:
        """The digest that the rest of the record gives."""
        text = _encode(self)
        # The key stands behind the actions, in whose strings every quote has a backslash before it.
        mark = b'"digest":"%s",' % self.digest.encode("ascii")
        return hashlib.sha256(text.replace(mark, b"", 1)).hexdigest()


# A record's keys are ASCII, and it has no floats: for such values msgspec writes the RFC 8785 form, much
# faster than the package ``rfc8785``. The structs omit the keys that a record has only where they are used.
_encode = msgspec.json.Encoder(order="sorted").encode
_decode = msgspec.json.Decoder(prepared(Record)).decode


def make_record(spec: MatchSpec, rules: str, actions: Sequence[tuple[int, str]], outcome: Outcome) -> Record:
    """The record of a match: the spec, the actions (actor 0 is chance) and the outcome."""
    parts: dict[str, object] = {
        "format": FORMAT,
        "game": spec.game,
        "rules": rules,
        "options": dict(spec.options),
        "seed": str(spec.seed),
        "opening": spec.opening,
        "seats": spec.seats,
        "limits": spec.limits,
        "actions": tuple(actions),
        "outcome": outcome,
    }
    digest = hashlib.sha256(_encode(parts)).hexdigest()
    return Record(**parts, digest=digest)  # type: ignore[arg-type]  # the parts have the types of their keys


MATCH_DOCUMENT: Final = "tourney-match/1"
"""The format of what ``tourney show --json`` prints: a record with all that is known beside it."""


def decode_record(text: bytes) -> Record:
    """The record of a JSON text; its form is checked, its digest is not. Raises RecordError."""
    try:
        record = _decode(text)
        if _encode(record) == text:
            # Nothing is missing, repeated or null: the encoder writes every key once.
            return record
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        pass  # the strict and slower reader says what is wrong, if anything is
    try:
        data = parse_json(text, unique=True)
    except ValueError as error:
        raise RecordError(f"this is not JSON: {error}") from error
    return read_record(data)


def read_record(data: object) -> Record:
    """The record of JSON data; its form is checked, its digest is not.

    Raises RecordError that names the key.
    """
    if isinstance(data, dict) and data.get("format") == MATCH_DOCUMENT:
        raise RecordError(
            "it is a document of `tourney show --json`; `tourney show MATCH --record` prints the record",
            key="format",
        )
    try:
        record = read(data, Record)
        check_exact(record, data)
    except SchemaError as error:
        raise RecordError(error.in_json("the record"), key=error.key) from error
    return record


def check_digest(record: Record) -> None:
    """Check that a record's digest fits its content. Raises RecordError.

    ``verify`` checks the content against the game's rules.
    """
    digest = record.content_digest()
    if digest != record.digest:
        raise RecordError(
            f"the record's digest is {record.digest[:16]}..., but its content gives {digest[:16]}...:"
            " it was changed after it was made"
        )


def check_record(data: object) -> Record:
    """The record of JSON data, once its form and its digest hold. Raises RecordError that names the key."""
    record = read_record(data)
    check_digest(record)
    return record


def opening_end(record: Record) -> int:
    """The last ply of the opening, 0 without one; chance is not counted in its length."""
    left = record.opening.length
    if not left:
        return 0
    for ply, (actor, _) in enumerate(record.actions, 1):
        left -= actor != 0
        if left == 0:
            return ply
    return len(record.actions)
