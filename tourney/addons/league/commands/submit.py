"""``tourney league submit``: put a bot into the inbox of a league."""

import getpass
from pathlib import Path

import click

from tourney.addons.league.folder import LeagueFolder
from tourney.addons.league.intake import submit
from tourney.cli import options as opt
from tourney.cli.output import current


@opt.command("submit")
@click.argument("bot", type=click.Path(exists=True, path_type=Path))
@click.option("--author", metavar="NAME", help="Author. [default: the name of your account]")
@click.option("--name", metavar="NAME", help="Name of the bot in the league. [default: that in its bot.toml]")
@click.option(
    "--sign", type=opt.EXISTING, metavar="KEY", help="Private SSH key (or its .pub, with an agent)."
)
@opt.league_option
def command(bot: Path, author: str | None, name: str | None, sign: Path | None, league: Path) -> None:
    """Put BOT (an executable file, a folder or an archive) into the inbox, and print its path there.

    The bot is checked for what no bot may hold, packed, and renamed into the inbox at once, so the next night
    takes it in. The receipt is in the outbox then.
    """
    place = submit(LeagueFolder.read(league), bot, author or getpass.getuser(), name, sign)
    current().write(str(place))
