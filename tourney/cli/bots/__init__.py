"""``tourney bots``: the bots there are, made, added, listed, shown, checked and removed."""

import click

from tourney.cli.bots.add import add
from tourney.cli.bots.check import check
from tourney.cli.bots.listing import list_
from tourney.cli.bots.new import new
from tourney.cli.bots.remove import remove
from tourney.cli.bots.show import show


@click.group("bots")
def command() -> None:
    """Make, add, list, show, check and remove bots.

    A bot is an executable file, or a folder or .zip with bot.toml. The store keeps every bot that was added
    or played with, under the digest of its files, so that matches can be played again later.
    """


for _command in (new, check, add, list_, show, remove):
    command.add_command(_command)
