"""``tourney league status``: the state of a league."""

from datetime import datetime
from pathlib import Path

import click

from tourney.cli import options as opt
from tourney.cli.output import OutputFormat, current
from tourney.errors import printable
from tourney.league.league_folder import League
from tourney.league.league_status import LeagueStatus, league_status, status_text


@click.command("status")
@opt.league_option
@opt.text_option(LeagueStatus)
@opt.output_options
def command(league: Path, format_: OutputFormat) -> None:
    """Show the state of a league: season, nights, bots that play, and what became of new submissions."""
    status = league_status(League.open(league), datetime.now().astimezone())
    if format_ is OutputFormat.JSON:
        current().document(status)
        return
    for line in status_text(status).splitlines():
        current().write(printable(line))
