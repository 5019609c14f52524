"""A match's page: the board with its cockpit, actions, plots of what bots reported, facts and log.

The page's script builds the cockpit from one JSON value (``MatchScript``). Readers without scripts see plain
HTML, kept small: the last board, key positions, the actions round by round, two plots and the facts.
"""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from tourney.match.record import Record
from tourney.match.result import LogLine, Measurements
from tourney.match.verify import written_actions
from tourney.report import display
from tourney.report.display import EntrantLabel, Fact, SeatLabel
from tourney.report.pages.analysis_part import (
    AnalysisPart,
    analysis_part,
    better_lines,
    key_plies,
    with_signs,
)
from tourney.report.pages.bot_info import MatchInfo, read_info
from tourney.report.pages.match_lines import ListedMatch, MatchDetail, MatchSetting
from tourney.report.pages.match_script import (
    MatchPlot,
    MatchScript,
    action_rounds,
    clocks_by_seat,
    clocks_left,
    luck_by_seat,
    match_plots,
    script_json,
    seats_that_left,
    times_by_seat,
)
from tourney.report.replays.board_table import BoardTable, board_table
from tourney.report.replays.replay import BoardReplay, Still, definitions, ground, markup, replay, still

TAIL_LINES = 20
"""Last lines of a failed bot's standard error on its page; ``tourney show --log`` prints the full log."""
MOST_KEYS = 8
"""Key positions of a match."""
MOST_KEY_FRAMES = 2
"""Their pictures for readers without scripts; the script draws all."""
MOST_MS = 1e12
"""Milliseconds of an action, from which a measured time is damaged."""


@dataclass(frozen=True, slots=True)
class MatchJob:
    """All that a match's page shows besides the setting and what is stored of the matches of its group.

    ``group`` is its mirrored group with itself; ``before`` and ``after`` are the neighbors with a page.
    """

    line: ListedMatch
    group: tuple[ListedMatch, ...]
    before: ListedMatch | None
    after: ListedMatch | None

    @property
    def numbers(self) -> tuple[int, ...]:
        """The matches whose records the page may show: its own first."""
        return self.line.number, *(line.number for line in self.group if line.number != self.line.number)


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

    line: ListedMatch
    ply: int
    here: str
    there: str


@dataclass(frozen=True, slots=True)
class MatchBoard:
    """The pictures; each of ``frames`` is (ply, caption, ``<use>`` elements, changed ground cells).

    ``keys`` are the plies of all key positions.
    """

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
    keys: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class MatchPage:
    """The page's template context; ``board`` is None if the game draws none or is not installed.

    ``damaged`` holds the damaged parts that the page omits, each with the reason.
    """

    line: ListedMatch
    headline: str
    seats: tuple[MatchSeat, ...]
    board: MatchBoard | None
    problem: str
    rounds: tuple[str, ...]
    plots: tuple[MatchPlot, ...]
    facts: tuple[Fact, ...]
    measured: tuple[Fact, ...]
    name: str
    group: tuple[ListedMatch, ...]
    mates: tuple[Mate, ...]
    shared_dice: bool
    before: ListedMatch | None
    after: ListedMatch | None
    notes: tuple[str, ...]
    record: Record | None
    data: Markup
    damaged: dict[str, str]
    analysis: AnalysisPart | None

    @property
    def actions(self) -> int:
        """The number of actions."""
        return len(self.record.actions) if self.record else 0

    @property
    def digest_holds(self) -> bool:
        """Whether the record has its own digest."""
        return self.record is not None and self.record.digest == self.record.content_digest()


def match_page(
    setting: MatchSetting, job: MatchJob, detail: MatchDetail, others: Mapping[int, Record], *, measured: bool
) -> MatchPage:
    """The page of a match; ``others`` are the records of its group's other matches that can be read."""
    record, line = detail.record, job.line
    log, times, clocks = _beside(detail) if measured else ((), (), [])
    info, labels = read_info(log), _seat_labels(line)
    shown = _replay(setting, detail)
    written = written_actions(record) if record else ()
    mates = _mates(record, written, job.group, others)
    analysis = analysis_part(detail.analysis, record, written, labels)
    signed, keys = with_signs(written, detail.analysis), key_plies(detail.analysis, record, MOST_KEYS)
    script = None
    if record:
        script = MatchScript(
            file=f"{display.folder(setting.tournament.name)}-{line.number}",
            record=record,
            written=signed,
            seats=labels,
            replay=shown,
            rounds=tuple(action_rounds(record, signed, labels)),
            times=times,
            clocks=clocks,
            info=info,
            waited=max((load.waited_ms for load in detail.measured.load), default=0),
            mates=tuple((mate.line.number, mate.ply) for mate in mates),
            analysis=analysis,
        )
    return MatchPage(
        line=line,
        headline=headline(line, record),
        seats=_seats(record, line, log),
        board=_board(shown, written, keys) if shown.count else None,
        analysis=analysis,
        problem=shown.problem,
        rounds=script.rounds if script else (),
        plots=_plots(record, line, info, times, clocks),
        facts=tuple(match_facts(record)) if record else (),
        measured=tuple(measured_facts(detail, line)) if measured else (),
        name=display.label(shlex.quote(f"{setting.tournament.name}/{line.number}")),
        group=job.group,
        mates=mates,
        shared_dice=setting.tournament.plan.mirrored_dice,
        before=job.before,
        after=job.after,
        notes=tuple(display.line(entry.text) for entry in log if entry.kind == "note" and not entry.seat),
        record=record,
        data=script_json(script.data()) if script else Markup(),
        damaged={part: why for part, why in detail.damaged if measured or part in {"record", "analysis"}},
    )


def _replay(setting: MatchSetting, detail: MatchDetail) -> BoardReplay:
    record, lines = detail.record, better_lines(detail.analysis)
    return replay(setting.game, record, _table(setting), lines) if record else BoardReplay()


def _beside(
    detail: MatchDetail,
) -> tuple[Sequence[LogLine], Sequence[float | None], Sequence[Sequence[int]]]:
    """The log, the times of the actions, and the clocks after them."""
    times = _times(detail.measured)
    return detail.log, times, clocks_left(detail.record, times) if detail.record else []


def _seat_labels(line: ListedMatch) -> tuple[SeatLabel, ...]:
    return tuple(seated.seat for seated in line.seats)


def _plots(
    record: Record | None,
    line: ListedMatch,
    info: MatchInfo,
    times: Sequence[float | None],
    clocks: Sequence[Sequence[int]],
) -> tuple[MatchPlot, ...]:
    # A bot that failed may have printed info for an action that it did not play.
    printed = [seat.plies[-1] for seat in info.seats.values() if seat.plies]
    last = max([len(record.actions) if record else 0, *printed])
    spent = times_by_seat(record, times) if record else {}
    luck = luck_by_seat(record) if record else {}
    return tuple(match_plots(info, spent, clocks_by_seat(clocks), luck, _seat_labels(line), last))


def _mates(
    record: Record | None,
    written: Sequence[str],
    group: Sequence[ListedMatch],
    others: Mapping[int, Record],
) -> tuple[Mate, ...]:
    """The matches of a group that have a page and the seed of the record."""
    found = []
    for line in group:
        other = others.get(line.number)
        if record is None or other is None or not line.href or other.seed != record.seed:
            continue
        ply = first_difference(record.actions, other.actions)
        texts = (written, written_actions(other) if ply else ())
        here, there = (display.action(each[ply - 1]) if 0 < ply <= len(each) else "" for each in texts)
        found.append(Mate(line, ply, here, there))
    return tuple(found)


def first_difference(one: Sequence[tuple[int, str]], other: Sequence[tuple[int, str]]) -> int:
    """The ply, from 1, of the first action that only one of two matches has, or 0 if none."""
    for ply, (a, b) in enumerate(zip(one, other, strict=False), 1):
        if a != b:
            return ply
    return 0 if len(one) == len(other) else min(len(one), len(other)) + 1


def headline(line: ListedMatch, record: Record | None) -> str:
    """How a match ended, as a sentence without a full stop."""
    if line.void:
        return "Void: " + (line.note or "it counts for nothing")
    winners = [seated for seated in line.seats if seated.rank == 1]
    how = f": {line.reason}" if line.reason not in {"fault", "resign"} else ""
    if record is not None and (ended := record.outcome.adjudication):
        how += " by tablebase" if ended.rule == "tablebase" else " by score"
    if len(winners) == len(line.seats):
        return f"A draw{how}"
    first = " and ".join(
        f"{display.isolated(seated.entrant.name)} ({seated.seat.name})" for seated in winners
    )
    if len(line.seats) == 2:
        loser = next(seated for seated in line.seats if seated.rank > 1)
        because = ": resignation" if line.reason == "resign" else how
        because = f": {display.fault(loser.fault)}" if loser.fault else because
        return f"{first} beat {display.isolated(loser.entrant.name)} ({loser.seat.name}){because}"
    return f"{first} {'wins' if len(winners) == 1 else 'share first place'}{how}"


def _seats(record: Record | None, line: ListedMatch, log: Sequence[LogLine]) -> tuple[MatchSeat, ...]:
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
    return tuple(
        MatchSeat(
            seat=seated.seat,
            entrant=seated.entrant,
            digest=record.seats[k].digest if record else "",
            result=seated.result,
            won=seated.won,
            fate=f"{fates[k + 1][1]} after {display.count(fates[k + 1][0], 'action')}"
            if k + 1 in fates
            else "",
            why=display.line(notes.get(k + 1, "")),
            tail=tuple(map(display.line, tails.get(k + 1, ())[-TAIL_LINES:])),
        )
        for k, seated in enumerate(line.seats)
    )


def _times(measured: Measurements) -> tuple[float | None, ...]:
    """The milliseconds of each action; impossible ones are None."""
    return tuple([float(t) if t is not None and 0 <= t < MOST_MS else None for t in measured.times_ms])


def _board(shown: BoardReplay, written: Sequence[str], deciding: Sequence[int]) -> MatchBoard:
    left, top, width, height = shown.box
    last = shown.count - 1
    # The end is the page's board.
    keys = [ply for ply in deciding if ply <= last] or list(shown.captures(MOST_KEYS))
    plies = keys[:MOST_KEY_FRAMES]
    pictures = {ply: still(shown, ply) for ply in (*plies, last)}
    frames = [
        (ply, f"{ply}. {display.action(written[ply - 1])}", *_markup(shown, pictures[ply])) for ply in plies
    ]
    final, over = _markup(shown, pictures[last])
    return MatchBoard(
        box=f"{left} {top} {width} {height}",
        width=width,
        sprites=Markup(definitions(shown, pictures.values())),  # noqa: S704 - already escaped
        ground=Markup(ground(shown)),  # noqa: S704 - already escaped
        last=last,
        final=final,
        over=over,
        notes=shown.notes(last),
        position=shown.position(last),
        frames=tuple(frames),
        keys=tuple(keys),
    )


def _markup(shown: BoardReplay, picture: Still) -> tuple[Markup, Markup]:
    """The things of a position, and the ground where it differs from the first one."""
    over, things = (markup(shown, part) for part in picture)
    return Markup(things), Markup(over)  # noqa: S704 - already escaped


def _table(setting: MatchSetting) -> BoardTable | None:
    plan = setting.tournament.plan
    return board_table(setting.game, plan.seats, dict(plan.options)) if setting.game else None


def match_facts(record: Record) -> Iterator[Fact]:
    """Yield what a record has of its own: seed, opening and digest. Its tournament has the rest."""
    yield Fact("Match seed", display.label(record.seed), code=True)
    if record.opening.length:
        yield Fact(
            "Opening", display.line(" ".join(record.opening.actions) or f"{record.opening.plies} actions")
        )
    yield Fact("Record digest", record.digest, code=True)


def measured_facts(detail: MatchDetail, line: ListedMatch) -> Iterator[Fact]:
    """Yield the measurements of a match: time, host, reproducibility and sandbox."""
    measured = detail.measured
    taken = times_by_seat(detail.record, _times(measured)) if detail.record else {}
    if measured.started:
        yield Fact("Started", display.label(measured.started))
    if measured.wall_ms is not None:
        yield Fact("Duration", display.milliseconds(float(measured.wall_ms)))
    if measured.host:
        yield Fact("Host", display.label(measured.host))
    for seated, used in zip(line.seats, measured.seats, strict=False):
        # The sum of a seat's actions has microseconds; its own measurement is in whole milliseconds.
        wall = max(float(used.wall_ms), sum(time for _, time in taken.get(seated.seat.number, ())))
        spent = f"{display.milliseconds(wall)} in {display.count(used.turns, 'turn')}"
        if used.cpu_ms is not None:
            spent += f"; {display.milliseconds(float(used.cpu_ms))} of CPU, including startup"
        yield Fact(f"Time of {seated.seat.name}", spent)
    if measured.reproducible is not None:
        why = ", ".join(measured.why_not)
        yield Fact("Reproducible", "yes" if measured.reproducible else display.line(f"not guaranteed: {why}"))
    if measured.sandbox is not None:
        yield Fact("Sandbox", display.line(measured.sandbox.name))
        by_state: dict[str, list[str]] = {}
        for protection, state_ in measured.sandbox.protections.items():
            by_state.setdefault(state_, []).append(protection)
        # Only protections that are not enforced are named: the others are the same for all matches.
        said = [f"{len(by_state.pop('enforced', ()))} enforced"]
        said += [f"{state_}: {', '.join(names)}" for state_, names in by_state.items()]
        yield Fact("Protections", display.line("; ".join(said)))
