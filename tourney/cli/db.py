"""``tourney db``: upgrade, back up, check, recount, copy and merge databases, and archive tournaments."""

import time
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path

import click

from tourney.cli.completion import complete_tournament
from tourney.cli.documents.bots import DatabaseCheckDocument
from tourney.cli.options import TEXT, db_option, formats_option, output_options
from tourney.cli.output import Format, current
from tourney.cli.progress import counting
from tourney.errors import CheckError, UsageError
from tourney.files import descriptor_of
from tourney.store import maintenance
from tourney.store.archiving import archive_tournament, restore_tournament
from tourney.store.engine import parse_url, shown
from tourney.store.merging import merge_databases
from tourney.store.repository import Repository


@click.group("db")
def command() -> None:
    """Upgrade, back up, check, recount, copy and merge databases, and archive tournaments."""


@command.command("upgrade")
@db_option
@output_options
def upgrade(db: str) -> None:
    """Upgrade the database to the schema of this version of Tourney."""
    before, after = maintenance.upgrade_database(db)
    name = shown(parse_url(db))
    current().say(
        f"{name} is up to date ({after})"
        if before == after
        else f"{name} is upgraded from {before} to {after}"
    )


@command.command("backup")
@click.argument("target", type=click.Path(path_type=Path))
@db_option
@output_options
def backup(target: Path, db: str) -> None:
    """Copy an SQLite database to the new file TARGET, even while a run is active.

    TARGET may also be a device, a FIFO or /dev/stdout.
    """
    maintenance.backup_database(db, target)
    if descriptor_of(target) is None:
        current().write(str(target))


@command.command("check")
@formats_option(DatabaseCheckDocument, formats=TEXT)
@db_option
@output_options
def check(format_: Format, db: str) -> None:
    """Check the database for damage: its pages, references, column values and stored totals.

    Exits with code 1 if it finds any. To check the records, use `tourney verify --all`.
    """
    name = shown(parse_url(db))
    with counting(current(), "check", "rows") as step:
        problems = maintenance.check_database(db, lambda done, table: step(done, None, f"rows of {table}"))
    if format_ is Format.JSON:
        current().document(DatabaseCheckDocument, database=name, sound=not problems, problems=problems)
    else:
        for problem in problems:
            current().write(problem)
    if problems:
        count = f"{len(problems)} finding{'' if len(problems) == 1 else 's'}"
        raise CheckError(f"{name} is damaged ({count}); restore a backup")
    current().say(f"{name} is sound; whether the records hold is for `tourney verify --all`")


@command.command("recount")
@click.argument("tournament", required=False, shell_complete=complete_tournament)
@db_option
@output_options
def recount(tournament: str | None, db: str) -> None:
    """Count the stored totals of TOURNAMENT (default: all) anew from its matches.

    Standings are made of these totals. Tourney keeps them up with every match, so that only an altered
    database needs this: check its matches by `tourney verify --all` first. Prints what was different.
    """
    with Repository.open(db, write=True) as repository:
        chosen = repository.tournaments() if tournament is None else (repository.tournament(tournament),)
        for one in chosen:
            with repository.run_lock(one, time.time()):
                found = repository.rebuild_totals(one.id)
            for sentence in found:
                current().write(sentence)
            current().say(f"the totals of {one.name} {'are counted anew' if found else 'were right'}")


@command.command("merge")
@click.argument("other", metavar="OTHER")
@db_option
@output_options
def merge(other: str, db: str) -> None:
    """Bring the tournaments of the database OTHER into this one: all or nothing. OTHER stays as it is.

    Tournaments that are not here come with records, logs and measurements. Of those that are in both, under
    one name, the results that are missing here are added, if plan, seed, entrants and all digests that both
    have are the same. Baselines are brought in too. Records are checked for their digests, not against the
    rules: use `tourney verify --all` for that.
    """
    maintenance.check_apart(other, db)
    created = datetime.now(UTC).isoformat(timespec="seconds")
    name = shown(parse_url(other))
    with (
        Repository.open(other) as there,
        Repository.open(db, write=True) as here,
        counting(current(), "merge", "matches") as step,
    ):
        merged = merge_databases(
            here, there, name, created, lambda done, of: step(done, None, f"matches of {of}")
        )
    for one in merged:
        what = "brought in" if one.new else "was here"
        current().say(f"{one.name} {what}: {one.taken:,} of {one.matches:,} matches came from {name}")


@command.command("copy")
@click.argument("target", metavar="URL")
@db_option
@output_options
def copy(target: str, db: str) -> None:
    """Copy the database to an empty one at URL, which may be of another kind."""
    count = maintenance.copy_database(db, target)
    current().say(f"{count:,} rows copied to {shown(parse_url(target))}")


@command.command("archive")
@click.argument("tournament", required=False, shell_complete=complete_tournament)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="New file; its name ends in .zst or .gz. [default: TOURNAMENT.jsonl.zst, or .gz without the extra"
    " zstd]",
)
@db_option
@output_options
def archive(tournament: str | None, out: Path | None, db: str) -> None:
    """Move the records of the finished TOURNAMENT (default: the newest) to a compressed file.

    The file has the records, logs and measurements, as `tourney export --what tournament --measured` writes
    them. It is read back and checked before they are removed from the database, which keeps the schedule,
    results, digests, standings, ratings and the root. Whatever needs a record names the file from then on;
    reports need it too. The way back is `tourney db unarchive`. Prints the path of the file.
    """
    created = datetime.now(UTC).isoformat(timespec="seconds")
    output = current()
    with Repository.open(db, write=True) as repository:
        name = repository.tournament(tournament).name
        packing = "gz" if find_spec("zstandard") is None else "zst"
        file = out or Path(f"{name}.jsonl.{packing}")
        with counting(output, "archive", "matches") as step:
            made = archive_tournament(repository, name, file, created, lambda done: step(done, None))
        shrunk = repository.give_space_back()
    space = "the database is smaller by it" if shrunk else "the database uses its space for what comes next"
    output.say(f"{name} is archived in {file} (sha256 {made.sha256}); {space}")
    output.write(str(file))


@command.command("unarchive")
@click.argument("file", metavar="FILE", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@db_option
@output_options
def unarchive(file: Path, db: str) -> None:
    """Bring the records, logs and measurements of an archived tournament back from FILE.

    FILE must be the archive as it was written, by its SHA-256; its name does not matter. All is brought back
    or nothing. FILE stays as it is.
    """
    if not file.is_file():
        raise UsageError(f"{file} is no regular file: name the archive")
    with Repository.open(db, write=True) as repository, counting(current(), "unarchive", "matches") as step:
        tournament = restore_tournament(repository, file, lambda done: step(done, None))
    current().say(f"the records of {tournament.name} are back in {shown(parse_url(db))}")
