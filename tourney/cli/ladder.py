"""``tourney ladder``: place a bot on the ladder of a game, and list the ladders."""

import shlex
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import click

from tourney.cli.completion import complete_bot, complete_game
from tourney.cli.documents.compare import LadderDocument, LaddersDocument
from tourney.cli.options import (
    DEFAULT_DB,
    args_option,
    bots_option,
    charge_option,
    db_option,
    formats_option,
    move_ms_option,
    output_options,
    reuse_option,
    sandbox_option,
    seed_option,
)
from tourney.cli.output import Format, Output, current
from tourney.cli.run_options import deadline_options, max_faults_option, play_request, workers_option
from tourney.cli.show import find_match, log_lines
from tourney.errors import EnvironmentFailure, GameError, UsageError
from tourney.games.registry import find_game
from tourney.match.spec import Charge
from tourney.results.columns import Column
from tourney.run.engine.stopping import Deadline
from tourney.run.monitoring.summary import End
from tourney.schedule.row import MAX_ROWS
from tourney.store.values import RunSettings, SandboxLevel

LOG_LINES = 20
"""The last lines of a log that are shown."""
SHOWN = 10
"""The most lost games in the table; JSON has all of the result's."""

RUNG_COLUMNS = (
    Column("name"),
    Column("rating", right=True),
    Column("games", right=True),
    Column("won", right=True),
    Column("drawn", right=True),
    Column("lost", right=True),
    Column("score", right=True),
    Column("expected", right=True),
)
LOST_COLUMNS = (
    Column("match", right=True),
    Column("against"),
    Column("actions", right=True),
    Column("reason"),
    Column("look", title="look at it by"),
)
LIST_COLUMNS = (
    Column("game"),
    Column("seats", right=True),
    Column("name"),
    Column("bot"),
    Column("args"),
    Column("elo", title="Elo", right=True),
    Column("low", title="95 % from", right=True),
    Column("high", title="95 % to", right=True),
)


@click.command("ladder")
@click.argument("bot", required=False, shell_complete=complete_bot)
@click.option("--game", metavar="GAME", shell_complete=complete_game, help="Game to play.")
@click.option(
    "--seats", type=click.IntRange(2, 4), metavar="N", help="Seats per table (default: the game's minimum)."
)
@click.option("--list", "listed", is_flag=True, help="List the rungs of all ladders, or of one game's.")
@click.option(
    "--width",
    type=click.IntRange(5, 1000),
    default=50,
    show_default=True,
    metavar="ELO",
    help="Stop once the 95 % interval of the rating is at most this wide to either side.",
)
@click.option(
    "--games",
    type=click.IntRange(1, MAX_ROWS),
    default=400,
    show_default=True,
    metavar="N",
    help="Stop once this many games are played, as seen after each batch.",
)
@args_option("bot")
@move_ms_option("Time per action that the referee states to bots.")
@charge_option("wall", "cpu")
@seed_option
@max_faults_option("Stop with exit code 1 once the games hold this many faults.", 8)
@sandbox_option
@reuse_option
@workers_option()
@deadline_options
@db_option
@bots_option
@formats_option(LadderDocument, LaddersDocument)
@output_options
def command(
    bot: str | None,
    game: str | None,
    seats: int | None,
    listed: bool,
    width: int,
    games: int,
    words: tuple[str, ...],
    move_ms: int,
    charge: Charge,
    seed: int | None,
    max_faults: int,
    sandbox: SandboxLevel,
    reuse: bool,
    workers: int | None,
    deadline: Deadline,
    db: str,
    bots: str,
    format_: Format,
) -> None:
    """Place a bot on a game's ladder: rated bots that ship, from random to search with many nodes.

    BOT is the name of a stored bot, or a path. It plays batches of mirrored games against the rungs nearest
    to its strength until its rating is known; the ratings of the rungs are fixed. The result names its rank,
    its rating, the rung to beat next, and the games it lost. Everything is stored as a tournament, and the
    same command continues where it stopped. Exit code 1: its faults keep the bot from being placed.
    """
    output = current()
    if listed:
        if bot is not None:
            raise UsageError("--list lists the ladders: leave out the bot")
        rungs = list_rows(game, seats)
        if format_ is Format.JSON:
            output.document(LaddersDocument, rungs=rungs)
        else:
            output.table(rungs, LIST_COLUMNS, format_)
        return
    if bot is None or game is None:
        missing = "the bot" if bot is None else "--game GAME"
        raise UsageError(
            f"{missing} is missing: write `tourney ladder BOT --game GAME`, or `tourney ladder --list`"
        )
    from tourney.compare.ladder import LadderRequest, place_bot  # noqa: PLC0415 - slow to import; --list does without
    from tourney.run.config.tournament_file import EntrantLine  # noqa: PLC0415 - likewise

    request = LadderRequest(
        bot=EntrantLine(bot, args=words),
        game=game,
        seats=seats,
        width=width,
        games=games,
        move_ms=move_ms,
        charge=charge,
        seed=seed,
        max_faults=max_faults,
        run=RunSettings(reuse=reuse, sandbox=sandbox),
    )
    play = partial(place_bot, request, db, Path(bots), deadline=deadline)
    placed = play_request(output, f"{bot} on the ladder", workers, play)
    result, summary = placed.result, placed.summary
    stopped = summary is not None and summary.end is End.FAULTS
    out = result["ending"] == "out" or (stopped and bool(result["faults"]))
    _print(output, result, db, format_, placed=not out)
    if stopped and not out:
        raise EnvironmentFailure(
            f"the rungs were at fault in {result['not_counted']} games, not the bot: run `tourney doctor`, or"
            " choose fewer workers by --workers"
        )
    if summary is not None and summary.signal:
        sys.exit(128 + summary.signal)
    if out:
        sys.exit(1)


def list_rows(game: str | None, seats: int | None) -> list[dict[str, Any]]:
    """Return the rungs of the ladders of a game and number of seats (None: of all), strongest last.

    Raises UsageError if there are none.
    """
    from tourney.bots.catalogue.rungs import ladders  # noqa: PLC0415 - as above

    rows = []
    for (name, number), rungs in sorted(ladders().items()):
        if game not in (None, name) or seats not in (None, number):
            continue
        for rung in rungs:
            rating = rung.rating._asdict() if rung.rating else dict.fromkeys(("elo", "low", "high"))
            line = {"game": name, "seats": number, "name": rung.name, "bot": rung.bot}
            rows.append({**line, "args": list(rung.args), **rating})
    if not rows:
        known = ", ".join(sorted({f"{name} ({number} seats)" for name, number in ladders()}))
        if game is not None:
            _check_game(game)
        raise UsageError(f"there is no such ladder; there are ladders of {known}")
    return rows


def _check_game(game: str) -> None:
    try:
        find_game(game)
    except GameError as error:
        raise UsageError(str(error)) from error


def _print(output: Output, result: Mapping[str, Any], db: str, format_: Format, *, placed: bool) -> None:
    """Print a placement that is stored in a database; not ``placed``: the bot's faults prevent it."""
    from tourney.compare.ladder_result import (  # noqa: PLC0415 - as above
        ending_text,
        fault_text,
        next_text,
        place_text,
    )

    where = "" if db == DEFAULT_DB else f" --db {shlex.quote(db)}"
    lost = [
        {**game, "look": f"tourney show --board {result['tournament']}/{game['match']}{where}"}
        for game in result["lost"]
    ]
    if format_ is Format.JSON:
        output.document(LadderDocument, **{**result, "lost": lost})
        return
    if format_ is Format.CSV:
        output.table(result["rungs"], RUNG_COLUMNS, format_)
        return
    if not placed:
        output.write(f"{result['bot']} cannot be placed: it {fault_text(result)}:\n")
        _write_log(output, result, db)
        output.write(f"\nRun `tourney bots check BOT --game {result['game']}` for the cause and for advice.")
        return
    output.write(place_text(result))
    output.write(ending_text(result))
    output.write("")
    output.table(result["rungs"], RUNG_COLUMNS, format_)
    if following := next_text(result):
        output.write(f"\n{following}")
    if lost:
        output.write(f"\nLost games, the shortest first ({min(len(lost), SHOWN)} shown):\n")
        output.table(
            [{**game, "reason": game["fault"] or game["reason"]} for game in lost[:SHOWN]],
            LOST_COLUMNS,
            format_,
        )
    if result["faults"]:
        output.write(f"\n{result['bot']} {fault_text(result)}:\n")
        _write_log(output, result, db)
    output.write(f"\nStored as {result['tournament']}: see `tourney ratings {result['tournament']}{where}`")


def _write_log(output: Output, result: Mapping[str, Any], db: str) -> None:
    """Print the end of the bot's log in its first match with a fault."""
    match, seat = result["first_fault"]["match"], result["first_fault"]["seat"]
    found = find_match(f"{result['tournament']}/{match}", db)
    lines = list(log_lines([line for line in found.log if line.seat in (0, seat)]))
    for line in lines[-LOG_LINES:] or ["(the log is empty)"]:
        output.write(line)
