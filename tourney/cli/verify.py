"""``tourney verify``: check records against the rules and the dice."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tourney.cli.options import db_option, output_options
from tourney.cli.output import current
from tourney.cli.show import find_match, is_file, names_match
from tourney.errors import CheckError, UsageError
from tourney.match.named_seeds import play_named, read_manifest
from tourney.match.record import read_json_lines
from tourney.match.verify import Finding, verify

if TYPE_CHECKING:
    from tourney.cli.stored_matches import StoredMatches
    from tourney.store.repository import Repository
    from tourney.store.values import Tournament

Checked = tuple[str, list[Finding]]
"""A match's label and what does not hold of it."""


@click.command("verify")
@click.argument("match", required=False)
@click.option("--all", "everything", is_flag=True, help="Verify all matches in the database.")
@click.option(
    "--manifest",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Play the named seeds in FILE and compare the digests of their records.",
)
@db_option
@output_options
def command(match: str | None, everything: bool, manifest: Path | None, db: str) -> None:
    """Check records against the rules and the dice.

    MATCH is a number (12 or autumn-cup/12) or a file of records. Replays the actions through the rules, and
    samples the dice, openings and substitutes again from the seed. This proves the rules and the dice, not
    which bots played. A match in the database must also agree with its tournament's seed, schedule, entrants
    and limits, and its stored result must follow from its record; imported records have their own seeds and
    openings. Prints a line for each failed check and exits with code 1.
    """
    if sum((match is not None, everything, manifest is not None)) != 1:
        raise UsageError("give one of MATCH, --all and --manifest FILE")
    if manifest is not None:
        checked: Iterable[Checked] = _manifest(manifest)
    elif match is not None:
        checked = _match(match, db)
    else:
        checked = _all(db)
    output = current()
    total = wrong = 0
    for label, findings in checked:
        total += 1
        wrong += bool(findings)
        for finding in findings:
            output.write(f"{label}: {finding}")
    if total == 0:
        raise UsageError(f"there is nothing to verify in {match or manifest or db}")
    if wrong:
        raise CheckError(f"{wrong} of {total} {_records(total)} {'does' if wrong == 1 else 'do'} not hold")
    output.write(f"{total} {_records(total)} {'holds' if total == 1 else 'hold'}")


def _match(words: str, db: str) -> Iterator[Checked]:
    if is_file(words):
        for where, value in read_json_lines(Path(words)):
            yield where, verify(value)
    elif not names_match(words):
        find_match(words, db)
    else:
        with _opened(db) as repository:
            match = repository.find_match(words)
            tournament = repository.tournament_by_id(match.tournament)
            repository.record(tournament.id, match.number)  # or it says why there is none
            findings = _stored(repository, tournament).verify(match.number)
            yield _label(tournament, match.number), findings or []


def _all(db: str) -> Iterator[Checked]:
    with _opened(db) as repository:
        for tournament in repository.tournaments():
            stored = _stored(repository, tournament)
            if stored.imported:
                current().say(
                    f"{tournament.name} was imported: its records brought their own seeds and openings, which"
                    " are held to no tournament's"
                )
            for number in repository.finished_numbers(tournament.id):
                findings = stored.verify(number)
                if findings is not None:
                    yield _label(tournament, number), findings


@contextmanager
def _opened(db: str) -> "Iterator[Repository]":
    from tourney.store.repository import Repository  # noqa: PLC0415 - slow to import, and files do without

    with Repository.open(db) as opened, opened.snapshot() as repository:
        yield repository


def _stored(repository: "Repository", tournament: "Tournament") -> "StoredMatches":
    from tourney.cli.stored_matches import StoredMatches  # noqa: PLC0415 - likewise

    return StoredMatches(repository, tournament)


def _label(tournament: "Tournament", number: int) -> str:
    return f"match {number} of {tournament.name}"


def _manifest(path: Path) -> Iterator[Checked]:
    for named in read_manifest(path):
        record = play_named(named).record
        findings = verify(record)
        if record["digest"] != named.digest:
            findings.append(
                Finding(
                    f"its record has the digest {record['digest']}, not {named.digest} as the manifest says"
                )
            )
        yield f"{named.name} ({named.spec.game})", findings


def _records(count: int) -> str:
    return "record" if count == 1 else "records"
