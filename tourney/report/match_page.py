"""A match's page: board and replay, actions, plots of the bots' scores and times, facts and log."""

import json
import math
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from tourney.match.record import Record, digest_of
from tourney.match.result import LogLine
from tourney.report import plots, text
from tourney.report.facts import Fact, match_facts, measured_facts
from tourney.report.listing import MatchLine
from tourney.report.replay import Replay, replay
from tourney.report.source import Detail, EntrantLabel, SeatLabel, Setting

LOG_LINES = 200
"""Lines of the log that a page shows; ``tourney show --log`` prints the full log."""


@dataclass(frozen=True, slots=True)
class MatchSeat:
    """A seat of the match: its entrant and result, and in words its fault or resignation."""

    seat: SeatLabel
    entrant: EntrantLabel
    digest: str
    result: str
    won: bool
    fate: str
    why: str


@dataclass(frozen=True, slots=True)
class Move:
    """An action: its ply from 1, its seat (None for chance), and how it came about."""

    ply: int
    seat: SeatLabel | None
    action: str
    note: str
    time: str


@dataclass(frozen=True, slots=True)
class Board:
    """The pictures; each of ``frames`` is (ply, caption, ``<use>`` elements, changed ground cells)."""

    box: str
    width: int
    sprites: Markup
    ground: Markup
    last: int
    final: Markup
    notes: tuple[str, ...]
    position: str
    frames: tuple[tuple[int, str, Markup, Markup], ...]
    data: Markup


@dataclass(frozen=True, slots=True)
class MatchPage:
    """The page's template context; ``board`` is None if the game draws none or is not installed.

    ``damaged`` holds the damaged parts that the page omits, each with the reason. ``saved`` is the data that
    its buttons save, under the name ``file``.
    """

    line: MatchLine
    headline: str
    seats: tuple[MatchSeat, ...]
    board: Board | None
    problem: str
    moves: tuple[Move, ...]
    score_plot: Markup | None
    time_plot: Markup | None
    span: int
    facts: tuple[Fact, ...]
    measured: tuple[Fact, ...]
    digest_holds: bool
    name: str
    group: tuple[MatchLine, ...]
    shared_dice: bool
    before: MatchLine | None
    after: MatchLine | None
    log: tuple[tuple[int, str, str, str], ...]
    log_left_out: int
    record: Record | None
    file: str
    saved: Markup
    damaged: dict[str, str]


def match_page(
    source: Setting,
    line: MatchLine,
    detail: Detail,
    *,
    group: Sequence[MatchLine] = (),
    others: Mapping[int, Record] | None = None,  # noqa: ARG001 - shown once variations are
    before: MatchLine | None = None,
    after: MatchLine | None = None,
    measured: bool,
) -> MatchPage:
    """Return a match's page; ``group`` is its mirrored group, including itself.

    ``others`` are the records of the group's other matches, by number; damaged ones are left out.
    """
    record = detail.record
    film = replay(source.game, record) if record else Replay((0, 0, 0, 0), (), (), "")
    times = _times(detail.measured) if measured else ()
    moves = _moves(record, line, times) if record else ()
    log = detail.log if measured else ()
    scores = reported_scores(log)
    # A bot that failed may have reported a score for an action that it did not play.
    span = max([len(moves), *(int(ply) for points in scores.values() for ply, _ in points)])
    file = f"{text.folder(source.tournament.name)}-{line.number}"
    name = shlex.quote(f"{source.tournament.name}/{line.number}")
    return MatchPage(
        line=line,
        headline=headline(line),
        seats=_seats(record, line, log),
        board=_board(film, moves) if film.frames else None,
        problem=film.problem,
        moves=moves,
        score_plot=_score_plot(scores, line, span),
        time_plot=_time_plot(times, moves, span),
        span=span,
        facts=tuple(match_facts(record)) if record else (),
        measured=tuple(measured_facts(detail.measured, line)) if measured else (),
        digest_holds=record is not None and record.get("digest") == digest_of(record),
        name=text.display(name),
        group=tuple(group),
        shared_dice=source.tournament.plan.mirrored_dice,
        before=before,
        after=after,
        log=_log(log, line),
        log_left_out=max(0, len(log) - LOG_LINES),
        record=record,
        file=file,
        saved=script_json(_saved(file, record, moves, times)) if record else Markup(),
        damaged={part: why for part, why in detail.damaged if measured or part == "record"},
    )


def headline(line: MatchLine) -> str:
    """Return how a match ended, as a sentence without a full stop."""
    if line.void:
        return "Void: " + (line.note or "it counts for nothing")
    winners = [seated for seated in line.seats if seated.rank == 1]
    how = f": {line.reason}" if line.reason not in {"fault", "resign"} else ""
    if len(winners) == len(line.seats):
        return f"A draw{how}"
    first = " and ".join(f"{text.isolated(seated.entrant.name)} ({seated.seat.name})" for seated in winners)
    if len(line.seats) == 2:
        loser = next(seated for seated in line.seats if seated.rank > 1)
        because = ": resignation" if line.reason == "resign" else how
        because = f": {text.fault(loser.fault)}" if loser.fault else because
        return f"{first} beat {text.isolated(loser.entrant.name)} ({loser.seat.name}){because}"
    return f"{first} {'wins' if len(winners) == 1 else 'share first place'}{how}"


def _seats(record: Record | None, line: MatchLine, log: Sequence[LogLine]) -> tuple[MatchSeat, ...]:
    notes = {entry.seat: entry.text for entry in reversed(log) if entry.kind == "note"}
    outcome = record["outcome"] if record else {}
    fates: dict[int, str] = {}
    for seat, kind, count in outcome.get("faults", ()):
        fates.setdefault(seat, f"{text.fault(kind)} after {text.count(count, 'action')}")
    for seat, count in outcome.get("resigned", ()):
        fates.setdefault(seat, f"resigned after {text.count(count, 'action')}")
    return tuple(
        MatchSeat(
            seat=seated.seat,
            entrant=seated.entrant,
            digest=record["seats"][k]["digest"] if record else "",
            result=seated.result,
            won=seated.won,
            fate=fates.get(k + 1, ""),
            why=text.line(notes.get(k + 1, "")) if k + 1 in fates else "",
        )
        for k, seated in enumerate(line.seats)
    )


def _moves(record: Record, line: MatchLine, times: Sequence[float | None]) -> tuple[Move, ...]:
    withdrawn: dict[int, int] = {}
    for seat, _, count in record["outcome"]["faults"]:
        withdrawn.setdefault(seat, count)
    for seat, count in record["outcome"].get("resigned", ()):
        withdrawn.setdefault(seat, count)
    opening = record["opening"]
    left = opening.get("plies", 0) or len(opening.get("actions", ()))
    moves = []
    for index, (actor, action) in enumerate(record["actions"]):
        note = ""
        if actor == 0:
            note = "chance"
        elif left:
            left -= 1
            note = "opening"
        elif withdrawn.get(actor, index + 1) <= index:
            note = "substitute"
        time = times[index] if index < len(times) else None
        seat = line.seats[actor - 1].seat if 0 < actor <= len(line.seats) else None
        shown = "" if time is None else text.milliseconds(time)
        moves.append(Move(index + 1, seat, text.line(action), note, shown))
    return tuple(moves)


def _times(measured: Mapping[str, Any]) -> tuple[float | None, ...]:
    return tuple(
        float(t) if isinstance(t, int | float) and not isinstance(t, bool) else None
        for t in measured.get("times-ms", ())
    )


def _board(film: Replay, moves: Sequence[Move]) -> Board:
    left, top, width, height = film.box
    base = film.frames[0].ground
    last = len(film.frames) - 1
    frames = []
    for ply in film.key_plies:
        own = film.frames[ply].ground
        caption = "Start" if ply == 0 else f"{ply}. {moves[ply - 1].action}"
        # Changed cells are rendered over the first ground.
        other = "".join(row for k, row in enumerate(own) if k >= len(base) or row != base[k])
        frames.append((ply, caption, Markup(film.uses(ply)), Markup(other)))  # noqa: S704 - already escaped
    return Board(
        box=f"{left} {top} {width} {height}",
        width=width,
        sprites=Markup("".join(f'<g id="s{k}">{look}</g>' for k, look in enumerate(film.sprites))),  # noqa: S704 - already escaped
        ground=Markup("".join(base)),  # noqa: S704 - already escaped
        last=last,
        final=frames[-1][2],
        notes=film.frames[-1].notes,
        position=film.frames[-1].position,
        frames=tuple(frames),
        data=script_json(film.data()),
    )


def script_json(data: object) -> Markup:
    """Return JSON that is safe in a ``<script>`` element."""
    dumped = json.dumps(data, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    safe = dumped.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return Markup(safe)  # noqa: S704 - all markup characters are escaped


def _score_plot(
    scores: Mapping[int, tuple[tuple[float, float], ...]], line: MatchLine, span: int
) -> Markup | None:
    lines = [
        plots.Series(seated.seat.name, f"l-{seated.seat.color}", scores.get(seated.seat.number, ()))
        for seated in line.seats
    ]
    if all(len(one.points) < 2 for one in lines):
        return None
    return plots.line_plot(lines, span, "score by ply, as each bot reported it")


def _time_plot(times: Sequence[float | None], moves: Sequence[Move], span: int) -> Markup | None:
    bars = [
        (move.ply, time, f"l-{move.seat.color}")
        for move, time in zip(moves, times, strict=False)
        if time is not None and move.seat is not None
    ]
    return plots.bar_plot(bars, span, "milliseconds per action") if len(bars) > 1 else None


def _log(log: Sequence[LogLine], line: MatchLine) -> tuple[tuple[int, str, str, str], ...]:
    seats = {seated.seat.number: seated.seat.name for seated in line.seats}
    return tuple(
        (entry.ply, seats.get(entry.seat, "Referee"), entry.kind, text.line(entry.text))
        for entry in log[:LOG_LINES]
    )


def _saved(file: str, record: Record, moves: Sequence[Move], times: Sequence[float | None]) -> dict[str, Any]:
    """Return what the page's buttons save: the record, and what the CSV file has besides its actions."""
    notes = {str(move.ply): move.note for move in moves if move.note and move.note != "chance"}
    return {"name": file, "record": record, "notes": notes, "times": list(times) or None}


_SCORE = re.compile(r"(?:^|\s)score=([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?)(?=\s|$)", re.ASCII)


def reported_scores(log: Sequence[LogLine]) -> dict[int, tuple[tuple[float, float], ...]]:
    """Return per seat the (ply, score) pairs from ``info score=0.31 depth=7 ...`` lines, in order of plies.

    The ply is that of the next action; the last score for it counts.
    """
    found: dict[int, dict[float, float]] = {}
    for line in log:
        if line.kind != "info":
            continue
        match = _SCORE.search(line.text)
        if match is None:
            continue
        value = float(match[1])
        if math.isfinite(value) and abs(value) < 1e12:
            found.setdefault(line.seat, {})[float(line.ply + 1)] = value
    return {seat: tuple(sorted(points.items())) for seat, points in sorted(found.items())}
