"""``tourney verify``: check records against the rules and the dice, and tournaments as a whole."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import click

from tourney.check.folders import FolderCheck, find_folder_check
from tourney.check.named_seeds import verify_named
from tourney.check.record import Finding, verify_data
from tourney.cli import options as opt
from tourney.cli.options import option
from tourney.cli.output import ShowProgress, counting, current
from tourney.cli.verify_output import Checked, Checks, VerifyDocument, WholeTournament
from tourney.errors import CheckError, RecordError, UsageError
from tourney.games.external import OUTSIDE
from tourney.games.registry import EXTERNAL, known_game
from tourney.interface.found_match import check_match_name, is_file, is_match_name
from tourney.match.record import read_record
from tourney.parsing import read_json_lines, read_json_value
from tourney.plugins import load, offered
from tourney.schema import DIGEST
from tourney.spawning import Pool, default_processes
from tourney.texts import counted

if TYPE_CHECKING:
    from tourney.check.tournament import TournamentVerifier
    from tourney.exchange.importing import Head
    from tourney.store.database import Database
    from tourney.store.values import Tournament

_MANY = 2_000
"""From this many matches on, starting processes pays."""
_AHEAD = 4
"""Chunks of matches in flight for each process."""
Verifying: TypeAlias = "tuple[Tournament, TournamentVerifier]"


class _VerifyRequest(opt.CommandOptions):
    everything: bool = option("--all", "Verify all matches and tournaments in the database.")
    manifest: Path | None = option(
        "--manifest FILE",
        "Play the named seeds in FILE and compare the digests of their records.",
        type=opt.EXISTING,
    )
    commitment: str | None = option(
        "--commitment HEX",
        "Compare the plan and the seed of a tournament, or the plan of a proof, with this commitment.",
    )
    root: str | None = option(
        "--root HEX",
        "Compare the root of a tournament in the database, or of an exported one, with this root.",
    )
    proof: Path | None = option(
        "--proof FILE",
        "Check by a proof of `tourney export --proof` that a match belongs to the tournament of --root, or"
        " the plan to --commitment.",
        type=opt.EXISTING,
    )
    processes: int | None = option(
        "--processes N",
        "--all or TOURNAMENT: processes that verify matches."
        " [default: one per processor from 2,000 matches on, else 1]",
        type=click.IntRange(1, 256),
    )
    duration: str | None = option(
        "--max-duration SPAN",
        "--all or TOURNAMENT: stop this long (30m, 1h30m) after the first match. The next call goes on with"
        " the matches that were not verified for the longest time.",
    )
    age: str | None = option(
        "--max-age SPAN",
        "--all or TOURNAMENT: leave out matches that were verified"
        " within this time (12h, 7d) and have not changed since.",
    )
    format_: object = opt.formats(VerifyDocument, formats=opt.TEXT)
    db: str = opt.shared(opt.db_option)
    bots: str = opt.shared(opt.bots_option)

    def check(self, match: str | None) -> None:
        """Raise UsageError for options that do not go together."""
        for name in ("root", "commitment"):
            value = getattr(self, name)
            if value is not None and DIGEST.fullmatch(value) is None:
                raise UsageError(
                    f"--{name} {value} is not a {name}: one has 64 hex digits, as `tourney status` prints it"
                )
        if self.proof is None:
            named = (match is not None, self.everything, self.manifest is not None)
            if sum(named) > 1 or (self.manifest is not None and self.root):
                raise UsageError("give one of MATCH, --all and --manifest FILE")
            if not any(named) and self.root is None and self.commitment is None:
                raise UsageError("give one of MATCH, --all, --manifest FILE, --root and --commitment HEX")
        if not self.everything and not self.checks_tournament(match):
            partial = {"--processes": self.processes, "--max-duration": self.duration, "--max-age": self.age}
            opt.refuse(partial, "goes with --all or a TOURNAMENT")

    def checks_tournament(self, match: str | None) -> bool:
        """Whether ``match`` names a tournament to check whole, not one to compare with a root."""
        if match is None or self.root is not None or self.commitment is not None:
            return False
        return not (is_file(match) or is_match_name(match) or find_folder_check(Path(match)) is not None)


@opt.command("verify", _VerifyRequest)
@click.argument("match", required=False)
def command(match: str | None, options: _VerifyRequest) -> None:
    """Check records against the rules and the dice, and tournaments as a whole.

    MATCH is a number (12 or autumn-cup/12), the name of a tournament, of which all is checked that --all
    checks of each, a file of records, or one of `tourney export --what tournament`, of which all is checked
    that `tourney import` and --all check in a database, or the folder of a league, of which the chain of
    seasons is checked too. Replays the actions through
    the rules, and samples the dice, openings and substitutes again from the seed. This proves the rules and
    the dice, not which bots played; `tourney rerun` replays them. A match in the database must also agree
    with its tournament's seed, schedule, entrants and limits, and its stored result must follow from its
    record; imported records have their own seeds and openings.

    --all also draws every round again from the plan and the results, names rows that are missing, surplus or
    different, and says whether each tournament is whole. Only a root that you know from elsewhere shows that
    someone rewrote a whole tournament: give it by --root, with --all, alone, or with a file as MATCH. A
    commitment from before round 1 shows that plan and seed were not chosen later. Prints a line for each
    failed check and exits with code 1.
    """
    options.check(match)
    checks = Checks(current())
    try:
        if options.proof is not None:
            _check_proof(checks, options.proof, match, options)
        elif options.everything:
            with _opened(options.db) as database:
                _check_all(checks, database, options)
        elif options.manifest is not None:
            checks.check(verify_named(options.manifest), str(options.manifest))
        elif match is not None and (folder_check := find_folder_check(Path(match))) is not None:
            _check_folder(checks, folder_check, options)
        elif match is not None and (exported := _exported(match, bool(options.root or options.commitment))):
            with exported as (database, head):
                _check_all(checks, database, options, head)
                _check_published(checks, database, match, options, head)
            # Root and commitment belong to the export: nothing is left to compare with the database.
            options = replace(options, root=None, commitment=None)
        elif match is not None and options.checks_tournament(match):
            with _opened(options.db) as database:
                _check_all(checks, database, options, name=match)
        elif match is not None and options.root is None and options.commitment is None:
            checks.check(_match(match, options.db, checks.notes), match)
        if (options.root or options.commitment) and options.proof is None:
            with _opened(options.db) as database:
                _check_published(checks, database, match, options)
    except CheckError as error:
        checks.failures.append(str(error))
    notes = tuple(sorted(checks.notes))
    for note in notes:
        checks.output.say(note)
    checks.output.document(VerifyDocument.of(checks, holds=not checks.failures, notes=notes))
    if checks.failures:
        raise CheckError("; ".join(checks.failures))


def _check_folder(checks: Checks, check: FolderCheck, options: _VerifyRequest) -> None:
    with _opened(check.database) as database:
        _check_all(checks, database, replace(options, db=check.database, bots=check.bots))
    problems = list(check.problems())
    for problem in problems:
        checks.find(check.name, Finding(problem))
    if problems:
        checks.failures.append(check.failure)
        return
    for fact in check.facts():
        checks.output.text(fact)


def _match(words: str, db: str, notes: set[str]) -> Iterator[Checked]:
    """Yield the findings about a match, or about each match of a file; add unchecked things to ``notes``."""
    if is_file(words):
        for where, value in read_json_lines(Path(words)):
            yield where, verify_data(value, notes=notes)
    else:
        check_match_name(words)
        from tourney.check.tournament import TournamentVerifier  # noqa: PLC0415 - slow to import, as below

        with _opened(db) as database:
            match = database.matches.find(words)
            tournament = database.tournaments.by_id(match.tournament)
            database.records.get(tournament.id, match.number)  # or it says why there is none
            verifier = TournamentVerifier(database, tournament)
            yield _label(tournament, match.number), verifier.match(match.number)
            notes |= verifier.unchecked


def _exported(words: str, published: bool) -> "AbstractContextManager[tuple[Database, Head]] | None":
    """The tournament of a file of `tourney export` in its own database; None for another file.

    Raises RecordError for a file of records alone if a root or commitment was ``published``, as these belong
    to tournaments.
    """
    first = next(read_json_lines(Path(words)), None) if is_file(words) else None
    if first is None or not (isinstance(first[1], dict) and "tournament" in first[1]):
        if first is not None and published:
            raise RecordError(
                f"{words} does not begin with a tournament, and a root is over its plan too: write the file"
                " by `tourney export --what tournament`"
            )
        return None
    from tourney.check.published import open_export  # noqa: PLC0415 - slow to import, as below

    return open_export(Path(words))


def _check_all(
    checks: Checks,
    database: "Database",
    options: _VerifyRequest,
    head: "Head | None" = None,
    name: str | None = None,
) -> None:
    """Verify a database, or the tournament of a name in it.

    ``head`` is the first line of an export that became the database.
    """
    from tourney.check.verified import PartialCheck  # noqa: PLC0415 - slow to import, as below

    with counting(checks.output, "verify", "records") as step:
        tournaments = _chosen(database, options.db, name)
        sealed = head is not None and head.sealed
        verifiers = _verifiers(checks, database, tournaments, Path(options.bots), sealed=sealed)
        archives = database.tournaments.archives()
        here = [(tournament, verifier) for tournament, verifier in verifiers if tournament.id not in archives]
        total = sum(database.schedules.progress(tournament.id).done for tournament, _ in here)
        if total == 0 and head is None and all(tournament.root is None for tournament, _ in verifiers):
            raise UsageError(f"there is nothing to verify in {options.db}")
        count = options.processes or (default_processes() if total >= _MANY else 1)
        names = {verifier: tournament for tournament, verifier in here}
        partial = PartialCheck.asked(options.db, options.duration, options.age)
        done = 0

        def stored(pool: Pool) -> Iterator[Checked]:
            nonlocal done
            whole = ((verifier, match) for _, verifier in here for match in verifier.matches(pool))
            for verifier, (number, findings) in partial.matches([*names], pool) if partial else whole:
                done += 1
                step(done, total)
                if findings is not None:
                    yield _label(names[verifier], number), findings

        # Chunks in flight are finished after the time is over, and a chunk of slow rules takes seconds.
        ahead = 1 if partial is not None and options.duration else _AHEAD
        with Pool(count, "verifies matches", ahead) as pool:
            checks.check(stored(pool))
        if partial is not None:
            checks.left = partial.left
            checks.notes |= {*partial.sentences()}
        broken = []
        for tournament, verifier in verifiers:
            if partial is not None and partial.over:
                checks.notes.add(f"{tournament.name} was not checked as a whole: the time was over")
            elif not _check_whole(checks, database, tournament, verifier, step):
                broken.append(tournament.name)
    if broken:
        what, does = ("tournament", "does") if len(broken) == 1 else ("tournaments", "do")
        checks.failures.append(f"the {what} {', '.join(broken)} {does} not hold")


def _chosen(database: "Database", db: str, name: str | None) -> "Sequence[Tournament]":
    """The tournament of a name, or all. Raises UsageError if there is none of the name."""
    tournaments = database.tournaments.all()
    if name is None:
        return tournaments
    chosen = [tournament for tournament in tournaments if tournament.name == name]
    if not chosen:
        raise UsageError(
            f"{name!r} is not a match, a tournament or a file: give the number of a match (12 or"
            f" autumn-cup/12), a tournament of {db} (see `tourney status`), or a record file"
        )
    return chosen


def _verifiers(
    checks: Checks, database: "Database", tournaments: "Iterable[Tournament]", bots: Path, *, sealed: bool
) -> list[Verifying]:
    """The tournaments to verify, the oldest first; the others are named with the reason."""
    from tourney.bots.catalogue.store import BotStore  # noqa: PLC0415 - slow to import, as below
    from tourney.check.tournament import TournamentVerifier  # noqa: PLC0415 - likewise

    store = BotStore(bots) if bots.is_dir() else None
    archives = database.tournaments.archives()
    verifiers = []
    for tournament in tournaments:
        if not tournament.recorded:
            checks.output.say(f"{tournament.name} has results without records, which cannot be verified")
            continue
        verifiers.append((tournament, TournamentVerifier(database, tournament, store, sealed=sealed)))
        if tournament.id in archives:
            checks.notes.add(
                f"{tournament.name} is in {archives[tournament.id]} (its schedule, results and root are"
                " checked here, by the digests of its records)"
            )
    return verifiers


def _check_whole(
    checks: Checks,
    database: "Database",
    tournament: "Tournament",
    verifier: "TournamentVerifier",
    step: ShowProgress,
) -> bool:
    from tourney.check.root import OUTSIDE_ROOT  # noqa: PLC0415 - likewise
    from tourney.results.texts import origin_text  # noqa: PLC0415 - slow to import, as below

    whole = verifier.whole(lambda done, rounds: step(done, rounds, "rounds"))
    checks.notes |= verifier.unchecked
    for note in whole.notes:
        checks.output.say(note)
    findings = list(whole.findings)
    if (target := offered("tournament_checks").get(tournament.plan.format)) is not None:
        findings += load(target)(database, tournament)
    for finding in findings:
        checks.find(tournament.name, Finding(str(finding)))
    counts = database.schedules.progress(tournament.id)
    checks.tournaments.append(
        WholeTournament.of(
            counts,
            tournament=tournament.name,
            whole=not findings and whole.unfinished is None,
            unfinished=whole.unfinished,
            matches=counts.rows,
        )
    )
    if not findings:
        state = f"whole: {counted(counts.rounds, 'round')}, {counts.rows} matches"
        if whole.unfinished is not None:
            state = f"not whole: {whole.unfinished}"
        checks.output.text(f"{tournament.name} is {state}")
        checks.output.text(f"{tournament.name}: seed: {origin_text(tournament, known_game(tournament.game))}")
        if tournament.root is not None:
            checks.output.text(f"{tournament.name}: root {tournament.root}")
            checks.notes.add(f"not under a root: {'; '.join(OUTSIDE_ROOT)}")
    if tournament.game == EXTERNAL:
        checks.output.text(f"{tournament.name}: {OUTSIDE}")
    return not findings


def _check_published(
    checks: Checks,
    database: "Database",
    words: str | None,
    options: _VerifyRequest,
    head: "Head | None" = None,
) -> None:
    """Compare the tournaments of a database or an export with a published root or commitment."""
    from tourney.check.published import compare_published  # noqa: PLC0415 - slow to import, as below

    published = [("root", options.root), ("commitment", options.commitment)]
    if head is not None:
        # An export may name a commitment of its own, which is compared too.
        published.append(("commitment", head.line.commitment))
    for what, value in published:
        if value is not None:
            name, sentence = compare_published(what, value, database, words if head is None else None, head)
            if name:
                checks.output.text(sentence)
                checks.root_of = name if what == "root" else checks.root_of
            else:
                checks.failures.append(sentence)


def _check_proof(checks: Checks, path: Path, match: str | None, options: _VerifyRequest) -> None:
    from tourney.check.root import leaf_of, read_commitment, read_proof  # noqa: PLC0415 - slow to import, as below

    root = options.root
    more = options.everything or options.manifest is not None
    if options.commitment is not None and match is None and root is None and not more:
        entry = read_commitment(read_json_value(path), str(path))
        if leaf_of(entry).hex() != options.commitment:
            raise CheckError(f"{path} does not lead to the commitment {options.commitment}")
        checks.output.text(f"the plan in {path} belongs to this commitment")
        return
    if root is None or more or (match is not None and not is_file(match)):
        raise UsageError("--proof FILE goes with --root HEX, and with a record file at most")
    proof = read_proof(read_json_value(path), str(path))
    if not proof.leads_to(root):
        raise CheckError(f"{path} does not lead to the root {root}")
    checks.entry = proof.index
    checks.entries = proof.tree_size
    if isinstance(proof.entry, dict):
        checks.output.text(
            f"the plan in {path} belongs to this root, which has {proof.tree_size - 1} matches"
        )
        return
    if match is not None:
        data = read_json_value(Path(match))
        checks.checked = 1
        for finding in verify_data(data, notes=checks.notes):
            checks.wrong = 1
            checks.find(match, finding)
        if checks.wrong:
            raise CheckError(f"{match} does not hold")
        # The proof is of a digest: another record, valid by itself, would otherwise pass for the proven one.
        if (digest := read_record(data).digest) != proof.digest:
            raise CheckError(f"{match} has the digest {digest}, but {proof.digest} in {path}")
    what = match or (f"the record {proof.digest}" if proof.digest else "a void match")
    parts = zip(("round", "table", "repeat", "order"), proof.entry, strict=False)
    place = ", ".join(f"{word} {number}" for word, number in parts)
    checks.output.text(f"{what} belongs to this root: {place}, entry {proof.index} of {proof.tree_size}")


@contextmanager
def _opened(db: str) -> "Iterator[Database]":
    from tourney.store.database import Database  # noqa: PLC0415 - slow to import, and files do without

    with Database.open(db) as opened, opened.snapshot() as database:
        yield database


def _label(tournament: "Tournament", number: int) -> str:
    return f"match {number} of {tournament.name}"
