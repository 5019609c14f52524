"""Creating, opening and refusing SQLite databases."""

import contextlib
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.tournaments import begin, refused
from tourney.check.database import check_database
from tourney.errors import StoreError, StoreUnavailable, UsageError
from tourney.files import make_temporary
from tourney.store import sqlite
from tourney.store.database import Database, copy_database, upgrade_database
from tourney.store.migrations import newest


@pytest.fixture
def sound(database: Path) -> Path:
    """A closed database with one tournament."""
    with Database.open(str(database), create=True) as repository:
        begin(repository, 8, games=8)
    return database


def execute(path: Path, statement: str) -> None:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute(statement)
        connection.commit()


def foreign(path: Path) -> None:
    path.unlink()
    execute(path, "CREATE TABLE addresses (name TEXT)")


def no_tables(path: Path) -> None:
    path.unlink()
    execute(path, f"PRAGMA application_id = {sqlite.APPLICATION_ID}")
    execute(path, "CREATE TABLE t (x)")


def newer(path: Path) -> None:
    execute(path, "UPDATE alembic_version SET version_num = '9999'")


def lower(path: Path) -> None:
    execute(path, "UPDATE alembic_version SET version_num = 'v2'")


def unfinished(path: Path) -> None:
    execute(path, "DELETE FROM alembic_version")


def truncated(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def header_only(path: Path) -> None:
    os.truncate(path, 60)


def empty(path: Path) -> None:
    os.truncate(path, 0)


def text(path: Path) -> None:
    path.write_text("name,points\na,1\n")


def folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def fifo(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def overwritten(path: Path) -> None:
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xa5" * (size - 8192))


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (Path.unlink, "there is no database"),
        (foreign, "is another program's"),
        (no_tables, "holds no tables of Tourney"),
        (newer, "was made by a newer Tourney (revision 9999"),
        (lower, "bears the revision v2, which no version of Tourney gives"),
        (unfinished, "was never finished"),
        (truncated, "is damaged"),
        (overwritten, "is damaged"),
        (header_only, "breaks off in its header"),
        (empty, "is an empty file"),
        (text, "is not an SQLite database"),
        (fifo, "is a device, a pipe or a socket"),
        (folder, "cannot be read: Is a directory"),
    ],
)
def test_foreign_or_damaged_database_is_refused_unchanged(
    sound: Path, spoil: Callable[[Path], None], sentence: str
) -> None:
    spoil(sound)
    before = sound.read_bytes() if sound.is_file() else None
    with refused(StoreError, str(sound), sentence):
        Database.open(str(sound))
    if spoil is not Path.unlink:
        with refused(StoreError, sentence):
            Database.open(str(sound), create=True)
    assert (sound.read_bytes() if sound.is_file() else None) == before
    assert not list(sound.parent.glob("*new*"))


@pytest.mark.parametrize("spoil", [truncated, overwritten])
def test_large_damaged_database_is_refused_where_it_is_read(
    sound: Path, spoil: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "CHECKED_AT_EACH_OPENING", 0)
    spoil(sound)
    with refused(StoreError, str(sound), "damaged"), Database.open(str(sound)) as repository:
        list(repository.matches.all(repository.tournaments.get().id))
    with refused(StoreError, str(sound), "is damaged"):
        Database.open(str(sound), create=True)


def test_upgrading_a_current_database_changes_nothing(sound: Path) -> None:
    before = sound.read_bytes()
    assert upgrade_database(str(sound)) == (newest(), newest())
    assert sound.read_bytes() == before


def test_new_database_has_crash_safe_settings(sound: Path) -> None:
    with contextlib.closing(sqlite.connect(sound)) as connection:
        settings = [
            connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout", "application_id")
        ]
    assert settings == ["wal", 2, 1, 30_000, sqlite.APPLICATION_ID]


def test_missing_or_unwritable_folder_is_reported(tmp_path: Path) -> None:
    with refused(StoreError, "nowhere/t.db cannot be made", "name a folder that is there"):
        Database.open(str(tmp_path / "nowhere" / "t.db"), create=True)
    # Not even root can create files there.
    with refused(StoreError, "/proc/t.db cannot be made"):
        Database.open("/proc/t.db", create=True)
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user can read; pytest's own folders are closed to the test's second user."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder
        folder.chmod(0o755)


@pytest.mark.slow
@pytest.mark.parametrize("mode", [0o444, 0o644])
def test_unwritable_database_is_refused_for_writing(sound: Path, open_folder: Path, mode: int) -> None:
    """The file or its folder is read-only; root becomes another user."""
    copy = Path(shutil.copy(sound, open_folder))
    copy.chmod(mode)
    open_folder.chmod(0o555)
    script = (
        "import os\n"
        "from tourney.errors import StoreError\n"
        "from tourney.store.database import Database\n"
        "if os.geteuid() == 0:\n"
        "    os.setgroups([]), os.setgid(65534), os.setuid(65534)\n"
        f"try: Database.open({str(copy)!r}, write=True)\n"
        "except StoreError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert "tourney.db cannot be used" in done.stdout
    assert "make the file and its folder writable" in done.stdout
    assert done.stdout.count("\n") == 1


def test_two_processes_create_one_database_at_once(database: Path) -> None:
    sqlite.create(database)
    before = database.read_bytes()
    sqlite.create(database)
    assert database.read_bytes() == before
    assert [path.name for path in database.parent.iterdir()] == [database.name]


def test_crash_while_writing_keeps_the_last_commit(sound: Path, tmp_path: Path) -> None:
    script = (
        "import os, signal, sqlite3, sys\n"
        "from pathlib import Path\n"
        "from tourney.store import sqlite\n"
        "connection = sqlite.connect(Path(sys.argv[1]))\n"
        "connection.execute('BEGIN IMMEDIATE')\n"
        "connection.execute('PRAGMA cache_size = 1')\n"
        "connection.execute('UPDATE schedule SET seating = \"9,9\"')\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", script, str(sound)], check=False)
    assert done.returncode == -signal.SIGKILL
    with Database.open(str(sound)) as repository:
        rows = [row.seats for _, row in repository.schedules.rows(1)]
    assert len(rows) == 28 * 8
    assert (9, 9) not in rows
    assert check_database(str(sound)) == ()


def test_database_locked_by_a_writer_is_reported(sound: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "_BUSY_SECONDS", 0.01)
    with contextlib.closing(sqlite.connect(sound)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        with refused(StoreError, "database is locked", "another program holds it"):
            Database.open(str(sound), write=True)
        with Database.open(str(sound)) as reader:
            assert reader.tournaments.get().name == "cup"


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("sqlite://", "names no file"),
        ("sqlite:///:memory:", "names no file"),
        ("://", "neither a path nor a database URL"),
        ("oracel://host/x", "a database of the kind 'oracel' cannot be used"),
    ],
)
def test_malformed_url_is_refused(url: str, sentence: str) -> None:
    with refused(UsageError, sentence):
        Database.open(url)


def test_url_and_path_open_the_same_file(sound: Path) -> None:
    copy = Path(shutil.copy(sound, sound.with_name("100% ?mode=ro #1.db")))
    for name in (str(copy), f"sqlite:///{sound}"):
        with Database.open(name) as repository:
            assert repository.tournaments.get().name == "cup"


def test_opening_a_database_twice_keeps_its_locks(sound: Path) -> None:
    """Without its locks, another process that reads the file removes its write-ahead log."""
    look = "import contextlib, sqlite3, sys\nwith contextlib.closing(sqlite3.connect(sys.argv[1])) as c:\n"
    look += "    print(c.execute('SELECT count(*) FROM tournament').fetchone()[0])\n"

    def seen() -> int:
        words = [sys.executable, "-c", look, str(sound)]
        return int(subprocess.run(words, capture_output=True, text=True, check=True).stdout)

    with Database.open(str(sound)) as first:
        begin(first, name="second")
        with Database.open(str(sound)):
            pass
        assert seen() == 2
        assert sound.with_name(f"{sound.name}-wal").exists()
        begin(first, name="third")
        assert seen() == 3


def test_database_with_hard_links_is_refused(sound: Path, tmp_path: Path) -> None:
    os.link(sound, tmp_path / "other.db")
    for path in (sound, tmp_path / "other.db"):
        for write in (False, True):
            with refused(StoreError, f"{path} has 2 names (hard links)", "remove the other names"):
                Database.open(str(path), write=write)
    (tmp_path / "other.db").unlink()
    with Database.open(str(sound), write=True) as repository:
        assert len(repository.tournaments.all()) == 1


@pytest.mark.parametrize("name", [".tourney.db.new-123", ".tourney-123-0.new"])
def test_second_name_of_a_killed_maker_is_removed(sound: Path, name: str) -> None:
    os.link(sound, sound.with_name(name))
    with Database.open(str(sound), write=True) as repository:
        assert len(repository.tournaments.all()) == 1
    assert not sound.with_name(name).exists()


def test_rest_of_a_killed_maker_is_removed(tmp_path: Path) -> None:
    """With the files that SQLite made beside it; that of a living maker stays."""
    names = [".tourney.db.new-123", ".tourney.db.new-123-journal", ".tourney-123-0.new"]
    other, living = tmp_path / ".other.db.new-123", tmp_path / ".tourney.db.new-124"
    held = make_temporary(living, 0o600)
    other.touch()
    for create in (True, False):
        for name in names:
            (tmp_path / name).touch()
        with Database.open(str(tmp_path / "tourney.db"), create=create, write=True):
            pass
        assert [name for name in names if (tmp_path / name).exists()] == []
    assert other.exists()
    assert living.exists()
    os.close(held)


def test_read_only_shared_memory_of_a_process_that_is_gone_is_named(
    sound: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = sound.with_name(f"{sound.name}-shm")
    shared.touch()
    access = os.access
    monkeypatch.setattr(
        os, "access", lambda path, mode, **more: Path(path) != shared and access(path, mode, **more)
    )

    def fails(*_: object, **__: object) -> None:
        raise sqlite3.OperationalError("attempt to write a readonly database")

    monkeypatch.setattr(sqlite, "connect", fails)
    with pytest.raises(StoreError, match=f"{shared} cannot be written: remove it while no program uses"):
        sqlite.check(sound, write=True)


def test_link_to_a_missing_database_makes_its_target(tmp_path: Path) -> None:
    link = tmp_path / "link.db"
    link.symlink_to("target.db")
    with Database.open(str(link), create=True) as repository:
        begin(repository)
        assert repository.place == tmp_path / "target.db"
    assert link.is_symlink()
    with Database.open(str(tmp_path / "target.db")) as repository:
        assert len(repository.tournaments.all()) == 1


def test_database_replaced_while_in_use_is_not_written(sound: Path, tmp_path: Path) -> None:
    with Database.open(str(sound), write=True) as repository:
        shutil.copy(sound, tmp_path / "old.db")
        kept = tmp_path / "kept.db"
        sound.rename(kept)
        for _ in range(2):
            with refused(StoreUnavailable, f"{sound} was removed or replaced while it was in use"):
                begin(repository, name="lost")
            shutil.copy(tmp_path / "old.db", sound)
        kept.rename(sound)
        begin(repository, name="stored")
        assert [tournament.name for tournament in repository.tournaments.all()] == ["cup", "stored"]


def test_copy_onto_itself_is_refused_by_any_path(sound: Path, tmp_path: Path) -> None:
    (tmp_path / "link.db").symlink_to(sound)
    for target in (tmp_path / "link.db", tmp_path / "." / ".." / tmp_path.name / sound.name):
        with refused(UsageError, "is both source and target"):
            copy_database(str(sound), str(target))
