"""``tourney bots new``: a folder to begin a bot from."""

from pathlib import Path

import click

from tourney.bots.catalogue.starter import DEFAULT_GAME, LANGUAGES, new_bot
from tourney.cli.options import output_options
from tourney.cli.output import current


@click.command("new")
@click.argument("name", type=click.Path(path_type=Path))
@click.option(
    "--language",
    type=click.Choice(LANGUAGES),
    default=LANGUAGES[0],
    show_default=True,
    help="What it is written in.",
)
@click.option(
    "--game", default=DEFAULT_GAME, show_default=True, metavar="GAME", help="The game that it plays."
)
@output_options
def new(name: Path, language: str, game: str) -> None:
    """Write a folder to begin a bot from.

    The bot NAME plays legal actions, and it passes `tourney bots check ./NAME` as it is. The files are
    named on standard output.
    """
    files = new_bot(name, language, game)
    output = current()
    for file in files:
        output.write(str(file))
    shown = name if name.is_absolute() or len(name.parts) > 1 else f"./{name}"
    output.say(f"Try it: tourney bots check {shown}")
