"""The command group ``tourney bots``."""

import click

from tourney.cli.bots.catalogue import add, list_, new, remove, show_bot
from tourney.cli.bots.check import check


@click.group("bots")
def command() -> None:
    """Create, add, list, show, check and remove bots.

    A bot is an executable file, or a folder or .zip file with a bot.toml. The bot store keeps every bot that
    you add or play with, under the digest of its files, so that matches can be played again later.
    """


for _command in (new, check, add, list_, show_bot, remove):
    command.add_command(_command)
