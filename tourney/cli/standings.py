"""``tourney standings``: the standings of a tournament."""

import click

from tourney.cli.completion import complete_tournament
from tourney.cli.options import db_option, format_option, output_options
from tourney.cli.output import Format, current
from tourney.results.columns import rendered, standings_columns
from tourney.results.standings import (
    compute_standings,
    interim_sentence,
    ranking_sentences,
    standing_row,
)
from tourney.schedule.format import FORMATS, ranking_format
from tourney.store.repository import Repository
from tourney.store.values import Tournament


@click.command("standings")
@click.argument("tournament", required=False, shell_complete=complete_tournament)
@db_option
@format_option
@output_options
def command(tournament: str | None, db: str, format_: Format) -> None:
    """Print the standings of TOURNAMENT (default: the newest).

    With two seats, a win is 1 point and a draw 1/2. With k seats, a match scores (k - place) / (k - 1), and
    tied seats share the mean of their places. A win is a first place alone, a draw a shared first place. The
    value that ranks first is the column after the name; the rule and its tie-breaks are below the table, on
    standard error. docs/explanation/formats.md explains the rankings.
    """
    with Repository.open(db) as opened, opened.snapshot() as repository:
        found = repository.tournament(tournament)
        warn_unknown_format(found)
        lines = compute_standings(repository, found.id)
        interim = interim_sentence(found.complete, repository.progress(found.id))
    ranked = ranking_format(found.plan.format)
    columns = standings_columns(ranked, found.seats)
    rows = rendered(map(standing_row, lines), columns, people=format_ is Format.TABLE)
    output = current()
    output.table(rows, columns, format_)
    if format_ is Format.TABLE:
        for sentence in ranking_sentences(ranked, found.seats):
            output.say(sentence)
    if interim:
        output.say(interim)


def warn_unknown_format(tournament: Tournament) -> None:
    """Print a warning if the tournament's format is not installed, so that points rank its standings."""
    format_ = tournament.plan.format
    if not FORMATS.knows(format_):
        current().warn(
            f"the format {format_} of {tournament.name} is not installed: the standings are ranked by points"
        )
