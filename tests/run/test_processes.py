"""Real runs: worker processes, bots, and signals of every kind."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.command import PROGRAM, popen
from tests.support.kills import check_kind
from tests.support.processes import PATIENCE, alive, wait_for, workers_of
from tests.support.sites import site
from tests.support.tournaments import digests, write_file
from tourney.ratings.trueskill import TrueSkillMethod
from tourney.report.output.layout import Options
from tourney.report.source import load
from tourney.results.standings import compute_standings
from tourney.store import sqlite
from tourney.store.database import Database

pytestmark = pytest.mark.kill

CUP = """
name = "cup"
game = "sage-stones"
seed = 7
bots = ["pebble"]
games-per-pairing = 16
[[entrant]]
bot = "BOT"
name = "second"
[limits]
move-ms = 600000
startup-ms = 600000
[run]
sandbox = "off"
"""

GATED = """#!/bin/sh
# Plays when it has taken a ticket, or where the gate is open; the store keeps it four folders below these.
home=../../../..
admitted() {
    [ -e $home/open ] && return
    for ticket in $home/tickets/*; do
        rm "$ticket" 2>/dev/null && return
    done
    false
}
if ! admitted; then
    : >$home/waiting.$$
    until admitted; do sleep 0.05; done
    rm $home/waiting.$$
fi
# Longer than any match that travels in a batch: each match is stored when it is over.
sleep 0.05
set -f
while read -r word rest; do
    case $word in
        tourney) echo "bot wants=legal";;
        game) echo ready;;
        legal) legal=$rest;;
        go) set -- $legal; shift $(($# / 2)); echo "move $1";;
        quit) exit 0;;
    esac
done
"""

HANG = """#!/bin/sh
while read -r word rest; do
    case $word in
        tourney) echo bot;;
        game) echo ready;;
        go) touch MARKER; sleep 1000;;
        quit) exit 0;;
    esac
done
"""

ASSASSIN = """#!/bin/sh
while read -r word rest; do
    case $word in
        tourney) echo bot;;
        game) echo ready;;
        go) kill -9 $PPID;;
        quit) exit 0;;
    esac
done
"""


REPORTS_PID = """#!/bin/sh
while read -r word rest; do
    case $word in
        tourney) echo bot;;
        game) echo ready;;
        go) echo "info pid=$$"; echo resign;;
        quit) exit 0;;
    esac
done
"""


STARTED: list["subprocess.Popen[str]"] = []
"""The processes that the current test has started."""


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A folder for a tournament; every process started in it ends with the test."""
    yield tmp_path
    while STARTED:
        process = STARTED.pop()
        if process.poll() is None:
            process.kill()
        process.communicate(timeout=PATIENCE)
    assert wait_for(lambda: not bots_of(tmp_path)), f"left alive: {bots_of(tmp_path)}"


def tourney(home: Path, *words: str) -> "subprocess.Popen[str]":
    """Start `tourney run cup.toml` in a folder."""
    process = popen([*PROGRAM, "run", "cup.toml", *words], cwd=home, stderr=subprocess.PIPE)
    STARTED.append(process)
    return process


def gated(home: Path, *, games: int = 16, tickets: int | None = 0) -> None:
    """Write a tournament that plays ``tickets`` matches and then waits; None: all matches."""
    write_file(home, GATED, "gated").chmod(0o755)
    write_file(home, CUP.replace("16", str(games)).replace("BOT", "./gated"))
    (home / "tickets").mkdir(exist_ok=True)
    if tickets is None:
        open_gate(home)
    else:
        admit(home, tickets)


def admit(home: Path, count: int) -> None:
    """Admit more matches."""
    for number in range(count):
        (home / "tickets" / f"{time.monotonic_ns()}-{number}").touch()


def open_gate(home: Path) -> None:
    """Admit all matches from now on."""
    (home / "open").touch()


def stands_still(home: Path, matches: int, workers: int = 2) -> bool:
    """Wait until ``matches`` are stored, and each worker has one more that waits for a ticket."""
    return wait_for(lambda: done(home) == matches and len(list(home.glob("waiting.*"))) == workers)


def hanging(home: Path) -> None:
    """Write a tournament in which a bot never answers, and ignores the end of its input."""
    bot = write_file(home, HANG.replace("MARKER", str(home / "asked")), "hang")
    bot.chmod(0o755)
    write_file(home, CUP.replace('["pebble"]', '["./hang"]').replace("BOT", "pebble"))


def finish(process: "subprocess.Popen[str]") -> tuple[int, str]:
    _, errors = process.communicate(timeout=PATIENCE)
    return process.returncode, errors


def stop_at_once(process: "subprocess.Popen[str]") -> None:
    """Send two signals of different kinds: a second pending one of the same kind would be lost."""
    process.send_signal(signal.SIGTERM)
    process.send_signal(signal.SIGINT)


def bots_of(home: Path) -> list[int]:
    """Return the processes that run in the bot store below a folder."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cwd"):
        try:
            place = path.readlink()
            if place.is_relative_to(home) and "tourney-bots" in place.parts:
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found


def done(home: Path) -> int:
    """Return the number of stored matches, without the repository's checks as it is called often."""
    if not (home / "tourney.db").exists():
        return 0
    with closing(sqlite.connect(home / "tourney.db")) as connection:
        count: int = connection.execute("SELECT count(*) FROM match").fetchone()[0]
        return count


def stored_digests(home: Path) -> dict[int, str]:
    with Database.open(str(home / "tourney.db")) as repository:
        return digests(repository, repository.tournaments.get().id)


def results(home: Path) -> tuple[object, ...]:
    """Return the values that every way of running must give: records, results, tables, report bytes."""
    with Database.open(str(home / "tourney.db")) as repository:
        tournament = repository.tournaments.get()
        return (
            digests(repository, tournament.id),
            tuple(repository.matches.results(tournament.id)),
            compute_standings(repository, tournament.id),
            tuple(TrueSkillMethod().rate(repository.matches.results(tournament.id), range(2), 2)),
            list(site(load(repository, tournament), Options(measured=False, match_pages=4))),
        )


def test_killed_run_gives_same_results_as_one_or_two_workers(home: Path) -> None:
    for name, workers in (("one", "1"), ("two", "2")):
        gated(home / name, tickets=None)
        code, errors = finish(tourney(home / name, "--workers", workers))
        assert code == 0, errors
        assert "cup: all played (16 of 16 matches" in errors
    for stored in (2, 6):
        gated(home / "killed", tickets=stored - done(home / "killed"))
        process = tourney(home / "killed", "--workers", "2")
        assert stands_still(home / "killed", stored)
        process.kill()
        assert finish(process)[0] == -signal.SIGKILL
        assert wait_for(lambda: not bots_of(home / "killed"))
        for path in (home / "killed").glob("waiting.*"):
            path.unlink()
    assert done(home / "killed") == 6
    open_gate(home / "killed")
    code, errors = finish(tourney(home / "killed", "--workers", "2"))
    assert code == 0, errors
    assert results(home / "one") == results(home / "two") == results(home / "killed")
    assert sorted(path.name for path in (home / "killed").iterdir()) == [
        "cup.toml",
        "gated",
        "open",
        "tickets",
        "tourney-bots",
        "tourney.db",
        "tourney.db-cup.log",
    ]


def test_signal_drains_and_next_start_continues(home: Path) -> None:
    gated(home, games=40, tickets=2)
    process = tourney(home, "--workers", "2")
    assert stands_still(home, 2)
    process.send_signal(signal.SIGINT)
    assert process.stderr is not None
    output = ""
    while "stopping: finishing the matches in progress" not in output:
        line = process.stderr.readline()
        assert line, output
        output += line
    open_gate(home)
    code, errors = finish(process)
    assert code == 128 + signal.SIGINT
    assert "Traceback" not in output + errors
    before = stored_digests(home)
    # The two matches in progress are kept; at most the two that waited behind them started too.
    assert 4 <= len(before) <= 6
    code, errors = finish(tourney(home))
    assert code == 0, errors
    after = stored_digests(home)
    assert before.items() <= after.items()
    assert len(after) == 40


def test_killed_run_leaves_no_bot_alive(home: Path) -> None:
    hanging(home)
    process = tourney(home, "--workers", "2")
    assert wait_for((home / "asked").exists)
    workers = workers_of(process.pid)
    assert workers
    process.kill()
    assert finish(process)[0] == -signal.SIGKILL
    assert wait_for(lambda: not bots_of(home))
    assert wait_for(lambda: not any(map(alive, workers)))


def test_killed_worker_is_replaced_without_loss(home: Path) -> None:
    gated(home, tickets=2)
    process = tourney(home, "--workers", "2")
    assert stands_still(home, 2)
    workers = workers_of(process.pid)
    assert len(workers) == 2
    os.kill(workers[0], signal.SIGKILL)
    open_gate(home)
    code, errors = finish(process)
    assert code == 0, errors
    assert "16 of 16 matches" in errors
    assert "void" not in errors
    assert "Traceback" not in errors


def test_bot_that_kills_its_worker_voids_its_own_matches_only(home: Path) -> None:
    bot = write_file(home, ASSASSIN, "assassin")
    bot.chmod(0o755)
    cup = CUP.replace("16", "2").replace("BOT", "pebble")
    write_file(home, cup.replace('["pebble"]', '["pebble", "./assassin"]'))
    code, errors = finish(tourney(home, "--workers", "2"))
    assert code == 0, errors
    with Database.open(str(home / "tourney.db")) as repository:
        tournament = repository.tournaments.get().id
        for match in repository.matches.all(tournament):
            assert match.result is not None
            assert match.result.void == (1 in match.seats)  # the assassin is the second entrant
        assert repository.schedules.progress(tournament) == (6, 6, 4, 3)
    assert errors.count("is void: the machine failed 3 times: a worker process died") == 4


def test_hanging_match_ends_with_its_worker_or_second_signal(home: Path) -> None:
    """A second run of the tournament is refused during the first."""
    hanging(home)
    process = tourney(home, "--workers", "1")
    assert wait_for((home / "asked").exists)
    code, errors = finish(tourney(home))
    assert (code, "cup is being run by another process already" in errors) == (2, True)

    bots = bots_of(home)
    assert bots
    (home / "asked").unlink()
    for worker in workers_of(process.pid):
        os.kill(worker, signal.SIGKILL)
    assert wait_for(lambda: not {*bots} & {*bots_of(home)})

    assert wait_for((home / "asked").exists)  # the match is replayed
    stop_at_once(process)
    code, errors = finish(process)
    assert code in (128 + signal.SIGTERM, 128 + signal.SIGINT)
    assert "stopped at once on request" in errors
    assert "Traceback" not in errors
    assert done(home) == 0


@pytest.mark.parametrize(("reuse", "processes"), [("false", 4), ("true", 1)])
def test_reuse_keeps_a_process_from_match_to_match(home: Path, reuse: str, processes: int) -> None:
    """Two bots, eight matches, one worker: each bot reports its process."""
    write_file(home, REPORTS_PID, "reports-pid").chmod(0o755)
    cup = CUP.replace("pebble", "./reports-pid").replace("BOT", "./reports-pid").replace("= 16", "= 8")
    write_file(home, f"{cup}reuse = {reuse}\n")
    code, errors = finish(tourney(home, "--workers", "1"))
    assert code == 0, errors
    output: dict[str, set[str]] = {"reports-pid": set(), "second": set()}
    with Database.open(str(home / "tourney.db")) as repository:
        tournament = repository.tournaments.get().id
        for number, record in repository.records.all(tournament):
            assert repository.records.measured(tournament, number).reproducible is (reuse == "false")
            for line in repository.records.log(tournament, number):
                if line.kind == "info":
                    output[record.seats[line.seat - 1].name].add(line.text)
    # The first seat moves first and resigns: each bot has it in half of the matches.
    assert {name: len(pids) for name, pids in output.items()} == {
        "reports-pid": processes,
        "second": processes,
    }


@pytest.mark.parametrize("kind", ["until-best", "until-width-or-order"])
def test_killed_runs_come_to_the_same_end(tmp_path: Path, kind: str) -> None:
    """Runs that end by their results."""
    check_kind(tmp_path, kind, kills=9)
