"""``tourney import``: store an exported tournament, or exported records as a tournament."""

import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import click

from tourney.cli.options import db_option, output_options
from tourney.cli.output import current
from tourney.errors import InputError, RecordError, TournamentError, UsageError
from tourney.match.record import Record, check_record, read_json_lines
from tourney.results.standings import setup_of
from tourney.schedule.format import FORMATS, check_settings, find_format, group_size
from tourney.schema import NAME
from tourney.store.exchange import IMPORTED, Head, is_tournament
from tourney.store.importing import check_records, check_tournament, import_records, import_tournament
from tourney.store.repository import Repository

Values = Callable[[], Iterator[tuple[str, object]]]
"""Gives the JSON values of the file with their places, each time it is called."""


@click.command("import")
@click.argument("file", type=click.Path(dir_okay=False, allow_dash=True, path_type=Path))
@click.option("--name", metavar="NAME", help="Name of the new tournament. [default: that of the export]")
@click.option(
    "--again", is_flag=True, help="Also import records that the database has already in another tournament."
)
@db_option
@output_options
def command(file: Path, name: str | None, again: bool, db: str) -> None:
    """Import FILE (-: standard input) as a new tournament.

    FILE has JSON lines, as written by `tourney export`. Imports everything or nothing.

    From `tourney export --what tournament`, the new tournament is the same as the exported one: its schedule,
    standings, ratings and root. One that is not finished continues with `tourney run` and its tournament
    file, if its bots are in the bot store. Another name gives it another root.

    From `tourney export`, records become a finished tournament, which needs a NAME: each record must have a
    valid form and digest, and all must have the same game, options, limits and number of seats. Records with
    the same seed and entrants form a mirrored group. Groups keep the order of their first records; TrueSkill
    depends on it, so do not reorder the lines. Records do not include measurements and logs.

    To check the records against the rules, use `tourney verify --all`.
    """
    if name is not None and NAME.fullmatch(name) is None:
        raise UsageError(f"--name {name!r} must match {NAME.pattern}")
    with readable(file) as values:
        created = datetime.now(UTC).isoformat(timespec="seconds")
        if any(is_tournament(one) for _, one in first(values)):
            check_format(check_tournament(values(), name), file)
            with Repository.open(db, create=True) as repository:
                tournament = import_tournament(repository, values, created, name=name, again=again)
                counts = repository.progress(tournament.id)
            rest = counts.rows - counts.done
            current().say(
                f"{counts.done} matches imported as {tournament.name}"
                + (f", {rest} of its matches {'is' if rest == 1 else 'are'} not played yet" if rest else "")
            )
            return
        if name is None:
            raise UsageError("--name NAME is missing: records do not say what tournament they are of")
        check_records(name, read_records(values))
        with Repository.open(db, create=True) as repository:
            tournament = import_records(repository, name, lambda: read_records(values), created, again=again)
            count = repository.progress(tournament.id).done
        current().say(f"{count} matches imported as {name}")


def check_format(head: Head, file: Path) -> None:
    """Raise TournamentError, naming the file, for a tournament that its format cannot have drawn.

    A format that is not installed is not asked.
    """
    plan = head.tournament.plan
    if plan.format == IMPORTED or not FORMATS.knows(plan.format):
        return
    format_ = find_format(plan.format)
    try:
        rest = plan.games_per_pairing % group_size(plan.seats)
        if format_.in_files:
            check_settings(format_, plan.extra)
        format_.check(setup_of(plan, head.tournament.seed, head.entrants))
    except (TournamentError, ValueError) as error:  # group_size knows tables of at most four seats
        raise TournamentError(f"{file} line 1: {error}") from error
    if rest:
        raise TournamentError(
            f"{file} line 1: games-per-pairing is {plan.games_per_pairing}, no multiple of"
            f" {group_size(plan.seats)}, the matches of a mirrored group"
        )


@contextmanager
def readable(file: Path) -> Iterator[Values]:
    """Give the values of a file; one that can be read only once, as a FIFO, is copied first."""
    label = "standard input" if str(file) == "-" else str(file)
    try:
        if file.is_file():
            yield lambda: read_json_lines(file)
            return
        with tempfile.NamedTemporaryFile(prefix="tourney-") as copy:
            if str(file) == "-":
                shutil.copyfileobj(sys.stdin.buffer, copy)
            else:
                with file.open("rb") as source:
                    shutil.copyfileobj(source, copy)
            copy.flush()
            yield lambda: read_json_lines(Path(copy.name), label)
    except OSError as error:
        raise InputError(f"{label} cannot be read: {error.strerror}") from error


def first(values: Values) -> Iterator[tuple[str, object]]:
    """Yield the first value, if there is one."""
    for one in values():
        yield one
        return


def read_records(values: Values) -> Iterator[tuple[str, Record]]:
    """Yield each record of a file with its place. Raises RecordError that names the line."""
    for where, value in values():
        if is_tournament(value):
            raise RecordError(f"{where}: a tournament begins here, but its file began with a record")
        try:
            record = check_record(value)
        except RecordError as error:
            raise RecordError(f"{where}: {error}") from error
        yield where, record
