"""``tourney run`` unattended: report, log, summary, notification, and status."""

import json
import os
import signal
import sys
import time
from pathlib import Path

from tests.command import PROGRAM, invoke, popen, run
from tests.tournaments import write_file

CUP = """
name = "cup"
game = "sage-stones"
seed = 7
bots = ["./first", "./dead"]
games-per-pairing = 40
[limits]
move-ms = 600000
startup-ms = 600000
[run]
sandbox = "off"
"""
FIRST = """#!/bin/sh
while read -r word rest; do
    case $word in
        tourney) echo "bot wants=legal";;
        game) echo ready;;
        legal) action=${rest%% *};;
        go) WAIT echo "move $action";;
        quit) exit 0;;
    esac
done
"""


def folder_of(tmp_path: Path, wait: str = "") -> Path:
    write_file(tmp_path, CUP)
    for name, text in (("first", FIRST.replace("WAIT", wait)), ("dead", "#!/bin/sh\nexit 1\n")):
        write_file(tmp_path, text, name).chmod(0o755)
    return tmp_path


def test_unattended_run_ends_with_summary_log_report_and_notification(tmp_path: Path) -> None:
    home = folder_of(tmp_path)
    program = (
        "import os, sys; open('notified', 'w').write(os.environ['TOURNEY_END'] + ' ' + sys.stdin.read())"
    )
    done = run("run", "cup.toml", "--report", "0", "--notify", f'{sys.executable} -c "{program}"', cwd=home)
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    assert "dead is benched: it failed at start-up 3 times (matches " in done.stderr
    page = done.stderr[done.stderr.index("cup: sage-stones, round-robin, 2 seats") :]
    assert "  matches    40 of 40, 25 void\n" in page
    assert "  faults     dead: 15 startup\n" in page
    assert "  benched    dead: 25 of its matches are void\n" in page
    assert "\ncup: all played (40 of 40 matches, " in page
    assert (home / "reports" / "cup" / "index.html").is_file()
    assert (home / "notified").read_text().startswith("finished cup: sage-stones")
    log = [json.loads(line) for line in (home / "tourney.db-cup.log").read_text().splitlines()]
    events = [line["event"] for line in log]
    assert events.count("match") == 40
    assert events[-2:] == ["end", "notify"]
    assert [line["entrant"] for line in log if line["event"] == "bench"] == ["dead"]
    assert (log[-2]["end"], log[-2]["code"]) == ("finished", 0)
    [line] = json.loads(invoke("status", "--db", str(home / "tourney.db"), "--format", "json").stdout)[
        "tournaments"
    ]
    assert line["benched"] == [{"entrant": "dead", "void": 25}]
    assert "cup benched" in invoke("status", "--db", str(home / "tourney.db")).stdout


def test_unwritable_log_is_refused_before_play(tmp_path: Path) -> None:
    home = folder_of(tmp_path)
    done = run("run", "cup.toml", "--log", "nowhere/log", cwd=home)
    assert done.returncode == 2
    why = "the log nowhere/log cannot be written: No such file or directory; name another file by --log"
    assert done.stderr == f"error: {why}\n"
    assert not (home / "tourney.db").exists()


def test_unbench_is_refused_before_the_tournament_starts(tmp_path: Path) -> None:
    """Neither without a database, which is not created, nor in one with another tournament."""
    home = folder_of(tmp_path)
    done = run("run", "cup.toml", "--unbench", "first", cwd=home)
    assert done.returncode == 2
    assert done.stderr == "error: --unbench first: cup has not started, so it has no benched entrant\n"
    assert not (home / "tourney.db").exists()
    write_file(home, CUP.replace('"cup"', '"other"'), "other.toml")
    run("run", "other.toml", "--max-faults", "2", cwd=home)
    assert run("run", "cup.toml", "--unbench", "first", cwd=home).returncode == 2
    assert "cup" not in run("status", cwd=home).stdout


def test_notify_runs_after_fault_limit_and_failed_start(tmp_path: Path) -> None:
    home = folder_of(tmp_path)
    notify = (
        "--notify",
        f"{sys.executable} -c \"import os; open('notified', 'a').write(os.environ['TOURNEY_CODE'])\"",
    )
    done = run("run", "cup.toml", "--max-faults", "2", *notify, cwd=home)
    assert done.returncode == 1, done.stderr
    assert "too many faults by match 8: stopping" in done.stderr
    assert "stopped: too many faults (--max-faults) (15 of 40 matches" in done.stderr
    done = run("run", "cup.toml", "--unbench", "unknown", *notify, cwd=home)
    assert done.returncode == 2
    assert (home / "notified").read_text() == "12"


def test_status_shows_matches_in_progress(tmp_path: Path) -> None:
    home = folder_of(tmp_path, wait="sleep 1000;")
    write_file(home, CUP.replace('"./dead"', '"./first2"'))
    write_file(home, FIRST, "first2").chmod(0o755)
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
        assert "cup playing" in run("status", cwd=home).stdout
    finally:
        os.kill(process.pid, signal.SIGTERM)
        os.kill(process.pid, signal.SIGINT)
        process.wait(300)
    [line] = json.loads(run("status", "--format", "json", cwd=home).stdout)["tournaments"]
    assert (line["state"], line["playing"]) == ("stopped", [])
