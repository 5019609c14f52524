"""What a person types, understood: an action, a word of the table, or neither, with a sentence why."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from types import MappingProxyType
from typing import Final

from tourney.protocol import shown

SHOWN: Final = 8
"""How many actions a sentence names that asks for more letters."""

WORDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "help": "this list; ? does the same",
        "moves [PREFIX]": "list the legal actions, or those that begin with PREFIX",
        "board": "draw the board again",
        "position": "print the position as this seat sees it, as a string of the game's page",
        "history": "list what was played, as far as this seat saw it",
        "undo [N]": "take back your last decision (or the last N), and all that followed",
        "resign": "give up; undo takes that back, too",
        "quit": "leave; the game has no result (so does the end of the input, Ctrl-D)",
    }
)
"""The words that are no actions, each with what it does."""

NAMES: Final = tuple(word.partition(" ")[0] for word in WORDS)
AFTER: Final = ("help", "board", "position", "history", "undo", "quit")
"""The words that can be said when the game is over."""


@dataclass(frozen=True, slots=True)
class TypedAction:
    """A legal action, whole."""

    action: str


@dataclass(frozen=True, slots=True)
class Command:
    """A word of the table, with what was typed after it."""

    word: str
    rest: str = ""


@dataclass(frozen=True, slots=True)
class Unclear:
    """What was typed is neither; ``why`` is a sentence, empty for an empty line."""

    why: str


def parse_typed(line: str, legal: Sequence[str]) -> TypedAction | Command | Unclear:
    """Return what a typed line means where these actions are legal (none: the game is over).

    In this order: a legal action, a word of the table, a number of the list, the beginning of one legal
    action, that in any case. A colon before a word says that it is no action.
    """
    words = line.split()
    if not words:
        return Unclear("")
    text, rest = words[0], " ".join(words[1:])
    if text in legal and not rest:
        return TypedAction(text)
    name = "help" if text == "?" else text.removeprefix(":")
    if name in NAMES:
        return _word(name, rest, over=not legal)
    if rest:
        return Unclear(f"{shown(line.strip())} is more than one word; type an action, or help")
    if text.isascii() and text.isdecimal():
        number = int(text[:9])
        if 1 <= number <= len(legal):
            return TypedAction(legal[number - 1])
        return Unclear(f"there is no number {text[:9]}: {_count(legal)}")
    return _beginning(text, legal)


def beginning_with(prefix: str, legal: Sequence[str]) -> list[str]:
    """Return the legal actions that begin with a prefix; if there are none, those that do in any case."""
    found = [action for action in legal if action.startswith(prefix)]
    return found or [action for action in legal if action.lower().startswith(prefix.lower())]


def help_lines() -> list[str]:
    """Return what can be typed, a line each."""
    widest = max(map(len, WORDS))
    return [
        "An action is typed as it is, by its beginning if that is unique, or by its number in `moves`.",
        *(f"  {word.ljust(widest)}  {what}" for word, what in WORDS.items()),
    ]


def _word(name: str, rest: str, *, over: bool) -> Command | Unclear:
    if over and name not in AFTER:
        return Unclear(f"the game is over; say {', '.join(AFTER)}, or nothing to leave")
    if rest and name not in ("moves", "undo"):
        return Unclear(f"{name} stands alone, without {shown(rest)}")
    if name == "undo" and rest and not (rest.isascii() and rest.isdecimal() and int(rest[:9]) > 0):
        return Unclear(f"undo takes a number of decisions back, not {shown(rest)}")
    return Command(name, rest)


def _beginning(text: str, legal: Sequence[str]) -> TypedAction | Unclear:
    if not legal:
        return Unclear(f"the game is over, so {shown(text)} cannot be played; say undo, help or quit")
    found = beginning_with(text, legal)
    if len(found) == 1:
        return TypedAction(found[0])
    if not found:
        return Unclear(f"{shown(text)} is no legal action, and begins none; {_count(legal)}")
    some = " ".join(found[:SHOWN]) + (" ..." if len(found) > SHOWN else "")
    return Unclear(f"{shown(text)} begins {len(found)} legal actions: {some}")


def _count(legal: Sequence[str]) -> str:
    if not legal:
        return "the game is over"
    return f"moves lists the {len(legal)} that are legal" if len(legal) > 1 else f"legal is {legal[0]} alone"


FEW: Final = 12
"""So many actions are listed unasked."""
MOST: Final = 60
"""More actions than these are not listed; their beginnings are."""
MOST_GROUPS: Final = 40


def listing(legal: Sequence[str], prefix: str, width: int) -> list[str]:
    """Return lines that list the legal actions which begin with a prefix, with their numbers among all.

    Of more than ``MOST`` the beginnings are listed, each with how many begin so.
    """
    numbers = {action: number for number, action in enumerate(legal, start=1)}
    found = beginning_with(prefix, legal)
    if not found:
        return [f"no legal action begins with {prefix[:40]!r}"]
    if len(found) <= MOST:
        return columns((f"{numbers[action]:>{len(str(len(legal)))}} {action}" for action in found), width)
    texts = (
        f"{_shared(group)}..  {len(group)}" if group[1:] else f"{group[0]}  (number {numbers[group[0]]})"
        for group in _groups(found)
    )
    return [f"{len(found)} actions, by how they begin; `moves PREFIX` lists one lot:", *columns(texts, width)]


def summary(legal: Sequence[str], width: int) -> list[str]:
    """Return what a person is told of the legal actions unasked: all of them if they are few."""
    if len(legal) <= FEW:
        return listing(legal, "", width)
    example = max(legal)[: len(_shared(legal)) + 1]
    return [f"{len(legal)} legal actions; `moves` lists them, `moves {example}` those that begin so"]


def columns(texts: Iterable[str], width: int) -> list[str]:
    """Return texts in as many columns as fit, to be read line by line."""
    cells = list(texts)
    if not cells:
        return []
    widest = max(map(len, cells)) + 3
    per_line = max(1, (width + 3) // widest)
    rows = [cells[k : k + per_line] for k in range(0, len(cells), per_line)]
    return ["".join(cell.ljust(widest) for cell in row).rstrip() for row in rows]


def _groups(actions: Sequence[str]) -> list[list[str]]:
    """Part actions by their beginnings: the longest of one length that make few enough."""
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
    """Return what all of some actions begin with."""
    pairs = zip(min(actions), max(actions), strict=False)
    return "".join(letter for letter, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
