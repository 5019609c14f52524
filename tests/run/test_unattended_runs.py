"""Failures of unattended runs: real runs and bots, gated where a test must catch them."""

import fcntl
import json
import os
import pty
import re
import shlex
import signal
import sqlite3
import subprocess
import termios
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import default_signals, invoke, popen
from tests.support.gates import Home, home, small_disk
from tests.support.processes import wait_for, workers_of

pytestmark = pytest.mark.kill


@pytest.fixture
def gated(tmp_path: Path) -> Iterator[Home]:
    with home(tmp_path / "gated") as made:
        yield made


def test_closed_terminal_drains_the_run_without_loss(gated: Home) -> None:
    """A real terminal with the progress bar; closing it may send more than one hangup."""
    gated.cup()
    ours, theirs = pty.openpty()

    def take_terminal() -> None:
        default_signals()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    process = gated.start(
        "--workers", "2", "--notify", "tee notified", stdin=theirs, stdout=theirs, stderr=theirs,
        start_new_session=True, preexec_fn=take_terminal,
    )  # fmt: skip
    os.close(theirs)
    os.set_blocking(ours, False)

    def stored_and_waiting() -> bool:
        with suppress(BlockingIOError):  # read the terminal, so that it does not fill up
            os.read(ours, 1 << 16)
        return gated.stored() == 3 and gated.waiting == 2

    gated.admit(3)
    assert wait_for(stored_and_waiting)
    os.close(ours)
    assert wait_for(lambda: gated.logged("the terminal is gone: finishing the matches in progress"))
    os.killpg(process.pid, signal.SIGHUP)
    gated.open()
    assert gated.finish(process)[0] == 128 + signal.SIGHUP
    assert 5 <= gated.stored() < 12
    assert (gated.folder / "notified").read_text().startswith("cup: sage-stones")
    assert not gated.logged("match ")  # no worker was lost, no match is void
    code, errors = gated.finish(gated.start())
    assert code == 0, errors
    gated.whole(12)


def test_run_under_nohup_survives_its_terminal(gated: Home) -> None:
    gated.cup(games=6)
    process = gated.start(
        "--workers",
        "2",
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
    )
    gated.admit(1)
    assert wait_for(lambda: gated.stored() == 1 and gated.waiting == 2)
    os.killpg(process.pid, signal.SIGHUP)
    gated.open()
    code, errors = gated.finish(process)
    assert (code, "all played (6 of 6 matches" in errors) == (0, True), errors
    assert "worker process" not in errors


def test_killed_run_prints_nothing_and_frees_its_lock(gated: Home) -> None:
    """Until then, a second run of the tournament is refused and a run of another one continues."""
    gated.cup(games=4)
    gated.cup("other", games=4)
    first, other = gated.start("--workers", "1"), gated.start("--workers", "1", name="other")
    assert wait_for(lambda: gated.waiting == 2)
    code, errors = gated.finish(gated.start())
    assert (code, errors.count("\n")) == (2, 1)
    assert errors.startswith("error: cup is being run by another process already: wait for it, or stop it")

    # Only the run is killed; its workers and the resource tracker print to the same pipe.
    assert workers_of(first.pid)
    first.kill()
    code, errors = gated.finish(first)
    assert code == -signal.SIGKILL
    assert "leaked" not in errors
    assert "Traceback" not in errors
    gated.open()
    assert gated.finish(other)[0] == 0
    code, errors = gated.finish(gated.start())
    assert code == 0, errors
    for name in ("cup", "other"):
        gated.whole(4, name)
    assert not list(gated.folder.glob("*.lock"))


def test_unit_goes_on_after_a_kill_of_the_whole_group(gated: Home) -> None:
    """As a power cut would, or `systemctl kill -s KILL`; the next boot starts the same line."""
    gated.cup(games=4)
    written = gated.finish(gated.start("--workers", "2", "--units", "cron", "--start-at", "21:05"))
    assert written == (0, "")
    unit = (gated.folder / "cron" / "cup-run.service").read_text()
    folder, line = re.findall(r"^(?:WorkingDirectory|ExecStart)=(.*)$", unit, re.MULTILINE)
    assert Path(folder) == gated.folder
    assert not gated.database.exists()

    def start() -> "subprocess.Popen[str]":
        process = popen(shlex.split(line), cwd=folder, stderr=subprocess.PIPE, start_new_session=True)
        gated.started.append(process)
        return process

    first = start()
    gated.admit(1)
    assert wait_for(lambda: gated.stored() == 1 and gated.waiting == 2)
    code, errors = gated.finish(start())
    assert (code, "cup is being run by another process already" in errors) == (2, True)
    os.killpg(first.pid, signal.SIGKILL)
    gated.kill(first)
    gated.open()
    code, errors = gated.finish(start())
    assert code == 0, errors
    gated.whole(4)


def test_run_waits_for_another_writer(gated: Home) -> None:
    """Pause, spool, kill -9; the next start stores the spooled results, and a second pause ends by itself."""
    gated.cup()
    process = gated.start("--workers", "2")
    gated.admit(2)
    assert wait_for(lambda: gated.stored() == 2)
    with closing(sqlite3.connect(gated.database, isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        gated.admit(2)
        assert wait_for(lambda: gated.logged("paused: the database"))
        spool = gated.folder / "tourney.db-cup.spool"
        assert wait_for(lambda: spool.read_bytes().count(b'"record"') == 2)
        state = gated.tourney("status")
        assert "cup paused" in state.stdout
        assert "locked" in state.stdout
        gated.kill(process)
        writer.execute("ROLLBACK")

    process = gated.start("--workers", "2")
    assert wait_for(lambda: gated.logged("stored 2 results that an earlier run kept in"))
    assert gated.stored() == 4
    with closing(sqlite3.connect(gated.database, isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        gated.admit(1)
        assert wait_for(
            lambda: sum(line["event"] == "say" and "paused: " in line["text"] for line in gated.log()) == 2
        )
        writer.execute("ROLLBACK")
    assert wait_for(lambda: gated.logged("resumed: the database can be written again"))
    gated.open()
    code, errors = gated.finish(process)
    assert code == 0, errors
    assert "\n  pauses     1, " in errors
    gated.whole(12)
    assert not spool.exists()


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small disk."""
    place = tmp_path / "small"
    if not small_disk(place):
        pytest.skip("a small disk (tmpfs) can be mounted by root only, where mounting is allowed")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def fill(place: Path) -> None:
    """Fill a disk to the last byte; the next call fills space that became free."""
    with (place / "ballast").open("ab", buffering=0) as file:
        for size in (1 << 16, 1 << 10, 1):
            with suppress(OSError):
                while file.write(b"x" * size):
                    pass


def test_full_disk_pauses_a_real_run_without_loss(gated: Home, disk: Path) -> None:
    """Once it continues by itself, once it is killed; the log is on the full disk too."""
    gated.cup(games=40)
    gated.database = disk / "tourney.db"
    words = ("--db", str(gated.database), "--workers", "2")
    process = gated.start(*words)
    spool = disk / "tourney.db-cup.spool"

    def spooled() -> int:
        return spool.read_bytes().count(b'"record"') if spool.exists() else 0

    def play_until_one_is_spooled() -> int:
        """Return the number played; space that SQLite reserved may take some on a full disk."""
        total = gated.stored()

        def all_there() -> bool:
            fill(disk)
            return gated.stored() + spooled() == total

        while not spooled():
            total += 1
            gated.admit(1)
            assert wait_for(all_there)
        return total

    gated.admit(2)
    assert wait_for(lambda: gated.stored() == 2 and gated.waiting == 2)
    total = play_until_one_is_spooled()
    assert gated.stored() < total
    (disk / "ballast").unlink()
    assert wait_for(lambda: gated.stored() == total and not spooled())

    assert wait_for(lambda: gated.waiting == 2)
    total = play_until_one_is_spooled()
    gated.kill(process)
    left = total - gated.stored()
    assert left == spooled() > 0
    (disk / "ballast").unlink()
    gated.open()
    code, errors = gated.finish(gated.start(*words))
    assert code == 0, errors
    assert f"stored {left} result{'s' * (left > 1)} that an earlier run kept in {spool}" in errors
    assert gated.stored() == 40
    gated.sound()
    assert not spool.exists()


def test_status_shows_a_run_in_progress(gated: Home) -> None:
    """Compare the status with the database while the gate is closed and nothing changes."""
    gated.cup(games=8, bots=("./first", "./dead"))
    process = gated.start("--workers", "2", "--notify", "false")
    gated.admit(3)
    assert wait_for(lambda: gated.waiting == 2 and not (gated.folder / "tickets" / "3").exists())

    def status() -> dict[str, Any]:
        [line] = json.loads(gated.tourney("status", "--format", "json").stdout)["tournaments"]
        return dict(line)

    with closing(sqlite3.connect(gated.database)) as connection:

        def ask(query: str) -> list[tuple[Any, ...]]:
            return connection.execute(query).fetchall()

        assert wait_for(lambda: len(status()["playing"]) == 2)
        names = {"0": "gated", "1": "first", "2": "dead"}
        open_ = ask("SELECT number, seating FROM schedule WHERE id NOT IN (SELECT id FROM match)")
        pairs = {number: [names[seat] for seat in seating.split(",")] for number, seating in open_}
        for playing in status()["playing"]:
            assert playing["entrants"] == pairs.pop(playing["match"])
            assert {*playing["entrants"]} == {"gated", "first"}
            assert playing["seconds"] >= 0
        shown = status()
        [(stored,)] = ask("SELECT count(*) FROM match")
        [(started,)] = ask("SELECT count(*) FROM seat WHERE fault = 'startup'")
        assert ask("SELECT count(*) FROM seat WHERE fault IS NOT NULL") == [(started,)]
    assert (shown["state"], shown["process"]) == ("running", process.pid)
    assert (shown["done"], shown["rows"], shown["rounds"]) == (stored, 24, 3)
    assert shown["faults"] == [{"entrant": "dead", "kind": "startup", "count": started}]
    assert started > 0
    assert shown["left"] == pytest.approx((24 - stored) / shown["rate"], rel=0.2, abs=1)
    text = gated.tourney("status").stdout
    for words in (f"process {process.pid}", f"dead:startup:{started}", "cup playing"):
        assert words in text
    for playing in shown["playing"]:
        assert re.search(rf"\b{playing['match']}:{'-v-'.join(playing['entrants'])}:(?:\d+[hms])+\n", text)

    gated.open()
    code, errors = gated.finish(process)
    assert code == 0, errors  # although the notification fails
    assert "--notify: false ended with the exit code 1" in errors
    shown = status()
    assert (shown["state"], shown["playing"], shown["rate"], shown["left"]) == ("finished", [], None, None)


def test_backup_during_a_run_is_complete_and_can_continue(gated: Home) -> None:
    """At the closed gate and while results arrive; the run does not pause."""

    def digests(name: str) -> dict[int, str]:
        with closing(sqlite3.connect(gated.folder / name)) as connection:
            return dict(connection.execute("SELECT number, digest FROM match NATURAL JOIN schedule"))

    gated.cup(games=24)
    process = gated.start("--workers", "2")
    gated.admit(3)
    assert wait_for(lambda: gated.waiting == 2 and gated.stored() == 3)
    done = gated.tourney("db", "backup", "still.db")
    assert done.returncode == 0, done.stderr
    assert len(digests("still.db")) == 3
    assert digests("still.db") == digests("tourney.db")
    assert process.poll() is None

    gated.admit(10)
    for number in range(2):
        done = gated.tourney("db", "backup", f"moving-{number}.db")
        assert done.returncode == 0, done.stderr
    gated.open()
    code, errors = gated.finish(process)
    assert code == 0, errors
    assert not gated.logged("pause")
    gated.whole(24)
    played = digests("tourney.db")
    for name in ("still.db", *(f"moving-{number}.db" for number in range(2))):
        assert gated.tourney("db", "check", "--db", name).returncode == 0
        assert digests(name).items() <= played.items()

    code, errors = gated.finish(gated.start("--db", "still.db"))
    assert code == 0, errors
    assert digests("still.db") == played
    assert not list(gated.folder.glob(".*.new-*"))


def test_one_run_whatever_the_path_of_the_database(gated: Home) -> None:
    gated.cup()
    (gated.folder / "links").mkdir()
    (gated.folder / "links" / "alias.db").symlink_to(gated.database)
    first = gated.start("--workers", "1")
    gated.admit(2)
    assert wait_for(lambda: gated.stored() == 2)
    code, errors = gated.finish(gated.start("--db", "links/alias.db"))
    assert (code, errors.count("\n")) == (2, 1)
    assert "cup is being run by another process already" in errors
    alias = str(gated.folder / "links" / "alias.db")

    def shown() -> Any:
        return json.loads(invoke("status", "--db", alias, "--format", "json").stdout)["tournaments"][0]

    assert (shown()["state"], shown()["process"]) == ("running", first.pid)
    assert wait_for(lambda: bool(shown()["playing"]))
    gated.open()
    assert gated.finish(first)[0] == 0
    assert gated.stored() == 12
    assert sorted(path.name for path in (gated.folder / "links").iterdir()) == ["alias.db"]
