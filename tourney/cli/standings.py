"""``tourney standings``: the standings of a tournament."""

from fractions import Fraction

import click

from tourney.cli.options import db_option, format_option, output_options
from tourney.cli.output import Column, Format, Row, current
from tourney.results.standings import Standing, compute_standings
from tourney.schedule.registry import find_format
from tourney.store.repository import Repository
from tourney.store.values import Tournament

FIRST = (
    Column("rank", right=True),
    Column("name"),
    Column("points", right=True),
    Column("games", right=True),
    Column("mean", right=True),
    Column("wins", right=True),
    Column("draws", right=True),
    Column("losses", right=True),
)
LAST = (
    Column("faults", right=True),
    Column("kinds", "faults by kind"),
)
"""The columns after those of the tie-breaks."""


@click.command("standings")
@click.argument("tournament", required=False)
@db_option
@format_option
@output_options
def command(tournament: str | None, db: str, format_: Format) -> None:
    """Print the standings of TOURNAMENT (default: the newest).

    With two seats, a win is 1 point and a draw 1/2. With k seats, a match scores (k - place) / (k - 1), and
    tied seats share the mean of their places. A win is a first place alone, a draw a shared first place. The
    tie-breaks are the columns after the losses, from left to right, and the wins in formats that use them;
    bots that are still equal share a rank. docs/explanation/formats.md explains the rankings.
    """
    with Repository.open(db) as opened, opened.snapshot() as repository:
        found = repository.tournament(tournament)
        lines = compute_standings(repository, found.id)
    current().table([row_of(line, format_) for line in lines], columns(found), format_)


def columns(tournament: Tournament) -> tuple[Column, ...]:
    """Return the columns of a tournament's standings."""
    names = find_format(tournament.plan.format).tie_breaks(tournament.seats)
    shown = {column.key for column in FIRST}
    return (*FIRST, *(Column(name, right=True) for name in names if name not in shown), *LAST)


def row_of(line: Standing, format_: Format) -> Row:
    """Return a line of the table; programs get numbers, people rounded text."""
    values = {name: None if value is None else number(value, 2, format_) for name, value in line.tie_breaks}
    return {
        **values,
        "rank": line.rank,
        "name": line.name,
        "points": number(line.points, 2, format_),
        "games": line.games,
        "mean": None if line.mean is None else number(line.mean, 3, format_),
        "wins": line.wins,
        "draws": line.draws,
        "losses": line.losses,
        "faults": line.fault_count,
        "kinds": [f"{kind}:{count}" for kind, count in line.faults],
    }


def number(value: Fraction, digits: int, format_: Format) -> str | float:
    """Return an exact number rounded: a float with six digits for programs, text for people.

    Rounding is half up and done in integers, so that it is the same everywhere.
    """
    if value < 0:
        positive = number(-value, digits, format_)
        return f"-{positive}" if isinstance(positive, str) else -positive
    if format_ is not Format.TABLE:
        return float(Fraction(round_half_up(value, 6), 10**6))
    scaled = round_half_up(value, digits)
    text = f"{scaled // 10**digits}.{scaled % 10**digits:0{digits}}"
    return text.rstrip("0").rstrip(".") if value.denominator == 1 else text


def round_half_up(value: Fraction, digits: int) -> int:
    """Return ``value * 10**digits`` rounded half up; for values that are not negative."""
    scaled = value * 10**digits
    return int((scaled.numerator * 2 + scaled.denominator) // (scaled.denominator * 2))
