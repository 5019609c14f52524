"""``tourney perft``: count action sequences."""

import click

from tourney.cli.completion import complete_game
from tourney.cli.options import game_options, output_options
from tourney.cli.output import current
from tourney.errors import UsageError
from tourney.games.game_tree import divide, perft
from tourney.games.registry import find_game


@click.command("perft")
@click.argument("game", shell_complete=complete_game)
@click.argument("depth", type=click.IntRange(min=0))
@click.option("--position", metavar="POSITION", help="Count from this position. [default: the start]")
@game_options
@click.option("--divide", "divided", is_flag=True, help="Also count for each first action.")
@output_options
def command(
    game: str, depth: int, position: str | None, seats: int | None, options: dict[str, str], divided: bool
) -> None:
    """Count the action sequences of length DEPTH in GAME.

    Chance outcomes count as actions. A finished game has no sequences. The total is the last line.
    """
    rules = find_game(game)
    count, full = rules.settings(seats, options)
    state = rules.initial(count, full) if position is None else rules.parse_position(position, count, full)
    if not divided:
        current().write(str(perft(state, depth)))
        return
    if depth == 0:
        raise UsageError("--divide needs a DEPTH of at least 1")
    total = 0
    for action, number in divide(rules, state, depth):
        current().write(f"{action} {number}")
        total += number
    current().write(str(total))
