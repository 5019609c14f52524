"""``tourney rules`` as a program: lines in, lines out, flushed, whatever the bytes."""

import pytest

from tests.command import TOYS, invoke, offering, start
from tests.toys import Toe, ToeState
from tourney.games.console import MAX_LINE


def answers(given: str | bytes, game: str = "toe") -> list[str]:
    with offering(**TOYS):
        done = invoke("rules", game, given=given)
    assert done.exit_code == 0, done.stderr
    return done.stdout.splitlines()


def test_a_dialogue() -> None:
    """Each line gets its answer, in order."""
    assert answers("new\nactor\nplay b2\nposition\nlegal\nranks\n") == [
        "ok",
        "1",
        "ok",
        ".../.X./... 2",
        "a1 a2 a3 b1 b3 c1 c2 c3",
        "-",
    ]


def test_each_answer_is_flushed() -> None:
    """A program that waits for an answer before it goes on gets it."""
    with start("rules", "sage-stones") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for line, answer in (("new seats=2", "ok"), ("actor", "chance"), ("ranks", "-")):
            process.stdin.write(line + "\n")
            process.stdin.flush()
            assert process.stdout.readline() == answer + "\n"
        process.stdin.close()
        assert process.wait(60) == 0


def test_a_last_line_without_its_newline_is_answered() -> None:
    """The end of input ends a line, too."""
    assert answers("new\nactor") == ["ok", "1"]


def test_no_input_is_no_output() -> None:
    """Nothing asked, nothing answered."""
    assert answers("") == []


def test_bytes_that_are_no_text_are_refused() -> None:
    """A line that is not UTF-8 is an error, and the next line is answered."""
    assert answers(b"new\nplay \xff\nactor\n") == ["ok", "error the line is not UTF-8: byte 0xff at 6", "1"]


@pytest.mark.parametrize("length", [MAX_LINE + 1, MAX_LINE + 2, 3 * MAX_LINE, 3 * (MAX_LINE + 1)])
def test_an_overlong_line_is_one_error(length: int) -> None:
    """However long a line, it gets one answer, and the next line is read from its start."""
    found = answers(b"new\n" + b"x" * length + b"\nactor\n")
    assert found == ["ok", f"error the line is longer than {MAX_LINE} bytes", "1"]


def test_the_longest_line_is_read() -> None:
    """A line of exactly the limit is looked at."""
    (found,) = answers(b"x" * MAX_LINE + b"\n")
    assert found.startswith("error unknown word 'xxx")


class FailingState(ToeState):
    """A state whose rules fail."""

    __slots__ = ()

    def ranks(self) -> tuple[int, ...] | None:
        raise RuntimeError("no\nranks\x1b")


class Failing(Toe):
    """A game with a mistake in it."""

    name = "failing"

    def initial(self, seats: int, options: object) -> FailingState:
        return FailingState("." * 9, misere=False)


def test_a_game_that_fails_is_said_and_the_console_goes_on() -> None:
    """A mistake in a game is one error line; the exit code tells of it at the end."""
    with offering(failing=f"{__name__}:Failing"):
        done = invoke("rules", "failing", given="new\nranks\nactor\n")
    assert done.stdout.splitlines() == [
        "ok",
        "error the game failing failed: RuntimeError: no\\nranks\\x1b",
        "1",
    ]
    assert done.exit_code == 3


def test_a_broken_plugin_is_named() -> None:
    """A plugin that cannot be imported is one sentence and exit code 2."""
    with offering(gone="tests.nowhere:Gone"):
        done = invoke("rules", "gone")
    assert done.exit_code == 2
    assert done.stderr.startswith("error: the plugin of game gone (tests.nowhere:Gone) is broken: ")
    assert done.stderr.count("\n") == 1
