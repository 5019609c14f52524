"""What coordinator and hosts send to each other: requests and replies as JSON, never as Python objects.

Matches travel in batches, which take one slot. The reply to each match is up to four lines of JSON: how it
went (``ReplyHead``), the record, the log and the measurements. The coordinator trusts no reply:
``read_replies`` checks its form, ``tourney.run.workers.reply_check`` its content.
"""

import json
from collections.abc import Sequence
from typing import Annotated, Final, Literal, TypeVar

import msgspec
from msgspec import Meta, Struct

from tourney.bots.sandbox.sandbox import Level
from tourney.errors import InputError
from tourney.match.spec import MatchSpec
from tourney.parsing import parse_json
from tourney.run.workers.executor import Cause, MatchTask, WorkerReply
from tourney.schema import Digest

MAX_REPLY: Final = 64 << 20
"""Bytes of the longest reply that is read, to a match or to a batch: the length of the longest record."""
MAX_IDLE: Final = 100
"""Bytes of the reply to a match that was not begun."""
MAX_LINES: Final = 4
MAX_HEAD: Final = 16 << 20

S = TypeVar("S", bound=Struct)

Words = Annotated[str, Meta(max_length=2000)]
Short = Annotated[str, Meta(max_length=200)]


class RequestedMatch(Struct, frozen=True, forbid_unknown_fields=True):
    """A match to play: its number and its spec."""

    number: int
    spec: MatchSpec


class BatchRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """Matches to play in turn, for a host with ``slots`` workers that each have ``cpus`` processors.

    ``session`` names the coordinator's run: a host ends the workers of an earlier one.
    """

    session: str
    slots: int
    cpus: int
    sandbox: Level
    reuse: bool
    matches: tuple[RequestedMatch, ...]

    def tasks(self, bots: str) -> list[MatchTask]:
        """The tasks for a worker of a host whose bot store is the folder ``bots``."""
        return [MatchTask(one.number, one.spec, bots, self.sandbox, self.reuse) for one in self.matches]


class Question(Struct, frozen=True, forbid_unknown_fields=True):
    """A question or an order beside the matches, which a host answers at once.

    ``about``: what are you (``HostInfo``)? ``bots``: which of the ``digests`` can you not play
    (``BotsAnswer``)? ``add``: take the bot of the one digest, whose files come beside this as a zip.
    ``drain``: start no further match. ``end``: end the workers with their bots.
    """

    kind: Literal["about", "bots", "add", "drain", "end"]
    session: str
    game: str = ""
    sandbox: Level = "auto"
    digests: tuple[str, ...] = ()


class HostInfo(Struct, frozen=True):
    """A host: what decides whether its results and its containment equal those of others.

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


class BotsAnswer(Struct, frozen=True):
    """The bots that a host lacks, and those that it cannot build, each with the reason."""

    missing: Annotated[tuple[Digest, ...], Meta(max_length=100_000)] = ()
    broken: Annotated[dict[Digest, Words], Meta(max_length=100_000)] = {}
    problem: Words = ""


class ReplyHead(Struct, frozen=True, forbid_unknown_fields=True):
    """How a match went: ``played``, ``failed`` (see ``WorkerReply``), ``unusable`` bot or spec, not begun.

    ``ms`` is the time that it took the host, with the start of its bots: the length of batches follows it.
    """

    number: int
    end: Literal["played", "failed", "unusable", "idle"]
    why: str = ""
    cause: Cause = "machine"
    ms: Annotated[int, Meta(ge=0, le=1 << 40)] = 0


class ReplyParts(Struct, frozen=True):
    """A reply as it came: its head, and the JSON texts of a match that was played."""

    head: ReplyHead
    record: bytes = b""
    log: bytes = b""
    measured: bytes = b""


class InvalidReplyError(Exception):
    """A host sent what no host of Tourney sends; the message goes on after the host's name."""


def encode(value: Struct) -> bytes:
    """A request or an answer as one line of JSON."""
    return json.dumps(msgspec.to_builtins(value), separators=(",", ":")).encode("ascii")


def play_request(tasks: Sequence[MatchTask], *, session: str, slots: int, cpus: int) -> bytes:
    """The request for matches of one run."""
    first = tasks[0]
    asked = tuple(RequestedMatch(task.number, task.spec) for task in tasks)
    return encode(BatchRequest(session, slots, cpus, first.sandbox, first.reuse, asked))


def decode(data: bytes, kind: type[S], *, most: int = MAX_HEAD) -> S:
    """A value of this kind. Raises InvalidReplyError."""
    if len(data) > most:
        raise InvalidReplyError(f"sent {len(data):,} bytes where {most:,} are the most")
    try:
        return msgspec.convert(parse_json(data, unique=True), kind)
    except (ValueError, TypeError) as error:
        raise InvalidReplyError(f"sent what cannot be read: {str(error)[:200]}") from error


def reply_of(reply: WorkerReply | InputError, number: int, ms: int = 0) -> bytes:
    """What a host sends as the reply to a match that took it ``ms`` milliseconds."""
    if isinstance(reply, InputError):
        return encode(ReplyHead(number, "unusable", str(reply)[:2000]))
    if reply.failure is not None:
        return encode(ReplyHead(number, "failed", reply.failure[:2000], reply.cause))
    if reply.played is None:
        return encode(ReplyHead(number, "idle"))
    lines = [text or b"" for text in reply.played.texts]
    return b"\n".join([encode(ReplyHead(number, "played", ms=ms)), *lines])


def join_replies(replies: Sequence[bytes], numbers: Sequence[int]) -> bytes:
    """The reply to a batch: what makes it too long counts as not begun, and is played again."""
    size = 0
    joined: list[bytes] = []
    for reply, number in zip(replies, numbers, strict=True):
        size += len(reply) + 1
        joined.append(reply if size <= MAX_REPLY or not joined else encode(ReplyHead(number, "idle")))
    return b"\n".join(joined)


def read_replies(data: object, count: int) -> list[ReplyParts]:
    """The parts of the replies to ``count`` matches. Raises InvalidReplyError."""
    if not isinstance(data, bytes):
        raise InvalidReplyError(f"sent a reply of the type {type(data).__name__[:60]}, not bytes")
    most = MAX_REPLY + count * MAX_IDLE
    if len(data) > most:
        raise InvalidReplyError(f"sent a reply of {len(data):,} bytes; the longest has {most:,}")
    lines = data.split(b"\n", MAX_LINES * count)
    found: list[ReplyParts] = []
    at = 0
    while at < len(lines) and len(found) < count:
        head = decode(lines[at], ReplyHead)
        head = msgspec.structs.replace(head, why=_one_line(head.why))
        end = at + (MAX_LINES if head.end == "played" else 1)
        if end > len(lines):
            break
        found.append(ReplyParts(head, *lines[at + 1 : end]))
        at = end
    if len(found) != count or at != len(lines):
        raise InvalidReplyError(f"sent a reply of {len(lines)} lines to {count} matches")
    return found


def _one_line(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text)[:400]
