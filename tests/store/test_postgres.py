"""PostgreSQL gives the same results as a file.

Most of these tests need TOURNEY_TEST_SERVER: the URL of a PostgreSQL server, with a user that can create
databases.
It is one file because all of its tests share one server.
"""

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest
import sqlalchemy as sa

from tests.support.command import PROGRAM, invoke, run
from tests.support.processes import leftovers
from tests.support.tournaments import begin, digests, played, refused, write_file
from tourney.check.database import check_database
from tourney.errors import StoreError, StoreUnavailable, UsageError
from tourney.match.evidence import Evidence
from tourney.match.record import FaultKind
from tourney.ratings.trueskill import TrueSkillMethod
from tourney.results import ratings
from tourney.results.ratings import rate_batch, rate_in_order
from tourney.results.standings import compute_standings
from tourney.run.engine.recorder import spec_of
from tourney.store.column_reading import ComputedLuck
from tourney.store.database import Database, backup_database, copy_database
from tourney.store.engine import parse_url, store_error
from tourney.store.values import MatchResult, Tournament

pytestmark = pytest.mark.postgres

SERVER = os.environ.get("TOURNEY_TEST_SERVER", "")
NUMBERS = count(1)

needs_server = pytest.mark.skipif(
    not SERVER, reason="set TOURNEY_TEST_SERVER to the URL of a PostgreSQL server"
)

CUP = """
name = "cup"
game = "sage-stones"
seed = 7
bots = ["pebble"]
games-per-pairing = 8
[[entrant]]
bot = "BOT"
name = "second"
[limits]
move-ms = 600000
[run]
sandbox = "off"
"""

GATED = """#!/bin/sh
# Plays its first game whenever it is asked, and all others once there is a file `open`.
while read -r word rest; do
    case $word in
        tourney) echo "bot wants=legal";;
        game) echo ready;;
        legal) set -- $rest; act=$1;;
        go) echo asked >> FOLDER/asked
            while [ "$(wc -l < FOLDER/asked)" -gt 1 ] && [ ! -e FOLDER/open ]; do sleep 0.02; done
            echo resign;;
        quit) exit 0;;
    esac
done
"""


@contextmanager
def empty_database() -> Iterator[str]:
    """Create a database on the server for one test, and drop it afterwards."""
    name = f"tourney_test_{os.getpid()}_{next(NUMBERS)}"
    engine = sa.create_engine(SERVER, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(sa.text(f"CREATE DATABASE {name}"))
    try:
        yield parse_url(SERVER).set(database=name).render_as_string(hide_password=False)
    finally:
        with engine.connect() as connection:
            connection.execute(sa.text(f"DROP DATABASE {name} WITH (FORCE)"))
        engine.dispose()


@pytest.fixture
def url() -> Iterator[str]:
    with empty_database() as made:
        yield made


def play_all(repository: Database) -> Tournament:
    """Store a tournament of four with results of every kind, without bots."""
    tournament = begin(repository, 4, games=4)
    entrants = repository.tournaments.entrants(tournament.id)
    for number, row in repository.schedules.pending(tournament.id):
        ranks = ((1, 2), (2, 1), (1, 1))[number * number % 11 % 3]
        faults: tuple[tuple[int, FaultKind, int], ...] = ((1, "crash", 2),) if number % 7 == 0 else ()
        made = played(spec_of(tournament, entrants, row), (2, 1) if faults else ranks, faults=faults)
        lost = MatchResult(number, None, "a plugin said \x00 and \udcff")
        repository.matches.add(tournament.id, [lost if number == 5 else MatchResult(number, made)])
    return tournament


@needs_server
def test_server_gives_the_same_as_a_file(url: str, tmp_path: Path) -> None:
    seen = []
    file = str(tmp_path / "t.db")
    for place in (url, file):
        with Database.open(place, create=True) as repository:
            tournament = play_all(repository)
            seen.append(
                (
                    repository.matches.get(tournament.id, 5),
                    compute_standings(repository, tournament.id),
                    repository.totals.standings(tournament.id),
                    repository.totals.faults(tournament.id),
                    repository.schedules.progress(tournament.id),
                    list(repository.matches.results(tournament.id)),
                    list(repository.matches.all(tournament.id, entrant=1)),
                    list(repository.records.all(tournament.id)),
                    repository.records.log(tournament.id, 4),
                    repository.records.measured(tournament.id, 4),
                    digests(repository, tournament.id),
                    rate_batch(repository, tournament, "loss"),
                    rate_batch(repository, tournament, "void"),
                    rate_in_order(repository, tournament, TrueSkillMethod(), "loss"),
                    rate_in_order(repository, tournament, TrueSkillMethod(), "void"),
                )
            )
    assert seen[0] == seen[1]
    assert check_database(url) == ()
    with refused(StoreError, "is not empty"):
        copy_database(file, url)
    with refused(UsageError, "is on a server"):
        backup_database(url, tmp_path / "no.db")
    copy_database(url, str(tmp_path / "back.db"))
    with Database.open(str(tmp_path / "back.db")) as back:
        assert digests(back, back.tournaments.get().id) == seen[0][10]
    with empty_database() as other:
        copy_database(file, other)
        with Database.open(other) as copied:
            assert digests(copied, copied.tournaments.get().id) == seen[0][10]
            assert begin(copied, name="next").id == 2, "the server's counters continue after the copied rows"


@needs_server
def test_server_stores_checkpoints_and_draw_probabilities(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with Database.open(url, create=True) as repository:
        tournament = play_all(repository)
    plain = invoke("ratings", "--method", "trueskill", "--db", url)
    estimated = invoke("ratings", "--method", "trueskill", "--draw-probability", "estimate", "--db", url)
    again = invoke("ratings", "--method", "trueskill", "--db", url)
    assert (plain.exit_code, estimated.exit_code, again.exit_code) == (0, 0, 0)
    assert plain.stdout != estimated.stdout == again.stdout
    monkeypatch.setattr(ratings, "WORTH_KEEPING", 1)
    with Database.open(url) as repository:
        rated = rate_in_order(repository, tournament, TrueSkillMethod(), "loss")
        assert rated.keep is not None
        repository.ratings.keep_checkpoint(tournament.id, rated.settings, rated.keep)
        from_checkpoint = rate_in_order(repository, tournament, TrueSkillMethod(), "loss")
        assert from_checkpoint.keep is None
        assert from_checkpoint.pool == rated.pool


def action_requests(folder: Path) -> int:
    """Return how often the gated bot was asked for an action."""
    try:
        return (folder / "asked").read_text("ascii").count("\n")
    except FileNotFoundError:
        return 0


def stored_count(url: str) -> int:
    """Return how many matches of the tournament begun last are stored."""
    with Database.open(url, create=True) as repository:
        found = repository.tournaments.all()
        return repository.schedules.progress(found[-1].id).done if found else 0


def wait_for(event: Callable[[], bool], process: "subprocess.Popen[bytes]") -> bool:
    """Poll until a condition holds; return False if the process ends first."""
    while not event():
        if process.poll() is not None:
            return False
    return True


@needs_server
def test_killed_run_on_a_server_resumes_with_same_results(url: str, tmp_path: Path) -> None:
    bot = write_file(tmp_path, GATED.replace("FOLDER", str(tmp_path)), "gated")
    bot.chmod(0o755)
    file = write_file(tmp_path, CUP.replace("BOT", "./gated"))
    words = ("run", str(file), "--bots", str(tmp_path / "bots"), "--db")
    with subprocess.Popen([*PROGRAM, *words, url, "--workers", "1", "--quiet"], cwd=tmp_path) as first:
        try:
            assert wait_for(lambda: action_requests(tmp_path) >= 2 and stored_count(url) >= 1, first)
            second = run(*words, url, cwd=tmp_path)
            assert second.returncode == 2
            assert "cup is being run by another process already" in second.stderr
            assert f"running (process {first.pid})" in invoke("status", "--db", url).stdout
            assert check_database(url) == ()
        finally:
            first.kill()
    assert leftovers(tmp_path) == []
    assert "stopped" in invoke("status", "--db", url).stdout
    assert stored_count(url) == 1
    (tmp_path / "open").touch()
    places = (url, str(tmp_path / "t.db"))
    for place in places:
        ended = run(*words, place, "--quiet", cwd=tmp_path)
        assert (ended.returncode, ended.stderr) == (0, "")
    for asked_for in (
        ("standings",),
        ("ratings", "--show", "pairs"),
        ("ratings", "--method", "trueskill", "--format", "csv"),
        ("export",),
        ("verify", "--all"),
    ):
        answers = [invoke(*asked_for, "--db", place) for place in places]
        assert [answer.exit_code for answer in answers] == [0, 0], answers[0].output
        assert answers[0].output == answers[1].output
    for name, place in zip(("server", "file"), places, strict=True):
        made = invoke("report", "--no-measured", "--out", str(tmp_path / name), "--db", place)
        assert made.exit_code == 0, made.output
    pages = [
        {path.relative_to(tmp_path / name): path.read_bytes() for path in (tmp_path / name).rglob("*.*")}
        for name in ("server", "file")
    ]
    assert len(pages[0]) > 10
    assert pages[0] == pages[1]
    records = tmp_path / "records.jsonl"
    records.write_text(invoke("export", "--db", url).stdout, "utf-8")
    done = invoke("import", str(records), "--name", "again", "--again", "--db", url)
    assert (done.exit_code, done.stderr) == (0, "8 matches imported as again\n")
    assert invoke("export", "again", "--db", url).stdout == records.read_text("utf-8")
    exports = [invoke("export", "cup", "--what", "tournament", "--db", place).stdout for place in places]
    unsalted = [re.sub(r'"(commitment|salt)":"[0-9a-f]+",', "", export) for export in exports]
    assert unsalted[0] == unsalted[1] != ""  # each start draws a salt of its own
    again = ("import", "-", "--name", "whole", "--again", "--db", url)
    assert invoke(*again, given=exports[0]).exit_code == 0
    assert invoke("standings", "whole", "--db", url).stdout == invoke("standings", "cup", "--db", url).stdout


@needs_server
def test_comparison_starts_on_an_empty_server(url: str, tmp_path: Path) -> None:
    words = ("compare", "pebble", "random", "--game", "sage-stones", "--seed", "7", "--sandbox", "off")
    more = ("--batch", "1", "--max-pairs", "1", "--bots", str(tmp_path / "bots"), "--format", "json")
    answers = [
        run(*words, *more, "--quiet", "--db", place, cwd=tmp_path) for place in (url, str(tmp_path / "t.db"))
    ]
    assert [(answer.returncode, answer.stderr) for answer in answers] == [(0, "")] * 2
    assert answers[0].stdout == answers[1].stdout
    assert json.loads(answers[0].stdout)["pairs"] == 1


@needs_server
def test_server_allows_one_run_at_a_time(url: str) -> None:
    with Database.open(url, create=True) as one, Database.open(url) as other:
        tournament = begin(one)
        assert other.running(tournament.id) is None
        with one.run_lock(tournament, 12.5):
            found = other.running(tournament.id)
            assert found is not None
            assert (found.pid, found.since, found.done) == (os.getpid(), 12.5, 0)
            with (
                refused(UsageError, "is being run by another process already"),
                other.run_lock(tournament, 0.0),
            ):
                pass
            with other.run_lock(begin(other, name="another"), 0.0):
                pass
        assert other.running(tournament.id) is None
        with other.run_lock(tournament, 0.0):
            pass


def close_other_sessions(url: str) -> None:
    """End all other sessions of a database."""
    engine = sa.create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(
            sa.text(
                "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        )
    engine.dispose()


@needs_server
def test_lock_lost_with_connection_is_reacquired_before_writing(url: str) -> None:
    with Database.open(url, create=True) as one:
        tournament = begin(one)
        with one.run_lock(tournament, 0.0):
            close_other_sessions(url)
            with Database.open(url) as other:
                assert other.running(tournament.id) is None
                with (
                    other.run_lock(tournament, 0.0),
                    refused(StoreUnavailable, "was lost, and another process runs cup since then"),
                ):
                    one.tournaments.keep_verdict(tournament.id, {})
                one.tournaments.keep_verdict(tournament.id, {})
                assert other.running(tournament.id) is not None
            close_other_sessions(url)
        # The run ended with a dead connection: its results are stored and the lock is free.
        with one.run_lock(tournament, 0.0):
            pass


def with_password(url: str) -> str:
    """Return a URL with a password that the server does not ask for."""
    return parse_url(url).set(password="geheim").render_as_string(hide_password=False)  # noqa: S106 - made up


@needs_server
def test_password_is_never_printed(url: str, tmp_path: Path) -> None:
    secret = with_password(url)
    with Database.open(url, create=True) as repository:
        play_all(repository)
    with empty_database() as other:
        target = ("copy", with_password(other))
        for words in (("check",), ("upgrade",), ("backup", str(tmp_path / "b.db")), target):
            said = invoke("db", *words, "--db", secret)
            assert "***" in said.output, words
            assert "geheim" not in said.output


@needs_server
def test_two_processes_create_the_tables_at_once(url: str) -> None:
    barrier = threading.Barrier(4)
    failed: list[BaseException] = []

    def make() -> None:
        barrier.wait()
        try:
            Database.open(url, create=True).close()
        except BaseException as error:  # noqa: BLE001 - shown below
            failed.append(error)

    threads = [threading.Thread(target=make) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    with Database.open(url) as repository:
        assert begin(repository).id == 1


@needs_server
def test_second_of_two_first_starts_is_refused_in_words(url: str) -> None:
    """Neither sees the tournament of the other, whose transaction has not ended when it looks."""
    refusals: list[BaseException] = []

    def start(repository: Database) -> None:
        try:
            begin(repository)
        except BaseException as error:  # noqa: BLE001 - compared below
            refusals.append(error)

    waiting = sa.text("SELECT count(*) FROM pg_locks WHERE NOT granted")
    with Database.open(url, create=True) as first, Database.open(url) as second:
        thread = threading.Thread(target=start, args=(second,))
        watcher = sa.create_engine(url, isolation_level="AUTOCOMMIT")
        with first.transaction() as writer, watcher.connect() as watching:
            begin(writer)
            thread.start()
            while not watching.execute(waiting).scalar() and thread.is_alive():
                pass
        thread.join()
        watcher.dispose()
    assert [str(error) for error in refusals] == ["the database holds a tournament 'cup' already"]


def overtaken(url: str, act: Callable[[Database], object]) -> list[str]:
    """Keep luck of all matches, and act in another process's place before the transaction ends."""
    errors: list[str] = []

    def run_act(other: Database) -> None:
        try:
            act(other)
        except StoreError as error:
            errors.append(str(error))

    waiting = sa.text("SELECT count(*) FROM pg_locks WHERE NOT granted")
    with Database.open(url) as first, Database.open(url) as second:
        watcher = sa.create_engine(url, isolation_level="AUTOCOMMIT")
        with first.transaction() as writer, watcher.connect() as watching:
            writer.lucks.keep(lucks_of_all(writer))
            thread = threading.Thread(target=run_act, args=(second,))
            thread.start()
            while not watching.execute(waiting).scalar() and thread.is_alive():
                pass
        thread.join()
        watcher.dispose()
    return errors


def lucks_of_all(repository: Database) -> dict[int, ComputedLuck]:
    cup = repository.tournaments.get()
    sources, _ = repository.lucks.sources(cup.id, repository.lucks.missing(cup.id))
    return {source.id: ComputedLuck(source.digest, Evidence(luck=(1, -1), values=1)) for source in sources}


@needs_server
def test_luck_that_two_processes_keep_at_once_is_kept(url: str) -> None:
    with Database.open(url, create=True) as repository:
        cup = play_all(repository)
        lucks = lucks_of_all(repository)
        assert overtaken(url, lambda other: other.lucks.keep(lucks)) == []
        assert list(repository.lucks.missing(cup.id)) == []


@needs_server
def test_result_is_taken_back_while_its_luck_is_kept(url: str) -> None:
    with Database.open(url, create=True) as repository:
        cup = play_all(repository)
        assert overtaken(url, lambda other: other.matches.withdraw(cup.id, [3], None)) == []
        assert repository.matches.get(cup.id, 3).result is None
        assert list(repository.lucks.missing(cup.id)) == []


@pytest.mark.parametrize("code", ["40001", "40P01", "23505"])
def test_overtaken_write_may_be_tried_again(code: str) -> None:
    class OvertakenError(Exception):
        sqlstate = code

    error = sa.exc.OperationalError("INSERT INTO tournament", None, OvertakenError("duplicate key"))
    sentence = store_error("cups", error)
    assert isinstance(sentence, StoreUnavailable)
    assert str(sentence) == "another process wrote to the database cups at the same moment: start again"


@needs_server
def test_foreign_tables_on_a_server_are_untouched(url: str) -> None:
    with refused(StoreError, "holds no tables of Tourney"):
        Database.open(url)
    engine = sa.create_engine(url)
    with engine.begin() as connection:
        connection.execute(sa.text("CREATE TABLE theirs (a int)"))
    with refused(StoreError, "holds no tables of Tourney"):
        Database.open(url, create=True)
    assert sa.inspect(engine).get_table_names() == ["theirs"]
    engine.dispose()
    missing = parse_url(url).set(database="not_there").render_as_string(hide_password=False)
    with refused(StoreUnavailable, "not_there"):
        Database.open(missing, create=True)


def test_driver_is_chosen_and_other_databases_are_refused() -> None:
    for given in ("postgres://a@b/c", "postgresql://a@b/c", "postgresql+psycopg://a@b/c"):
        assert parse_url(given).render_as_string() == "postgresql+psycopg://a@b/c"
    for given in ("mysql://a@b/c", "postgresql+asyncpg://a@b/c", "foo+bar://a"):
        with refused(UsageError, given.partition(":")[0], "cannot be used", "postgresql+psycopg://"):
            parse_url(given)


def test_missing_driver_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with refused(UsageError, "PostgreSQL needs psycopg", "install tourney[postgres]"):
        Database.open("postgresql://127.0.0.1:1/nothing")


def test_unreachable_server_is_a_temporary_error() -> None:
    pytest.importorskip("psycopg")
    with refused(StoreUnavailable, "127.0.0.1:1/nothing failed", "***"):
        Database.open("postgresql://user:geheim@127.0.0.1:1/nothing")
