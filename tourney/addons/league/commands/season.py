"""``tourney league season``: the seasons of a league."""

from datetime import datetime
from pathlib import Path
from typing import Literal

import click

from tourney.addons.league.folder import League
from tourney.addons.league.nights import league_lock, publish
from tourney.addons.league.seasons import close_season
from tourney.cli import options as opt
from tourney.cli.output import current
from tourney.schema import Document, Part


class LeagueSeason(Part, frozen=True, kw_only=True):
    """A season: when it was opened and closed, its nights, and its root once it is closed."""

    number: int
    opened: str
    closed: str | None
    nights: int
    root: str | None


class LeagueSeasonsDocument(Document, frozen=True, kw_only=True):
    """The seasons of a league."""

    format: Literal["tourney-league-seasons/1"] = "tourney-league-seasons/1"
    seasons: tuple[LeagueSeason, ...]


@opt.command("season")
@click.option("--close", is_flag=True, help="Close the open season now, before its weeks are over.")
@opt.league_option
@opt.formats_option(LeagueSeasonsDocument)
def command(close: bool, league: Path) -> None:
    """List the seasons with their roots; --close ends the open one with its final table.

    The root of a season contains that of the season before it: once each is published, an old season cannot
    be rewritten unnoticed. `tourney verify DIR` checks them.
    """
    opened = League.open(league)
    if close:
        with league_lock(opened) as opened:
            file = close_season(opened, datetime.now().astimezone())
            current().say(f"closed with the root {file.root}")
            publish(opened, current().say)
    ledger = opened.ledger
    parts = tuple(
        LeagueSeason.of(season, nights=sum(night.season == number for night in ledger.nights.values()))
        for number, season in sorted(ledger.seasons.items())
    )
    current().document(LeagueSeasonsDocument(seasons=parts))
    current().table(parts, LeagueSeason.__struct_fields__)
