"""``tourney import``: read records that were exported."""

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
@click.option("--name", required=True, metavar="NAME", help="What the tournament made of them is called.")
@db_option
@output_options
def command(file: Path, name: str, db: str) -> None:
    """Read the records in FILE, JSON lines as `tourney export` writes them, into a tournament NAME.

    Every record's form and digest are checked first, and all are taken in or none. The records must be of one
    game with the same options, limits and number of seats. Records with one seed and the same entrants are
    one mirrored group, and groups come in the order of their first records, which TrueSkill follows: so leave
    the order as it was exported. What was measured and the logs are not part of records. Whether they keep to
    the rules is for `tourney verify`.
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
