"""Matches by an outside referee: its words, its results, and what goes wrong with it."""

import json
import os
import shlex
import subprocess
import sys
import time
from pathlib import Path

import pytest
from msgspec import structs

from tests.support.tournaments import entrant, refused
from tourney.bots.catalogue.command import BotCommand
from tourney.check.record import rerun, verify
from tourney.errors import CheckError, EnvironmentFailure, OptionError
from tourney.games.external import External, command_option, option_command
from tourney.games.registry import GAMES, find_game
from tourney.match.outside_referee import bot_line, play_external, read_outcome, referee_words
from tourney.match.result import PlayedMatch
from tourney.match.spec import MatchSpec

GAME = find_game("external")


def spec(words: list[str], seconds: int = 60, seats: int = 2) -> MatchSpec:
    options = GAME.settings(seats, {"referee": command_option(words), "timeout-s": str(seconds)})[1]
    return MatchSpec("external", tuple(options.items()), tuple(map(entrant, "abcd"[:seats])), seed=77)


def play(folder: Path, program: str, seconds: int = 60) -> PlayedMatch:
    """Play a match by a referee in Python; both bots print their folder's name."""
    file = folder / "referee.py"
    file.write_text(program, encoding="utf-8")
    commands = []
    for name in ("one bot", "other"):
        (folder / name).mkdir(exist_ok=True)
        argv = (
            sys.executable,
            "-c",
            "import os; print(os.path.basename(os.getcwd()), dict(os.environ)['X'])",
        )
        commands.append(BotCommand(argv, folder / name, {"X": "a b"}))
    return play_external(spec([sys.executable, str(file)], seconds), GAME, commands)


RUN = (
    "import json, os, subprocess, sys\n"
    "said = [subprocess.run(a, shell=True, capture_output=True, text=True).stdout for a in sys.argv[1:]]\n"
)


def test_referee_starts_bots_and_gives_ranks(tmp_path: Path) -> None:
    program = (
        f"{RUN}print(said, os.environ['TOURNEY_SEED'], os.environ['TOURNEY_SEATS'], file=sys.stderr)\n"
        "print('a line before')\nprint(json.dumps({'ranks': [3, 1.5], 'errors': [1, 0], 'more': 'x'}))\n"
    )
    match = play(tmp_path, program)
    assert match.outcome.ranks == (2, 1)
    assert match.outcome.reason == "referee"
    assert match.outcome.faults == ()
    assert match.record.actions == ()
    assert [(line.seat, line.text) for line in match.log] == [
        (0, "referee: ['one bot a b\\n', 'other a b\\n'] 77 2"),
        (1, "the referee reports an error of this bot"),
    ]
    assert (match.reproducible, match.measured.why_not) == (False, ("external",))
    assert verify(match.record) == []
    assert verify(structs.replace(match.record, seed="78")) != []


def test_records_never_start_a_command(tmp_path: Path) -> None:
    record = play(tmp_path, "print('{\"ranks\": [0, 0]}')\n").record
    with refused(CheckError, "does not start the commands of records"):
        rerun(record, lambda _: pytest.fail("played"))


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("raise SystemExit('no board')", ("exit code 1", "no board")),
        ("print('hello')", ("printed no result", "'hello'")),
        ("print('{\"ranks\": [1]}')", ("a number for each of 2 players",)),
        ("print('{\"ranks\": [1, null]}')", ("printed no result",)),
        ("print('{\"ranks\": [1, 1e400]}')", ("printed no result",)),
        ('print(\'{"ranks": [1, 2], "errors": [0]}\')', ("errors that are not a list of 2 numbers",)),
        ("import os; os.close(1)", ("printed no result",)),
        ("print('[' * 100000)", ("printed no result",)),
    ],
)
def test_referee_without_a_result_is_the_machines_failure(
    tmp_path: Path, program: str, words: tuple[str, ...]
) -> None:
    with refused(EnvironmentFailure, *words):
        play(tmp_path, program)


def test_slow_referee_is_killed_with_its_children(tmp_path: Path) -> None:
    program = (
        "import subprocess, sys\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        f"open({str(tmp_path / 'pid')!r}, 'w').write(str(child.pid))\nchild.wait()\n"
    )
    with refused(EnvironmentFailure, "killed after 2 seconds"):
        play(tmp_path, program, seconds=2)
    pid = int((tmp_path / "pid").read_text())
    deadline = time.monotonic() + 30
    while _runs(pid) and time.monotonic() < deadline:
        os.sched_yield()
    assert not _runs(pid)


def test_referee_that_ended_in_time_counts_at_a_late_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """This process was held up after its last look: when it reads its clock the time is over."""
    wait = subprocess.Popen.wait

    def held_up(process: subprocess.Popen[bytes], timeout: float | None = None) -> int:
        if timeout is None:
            return wait(process)
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        raise subprocess.TimeoutExpired(process.args, timeout)

    monkeypatch.setattr(subprocess.Popen, "wait", held_up)
    assert play(tmp_path, "print('{\"ranks\": [2, 1]}')\n").outcome.ranks == (2, 1)


def _runs(pid: int) -> bool:
    """Return whether a process runs: one that ended and waits for its parent does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_missing_referee_is_named(tmp_path: Path) -> None:
    with refused(EnvironmentFailure, "/no/such/referee cannot be run"):
        play_external(spec(["/no/such/referee"]), GAME, [])


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["r"], ["r", "one", "two"]),
        (["r", "-d", "seed=%SEED%"], ["r", "-d", "seed=9", "one", "two"]),
        (["r", "-p1", "%P1%", "-p2", "%P2%"], ["r", "-p1", "one", "-p2", "two"]),
        (["r", "%PLAYERS%", "-x"], ["r", "one", "two", "-x"]),
        (["r", "%P3%", "x%P2%"], ["r", "%P3%", "xtwo"]),
    ],
)
def test_places_in_words_are_filled(words: list[str], found: list[str]) -> None:
    assert referee_words(words, ["one", "two"], 9) == found


def test_bots_line_works_in_any_folder(tmp_path: Path) -> None:
    folder = tmp_path / "it's a bot"
    folder.mkdir()
    line = bot_line(BotCommand(("/bin/sh", "-c", 'pwd; echo "$X"; env | wc -l'), folder, {"X": "$Y; z"}))
    done = subprocess.run(line, shell=True, capture_output=True, text=True, cwd="/", check=True)  # noqa: S602 - as referees do
    assert done.stdout.splitlines()[:2] == [str(folder), "$Y; z"]


def test_equal_numbers_share_a_rank() -> None:
    assert read_outcome(b'{"ranks": [-1, 5, 5, 7]}', 4, "r")[0].ranks == (1, 2, 2, 4)
    errors = b'x\n{"ranks": [0, 0, 0], "errors": [false, true, 2]}\n'
    assert read_outcome(errors, 3, "r")[1] == [2, 3]


def test_command_survives_as_an_option() -> None:
    words = ["java", "-jar", "my referee.jar", "%P1%", "a'b", "\u00e9"]
    value = command_option(words)
    assert option_command(value) == words
    assert value.isascii()
    assert not value.split()[1:]
    assert shlex.join(words) != value


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, ("needs a referee",)),
        ({"referee": "%27"}, ("holds no command",)),
        ({"referee": "%ff"}, ("holds no command",)),
        ({"referee": "r" * 201}, ("201 characters",)),
        ({"referee": "r", "timeout-s": "0"}, ("timeout-s is '0'",)),
        ({"referee": "r", "timeout-s": "x"}, ("from 1 to 86,400",)),
        ({"referee": "r", "size": "3"}, ("no option size",)),
    ],
)
def test_wrong_options_are_refused(options: dict[str, str], words: tuple[str, ...]) -> None:
    with refused(OptionError, *words):
        External().settings(2, options)


def test_game_is_found_and_not_listed() -> None:
    assert GAMES.knows("external")
    assert "external" not in GAMES.names()
    assert json.dumps(GAME.new(3, {"referee": "r"}).ranks()) == "[1, 1, 1]"
