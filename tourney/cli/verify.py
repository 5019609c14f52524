"""``tourney verify``: check records against the rules and the dice, and tournaments as a whole."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

import click

from tourney.cli import options as opt
from tourney.cli.options import option
from tourney.cli.output import Output, OutputFormat, ShowProgress, counting, current
from tourney.errors import CheckError, UsageError
from tourney.games.external import OUTSIDE
from tourney.games.registry import EXTERNAL
from tourney.interface.found_match import find_match, is_file, names_match
from tourney.match.named_seeds import verify_named
from tourney.match.record import read_record
from tourney.match.verify import Finding, verify_data
from tourney.parsing import read_json_lines, read_json_value
from tourney.schema import DIGEST, Document, Part
from tourney.spawning import Pool, default_processes

if TYPE_CHECKING:
    from tourney.run.engine.verification import TournamentVerifier
    from tourney.store.database import Database
    from tourney.store.values import Tournament

_MANY = 2_000
"""From this many matches on, starting processes pays."""
_AHEAD = 4
"""Chunks of matches in flight for each process."""
Checked = tuple[str, list[Finding]]
"""A match's label and what does not hold of it."""
Verifying: TypeAlias = "tuple[Tournament, TournamentVerifier]"


class FoundFlaw(Part, frozen=True, kw_only=True):
    """What does not hold, and of what; `action` is the number (from 1) of the action in question, if any."""

    where: str
    what: str
    action: int | None


class WholeTournament(Part, frozen=True, kw_only=True):
    """A tournament as a whole: whether its rounds follow from its plan and results, and all are played.

    `unfinished` says why it is not whole yet, though nothing is wrong.
    """

    tournament: str
    whole: bool
    unfinished: str | None
    rounds: int
    matches: int


class VerifyDocument(Document, frozen=True, kw_only=True):
    """Whether records hold: `checked` of them were, `wrong` do not.

    `failures` are sentences on what does not hold, `findings` its parts. `tournaments` are those of `--all`.
    `root_of` is the tournament with the root that was given, or null. `entry` is the number of the proof's
    entry among `entries`. `notes` are sentences on what could not be checked here.
    """

    format: Literal["tourney-verify/1"] = "tourney-verify/1"
    holds: bool
    checked: int
    wrong: int
    failures: tuple[str, ...]
    findings: tuple[FoundFlaw, ...]
    tournaments: tuple[WholeTournament, ...]
    root_of: str | None
    entry: int | None
    entries: int | None
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class VerifyRequest:
    """Options of ``tourney verify``."""

    everything: bool = option("--all", "Verify all matches and tournaments in the database.")
    manifest: Path | None = option(
        "--manifest FILE",
        "Play the named seeds in FILE and compare the digests of their records.",
        type=opt.EXISTING,
    )
    root: str | None = option(
        "--root HEX",
        "Compare the root of a tournament in the database, or of an exported one, with this root.",
    )
    proof: Path | None = option(
        "--proof FILE",
        "Check by a proof of `tourney export --proof` that a match belongs to the tournament of --root.",
        type=opt.EXISTING,
    )
    processes: int | None = option(
        "--processes N",
        "--all: processes that verify matches. [default: one per processor from 2,000 matches on, else 1]",
        type=click.IntRange(1, 256),
    )
    format_: OutputFormat = opt.shared(opt.text_option(VerifyDocument))
    db: str = opt.shared(opt.db_option)
    bots: str = opt.shared(opt.bots_option)

    def check(self, match: str | None) -> None:
        """Raise UsageError for options that do not go together."""
        if self.root is not None and DIGEST.fullmatch(self.root) is None:
            raise UsageError(
                f"--root {self.root} is not a root: one has 64 hex digits, as `tourney status` prints it"
            )
        if self.proof is None:
            named = (match is not None, self.everything, self.manifest is not None)
            if sum(named) > 1 or (self.manifest is not None and self.root):
                raise UsageError("give one of MATCH, --all and --manifest FILE")
            if not any(named) and self.root is None:
                raise UsageError("give one of MATCH, --all, --manifest FILE and --root HEX")
        if self.processes is not None and not self.everything:
            raise UsageError("--processes goes with --all")


@click.command("verify")
@click.argument("match", required=False)
@opt.takes(VerifyRequest)
@opt.output_options
def command(match: str | None, options: VerifyRequest) -> None:
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
    options.check(match)
    checks = _Checks(current(), options.format_)
    try:
        if options.proof is not None:
            _check_proof(checks, options.proof, match, options)
        elif options.everything:
            _check_all(checks, options.db, Path(options.bots), options.processes)
        elif options.manifest is not None:
            checks.check(verify_named(options.manifest), str(options.manifest))
        elif match is not None and (options.root is None or is_file(match)):
            checks.check(_match(match, options.db, checks.notes), match)
        if options.root is not None and options.proof is None:
            _check_root(checks, options.root, match, options.db)
    except CheckError as error:
        checks.failures.append(str(error))
    for note in sorted(checks.notes):
        checks.output.say(note)
    if options.format_ is OutputFormat.JSON:
        notes = tuple(sorted(checks.notes))
        checks.output.document(VerifyDocument.of(checks, holds=not checks.failures, notes=notes))
    if checks.failures:
        raise CheckError("; ".join(checks.failures))


@dataclass
class _Checks:
    """What was checked and found: printed line by line as text, or as one ``VerifyDocument`` at the end."""

    output: Output
    form: OutputFormat
    checked: int = 0
    wrong: int = 0
    failures: list[str] = field(default_factory=list)
    findings: list[FoundFlaw] = field(default_factory=list)
    tournaments: list[WholeTournament] = field(default_factory=list)
    root_of: str | None = None
    entry: int | None = None
    entries: int | None = None
    notes: set[str] = field(default_factory=set)

    def write(self, text: str) -> None:
        """Print a line of text."""
        if self.form is OutputFormat.TEXT:
            self.output.write(text)

    def find(self, where: str, finding: Finding) -> None:
        """Take a finding and print its line."""
        self.findings.append(FoundFlaw(where=where, what=finding.text, action=finding.action))
        self.write(f"{where}: {finding}")

    def check(self, checked: Iterable[Checked], where: str = "") -> None:
        """Take records with their findings, and print how many hold.

        Raises UsageError if there is no record and ``where`` names the place.
        """
        for label, findings in checked:
            self.checked += 1
            self.wrong += bool(findings)
            for finding in findings:
                self.find(label, finding)
        total, wrong = self.checked, self.wrong
        if total == 0 and where:
            raise UsageError(f"there is nothing to verify in {where}")
        noun = "record" if total == 1 else "records"
        if wrong:
            self.failures.append(f"{wrong} of {total} {noun} {'does' if wrong == 1 else 'do'} not hold")
        else:
            self.write(f"{total} {noun} {'holds' if total == 1 else 'hold'}")


def _match(words: str, db: str, notes: set[str]) -> Iterator[Checked]:
    """Yield the findings about a match, or about each of a file; ``notes`` takes what cannot be checked."""
    if is_file(words):
        for where, value in read_json_lines(Path(words)):
            # A line of an exported tournament is its first one, or a match of its schedule.
            exported = isinstance(value, dict) and (
                "place" in value or value.get("format") == "tourney-tournament/1"
            )
            if not exported or "record" in value:
                yield where, verify_data(value["record"] if exported else value, notes=notes)
    elif not names_match(words):
        find_match(words, db)
    else:
        from tourney.run.engine.verification import TournamentVerifier  # noqa: PLC0415 - slow to import, as below

        with _opened(db) as database:
            match = database.matches.find(words)
            tournament = database.tournaments.by_id(match.tournament)
            database.records.get(tournament.id, match.number)  # or it says why there is none
            verifier = TournamentVerifier(database, tournament)
            yield _label(tournament, match.number), verifier.match(match.number)
            notes |= verifier.unchecked


def _check_all(checks: _Checks, db: str, bots: Path, processes: int | None) -> None:
    """Verify a database."""
    with _opened(db) as database, counting(checks.output, "verify", "records") as step:
        verifiers = _verifiers(checks, database, bots)
        archives = database.tournaments.archives()
        here = [(found, verifier) for found, verifier in verifiers if found.id not in archives]
        total = sum(database.schedules.progress(found.id).done for found, _ in here)
        if total == 0 and all(found.root is None for found, _ in verifiers):
            raise UsageError(f"there is nothing to verify in {db}")
        count = (default_processes() if total >= _MANY else 1) if processes is None else processes
        done = 0

        def stored(pool: Pool) -> Iterator[Checked]:
            nonlocal done
            for tournament, verifier in here:
                for number, findings in verifier.matches(pool):
                    done += 1
                    step(done, total)
                    if findings is not None:
                        yield _label(tournament, number), findings

        with Pool(count, "verifies matches", _AHEAD) as pool:
            checks.check(stored(pool))
        broken = [
            found.name for found, one in verifiers if not _check_whole(checks, database, found, one, step)
        ]
    if broken:
        what, does = ("tournament", "does") if len(broken) == 1 else ("tournaments", "do")
        checks.failures.append(f"the {what} {', '.join(broken)} {does} not hold")


def _verifiers(checks: _Checks, database: "Database", bots: Path) -> list[Verifying]:
    """The tournaments to verify, the oldest first; the others are named with the reason."""
    from tourney.bots.catalogue.store import BotStore  # noqa: PLC0415 - slow to import, as below
    from tourney.run.engine.verification import TournamentVerifier  # noqa: PLC0415 - likewise

    store = BotStore(bots) if bots.is_dir() else None
    archives = database.tournaments.archives()
    found = []
    for tournament in database.tournaments.all():
        if not tournament.recorded:
            checks.output.say(f"{tournament.name} has results without records, which cannot be verified")
            continue
        found.append((tournament, TournamentVerifier(database, tournament, store)))
        if tournament.id in archives:
            checks.notes.add(
                f"{tournament.name} is in {archives[tournament.id]} (its schedule, results and root are"
                " checked here, by the digests of its records)"
            )
    return found


def _check_whole(
    checks: _Checks,
    database: "Database",
    tournament: "Tournament",
    verifier: "TournamentVerifier",
    step: ShowProgress,
) -> bool:
    """Check a tournament as a whole, and print the result; whether it holds so far."""
    whole = verifier.whole(lambda done, rounds: step(done, rounds, "rounds"))
    checks.notes |= verifier.unchecked
    for note in whole.notes:
        checks.output.say(note)
    found = list(whole.findings)
    if tournament.plan.format == "compare":
        from tourney.compare.comparison import wrong_verdict  # noqa: PLC0415 - slow to import, as below

        found += wrong_verdict(database, tournament)
    for finding in found:
        checks.find(tournament.name, Finding(str(finding)))
    counts = database.schedules.progress(tournament.id)
    checks.tournaments.append(
        WholeTournament.of(
            counts,
            tournament=tournament.name,
            whole=not found and whole.unfinished is None,
            unfinished=whole.unfinished,
            matches=counts.rows,
        )
    )
    if not found:
        rounds = f"{counts.rounds} round{'' if counts.rounds == 1 else 's'}"
        state = f"whole: {rounds}, {counts.rows} matches"
        checks.write(
            f"{tournament.name} is {state if whole.unfinished is None else f'not whole: {whole.unfinished}'}"
        )
    if tournament.game == EXTERNAL:
        checks.write(f"{tournament.name}: {OUTSIDE}")
    return not found


def _check_root(checks: _Checks, root: str, words: str | None, db: str) -> None:
    """Compare the roots of an exported tournament, or of those in a database, with a root."""
    from tourney.store.root import exported_root, recomputed_entries, root_of  # noqa: PLC0415 - slow, as below

    if words is not None and is_file(words):
        name, now = exported_root(Path(words))
        if now == root:
            checks.root_of = name
            checks.write(f"{words}: {name} has this root")
        else:
            has = f"the root {now}" if now else "no root yet"
            checks.failures.append(f"{words}: {name} has {has}, not {root}")
        return
    others = []
    with _opened(db) as database:
        chosen = database.tournaments.all() if words is None else (database.tournaments.get(words),)
        for tournament in chosen:
            try:
                now = root_of(recomputed_entries(database, tournament))
            except UsageError as error:
                others.append(str(error))
                continue
            if now == root:
                checks.root_of = tournament.name
                rows = database.schedules.progress(tournament.id).rows
                checks.write(f"{tournament.name} has this root: {rows} matches")
                return
            others.append(f"{tournament.name} has the root {now}")
    checks.failures.append(f"no tournament here has the root {root}; {'; '.join(others) or 'there is none'}")


def _check_proof(checks: _Checks, path: Path, match: str | None, options: VerifyRequest) -> None:
    """Check a proof against a root, and a record file against the proof."""
    from tourney.store.root import read_proof  # noqa: PLC0415 - slow to import, as below

    root, more = options.root, options.everything or options.manifest is not None
    if root is None or more or (match is not None and not is_file(match)):
        raise UsageError("--proof FILE goes with --root HEX, and with a record file at most")
    proof = read_proof(read_json_value(path), str(path))
    if not proof.leads_to(root):
        raise CheckError(f"{path} does not lead to the root {root}")
    checks.entry, checks.entries = proof.index, proof.tree_size
    if isinstance(proof.entry, dict):
        checks.write(f"the plan in {path} belongs to this root, which has {proof.tree_size - 1} matches")
        return
    if match is not None:
        data = read_json_value(Path(match))
        checks.checked = 1
        for finding in verify_data(data, notes=checks.notes):
            checks.wrong = 1
            checks.find(match, finding)
        if checks.wrong:
            raise CheckError(f"{match} does not hold")
        if (digest := read_record(data).digest) != proof.digest:
            raise CheckError(f"{match} has the digest {digest}, but {proof.digest} in {path}")
    what = match or (f"the record {proof.digest}" if proof.digest else "a void match")
    parts = zip(("round", "table", "repeat", "order"), proof.entry, strict=False)
    place = ", ".join(f"{word} {number}" for word, number in parts)
    checks.write(f"{what} belongs to this root: {place}, entry {proof.index} of {proof.tree_size}")


@contextmanager
def _opened(db: str) -> "Iterator[Database]":
    from tourney.store.database import Database  # noqa: PLC0415 - slow to import, and files do without

    with Database.open(db) as opened, opened.snapshot() as database:
        yield database


def _label(tournament: "Tournament", number: int) -> str:
    return f"match {number} of {tournament.name}"
