"""A match's page: board and replay, actions, plots of what the bots said, and how to prove it all."""

import json
import math
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from tourney.match.record import Record, digest_of
from tourney.match.result import LogLine
from tourney.report import plots, text
from tourney.report.downloads import DownloadTable, table
from tourney.report.facts import Fact
from tourney.report.labels import EntrantLabel, SeatLabel
from tourney.report.listing import MatchLine
from tourney.report.replay import Replay, replay
from tourney.report.source import Detail, Source

LOG_LINES = 200
"""Lines of the log that a page shows; ``tourney show`` has them all."""


@dataclass(frozen=True, slots=True)
class MatchSeat:
    """Who sat on a seat, and what became of it in words."""

    seat: SeatLabel
    entrant: EntrantLabel
    digest: str
    rank: int
    result: str
    won: bool
    fate: str
    why: str


@dataclass(frozen=True, slots=True)
class Move:
    """An action: its ply from 1, who acted (None: chance), and what is to be said of it."""

    ply: int
    seat: SeatLabel | None
    action: str
    note: str
    time: str


@dataclass(frozen=True, slots=True)
class Board:
    """The pictures: ``frames`` are (ply, caption, ``<use>`` elements, ground of its own or "")."""

    box: str
    width: int
    height: int
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
    """The page's context; ``board`` is None where the game draws none or is not there."""

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
    before: MatchLine | None
    after: MatchLine | None
    log: tuple[tuple[int, str, str, str], ...]
    log_left_out: int
    record: Record | None
    download: DownloadTable
    damaged: tuple[str, ...]


def match_page(
    source: Source,
    line: MatchLine,
    detail: Detail,
    *,
    group: Sequence[MatchLine] = (),
    before: MatchLine | None = None,
    after: MatchLine | None = None,
    measured: bool,
) -> MatchPage:
    """Return a match's page; ``group`` are the matches of its mirrored group, itself included."""
    record = detail.record
    film = replay(source.game, record) if record else Replay((0, 0, 0, 0), (), (), "")
    times = _times(detail.measured) if measured else ()
    moves = _moves(record, line, times) if record else ()
    log = detail.log if measured else ()
    scores = reported_scores(log)
    # A bot that failed may have given a score for an action that it never played.
    span = max([len(moves), *(int(ply) for points in scores.values() for ply, _ in points)])
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
        facts=_facts(record) if record else (),
        measured=_measured(detail.measured, line) if measured else (),
        digest_holds=record is not None and record.get("digest") == digest_of(record),
        name=text.display(name),
        group=tuple(group),
        before=before,
        after=after,
        log=_log(log, line),
        log_left_out=max(0, len(log) - LOG_LINES),
        record=record,
        download=_table(moves, times),
        damaged=tuple(part for part, _ in damaged(detail, measured=measured)),
    )


def damaged(detail: Detail, *, measured: bool) -> tuple[tuple[str, str], ...]:
    """Return which parts a page leaves out as they are damaged, and why."""
    return tuple((part, why) for part, why in detail.damaged if measured or part == "record")


def headline(line: MatchLine) -> str:
    """Return how a match ended, as one sentence without its full stop."""
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
            rank=seated.rank,
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
        # A ground that changed lies over the first one, cell by cell.
        other = "".join(row for k, row in enumerate(own) if k >= len(base) or row != base[k])
        frames.append((ply, caption, Markup(film.uses(ply)), Markup(other)))  # noqa: S704 - escaped where made
    return Board(
        box=f"{left} {top} {width} {height}",
        width=width,
        height=height,
        sprites=Markup("".join(f'<g id="s{k}">{look}</g>' for k, look in enumerate(film.sprites))),  # noqa: S704 - likewise
        ground=Markup("".join(base)),  # noqa: S704 - escaped where made
        last=last,
        final=frames[-1][2],
        notes=film.frames[-1].notes,
        position=film.frames[-1].position,
        frames=tuple(frames),
        data=script_json(film.data()),
    )


def script_json(data: object) -> Markup:
    """Return JSON that may stand in a ``<script>`` element: nothing in it can end the element."""
    dumped = json.dumps(data, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    safe = dumped.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return Markup(safe)  # noqa: S704 - no character of markup is left in it


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


def _facts(record: Record) -> tuple[Fact, ...]:
    opening = record["opening"]
    begun = f"{opening['plies']} actions" if "plies" in opening else " ".join(opening["actions"])
    options = " ".join(f"{key}={value}" for key, value in record["options"].items())
    limits = " ".join(f"{key}={value}" for key, value in record["limits"].items())
    return (
        Fact("Game", f"{text.display(record['game'])}, rules version {text.display(record['rules'])}"),
        *([Fact("Options", text.line(options), code=True)] if options else []),
        Fact("Match seed", text.display(record["seed"]), code=True),
        Fact("Opening", text.line(begun)),
        Fact("Limits", text.line(limits), code=True),
        Fact("Record digest", record["digest"], code=True),
    )


def _measured(measured: Mapping[str, Any], line: MatchLine) -> tuple[Fact, ...]:
    found = []
    if "started" in measured:
        found.append(Fact("Begun", text.display(str(measured["started"]))))
    if "wall-ms" in measured:
        found.append(Fact("Took", text.milliseconds(float(measured["wall-ms"]))))
    if "host" in measured:
        found.append(Fact("Host", text.display(str(measured["host"]))))
    for seated, used in zip(line.seats, measured.get("seats", ()), strict=False):
        spent = f"{text.milliseconds(float(used['wall-ms']))} in {text.count(used['turns'], 'turn')}"
        if used.get("cpu-ms") is not None:
            spent += f"; {text.milliseconds(float(used['cpu-ms']))} of CPU with its start"
        found.append(Fact(f"Time of {seated.seat.name}", spent))
    if "reproducible" in measured:
        why = ", ".join(map(str, measured.get("why-not", ())))
        found.append(
            Fact(
                "Plays the same again",
                "yes" if measured["reproducible"] else text.line(f"not promised: {why}"),
            )
        )
    if isinstance(measured.get("sandbox"), Mapping):
        found.extend(_sandbox(measured["sandbox"]))
    return tuple(found)


def _sandbox(sandbox: Mapping[str, Any]) -> Iterator[Fact]:
    yield Fact("Sandbox", text.line(f"{sandbox.get('level', '')} {sandbox.get('kind', '')}".strip() or "off"))
    by_state: dict[str, list[str]] = {}
    for protection, state in dict(sandbox.get("protections", {})).items():
        by_state.setdefault(str(state), []).append(str(protection))
    for state, protections in by_state.items():
        yield Fact(f"Protections {text.display(state)}", text.line(", ".join(protections)))


def _log(log: Sequence[LogLine], line: MatchLine) -> tuple[tuple[int, str, str, str], ...]:
    seats = {seated.seat.number: seated.seat.name for seated in line.seats}
    return tuple(
        (entry.ply, seats.get(entry.seat, "Referee"), entry.kind, text.line(entry.text))
        for entry in log[:LOG_LINES]
    )


def _table(moves: Sequence[Move], times: Sequence[float | None]) -> DownloadTable:
    rows = [
        {
            "ply": move.ply,
            "seat": move.seat.number if move.seat else 0,
            "action": move.action,
            "note": move.note,
            "time_ms": times[k] if k < len(times) else None,
        }
        for k, move in enumerate(moves)
    ]
    return table(rows, ("ply", "seat", "action", "note", *(("time_ms",) if times else ())))


_SCORE = re.compile(r"(?:^|\s)score=([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?)(?=\s|$)", re.ASCII)


def reported_scores(log: Sequence[LogLine]) -> dict[int, tuple[tuple[float, float], ...]]:
    """Return per seat (ply, score): the last score that its bot gave for each action, in order of plies.

    The ply is that of the action the bot was thinking about: one more than had been played.
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
