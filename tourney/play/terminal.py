"""A person's input: lines parsed as actions and commands, from a terminal or any stream."""

import shutil
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from os.path import commonprefix
from types import MappingProxyType
from typing import BinaryIO, Final, NamedTuple, TextIO

from tourney.protocol import shown
from tourney.texts import legible

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
        self._out.write(text)
        self._out.flush()

    def ask(self, prompt: str, words: Sequence[str]) -> str | None:  # noqa: ARG002 - a stream completes nothing
        data = self._source.readline(MAX_LINE)
        if not data:
            self.write("\n")
            return None
        # The rest of a line that is too long must not be read as the next line.
        rest = data
        while rest and not rest.endswith(b"\n"):
            rest = self._source.readline(MAX_LINE)
        line = data.decode("utf-8", "replace").rstrip("\r\n")
        self.write(f"{prompt}{legible(line, '?')}\n")
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
        return shutil.get_terminal_size((PLAIN_WIDTH, 24)).columns

    def write(self, text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()

    def ask(self, prompt: str, words: Sequence[str]) -> str | None:
        self._words = words
        try:
            return input(prompt)[:MAX_LINE]
        except EOFError:
            self.write("\n")
            return None
        except UnicodeDecodeError:
            return "?!"  # neither action nor command, so the prompt comes again

    def hand_over(self, name: str) -> None:
        self.write(_NEW_PAGE)
        self.ask(f"{name} is next; the other person looks away. Press Enter. ", ())
        self.write(_NEW_PAGE)

    def _complete_by_tab(self) -> None:
        import readline  # noqa: PLC0415 - some builds of Python lack it

        readline.set_completer_delims(" ")
        readline.set_completer(self._completion)
        old = "libedit" in (readline.__doc__ or "")  # macOS; its commands differ from those of GNU readline
        readline.parse_and_bind("bind ^I rl_complete" if old else "tab: complete")

    def _completion(self, text: str, state: int) -> str | None:
        matching = [word for word in self._words if word.startswith(text)]
        return matching[state] + " " if state < len(matching) else None


SHOWN: Final = 8
"""Most actions named in a sentence about an ambiguous prefix."""

WORDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "help": "this list; ? does the same",
        "moves [PREFIX]": "list the legal actions, or those that begin with PREFIX",
        "board": "draw the board again",
        "legend": "say what the characters of the board stand for",
        "position": "print the position as this seat sees it, as a string of the game's page",
        "history": "list the actions so far, as this seat saw them",
        "undo [N]": "take back your last decision (or your last N) and all actions after it",
        "resign": "give up; undo takes that back as well",
        "quit": "leave without a result, as the end of the input (Ctrl-D) does",
    }
)
"""The commands, each with its help."""

NAMES: Final = tuple(word.partition(" ")[0] for word in WORDS)
AFTER: Final = ("help", "board", "legend", "position", "history", "undo", "quit")
"""The commands that work when the game is over."""
FEW: Final = 12
"""Up to this many legal actions are listed at each turn."""
MOST: Final = 60
"""Above this many actions, `moves` lists their prefixes."""
MOST_GROUPS: Final = 40


PLAY: Final = "play"
UNCLEAR: Final = ""


class Typed(NamedTuple):
    """The meaning of a typed line: a command's name with the words typed after it.

    Or PLAY with a legal action; or UNCLEAR with a sentence that says why, empty for an empty line.
    """

    name: str
    rest: str = ""


def parse_typed(line: str, legal: Sequence[str], read: Callable[[str], str] = str) -> Typed:
    """The meaning of a typed line; ``legal`` is empty when the game is over.

    The first that fits: a legal action, a command, a number of the list, an action that ``read`` makes of how
    players write it, the prefix of one legal action, such a prefix in any case. A colon before a word makes
    it a command.
    """
    words = line.split()
    if not words:
        return Typed(UNCLEAR)
    text = words[0]
    rest = " ".join(words[1:])
    if text in legal and not rest:
        return Typed(PLAY, text)
    name = "help" if text == "?" else text.removeprefix(":")
    if name in NAMES:
        if not legal and name not in AFTER:
            return Typed(UNCLEAR, f"the game is over; type {', '.join(AFTER)}, or press Enter to leave")
        if rest and name not in ("moves", "undo"):
            return Typed(UNCLEAR, f"{name} takes no argument; leave out {shown(rest)}")
        if name == "undo" and rest and not (rest.isascii() and rest.isdecimal() and int(rest[:9]) > 0):
            return Typed(UNCLEAR, f"undo takes the number of decisions to take back, not {shown(rest)}")
        return Typed(name, rest)
    if rest:
        action = read(f"{text} {rest}")
        if action in legal:
            return Typed(PLAY, action)
        return Typed(UNCLEAR, f"{shown(line.strip())} is more than one word; type an action, or help")
    if text.isascii() and text.isdecimal():
        number = int(text[:9])
        if 1 <= number <= len(legal):
            return Typed(PLAY, legal[number - 1])
        return Typed(UNCLEAR, f"there is no number {text[:9]}: {_count(legal)}")
    action = read(text) if legal else text
    return Typed(PLAY, action) if action in legal else _beginning(text, legal)


def beginning_with(prefix: str, legal: Sequence[str]) -> list[str]:
    """The legal actions with a prefix; if there are none, those with it in any case."""
    matching = [action for action in legal if action.startswith(prefix)]
    return matching or [action for action in legal if action.lower().startswith(prefix.lower())]


def help_lines() -> list[str]:
    """The help, a line for each command."""
    widest = max(map(len, WORDS))
    return [
        "Type an action, a prefix that only one action has, or an action's number in `moves`.",
        "You may also type what `moves` shows behind an action, such as Nf3 in chess.",
        *(f"  {word.ljust(widest)}  {what}" for word, what in WORDS.items()),
    ]


def _beginning(text: str, legal: Sequence[str]) -> Typed:
    if not legal:
        return Typed(UNCLEAR, f"the game is over, so {shown(text)} cannot be played; type undo, help or quit")
    matching = beginning_with(text, legal)
    if len(matching) == 1:
        return Typed(PLAY, matching[0])
    if not matching:
        return Typed(UNCLEAR, f"{shown(text)} is neither a legal action nor a prefix of one; {_count(legal)}")
    some = " ".join(matching[:SHOWN]) + (" ..." if len(matching) > SHOWN else "")
    return Typed(UNCLEAR, f"{shown(text)} is the prefix of {len(matching)} legal actions: {some}")


def _count(legal: Sequence[str]) -> str:
    if not legal:
        return "the game is over"
    return f"`moves` lists the {len(legal)} legal actions" if len(legal) > 1 else f"only {legal[0]} is legal"


def listing(legal: Sequence[str], prefix: str, width: int, written: Callable[[str], str] = str) -> list[str]:
    """Lines that list the legal actions with a prefix, each with its number among all.

    Behind an action stands how players write it, if that differs. More than ``MOST`` actions are listed by
    their prefixes, each with its number of actions.
    """
    numbers = {action: number for number, action in enumerate(legal, start=1)}
    matching = beginning_with(prefix, legal)
    if not matching:
        return [f"no legal action begins with {prefix[:40]!r}"]
    if len(matching) <= MOST:
        digits = len(str(len(legal)))
        texts = {action: written(action) for action in matching}
        return columns(
            (
                f"{numbers[a]:>{digits}} {a}{f' {text}' * (text.replace(' ', '-') != a)}"
                for a, text in texts.items()
            ),
            width,
        )
    groups = (
        f"{_shared(group)}..  {len(group)}" if group[1:] else f"{group[0]}  (number {numbers[group[0]]})"
        for group in _groups(matching)
    )
    return [
        f"{len(matching)} actions, by prefix; `moves PREFIX` lists those of one:",
        *columns(groups, width),
    ]


def summary(legal: Sequence[str], width: int, written: Callable[[str], str] = str) -> list[str]:
    """The lines about the legal actions at each turn: all actions if they are few."""
    if len(legal) <= FEW:
        return listing(legal, "", width, written)
    example = max(legal)[: len(_shared(legal)) + 1]
    return [
        f"{len(legal)} legal actions; `moves` lists them, `moves {example}` those that begin with {example}"
    ]


def columns(texts: Iterable[str], width: int) -> list[str]:
    """Texts in as many columns as fit, in reading order."""
    entries = list(texts)
    widest = max(map(len, entries), default=0) + 3
    per_line = max(1, (width + 3) // widest)
    rows = [entries[k : k + per_line] for k in range(0, len(entries), per_line)]
    return ["".join(entry.ljust(widest) for entry in row).rstrip() for row in rows]


def _groups(actions: Sequence[str]) -> list[list[str]]:
    """Group actions by prefixes of one length: the longest with at most MOST_GROUPS groups."""
    shortest = len(_shared(actions)) + 1
    groups: dict[str, list[str]] = {}
    for length in range(shortest, max(map(len, actions)) + 1):
        finer: dict[str, list[str]] = {}
        for action in actions:
            finer.setdefault(action[:length], []).append(action)
        if groups and len(finer) > MOST_GROUPS:
            break
        groups = finer
    return list(groups.values())


def _shared(actions: Sequence[str]) -> str:
    """The longest prefix that all actions have."""
    return commonprefix(actions)  # noqa: RUF071 - letter by letter is meant
