"""``tourney league status``: the state of a league on one screen."""

from datetime import datetime
from pathlib import Path
from typing import Literal

from tourney.addons.league.folder import League
from tourney.addons.league.git_inbox import is_repository
from tourney.addons.league.intake import look
from tourney.addons.league.seasons import season_end
from tourney.cli import options as opt
from tourney.cli.output import current
from tourney.run.engine.run_control import parse_until
from tourney.schema import Document, Part
from tourney.texts import legible


class LeagueBot(Part, frozen=True, kw_only=True):
    """A bot that plays: its newest version, the number of versions that play, and its division."""

    author: str
    bot: str
    version: int
    versions: int
    division: int


class LeagueStatus(Document, frozen=True, kw_only=True):
    """The state of a league."""

    format: Literal["tourney-league-status/1"] = "tourney-league-status/1"
    league: str
    game: str
    season: int | None
    season_ends: str | None
    nights: int
    open_night: int | None
    next_night: str
    matches: int
    authors: int
    waiting: int
    bots: tuple[LeagueBot, ...]
    news: tuple[str, ...]


@opt.command("status")
@opt.league_option
@opt.formats_option(LeagueStatus, formats=opt.TEXT)
def command(league: Path) -> None:
    """Show the state of a league: season, nights, bots that play, and what became of new submissions."""
    status = league_status(League.open(league), datetime.now().astimezone())
    current().document(status)
    current().text(*map(legible, status_text(status).splitlines()))


def league_status(league: League, now: datetime) -> LeagueStatus:
    """The state of a league at a moment."""
    ledger = league.ledger
    table = league.table
    last = ledger.night
    season = ledger.season
    number = 1 if last is None else last.number + (last.closed is not None)
    lowest = table.season.divisions
    alive: dict[tuple[str, str], list[int]] = {}
    for version in ledger.alive(number):
        alive.setdefault((version.author, version.bot), []).append(version.number)
    end = season_end(league)
    return LeagueStatus(
        league=table.name,
        game=table.game,
        season=None if season is None else season.number,
        season_ends=None if end is None else end.date().isoformat(),
        nights=len(ledger.nights),
        open_night=last.number if last is not None and last.closed is None else None,
        next_night=parse_until(table.opens, now).isoformat(timespec="minutes"),
        matches=sum(night.matches for night in ledger.nights.values()),
        authors=len(ledger.established),
        waiting=_waiting(league, now),
        bots=tuple(
            LeagueBot(
                author=author,
                bot=bot,
                version=numbers[-1],
                versions=len(numbers),
                division=lowest if season is None else season.division_of(f"{author}/{bot}", lowest),
            )
            for (author, bot), numbers in alive.items()
        ),
        news=tuple(
            submission.sentence
            for submission in ledger.submissions.values()
            if last is None or submission.received >= last.opened
        ),
    )


def _waiting(league: League, now: datetime) -> int:
    """The number of submissions for the next night: taken ones, and ones in the inbox if it is a folder."""
    taken = sum(submission.fate == "waiting" for submission in league.ledger.submissions.values())
    # A repository is fetched by the night alone: status must not wait for a server.
    return taken if is_repository(league) else taken + len(look(league, now).arrivals)


def status_text(status: LeagueStatus) -> str:
    """The state of a league for people."""
    season = f"season {status.season}" if status.season else "before the first season"
    if status.season_ends:
        season += f", until {status.season_ends}"
    night = f"night {status.open_night} is open" if status.open_night else f"next night {status.next_night}"
    lines = [
        f"{status.league}, a league of {status.game}: {season}",
        f"{status.nights} nights, {status.matches:,} matches; {night}",
        f"{status.authors} authors, {len(status.bots)} bots, {status.waiting} submissions waiting",
    ]
    for bot in status.bots:
        more = f", {bot.versions} versions play" if bot.versions > 1 else ""
        lines.append(f"  {bot.author}/{bot.bot} {bot.version} (division {bot.division}{more})")
    return "\n".join((*lines, *status.news))
