"""``tourney verify``: check records against the rules and the dice."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tourney.cli.options import db_option, output_options
from tourney.cli.output import current
from tourney.cli.show import find_match, is_file, names_match
from tourney.errors import CheckError, StoreDamaged, UsageError
from tourney.match.named_seeds import play_named, read_manifest
from tourney.match.record import Record, read_json_lines
from tourney.match.record import spec_of as spec_of_record
from tourney.match.verify import Finding, verify

if TYPE_CHECKING:
    from tourney.match.spec import Entrant
    from tourney.schedule.row import MatchKey
    from tourney.store.repository import Repository
    from tourney.store.values import Match, Tournament

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
            findings = _StoredMatches(repository, tournament).verify(match.number)
            yield _label(tournament, match.number), findings or []


def _all(db: str) -> Iterator[Checked]:
    with _opened(db) as repository:
        for tournament in repository.tournaments():
            stored = _StoredMatches(repository, tournament)
            if stored.imported:
                current().say(
                    f"{tournament.name} was imported: its records brought their own seeds and openings, so"
                    " these are not checked against the tournament"
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


class _StoredMatches:
    """Verifies the matches of one tournament: a record by itself, its tournament, and the tables against it.

    Imported records have their own seeds and openings; the records of a mirrored group share a seed.
    """

    def __init__(self, repository: "Repository", tournament: "Tournament") -> None:
        from tourney.store.importing import FORMAT  # noqa: PLC0415 - slow to import; record files do not need it

        self._repository = repository
        self._tournament = tournament
        self._entrants = repository.entrants(tournament.id)
        self._seeds: dict[tuple[int, int, int], tuple[int, int]] = {}
        self.imported = tournament.plan.format == FORMAT

    def verify(self, number: int) -> list[Finding] | None:
        """Return the failed checks of a finished match; None if it is void and has no record to check."""
        repository, tournament = self._repository, self._tournament
        try:
            match = repository.match(tournament.id, number)
            if match.result is None or not match.result.digest:
                why = repository.disagreement(tournament.id, number, None)
                return [Finding(why)] if why else None
            record = repository.record(tournament.id, number)
            findings = verify(record)
            findings += map(Finding, islice(self._differences(match, record), 1))
            if not findings and (why := repository.disagreement(tournament.id, number, record)):
                findings = [Finding(why)]
        except (StoreDamaged, UsageError) as error:
            return [Finding(str(error))]
        return findings

    def _differences(self, match: "Match", record: Record) -> Iterator[str]:
        """Yield the differences between a record and its match, a sentence each."""
        from tourney.run.engine.recorder import spec_of  # noqa: PLC0415 - slow to import, as above

        found = spec_of_record(record)
        expected = spec_of(self._tournament, self._entrants, match.row)
        rules = self._tournament.plan.rules
        for what, said, right in (
            ("game", found.game, expected.game),
            ("version of the rules", record["rules"], rules),
            ("options", _sorted(found.options), _sorted(expected.options)),
            ("limits", found.limits.as_json(), expected.limits.as_json()),
        ):
            if said != right:
                yield f"its {what}: {_spec_text(said)}, but {_spec_text(right)} in the tournament's plan"
        for seat, (here, there) in enumerate(zip(found.seats, expected.seats, strict=False), start=1):
            if here != there:
                who, planned = _entrant_text(here), _entrant_text(there)
                yield f"on its seat {seat} is {who}, but {planned} in the schedule"
        if self.imported:
            yield from self._group(match.key, match.number, found.seed)
            return
        if found.seed != expected.seed:
            yield (
                f"its seed is {found.seed}, but the tournament's seed and its place in the schedule give"
                f" {expected.seed}"
            )
        if found.opening != expected.opening:
            said, right = found.opening.as_json(), expected.opening.as_json()
            yield f"its opening: {_spec_text(said)}, but {_spec_text(right)} by the plan and the seed"

    def _group(self, key: "MatchKey", number: int, seed: int) -> Iterator[str]:
        first, other = self._seeds.setdefault((key.round, key.table, key.repeat), (number, seed))
        if other != seed:
            yield f"its seed is {seed}, but match {first} of the same mirrored group has {other}"


def _sorted(pairs: tuple[tuple[str, str], ...]) -> dict[str, str]:
    return dict(sorted(pairs))


def _entrant_text(entrant: "Entrant") -> str:
    args = "".join(f" {arg}" for arg in entrant.args)
    return f"{entrant.name} ({entrant.bot}@{entrant.version}{args}, {entrant.digest[:12]})"[:300]


def _spec_text(value: Any) -> str:
    if isinstance(value, dict):
        return " ".join(f"{key}={_spec_text(item)}" for key, item in value.items())[:200] or "none"
    return "/".join(value)[:200] if isinstance(value, list) else str(value)
