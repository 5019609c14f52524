"""The terminal seam of a game with persons: a real terminal with completion, or any stream of lines."""

import shutil
import sys
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from typing import BinaryIO, Final, TextIO

MAX_LINE: Final = 4096
"""Bytes of a typed line that are read; the rest is dropped."""
PLAIN_WIDTH: Final = 80
_NEW_PAGE = "\033[H\033[2J\033[3J"


class Terminal(ABC):
    """Asks a person for lines, and writes text. ``color`` says whether text may hold ANSI escapes."""

    color = False

    @property
    def width(self) -> int:
        """Columns of text."""
        return PLAIN_WIDTH

    @abstractmethod
    def write(self, text: str) -> None:
        """Write lines of text, each with its newline."""

    @abstractmethod
    def ask(self, prompt: str, words: Sequence[str]) -> str | None:
        """The next typed line without its newline, or None at the end of the input.

        ``words`` can be completed.
        """

    @abstractmethod
    def hand_over(self, name: str) -> None:
        """Hand the terminal to the seat ``name``, after wiping the screen."""


class StreamTerminal(Terminal):
    """Lines of a stream; each is echoed after its prompt, so that the output reads as a transcript."""

    def __init__(self, source: BinaryIO, out: TextIO) -> None:
        self._source = source
        self._out = out

    def write(self, text: str) -> None:
        """Write and flush: the reader may wait for it."""
        self._out.write(text)
        self._out.flush()

    def ask(self, prompt: str, words: Sequence[str]) -> str | None:  # noqa: ARG002 - a stream completes nothing
        """The next line of the stream."""
        data = self._source.readline(MAX_LINE)
        if not data:
            self.write("\n")
            return None
        # The rest of a line that is too long must not be read as the next line.
        rest = data
        while rest and not rest.endswith(b"\n"):
            rest = self._source.readline(MAX_LINE)
        line = data.decode("utf-8", "replace").rstrip("\r\n")
        self.write(f"{prompt}{''.join(c if c.isprintable() else '?' for c in line)}\n")
        return line

    def hand_over(self, name: str) -> None:
        """Do nothing: there is no screen."""


class ScreenTerminal(Terminal):
    """The terminal of this process, with line editing, history, and completion by Tab."""

    def __init__(self, *, color: bool) -> None:
        self.color = color
        self._words: Sequence[str] = ()
        with suppress(ImportError):
            self._complete_by_tab()

    @property
    def width(self) -> int:
        """Columns of the terminal."""
        return shutil.get_terminal_size((PLAIN_WIDTH, 24)).columns

    def write(self, text: str) -> None:
        """Write and flush."""
        sys.stdout.write(text)
        sys.stdout.flush()

    def ask(self, prompt: str, words: Sequence[str]) -> str | None:
        """Read a line."""
        self._words = words
        try:
            return input(prompt)[:MAX_LINE]
        except EOFError:
            self.write("\n")
            return None
        except UnicodeDecodeError:
            return "?!"  # neither action nor command, so the prompt comes again

    def hand_over(self, name: str) -> None:
        """Wait for the other person, and wipe the screen before and after."""
        self.write(_NEW_PAGE)
        self.ask(f"{name} is next; the other person looks away. Press Enter. ", ())
        self.write(_NEW_PAGE)

    def _complete_by_tab(self) -> None:
        import readline  # noqa: PLC0415 - some builds of Python lack it

        readline.set_completer_delims(" ")
        readline.set_completer(self._completion)
        old = "libedit" in (readline.__doc__ or "")
        readline.parse_and_bind("bind ^I rl_complete" if old else "tab: complete")

    def _completion(self, text: str, state: int) -> str | None:
        found = [word for word in self._words if word.startswith(text)]
        return found[state] + " " if state < len(found) else None
