"""Games of chess as PGN, with the scores, times and clocks of engines in comments.

After an analysis the marked moves have numeric annotation glyphs (NAGs, PGN standard 10) and the better lines
as variations.

``Round`` is the round and the table, ``Pair`` the mirrored group, whose games ratings count as one cluster.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from tourney.addons.chess.game import numbers_from
from tourney.exchange.foreign_game import TERMINATIONS, result_text
from tourney.match.analysis import Analysis
from tourney.match.record import Record
from tourney.match.result import NOT_MEASURED, LogLine, Measurements
from tourney.schedule.row import MatchKey
from tourney.texts import legible

if TYPE_CHECKING:
    from tourney.addons.chess.starts import PgnMoves

_WIDTH: Final = 80
_GLYPHS: Final = {"mistake": "$2", "blunder": "$4", "inaccuracy": "$6"}
"""The NAGs of ``?``, ``??`` and ``?!``."""
_VARIATION: Final = 8
"""The moves of a better line."""
_SCORE = re.compile(r"score=(-?[0-9]{1,6}(?:\.[0-9]{1,3})?)(?: |\Z)", re.ASCII)
_MATE = re.compile(r"mate=(-?[0-9]{1,4})(?: |\Z)", re.ASCII)
_DEPTH = re.compile(r"depth=([0-9]{1,4})(?: |\Z)", re.ASCII)


def game_text(
    event: str,
    key: MatchKey,
    record: Record,
    log: Iterable[LogLine] = (),
    measured: Measurements = NOT_MEASURED,
    analysis: Analysis | None = None,
) -> str:
    """A match of the tournament ``event`` as a game of PGN, with an empty line after it. Raises GameError."""
    from tourney.addons.chess.starts import PgnMoves  # noqa: PLC0415 - needs an extra

    actions = [text for _, text in record.actions]
    line = PgnMoves.of(actions, chess960=record.game == "chess960", named=True)
    comments = _comments(record, log, measured, line.skipped)
    marks = _marks(record, line, analysis)
    result = result_text(record.outcome.ranks)
    tags = _tags(event, key, record, measured, line, result)
    head = "".join(f'[{key} "{_quoted(value)}"]\n' for key, value in tags)
    words: list[str] = []
    interrupted = True
    for number, (san, move) in enumerate(zip(line.sans, _numbers(line), strict=True)):
        # PGN repeats the number before a black move that follows a comment or a variation.
        if interrupted or not move.endswith("..."):
            words.append(move)
        glyph, variation = marks.get(line.skipped + number, ("", ""))
        comment = "{" + comments[number] + "}" if comments[number] else ""
        words += filter(None, (san, glyph, comment, variation))
        interrupted = bool(comment or variation)
    return f"{head}\n{_wrapped([*words, result])}\n\n"


def _tags(
    event: str,
    key: MatchKey,
    record: Record,
    measured: Measurements,
    line: "PgnMoves",
    result: str,
) -> Iterator[tuple[str, str]]:
    limits = record.limits
    outcome = record.outcome
    started = _moment(measured.started)
    yield "Event", event
    yield "Site", "?"
    yield "Date", f"{started:%Y.%m.%d}" if started else "????.??.??"
    yield "Round", f"{key.round}.{key.table}"
    yield "White", record.seats[0].name
    yield "Black", record.seats[1].name
    yield "Result", result
    yield "Pair", f"{key.round}.{key.table}.{key.repeat}"
    if record.game == "chess960":
        yield "Variant", "Chess960"
    if line.fen:
        yield "SetUp", "1"
        yield "FEN", line.fen
    if line.eco:
        yield "ECO", line.eco
        yield "Opening", line.opening
    if started:
        yield "UTCDate", f"{started:%Y.%m.%d}"
        yield "UTCTime", f"{started:%H:%M:%S}"
        yield "GameStartTime", f"{started:%Y-%m-%dT%H:%M:%S %z}"
    if started and measured.wall_ms is not None:
        yield "GameEndTime", f"{started + timedelta(milliseconds=measured.wall_ms):%Y-%m-%dT%H:%M:%S %z}"
    if limits.clock_ms is not None:
        # "40/60" is the notation of the PGN standard, and "40/60+1" that of cutechess and fastchess.
        period = f"{limits.clock_moves}/" if limits.clock_moves else ""
        bonus = f"+{(limits.increment_ms or 0) / 1000:g}" if limits.increment_ms or not period else ""
        yield "TimeControl", f"{period}{limits.clock_ms / 1000:g}{bonus}"
    faults = outcome.faults
    reason = outcome.reason
    ended_by = outcome.adjudication
    ended = TERMINATIONS.get(faults[0][1], "normal") if faults else "normal"
    yield "Termination", "adjudication" if reason == "adjudication" else ended
    cause = faults[0][1] if faults else ended_by.rule if ended_by else ""
    yield "Reason", f"{reason}: {cause}" if cause else reason
    yield "PlyCount", str(sum(_is_move(action) for _, action in record.actions))


def _numbers(line: "PgnMoves") -> Iterator[str]:
    return numbers_from(line.first, len(line.sans))


def _marks(record: Record, line: "PgnMoves", analysis: Analysis | None) -> Mapping[int, tuple[str, str]]:
    """The glyph of each marked action, and the better line as a variation, by the actions before it."""
    if analysis is None:
        return {}
    from tourney.addons.chess.starts import side_lines  # noqa: PLC0415 - needs an extra

    actions = [text for _, text in record.actions]
    better = {turn.ply: turn.line[:_VARIATION] for turn in analysis.marked}
    sans = side_lines(line, actions, better, chess960=record.game == "chess960")
    marks = {}
    for turn in analysis.marked:
        moves = sans.get(turn.ply, ())
        numbers = numbers_from(line.first + turn.ply - line.skipped, len(moves))
        shown = [
            san if place and number.endswith("...") else f"{number} {san}"
            for place, (number, san) in enumerate(zip(numbers, moves, strict=True))
        ]
        marks[turn.ply] = (_GLYPHS[turn.mark or "blunder"], f"({' '.join(shown)})" if shown else "")
    return marks


def _moment(text: str) -> datetime | None:
    """A moment of measurements in UTC, or None for another text; years are those of PGN, with four digits."""
    try:
        moment = datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return moment if 1000 <= moment.year < 9999 else None


def _comments(record: Record, log: Iterable[LogLine], measured: Measurements, skipped: int) -> list[str]:
    """The comment of each move: ``+0.31/9 0.123s``, as the mover sees it, or ``book``."""
    infos = {(entry.ply, entry.seat): entry.text for entry in log if entry.kind == "info"}
    times = measured.times_ms
    clock = record.limits.clock_ms
    increment = record.limits.increment_ms or 0
    clocks = None if clock is None else [float(clock)] * 2
    comments = []
    for ply, (seat, _) in enumerate(record.actions[skipped:], start=skipped):
        elapsed = times[ply] if ply < len(times) else None
        parts: list[str] = []
        if elapsed is not None:
            parts, score = _scored(infos.get((ply, seat), ""), white=seat == 1)
            if clocks is not None:
                clocks[seat - 1] += increment - elapsed
                parts.append(f"[%clk {_clock(clocks[seat - 1])}]")
            parts.append(f"{score} {elapsed / 1000:.3f}s".strip())
        elif times:
            parts.append("book")
        comments.append(" ".join(parts))
    return comments


def _scored(text: str, *, white: bool) -> tuple[list[str], str]:
    """``[%eval ...]`` as White sees it, and the score as the mover sees it; nothing without a score."""
    searched = (pattern.search(text) for pattern in (_SCORE, _MATE, _DEPTH))
    score, mate, depth = (match and match[1] for match in searched)
    if score is None:
        return [], ""
    sign = 1 if white else -1
    # Adding 0 makes a negative zero a plain one, also that of a rounded score.
    by_white = f"{round(sign * float(score), 2) + 0:.2f}"
    by_mover = f"{round(float(score), 2) + 0:+.2f}"
    if mate is not None:
        # The sign comes from the text: a mate in -0 is a lost game.
        by_white = f"#{sign * int(mate)}"
        by_mover = f"{'-' if mate.startswith('-') else '+'}M{mate.removeprefix('-')}"
    if depth:
        return [f"[%eval {by_white},{depth}]"], f"{by_mover}/{depth}"
    return [f"[%eval {by_white}]"], by_mover


def _clock(milliseconds: float) -> str:
    tenths = max(0, int(milliseconds // 100))
    return f"{tenths // 36_000}:{tenths // 600 % 60:02d}:{tenths // 10 % 60:02d}.{tenths % 10}"


def _is_move(action: str) -> bool:
    return not action.startswith(("=", "sp"))


def _quoted(value: str) -> str:
    shown = legible(value, "?")
    return shown.replace("\\", "\\\\").replace('"', '\\"')


def _wrapped(words: Iterable[str]) -> str:
    lines = []
    line = ""
    for word in (part for text in words for part in text.split(" ")):
        if line and len(line) + 1 + len(word) > _WIDTH:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return "\n".join([*lines, line])
