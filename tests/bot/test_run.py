"""An SDK bot as a process: its output, its errors and its imports."""

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tourney.bots.catalogue.command import environment

GAME = "tourney 1\ngame sages-tafl seats=2 seat=1 seed=3 move=1000\n"
CHOOSE = """
from tourney.bot import run

def choose(state, turn):
    return turn.pick(state.legal_actions())

run(choose)
"""


def play(tmp_path: Path, program: str, lines: str) -> subprocess.CompletedProcess[str]:
    (tmp_path / "bot.py").write_text(textwrap.dedent(program))
    return subprocess.run(
        [sys.executable, "-B", "-s", "bot.py"],
        cwd=tmp_path,
        env=dict(environment()),
        input=lines,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )


def test_bot_of_six_lines_plays(tmp_path: Path) -> None:
    done = play(tmp_path, CHOOSE, GAME + "go move=1000\nquit\n")
    assert done.stderr == ""
    assert done.returncode == 0
    bot, ready, move = done.stdout.splitlines()
    assert (bot, ready) == ("bot", "ready")
    assert move.startswith("move ")
    assert play(tmp_path, CHOOSE, GAME + "go move=1000\nquit\n").stdout == done.stdout


def test_stray_output_never_reaches_the_referee(tmp_path: Path) -> None:
    """Neither print, nor a write to the descriptor, nor a child's output; input is empty."""
    program = """
    import os, subprocess, sys
    from tourney.bot import run

    print("loaded")

    def choose(state, turn):
        print("printed")
        os.write(1, b"written\\n")
        subprocess.run(["echo", "a child's"])
        print("read", repr(sys.stdin.read()), flush=True)
        return state.legal_actions()[0]

    run(choose, name="loud")
    """
    done = play(tmp_path, program, GAME + "go move=1000\nquit\n")
    assert [line.split(" ")[0] for line in done.stdout.splitlines()] == ["bot", "ready", "move"]
    assert {"loaded", "printed", "written", "a child's", "read ''"} <= set(done.stderr.splitlines())


def test_lines_may_come_in_any_pieces(tmp_path: Path) -> None:
    """A carriage return is dropped, and a last line without newline is ignored."""
    whole = play(tmp_path, CHOOSE, GAME + "go move=1000\nquit\n").stdout
    process = subprocess.Popen(
        [sys.executable, "-B", "-s", "bot.py"],
        cwd=tmp_path,
        env=dict(environment()),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        bufsize=0,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    with process:
        for byte in (GAME + "go move=1000\n").replace("\n", "\r\n").encode() + b"go":
            process.stdin.write(bytes([byte]))
        process.stdin.close()
        assert process.stdout.read().decode() == whole
    assert process.returncode == 0


def test_crash_shows_its_traceback_and_ends_the_bot(tmp_path: Path) -> None:
    done = play(tmp_path, CHOOSE.replace("turn.pick", "turn.pock"), GAME + "go move=1000\nquit\n")
    assert done.returncode == 1
    assert "AttributeError: 'Turn' object has no attribute 'pock'" in done.stderr
    assert done.stdout == "bot\nready\n"


def test_unknown_game_is_reported(tmp_path: Path) -> None:
    done = play(tmp_path, CHOOSE, "tourney 1\ngame draughts seats=2 seat=1 seed=1\n")
    assert done.returncode == 1
    assert "there is no game 'draughts'" in done.stderr


def test_bot_ends_quietly_without_a_referee(tmp_path: Path) -> None:
    """The bot's output is closed before it answers: it prints no traceback and leaves no process."""
    (tmp_path / "bot.py").write_text(CHOOSE)
    process = subprocess.Popen(
        [sys.executable, "-B", "-s", "bot.py"],
        cwd=tmp_path,
        env=dict(environment()),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    with process:
        process.stdout.close()
        process.stdin.write("tourney 1\n")
        process.stdin.flush()
        assert process.stderr.read() == ""
        assert process.wait(600) == 0


@pytest.mark.parametrize(
    "heavy", ["importlib.metadata", "dataclasses", "tourney.games", "asyncio", "random", "hashlib", "difflib"]
)
def test_bot_that_sees_legal_actions_imports_little(tmp_path: Path, heavy: str) -> None:
    """Every match pays for start-up, so slow imports wait until they are used."""
    program = f"""
    import sys
    from tourney.bot import run

    def choose(legal, turn):
        print({heavy!r} in sys.modules)
        return turn.pick(legal)

    run(choose, sees="legal")
    """
    done = play(tmp_path, program, "tourney 1\ngame x seats=2 seat=1 seed=1\nlegal a b\ngo\nquit\n")
    assert done.stderr == "False\n"


def test_rules_of_a_game_import_little(tmp_path: Path) -> None:
    program = """
    import sys
    from tourney.bot import run

    def choose(state, turn):
        print(sorted({"hashlib", "difflib", "pathlib", "dataclasses", "msgspec"} & set(sys.modules)))
        return turn.pick(state.legal_actions())

    run(choose)
    """
    done = play(tmp_path, program, "tourney 1\ngame sages-tafl seats=2 seat=1 seed=1\ngo\nquit\n")
    assert done.stderr == "[]\n"
