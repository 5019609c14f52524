"""``tourney marks``: marks of a course by thresholds against fixed bots."""

from pathlib import Path
from typing import Literal

import click
from msgspec import structs

from tourney.addons.course.marks import MarkLine, marks, pseudonym, read_marks
from tourney.cli import options as opt
from tourney.cli.options import option
from tourney.cli.output import current
from tourney.cli.standings import name_default
from tourney.errors import UsageError
from tourney.results.columns import Column
from tourney.schema import Document
from tourney.store.database import Database


class MarksDocument(Document, frozen=True, kw_only=True):
    """The marks of a tournament's entrants; with pseudonyms the digests are empty."""

    format: Literal["tourney-marks/1"] = "tourney-marks/1"
    tournament: str
    marks: tuple[MarkLine, ...]


class _MarksRequest(opt.CommandOptions):
    tournament: str | None = option(
        "--tournament NAME", "Mark the entrants of this tournament. [default: the one begun last]"
    )
    pseudonyms: bool = option("--pseudonyms", "Print a pseudonym for each name, for a public table.")
    format_: object = opt.formats(MarksDocument)
    db: str = opt.shared(opt.db_option)


COLUMNS = (
    Column("name"),
    Column("mark", right=True),
    Column("certainty", right=True, digits=3),
    Column("provisional"),
    Column("digest"),
    Column("steps", text=" ".join),
)


@opt.command("marks", _MarksRequest)
@click.argument("file", type=opt.EXISTING)
def command(file: Path, options: _MarksRequest) -> None:
    """Give each author a mark by the thresholds of FILE (TOML) against fixed bots, with its certainty.

    The first `games` games against each bot of the staff count, over all tournaments of the database with the
    same game, options, seats and limits, and no later ones: the same bot keeps its mark.
    """
    table = read_marks(file)
    if options.pseudonyms and table.pseudonym_key is None:
        raise UsageError(f'{file}: --pseudonyms needs a secret, as pseudonym-key = "eight letters or more"')
    with Database.open(options.db) as opened, opened.snapshot() as database:
        tournament = database.tournaments.get(options.tournament)
        name_default(options.tournament, tournament, database)
        lines = marks(database, table, tournament)
    if options.pseudonyms:
        key = table.pseudonym_key or ""
        lines = tuple(structs.replace(line, name=pseudonym(key, line.name), digest="") for line in lines)
        # In the order of the file the names would be known again.
        lines = tuple(sorted(lines, key=lambda line: (-line.mark, line.name)))
    output = current()
    output.document(MarksDocument(tournament=tournament.name, marks=lines))
    output.table(
        (
            {
                **{key: getattr(line, key) for key in ("name", "mark", "certainty", "provisional")},
                "digest": line.digest[:12],
                "steps": [
                    f"{step.bot}:{'-' if step.score is None else f'{step.score:.3f}'}/{step.games}"
                    for step in line.steps
                ],
            }
            for line in lines
        ),
        COLUMNS,
    )
    if missing := sum(line.provisional for line in lines):
        output.say(f"{missing} of {len(lines)} marks are provisional: fewer than {table.games} games count")
