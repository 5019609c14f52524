"""``tourney rules`` as a program: each line of input gets a flushed answer, whatever its bytes."""

import os
import subprocess
import sys

import pytest

from tests.support.command import ROOT, TOYS, invoke, offering, start
from tests.support.toys import Toe, ToeState
from tourney.games.console import MAX_LINE


def answers(given: str | bytes, game: str = "toe") -> list[str]:
    with offering(**TOYS):
        done = invoke("rules", game, given=given)
    assert done.exit_code == 0, done.stderr
    return done.stdout.splitlines()


def test_each_line_is_answered_in_order() -> None:
    """A dialogue has one answer per line."""
    assert answers("new\nactor\nplay b2\nposition\nlegal\nranks\n") == [
        "ok",
        "1",
        "ok",
        ".../.X./... 2",
        "a1 a2 a3 b1 b3 c1 c2 c3",
        "-",
    ]


def test_each_answer_is_flushed() -> None:
    """A program that waits for an answer before its next line gets it."""
    with start("rules", "sage-stones") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for line, answer in (("new seats=2", "ok"), ("actor", "chance"), ("ranks", "-")):
            process.stdin.write(line + "\n")
            process.stdin.flush()
            assert process.stdout.readline() == answer + "\n"
        process.stdin.close()
        assert process.wait(600) == 0


def test_last_line_without_newline_is_answered() -> None:
    """The end of input also ends a line."""
    assert answers("new\nactor") == ["ok", "1"]


def test_empty_input_gives_no_output() -> None:
    """The exit code is 0."""
    assert answers("") == []


def test_line_that_is_not_utf8_is_an_error() -> None:
    """The next line is answered."""
    assert answers(b"new\nplay \xff\nactor\n") == ["ok", "error the line is not UTF-8: byte 0xff at 6", "1"]


@pytest.mark.parametrize("length", [MAX_LINE + 1, MAX_LINE + 2, 3 * MAX_LINE, 3 * (MAX_LINE + 1)])
def test_overlong_line_is_one_error(length: int) -> None:
    """A line of any length gets one answer, and the next line is read from its start."""
    found = answers(b"new\n" + b"x" * length + b"\nactor\n")
    assert found == ["ok", f"error the line is longer than {MAX_LINE} bytes", "1"]


def test_longest_allowed_line_is_read() -> None:
    """A line of exactly the limit is parsed."""
    (found,) = answers(b"x" * MAX_LINE + b"\n")
    assert found.startswith("error unknown word 'xxx")


class FailingState(ToeState):
    """A state whose rules fail."""

    __slots__ = ()

    def ranks(self) -> tuple[int, ...] | None:
        raise RuntimeError("no\nranks\x1b")


class Failing(Toe):
    """A game whose state fails."""

    name = "failing"

    def initial(self, seats: int, options: object) -> FailingState:
        return FailingState("." * 9, misere=False)


def test_console_continues_after_a_failing_game() -> None:
    """A mistake in a game is one error line, and the exit code at the end."""
    with offering(failing=f"{__name__}:Failing"):
        done = invoke("rules", "failing", given="new\nranks\nactor\n")
    assert done.stdout.splitlines() == [
        "ok",
        "error the game failing failed: RuntimeError: no\\nranks\\x1b",
        "1",
    ]
    assert done.exit_code == 3


def test_broken_plugin_is_named() -> None:
    """A plugin that cannot be imported is one sentence and exit code 2."""
    with offering(gone="tests.nowhere:Gone"):
        done = invoke("rules", "gone")
    assert done.exit_code == 2
    assert done.stderr.startswith("error: the plugin of game gone (tests.nowhere:Gone) is broken: ")
    assert done.stderr.count("\n") == 1


def on_terminal(*words: str, typed: bytes = b"") -> "subprocess.CompletedProcess[str]":
    """Run ``tourney rules`` with a terminal as its standard input."""
    ours, theirs = os.openpty()
    try:
        os.write(ours, typed)
        command = [sys.executable, "-m", "tourney", "rules", *words]
        return subprocess.run(command, stdin=theirs, capture_output=True, text=True, cwd=ROOT, check=False)
    finally:
        os.close(ours)
        os.close(theirs)


def test_terminal_gets_the_rules() -> None:
    done = on_terminal("sage-stones")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (ROOT / "docs" / "rules" / "sage-stones.md").read_text()


def test_console_answers_on_a_terminal() -> None:
    done = on_terminal("sage-stones", "--console", typed=b"new\nactor\n\x04")
    assert (done.returncode, done.stdout) == (0, "ok\nchance\n")
    assert "start with new, end with Ctrl-D" in done.stderr


def test_console_is_the_same_without_a_terminal() -> None:
    given = "new\nactor\n"
    assert invoke("rules", "sage-stones", "--console", given=given).stdout == "ok\nchance\n"
    assert invoke("rules", "sage-stones", given=given).stdout == "ok\nchance\n"
