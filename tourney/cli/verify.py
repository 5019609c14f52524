"""``tourney verify``: check records against the rules and the dice, and tournaments as a whole."""

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import rfc8785

from tourney.cli.documents.matches import VerifyDocument
from tourney.cli.options import TEXT, bots_option, db_option, formats_option, output_options
from tourney.cli.output import Format, Output, current
from tourney.cli.progress import counting
from tourney.cli.show import find_match, is_file, names_match
from tourney.errors import CheckError, RecordError, UsageError
from tourney.games.external import OUTSIDE
from tourney.games.registry import EXTERNAL
from tourney.match.merkle import Tree
from tourney.match.named_seeds import play_named, read_manifest
from tourney.match.record import digest_of, read_json_lines, read_record
from tourney.match.verify import Finding, verify
from tourney.pool import Pool, default_processes
from tourney.schema import DIGEST

if TYPE_CHECKING:
    from tourney.run.engine.verification import TournamentVerifier
    from tourney.store.repository import Repository
    from tourney.store.values import Tournament

_NOTHING: Any = {}
_MANY = 2_000
"""From this many matches on, starting processes pays."""
_AHEAD = 4
"""Chunks of matches in flight for each process."""
Checked = tuple[str, list[Finding]]
"""A match's label and what does not hold of it."""


@click.command("verify")
@click.argument("match", required=False)
@click.option("--all", "everything", is_flag=True, help="Verify all matches and tournaments in the database.")
@click.option(
    "--manifest",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Play the named seeds in FILE and compare the digests of their records.",
)
@click.option(
    "--root",
    metavar="HEX",
    help="Compare the root of a tournament in the database, or of an exported one, with this root.",
)
@click.option(
    "--proof",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Check by a proof of `tourney export --proof` that a match belongs to the tournament of --root.",
)
@click.option(
    "--processes",
    type=click.IntRange(1, 256),
    metavar="N",
    help="--all: processes that verify matches. [default: one per processor from 2,000 matches on, else 1]",
)
@formats_option(VerifyDocument, formats=TEXT)
@db_option
@bots_option
@output_options
def command(
    match: str | None,
    everything: bool,
    manifest: Path | None,
    root: str | None,
    proof: Path | None,
    processes: int | None,
    format_: Format,
    db: str,
    bots: str,
) -> None:
    """Check records against the rules and the dice, and tournaments as a whole.

    MATCH is a number (12 or autumn-cup/12) or a file of records. Replays the actions through the rules, and
    samples the dice, openings and substitutes again from the seed. This proves the rules and the dice, not
    which bots played; `tourney rerun` plays them again. A match in the database must also agree with its
    tournament's seed, schedule, entrants and limits, and its stored result must follow from its record;
    imported records have their own seeds and openings.

    --all also draws every round again from the plan and the results, names rows that are missing, surplus or
    different, and says whether each tournament is whole. Only a root that you know from elsewhere shows that
    someone rewrote a whole tournament: give it by --root, with --all, alone, or with a file of `tourney
    export --what tournament` as MATCH. Prints a line for each failed check and exits with code 1.
    """
    if root is not None and DIGEST.fullmatch(root) is None:
        raise UsageError(f"--root {root} is no root: it has 64 hex digits, as `tourney status` prints it")
    if proof is None:
        if sum((match is not None, everything, manifest is not None)) > 1 or (manifest is not None and root):
            raise UsageError("give one of MATCH, --all and --manifest FILE")
        if match is None and not everything and manifest is None and root is None:
            raise UsageError("give one of MATCH, --all, --manifest FILE and --root HEX")
    if processes is not None and not everything:
        raise UsageError("--processes goes with --all")
    checks = _Checks(current(), format_)
    failures: list[str] = []
    try:
        if proof is not None:
            _check_proof(checks, proof, root, match, everything or manifest is not None)
        elif everything:
            failures += _check_all(checks, db, Path(bots), processes)
        elif manifest is not None:
            failures += _check(checks, _manifest(manifest), str(manifest))
        elif match is not None and (root is None or is_file(match)):
            failures += _check(checks, _match(match, db, checks.notes), match)
        if root is not None and proof is None:
            failures += _check_root(checks, root, match, db)
    except CheckError as error:
        failures.append(str(error))
    for note in sorted(checks.notes):
        checks.output.say(note)
    if format_ is Format.JSON:
        checks.document(failures)
    if failures:
        raise CheckError("; ".join(failures))


@dataclass
class _Checks:
    """What was checked and found: printed line by line as text, or as one JSON document at the end."""

    output: Output
    format: Format
    checked: int = 0
    wrong: int = 0
    findings: list[dict[str, Any]] = field(default_factory=list)
    tournaments: list[dict[str, Any]] = field(default_factory=list)
    root_of: str | None = None
    entry: int | None = None
    entries: int | None = None
    notes: set[str] = field(default_factory=set)

    def write(self, text: str) -> None:
        """Print a line of text."""
        if self.format is Format.TEXT:
            self.output.write(text)

    def find(self, where: str, finding: Finding) -> None:
        """Take a finding and print its line."""
        self.findings.append({"where": where, "what": finding.text, "action": finding.action})
        self.write(f"{where}: {finding}")

    def document(self, failures: Sequence[str]) -> None:
        """Print the document."""
        own = (one.name for one in fields(self))
        values = {name: getattr(self, name) for name in own if name not in {"output", "format", "notes"}}
        values["notes"] = sorted(self.notes)
        self.output.document(VerifyDocument, holds=not failures, failures=failures, **values)


def _check(checks: _Checks, checked: Iterable[Checked], where: str = "") -> Iterator[str]:
    """Print the findings and the number of records; yield what does not hold.

    Raises UsageError if there is no record and ``where`` names the place.
    """
    total = wrong = 0
    for label, findings in checked:
        total += 1
        wrong += bool(findings)
        for finding in findings:
            checks.find(label, finding)
    checks.checked += total
    checks.wrong += wrong
    if total == 0 and where:
        raise UsageError(f"there is nothing to verify in {where}")
    if wrong:
        yield f"{wrong} of {total} {_records(total)} {'does' if wrong == 1 else 'do'} not hold"
    else:
        checks.write(f"{total} {_records(total)} {'holds' if total == 1 else 'hold'}")


def _match(words: str, db: str, notes: set[str]) -> Iterator[Checked]:
    """Yield the findings about a match, or about each of a file; ``notes`` takes what cannot be checked."""
    if is_file(words):
        for where, value in read_json_lines(Path(words)):
            if not (isinstance(value, dict) and "record" not in value and _is_tournament_line(value)):
                record = value["record"] if _is_tournament_line(value) else value
                yield where, verify(record, notes=notes)
    elif not names_match(words):
        find_match(words, db)
    else:
        from tourney.run.engine.verification import TournamentVerifier  # noqa: PLC0415 - slow to import, as below

        with _opened(db) as repository:
            match = repository.find_match(words)
            tournament = repository.tournament_by_id(match.tournament)
            repository.record(tournament.id, match.number)  # or it says why there is none
            verifier = TournamentVerifier(repository, tournament)
            yield _label(tournament, match.number), verifier.match(match.number)
            notes |= verifier.unchecked


def _is_tournament_line(value: Any) -> bool:
    """Return whether a line is one of an exported tournament: its first one, or a match of its schedule."""
    return isinstance(value, dict) and ("place" in value or value.get("format") == "tourney-tournament/1")


def _check_all(checks: _Checks, db: str, bots: Path, processes: int | None) -> Iterator[str]:
    """Verify a database, and yield what does not hold."""
    from tourney.bots.catalogue.store import BotStore  # noqa: PLC0415 - slow to import, as below
    from tourney.run.engine.verification import TournamentVerifier  # noqa: PLC0415 - likewise

    broken = []
    output = checks.output
    with _opened(db) as repository, counting(output, "verify", "records") as step:
        tournaments = []
        archives = repository.archives()
        for tournament in repository.tournaments():
            if tournament.recorded:
                tournaments.append(tournament)
            else:
                output.say(f"{tournament.name} has results without records, which cannot be verified")
        verifiers = [
            TournamentVerifier(repository, tournament, BotStore(bots) if bots.is_dir() else None)
            for tournament in tournaments
        ]
        for tournament in tournaments:
            if tournament.id in archives:
                checks.notes.add(
                    f"{tournament.name} is in {archives[tournament.id]} (its schedule, results and root are"
                    " checked here, by the digests of its records)"
                )
        there = [one for one in tournaments if one.id not in archives]
        total = sum(repository.progress(tournament.id).done for tournament in there)
        if total == 0 and all(tournament.root is None for tournament in tournaments):
            raise UsageError(f"there is nothing to verify in {db}")
        count = (default_processes() if total >= _MANY else 1) if processes is None else processes
        with Pool(count, "verifies matches", _AHEAD) as pool:
            records = _stored_records(archives, tournaments, verifiers, pool, lambda done: step(done, total))
            yield from _check(checks, records)
        for tournament, verifier in zip(tournaments, verifiers, strict=True):
            whole = verifier.whole(lambda done, rounds: step(done, rounds, "rounds"))
            checks.notes |= verifier.unchecked
            for note in whole.notes:
                output.say(note)
            found = [*whole.findings, *_verdict(repository, tournament)]
            for finding in found:
                checks.find(tournament.name, Finding(str(finding)))
            counts = repository.progress(tournament.id)
            checks.tournaments.append(
                {
                    "tournament": tournament.name,
                    "whole": not found and whole.unfinished is None,
                    "unfinished": whole.unfinished,
                    "rounds": counts.rounds,
                    "matches": counts.rows,
                }
            )
            if found:
                broken.append(tournament.name)
            elif whole.unfinished is not None:
                checks.write(f"{tournament.name} is not whole: {whole.unfinished}")
            else:
                rounds = f"{counts.rounds} round{'' if counts.rounds == 1 else 's'}"
                checks.write(f"{tournament.name} is whole: {rounds}, {counts.rows} matches")
            if tournament.game == EXTERNAL:
                checks.write(f"{tournament.name}: {OUTSIDE}")
    if broken:
        what = "tournament" if len(broken) == 1 else "tournaments"
        yield f"the {what} {', '.join(broken)} {'does' if len(broken) == 1 else 'do'} not hold"


def _stored_records(
    archived: Container[int],
    tournaments: "Iterable[Tournament]",
    verifiers: "Iterable[TournamentVerifier]",
    pool: Pool,
    step: Callable[[int], None],
) -> Iterator[Checked]:
    done = 0
    for tournament, verifier in zip(tournaments, verifiers, strict=True):
        if tournament.id in archived:
            continue
        for number, findings in verifier.matches(pool):
            done += 1
            step(done)
            if findings is not None:
                yield _label(tournament, number), findings


def _verdict(repository: "Repository", tournament: "Tournament") -> Iterator[str]:
    """Compare the stored result of a comparison with that of its matches."""
    if tournament.plan.format != "compare":
        return
    from tourney.compare.result import result_data  # noqa: PLC0415 - slow to import, as below

    kept = repository.verdict(tournament.id)
    if kept is not None and kept["ended"] and kept != result_data(repository, tournament):
        yield "the stored result of the comparison does not follow from its matches"


def _check_root(checks: _Checks, root: str, words: str | None, db: str) -> Iterator[str]:
    """Compare the roots of an exported tournament, or of those in a database, with a root."""
    from tourney.store.root import recomputed_entries, root_of  # noqa: PLC0415 - slow to import, as below

    if words is not None and is_file(words):
        name, now = _exported_root(Path(words))
        if now == root:
            checks.root_of = name
            checks.write(f"{words}: {name} has this root")
        else:
            yield f"{words}: {name} has {f'the root {now}' if now else 'no root yet'}, not {root}"
        return
    others = []
    with _opened(db) as repository:
        chosen = repository.tournaments() if words is None else (repository.tournament(words),)
        for tournament in chosen:
            try:
                now = root_of(recomputed_entries(repository, tournament))
            except UsageError as error:
                others.append(str(error))
                continue
            if now == root:
                checks.root_of = tournament.name
                checks.write(
                    f"{tournament.name} has this root: {repository.progress(tournament.id).rows} matches"
                )
                return
            others.append(f"{tournament.name} has the root {now}")
    yield f"no tournament here has the root {root}; {'; '.join(others) or 'there is none'}"


def _exported_root(path: Path) -> tuple[str, str | None]:
    """Return the name and root of an exported tournament; the root is None before its end."""
    from tourney.store.root import leaf_of, match_entry  # noqa: PLC0415 - slow to import, as below

    lines = read_json_lines(path)
    where, head = next(lines, ("", _NOTHING))
    if not _is_tournament_line(head) or "place" in head:
        raise RecordError(
            f"{path} does not begin with a tournament, and a root is over its plan too: write the file by"
            " `tourney export --what tournament`"
        )
    try:
        tree = Tree()
        tree.add(leaf_of(head["tournament"]))
        open_ = head["complete"] is not True
        count = 0
        for place, line in lines:
            count += 1
            where = place
            digest = digest_of(line["record"]) if "record" in line else ""
            open_ |= "record" not in line and "void" not in line
            tree.add(leaf_of([*match_entry(line["place"], digest)]))
        name = str(head["tournament"]["plan"]["name"])
        if count != head["matches"]:
            raise CheckError(f"{path}: {count} of its {head['matches']} matches are there")
        return name, None if open_ else tree.hash().hex()
    except (LookupError, TypeError, ValueError, AttributeError, rfc8785.CanonicalizationError) as error:
        raise RecordError(f"{where}: this is no line of an exported tournament") from error


def _check_proof(checks: _Checks, path: Path, root: str | None, match: str | None, more: bool) -> None:
    """Check a proof against a root, and a record file against the proof."""
    from tourney.store.root import read_proof  # noqa: PLC0415 - slow to import, as below

    if root is None or more or (match is not None and not is_file(match)):
        raise UsageError("--proof FILE goes with --root HEX, and with a record file at most")
    proof = read_proof(read_record(path), str(path))
    if not proof.leads_to(root):
        raise CheckError(f"{path} does not lead to the root {root}")
    checks.entry, checks.entries = proof.index, proof.tree_size
    if isinstance(proof.entry, dict):
        checks.write(f"the plan in {path} belongs to this root, which has {proof.tree_size - 1} matches")
        return
    if match is not None:
        record = read_record(Path(match))
        findings = verify(record, notes=checks.notes)
        for finding in findings:
            checks.find(match, finding)
        checks.checked, checks.wrong = 1, int(bool(findings))
        if findings:
            raise CheckError(f"{match} does not hold")
        if record["digest"] != proof.digest:
            raise CheckError(f"{match} has the digest {record['digest']}, but {proof.digest} in {path}")
    what = match or (f"the record {proof.digest}" if proof.digest else "a void match")
    place = ", ".join(
        f"{word} {number}"
        for word, number in zip(("round", "table", "repeat", "order"), proof.entry, strict=False)
    )
    checks.write(f"{what} belongs to this root: {place}, entry {proof.index} of {proof.tree_size}")


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
