"""``tourney import``: store exported records as a tournament."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import click

from tourney.cli.options import db_option, output_options
from tourney.cli.output import current
from tourney.errors import InputError, RecordError, UsageError
from tourney.match.record import Record, check_record, read_json_lines
from tourney.schema import NAME
from tourney.store.importing import check_records, import_records
from tourney.store.repository import Repository


@click.command("import")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--name", required=True, metavar="NAME", help="Name of the new tournament.")
@db_option
@output_options
def command(file: Path, name: str, db: str) -> None:
    """Import the records in FILE as the new tournament NAME.

    FILE has JSON lines, as written by `tourney export`. Imports all records or none: each must have a valid
    form and digest, and all must have the same game, options, limits and number of seats. Records with the
    same seed and entrants form a mirrored group. Groups keep the order of their first records; TrueSkill
    depends on it, so do not reorder the lines. Records do not include measurements and logs. To check the
    records against the rules, use `tourney verify`.
    """
    if NAME.fullmatch(name) is None:
        raise UsageError(f"--name {name!r} must match {NAME.pattern}")
    check_records(name, read_records(file))
    with Repository.open(db, create=True) as repository:
        created = datetime.now(UTC).isoformat(timespec="seconds")
        tournament = import_records(repository, name, lambda: read_records(file), created)
        count = repository.progress(tournament.id).done
    current().say(f"{count} matches imported as {name}")


def read_records(path: Path) -> Iterator[tuple[str, Record]]:
    """Yield each record of a file with the place it is at. Raises RecordError that names the line."""
    try:
        for where, value in read_json_lines(path):
            yield where, _record(value, where)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error


def _record(value: object, where: str) -> Record:
    try:
        return check_record(value)
    except RecordError as error:
        raise RecordError(f"{where}: {error}") from error
