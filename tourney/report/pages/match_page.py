"""A match's page: the board with its cockpit, actions, plots of what bots reported, facts and log.

The page's script builds the cockpit from one JSON value (``_data``); what readers without scripts see is
plain HTML, kept small: the last board, key positions, the actions round by round, two plots and the facts.
It is one module because the page and the value for its script show the same facts.
"""

import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from tourney.match.record import Record, digest_of
from tourney.match.result import LogLine, load_of
from tourney.report import text
from tourney.report.charts import match_plots
from tourney.report.pages.facts import Fact, match_facts, measured_facts
from tourney.report.pages.info import Info, read_info
from tourney.report.pages.listing import MatchLine
from tourney.report.replays import codes, pictures
from tourney.report.replays.drawer import Drawer, drawer_of
from tourney.report.replays.replay import Replay, replay
from tourney.report.setting import Detail, EntrantLabel, SeatLabel, Setting

TAIL_LINES = 20
"""Last lines of a failed bot's standard error on its page; ``tourney show --log`` prints the full log."""
MOST_MS = 1e12
"""Milliseconds of an action, from which a measured time is damaged."""


@dataclass(frozen=True, slots=True)
class MatchSeat:
    """A seat of the match: its entrant and result, and in words its fault or resignation.

    ``why`` is the referee's note on it; ``tail`` are the last lines of standard error, where published.
    """

    seat: SeatLabel
    entrant: EntrantLabel
    digest: str
    result: str
    won: bool
    fate: str
    why: str
    tail: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Mate:
    """A match of the same seed, and the first ply at which its actions differ from this match's.

    ``ply`` is 0 where all are equal; ``here`` and ``there`` are the actions, "" where a match had ended.
    """

    line: MatchLine
    ply: int
    here: str
    there: str


@dataclass(frozen=True, slots=True)
class Board:
    """The pictures; each of ``frames`` is (ply, caption, ``<use>`` elements, changed ground cells)."""

    box: str
    width: int
    sprites: Markup
    ground: Markup
    last: int
    final: Markup
    over: Markup
    notes: tuple[str, ...]
    position: str
    frames: tuple[tuple[int, str, Markup, Markup], ...]


@dataclass(frozen=True, slots=True)
class MatchPage:
    """The page's template context; ``board`` is None if the game draws none or is not installed.

    ``damaged`` holds the damaged parts that the page omits, each with the reason.
    """

    line: MatchLine
    headline: str
    seats: tuple[MatchSeat, ...]
    board: Board | None
    problem: str
    rounds: tuple[str, ...]
    actions: int
    score_plot: Markup | None
    time_plot: Markup | None
    facts: tuple[Fact, ...]
    measured: tuple[Fact, ...]
    digest_holds: bool
    name: str
    group: tuple[MatchLine, ...]
    mates: tuple[Mate, ...]
    shared_dice: bool
    before: MatchLine | None
    after: MatchLine | None
    notes: tuple[str, ...]
    record: Record | None
    data: Markup
    damaged: dict[str, str]


def match_page(
    source: Setting,
    line: MatchLine,
    detail: Detail,
    *,
    group: Sequence[MatchLine] = (),
    others: Mapping[int, Record] | None = None,
    before: MatchLine | None = None,
    after: MatchLine | None = None,
    measured: bool,
) -> MatchPage:
    """Return a match's page; ``group`` is its mirrored group, including itself.

    ``others`` are the records of the group's other matches, by number; damaged ones are left out.
    """
    record = detail.record
    film = replay(source.game, record, _drawer(source)) if record else Replay()
    times = _times(detail.measured) if measured else ()
    actions = record["actions"] if record else ()
    rounds = tuple(_rounds(record, line)) if record else ()
    log = detail.log if measured else ()
    info = read_info(log)
    # A bot that failed may have printed info for an action that it did not play.
    span = max([len(actions), *(seat.plies[-1] for seat in info.seats.values() if seat.plies)])
    name = shlex.quote(f"{source.tournament.name}/{line.number}")
    mates = _mates(record, group, others or {})
    return MatchPage(
        line=line,
        headline=headline(line, record),
        seats=_seats(record, line, log),
        board=_board(film) if film.count else None,
        problem=film.problem,
        rounds=rounds,
        actions=len(actions),
        score_plot=match_plots.scores(info, [seated.seat for seated in line.seats], span),
        time_plot=match_plots.times(times, _actors(actions, line), span),
        facts=tuple(match_facts(record)) if record else (),
        measured=tuple(measured_facts(detail.measured, line)) if measured else (),
        digest_holds=record is not None and record.get("digest") == digest_of(record),
        name=text.display(name),
        group=tuple(group),
        mates=mates,
        shared_dice=source.tournament.plan.mirrored_dice,
        before=before,
        after=after,
        notes=tuple(text.line(entry.text) for entry in log if entry.kind == "note" and not entry.seat),
        record=record,
        data=script_json(_data(source, record, line, film, rounds, times, info, mates, detail.measured))
        if record
        else Markup(),
        damaged={part: why for part, why in detail.damaged if measured or part == "record"},
    )


def _data(
    source: Setting,
    record: Record,
    line: MatchLine,
    film: Replay,
    rounds: Sequence[str],
    times: Sequence[float | None],
    info: Info,
    mates: Sequence[Mate],
    measured: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the value for the page's script.

    - ``file``: the name of saved files, without its ending. ``board``: for ``TourneyBoard``, or null.
    - ``record``: the record without its actions, which the script reads from the page's list (``listed``); if
      it cannot, they are in ``actions``, separated by blanks. ``actors``: their seats (a digit each, or
      separated by blanks if there are ten seats or more; fewer if they repeat).
    - ``seats``: [name, color]. ``opening``: the last ply of the opening.
    - ``fates``: [seat, actions before it left, why].
    - ``times``: microseconds, or nothing (see ``codes.integers``). ``waited``: the most milliseconds that one
      seat was not charged, as it waited for a processor.
    - ``info``: by seat, see ``SeatInfo``; ``cut`` if texts were left out. ``mates``: [match, ply].
    """
    fates = _fates(record)
    data: dict[str, Any] = {
        "file": f"{text.folder(source.tournament.name)}-{line.number}",
        "board": film.data() if film.count else None,
        "record": {key: value for key, value in record.items() if key != "actions"},
        "actors": _cycle(record),
        "seats": [[seated.seat.name, seated.seat.color] for seated in line.seats],
        "opening": _opening_end(record),
        **({"fates": [[seat, count, words] for seat, (count, words) in fates.items()]} if fates else {}),
    }
    actions = [action for _, action in record["actions"]]
    if listed(rounds) != actions:
        data["actions"] = " ".join(actions)
    if times:
        data["times"] = codes.integers([None if time is None else round(time * 1000) for time in times])
        if waited := max((load.waited_ms for load in load_of(measured)), default=0):
            data["waited"] = waited
    if info.seats:
        data["info"] = {str(seat): found.as_json() for seat, found in info.seats.items()}
        if info.cut:
            data["cut"] = True
    if mates:
        data["mates"] = [[mate.line.number, mate.ply] for mate in mates]
    return data


def _cycle(record: Record) -> str:
    """Return the seats of all actions, the shortest of at most four that give all when repeated."""
    actors = [actor for actor, _ in record["actions"]]
    for length in range(1, 5):
        if all(actor == actors[k % length] for k, actor in enumerate(actors)):
            actors = actors[:length]
    return ("" if len(record["seats"]) < 10 else " ").join(map(str, actors))


def _mates(
    record: Record | None, group: Sequence[MatchLine], others: Mapping[int, Record]
) -> tuple[Mate, ...]:
    """Return the matches of a group that have a page and the seed of the record."""
    found = []
    for line in group:
        other = others.get(line.number)
        if record is None or other is None or not line.href or other["seed"] != record["seed"]:
            continue
        ply = first_difference(record["actions"], other["actions"])
        here, there = (
            text.display(each["actions"][ply - 1][1]) if 0 < ply <= len(each["actions"]) else ""
            for each in (record, other)
        )
        found.append(Mate(line, ply, here, there))
    return tuple(found)


def first_difference(one: Sequence[Sequence[Any]], other: Sequence[Sequence[Any]]) -> int:
    """Return the ply, from 1, of the first action that only one of two matches has, or 0 if none."""
    for ply, (a, b) in enumerate(zip(one, other, strict=False), 1):
        if a[0] != b[0] or a[1] != b[1]:
            return ply
    return 0 if len(one) == len(other) else min(len(one), len(other)) + 1


def headline(line: MatchLine, record: Record | None) -> str:
    """Return how a match ended, as a sentence without a full stop."""
    if line.void:
        return "Void: " + (line.note or "it counts for nothing")
    winners = [seated for seated in line.seats if seated.rank == 1]
    how = f": {line.reason}" if line.reason not in {"fault", "resign"} else ""
    if record is not None and "adjudication" in record["outcome"]:
        how += " by tablebase" if record["outcome"]["adjudication"]["rule"] == "tablebase" else " by score"
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
    fates = _fates(record) if record else {}
    # Notes from before a bot left the match do not say why it left.
    notes = {
        entry.seat: entry.text
        for entry in log
        if entry.kind == "note" and entry.seat in fates and entry.ply >= fates[entry.seat][0]
    }
    tails: dict[int, list[str]] = {}
    for entry in log:
        if entry.kind == "stderr":
            tails.setdefault(entry.seat, []).append(entry.text)
    return tuple(
        MatchSeat(
            seat=seated.seat,
            entrant=seated.entrant,
            digest=record["seats"][k]["digest"] if record else "",
            result=seated.result,
            won=seated.won,
            fate=f"{fates[k + 1][1]} after {text.count(fates[k + 1][0], 'action')}" if k + 1 in fates else "",
            why=text.line(notes.get(k + 1, "")),
            tail=tuple(map(text.line, tails.get(k + 1, ())[-TAIL_LINES:])),
        )
        for k, seated in enumerate(line.seats)
    )


def _fates(record: Record) -> dict[int, tuple[int, str]]:
    """Return, by seat, after how many actions it left the match and why, in words."""
    found: dict[int, tuple[int, str]] = {}
    for seat, kind, count in record["outcome"]["faults"]:
        found.setdefault(seat, (count, text.fault(kind)))
    for seat, count in record["outcome"].get("resigned", ()):
        found.setdefault(seat, (count, "resigned"))
    return found


def _opening_end(record: Record) -> int:
    """Return the last ply of the opening, 0 without; chance is not counted in its length."""
    opening = record["opening"]
    left = opening.get("plies", 0) or len(opening.get("actions", ()))
    for ply, (actor, _) in enumerate(record["actions"], 1):
        left -= actor != 0
        if left == 0:
            return ply
    return 0 if left <= 0 else len(record["actions"])


def _rounds(record: Record, line: MatchLine) -> Iterator[str]:
    """Yield the actions as lines of text, a round each: it ends where a seat acts again after another.

    Seats are named where they do not act in the order of the round before.
    """
    names = {seated.seat.number: seated.seat.name for seated in line.seats}
    order: list[int] = []
    for turns in _turns(record, len(line.seats)):
        acting = [seat for seat, _ in turns]
        known = acting == order[: len(acting)]
        yield "; ".join(
            [
                " ".join(shown) if known or seat == 0 else f"{names[seat]}: {' '.join(shown)}"
                for seat, shown in turns
            ]
        )
        order = order if known else acting


def _turns(record: Record, seats: int) -> Iterator[list[tuple[int, list[str]]]]:
    """Yield the turns of each round; a draw by chance belongs to the turn after it, or is one of seat 0."""
    fates = _fates(record)
    end = _opening_end(record)
    turns: list[tuple[int, list[str]]] = []
    acted: set[int] = set()
    acting = 0
    drawn: list[str] = []
    for ply, (actor, action) in enumerate(record["actions"], 1):
        shown = text.line(action)
        if not 0 < actor <= seats:
            drawn.append(f"[{shown}]")
            continue
        if ply <= end:
            shown += " (opening)"
        elif actor in fates and fates[actor][0] < ply:
            shown += " (substitute)"
        if actor != acting:
            if actor in acted:
                yield turns
                turns, acted = [], set()
            turns.append((actor, []))
            acted.add(actor)
            acting = actor
        turns[-1][1].extend((*drawn, shown))
        drawn = []
    if drawn:
        turns.append((0, drawn))
    if turns:
        yield turns


def listed(rounds: Sequence[str]) -> list[str]:
    """Return the actions of a page's list, as its script reads them: wrong only for unusual names."""
    return _BESIDE.sub(" ", " ".join(rounds)).split()


_BESIDE = re.compile(r"[^ ]+:(?= )|\([a-z]+\)|[\[\];]")


def _actors(actions: Sequence[Sequence[Any]], line: MatchLine) -> list[SeatLabel | None]:
    labels: dict[int, SeatLabel | None] = {seated.seat.number: seated.seat for seated in line.seats}
    return [labels.get(actor) for actor, _ in actions]


def _times(measured: Mapping[str, Any]) -> tuple[float | None, ...]:
    """Return the milliseconds of each action; impossible ones are None."""
    return tuple(
        [
            float(t) if (type(t) is float or type(t) is int) and 0 <= t < MOST_MS else None
            for t in measured.get("times-ms", ())
        ]
    )


def _board(film: Replay) -> Board:
    left, top, width, height = film.box
    last = film.count - 1
    # The start is on the page of the game, and the end is the page's board.
    plies = film.key_plies[2:-1:3]
    shown = {ply: pictures.picture(film, ply) for ply in (*plies, last)}
    frames = [
        (ply, f"{ply}. {text.line(film.actions[ply - 1])}", *_picture(film, shown[ply])) for ply in plies
    ]
    final, over = _picture(film, shown[last])
    return Board(
        box=f"{left} {top} {width} {height}",
        width=width,
        sprites=Markup(pictures.definitions(film, shown.values())),  # noqa: S704 - already escaped
        ground=Markup(pictures.ground(film)),  # noqa: S704 - already escaped
        last=last,
        final=final,
        over=over,
        notes=film.notes(last),
        position=film.position(last),
        frames=tuple(frames),
    )


def _picture(film: Replay, shown: pictures.Picture) -> tuple[Markup, Markup]:
    """Return the things of a position, and the ground where it differs from the first one."""
    over, things = (pictures.markup(film, part) for part in shown)
    return Markup(things), Markup(over)  # noqa: S704 - already escaped


def _drawer(source: Setting) -> Drawer | None:
    plan = source.tournament.plan
    return drawer_of(source.game, plan.seats, dict(plan.options)) if source.game else None


def script_json(data: object) -> Markup:
    """Return JSON that is safe in a ``<script>`` element."""
    dumped = json.dumps(data, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    safe = dumped.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return Markup(safe)  # noqa: S704 - all markup characters are escaped
