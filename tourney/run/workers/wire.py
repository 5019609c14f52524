"""What coordinator and hosts send to each other: requests and replies as JSON, never as Python objects.

Matches travel in batches, which take one slot. The reply to each match is up to four lines of JSON: how it
went (``Played``), the record, the log and the measurements. The coordinator trusts no reply: ``read_replies``
gives its form, ``tourney.run.workers.checking`` judges its content.
"""

import json
import zlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Struct

from tourney.bots.sandbox.base import Level
from tourney.errors import InputError
from tourney.match.again import FIRST, Again, Kept
from tourney.match.result import Packed
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

Words = Annotated[str, Meta(max_length=2000)]
Short = Annotated[str, Meta(max_length=200)]


class AskedMatch(Struct, frozen=True, forbid_unknown_fields=True):
    """A match to play: its number, its spec, and what is kept of it."""

    number: int
    spec: MatchSpec
    again: Again = FIRST


class PlayRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """Matches to play in turn, for a host with ``slots`` workers that each have ``cpus`` processors.

    ``session`` names the coordinator's run: a host ends the workers of an earlier one.
    """

    session: str
    slots: int
    cpus: int
    sandbox: Level
    reuse: bool
    matches: tuple[AskedMatch, ...]

    def tasks(self, bots: str) -> list[MatchTask]:
        """Return the tasks for a worker of a host whose bot store is the folder ``bots``."""
        return [
            MatchTask(one.number, one.spec, bots, self.sandbox, self.reuse, again=one.again)
            for one in self.matches
        ]


class Question(Struct, frozen=True, forbid_unknown_fields=True):
    """A question or an order beside the matches, which a host answers at once.

    ``about``: what are you (``About``)? ``bots``: which of the ``digests`` can you not play (``BotsAnswer``)?
    ``add``: take the bot of the one digest, whose files come beside this as a zip. ``drain``: start no
    further match. ``end``: end the workers with their bots.
    """

    kind: Literal["about", "bots", "add", "drain", "end"]
    session: str
    game: str = ""
    sandbox: Level = "auto"
    digests: tuple[str, ...] = ()


class About(Struct, frozen=True):
    """A host: what decides whether its results and its containment equal those of others.

    ``cores`` says whether rules for search are compiled. ``problem``: why it cannot play, or "".
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


class Played(Struct, frozen=True, forbid_unknown_fields=True):
    """How a match went: ``played``, ``failed`` (see ``WorkerReply``), ``unusable`` bot or spec, not begun.

    ``ms`` is the time that it took the host, with the start of its bots: the length of batches follows it.
    """

    number: int
    end: Literal["played", "failed", "unusable", "idle"]
    why: str = ""
    cause: Cause = "machine"
    seat: Annotated[int, Meta(ge=0, le=64)] = 0
    kept: Kept | None = None
    ms: Annotated[int, Meta(ge=0, le=1 << 40)] = 0


class Parts(Struct, frozen=True):
    """A reply as it came: its head, and the JSON texts of a match that was played."""

    head: Played
    record: bytes = b""
    log: bytes = b""
    measured: bytes = b""


class WrongReplyError(Exception):
    """A host sent what no host of Tourney sends; the message goes on after the host's name."""


def encode(value: Struct) -> bytes:
    """Return a request or an answer as one line of JSON."""
    return _line(msgspec.to_builtins(value))


def play_request(tasks: Sequence[MatchTask], *, session: str, slots: int, cpus: int) -> bytes:
    """Return the request for matches of one run."""
    first = tasks[0]
    asked = tuple(AskedMatch(task.number, task.spec, task.again) for task in tasks)
    data = msgspec.to_builtins(PlayRequest(session, slots, cpus, first.sandbox, first.reuse, asked))
    for one, task in zip(data["matches"], tasks, strict=True):
        one["spec"]["opening"] = task.spec.opening.as_json()
    return _line(data)


def _line(data: object) -> bytes:
    return json.dumps(data, separators=(",", ":")).encode("ascii")


def decode(data: bytes, kind: type[msgspec.Struct], *, most: int = MAX_HEAD) -> Any:
    """Return a value of this kind. Raises WrongReplyError."""
    if len(data) > most:
        raise WrongReplyError(f"sent {len(data):,} bytes where {most:,} are the most")
    try:
        return msgspec.convert(parse_json(data, unique=True), kind)
    except (ValueError, TypeError) as error:
        raise WrongReplyError(f"sent what cannot be read: {str(error)[:200]}") from error


def reply_of(reply: WorkerReply | InputError, number: int, ms: int = 0) -> bytes:
    """Return what a host sends as the reply to a match that took it so many milliseconds."""
    if isinstance(reply, InputError):
        return encode(Played(number, "unusable", str(reply)[:2000]))
    if reply.failure is not None:
        return encode(Played(number, "failed", reply.failure[:2000], reply.cause, reply.seat, reply.kept))
    if reply.played is None:
        return encode(Played(number, "idle"))
    packed: Packed = reply.played.packed
    parts = [packed.record, packed.log, packed.measured]
    lines = [b"" if part is None else zlib.decompress(part) for part in parts]
    return b"\n".join([encode(Played(number, "played", ms=ms)), *lines])


def join_replies(replies: Sequence[bytes], numbers: Sequence[int]) -> bytes:
    """Return the reply to a batch: what makes it too long counts as not begun, and is played again."""
    size = 0
    joined: list[bytes] = []
    for reply, number in zip(replies, numbers, strict=True):
        size += len(reply) + 1
        joined.append(reply if size <= MAX_REPLY or not joined else encode(Played(number, "idle")))
    return b"\n".join(joined)


def read_replies(data: object, count: int) -> list[Parts]:
    """Return the parts of the replies to so many matches. Raises WrongReplyError."""
    if not isinstance(data, bytes):
        raise WrongReplyError(f"sent a reply of the type {type(data).__name__[:60]}, not bytes")
    most = MAX_REPLY + count * MAX_IDLE
    if len(data) > most:
        raise WrongReplyError(f"sent a reply of {len(data):,} bytes; the longest has {most:,}")
    lines = data.split(b"\n", MAX_LINES * count)
    found: list[Parts] = []
    at = 0
    while at < len(lines) and len(found) < count:
        head = decode(lines[at], Played)
        head = msgspec.structs.replace(head, why=_one_line(head.why))
        end = at + (MAX_LINES if head.end == "played" else 1)
        if end > len(lines):
            break
        found.append(Parts(head, *lines[at + 1 : end]))
        at = end
    if len(found) != count or at != len(lines):
        raise WrongReplyError(f"sent a reply of {len(lines)} lines to {count} matches")
    return found


def without_kept(task: MatchTask) -> MatchTask:
    """Return the task of a match that begins anew; bots that are to be judged still are."""
    return replace(task, again=Again(task.again.judged))


def _one_line(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text)[:400]
