"""Checks a match that another host says it has played, before anything of it is kept.

The record must be that of the match that was asked for, and follow from rules and dice; it is stored in a
form made here. What lies beside it cannot be proved, so it is bounded: times by the time that has passed, the
promise to reproduce by the record. Host and speed are those the coordinator knows.

Checking costs as much as a referee that plays the actions again, so a run that does much of it has a few
processes for it.
"""

import math
import multiprocessing
import os
import re
import threading
import time
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing.connection import wait
from typing import Final

import msgspec
from msgspec import structs

from tourney.errors import GameError, RecordError
from tourney.games.registry import find_game
from tourney.match.record import Record, decode_record
from tourney.match.result import MAX_CHARS, MAX_LINES, LogLine, Measurements, PlayedMatch, SandboxMeasurements
from tourney.match.spec import MatchSpec
from tourney.match.verify import verify
from tourney.parsing import parse_json
from tourney.run.workers.executor import MatchTask
from tourney.run.workers.messages import InvalidReplyError, ReplyHead, ReplyParts, read_replies
from tourney.spawning import WorkerContext

MAX_NOTES: Final = 10_000
_STARTED: Final = re.compile(r"[0-9T:+.Z-]{1,40}", re.ASCII)
_SLACK_MS: Final = 2_000
"""What a host's clock may run ahead in one match."""

INLINE_SECONDS: Final = 1.0
"""The processor time that a run checks by itself, before it starts processes for that."""
MAX_PROCESSES: Final = 8


@dataclass(frozen=True, slots=True)
class CheckedReply:
    """A reply that was checked: how a match went, and as it may be stored if it was played."""

    head: ReplyHead
    played: PlayedMatch | None


@dataclass(frozen=True, slots=True)
class ReplySource:
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
            count = max(1, min(MAX_PROCESSES, len(os.sched_getaffinity(0)) - 1))
            self._pool = ProcessPoolExecutor(count, mp_context=WorkerContext(), initializer=_end_with_parent)
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


def _end_with_parent() -> None:
    """Let this process end with the run; the signals of a terminal stay blocked, as they are for the run."""
    parent = multiprocessing.parent_process()

    def watch() -> None:
        if parent is not None:
            wait([parent.sentinel])
            os._exit(1)

    threading.Thread(target=watch, name="parent-watch", daemon=True).start()


def check_replies(data: object, tasks: Sequence[MatchTask], source: ReplySource) -> list[CheckedReply]:
    """What the replies to a batch say, once it is checked. Raises InvalidReplyError."""
    checked: list[CheckedReply] = []
    for parts, task in zip(read_replies(data, len(tasks)), tasks, strict=True):
        if parts.head.number != task.number:
            raise InvalidReplyError(f"answered for match {parts.head.number}, not {task.number}")
        played = check_match(parts, task, source) if parts.head.end == "played" else None
        checked.append(CheckedReply(parts.head, played))
    return checked


def check_match(parts: ReplyParts, task: MatchTask, source: ReplySource) -> PlayedMatch:
    """The match of a reply, as it may be stored. Raises InvalidReplyError with what is wrong."""
    record = _record(parts.record)
    if why := other_match(record, task.spec):
        raise InvalidReplyError(f"sent the record of another match: {why}")
    try:
        findings = verify(record)
    except GameError as error:
        raise InvalidReplyError(f"sent a record that cannot be verified: {error}") from error
    if findings:
        raise InvalidReplyError(f"sent a wrong record: {str(findings[0])[:300]}")
    measured = _measured(parts.measured, record, task, source.elapsed_ms)
    measured = structs.replace(measured, host=source.host, speed=source.speed)
    return PlayedMatch(record, _log(parts.log, record), measured)


def other_match(record: Record, spec: MatchSpec) -> str:
    """In which respect a record belongs to another match than that of a spec, or ""."""
    found = record.spec
    _, options = find_game(spec.game).settings(len(spec.seats), dict(spec.options))
    for what, said, asked in (
        ("game", found.game, spec.game),
        ("options", sorted(found.options), sorted(options.items())),
        ("seats", found.seats, spec.seats),
        ("seed", found.seed, spec.seed),
        ("limits", found.limits, spec.limits),
        ("opening", found.opening, spec.opening),
    ):
        if said != asked:
            return f"its {what} differ" if what in ("options", "seats", "limits") else f"its {what} differs"
    return ""


def doubts(record: Record, task: MatchTask) -> list[str]:
    """Why a match need not come out the same again; a match by fuel always does."""
    kinds: AbstractSet[str] = frozenset() if task.spec.limits.by_fuel else record.outcome.unsure_faults
    return sorted(kinds | ({"reuse"} if task.reuse else set()))


def _record(text: bytes) -> Record:
    try:
        return decode_record(text)
    except RecordError as error:
        raise InvalidReplyError(f"sent what is not a record: {str(error)[:300]}") from error


def _measured(text: bytes, record: Record, task: MatchTask, elapsed_ms: int) -> Measurements:
    """The measurements, checked."""
    try:
        found = msgspec.convert(parse_json(text, unique=True), Measurements)
    except (ValueError, TypeError) as error:
        raise InvalidReplyError(f"sent measurements that cannot be read: {str(error)[:300]}") from error
    most = elapsed_ms + _SLACK_MS
    seats = len(record.seats)
    times = [found.wall_ms or 0, *(time for time in found.times_ms if time is not None)]
    for seat in found.seats:
        times += [seat.wall_ms, seat.waited_ms]
        cpu = seat.cpu_ms or 0
        if not (math.isfinite(cpu) and 0 <= cpu <= most * 4096):
            raise InvalidReplyError(f"sent an impossible CPU time, {cpu:g} ms in {elapsed_ms:,} ms")
        if not 0 <= seat.overloaded_turns <= seat.turns <= len(record.actions) + 2:
            raise InvalidReplyError("sent an impossible number of turns")
    for ms in times:
        if not (math.isfinite(ms) and 0 <= ms <= most):
            raise InvalidReplyError(f"sent an impossible time, {ms:g} ms in {elapsed_ms:,} ms")
    if len(found.times_ms) not in (0, len(record.actions)) or len(found.seats) not in (0, seats):
        raise InvalidReplyError("sent measurements of another match")
    box = found.sandbox or SandboxMeasurements()
    words = (box.level, box.kind, *box.protections, *box.protections.values())
    if len(words) > 200 or any(len(word) > 60 or not word.isprintable() for word in words):
        raise InvalidReplyError("sent an impossible description of its sandbox")
    if not (_STARTED.fullmatch(found.started) or not found.started):
        raise InvalidReplyError(f"sent an impossible start, {found.started[:40]!r}")
    why = doubts(record, task)
    return structs.replace(found, reproducible=not why, why_not=tuple(why))


def _log(text: bytes, record: Record) -> tuple[LogLine, ...]:
    """The log, within the bounds that every log keeps."""
    if not text:
        return ()
    try:
        lines = msgspec.convert(parse_json(text), tuple[LogLine, ...])
    except (ValueError, TypeError) as error:
        raise InvalidReplyError(f"sent a log that cannot be read: {str(error)[:300]}") from error
    seats, actions = len(record.seats), len(record.actions)
    count, chars = [0] * (seats + 1), [0] * (seats + 1)
    notes = 0
    for line in lines:
        if not (0 <= line.seat <= seats and 0 <= line.ply <= actions):
            raise InvalidReplyError("sent a log line of no seat or of no action")
        if line.kind == "note":
            notes += 1
            if len(line.text) > 2000:
                raise InvalidReplyError("sent a note that is too long")
        else:
            count[line.seat] += 1
            chars[line.seat] += len(line.text)
    if notes > MAX_NOTES or max(count) > MAX_LINES or max(chars) > MAX_CHARS:
        raise InvalidReplyError("sent a log that is too long")
    return lines
