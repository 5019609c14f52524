"""``tourney perft``: count action sequences."""

from dataclasses import dataclass

import click

from tourney.cli.completion import complete_game
from tourney.cli.documents.bot_documents import ActionCount, PerftDocument
from tourney.cli.options import (
    TEXT,
    formats_option,
    game_option,
    option,
    output_options,
    seats_option,
    shared,
    takes,
)
from tourney.cli.output import OutputFormat, current
from tourney.errors import UsageError
from tourney.games.game_tree import divide, perft
from tourney.games.registry import find_game


@dataclass(frozen=True, slots=True)
class PerftRequest:
    """Options of ``tourney perft``."""

    position: str | None = option(
        "--position", metavar="POSITION", help="Count from this position. [default: the start]"
    )
    seats: int | None = shared(seats_option)
    options: dict[str, str] = shared(game_option)
    divided: bool = option("--divide", "divided", is_flag=True, help="Also count for each first action.")
    format_: OutputFormat = shared(formats_option(PerftDocument, formats=TEXT))


@click.command("perft")
@click.argument("game", shell_complete=complete_game)
@click.argument("depth", type=click.IntRange(min=0))
@takes(PerftRequest)
@output_options
def command(game: str, depth: int, options: PerftRequest) -> None:
    """Count the action sequences of length DEPTH in GAME.

    Chance outcomes count as actions. A finished game has no sequences. The total is the last line.
    """
    rules = find_game(game)
    number, full = rules.settings(options.seats, options.options)
    if options.position is None:
        state = rules.initial(number, full)
    else:
        state = rules.parse_position(options.position, number, full)
    if options.divided and depth == 0:
        raise UsageError("--divide needs a DEPTH of at least 1")
    divided = None
    if options.divided:
        counts = divide(rules, state, depth)
        divided = tuple(ActionCount(action=action, count=count) for action, count in counts)
    total = perft(state, depth) if divided is None else sum(one.count for one in divided)
    output = current()
    if options.format_ is OutputFormat.JSON:
        output.document(PerftDocument(game=game, depth=depth, count=total, divided=divided))
        return
    for one in divided or ():
        output.write(f"{one.action} {one.count}")
    output.write(str(total))
