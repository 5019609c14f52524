"""``tourney league publish``: write the site of a league again."""

from pathlib import Path

from tourney.addons.league.folder import League
from tourney.addons.league.nights import league_lock, publish
from tourney.cli import options as opt
from tourney.cli.output import current


@opt.command("publish")
@opt.league_option
def command(league: Path) -> None:
    """Write the site, and the files of cron/ for the folder's place; print the path of the first page.

    Each night does this. Call it after a change of league.toml, or after you moved the folder.
    """
    with league_lock(League.open(league)) as held:
        current().write(str(publish(held, current().say)))
