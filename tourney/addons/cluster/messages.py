"""The messages between coordinator and hosts, as JSON, and the check of a host's replies.

Matches travel in batches, which take one slot. The reply to each match is up to four lines of JSON: how it
went (``ReplyHead``), the record, the log and the measurements. The coordinator trusts no reply. The record
must be that of the match that was asked for, and follow from rules and dice; it is stored in a form made
here. What lies beside it cannot be proved, so it is bounded: times by the time that has passed, the promise
to reproduce by the record. Host and speed are those the coordinator knows.

Checking costs as much as a referee that plays the actions again, so a run that does much of it has a few
processes for it.
"""

import json
import math
import re
import time
from collections.abc import Sequence
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from typing import Annotated, Final, Literal, NamedTuple, TypeVar

import msgspec
from msgspec import Meta, Struct, structs

from tourney.check.record import verify
from tourney.errors import GameError, InputError, RecordError
from tourney.games.registry import find_game
from tourney.match.match_memory import MatchMemory
from tourney.match.record import Record, decode_record
from tourney.match.result import (
    MAX_CHARS,
    MAX_LINES,
    Cause,
    LogLine,
    Measurements,
    PlayedMatch,
    SandboxMeasurements,
    SeatMeasurements,
)
from tourney.match.runner import bot_doubts
from tourney.match.spec import MatchSpec
from tourney.parsing import parse_json
from tourney.prepared_types import prepared
from tourney.run.workers.executor import Blame, MatchTask, WorkerReply
from tourney.schema import Digest, SandboxLevel
from tourney.spawning import WorkerContext, default_processes, when_orphaned
from tourney.texts import legible

MAX_REPLY: Final = 64 << 20
"""Bytes of the longest reply that is read, to a match or to a batch: the length of the longest record."""
MAX_IDLE: Final = 100  # bytes of the reply to a match that was not begun
REPLY_LINES: Final = 4  # head, record, log, measurements
MAX_HEAD: Final = 16 << 20  # bytes of an answer that is not a reply to matches: names and reasons only
MAX_NOTES: Final = 10_000  # of the referee in a log; a hostile host could send any number
INLINE_SECONDS: Final = 1.0
"""The processor time that a run checks by itself, before it starts processes for that."""
MAX_PROCESSES: Final = 8
_STARTED: Final = re.compile(r"[0-9T:+.Z-]{0,40}", re.ASCII)
_SLACK_MS: Final = 2_000  # how far a host's clock may run ahead in one match

T = TypeVar("T")

Words = Annotated[str, Meta(max_length=2000)]
Short = Annotated[str, Meta(max_length=200)]


class RequestedMatch(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A match to play: its number and its spec. ``absent`` is that of ``MatchTask``."""

    number: int
    spec: MatchSpec
    absent: dict[str, str] = {}


class BatchRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """Matches to play in turn, for a host with ``slots`` workers that each have ``cpus`` processors.

    ``session`` names the coordinator's run: a host ends the workers of an earlier one.
    """

    session: str
    slots: int
    cpus: int
    sandbox: SandboxLevel
    reuse: bool
    matches: tuple[RequestedMatch, ...]

    def tasks(self, bots: str) -> list[MatchTask]:
        """The tasks for a worker of a host whose bot store is the folder ``bots``."""
        return [
            MatchTask(request.number, request.spec, bots, self.sandbox, self.reuse, absent=request.absent)
            for request in self.matches
        ]


class Question(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A question or an order beside the matches, which a host answers at once.

    ``about``: what are you (``HostInfo``)? ``room``: how many matches that need this ``memory`` fit into
    yours (``RoomAnswer``)? ``bots``: which of the ``digests`` can you not play (``BotsAnswer``)? ``add``:
    take the bot of the one digest, whose files come beside this as a zip. ``drain``: start no further match.
    ``end``: end the workers with their bots.
    """

    kind: Literal["about", "room", "bots", "add", "drain", "end"]
    session: str
    game: str = ""
    sandbox: SandboxLevel = "auto"
    digests: tuple[str, ...] = ()
    memory: MatchMemory | None = None


class HostInfo(Struct, frozen=True):
    """A host: the facts that make its results and its containment comparable with other hosts'.

    ``cores`` says whether the rules are compiled. ``problem``: why it cannot play, or "".
    """

    host: Short = ""
    version: Short = ""
    rules: Short = ""
    python: Short = ""
    cores: Short = ""
    sandbox: Words = ""
    contained: bool = False
    speed: Annotated[int, Meta(ge=0, le=10_000_000)] = 0
    problem: Words = ""


class RoomAnswer(Struct, frozen=True):
    """The matches that fit into a host's memory at a time; None if unknown, 0 with the ``problem``."""

    matches: Annotated[int, Meta(ge=0, le=1_000_000)] | None = None
    problem: Words = ""


class BotsAnswer(Struct, frozen=True):
    """The bots that a host lacks, and those that it cannot build, each with the reason."""

    missing: Annotated[tuple[Digest, ...], Meta(max_length=100_000)] = ()
    broken: Annotated[dict[Digest, Words], Meta(max_length=100_000)] = {}
    problem: Words = ""


class ReplyHead(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """How a match went: ``played``, ``failed`` (see ``WorkerReply``), ``unusable`` bot or spec, not begun.

    ``ms`` is the time that it took the host, with the start of its bots: the length of batches follows it.
    """

    number: int
    end: Literal["played", "failed", "unusable", "idle"]
    why: str = ""
    cause: Cause = "machine"
    ms: Annotated[int, Meta(ge=0, le=1 << 40)] = 0
    blame: Blame | None = None


class ReplyParts(Struct, frozen=True):
    """A reply as it came: its head, and the JSON texts of a match that was played."""

    head: ReplyHead
    record: bytes = b""
    log: bytes = b""
    measured: bytes = b""


class InvalidReplyError(Exception):
    """A host sent something that no Tourney sends; the message goes on after the host's name."""


def encode(value: Struct) -> bytes:
    """A request or an answer as one line of JSON."""
    return json.dumps(msgspec.to_builtins(value), separators=(",", ":")).encode("ascii")


def decode(data: bytes, kind: type[T], *, most: int = MAX_HEAD, what: str = "what") -> T:
    """A value of this kind. Raises InvalidReplyError, which says ``what`` cannot be read."""
    if len(data) > most:
        raise InvalidReplyError(f"sent {len(data):,} bytes where {most:,} are the most")
    try:
        return msgspec.convert(parse_json(data, unique=True), prepared(kind))
    except (ValueError, TypeError) as error:
        raise InvalidReplyError(f"sent {what} cannot be read: {str(error)[:300]}") from error


def reply_of(reply: WorkerReply | InputError, number: int, ms: int = 0) -> bytes:
    """The reply of a host to a match that took it ``ms`` milliseconds."""
    if isinstance(reply, InputError):
        return encode(ReplyHead(number, "unusable", str(reply)[:2000]))
    if reply.failure is not None:
        return encode(ReplyHead(number, "failed", reply.failure[:2000], reply.cause, blame=reply.blame))
    if reply.played is None:
        return encode(ReplyHead(number, "idle"))
    lines = [text or b"" for text in reply.played.texts]
    return b"\n".join([encode(ReplyHead(number, "played", ms=ms)), *lines])


def join_replies(replies: Sequence[bytes], numbers: Sequence[int]) -> bytes:
    """The reply to a batch; matches that would make it too long count as not begun, and are replayed."""
    size = 0
    joined: list[bytes] = []
    for reply, number in zip(replies, numbers, strict=True):
        size += len(reply) + 1
        # The first one travels always: without the others it would have the same length.
        joined.append(reply if size <= MAX_REPLY or not joined else encode(ReplyHead(number, "idle")))
    return b"\n".join(joined)


def read_replies(data: object, count: int) -> list[ReplyParts]:
    """The parts of the replies to ``count`` matches. Raises InvalidReplyError."""
    if not isinstance(data, bytes):
        raise InvalidReplyError(f"sent a reply of the type {type(data).__name__[:60]}, not bytes")
    most = MAX_REPLY + count * MAX_IDLE
    if len(data) > most:
        raise InvalidReplyError(f"sent a reply of {len(data):,} bytes; the longest has {most:,}")
    # No more parts than a valid reply has: one of newlines alone would otherwise fill the memory.
    lines = data.split(b"\n", REPLY_LINES * count)
    replies: list[ReplyParts] = []
    at = 0
    while at < len(lines) and len(replies) < count:
        head = decode(lines[at], ReplyHead)
        head = structs.replace(head, why=one_line(head.why))
        end = at + (REPLY_LINES if head.end == "played" else 1)
        if end > len(lines):
            break
        replies.append(ReplyParts(head, *lines[at + 1 : end]))
        at = end
    if len(replies) != count or at != len(lines):
        raise InvalidReplyError(f"sent a reply of {len(lines)} lines to {count} matches")
    return replies


def one_line(text: str) -> str:
    """A text of bounded length without control characters."""
    return legible(text, " ")[:400]


# -- the check ----------------------------------------------------------------------------------------------


class CheckedReply(NamedTuple):
    """A reply that was checked: how a match went, and as it may be stored if it was played."""

    head: ReplyHead
    played: PlayedMatch | None


class ReplySource(NamedTuple):
    """Where a reply comes from: its host, the host's speed, and the milliseconds since it was asked."""

    host: str
    speed: int
    elapsed_ms: int


class ReplyChecker:
    """Checks replies in this thread, and once that has taken INLINE_SECONDS, in processes of its own."""

    def __init__(self) -> None:
        self._used = 0.0
        self._pool: ProcessPoolExecutor | None = None

    def check(
        self, data: object, tasks: Sequence[MatchTask], source: ReplySource
    ) -> "Future[list[CheckedReply]]":
        """Check the reply to a batch; the future's exception is that of ``check_replies``.

        It is a BrokenExecutor where a process ended, perhaps by this reply.
        """
        if isinstance(data, bytes) and self._used >= INLINE_SECONDS:
            return self._send(data, tasks, source)
        checked: Future[list[CheckedReply]] = Future()
        started = time.thread_time()
        try:
            checked.set_result(check_replies(data, tasks, source))
        except InvalidReplyError as error:
            checked.set_exception(error)
        self._used += time.thread_time() - started
        return checked

    def _send(
        self, data: bytes, tasks: Sequence[MatchTask], source: ReplySource
    ) -> "Future[list[CheckedReply]]":
        if self._pool is None:
            count = max(1, min(MAX_PROCESSES, default_processes() - 1))
            self._pool = ProcessPoolExecutor(count, mp_context=WorkerContext(), initializer=when_orphaned)
        try:
            return self._pool.submit(check_replies, data, tasks, source)
        except BrokenExecutor:  # by an earlier reply; this one gets new processes
            self._pool.shutdown(wait=False)
            self._pool = None
            return self._send(data, tasks, source)

    def close(self) -> None:
        """End the processes."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)


def check_replies(data: object, tasks: Sequence[MatchTask], source: ReplySource) -> list[CheckedReply]:
    """The checked replies to a batch. Raises InvalidReplyError."""
    checked = []
    waited = 0
    for parts, task in zip(read_replies(data, len(tasks)), tasks, strict=True):
        if parts.head.number != task.number:
            raise InvalidReplyError(f"answered for match {parts.head.number}, not {task.number}")
        played = check_match(parts, task, source) if parts.head.end == "played" else None
        waited += 0 if played is None else _timed_out_ms(played)
        checked.append(CheckedReply(parts.head, played))
    if waited > source.elapsed_ms:  # the matches of a batch are played in turn
        raise InvalidReplyError(
            f"sent time-outs that take {waited:,} ms by their limits, in {source.elapsed_ms:,} ms"
        )
    return checked


def _timed_out_ms(played: PlayedMatch) -> int:
    """The least time of a match by its time-outs, in milliseconds. Raises InvalidReplyError if one is short.

    A seat that times out has used its limit for an action or its clock. Under ``charge = "cpu"`` several
    processors may do so in less time.
    """
    limits = played.record.limits
    seats = played.measured.seats
    least = min((ms for ms in (limits.move_ms, limits.clock_ms) if ms is not None), default=0)
    late = [seat for seat, kind, _ in played.outcome.faults if kind == "timeout"]
    if not late or limits.by_fuel or find_game(played.record.game).outside:
        return 0
    for seat in late:
        usage = seats[seat - 1] if seats else SeatMeasurements(0, 0)
        taken = usage.wall_ms if limits.charge == "wall" else max(usage.wall_ms, usage.cpu_ms or 0)
        if taken < least:
            raise InvalidReplyError(f"sent a time-out after {taken:g} ms, where the limit is {least:,} ms")
    return least * len(late) if limits.charge == "wall" else 0


def check_match(parts: ReplyParts, task: MatchTask, source: ReplySource) -> PlayedMatch:
    """The match of a reply, as it may be stored. Raises InvalidReplyError with the reason."""
    try:
        record = decode_record(parts.record)
    except RecordError as error:
        raise InvalidReplyError(f"sent what is not a record: {str(error)[:300]}") from error
    if why := other_match(record, task.spec):
        raise InvalidReplyError(f"sent the record of another match: {why}")
    try:
        findings = verify(record)
    except GameError as error:
        raise InvalidReplyError(f"sent a record that cannot be verified: {error}") from error
    if findings:
        raise InvalidReplyError(f"sent a wrong record: {str(findings[0])[:300]}")
    measured = _measured(parts.measured, record, source.elapsed_ms)
    # Why it need not come out the same again, by this store: a match by fuel always does.
    unsure = set() if task.spec.limits.by_fuel else set(record.outcome.unsure_faults)
    why_not = tuple(sorted({*unsure, *bot_doubts(task.bots, task.spec), *["reuse"] * task.reuse}))
    measured = structs.replace(
        measured, host=source.host, speed=source.speed, reproducible=not why_not, why_not=why_not
    )
    played = PlayedMatch(record, _log(parts.log, record), measured)
    if task.luck:
        played.find_luck()
    return played


def other_match(record: Record, spec: MatchSpec) -> str:
    """The first respect in which a record is not of a spec's match, or ""."""
    claimed = record.spec
    _, options = find_game(spec.game).settings(len(spec.seats), dict(spec.options))
    for what, claim, asked in (
        ("game", claimed.game, spec.game),
        ("options", sorted(claimed.options), sorted(options.items())),
        ("seats", claimed.seats, spec.seats),
        ("seed", claimed.seed, spec.seed),
        ("limits", claimed.limits, spec.limits),
        ("opening", claimed.opening, spec.opening),
    ):
        if claim != asked:
            return f"its {what} differ" if what in ("options", "seats", "limits") else f"its {what} differs"
    return ""


def _measured(text: bytes, record: Record, elapsed_ms: int) -> Measurements:
    measured = decode(text, Measurements, most=MAX_REPLY, what="measurements that")
    most = elapsed_ms + _SLACK_MS
    seats = len(record.seats)
    times = [measured.wall_ms or 0, *(time for time in measured.times_ms if time is not None)]
    for seat in measured.seats:
        times += [seat.wall_ms, seat.waited_ms]
        cpu = seat.cpu_ms or 0
        if not (math.isfinite(cpu) and 0 <= cpu <= most * 4096):  # no machine has more processors
            raise InvalidReplyError(f"sent an impossible CPU time, {cpu:g} ms in {elapsed_ms:,} ms")
        if not 0 <= seat.overloaded_turns <= seat.turns <= len(record.actions) + 2:
            raise InvalidReplyError("sent an impossible number of turns")
    for ms in times:
        if not (math.isfinite(ms) and 0 <= ms <= most):
            raise InvalidReplyError(f"sent an impossible time, {ms:g} ms in {elapsed_ms:,} ms")
    if len(measured.times_ms) not in (0, len(record.actions)) or len(measured.seats) not in (0, seats):
        raise InvalidReplyError("sent measurements of another match")
    box = measured.sandbox or SandboxMeasurements()
    words = (box.level, box.kind, *box.protections, *box.protections.values())
    if len(words) > 200 or any(len(word) > 60 or not word.isprintable() for word in words):
        raise InvalidReplyError("sent an impossible description of its sandbox")
    if not _STARTED.fullmatch(measured.started):
        raise InvalidReplyError(f"sent an impossible start, {measured.started[:40]!r}")
    return measured


def _log(text: bytes, record: Record) -> tuple[LogLine, ...]:
    """The log, within the bounds that every log keeps."""
    if not text:
        return ()
    lines = decode(text, tuple[LogLine, ...], most=MAX_REPLY, what="a log that")
    seats = len(record.seats)
    actions = len(record.actions)
    if not all(0 <= line.seat <= seats and 0 <= line.ply <= actions for line in lines):
        raise InvalidReplyError("sent a log line of no seat or of no action")
    notes = [line for line in lines if line.kind == "note"]
    if any(len(note.text) > 2000 for note in notes):
        raise InvalidReplyError("sent a note that is too long")
    for seat in range(seats + 1):
        lengths = [len(line.text) for line in lines if line.seat == seat and line.kind != "note"]
        if len(notes) > MAX_NOTES or len(lengths) > MAX_LINES or sum(lengths) > MAX_CHARS:
            raise InvalidReplyError("sent a log that is too long")
    return lines
