"""``tourney perft``: count action sequences."""

from typing import Literal

import click

from tourney.cli import options as opt
from tourney.cli.completion import complete_game
from tourney.cli.options import option
from tourney.cli.output import current
from tourney.errors import UsageError
from tourney.games.registry import find_game
from tourney.games.tree import divide, perft
from tourney.schema import Document, Part


class ActionCount(Part, frozen=True, kw_only=True):
    """A first action, and the number of sequences that begin with it."""

    action: str
    count: int


class PerftDocument(Document, frozen=True, kw_only=True):
    """The number of action sequences of a length; `divided` is null without `--divide`."""

    format: Literal["tourney-perft/1"] = "tourney-perft/1"
    game: str
    depth: int
    count: int
    divided: tuple[ActionCount, ...] | None


class _PerftRequest(opt.CommandOptions):
    position: str | None = option("--position POSITION", "Count from this position. [default: the start]")
    seats: int | None = opt.shared(opt.seats_option)
    options: dict[str, str] = opt.shared(opt.game_option)
    divided: bool = option("--divide", "Also count for each first action.")
    format_: object = opt.formats(PerftDocument, formats=opt.TEXT)


@opt.command("perft", _PerftRequest)
@click.argument("game", shell_complete=complete_game)
@click.argument("depth", type=click.IntRange(min=0))
def command(game: str, depth: int, options: _PerftRequest) -> None:
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
    total = perft(state, depth) if divided is None else sum(share.count for share in divided)
    output = current()
    output.document(PerftDocument(game=game, depth=depth, count=total, divided=divided))
    output.text(*(f"{share.action} {share.count}" for share in divided or ()), str(total))
