"""A run refuses a damaged database, or loses nothing.

Every case is a copy of one database with 11 of 30 matches, the last of them in its WAL.
"""

import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.run.test_same_results import play, results
from tests.support.coordination import RecordingListener
from tests.support.executors import FuturesExecutor, Immediate
from tests.support.tournaments import refused, write_file
from tourney.check.database import check_database
from tourney.errors import StoreError
from tourney.run.engine import tournament_run
from tourney.run.engine.spool import Spool
from tourney.run.engine.tournament_run import run_tournament
from tourney.run.listeners import Listener
from tourney.run.summary import End, Summary
from tourney.run.tournament_file import read_tournament_file
from tourney.run.workers.executor import MatchTask, WorkerReply
from tourney.store.database import Database
from tourney.store.values import MatchResult

CUP = """
name = "cup"
game = "sage-stones"
seed = 7
bots = ["./a", "./d", "./e"]
games-per-pairing = 10
[options]
stones = 3
[run]
sandbox = "off"
"""
ALL, HALF = 30, 11


def run(folder: Path, count: int = ALL, listener: Listener | None = None) -> Summary:
    """Run the tournament of a folder without starting bots; at most ``count`` matches start."""
    left = [count]

    def some(task: MatchTask) -> WorkerReply:
        left[0] -= 1
        return play(task) if left[0] >= 0 else WorkerReply(task.number)

    file = read_tournament_file(folder / "cup.toml")
    executor = FuturesExecutor(Immediate, some)
    return run_tournament(
        file, str(folder / "tourney.db"), folder / "tourney-bots", lambda: executor, listener
    )


@pytest.fixture(scope="module")
def halfway(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a half-played tournament; part of the database is in its WAL."""
    origin = tmp_path_factory.mktemp("origin")
    write_file(origin, CUP)
    for name in "ade":
        write_file(origin, f"#!/bin/sh\n# {name}\n", name).chmod(0o755)
    assert run(origin, 5).progress.done == 5
    with closing(sqlite3.connect(origin / "tourney.db")) as connection:
        connection.execute("SELECT count(*) FROM match").fetchone()  # so the WAL outlives the run
        assert run(origin, HALF - 5).progress.done == HALF
        killed = tmp_path_factory.mktemp("killed") / "folder"
        shutil.copytree(origin, killed)
    assert (killed / "tourney.db-wal").stat().st_size > 0
    return killed


@pytest.fixture(scope="module")
def wanted(halfway: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The results of an uninterrupted tournament."""
    whole = tmp_path_factory.mktemp("whole") / "folder"
    shutil.copytree(halfway, whole, ignore=shutil.ignore_patterns("tourney.db*"))
    assert run(whole).end is End.FINISHED
    return results(whole / "tourney.db")


@pytest.fixture
def folder(halfway: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(halfway, tmp_path / "folder"))


def settled(folder: Path) -> Path:
    """Move the WAL into the database file."""
    database = folder / "tourney.db"
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return database


def cut(size: Callable[[int], int]) -> Callable[[bytes], bytes]:
    return lambda data: data[: size(len(data))]


def flip(where: Callable[[bytes], int]) -> Callable[[bytes], bytes]:
    def flipped(data: bytes) -> bytes:
        place = where(data)
        return data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]

    return flipped


@contextmanager
def opened(data: bytes) -> Iterator[tuple[Path, sqlite3.Connection]]:
    """Open a database of these bytes in a temporary file."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "t.db"
        path.write_bytes(data)
        with closing(sqlite3.connect(path)) as connection:
            yield path, connection


def record_of(data: bytes) -> int:
    """Return an offset inside the packed record of match 3."""
    with opened(data) as (_, connection):
        [(record,)] = connection.execute("SELECT record FROM match WHERE id = 3").fetchall()
    assert data.count(record) == 1
    return data.index(record) + len(record) // 2


def sql(statement: str) -> Callable[[bytes], bytes]:
    def edited(data: bytes) -> bytes:
        with opened(data) as (path, connection):
            assert connection.execute(statement).rowcount == 1
            connection.commit()
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            return path.read_bytes()

    return edited


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "nothing left": cut(lambda _: 0),
    "one byte": cut(lambda _: 1),
    "half a header": cut(lambda _: 50),
    "the header alone": cut(lambda _: 100),
    "the first page alone": cut(lambda _: 4096),
    "half of the pages": cut(lambda size: size // 2 // 4096 * 4096),
    "half of a page too much": cut(lambda size: size // 2 // 4096 * 4096 + 2048),
    "the last page missing": cut(lambda size: size - 4096),
    "the last byte missing": cut(lambda size: size - 1),
    "a bit of the first byte": flip(lambda _: 0),
    "a bit of the page size": flip(lambda _: 16),
    "a bit of whose file it is": flip(lambda _: 70),
    "a bit of the kind of a page": flip(lambda _: 3 * 4096),
    "a bit of a packed record": flip(record_of),
    "another page in its place": lambda data: data[: 5 * 4096] + data[4096 : 2 * 4096] + data[6 * 4096 :],
    "ranks that are not ranks": sql("UPDATE match SET ranks = '1,3' WHERE id = 3"),
    "a result missing a seat": sql("DELETE FROM seat WHERE match_id = 3 AND seat = 2"),
    "a row of the schedule missing": sql("DELETE FROM schedule WHERE number = 20"),
    "zeros in the middle": lambda data: data[: len(data) // 2] + bytes(4096) + data[len(data) // 2 + 4096 :],
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_database_is_refused_and_unchanged(folder: Path, damage: str) -> None:
    database = settled(folder)
    data = DAMAGES[damage](database.read_bytes())
    database.write_bytes(data)
    with refused(StoreError, str(database)):
        run(folder)
    assert database.read_bytes() == data
    assert sorted(path.name for path in folder.iterdir() if path.name.startswith("tourney.db")) in (
        ["tourney.db"],
        ["tourney.db", "tourney.db-shm", "tourney.db-wal"],  # of a reader that SQLite could not close
    )


@pytest.mark.parametrize(
    "damage",
    [
        "ranks that are not ranks",
        "a result missing a seat",
        "a row of the schedule missing",
        "half of the pages",
    ],
)
def test_damage_to_one_of_many_results_is_refused(
    folder: Path, damage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even where a run does not read each stored match before it goes on."""
    monkeypatch.setattr(tournament_run, "MANY", HALF)
    database = settled(folder)
    data = DAMAGES[damage](database.read_bytes())
    database.write_bytes(data)
    with refused(StoreError, str(database)):
        run(folder)
    assert database.read_bytes() == data


def test_altered_result_of_many_differs_from_its_seats(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tournament_run, "MANY", HALF)
    database = settled(folder)
    turned = "UPDATE match SET ranks = CASE ranks WHEN '1,2' THEN '2,1' ELSE '1,2' END WHERE id = 3"
    database.write_bytes(sql(turned)(database.read_bytes()))
    with refused(StoreError, "match cup/3 has another result or entrant in the table seat"):
        run(folder)


def test_run_of_many_matches_leaves_records_to_the_check(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A damaged record decides nothing: the run says what it did not read, and `db check` finds it."""
    monkeypatch.setattr(tournament_run, "MANY", HALF)
    database = settled(folder)
    database.write_bytes(DAMAGES["a bit of a packed record"](database.read_bytes()))
    listener = RecordingListener()
    assert run(folder, listener=listener).end is End.FINISHED
    assert any("`tourney db check` reads each match" in text for text in listener.messages)
    [problem] = check_database(str(database))
    assert "column record of table match, row 3 (match 3 of cup)" in problem


DETAILS: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "log": (
        sql("INSERT INTO log VALUES (3, x'00ff')"),
        "column lines of table log, row 3 (match 3 of cup)",
    ),
    "measurements": (
        sql("UPDATE measured SET data = x'00ff' WHERE match_id = 3"),
        "column data of table measured, row 3 (match 3 of cup)",
    ),
    "log of no match": (
        sql("INSERT INTO log VALUES (9999, x'00ff')"),
        "row 9999 of log refers to a row of match that is missing (and 1 more)",
    ),
}


@pytest.mark.parametrize("detail", DETAILS)
def test_damage_outside_the_results_is_named_and_blocks_nothing(
    folder: Path, wanted: dict[str, Any], detail: str
) -> None:
    database = settled(folder)
    damage, words = DETAILS[detail]
    database.write_bytes(damage(database.read_bytes()))
    listener = RecordingListener()
    assert run(folder, listener=listener).end is End.FINISHED
    assert results(database) == wanted
    said = next(text for text in listener.messages if "outside all results" in text)
    assert words in said
    assert "\n" not in said
    assert check_database(str(database)) != ()


def half_of(data: bytes) -> bytes:
    return data[: len(data) // 2]


WALS: dict[str, Callable[[bytes], bytes | None]] = {
    "whole": lambda data: data,
    "missing": lambda _: None,
    "empty": lambda _: b"",
    "torn": half_of,
    "torn in its header": lambda data: data[:20],
    "of noise": lambda data: bytes((k * 37 + 11) % 256 for k in range(len(data))),
    "damaged in its last frame": lambda data: data[:-100] + bytes(100),
}


@pytest.mark.parametrize("wal", WALS)
def test_damaged_wal_costs_only_its_own_results(folder: Path, wanted: dict[str, Any], wal: str) -> None:
    """As after a power failure, the lost matches are replayed with the same results."""
    path = folder / "tourney.db-wal"
    data = WALS[wal](path.read_bytes())
    path.unlink()
    (folder / "tourney.db-shm").unlink(missing_ok=True)
    if data is not None:
        path.write_bytes(data)
    summary = run(folder)
    assert summary.end is End.FINISHED
    assert summary.progress.played >= ALL - HALF
    assert (summary.progress.played == ALL - HALF) == (wal == "whole")
    assert results(folder / "tourney.db") == wanted


def spooled(folder: Path, count: int) -> Path:
    """Leave the results of the next matches to play in a spool, as a run killed in a pause does."""
    kept: list[MatchResult] = []
    spare = Path(shutil.copytree(folder, folder.parent / "spare"))

    def keep(task: MatchTask) -> WorkerReply:
        kept.append(MatchResult(task.number, play(task).played))
        return WorkerReply(task.number)

    file = read_tournament_file(spare / "cup.toml")
    executor = FuturesExecutor(Immediate, keep, workers=count)
    run_tournament(file, str(spare / "tourney.db"), spare / "tourney-bots", lambda: executor)
    with Database.open(str(folder / "tourney.db")) as repository:
        spool = Spool(folder / "tourney.db-cup.spool", repository.tournaments.get())
    spool.open()
    assert len(kept) >= count
    assert spool.keep(kept[:count])
    spool.close()
    return spool.path


@pytest.mark.parametrize(
    ("tear", "taken"),
    [
        (lambda data: data, 2),
        (lambda data: data[: data.index(b"\0") - 40], 1),  # in the middle of the second line
        (lambda data: data[: data.index(b"\0") - 40] + bytes(8192), 1),
        (lambda data: data[: data.index(b"\n") + 30], 0),  # in the middle of the first
        (lambda data: data.replace(b'"reason"', b'"raeson"', 1), 1),
        (lambda data: data[: data.index(b"\n") + 1], 0),
        (lambda _: b"", 0),
        (lambda data: bytes(len(data)), 0),
    ],
)
def test_damaged_spool_lines_are_played_again(
    folder: Path, wanted: dict[str, Any], tear: Callable[[bytes], bytes], taken: int
) -> None:
    path = spooled(folder, 2)
    path.write_bytes(tear(path.read_bytes()))
    heard = RecordingListener()
    summary = run(folder, listener=heard)
    assert summary.progress.played == ALL - HALF - taken
    assert any("an earlier run kept" in text for text in heard.messages) == (taken > 0)
    assert results(folder / "tourney.db") == wanted
    assert not path.exists()


def test_spool_of_another_database_is_refused(folder: Path) -> None:
    """A tournament of the same name, started elsewhere with another seed."""
    other = Path(shutil.copytree(folder, folder.parent / "other"))
    for path in other.glob("tourney.db*"):
        path.unlink()
    write_file(other, CUP.replace("seed = 7", "seed = 8"))
    assert run(other, HALF).progress.done == HALF
    path = spooled(other, 2)
    there = folder / path.name
    shutil.move(path, there)
    data = there.read_bytes()
    with refused(StoreError, f"the spool {there} holds results of another tournament"):
        run(folder)
    assert there.read_bytes() == data
    there.unlink()
    assert run(folder).progress.played == ALL - HALF
