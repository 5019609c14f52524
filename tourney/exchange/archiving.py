"""Move the records, logs and measurements of a finished tournament to a compressed file, and back.

The file is the tournament's export with measurements (``tourney.exchange.lines``). It is complete, synced and
read back before anything is removed from the database, which happens in one transaction: so a crash at any
moment leaves a whole database, a whole file, or both.
"""

import hashlib
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from tourney.check.root import compute_root, entries_of, root_of
from tourney.errors import CheckError, InputError, TourneyError, UsageError
from tourney.exchange.importing import Head, read_tournament
from tourney.exchange.lines import export_lines
from tourney.files import sync_folder, writing
from tourney.parsing import compressing, read_json_lines, reading
from tourney.results.luck import compute_luck
from tourney.results.versions import hosts_of
from tourney.store.database import Database
from tourney.store.rows import chunks
from tourney.store.tournaments import Archive
from tourney.store.values import Tournament

ENDINGS: Final = (".zst", ".gz")
Step = Callable[[int], None]
"""Hears how many lines have been written or read."""


def archive_tournament(
    database: Database, name: str | None, out: Path, created: str, step: Step = lambda _done: None
) -> Archive:
    """Put a finished tournament (None: the one begun last) into the new file ``out``, and note it.

    Tables, digests and root stay in the database. Raises UsageError for a tournament that is not finished, is
    being run, has no records or is archived already, and for a file that is there or is not to be compressed;
    CheckError if the file does not hold what it must; and what ``writing`` raises. Then the database is as it
    was.
    """
    if not out.name.endswith(ENDINGS) or not out.name.isprintable():
        raise UsageError(f"an archive is compressed: {str(out)!r} must end in {' or '.join(ENDINGS)}")
    chosen = database.tournaments.get(name)
    database.tournaments.refuse_archived(chosen.id)  # before the next advice: the file may be the only copy
    if out.exists():
        raise UsageError(f"{out} is there already; name another file by --out, or remove one left by a kill")
    with database.run_lock(chosen, time.time()):
        # Its ratings stay, and without the records nothing could compute what they need.
        compute_luck(database, chosen)
        with database.snapshot() as moment:
            tournament = moment.tournaments.get(chosen.name)
            root, hosts = _root(moment, tournament), hosts_of(moment, tournament)
            content = _write(moment, tournament, out, step)
        try:
            _check(out, content, root)
            sync_folder(out.absolute().parent)
        except (TourneyError, OSError) as error:
            out.unlink(missing_ok=True)
            raise CheckError(
                f"{tournament.name} is not archived, because its file could not be kept: {error}; see"
                " `tourney verify --all`"
            ) from error
        archive = Archive(out.name, _sha256(out), created, hosts)
        with database.transaction() as writer:
            # A writer that does not take the run's lock may have changed it meanwhile.
            if compute_root(writer, tournament) != root:
                raise CheckError(f"{tournament.name} was changed while it was archived: remove {out}")
            writer.records.move_out(tournament.id, archive)
            writer.tournaments.keep_root(tournament.id, root)
    return archive


def restore_tournament(database: Database, path: Path, step: Step = lambda _done: None) -> Tournament:
    """Store the records, logs and measurements of an archive again; return its tournament.

    Raises UsageError for a file that is not, byte for byte, the archive of a tournament of this database, and
    for one whose run goes on; CheckError if it has another root; RecordError. Then nothing is stored.
    """
    try:
        digest = _sha256(path)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error
    archives = database.tournaments.archives()
    number = next((one for one, archive in archives.items() if archive.sha256 == digest), None)
    if number is None:
        names = {one.id: one.name for one in database.tournaments.all()}
        archived = "; ".join(
            f"{archive.file} of {names.get(one, one)}, sha256 {archive.sha256[:16]}..."
            for one, archive in archives.items()
        )
        raise UsageError(
            f"{path} has the sha256 {digest[:16]}..., which no archived tournament of this database"
            f" has: it is back already, of another database, or altered; archived are: {archived or 'none'}"
        )
    tournament = database.tournaments.by_id(number)
    with database.run_lock(tournament, time.time()), database.transaction() as writer:
        writer.records.forget_archive(number)
        head, matches = read_tournament(read_json_lines(path))
        if head.line.root is None or head.line.root != compute_root(writer, tournament):
            raise CheckError(f"{path} has another root than {tournament.name}; see `tourney verify --all`")
        results = (result for _, _, result in matches if result is not None)
        for chunk in chunks(results):
            writer.records.bring_back(number, chunk)
            step(chunk[-1].number)
    return tournament


def _root(database: Database, tournament: Tournament) -> str:
    """The root of a tournament that can be archived."""
    database.tournaments.refuse_archived(tournament.id)
    try:
        root = root_of(entries_of(database, tournament))
    except UsageError as error:
        raise UsageError(f"only a finished tournament with records can be archived: {error}") from error
    if tournament.root not in (None, root):
        raise CheckError(
            f"{tournament.name} ended with the root {tournament.root}, and has the root {root} now; see"
            " `tourney verify --all`"
        )
    if not any(digest for _, _, digest in database.matches.digests(tournament.id)):
        raise UsageError(f"no match of {tournament.name} has a record, so there is nothing to archive")
    return root


def _write(database: Database, tournament: Tournament, out: Path, step: Step) -> str:
    """Write a tournament to a file, and return the SHA-256 of what was compressed."""
    content = hashlib.sha256()
    with writing(out, new=True) as file, compressing(file, out.name) as packed:
        for done, line in enumerate(export_lines(database, tournament, measured=True)):
            content.update(line)
            packed.write(line)
            step(done)
    return content.hexdigest()


def _check(path: Path, content: str, root: str) -> None:
    """Raise TourneyError or OSError unless a file has this content, all of whose digests lead to the root."""
    digest = hashlib.sha256()
    with reading(path) as file:
        for line in file:
            digest.update(line)
    if digest.hexdigest() != content:
        raise CheckError(f"{path} holds something else than was written")
    if check_tournament(read_json_lines(path)).line.root != root:
        raise CheckError(f"{path} has another root than the database")


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check_tournament(lines: Iterable[tuple[str, object]]) -> Head:
    """The tournament of lines. Raises RecordError or GameError, naming the line, for other lines."""
    head, matches = read_tournament(lines)
    for _ in matches:
        pass
    return head
