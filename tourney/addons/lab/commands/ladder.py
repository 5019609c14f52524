"""``tourney ladder``: place a bot on the ladder of a game, and list the ladders."""

import shlex
import sys
from dataclasses import replace
from functools import partial
from typing import Literal

import click
from msgspec import structs

from tourney.addons.lab.asking import BotQuestion
from tourney.addons.lab.commands.questions import AskingOptions, print_answer
from tourney.addons.lab.ladder import LadderRule, ladder_limits
from tourney.addons.lab.results import LadderResult
from tourney.bots.catalogue.shipped import ladders
from tourney.cli import options as opt
from tourney.cli.completion import complete_bot
from tourney.cli.entrant_options import EntrantOptions
from tourney.cli.options import option
from tourney.cli.output import current
from tourney.cli.show import log_lines
from tourney.errors import EnvironmentFailure, UsageError
from tourney.files import DEFAULT_DB
from tourney.games.registry import find_game
from tourney.interface.found_match import find_match
from tourney.match.spec import Charge
from tourney.results.columns import Column
from tourney.results.texts import kinds_text
from tourney.run.summary import End
from tourney.schedule.row import MAX_ROWS
from tourney.schema import Document, Part, SandboxLevel
from tourney.store.values import RunSettings
from tourney.texts import counted


class LadderRung(Part, frozen=True, kw_only=True):
    """A rung of a game's ladder, with its fixed rating and the interval of that; null: not rated yet."""

    game: str
    seats: int
    name: str
    bot: str
    args: tuple[str, ...]
    elo: float | None
    low: float | None
    high: float | None


class LaddersDocument(Document, frozen=True, kw_only=True):
    """The rungs of the ladders, of each game the strongest last."""

    format: Literal["tourney-ladders/1"] = "tourney-ladders/1"
    rungs: tuple[LadderRung, ...]


LOG_LINES = 20
SHOWN = 10
"""The most lost games in the table; JSON has all of the result's."""

RUNG_COLUMNS = ("name", "rating", "games", "won", "drawn", "lost", "score", "expected")
LOST_COLUMNS = ("match", "against", "actions", "reason", Column("look", title="look at it by"))
LIST_COLUMNS = (
    *("game", "seats", "name", "bot", "args"),
    Column("elo", title="Elo", right=True),
    Column("low", title="95 % from", right=True),
    Column("high", title="95 % to", right=True),
)


class _LadderRequest(opt.CommandOptions):
    group = "Games"
    game: str | None = option("--game GAME", "Game to play.")
    seats: int | None = option(
        "--seats N", "Seats per table (default: the game's minimum).", type=click.IntRange(2, 4)
    )
    listed: bool = option("--list", "List the rungs of all ladders, or of one game's.")
    width: int = option(
        "--width ELO",
        "Stop once the 95 % interval of the rating is at most this wide to either side.",
        type=click.IntRange(5, 1000),
        default=50,
    )
    games: int = option(
        "--games N",
        "Stop once this many games are played, as seen after each batch.",
        type=click.IntRange(1, MAX_ROWS),
        default=400,
    )
    words: tuple[str, ...] = opt.shared(opt.args_option("bot"))
    programs: EntrantOptions
    move_ms: int = opt.shared(opt.move_ms_option("Time per action that the referee states to bots."))
    charge: Charge = opt.shared(opt.charge_option("wall", "cpu"))
    seed: int | None = opt.shared(opt.seed_option)
    max_faults: int = option(
        "--max-faults N", "Stop with exit code 1 once the games hold this many faults.", default=8
    )
    sandbox: SandboxLevel = opt.shared(opt.sandbox_option)
    reuse: bool = opt.shared(opt.reuse_option)
    asking: AskingOptions
    format_: object = opt.formats(LadderResult, LaddersDocument)

    def question(self, bot: str, game: str) -> BotQuestion[LadderResult]:
        """The question of a bot's place. Raises UsageError and BotError."""
        named = self.programs.read(game, (bot,), bots=self.asking.bots, sandbox=self.sandbox)
        (line,) = named.lines
        return BotQuestion(
            LadderRule(width=self.width, games=self.games),
            (structs.replace(line, args=(*line.args, *self.words)),),
            game,
            seats=self.seats,
            options=named.game_options,
            limits=ladder_limits(self.move_ms, self.charge),
            seed=self.seed,
            max_faults=self.max_faults,
            any_memory=True,
            run=RunSettings(reuse=self.reuse, sandbox=self.sandbox),
        )


@opt.command(
    "ladder",
    _LadderRequest,
    examples=(
        "tourney ladder ./mybot --game sages-tafl",
        "tourney ladder ./mybot --game element --width 30 --games 800",
        "tourney ladder --list --game element",
    ),
)
@click.argument("bot", required=False, shell_complete=complete_bot)
def command(bot: str | None, options: _LadderRequest) -> None:
    """Place a bot on a game's ladder: rated bots that ship, from random to search with many nodes.

    BOT is the name of a stored bot, a path, a program on PATH (`uci:stockfish`), or an entrant of a
    tournament file (`cup.toml#a`). It plays batches of mirrored games against the rungs nearest
    to its strength until its rating is known; the ratings of the rungs are fixed. The result names its rank,
    its rating, the rung to beat next, and the games it lost. Everything is stored as a tournament, and the
    same command continues where it stopped. Exit code 1: its faults keep the bot from being placed.
    """
    game = options.game
    if options.listed:
        if bot is not None:
            raise UsageError("--list lists the ladders: leave out the bot")
        rungs = listed_rungs(game, options.seats)
        current().document(LaddersDocument(rungs=rungs))
        current().table(rungs, LIST_COLUMNS)
        return
    if bot is None or game is None:
        missing = "the bot" if bot is None else "--game GAME"
        raise UsageError(
            f"{missing} is missing: write `tourney ladder BOT --game GAME`, or `tourney ladder --list`"
        )
    db = options.asking.db
    where = "" if db == DEFAULT_DB else f" --db {shlex.quote(db)}"
    answer = options.asking.ask(options.question(bot, game), f"{bot} on the ladder")
    result = answer.result
    summary = answer.summary
    look = f"tourney show --board {result.tournament}/{{}}{where}"
    lost = tuple(structs.replace(game, look=look.format(game.match)) for game in result.lost)
    answer = replace(answer, result=structs.replace(result, lost=lost))
    stopped = summary is not None and summary.end is End.FAULTS
    out = result.ending == "out" or (stopped and bool(result.faults))
    text = partial(_print, db, where, out)
    print_answer(answer, text, result.rungs, RUNG_COLUMNS)
    # The rungs ship with Tourney, so their faults point to the machine.
    if stopped and not out:
        raise EnvironmentFailure(
            f"the rungs were at fault in {result.not_counted} games, not the bot: run `tourney doctor`, or"
            " choose fewer workers by --workers"
        )
    if out:
        sys.exit(1)


def listed_rungs(game: str | None, seats: int | None) -> tuple[LadderRung, ...]:
    """The rungs of the ladders of a game and number of seats (None: all), the strongest last.

    Raises UsageError if there are none.
    """
    listed = []
    for (name, number), rungs in sorted(ladders().items()):
        if game not in (None, name) or seats not in (None, number):
            continue
        for rung in rungs:
            elo, low, high = rung.rating or (None, None, None)
            listed.append(LadderRung.of(rung, game=name, seats=number, elo=elo, low=low, high=high))
    if not listed:
        available = ", ".join(sorted({f"{name} ({number} seats)" for name, number in ladders()}))
        if game is not None:
            find_game(game)
        raise UsageError(f"there is no such ladder; there are ladders of {available}")
    return tuple(listed)


def _print(db: str, where: str, out: bool, result: LadderResult) -> None:
    """Print a bot's place; ``out``: that its faults keep it from one."""
    output = current()
    if out:
        _print_faults(f"{result.bot} cannot be placed: it", result, db)
        output.write(f"\nRun `tourney bots check BOT --game {result.game}` for the cause and for advice.")
        return
    output.write(f"{result.place_sentence()}\n{result.ending_sentence()}\n")
    output.table(result.rungs, RUNG_COLUMNS)
    if following := result.next_sentence():
        output.write(f"\n{following}")
    if result.lost:
        shown = result.lost[:SHOWN]
        output.write(f"\nLost games, the shortest first ({len(shown)} shown):\n")
        rows = [{**structs.asdict(game), "reason": game.fault or game.reason} for game in shown]
        output.table(rows, LOST_COLUMNS)
    if result.faults:
        _print_faults(f"\n{result.bot}", result, db)
    output.write(f"\nStored as {result.tournament}: see `tourney ratings {result.tournament}{where}`")


def _print_faults(who: str, result: LadderResult, db: str) -> None:
    """Print the number of a bot's faults, and the end of its log in its first match with one."""
    first = result.first_fault
    games = counted(sum(result.faults.values()), "game")
    match = first.match if first else ""
    current().write(
        f"{who} was at fault in {games} ({kinds_text(result.faults)}); its log in match {match} ends:\n"
    )
    if first is not None:
        log = find_match(f"{result.tournament}/{first.match}", db).log
        lines = list(log_lines([line for line in log if line.seat in (0, first.seat)]))
        for line in lines[-LOG_LINES:] or ["(the log is empty)"]:
            current().write(line)
