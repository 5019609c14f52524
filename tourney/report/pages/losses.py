"""Why a bot lost: its lost games by cause with the action where each fell, its accuracy, its worst actions.

Accuracies and worst actions are those of stored analyses. A game without one fell where the bot's own reports
of its chance did, or else at its last action.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import nlargest
from itertools import pairwise
from typing import Final, NamedTuple
from urllib.parse import quote

from markupsafe import Markup

from tourney.check.record import record_notation
from tourney.errors import GameError, StoreDamaged
from tourney.games.notation import Notation
from tourney.match.analysis import Analysis, ValuedTurn
from tourney.match.record import Record
from tourney.match.result import LogLine
from tourney.protocol import SURE_WIN, win_chance
from tourney.report import display
from tourney.report.compact_matches import FinishedMatch, place_of
from tourney.report.display import EntrantLabel
from tourney.report.output.layout import Context, File
from tourney.report.output.rendering import Renderer
from tourney.report.pages.match_lines import ListedMatch
from tourney.report.replays.board_table import FrameDrawer, SeenView, board_table
from tourney.report.replays.replay import BoardReplay, definitions, ground, markup, still
from tourney.results.tables import DataTable
from tourney.store.column_reading import analysis_in, unpack_parts

MOST_GAMES: Final = 12  # lost games on a bot's page
MOST_OF_A_CAUSE: Final = 4
LEAST_GAMES: Final = 3
ALL_GAMES: Final = 1_000  # lost games on all pages, if that leaves LEAST_GAMES for each bot
MOST_WORST: Final = 6  # worst actions on a bot's page
LEAST_FALL: Final = 50  # thousandths: an inaccuracy


class WorstAction(NamedTuple):
    """A marked action of a match."""

    loss: int
    match: int
    turn: ValuedTurn


@dataclass(slots=True)
class BotAccuracy:
    """A bot's accuracy in its analyzed matches, its marks, and its actions that lost most."""

    matches: int = 0
    shares: list[float] = field(default_factory=list)
    blunders: int = 0
    mistakes: int = 0
    inaccuracies: int = 0
    marked: list[WorstAction] = field(default_factory=list)

    @property
    def percent(self) -> str:
        """The mean of its actions' accuracies as printed, without a sign."""
        return display.number(sum(self.shares) / len(self.shares), 1) if self.shares else display.MISSING


def accuracies(make: Renderer) -> Mapping[int, BotAccuracy]:
    """The accuracy of each entrant that has an analyzed match."""
    source = make.source
    by_entrant: dict[int, BotAccuracy] = {}
    for number, analysis in source.analyses():
        match = source.matches[place_of(source.matches, number)]
        if match.result.void:
            continue
        for seat, entrant in enumerate(match.seats, 1):
            accuracy = by_entrant.setdefault(entrant, BotAccuracy())
            accuracy.matches += 1
            accuracy.shares += analysis.shares(seat)
            marks = analysis.marks_of(seat)
            accuracy.blunders += marks["blunder"]
            accuracy.mistakes += marks["mistake"]
            accuracy.inaccuracies += marks["inaccuracy"]
            marked = [
                WorstAction(turn.loss or 0, number, turn) for turn in analysis.marked if turn.seat == seat
            ]
            accuracy.marked = nlargest(
                MOST_WORST,
                (*accuracy.marked, *marked),
                key=lambda worst: (worst.loss, -worst.match, -worst.turn.ply),
            )
    return by_entrant


def files(make: Renderer) -> Iterator[File]:
    """Yield the table of accuracies, if a match was analyzed."""
    rows = [
        (
            make.source.entrants[line.number].name,
            accuracy.matches,
            float(accuracy.percent) if accuracy.shares else None,
            *(accuracy.blunders, accuracy.mistakes, accuracy.inaccuracies),
        )
        for line in make.source.standings
        if (accuracy := make.once(accuracies).get(line.number)) is not None
    ]
    if rows:
        columns = "entrant matches accuracy_percent blunders mistakes inaccuracies"
        yield from make.tables("data/accuracy", DataTable.of(columns, rows))


class Fall(NamedTuple):
    """Where a game fell for a seat: after ``ply`` actions, by an ``action`` ("" for none).

    ``chances`` are those before and after it, ``by`` says whose they are; "" if they are not known.
    """

    ply: int
    action: str = ""
    chances: str = ""
    by: str = ""


class LostGame(NamedTuple):
    """A lost game, the bot's opponents in it, and where it fell."""

    line: ListedMatch
    opponents: tuple[EntrantLabel, ...]
    fall: Fall

    @property
    def href(self) -> str:
        """The link to the position behind the action, or "" if the match has no page."""
        return f"{self.line.href}#ply={self.fall.ply}" if self.line.href else ""


class LossCause(NamedTuple):
    """A cause of losses: the number of games, some of them, and the link to the list of all."""

    words: str
    fault: bool
    total: int
    games: tuple[LostGame, ...]
    href: str


class _Loss(NamedTuple):
    """A lost match, the seat of the bot, and the kind of its fault or ""."""

    match: FinishedMatch
    seat: int
    fault: str


def lost_games(make: Renderer) -> Mapping[int, Sequence[LossCause]]:
    """The losses of each bot by cause: its own faults first, then the most frequent ones."""
    source = make.source
    losses: defaultdict[int, defaultdict[tuple[str, bool], list[_Loss]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for match in source.matches:
        result = match.result
        for seat, (entrant, rank) in enumerate(zip(match.seats, result.ranks, strict=True), 1):
            if rank > 1 and not result.void:
                fault = result.faults[seat - 1] or ""
                words = display.fault(fault) if fault else source.reason(result.reason)
                losses[entrant][words, bool(fault)].append(_Loss(match, seat, fault))
    # Records are read one by one, so all bots share a budget.
    most = max(LEAST_GAMES, min(MOST_GAMES, ALL_GAMES // max(1, len(losses))))
    chosen = {entrant: _chosen(make, causes, most) for entrant, causes in losses.items()}
    numbers = sorted({loss.match.number for some in chosen.values() for _, of in some for loss in of})
    parts = _falls(make, numbers)
    return {
        entrant: tuple(
            LossCause(
                words,
                fault,
                len(losses[entrant][words, fault]),
                tuple(_lost_game(make, loss, parts) for loss in some),
                _list_link(source.labels[entrant].slug, "" if fault else words),
            )
            for (words, fault), some in causes
        )
        for entrant, causes in chosen.items()
    }


def _chosen(
    make: Renderer, causes: Mapping[tuple[str, bool], list[_Loss]], most: int
) -> list[tuple[tuple[str, bool], list[_Loss]]]:
    """The causes in order, each with the games to show: those against the weakest opponents."""

    def strength(loss: _Loss) -> tuple[float, int]:
        ranks = loss.match.result.ranks
        winners = (
            entrant for entrant, rank in zip(loss.match.seats, ranks, strict=True) if rank == min(ranks)
        )
        return min(make.source.elo[entrant].elo for entrant in winners), loss.match.number

    ordered = sorted(causes.items(), key=lambda item: (not item[0][1], -len(item[1]), item[0][0]))
    chosen = []
    for cause, every in ordered:
        some = sorted(every, key=strength)[: max(1, min(MOST_OF_A_CAUSE, most))]
        most -= len(some)
        chosen.append((cause, some))
    return chosen


def _list_link(slug: str, end: str) -> str:
    """The list of a bot's lost matches with an end, or with a fault."""
    return f"matches.html#bot={slug}&result=lost&" + (f"end={quote(end)}" if end else "fault=any")


FallOf = Callable[[FinishedMatch, int], Fall]


def _falls(make: Renderer, numbers: Sequence[int]) -> FallOf:
    """A function that finds where a match of ``numbers`` fell for a seat."""
    parts = make.source.parts(numbers)

    def fall(match: FinishedMatch, seat: int) -> Fall:
        packed = parts.get(match.number)
        if packed is None:
            return Fall(match.result.actions)
        # What a bot reports is a measurement, as the times are.
        log_of = packed if make.measured else packed._replace(log=None)
        try:
            record, log, _ = unpack_parts(log_of._replace(measured=None), len(match.seats))
            analysis = analysis_in(packed)
        except StoreDamaged:  # the page of the match names it
            return Fall(match.result.actions)
        return Fall(match.result.actions) if record is None else fall_of(record, seat, log, analysis)

    return fall


def _lost_game(make: Renderer, loss: _Loss, fall_of_match: FallOf) -> LostGame:
    opponents = tuple(
        make.source.labels[entrant] for seat, entrant in enumerate(loss.match.seats, 1) if seat != loss.seat
    )
    return LostGame(make.line_of(loss.match.number), opponents, fall_of_match(loss.match, loss.seat))


def fall_of(record: Record, seat: int, log: Sequence[LogLine], analysis: Analysis | None) -> Fall:
    """Where a game fell for a seat: at its fault, by analysis, by its own reports, or at its last action."""
    for actor, _, count in record.outcome.faults:
        if actor == seat:
            return Fall(count)
    notation = record_notation(record)
    turns = [turn for turn in analysis.marked if turn.seat == seat] if analysis is not None else []
    if analysis is not None and turns:
        worst = max(turns, key=lambda turn: (turn.loss or 0, -turn.ply))
        action = display.action(notation.numbered(worst.ply, worst.sign))
        by = f"by {display.label(analysis.analyser.bot.name)}"
        return Fall(worst.ply + 1, action, _chances(worst.value, worst.value - (worst.loss or 0)), by)
    reports = {
        line.ply: chance
        for line in log
        if line.kind == "info" and line.seat == seat and (chance := win_chance(line.text)) is not None
    }
    falls = [
        (ply, before, after)
        for (ply, before), (_, after) in pairwise(sorted(reports.items()))
        if before - after >= LEAST_FALL and ply < len(record.actions)
    ]
    if falls:
        ply, before, after = max(falls, key=lambda fall: (fall[1] - fall[2], -fall[0]))
        return Fall(ply + 1, _action(notation, ply), _chances(before, after), "as it saw it")
    last = max((ply for ply, (actor, _) in enumerate(record.actions) if actor == seat), default=-1)
    return Fall(last + 1, _action(notation, last)) if last >= 0 else Fall(len(record.actions))


def _action(notation: Notation, ply: int) -> str:
    return display.action(notation.numbered(ply))


def _chances(before: int, after: int) -> str:
    return f"{100 * before / SURE_WIN:.0f} % to {100 * after / SURE_WIN:.0f} %"


def worst_part(make: Renderer, number: int) -> Context | None:
    """The context of a bot's worst actions, with a board behind each; None without any.

    Each of ``actions`` is (line of the match, ply, caption, chances, ``<use>`` elements, changed ground
    cells).
    """
    source = make.source
    game = source.game
    accuracy = make.once(accuracies).get(number)
    if game is None or accuracy is None or not accuracy.marked:
        return None
    plan = source.tournament.plan
    table = board_table(game, plan.seats, dict(plan.options))
    drawer = FrameDrawer(game, table)
    views: list[SeenView] = []
    shown = []
    for worst in accuracy.marked:
        record = source.detail(worst.match).record
        if record is None:
            continue
        ply = worst.turn.ply
        try:
            state = game.new(len(record.seats), record.options)
            for _, text in record.actions[: ply + 1]:
                state = state.play(game.read_action(state, text))
        except GameError:  # other rules, or a forged record: its own page says so
            continue
        views.append((state.position(), record.actions[ply][1]))
        shown.append((worst, record_notation(record)))
    if not views:
        return None
    film = BoardReplay(open=drawer.frames(views), drawn_with=table)
    pictures = [still(film, picture) for picture in range(len(views))]
    left, top, width, height = table.box
    actions = []
    for (worst, notation), picture in zip(shown, pictures, strict=True):
        turn = worst.turn
        over, things = (Markup(markup(film, part)) for part in picture)  # noqa: S704 - already escaped
        caption = display.action(notation.numbered(turn.ply, turn.sign))
        chances = _chances(turn.value, turn.value - worst.loss)
        actions.append((make.line_of(worst.match), turn.ply + 1, caption, chances, things, over))
    return {
        "box": f"{left} {top} {width} {height}",
        "width": width,
        "sprites": Markup(definitions(film, pictures)),  # noqa: S704 - already escaped
        "ground": Markup(ground(film)),  # noqa: S704 - already escaped
        "actions": actions,
    }
