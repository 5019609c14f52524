"""Archives: a finished tournament leaves the database and comes back, byte for byte."""

import errno
import gzip
import hashlib
import json
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from io import BytesIO
from itertools import count
from pathlib import Path
from unittest.mock import patch

import pytest
from msgspec import structs

from tests.store.test_postgres import close_other_sessions, empty_database, needs_server
from tests.support import genuine
from tests.support.command import invoke
from tests.support.records import as_json
from tests.support.tournaments import begin, refused
from tourney.check.database import check_database
from tourney.check.root import keep_root
from tourney.errors import CheckError, EnvironmentFailure, StoreError, UsageError
from tourney.exchange import archiving
from tourney.exchange.archiving import archive_tournament, restore_tournament
from tourney.exchange.lines import export_lines
from tourney.exchange.merging import merge_databases
from tourney.match.result import NOT_MEASURED
from tourney.results.versions import hosts_of
from tourney.store.column_reading import pack
from tourney.store.database import Database, copy_database
from tourney.store.tournaments import Tournaments

VOID = 2


def exported(repository: Database, name: str = "cup") -> list[bytes]:
    return list(export_lines(repository, repository.tournaments.get(name), measured=True))


def tables(db: Path) -> list[str]:
    found = [invoke(what, "cup", "--format", "csv", "--db", str(db)) for what in ("standings", "ratings")]
    assert all(done.exit_code == 0 for done in found)
    return [done.stdout for done in found]


def state(db: Path) -> list[str]:
    """Return all that a database holds, as SQL."""
    with sqlite3.connect(db) as connection:
        # Luck may be computed whatever becomes of the archive: it follows from the records.
        found = [line for line in connection.iterdump() if not line.startswith('INSERT INTO "luck"')]
    connection.close()
    return found


def archive(db: Path, out: Path, name: str | None = "cup") -> None:
    with Database.open(str(db), write=True) as repository:
        archive_tournament(repository, name, out, "2026-11-22")


def restore(db: Path, file: Path) -> None:
    with Database.open(str(db), write=True) as repository:
        restore_tournament(repository, file)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with a finished tournament, one of whose matches is void."""
    return genuine.finished(tmp_path_factory.mktemp("finished") / "t.db", VOID)


@pytest.fixture
def db(finished: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(finished, tmp_path / "t.db"))


@pytest.mark.parametrize("ending", ["gz", "zst"])
def test_archive_and_way_back_change_nothing(db: Path, tmp_path: Path, ending: str) -> None:
    out = tmp_path / f"cup.{ending}"
    with Database.open(str(db)) as repository:
        before = exported(repository)
        root = repository.tournaments.get().root
        hosts = hosts_of(repository, repository.tournaments.get())
    counted = tables(db)
    archive(db, out)
    with Database.open(str(db)) as repository:
        assert hosts_of(repository, repository.tournaments.get()) == hosts
    assert tables(db) == counted
    with Database.open(str(db)) as repository:
        assert repository.tournaments.get().root == root
        assert not repository.records.log(1, 1)
        assert repository.records.measured(1, 1) == NOT_MEASURED
    assert check_database(str(db)) == ()
    restore(db, out)
    assert check_database(str(db)) == ()
    assert tables(db) == counted
    with Database.open(str(db)) as repository:
        assert exported(repository) == before
        assert (repository.tournaments.get().root, repository.tournaments.archives()) == (root, {})
    again = tmp_path / f"again.{ending}"
    archive(db, again)
    assert again.read_bytes() == out.read_bytes()


def test_archive_has_the_luck_that_ratings_need(db: Path, tmp_path: Path) -> None:
    whole = Path(shutil.copy(db, tmp_path / "whole.db"))
    archive(db, tmp_path / "cup.gz")
    assert tables(db) == tables(whole)


def test_archive_is_an_export_that_others_import(db: Path, tmp_path: Path) -> None:
    out = tmp_path / "cup.gz"
    with Database.open(str(db)) as repository:
        before = exported(repository)
    archive(db, out)
    assert gzip.decompress(out.read_bytes()).splitlines(keepends=True) == before
    other = tmp_path / "other.db"
    assert invoke("import", str(out), "--db", str(other)).exit_code == 0
    with Database.open(str(other)) as repository:
        assert exported(repository) == before


def test_status_names_the_archive(db: Path, tmp_path: Path) -> None:
    out, at = tmp_path / "cup.gz", ("--db", str(db))
    before = json.loads(invoke("status", "--format", "json", *at).stdout)["tournaments"][0]
    archive(db, out)
    after = json.loads(invoke("status", "--format", "json", *at).stdout)["tournaments"][0]
    sha256 = hashlib.sha256(out.read_bytes()).hexdigest()
    assert (before["archive"], after["archive"]) == (
        None,
        {"file": "cup.gz", "sha256": sha256, "created": "2026-11-22"},
    )
    assert {**before, "archive": None} == {**after, "archive": None}
    shown = " ".join(invoke("status", *at).stdout.split())
    assert f"cup archive the archive cup.gz (sha256 {sha256[:16]}...); `tourney db unarchive cup.gz`" in shown


def test_space_of_records_leaves_the_file(tmp_path: Path, finished: Path) -> None:
    db = Path(shutil.copy(finished, tmp_path / "t.db"))
    with Database.open(str(db)) as repository:
        for name in ("second", "third"):
            tournament = genuine.begin(repository, name=name, games=20)
            genuine.play_all(repository, tournament)
            keep_root(repository, tournament.id)
    archive(db, tmp_path / "second.gz", "second")
    with Database.open(str(db)) as repository:
        size = db.stat().st_size
        with repository.run_lock(repository.tournaments.get("third"), 0.0):
            assert not repository.give_space_back()
        assert repository.give_space_back()
    assert db.stat().st_size < size
    assert check_database(str(db)) == ()


def test_other_or_damaged_file_is_refused(db: Path, tmp_path: Path) -> None:
    out, other = tmp_path / "cup.gz", tmp_path / "other.gz"
    archive(db, out)
    with Database.open(str(db)) as repository:
        tournament = genuine.begin(repository, name="other")
        genuine.play_all(repository, tournament)
        keep_root(repository, tournament.id)
    archive(db, other, "other")
    before = state(db)
    packed = out.read_bytes()
    for data in (packed[:-9], packed[:50] + bytes([packed[50] ^ 1]) + packed[51:], b""):
        out.write_bytes(data)
        with refused(UsageError, "cup.gz", "or altered", "cup.gz of cup, sha256"):
            restore(db, out)
    assert state(db) == before
    with sqlite3.connect(db) as connection:  # the note leads to the archive of another tournament
        connection.execute("DELETE FROM archive WHERE tournament_id = 2")
        connection.execute("UPDATE archive SET sha256 = ?", (archiving._sha256(other),))
    connection.close()
    before = state(db)
    with refused(CheckError, "other.gz has another root than cup"):
        restore(db, other)
    assert state(db) == before


def test_unfinished_and_running_tournaments_are_refused(db: Path, tmp_path: Path) -> None:
    before = state(db)
    with (
        Database.open(str(db)) as repository,
        repository.run_lock(repository.tournaments.get(), 0.0),
        refused(UsageError, "cup is being run"),
    ):
        archive(db, tmp_path / "cup.gz")
    assert state(db) == before
    with Database.open(str(db)) as repository:
        begin(repository, 2, name="open")
    before = state(db)
    with refused(UsageError, "only a finished tournament", "match 1 is not played"):
        archive(db, tmp_path / "open.gz", None)
    assert state(db) == before
    assert not list(tmp_path.glob("*.gz"))


def test_file_that_cannot_be_written_leaves_the_database(db: Path, tmp_path: Path) -> None:
    before = state(db)
    (tmp_path / "there.gz").touch()
    for out, kind, why in (
        (tmp_path / "nowhere" / "cup.gz", EnvironmentFailure, "no folder"),
        (tmp_path / "there.gz", UsageError, "is there already"),
        (tmp_path / "cup.jsonl", UsageError, "must end in .zst or .gz"),
    ):
        with refused(kind, why):
            archive(db, out)
    other = nullcontext(BytesIO(b"other content"))
    with patch.object(archiving, "reading", return_value=other), refused(CheckError, "not archived"):
        archive(db, tmp_path / "cup.gz")
    failed = OSError(errno.EIO, "Input/output error")
    with (
        patch.object(archiving, "sync_folder", side_effect=failed),
        refused(CheckError, "Input/output error"),
    ):
        archive(db, tmp_path / "cup.gz")
    assert state(db) == before
    assert not (tmp_path / "cup.gz").exists()


def test_altered_record_keeps_a_tournament_from_its_archive(db: Path, tmp_path: Path) -> None:
    with Database.open(str(db)) as repository:
        record = repository.records.get(1, 3)
    forged = as_json(record)
    forged["outcome"]["reason"] = "forged"
    with sqlite3.connect(db) as connection:
        connection.execute("UPDATE match SET record = ? WHERE id = 3", (pack(forged),))
    connection.close()
    before = state(db)
    with refused(CheckError, "cup is not archived", "digest"):
        archive(db, tmp_path / "cup.gz")
    assert (state(db), list(tmp_path.glob("*.gz"))) == (before, [])


def test_failure_while_records_are_removed_keeps_both(db: Path, tmp_path: Path) -> None:
    before, out = state(db), tmp_path / "cup.gz"
    with patch.object(Tournaments, "keep_root", side_effect=StoreError("gone")), refused(StoreError, "gone"):
        archive(db, out)
    assert state(db) == before
    assert invoke("import", str(out), "--db", str(tmp_path / "new.db")).exit_code == 0


HELD = """
import sys
from tourney.cli.main import cli
from tourney.store.matches import Matches
from tourney.store.records import Records
subject, name = sys.argv.pop(1).split(".")
owner = {"matches": Matches, "records": Records}[subject]
method = getattr(owner, name)
def held(*values, **named):
    method(*values, **named)
    print("held", flush=True)
    sys.stdin.read()
setattr(owner, name, held)
cli()
"""
"""The command line, which stops for good behind the first call of a method of a subject of the database."""

COPIES = count(1)


@pytest.fixture(params=["file", pytest.param("server", marks=needs_server)])
def place(request: pytest.FixtureRequest, finished: Path, tmp_path: Path) -> Iterator[str]:
    """The URL of the finished tournament's database, in a file and on a server."""
    with empty_database() if request.param == "server" else nullcontext(str(tmp_path / "t.db")) as url:
        copy_database(str(finished), url)
        yield url


def content(url: str, folder: Path) -> list[str]:
    """Return all that a database in a file or on a server holds, as SQL."""
    copy = folder / f"copy-{next(COPIES)}.db"
    copy_database(url, str(copy))
    return state(copy)


def kill_behind(method: str, url: str, *words: str) -> None:
    """Run a command, and kill it once it has called a method for the first time."""
    command = [sys.executable, "-c", HELD, method, *words, "--db", url]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == b"held\n"
        finally:
            process.kill()
    if url.startswith("postgresql"):
        close_other_sessions(url)


def test_second_archive_names_the_first_and_does_not_advise_removing_it(place: str, tmp_path: Path) -> None:
    out = tmp_path / "cup.gz"
    assert invoke("db", "archive", "--out", str(out), "--db", place).exit_code == 0
    again = invoke("db", "archive", "--out", str(out), "--db", place)
    assert (again.exit_code, again.stdout) == (2, "")
    assert "cup is in the archive cup.gz" in again.stderr
    assert "remove" not in again.stderr


@pytest.mark.kill
def test_archiving_that_is_killed_leaves_all_or_nothing(place: str, tmp_path: Path) -> None:
    out = tmp_path / "cup.gz"
    before = content(place, tmp_path)
    with Database.open(place) as repository:
        wanted = exported(repository)
    kill_behind("records.move_out", place, "db", "archive", "--out", str(out))
    assert content(place, tmp_path) == before
    refusal = invoke("db", "archive", "--out", str(out), "--db", place)
    assert (refusal.exit_code, "is there already" in refusal.stderr) == (2, True)
    out.unlink()
    assert invoke("db", "archive", "--out", str(out), "--db", place).exit_code == 0
    assert check_database(place) == ()
    archived = content(place, tmp_path)
    assert archived != before
    kill_behind("records.bring_back", place, "db", "unarchive", str(out))
    assert content(place, tmp_path) == archived
    assert invoke("db", "unarchive", str(out), "--db", place).exit_code == 0
    with Database.open(place) as repository:
        assert exported(repository) == wanted
    assert check_database(place) == ()


@pytest.mark.kill
def test_merge_that_is_killed_leaves_all_or_nothing(place: str, finished: Path, tmp_path: Path) -> None:
    with Database.open(place) as repository:
        wanted = exported(repository)
        repository.matches.take_back(1, [1, 3])
    before = content(place, tmp_path)
    kill_behind("matches.add", place, "db", "merge", str(finished))
    assert content(place, tmp_path) == before
    said = "cup was here: 2 of 6 matches came from"
    merged = invoke("db", "merge", str(finished), "--db", place)
    assert (merged.exit_code, said in " ".join(merged.stderr.split())) == (0, True)
    with Database.open(place) as repository:
        taken = exported(repository)
        assert taken[1:] == wanted[1:]
        assert repository.tournaments.get("cup").root == json.loads(wanted[0])["root"]
    assert check_database(place) == ()


@pytest.mark.kill
def test_import_that_is_killed_leaves_all_or_nothing(place: str, finished: Path, tmp_path: Path) -> None:
    out = tmp_path / "cup.gz"
    words = ("export", "cup", "--what", "tournament", "--measured", "--out", str(out), "--db", str(finished))
    assert invoke(*words).exit_code == 0
    again = ("import", str(out), "--name", "again", "--again")
    before = content(place, tmp_path)
    kill_behind("matches.add", place, *again)
    assert content(place, tmp_path) == before
    assert invoke(*again, "--db", place).exit_code == 0
    with Database.open(place) as repository:
        cup, copy = repository.tournaments.all()
        assert (copy.name, list(repository.matches.results(copy.id))) == (
            "again",
            list(repository.matches.results(cup.id)),
        )
    assert check_database(place) == ()


def test_archived_tournament_takes_no_changes(db: Path, tmp_path: Path) -> None:
    archive(db, tmp_path / "cup.gz")
    with Database.open(str(db)) as repository:
        tournament = repository.tournaments.get()
        for change in (
            lambda: repository.matches.take_back(1, [1]),
            lambda: repository.schedules.add(1, (), complete=False),
            lambda: repository.tournaments.amend(
                1, plan=structs.replace(tournament.plan, rounds=9), run=tournament.run
            ),
            lambda: repository.tournaments.change_entrants(1, ()),
        ):
            with refused(UsageError, "cup is in the archive cup.gz"):
                change()


def test_record_missing_or_surplus_is_damage(db: Path, finished: Path, tmp_path: Path) -> None:
    archive(db, tmp_path / "cup.gz")
    for path, blob in ((db, b"x"), (Path(shutil.copy(finished, tmp_path / "whole.db")), None)):
        with sqlite3.connect(path) as connection:
            connection.execute("UPDATE match SET record = ? WHERE id = 3", (blob,))
        connection.close()
        (found,) = check_database(str(path))
        assert "match 3 of cup" in found


def test_copy_of_the_database_knows_the_archive(db: Path, tmp_path: Path) -> None:
    archive(db, tmp_path / "cup.gz")
    copy = tmp_path / "copy.db"
    copy_database(str(db), str(copy))
    restore(copy, tmp_path / "cup.gz")
    assert check_database(str(copy)) == ()


def merge(here: Path, there: Path) -> int:
    with Database.open(str(there)) as other, Database.open(str(here), write=True) as repository:
        (merged,) = merge_databases(repository, other, there.name, "today")
    return merged.taken


def test_merge_compares_digests_of_archived_tournaments(db: Path, finished: Path, tmp_path: Path) -> None:
    whole = Path(shutil.copy(finished, tmp_path / "whole.db"))
    archive(db, tmp_path / "cup.gz")
    before = state(db), state(whole)
    assert (merge(db, whole), merge(whole, db)) == (0, 0)
    assert (state(db), state(whole)) == before
    empty = tmp_path / "empty.db"
    Database.open(str(empty), create=True).close()
    with refused(UsageError, "cup in t.db is in the archive cup.gz", "--db t.db", "not here"):
        merge(empty, db)
    with Database.open(str(whole)) as repository:
        repository.matches.take_back(1, [3])
    with refused(UsageError, "cup in t.db is in the archive cup.gz", "match 3 of cup is not here"):
        merge(whole, db)
    with sqlite3.connect(db) as connection:
        connection.execute("UPDATE match SET digest = ? WHERE id = 1", ("5" * 64,))
    connection.close()
    with refused(UsageError, "match 1 of cup has another digest in t.db"):
        merge(whole, db)
    with refused(UsageError, "match 1 of cup", "but here it has the digest 5555"):
        merge(db, whole)
