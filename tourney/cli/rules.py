"""``tourney rules``: a game's rules on a terminal, and the rules console on standard input and output."""

import sys
import traceback
from typing import BinaryIO

import click

from tourney.bots.catalogue.shipped import rules_text, short_rules
from tourney.cli.completion import complete_game
from tourney.cli.edge import ENVIRONMENT, debugging
from tourney.errors import GameError
from tourney.games.base import AnyGame
from tourney.games.console import MAX_LINE, Console
from tourney.games.registry import find_game
from tourney.texts import legible, printable


@click.command("rules")
@click.argument("game", shell_complete=complete_game)
@click.option("--console", is_flag=True, help="Answer questions on a terminal, too.")
def command(game: str, console: bool) -> None:
    """Print the rules of GAME, or answer questions about them: one output line for each input line.

    On a terminal it prints the rules. With --console, and where standard input is not a terminal, it is the
    rules console:

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
    rules = find_game(game)
    source = sys.stdin.buffer
    if source.isatty():
        if not console:
            click.echo(_page(rules), nl=False)
            return
        click.echo(f"The rules of {rules.title}: start with new, end with Ctrl-D.", err=True)
    _answer(Console(rules), source, sys.stdout.buffer)


def _page(game: AnyGame) -> str:
    """The rules page of a game, or the rules in short. Raises GameError if it has neither."""
    guide = game.guide()
    text = rules_text(game, guide) or ("" if guide is None else short_rules(game, guide))
    if not text:
        raise GameError(
            f"{game.name} has no rules page; `tourney rules {game.name} --console` plays by its rules"
        )
    return "\n".join(legible(line, "?") for line in text.split("\n"))


def _answer(console: Console, source: BinaryIO, answers: BinaryIO) -> None:
    failed = False
    game = console.game.name
    while (line := _read_line(source)) is not None:
        try:
            console, answer = console.answer_bytes(line)
        except Exception as error:  # noqa: BLE001 - the console reports a failing game and continues
            failed = True
            if debugging():
                traceback.print_exc()
            answer = printable(f"error the game {game} failed: {type(error).__name__}: {error}")[:400]
        answers.write(answer.encode("utf-8", "backslashreplace") + b"\n")
        # A program at the other end waits for each answer before its next question.
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
        # Read in pieces and drop: a program could send a line without an end to fill the memory.
        rest = source.readline(MAX_LINE + 1)
    return line
