"""``tourney overall``: one ranking over tournaments of different games."""

from pathlib import Path
from typing import Literal

import click

from tourney.addons.course.overall import By, OverallLine, overall
from tourney.addons.course.pages import page
from tourney.cli import options as opt
from tourney.cli.options import option
from tourney.cli.output import current
from tourney.files import write_file
from tourney.results.columns import Column
from tourney.schema import Document
from tourney.store.database import Database

MEANING = {
    "places": "100 points for a first place and 0 for a last one in each tournament, the mean of all; a"
    " missing tournament gives 0. The interval has the points in 95 % of draws of the rated strengths: what"
    " other matches between the same bots could have given.",
    "strength": "The mean of each tournament's Elo in units of the spread of its strengths, so that every"
    " game counts alike, with a 95 % interval. An entrant that missed a tournament has no rank.",
}


class OverallDocument(Document, frozen=True, kw_only=True):
    """A ranking over tournaments, best first; `meaning` says what the values are."""

    format: Literal["tourney-overall/1"] = "tourney-overall/1"
    by: Literal["places", "strength"]
    meaning: str
    tournaments: tuple[str, ...]
    lines: tuple[OverallLine, ...]


class _OverallRequest(opt.CommandOptions):
    by: By = option(
        "--by WHAT",
        "What counts: the places in the standings, or the mean strength in units of each game's spread.",
        type=click.Choice(["places", "strength"]),
        default="places",
    )
    left_out: tuple[str, ...] = option(
        "--leave-out NAME", "Entrant that does not count, as a bot of the staff; repeatable."
    )
    out: Path | None = option("--out FILE", "Also write the ranking as a page in HTML.")
    format_: object = opt.formats(OverallDocument)
    db: str = opt.shared(opt.db_option)


@opt.command("overall", _OverallRequest)
@click.argument("tournaments", nargs=-1, required=True, metavar="TOURNAMENT...")
def command(tournaments: tuple[str, ...], options: _OverallRequest) -> None:
    """Rank the entrants of several finished tournaments, of any games, in one table.

    Entrants are the same if their names are. The meaning of the value is printed on standard error, and
    stands on the page.
    """
    with Database.open(options.db) as opened, opened.snapshot() as database:
        lines = overall(database, tournaments, options.by, options.left_out)
    output = current()
    meaning = MEANING[options.by]
    document = OverallDocument(by=options.by, meaning=meaning, tournaments=tournaments, lines=lines)
    output.document(document)
    digits = 1 if options.by == "places" else 2
    columns = [
        Column("rank", right=True),
        Column("name"),
        *(Column(key, right=True, digits=digits) for key in ("value", "low", "high", *tournaments)),
        Column("missing"),
    ]
    rows = [
        {key: getattr(line, key) for key in ("rank", "name", "value", "low", "high", "missing")}
        | {part.tournament: part.value for part in line.parts}
        for line in lines
    ]
    output.table(rows, columns)
    if output.people:
        output.say(meaning)
    if options.out is not None:
        write_file(options.out, page("overall.html", document=document, digits=digits))
        output.say(f"the page written to {options.out}")
