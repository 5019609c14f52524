"""``tourney status``: progress, matches in progress, and slow imports."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.command import PROGRAM, invoke, popen, run
from tests.support.tournaments import WAITING_BOT, WAITING_CUP, waiting_cup, write_file
from tourney.run.listeners import StatusFile, status_path
from tourney.run.summary import RunProgress, RunStatus
from tourney.store.database import Database


def test_status_shows_progress(db: str) -> None:
    [line] = json.loads(invoke("status", "--db", db, "--format", "json").stdout)["tournaments"]
    root = line.pop("root")
    assert re.fullmatch("[0-9a-f]{64}", root)
    assert f"cup root                {root}\n" in invoke("status", "--db", db).stdout
    assert line.pop("overload")["turns"] > 12
    guessable = "chosen by a person and below 2^64: any bot can find it and compute the dice"
    assert line.pop("seed") == guessable
    assert len(line.pop("commitment")) == 64
    assert f"cup seed                {guessable}\n" in invoke("status", "--db", db).stdout
    assert line == {
        "tournament": "cup",
        "game": "sage-stones",
        "format": "round-robin",
        "state": "finished",
        "process": None,
        "done": 12,
        "rows": 12,
        "matches": 12,
        "rounds": 3,
        "planned_rounds": 3,
        "until": None,
        "void": 0,
        "workers": None,
        "rate": None,
        "left": None,
        "faults": [],
        "benched": [],
        "broken": [],
        "void_matches": [],
        "playing": [],
        "paused": None,
        "paused_since": None,
        "last_match": None,
        "archive": None,
        "set_aside": [],
        "withdrawn": None,
    }
    assert "cup" in invoke("status", "cup", "--db", db).stdout
    assert invoke("status", "cap", "--db", db).exit_code == 2


@pytest.mark.parametrize(
    "words", [("status",), ("standings",), ("export",), ("db", "check"), ("db", "upgrade")]
)
def test_missing_or_foreign_database_is_one_sentence(tmp_path: Path, words: tuple[str, ...]) -> None:
    path = tmp_path / "notes.txt"
    missing = invoke(*words, "--db", str(path))
    assert missing.exit_code == 3
    assert missing.stderr == f"error: there is no database {path}; `tourney run FILE.toml` makes one\n"
    path.write_text("hello\n" * 100)
    foreign = invoke(*words, "--db", str(path))
    assert foreign.exit_code == 3
    assert foreign.stderr == f"error: the file {path} is not an SQLite database; name another one\n"
    assert path.read_text() == "hello\n" * 100


def test_status_imports_neither_pandas_nor_charts() -> None:
    """The program starts without slow imports."""
    script = "import sys, tourney.cli.status, tourney.cli.run; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert {"pandas", "jinja2", "alembic"} & set(done.stdout.split()) == set()


def test_status_tells_of_a_pause_and_the_last_match(db: str) -> None:
    with Database.open(db) as database:
        tournament = database.tournaments.get("cup")
        file = StatusFile(status_path(database.place, tournament.id))
        with database.run_lock(tournament, time.time()):
            progress = RunProgress(rows=9, done=3, played=3, faults=0, void=0, seconds=1.0)
            full = RunStatus(
                paused="the disk is full", last_match=1_700_000_000.0, paused_since=1_700_000_060.0
            )
            file.heartbeat(progress, full)
            [line] = json.loads(invoke("status", "cup", "--db", db, "--format", "json").stdout)["tournaments"]
            text = invoke("status", "cup", "--db", db).stdout
        file.close()
    times = (line["last_match"], line["paused_since"])
    assert times == ("2023-11-14T22:13:20+00:00", "2023-11-14T22:14:20+00:00")
    assert "cup paused since        2023-11-14T22:14:20+00:00" in text


@pytest.mark.slow
def test_status_shows_matches_in_progress(tmp_path: Path) -> None:
    home = waiting_cup(tmp_path, wait="sleep 1000;")
    write_file(home, WAITING_CUP.replace('"./dead"', '"./first2"'))
    write_file(home, WAITING_BOT, "first2").chmod(0o755)
    process = popen([*PROGRAM, "run", "cup.toml", "--workers", "1", "-q"], cwd=home)
    try:
        end = time.monotonic() + 300
        playing: list[dict[str, object]] = []
        while not playing and time.monotonic() < end:
            done = run("status", "--format", "json", cwd=home)
            lines = json.loads(done.stdout)["tournaments"] if done.returncode == 0 else []
            playing = lines[0]["playing"] if lines else []  # the database may not hold the tournament yet
        [match] = playing
        assert (match["match"], match["entrants"]) == (1, ["first", "first2"])
        assert lines[0]["workers"] == 1
        assert "cup playing" in run("status", cwd=home).stdout
    finally:
        os.kill(process.pid, signal.SIGTERM)
        os.kill(process.pid, signal.SIGINT)
        process.wait(300)
    [line] = json.loads(run("status", "--format", "json", cwd=home).stdout)["tournaments"]
    assert (line["state"], line["playing"], line["workers"]) == ("stopped", [], None)
