"""``tourney league withdraw``: take a bot out of a league."""

from pathlib import Path

import click
from msgspec import structs

from tourney.addons.league.folder import League
from tourney.addons.league.nights import league_lock
from tourney.cli import options as opt
from tourney.cli.output import current
from tourney.errors import UsageError


@opt.command("withdraw")
@click.argument("bot", metavar="AUTHOR/BOT")
@opt.league_option
def command(bot: str, league: Path) -> None:
    """Take a bot out: its versions play no further night, and stay in the ratings.

    A new submission brings it back.
    """
    author, _, name = bot.partition("/")
    with league_lock(League.open(league)) as held:
        versions = [version for version in held.ledger.versions_of(author, name) if not version.withdrawn]
        if not versions:
            raise UsageError(f"no bot {bot!r} plays in {held.table.name}; see `tourney league status`")
        held.ledger.add(*(structs.replace(version, withdrawn=True) for version in versions))
    current().say(f"{bot} plays no further night; {len(versions)} versions stay in the ratings")
