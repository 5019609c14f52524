"""Checks a match that another host says it has played, before anything of it is kept.

The record must be that of the match that was asked for, and follow from rules and dice; it is stored in a
form made here. What lies beside it cannot be proved, so it is bounded: times by the time that has passed, the
promise to reproduce by the record. Host and speed are those the coordinator knows.
"""

import math
import re
from collections.abc import Collection
from typing import Any, Final

import msgspec

from tourney.errors import GameError, RecordError
from tourney.games.registry import find_game
from tourney.match.record import Record, check_shape, parse_sound_record, spec_of
from tourney.match.result import MAX_CHARS, MAX_LINES, LogLine, Measurements, PlayedMatch
from tourney.match.spec import MatchSpec
from tourney.match.verify import verify
from tourney.parsing import parse_json
from tourney.run.workers.executor import MatchTask
from tourney.run.workers.wire import Parts, WrongReplyError

MAX_NOTES: Final = 10_000
_STARTED: Final = re.compile(r"[0-9T:+.Z-]{1,40}", re.ASCII)
_SLACK_MS: Final = 2_000
"""What a host's clock may run ahead in one match."""


def check_match(parts: Parts, task: MatchTask, *, host: str, speed: int, elapsed_ms: int) -> PlayedMatch:
    """Return the match of a reply, as it may be stored. Raises WrongReplyError with what is wrong.

    ``elapsed_ms`` is the time since the match was sent to the host.
    """
    record = _record(parts.record)
    if why := other_match(record, task.spec):
        raise WrongReplyError(f"sent the record of another match: {why}")
    try:
        findings = verify(record)
    except GameError as error:
        raise WrongReplyError(f"sent a record that cannot be verified: {error}") from error
    if findings:
        raise WrongReplyError(f"sent a wrong record: {str(findings[0])[:300]}")
    measured = _measured(parts.measured, record, task, elapsed_ms)
    measured |= {"host": host, "speed": speed}
    return PlayedMatch(record, _log(parts.log, record), measured)


def other_match(record: Record, spec: MatchSpec) -> str:
    """Return in which respect a record belongs to another match than that of a spec, or ""."""
    found = spec_of(record)
    _, options = find_game(spec.game).settings(len(spec.seats), dict(spec.options))
    for what, said, asked in (
        ("game", found.game, spec.game),
        ("options", sorted(found.options), sorted(options.items())),
        ("seats", found.seats, spec.seats),
        ("seed", found.seed, spec.seed),
        ("limits", found.limits.as_json(), spec.limits.as_json()),
        ("opening", found.opening, spec.opening),
    ):
        if said != asked:
            return f"its {what} differ" if what in ("options", "seats", "limits") else f"its {what} differs"
    return ""


def doubts(record: Record, task: MatchTask, said: Collection[str]) -> list[str]:
    """Return why a match need not come out the same again; a host has ``said`` why.

    With fuel, only the crash of a bot that the machine has killed need not come again, which a host has to
    say; its word for a time-out is worth nothing, or it could let bots time out as it likes.
    """
    kinds = {kind for _, kind, _ in record["outcome"]["faults"] if kind in ("timeout", "crash")}
    if str(task.spec.limits.charge) == "fuel":
        kinds &= {"crash"} & set(said)
    return sorted(kinds | ({"reuse"} if task.reuse else set()))


def _record(text: bytes) -> Record:
    record = parse_sound_record(text)
    if record is not None:
        return record
    try:
        return check_shape(parse_json(text, unique=True))
    except (ValueError, RecordError) as error:
        raise WrongReplyError(f"sent what is no record: {str(error)[:300]}") from error


def _measured(text: bytes, record: Record, task: MatchTask, elapsed_ms: int) -> dict[str, Any]:
    """Return the measurements with the keys that are known, checked."""
    try:
        found = msgspec.convert(parse_json(text, unique=True), Measurements)
    except (ValueError, TypeError) as error:
        raise WrongReplyError(f"sent measurements that cannot be read: {str(error)[:300]}") from error
    most = elapsed_ms + _SLACK_MS
    seats = len(record["seats"])
    times: list[Any] = [found.wall_ms, *(time for time in found.times_ms if time is not None)]
    for seat in found.seats:
        times += [seat.wall_ms, seat.waited_ms]
        cpu = seat.cpu_ms or 0
        if not (math.isfinite(cpu) and 0 <= cpu <= most * 4096):
            raise WrongReplyError(f"sent an impossible CPU time, {cpu:g} ms in {elapsed_ms:,} ms")
        if not 0 <= seat.overloaded_turns <= seat.turns <= len(record["actions"]) + 2:
            raise WrongReplyError("sent an impossible number of turns")
    for time in times:
        if not (math.isfinite(time) and 0 <= time <= most):
            raise WrongReplyError(f"sent an impossible time, {time:g} ms in {elapsed_ms:,} ms")
    if len(found.times_ms) not in (0, len(record["actions"])) or len(found.seats) not in (0, seats):
        raise WrongReplyError("sent measurements of another match")
    box = found.sandbox
    words = (box.level, box.kind, *box.protections, *box.protections.values())
    if len(words) > 200 or any(len(word) > 60 or not word.isprintable() for word in words):
        raise WrongReplyError("sent an impossible description of its sandbox")
    if not (_STARTED.fullmatch(found.started) or not found.started):
        raise WrongReplyError(f"sent an impossible start, {found.started[:40]!r}")
    why = doubts(record, task, found.why_not)
    clean = msgspec.structs.replace(found, reproducible=not why, why_not=tuple(why))
    data: dict[str, Any] = msgspec.to_builtins(clean)
    return data


def _log(text: bytes, record: Record) -> tuple[LogLine, ...]:
    """Return the log, within the bounds that every log keeps."""
    if not text:
        return ()
    try:
        lines = msgspec.convert(parse_json(text), tuple[LogLine, ...])
    except (ValueError, TypeError) as error:
        raise WrongReplyError(f"sent a log that cannot be read: {str(error)[:300]}") from error
    seats, actions = len(record["seats"]), len(record["actions"])
    count, chars = [0] * (seats + 1), [0] * (seats + 1)
    notes = 0
    for line in lines:
        if not (0 <= line.seat <= seats and 0 <= line.ply <= actions):
            raise WrongReplyError("sent a log line of no seat or of no action")
        if line.kind == "note":
            notes += 1
            if len(line.text) > 2000:
                raise WrongReplyError("sent a note that is too long")
        else:
            count[line.seat] += 1
            chars[line.seat] += len(line.text)
    if notes > MAX_NOTES or max(count) > MAX_LINES or max(chars) > MAX_CHARS:
        raise WrongReplyError("sent a log that is too long")
    return lines
