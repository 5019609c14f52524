"""The site of a league: plain files, written after each night."""

from collections.abc import Callable
from html import escape
from pathlib import Path

from tourney.files import write_file
from tourney.league.league_folder import League
from tourney.league.league_tables import latest_table


def write_league_site(league: League, say: Callable[[str], None]) -> Path:
    """Write the site of a league; return its first page."""
    table = latest_table(league)
    title = escape(league.table.title or league.table.name)
    rows = "".join(
        f"<tr><td>{row.division}<td>{row.place}<td>{escape(row.name)} {row.version}<td>{row.elo:+.0f}"
        for row in (() if table is None else table.rows)
        if row.place is not None
    )
    page = f"<!doctype html><meta charset=utf-8><title>{title}</title><h1>{title}</h1><table>{rows}</table>\n"
    league.site.mkdir(parents=True, exist_ok=True)
    write_file(league.site / "index.html", page.encode("utf-8"))
    say(f"the site is {league.site / 'index.html'}")
    return league.site / "index.html"
