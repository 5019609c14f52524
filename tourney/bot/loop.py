"""Run a bot over standard input and output, which are then the protocol's and nobody else's."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tourney.bot.session import Session
from tourney.bot.turn import Turn

if TYPE_CHECKING:
    from tourney.bot.match import Match

Choose = Callable[[Any, Turn], object]
"""A bot's function: what it sees, and the turn, to an action, an action's string or RESIGN."""


def run(
    choose: Choose,
    *,
    sees: str = "state",
    hidden: bool = False,
    start: Callable[[Match], None] | None = None,
    end: Callable[[Match, tuple[int, ...], str], None] | None = None,
    **about: str,
) -> None:
    """Play by ``choose`` until the referee says ``quit`` or is gone. See ``Session`` for the arguments.

    From here on what the program prints goes to standard error, and its standard input is empty, so nothing
    but the protocol reaches the referee.
    """
    lines, answers = _take_streams()
    session = Session(choose, _writer(answers), sees=sees, hidden=hidden, start=start, end=end, about=about)
    rest = b""
    while chunk := os.read(lines, 65_536):
        *whole, rest = (rest + chunk).split(b"\n")
        for line in whole:
            if not session.receive(line.decode("utf-8").removesuffix("\r")):
                return


def _take_streams() -> tuple[int, int]:
    """Keep the referee's pipes to ourselves: print gets standard error, input nothing, in C code too.

    What was printed before, while modules were loaded, mostly waits in a buffer still; it goes there as well.
    """
    lines, answers = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout.flush()
    sys.stdout = sys.stderr
    return lines, answers


def _writer(answers: int) -> Callable[[bytes], None]:
    def write(data: bytes) -> None:
        view = memoryview(data)
        try:
            while view:
                view = view[os.write(answers, view) :]
        except BrokenPipeError:
            # The referee is gone; there is nobody left to play for.
            os._exit(0)

    return write
