"""``tourney analyze``: value the positions of matches by a reference bot."""

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

import click

from tourney.addons.lab.commands.positions import entrant_number
from tourney.bots.catalogue.store import BotStore
from tourney.bots.sandbox.sandbox import open_sandbox
from tourney.check.record import record_notation
from tourney.check.reruns import AnalysisRun, Replayed, find_analyser
from tourney.cli import options as opt
from tourney.cli.options import option
from tourney.cli.output import counting, current
from tourney.cli.run_options import ReplayOptions
from tourney.errors import BotError, InputError, UsageError
from tourney.interface.found_match import check_match_name, is_file, read_match
from tourney.interface.playing import split_bot
from tourney.match.analysis import Analyser, Analysis, Mark, better_notation
from tourney.match.record import Record
from tourney.protocol import SURE_WIN
from tourney.run.private_paths import private_paths
from tourney.schema import Document, Part
from tourney.store.database import Database
from tourney.store.values import Tournament
from tourney.texts import counted


class AnalyzedAction(Part, frozen=True, kw_only=True):
    """An action and what the analyser says of the position before it.

    `action` counts from 1. `value` is the seat's chance to win, `loss` what the played action lost of it,
    null where that is unknown. `played` is null behind the last action of a match that ended without a
    result of the game.
    """

    action: int
    seat: int
    played: str | None
    value: float
    best: str
    line: tuple[str, ...]
    loss: float | None
    mark: Mark | None


class AnalyzedSeat(Part, frozen=True, kw_only=True):
    """A seat's accuracy in percent (null if no loss is known), and the number of its marks."""

    entrant: str
    accuracy: float | None
    inaccuracies: int
    mistakes: int
    blunders: int


class AnalyzedMatch(Part, frozen=True, kw_only=True):
    """The analysis of a match."""

    match: str
    record: str
    seats: tuple[AnalyzedSeat, ...]
    actions: tuple[AnalyzedAction, ...]


class AnalysisDocument(Document, frozen=True, kw_only=True):
    """Analyses by one reference bot; `failed` are sentences on matches that could not be valued.

    `reproducible`: the bot's limit is a number of nodes, so the same analysis comes out again.
    """

    format: Literal["tourney-analyses/1"] = "tourney-analyses/1"
    analyser: str
    reproducible: bool
    matches: tuple[AnalyzedMatch, ...]
    failed: tuple[str, ...]


class _AnalyzeRequest(opt.CommandOptions):
    bot: str | None = option("--bot NAME", "Value all lost matches of this entrant.")
    tournament: str | None = option("--tournament NAME", "Of this tournament. [default: the one begun last]")
    every: bool = option("--all", "With --bot, all its matches, not only the lost ones.")
    reference: str = option(
        "--with BOT",
        "Reference bot: a name or path, with arguments if quoted, or an engine as uci:stockfish; NAME-N sets"
        " --nodes N.",
        default="mcts-1000",
    )
    nodes: int | None = option("--nodes N", "Nodes per action, so that the same analysis comes out again.")
    move_ms: int | None = option("--move-ms MS", "Time per action instead.")
    local: ReplayOptions
    format_: object = opt.formats(AnalysisDocument, formats=opt.TEXT)
    db: str = opt.shared(opt.db_option)
    bots: str = opt.shared(opt.bots_option)


@opt.command("analyze", _AnalyzeRequest)
@click.argument("match", required=False)
def command(match: str | None, options: _AnalyzeRequest) -> None:
    """Value every position of MATCH, or of the lost matches of a bot, by a reference bot.

    MATCH is a number (12 or autumn-cup/12) or a file with one record. The reference bot sees each position
    by the protocol and must print `info win=` or `info score=`; UCI engines do. Values are chances to win.
    Prints the actions that lost 5 % (inaccuracy), 10 % (mistake) or 15 % (blunder) of winning, with the
    better action, and each bot's accuracy.

    An analysis is stored beside the record and shown on the match's page. What this bot has valued with the
    same limit is not valued again. Ctrl-C finishes the matches in work; a second one stops at once.
    """
    if (match is None) == (options.bot is None):
        raise UsageError("give MATCH or --bot NAME")
    analyser = find_analyser(
        split_bot(options.reference),
        BotStore(Path(options.bots).absolute()),
        open_sandbox(options.local.sandbox, private_paths(options.db, Path(options.bots))),
        nodes=options.nodes,
        move_ms=options.move_ms,
    )
    result = _Analyses()
    if match is not None and is_file(match):
        source = read_match(match)
        for valued in _valued(1, lambda _: source.record, analyser, options):
            result.add(source.label, source.record, valued.analysis, valued.findings)
    else:
        with Database.open(options.db, write=True) as database:
            _value_stored(database, match, options, analyser, result)
    matches = tuple(result.matches)
    failed = tuple(result.failed)
    label = analyser.label
    current().document(AnalysisDocument.of(analyser, analyser=label, matches=matches, failed=failed))
    if failed:
        raise InputError("; ".join(failed))


@dataclass
class _Analyses:
    """The analyses so far, and sentences on the matches without one."""

    matches: list[AnalyzedMatch] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)

    def add(self, label: str, record: Record, analysis: Analysis | None, findings: Sequence[str]) -> None:
        if analysis is None:
            self.failed.append(f"{label}: {'; '.join(findings)}")
        else:
            self.matches.append(_match_part(label, record, analysis))
            current().text(*_lines(self.matches[-1], record, analysis))


def _chosen(
    database: Database, match: str | None, options: _AnalyzeRequest
) -> tuple[Tournament, Sequence[int]]:
    """The tournament and the numbers of the matches to value. Raises UsageError."""
    if match is not None:
        check_match_name(match)
        chosen = database.matches.find(match, options.tournament)
        return database.tournaments.by_id(chosen.tournament), [chosen.number]
    tournament = database.tournaments.get(options.tournament)
    entrant = entrant_number(database, tournament, options.bot or "")
    return tournament, [
        match.number
        for match in database.matches.all(tournament.id, entrant=entrant, finished=True)
        if match.result is not None
        and match.result.digest
        and not match.result.void
        and (options.every or match.result.ranks[match.seats.index(entrant)] > 1)
    ]


def _value_stored(
    database: Database,
    match: str | None,
    options: _AnalyzeRequest,
    analyser: Analyser,
    result: _Analyses,
) -> None:
    """Value the chosen matches that are not valued yet, store each, and add all to the result."""
    tournament, numbers = _chosen(database, match, options)
    analyses = database.analyses
    key = analyser.key
    load = database.records.get
    if not numbers:
        current().say(f"{options.bot} has no lost match in {tournament.name}")
    done = analyses.done(tournament.id, key)
    # An analysis with the same bot and limit is never made twice: it may have taken hours.
    todo = [number for number in numbers if number not in done]
    failed: dict[int, tuple[str, ...]] = {}
    for valued in _valued(len(todo), lambda index: load(tournament.id, todo[index]), analyser, options):
        if valued.analysis is None:
            failed[todo[valued.index]] = valued.findings
        else:
            analyses.keep(tournament.id, todo[valued.index], valued.analysis)
    for number in numbers:
        stored = next(
            (valued for valued in analyses.of(tournament.id, number) if valued.analyser.key == key), None
        )
        if stored or number in failed:
            label = f"match {number} of {tournament.name}"
            result.add(label, load(tournament.id, number), stored, failed.get(number, ()))


def _valued(
    count: int, load: Callable[[int], Record], analyser: Analyser, options: _AnalyzeRequest
) -> Iterator[Replayed]:
    """Yield each match once workers have valued it, and show the progress."""
    if not count:
        return
    bot = BotStore(Path(options.bots)).fetch(analyser.bot.digest)
    # Refused before any worker starts, rather than once for each match.
    for game in sorted({load(index).game for index in range(count)}):
        if not bot.manifest.plays(game):
            raise BotError(f"{bot.label} does not play {game}; name another bot by --with")
    run = AnalysisRun(
        count,
        load,
        options.local.executor(count),
        analyser,
        bots=Path(options.bots).absolute(),
        sandbox=options.local.sandbox,
    )
    with counting(current(), "analyze", "matches") as step:
        step(0, count)
        for done, valued in enumerate(run.run(), 1):
            step(done, count)
            yield valued
    if run.stopped_by:
        current().say("stopped: what was valued is stored; the same command goes on")
        sys.exit(128 + run.stopped_by)


def _match_part(label: str, record: Record, analysis: Analysis) -> AnalyzedMatch:
    return AnalyzedMatch(
        match=label,
        record=record.digest,
        seats=tuple(
            AnalyzedSeat(
                entrant=entrant.name,
                accuracy=analysis.accuracy(seat),
                blunders=(marks := analysis.marks_of(seat))["blunder"],
                mistakes=marks["mistake"],
                inaccuracies=marks["inaccuracy"],
            )
            for seat, entrant in enumerate(record.seats, start=1)
        ),
        actions=tuple(
            AnalyzedAction(
                action=point.ply + 1,
                seat=point.seat,
                played=record.actions[point.ply][1] if point.ply < len(record.actions) else None,
                value=point.value / SURE_WIN,
                best=point.best,
                line=point.line,
                loss=None if point.loss is None else point.loss / SURE_WIN,
                mark=point.mark,
            )
            for point in analysis.points
        ),
    )


def _lines(part: AnalyzedMatch, record: Record, analysis: Analysis) -> Iterator[str]:
    """Yield the marked actions as people write them, and the accuracies."""
    yield part.match
    notation = record_notation(record)
    for turn in analysis.marked:
        after = turn.value - (turn.loss or 0)
        better = better_notation(record, turn, _SHOWN).line(turn.ply)
        # A terminal's user may copy an action, and words of notations hold together by no-break spaces.
        line = (
            f"  {notation.numbered(turn.ply, turn.sign)} ({record.seats[turn.seat - 1].name}): {turn.mark},"
            f" {100 * turn.value / SURE_WIN:.0f} % -> {100 * after / SURE_WIN:.0f} %; better {better}"
        )
        yield line.replace("\N{NO-BREAK SPACE}", " ")
    for seat in part.seats:
        share = "not known" if seat.accuracy is None else f"{seat.accuracy:.1f} %"
        counts = (
            counted(seat.blunders, "blunder"),
            counted(seat.mistakes, "mistake"),
            counted(seat.inaccuracies, "inaccuracy", "inaccuracies"),
        )
        yield f"  {seat.entrant}: accuracy {share}; {', '.join(counts)}"


_SHOWN: Final = 6
"""Actions of a better line in a line of text."""
