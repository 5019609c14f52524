"""``tourney standings``: the standings of a tournament."""

from typing import Any

import click

from tourney.cli.completion import complete_tournament
from tourney.cli.documents.tournaments import StandingsDocument
from tourney.cli.options import db_option, formats_option, output_options
from tourney.cli.output import Format, current
from tourney.errors import CheckError
from tourney.results.columns import Column, ranking_columns, rendered, standings_columns
from tourney.results.standings import (
    Standing,
    compute_standings,
    interim_sentence,
    ranking_sentences,
    standing_row,
)
from tourney.schedule.format import FORMATS, ranking_format
from tourney.store.repository import Repository
from tourney.store.values import Tournament

_EXACT = Column("exact")
"""Renders the numbers of JSON as those of any column."""


@click.command("standings")
@click.argument("tournament", required=False, shell_complete=complete_tournament)
@click.option(
    "--recount",
    is_flag=True,
    help="Count all matches anew, and exit with code 1 if the stored totals differ.",
)
@db_option
@formats_option(StandingsDocument)
@output_options
def command(tournament: str | None, recount: bool, db: str, format_: Format) -> None:
    """Print the standings of TOURNAMENT (default: the newest).

    With two seats, a win is 1 point and a draw 1/2. With k seats, a match scores (k - place) / (k - 1), and
    tied seats share the mean of their places. A win is a first place alone, a draw a shared first place. The
    value that ranks first is the column after the name; the rule and its tie-breaks are below the table, on
    standard error. docs/explanation/formats.md explains the rankings.

    Totals are stored with the matches, so that a million of them need not be counted each time.
    """
    with Repository.open(db) as opened, opened.snapshot() as repository:
        found = repository.tournament(tournament)
        warn_unknown_format(found)
        totals, different = repository.recount(found.id) if recount else (None, ())
        lines = compute_standings(repository, found.id, totals)
        interim = interim_sentence(found.complete, repository.progress(found.id))
    _print(found, lines, interim, format_)
    for sentence in different:
        raise CheckError(sentence)


def _print(found: Tournament, lines: tuple[Standing, ...], interim: str, format_: Format) -> None:
    output = current()
    ranked = ranking_format(found.plan.format)
    if format_ is Format.JSON:
        output.document(
            StandingsDocument,
            tournament=found.name,
            finished=not interim,
            ranked_by=[column.key for column in ranking_columns(ranked, found.seats)],
            standings=[standing_data(line) for line in lines],
        )
        return
    columns = standings_columns(ranked, found.seats)
    rows = rendered(map(standing_row, lines), columns, people=format_ is Format.TABLE)
    output.table(rows, columns, format_)
    if format_ is Format.TABLE:
        for sentence in ranking_sentences(ranked, found.seats):
            output.say(sentence)
    if interim:
        output.say(interim)


def standing_data(line: Standing) -> dict[str, Any]:
    """Return a line of the standings as a line of a ``StandingsDocument``."""
    row = standing_row(line)
    own = dict(line.tie_breaks)
    general = ("rank", "name", "points", "games", "mean", "wins", "draws", "losses", "faults")
    return {
        **{key: _EXACT.exact(row[key]) for key in general},
        "kinds": dict(line.faults),
        "tie_breaks": {key: _EXACT.exact(value) for key, value in own.items()},
    }


def warn_unknown_format(tournament: Tournament) -> None:
    """Print a warning if the tournament's format is not installed, so that points rank its standings."""
    format_ = tournament.plan.format
    if not FORMATS.knows(format_):
        current().warn(
            f"the format {format_} of {tournament.name} is not installed: the standings are ranked by points"
        )
