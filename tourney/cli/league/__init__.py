"""``tourney league``: its commands are the modules of this package."""

import click

from tourney.cli.main import CommandTable

COMMANDS = {
    "init": "Make the folder of a new league.",
    "status": "Show the state of a league.",
}


@click.group("league", cls=CommandTable, package=__name__, sections={"Commands": COMMANDS})
def command() -> None:
    """Run a league: take in bots, play every night, rate them, and publish.

    A league is a folder. `init` makes it; the other commands run inside it, or name it by --league.
    """
