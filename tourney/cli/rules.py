"""``tourney rules``: the rules console on standard input and output."""

import sys
import traceback
from typing import BinaryIO

import click

from tourney.cli.completion import complete_game
from tourney.cli.edge import ENVIRONMENT, debugging
from tourney.errors import printable
from tourney.games.console import MAX_LINE, Console
from tourney.games.registry import find_game


@click.command("rules")
@click.argument("game", shell_complete=complete_game)
def command(game: str) -> None:
    """Answer questions about the rules of GAME: one output line for each input line.

    \b
    new [seats=N] [OPTION=VALUE ...]   start a game             ok
    set POSITION                       set up a position        ok
    position | observe SEAT            position, observation    the string
    actor                              seat to act              1..n, chance or over
    legal                              legal actions            sorted
    weights                            weights of outcomes      OUTCOME=WEIGHT ...
    play ACTION                        play an action           ok
    ranks                              result                   1 2, or - while not over
    perft DEPTH                        count action sequences   a number

    The answer to an invalid line is "error" and the reason; the game does not change.
    """  # noqa: D301 - click reads the control character, which keeps the lines as they are
    console = Console(find_game(game))
    source, answers = sys.stdin.buffer, sys.stdout.buffer
    if source.isatty():
        click.echo(f"The rules of {console.game.title}: start with new, end with Ctrl-D.", err=True)
    failed = False
    while (line := _read_line(source)) is not None:
        try:
            console, answer = console.answer_bytes(line)
        except Exception as error:  # noqa: BLE001 - the console reports a failing game and continues
            failed = True
            if debugging():
                traceback.print_exc()
            answer = printable(f"error the game {game} failed: {type(error).__name__}: {error}")[:400]
        answers.write(answer.encode("utf-8", "backslashreplace") + b"\n")
        answers.flush()
    if failed:
        sys.exit(ENVIRONMENT)


def _read_line(source: BinaryIO) -> bytes | None:
    """The next line without its newline, or None at the end.

    Only the first ``MAX_LINE + 1`` bytes of an overlong line are returned; the rest is discarded.
    """
    line = source.readline(MAX_LINE + 1)
    if not line:
        return None
    if line.endswith(b"\n"):
        return line[:-1]
    rest = line
    while len(rest) == MAX_LINE + 1 and not rest.endswith(b"\n"):
        rest = source.readline(MAX_LINE + 1)
    return line
