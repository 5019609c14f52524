"""``tourney perft``: count action sequences."""

import click

from tourney.cli.completion import complete_game
from tourney.cli.documents.bots import PerftDocument
from tourney.cli.options import TEXT, formats_option, game_options, output_options
from tourney.cli.output import Format, current
from tourney.errors import UsageError
from tourney.games.game_tree import divide, perft
from tourney.games.registry import find_game


@click.command("perft")
@click.argument("game", shell_complete=complete_game)
@click.argument("depth", type=click.IntRange(min=0))
@click.option("--position", metavar="POSITION", help="Count from this position. [default: the start]")
@game_options
@click.option("--divide", "divided", is_flag=True, help="Also count for each first action.")
@formats_option(PerftDocument, formats=TEXT)
@output_options
def command(
    game: str,
    depth: int,
    position: str | None,
    seats: int | None,
    options: dict[str, str],
    divided: bool,
    format_: Format,
) -> None:
    """Count the action sequences of length DEPTH in GAME.

    Chance outcomes count as actions. A finished game has no sequences. The total is the last line.
    """
    rules = find_game(game)
    number, full = rules.settings(seats, options)
    state = rules.initial(number, full) if position is None else rules.parse_position(position, number, full)
    if divided and depth == 0:
        raise UsageError("--divide needs a DEPTH of at least 1")
    counts = dict(divide(rules, state, depth)) if divided else None
    total = perft(state, depth) if counts is None else sum(counts.values())
    output = current()
    if format_ is Format.JSON:
        lines = counts and [{"action": action, "count": count} for action, count in counts.items()]
        output.document(PerftDocument, game=game, depth=depth, count=total, divided=lines)
        return
    for action, count in (counts or {}).items():
        output.write(f"{action} {count}")
    output.write(str(total))
