"""``tourney play``: a person against bots by typed lines, in this process and in a child process."""

import json
import os
import pty
import select
import subprocess
import time
from pathlib import Path

import pytest

from tests.support.command import PROGRAM, TOYS, invoke, offering, run
from tests.support.folders import write_shell_bot
from tests.support.memory import set_memory
from tests.support.processes import leftovers
from tourney.cli.play import bots_by_seat
from tourney.errors import UsageError

GAMES = {
    "cyvasse": ["king-b5", *["1"] * 8, "put-a1"],
    "element": ["draw-4", "1", "1"],
    "sage-stones": ["3a", "1"],
    "sages-tafl": ["d2-d4", "1"],
    "seven-sages": ["1", "1"],
}


@pytest.mark.parametrize("game", sorted(GAMES))
def test_every_game_can_be_played_and_resigned(game: str) -> None:
    """The opponent is `random` as a process; boards, lists, undo and result go to standard output."""
    typed = [*GAMES[game], "undo", "moves", "position", "history", "resign", ""]
    done = invoke("play", game, "--seed", "3", "--sandbox", "off", given="\n".join(typed))
    assert (done.exit_code, done.stderr) == (0, "")
    head, *rest = done.stdout.splitlines()
    assert head.endswith(", seed 3")
    assert rest[0].endswith(": you")
    assert rest[1].endswith(", random")
    assert "taken back" in rest
    assert any(line.endswith("(resigned)") for line in rest)
    assert "\x1b" not in done.stdout


@pytest.mark.slow
def test_finished_game_is_saved_as_a_valid_record(tmp_path: Path) -> None:
    """The bots are contained; the same lines and seed give the same record."""
    file = tmp_path / "game.json"
    typed = "".join("1\n" for _ in range(200))
    words = ["play", "sage-stones", "--seats", "3", "--option", "stones=3"]
    words += ["--seed", "5", "2=greedy", "3=random"]
    done = run(*words, "--save", str(file), given=typed, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, f"the record is in {file}\n")
    assert "over after " in done.stdout
    record = json.loads(file.read_text(encoding="utf-8"))
    assert [seat["bot"] for seat in record["seats"]] == ["person", "greedy", "random"]
    assert run("verify", str(file)).stdout == "1 record holds\n"
    assert "person@1" in run("show", str(file)).stdout
    again = run(*words, "--save", str(tmp_path / "again.json"), given=typed, cwd=tmp_path)
    assert again.stdout == done.stdout
    assert (tmp_path / "again.json").read_bytes() == file.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["again.json", "game.json"]


def test_abandoned_game_writes_no_record(tmp_path: Path) -> None:
    words = ("play", "sages-tafl", "--save", str(tmp_path / "x"))
    done = invoke(*words, given="d2-d4\n", env={"TMPDIR": str(tmp_path)})
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout.endswith("you left the game; it has no result\n")
    assert list(tmp_path.iterdir()) == []


def test_closed_input_ends_the_game() -> None:
    words = " ".join(PROGRAM)
    done = subprocess.run(
        ["sh", "-c", f"{words} play sages-tafl <&-"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("you left the game; it has no result\n")


def test_failing_bot_by_path_is_reported(tmp_path: Path) -> None:
    """The bot has arguments; its standard error is shown with the fault, and no process remains."""
    cases = 'tourney) echo bot;; game) echo ready;; go) echo "lost: $args" >&2; exit 3;;'
    bot = write_shell_bot(tmp_path, "mine", cases)
    script = bot / "bot.sh"
    script.write_text(f"args=$1; {script.read_text()}")
    done = invoke("play", "sages-tafl", f"2='{bot}' deep", "--sandbox", "off", given="d2-d4\n")
    assert done.exit_code == 0
    assert (
        "  rank 2  2 Red, mine (fault: crash)\n2 Red, mine: crash: exited with code 3\n    lost: deep\n"
        in done.stdout
    )
    assert leftovers(bot) == []


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["draughts"], "there is no game 'draughts'"),
        (["sages-tafl", "2"], "'2' is not of the form SEAT=BOT, such as 2=random"),
        (["sages-tafl", "x=random"], "'x=random' is not of the form SEAT=BOT"),
        (["sages-tafl", "3=random"], "there is no seat 3: the game has 2 seats"),
        (["sages-tafl", "1=random", "1=greedy"], "seat 1 is named twice"),
        (["sages-tafl", "1=random", "2=greedy"], "every seat has a bot"),
        (["sages-tafl", "2=unknown"], "there is no bot 'unknown'"),
        (["sages-tafl", "2=mason"], "mason@1.1 does not play sages-tafl"),
        (["sages-tafl", "2='mybot"], "is not a bot with arguments: No closing quotation"),
        (["sages-tafl", "--seats", "3"], "sages-tafl is played with 2 seats"),
        (["sages-tafl", "--option", "x=y"], "sages-tafl has no option x"),
        (["cyvasse", "--opening-plies", "2"], "opening-plies cannot be drawn for cyvasse"),
        (["sages-tafl", "--save", __file__], "test_play.py is there already; name another file"),
        (["sages-tafl", "--seed", "-1"], "Invalid value for '--seed'"),
    ],
)
def test_bad_input_is_one_sentence(words: list[str], says: str) -> None:
    done = invoke("play", *words)
    assert done.exit_code == 2
    assert says in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


def test_unwritable_record_is_refused_before_the_game(tmp_path: Path) -> None:
    done = invoke("play", "sages-tafl", "--save", str(tmp_path / "no" / "game.json"))
    assert done.exit_code == 3
    assert "cannot be written: there is no folder" in done.stderr
    assert done.stdout == ""


def test_person_has_seat_1_unless_a_seat_is_named() -> None:
    """A table can have persons only."""
    assert bots_by_seat((), 3) == {2: "random", 3: "random"}
    assert bots_by_seat(("1=greedy",), 3) == {1: "greedy"}
    assert bots_by_seat(("2=person",), 2) == {}
    assert bots_by_seat(("2=x --depth=3",), 2) == {2: "x --depth=3"}
    with pytest.raises(UsageError):
        bots_by_seat(("1=greedy", "2=random", "3=random"), 3)


def test_plugin_game_is_played_by_two_persons() -> None:
    """The game has only a plain-text diagram."""
    with offering(**TOYS):
        done = invoke("play", "race", "2=person", "--seed", "4", given="take\n" * 12)
    assert done.exit_code == 0
    assert "1 Red> take\n" in done.stdout
    assert "2 Blue> take\n" in done.stdout
    assert "over after " in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("no_color", [False, True])
def test_terminal_has_colors_unless_no_color_is_set(no_color: bool) -> None:
    """The result is the same with and without NO_COLOR."""
    terminal, inner = pty.openpty()
    env = {k: v for k, v in os.environ.items() if k != "NO_COLOR"} | {"TERM": "xterm", "INPUTRC": "/dev/null"}
    if no_color:
        env["NO_COLOR"] = "1"
    words = [*PROGRAM, "play", "sages-tafl", "--seed", "1"]
    with subprocess.Popen(words, stdin=inner, stdout=inner, stderr=inner, env=env) as process:
        os.close(inner)
        os.write(terminal, b"resign\n\n")
        seen, deadline = b"", time.monotonic() + 60
        while b"the game is over" not in seen and b"over, Enter to leave> \r\n" not in seen:
            if not select.select([terminal], [], [], max(0, deadline - time.monotonic()))[0]:
                break
            try:
                seen += os.read(terminal, 65536)
            except OSError:  # the other end is closed
                break
        process.kill()
    os.close(terminal)
    assert b"rank 2  1 Black (resigned)" in seen
    assert (b"\x1b[1;38;5;" in seen) != no_color


def test_bots_that_may_use_more_memory_than_there_is_do_not_play(monkeypatch: pytest.MonkeyPatch) -> None:
    """Persons need none."""
    set_memory(monkeypatch, 1000)
    done = invoke("play", "sage-stones", "--seats", "3")
    assert done.exit_code == 3
    assert "a match of 2 bots with memory-mb = 1024 does not fit into memory" in done.stderr
    done = invoke("play", "sage-stones", "--seats", "3", "--memory-mb", "128", given="resign\n")
    assert done.exit_code == 0
    assert invoke("play", "sage-stones", "2=person", given="resign\n").exit_code == 0
