"""``tourney db check``: check the database for damage."""

from typing import Literal

from tourney.check.database import check_database, unknown_rankings
from tourney.cli import options as opt
from tourney.cli.output import counting, current
from tourney.errors import CheckError
from tourney.schema import Document
from tourney.store.engine import shown
from tourney.texts import counted


class DatabaseCheckDocument(Document, frozen=True, kw_only=True):
    """Whether a database is sound; `problems` are sentences."""

    format: Literal["tourney-db-check/1"] = "tourney-db-check/1"
    database: str
    sound: bool
    problems: tuple[str, ...]


@opt.command("check")
@opt.formats_option(DatabaseCheckDocument, formats=opt.TEXT)
@opt.db_option
def command(db: str) -> None:
    """Check the database for damage: its pages, references and column values.

    Lists every problem, also of a file of which only a part can be read, and exits with code 1 if there is
    any. Exits with code 3 if there is no database of Tourney, or an older or newer one, which cannot be
    checked. To check the records, use `tourney verify --all`.
    """
    name = shown(db)
    with counting(current(), "check", "rows") as step:
        problems = check_database(db, lambda done, table: step(done, None, f"rows of {table}"))
    newer = () if problems else unknown_rankings(db)
    sentences = (*problems, *newer)
    current().document(DatabaseCheckDocument(database=name, sound=not sentences, problems=sentences))
    current().text(*problems)
    if problems:
        raise CheckError(f"{name} is damaged ({counted(len(problems), 'finding')}); restore a backup")
    if newer:
        raise CheckError("; ".join(newer))
    current().say(f"{name} is sound; whether the records hold is for `tourney verify --all`")
