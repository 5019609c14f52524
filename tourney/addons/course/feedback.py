"""The private feedback of an entrant for its author: its lost and faulted matches, and where it loses.

Everything comes from records, which are public, and from the entrant's own part of logs and measurements.
Notes about other seats and about the match as a whole stay out: they may quote another bot.
"""

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Final, NamedTuple

from msgspec import structs

from tourney.addons.course.pages import page
from tourney.check.named_seeds import RandomChannel
from tourney.check.root import disclosure
from tourney.errors import GameError, RecordError
from tourney.games.registry import find_game
from tourney.interface.found_match import FoundMatch
from tourney.match.guided_channel import FollowedRecord, GuidedChannel, unlimited
from tourney.match.play import play_match
from tourney.match.player import Player
from tourney.match.record import Record
from tourney.match.result import LogLine
from tourney.results.columns import decimal
from tourney.results.positions import BotGame, explore, games_of
from tourney.results.standings import compute_standings, interim_sentence
from tourney.results.tables import DataTable
from tourney.store.database import Database
from tourney.store.values import StoredEntrant, Tournament
from tourney.testing import RecordedChannel

_LAST_LINES: Final = 20
"""Lines of a dialogue or of standard error on the page; the files have all."""
_LOSSES: Final = 12
"""Rows of the table where it loses, on the page."""

TIME_COLUMNS: Final = "match ply ms"


class _Loss(NamedTuple):
    """A situation in which points were lost: its matches, the points lost in all, and points a match."""

    by: str
    value: str
    matches: int
    lost: float
    score: float


@dataclass(frozen=True, slots=True)
class LostMatch:
    """A match that the entrant lost or failed in; ``fault`` is "" without one, after ``ply`` actions.

    ``notes`` are the referee's about this seat, ``stderr`` the bot's own last lines. ``slowest``: the longest
    action in milliseconds, as text.
    """

    number: int
    file: str
    seat: int
    opponents: str
    actions: int
    reason: str
    fault: str
    ply: int
    slowest: str
    commands: tuple[str, ...]
    logged: bool
    notes: tuple[str, ...] = ()
    stderr: tuple[str, ...] = ()
    board: str = ""
    dialogue: tuple[str, ...] = ()


def feedback_files(
    database: Database, tournament: Tournament, entrant: StoredEntrant, most: int
) -> Iterator[tuple[str, bytes]]:
    """Yield the files of an entrant's feedback: ``index.html`` last, as it links to the others.

    Of its lost matches, those with faults first, at most ``most`` have files.
    """
    sealed = disclosure(database, tournament).sealed
    every = list(games_of(database, tournament, entrant.number))
    games = [game for game in every if game.number not in sealed]
    lost = sorted(filter(_is_lost, games), key=lambda game: (_fault_of(game) is None, game.number))
    matches: list[LostMatch] = []
    for game in lost[:most]:
        log = _part_of(database.records.log(tournament.id, game.number), game.seat)
        match = _lost_match(game, log)
        matches.append(match)
        yield f"{match.file}.json", game.record.encode() + b"\n"
        if log:
            lines = (f"{line.ply:5}  {line.kind}: {line.text}\n" for line in log)
            yield f"{match.file}.log.txt", "".join(lines).encode("utf-8", "backslashreplace")
        if match.dialogue:
            text = "\n".join((f"# {entrant.name}, match {game.number}", *match.dialogue, ""))
            yield f"{match.file}.dialogue.txt", text.encode("utf-8", "backslashreplace")
    times = [(game.number, ply, ms) for game in games for ply, ms in _times_of(game)]
    yield "times.csv", DataTable.of(TIME_COLUMNS, times).csv()
    losses = _losses(games)
    yield "losses.csv", DataTable.of(" ".join(_Loss._fields), losses).csv()
    standings = compute_standings(database, tournament.id)
    standing = next(line for line in standings if line.number == entrant.number)
    void = sum(
        match.result is not None and match.result.void
        for match in database.matches.all(tournament.id, entrant=entrant.number, finished=True)
    )
    yield (
        "index.html",
        page(
            "feedback.html",
            name=entrant.name,
            tournament=tournament.name,
            bot=f"{entrant.entrant.bot} {entrant.entrant.version}",
            digest=entrant.entrant.digest[:12],
            standing=standing,
            points=decimal(standing.points, 2),
            entrants=len(standings),
            interim=interim_sentence(tournament.complete, database.schedules.progress(tournament.id)),
            void=void,
            sealed=len(every) - len(games),
            faults=[match for match in matches if match.fault],
            lost=matches,
            cut=len(lost) - len(matches),
            times=_summary(times),
            losses=losses[:_LOSSES],
        ),
    )


def _fault_of(game: BotGame) -> tuple[str, int] | None:
    """The kind of the bot's fault, and the number of actions before it."""
    faults = {seat: (str(kind), ply) for seat, kind, ply in game.record.outcome.faults}
    return faults.get(game.seat)


def _is_lost(game: BotGame) -> bool:
    return game.record.outcome.ranks[game.seat - 1] > 1 or _fault_of(game) is not None


def _part_of(log: Sequence[LogLine], seat: int) -> tuple[LogLine, ...]:
    return tuple(line for line in log if line.seat == seat)


def _times_of(game: BotGame) -> Iterator[tuple[int, float]]:
    """Yield the number (from 1) and the milliseconds of each measured action of the bot."""
    for ply, ((actor, _), ms) in enumerate(
        zip(game.record.actions, game.measured.times_ms, strict=False), start=1
    ):
        if actor == game.seat and ms is not None:
            yield ply, float(ms)


def _summary(times: Sequence[tuple[int, int, float]]) -> dict[str, object] | None:
    if not times:
        return None
    match, _, most = max(times, key=lambda row: row[2])
    mean = sum(ms for _, _, ms in times) / len(times)
    return {"actions": len(times), "mean": f"{mean:.1f}", "most": f"{most:.1f}", "match": match}


def _losses(games: Sequence[BotGame]) -> list[_Loss]:
    """The situations in which points were lost, the most expensive first."""
    rows = [
        _Loss(by, value, tally.matches, float(tally.matches - tally.points), round(tally.score, 3))
        for by, answers in explore(games, 0).losses.items()
        for value, tally in answers.items()
        if tally.points < tally.matches
    ]
    return sorted(rows, key=lambda row: (-row.lost, row.by, row.value))


def _lost_match(game: BotGame, log: Sequence[LogLine]) -> LostMatch:
    fault = _fault_of(game)
    file = f"match-{game.number}"
    slowest = max((ms for _, ms in _times_of(game)), default=None)
    match = LostMatch(
        number=game.number,
        file=file,
        seat=game.seat,
        opponents=", ".join(game.opponents),
        actions=len(game.record.actions),
        reason=game.record.outcome.reason,
        fault="" if fault is None else fault[0],
        ply=0 if fault is None else fault[1],
        slowest="" if slowest is None else f"{slowest:.1f}",
        commands=_commands(file, game, fault),
        logged=bool(log),
    )
    if fault is None:
        return match
    stderr = [line.text for line in log if line.kind == "stderr"]
    return replace(
        match,
        notes=tuple(line.text for line in log if line.kind == "note"),
        stderr=tuple(stderr[-_LAST_LINES:]),
        board=_board(game.record, match.ply),
        # A bot that did not start has had no dialogue about the game.
        dialogue=() if match.fault == "startup" else _dialogue(game, match.ply, match.fault),
    )


def _commands(file: str, game: BotGame, fault: tuple[str, int] | None) -> tuple[str, ...]:
    """The commands that show a match and play it with the author's program on the bot's seat."""
    program = shlex.quote(f"./{game.record.seats[game.seat - 1].bot}")
    debug = f"tourney debug {file}.json --seat {game.seat} --bot {program}"
    show = f"tourney show {file}.json"
    return (f"{show} --board" if fault is None else f"{show} --ply {fault[1]}", debug)


def _board(record: Record, ply: int) -> str:
    """The board after some actions; "" if the game's rules are not installed in this version."""
    try:
        *_, last = FoundMatch("", record).positions(ply)
        return last.board().rstrip()
    except (GameError, RecordError):
        return ""


def _dialogue(played: BotGame, ply: int, fault: str) -> tuple[str, ...]:
    """The lines between referee and bot up to a fault, replayed from the record.

    The referee's lines are those for a bot that asks for the legal actions; the bot's are its recorded
    actions.
    """
    record = played.record
    game = find_game(record.game)
    if game.outside or game.rules != record.rules:
        return ()
    actions = tuple(action for _, action in record.actions[:ply])
    guide = FollowedRecord(actions, first=ply + 1)
    lines: list[str] = []
    channels = [GuidedChannel(RandomChannel(), guide) for _ in record.seats]
    players = [
        Player(RecordedChannel(channel, lines) if number == played.seat else channel)
        for number, channel in enumerate(channels, start=1)
    ]
    spec = structs.replace(record.spec, limits=unlimited(record.limits))
    try:
        play_match(spec, game, players)
    except (GameError, RecordError):
        return ()
    # At the end of the record all seats resign, which the bot never did.
    before = takewhile(lambda line: not line.startswith(("> over", "< resign")), lines)
    return (*before, f"# {fault}")
