"""``tourney db archive``: move a finished tournament's records to a compressed file."""

from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path

import click

from tourney.cli import options as opt
from tourney.cli.output import counting, current
from tourney.exchange.archiving import archive_tournament
from tourney.store.database import Database


@opt.command("archive")
@opt.tournament_argument
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="New file; its name ends in .zst or .gz. [default: TOURNAMENT.jsonl.zst, or .gz without the extra"
    " zstd]",
)
@opt.db_option
def command(tournament: str | None, out: Path | None, db: str) -> None:
    """Move the records of the finished TOURNAMENT (default: the newest) to a compressed file.

    The file has the records, logs and measurements, as `tourney export --what tournament --measured` writes
    them. It is read back and checked before they are removed from the database, which keeps the schedule,
    results, digests, standings, ratings and the root. Whatever needs a record names the file from then on;
    reports need it too. The way back is `tourney db unarchive`. Prints the path of the file.
    """
    created = datetime.now(UTC).isoformat(timespec="seconds")
    output = current()
    with Database.open(db, write=True) as database:
        name = database.tournaments.get(tournament).name
        packing = "gz" if find_spec("zstandard") is None else "zst"
        file = out or Path(f"{name}.jsonl.{packing}")
        with counting(output, "archive", "matches") as step:
            made = archive_tournament(database, name, file, created, lambda done: step(done, None))
        # SQLite keeps freed pages in its file until a command gives them back.
        shrunk = database.give_space_back()
    space = "the database is smaller by it" if shrunk else "the database uses its space for what comes next"
    output.say(f"{name} is archived in {file} (sha256 {made.sha256}); {space}")
    output.write(str(file))
