"""Input lines come from a stream, or from a terminal with completion."""

import io
import os
import pty
import select
import subprocess
import sys
import time

from tests.support.command import ROOT
from tourney.play.terminal import MAX_LINE, ScreenTerminal, StreamTerminal


def lines(data: bytes) -> tuple[StreamTerminal, io.StringIO]:
    out = io.StringIO()
    return StreamTerminal(io.BytesIO(data), out), out


def test_stream_lines_are_shown_after_their_prompts() -> None:
    """A transcript is readable; the end of the input ends the last prompt's line."""
    terminal, out = lines(b"d2-d4\r\n\nlast")
    assert [terminal.ask("> ", ()) for _ in range(4)] == ["d2-d4", "", "last", None]
    assert out.getvalue() == "> d2-d4\n> \n> last\n\n"


def test_stream_may_hold_any_bytes() -> None:
    """An endless line is bounded; invalid UTF-8 and control characters do no harm."""
    terminal, out = lines(b"a" * (3 * MAX_LINE) + b"\nb\xff\x1b[2J\0\nc\n")
    assert terminal.ask("> ", ()) == "a" * MAX_LINE
    assert terminal.ask("> ", ()) == "b\N{REPLACEMENT CHARACTER}\x1b[2J\0"
    assert terminal.ask("> ", ()) == "c"
    assert out.getvalue().count("\n") == 3
    assert "\x1b" not in out.getvalue()
    assert not terminal.color
    terminal.hand_over("2 Black")
    assert "Black" not in out.getvalue()


def test_completion_offers_words_with_the_prefix() -> None:
    screen = ScreenTerminal(color=False)
    screen._words = ("d2-d3", "d2-d4", "undo")
    assert [screen._completion("d", k) for k in range(3)] == ["d2-d3 ", "d2-d4 ", None]
    assert screen._completion("x", 0) is None


def test_terminal_completes_with_tab_and_reads_end_of_input() -> None:
    """On a pseudo-terminal: Tab in two lines, a change of persons, Ctrl-D."""
    script = (
        "from tourney.play.terminal import ScreenTerminal; s = ScreenTerminal(color=True)\n"
        "for _ in range(2): print(repr(s.ask('> ', ('d2-d3', 'e2-e4', 'undo'))))\n"
        "s.hand_over('2 Black'); print(repr(s.ask('> ', ())), s.width > 0)\n"
    )
    terminal, inner = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, "-c", script],
        stdin=inner,
        stdout=inner,
        stderr=inner,
        cwd=ROOT,
        env={**os.environ, "TERM": "xterm", "INPUTRC": "/dev/null", "LC_ALL": "C.UTF-8"},
    )
    os.close(inner)
    seen = b""

    def until(text: bytes) -> None:
        nonlocal seen
        deadline = time.monotonic() + 60
        while text not in seen:
            assert select.select([terminal], [], [], deadline - time.monotonic())[0], seen
            seen += os.read(terminal, 4096)

    try:
        until(b"> ")
        os.write(terminal, b"d\t\n")
        until(b"'d2-d3 '\r\n")
        os.write(terminal, b"u\t2\n")
        until(b"'undo 2'\r\n")
        until(b"2 Black is next; the other person looks away. Press Enter. ")
        os.write(terminal, b"\n")
        until(b"\x1b[3J> ")
        os.write(terminal, b"\x04")
        until(b"None True\r\n")
    finally:
        os.close(terminal)
        child.kill()
        child.wait()
