"""A match's page: the board with its cockpit, actions, plots of the bots' reports, facts and log.

The page's script builds the cockpit from one JSON value (``data``). Readers without scripts see plain
HTML, kept small: the last board, key positions, the actions round by round, two plots and the facts.
"""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from markupsafe import Markup

from tourney.check.fault_scene import FaultScene, fault_scene
from tourney.check.record import record_notation
from tourney.games.base import AnyGame
from tourney.games.notation import Notation
from tourney.match.record import Record, opening_end
from tourney.match.result import LogLine
from tourney.report import display
from tourney.report.display import Fact, SeatLabel
from tourney.report.output.layout import Context
from tourney.report.pages.analysis_part import (
    analysis_data,
    analysis_part,
    better_lines,
    key_plies,
    with_signs,
)
from tourney.report.pages.bot_info import MatchInfo, read_info
from tourney.report.pages.match_lines import ListedMatch, MatchDetail, MatchSetting
from tourney.report.pages.match_script import (
    MatchPlot,
    action_rounds,
    action_times,
    clocks_by_seat,
    clocks_left,
    course_data,
    linked,
    luck_by_seat,
    match_plots,
    script_json,
    seats_that_left,
    time_data,
    times_by_seat,
    unmarked,
)
from tourney.report.replays.board_table import BoardTable, Thing, board_table
from tourney.report.replays.replay import (
    BoardReplay,
    Still,
    definitions,
    ground,
    picture_markup,
    replay,
    shared_definitions,
    shared_things,
    still,
    tried,
)
from tourney.texts import counted, name_list

TAIL_LINES = 20
"""Last lines of a failed bot's standard error on its page; ``tourney show --log`` prints the full log."""
MOST_KEYS = 8
"""Key positions of a match."""
MOST_KEY_FRAMES = 2
"""Key positions with a picture for readers without scripts; the script draws all."""


@dataclass(frozen=True, slots=True)
class MatchJob:
    """The content of a match's page, apart from the setting and the stored data of its group.

    ``group`` is its mirrored group with itself; ``before`` and ``after`` are the neighbors with a page.
    ``picture``: it has a picture to share.
    """

    line: ListedMatch
    group: tuple[ListedMatch, ...]
    before: ListedMatch | None
    after: ListedMatch | None
    picture: bool = False

    @property
    def numbers(self) -> tuple[int, ...]:
        """The matches whose records the page may show, the page's own match first."""
        return self.line.number, *(line.number for line in self.group if line.number != self.line.number)


class Mate(NamedTuple):
    """A match of the same seed, and the first ply at which its actions differ from this match's.

    ``ply`` is 0 if all are equal; ``here`` and ``there`` are the two actions, "" after the end of a match.
    """

    line: ListedMatch
    ply: int
    here: str
    there: str


def match_page(
    setting: MatchSetting, job: MatchJob, detail: MatchDetail, others: Mapping[int, Record | None]
) -> Context:
    """The page's context; ``others`` are the readable records of the other matches of its group.

    ``damaged`` holds the damaged parts that the page omits, each with the reason. With a record come its
    actions, pictures and analysis, and the ``data`` of the script.
    """
    record = detail.record
    line = job.line
    log = detail.log
    info = read_info(log)
    context: Context = {
        "line": line,
        "headline": headline(line, record),
        "seats": _seats(record, line, log),
        "record": record,
        "plots": _plots(detail, info, _named_seats(line)),
        "measured": tuple(measured_facts(detail, line)),
        "name": display.label(shlex.quote(f"{setting.tournament.name}/{line.number}")),
        "group": job.group,
        "shared_dice": setting.tournament.plan.mirrored_dice,
        "before": job.before,
        "after": job.after,
        "notes": [display.line(entry.text) for entry in log if entry.kind == "note" and not entry.seat],
        "damaged": dict(detail.damaged),
    }
    if record is None:
        return {**context, "board": None, "analysis": None, "scenes": {}, "problem": ""}
    return context | _course(setting, job, detail, record, others, info)


def _course(
    setting: MatchSetting,
    job: MatchJob,
    detail: MatchDetail,
    record: Record,
    others: Mapping[int, Record | None],
    info: MatchInfo,
) -> Context:
    """The rest of the context of a match with a record."""
    labels = _labels(job.line)
    notation = record_notation(record)
    written = notation.texts
    # Matches of one seed had the same dice, so a reader asks where they part.
    mates = _mates(record, notation, job.group, others)
    scenes = _scenes(setting.game, record, detail.log)
    tries = {scene.ply: scene.attempt for scene in scenes.values() if scene.attempt}
    shown = replay(setting.game, record, _table(setting), better_lines(detail.analysis), tries)
    analysis = analysis_part(detail.analysis, record, notation, labels)
    signed = with_signs(written, detail.analysis)
    board = _board(shown, notation, key_plies(detail.analysis, record, MOST_KEYS))
    # Without scripts the links of marks and key positions lead into the list.
    targets = {action["ply"] for action in analysis["marked"]} if analysis else set()
    targets |= {frame[0] for frame in board["frames"]} if board else set()
    marked_rounds = tuple(action_rounds(record, signed, labels, targets))
    rounds = tuple(map(unmarked, marked_rounds))
    data = {
        "file": f"{display.folder(setting.tournament.name)}-{job.line.number}",
        "board": shown.data() if shown.count else None,
        **course_data(record, signed, rounds, labels),
        **time_data(record, detail.measured),
        **info.as_json(),
        **({"mates": [(mate.line.number, mate.ply) for mate in mates]} if mates else {}),
        **(analysis_data(analysis, shown) if analysis else {}),
    }
    return {
        "board": board,
        "analysis": analysis,
        "scenes": scenes,
        "problem": shown.problem,
        "digest_holds": record.digest == record.content_digest(),
        "facts": tuple(match_facts(record, setting.game, notation)),
        "rounds": rounds,
        "linked_rounds": tuple(map(linked, marked_rounds)),
        "mates": mates,
        "data": script_json(data),
    }


def _labels(line: ListedMatch) -> tuple[SeatLabel, ...]:
    return tuple(seated.seat for seated in line.seats)


def _named_seats(line: ListedMatch) -> tuple[SeatLabel, ...]:
    """The seats with the names of their bots, which say more in a legend than "First"."""
    return tuple(replace(seated.seat, name=display.isolated(seated.entrant.name)) for seated in line.seats)


def _plots(detail: MatchDetail, info: MatchInfo, labels: Sequence[SeatLabel]) -> tuple[MatchPlot, ...]:
    record = detail.record
    times = action_times(detail.measured)
    # A bot that failed may have printed info for an action that it did not play.
    printed = [seat.plies[-1] for seat in info.seats.values() if seat.plies]
    last = max([len(record.actions) if record else 0, *printed])
    spent = times_by_seat(record, times) if record else {}
    clocks = clocks_by_seat(clocks_left(record, times)) if record else {}
    luck = luck_by_seat(record) if record else {}
    return tuple(match_plots(info, spent, clocks, luck, labels, last))


def _mates(
    record: Record,
    notation: Notation,
    group: Sequence[ListedMatch],
    others: Mapping[int, Record | None],
) -> tuple[Mate, ...]:
    """The matches of a group that have a page and the record's seed."""
    mates = []
    for line in group:
        mate_record = others.get(line.number)
        if mate_record is None or not line.href or mate_record.seed != record.seed:
            continue
        ply = first_difference(record.actions, mate_record.actions)
        both = (notation, record_notation(mate_record) if ply else Notation(()))
        here, there = (
            display.action(each.numbered(ply - 1)) if 0 < ply <= len(each.texts) else "" for each in both
        )
        mates.append(Mate(line, ply, here, there))
    return tuple(mates)


def first_difference(actions: Sequence[tuple[int, str]], other_actions: Sequence[tuple[int, str]]) -> int:
    """The ply, from 1, of the first action that only one of two matches has, or 0 if none."""
    for ply, (a, b) in enumerate(zip(actions, other_actions, strict=False), 1):
        if a != b:
            return ply
    return 0 if len(actions) == len(other_actions) else min(len(actions), len(other_actions)) + 1


def headline(line: ListedMatch, record: Record | None) -> str:
    """The end of a match as a sentence without a full stop."""
    if line.void:
        return "Void: " + (line.note or "it counts for nothing")
    winners = [seated for seated in line.seats if seated.rank == 1]
    how = f": {line.reason}" if line.reason not in {"fault", "resign"} else ""
    if record is not None and (ended := record.outcome.adjudication):
        how += " by tablebase" if ended.rule == "tablebase" else " by score"
    if len(winners) == len(line.seats):
        return f"A draw{how}"
    if len(line.seats) > 2:
        # All bots in the order of their places: with more seats the names of these say little.
        places = sorted(line.seats, key=lambda seated: (seated.rank, seated.seat.number))
        first = name_list([display.isolated(seated.entrant.name) for seated in winners])
        others = name_list([display.isolated(seated.entrant.name) for seated in places[len(winners) :]])
        return f"{first} {'wins' if len(winners) == 1 else 'share first place'}, ahead of {others}{how}"
    first = " and ".join(
        f"{display.isolated(seated.entrant.name)} ({seated.seat.name})" for seated in winners
    )
    loser = next(seated for seated in line.seats if seated.rank > 1)
    because = ": resignation" if line.reason == "resign" else how
    because = f": {display.fault(loser.fault)}" if loser.fault else because
    return f"{first} beat {display.isolated(loser.entrant.name)} ({loser.seat.name}){because}"


def _seats(record: Record | None, line: ListedMatch, log: Sequence[LogLine]) -> list[dict[str, object]]:
    """The seats with their results, and in words the fault or resignation of each (``fate``).

    ``why`` is the referee's note on it; ``tail`` are the last lines of standard error, if they are
    published.
    """
    fates = seats_that_left(record) if record else {}
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
    return [
        {
            **seated._asdict(),
            "fate": f"{fates[seat][1]} after {counted(fates[seat][0], 'action')}" if seat in fates else "",
            "why": display.line(notes.get(seat, "")),
            "tail": [display.line(text) for text in tails.get(seat, ())[-TAIL_LINES:]],
        }
        for seat, seated in enumerate(line.seats, 1)
    ]


def _board(shown: BoardReplay, notation: Notation, deciding: Sequence[int]) -> Context | None:
    """The pictures, or None if the game draws none or is not installed.

    Each of ``frames`` is (ply, caption, ``<use>`` elements, changed ground cells). ``plies``: of all key
    positions.
    """
    if not shown.count:
        return None
    left, top, width, height = shown.box
    last = shown.count - 1
    # The end is the page's board.
    keys = [ply for ply in deciding if ply <= last] or list(shown.captures(MOST_KEYS))
    plies = keys[:MOST_KEY_FRAMES]
    pictures = {ply: still(shown, ply) for ply in (*plies, last)}
    # Few pieces move between key positions: what all pictures have is written once.
    shared = shared_things(shown, tuple(pictures.values())) if plies else frozenset()
    tries = {ply: tried(shown, ply) for ply in shown.tried_at}
    frames = [
        (ply, display.action(notation.numbered(ply - 1)), *_markup(shown, pictures[ply], shared))
        for ply in plies
    ]
    final, over = _markup(shown, pictures[last], shared)
    sprites = definitions(shown, (*pictures.values(), *tries.values()))
    sprites += shared_definitions(shown, shared, pictures[last])
    return {
        "box": f"{left} {top} {width} {height}",
        "width": width,
        "sprites": Markup(sprites),  # noqa: S704 - already escaped
        "ground": Markup(ground(shown)),  # noqa: S704 - already escaped
        "last": last,
        "final": final,
        "over": over,
        "notes": shown.notes(last),
        "position": shown.position(last),
        "frames": frames,
        "tries": {ply: _markup(shown, picture) for ply, picture in tries.items()},
        "plies": keys,
        "captions": [display.action(notation.numbered(ply - 1)) for ply in keys],
    }


def _scenes(game: AnyGame | None, record: Record, log: Sequence[LogLine]) -> Mapping[int, FaultScene]:
    """The scene of each seat's fault."""
    scenes = {}
    for seat, _, _ in record.outcome.faults if game is not None else ():
        notes = [line.text for line in log if line.kind == "note" and line.seat == seat]
        scene = fault_scene(record, game, seat, notes[-1] if notes else "") if game is not None else None
        if scene is not None:
            scenes[seat] = scene
    return scenes


def _markup(
    shown: BoardReplay, picture: Still, shared: frozenset[Thing] = frozenset()
) -> tuple[Markup, Markup]:
    """The things of a position, and the ground cells that differ from the first position's."""
    things, over = picture_markup(shown, picture, shared)
    return Markup(things), Markup(over)  # noqa: S704 - already escaped


def _table(setting: MatchSetting) -> BoardTable | None:
    plan = setting.tournament.plan
    return board_table(setting.game, plan.seats, dict(plan.options)) if setting.game else None


def match_facts(record: Record, game: AnyGame | None, notation: Notation) -> Iterator[Fact]:
    """Yield the facts that differ from record to record: seed, opening and digest."""
    yield Fact("Match seed", display.label(record.seed), code=True)
    if game is not None and (name := game.opening_name([action for _, action in record.actions])):
        yield Fact("Opening", display.label(name))
    if record.opening.length:
        drawn = f"{record.opening.plies} actions, drawn"
        line = display.action(notation.line(0, opening_end(record))) if record.opening.actions else drawn
        yield Fact("Set opening", line)
    yield Fact("Record digest", record.digest, code=True)


def measured_facts(detail: MatchDetail, line: ListedMatch) -> Iterator[Fact]:
    """Yield the measurements of a match: time, host, reproducibility and sandbox."""
    measured = detail.measured
    taken = times_by_seat(detail.record, action_times(measured)) if detail.record else {}
    if measured.started:
        yield Fact("Started", display.label(measured.started))
    if measured.wall_ms is not None:
        yield Fact("Duration", display.milliseconds(float(measured.wall_ms)))
    if measured.host:
        yield Fact("Host", display.label(measured.host))
    for seated, used in zip(line.seats, measured.seats, strict=False):
        # The sum of a seat's actions has microseconds; its own measurement is in whole milliseconds.
        wall = max(float(used.wall_ms), sum(time for _, time in taken.get(seated.seat.number, ())))
        spent = f"{display.milliseconds(wall)} in {counted(used.turns, 'turn')}"
        if used.cpu_ms is not None:
            spent += f"; {display.milliseconds(float(used.cpu_ms))} of CPU, including startup"
        yield Fact(f"Time of {display.isolated(seated.entrant.name)}", spent)
    if measured.reproducible is not None:
        why = ", ".join(measured.why_not)
        yield Fact("Reproducible", "yes" if measured.reproducible else display.line(f"not guaranteed: {why}"))
    if measured.sandbox is not None:
        yield Fact("Sandbox", display.line(measured.sandbox.name))
        by_state: dict[str, list[str]] = {}
        for protection, state_ in measured.sandbox.protections.items():
            by_state.setdefault(state_, []).append(protection)
        # Only protections that are not enforced are named: the others are the same for all matches.
        states = [f"{len(by_state.pop('enforced', ()))} enforced"]
        states += [f"{state_}: {', '.join(names)}" for state_, names in by_state.items()]
        yield Fact("Protections", display.line("; ".join(states)))
