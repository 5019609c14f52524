"""``tourney league init``: make the folder of a new league."""

from datetime import datetime
from pathlib import Path

import click

from tourney.addons.league.folder import make_league
from tourney.cli import options as opt
from tourney.cli.completion import complete_game
from tourney.cli.output import current


@opt.command("init")
@click.argument("name", type=opt.FOLDER)
@click.option("--game", required=True, metavar="GAME", shell_complete=complete_game, help="Game to play.")
def command(name: Path, game: str) -> None:
    """Make the folder NAME of a new league of GAME, and print the path of its league.toml.

    The league works as it is: put bots into NAME/inbox/AUTHOR/BOT and call `tourney league night`. The folder
    NAME/cron holds units for systemd and a line for cron that call it every night.
    """
    path = make_league(name, game, datetime.now().astimezone())
    current().write(str(path))
