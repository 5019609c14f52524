"""``tourney league status``: the state of a league."""

from datetime import datetime
from pathlib import Path

from tourney.cli import options as opt
from tourney.cli.output import current
from tourney.errors import printable
from tourney.league.league_folder import League
from tourney.league.league_status import LeagueStatus, league_status, status_text


@opt.command("status")
@opt.league_option
@opt.formats_option(LeagueStatus, formats=opt.TEXT)
def command(league: Path) -> None:
    """Show the state of a league: season, nights, bots that play, and what became of new submissions."""
    status = league_status(League.open(league), datetime.now().astimezone())
    current().document(status)
    current().text(*map(printable, status_text(status).splitlines()))
