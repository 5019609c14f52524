"""Names as pages may show them: whatever a bot calls itself, it stays on its line and in its folder."""

import re
import unicodedata

LONGEST = 100
"""Characters of a name that a page shows; the downloads have all of it."""
LONGEST_LINE = 5000
"""Characters of a line of text that a page shows: a bot's line ends before."""

_MARKS = 2
"""Combining marks in a row that are kept; a pile of them would cover the lines around."""


def display(text: str, longest: int = LONGEST) -> str:
    """Return a name for people to read: printable, on one line, of bounded length.

    Control and format characters (marks that turn the direction of text are some), surrogates and private
    characters become U+FFFD, so that they are seen. Right-to-left letters stay: the page isolates them.
    """
    kept: list[str] = []
    marks = 0
    for character in text:
        marks = marks + 1 if unicodedata.category(character) in {"Mn", "Me"} else 0
        if marks > _MARKS:
            continue
        kept.append(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}")
        if len(kept) > longest:
            return "".join(kept[: longest - 1]).rstrip() + "\N{HORIZONTAL ELLIPSIS}"
    return "".join(kept).strip() or "(no name)"


def line(text: str) -> str:
    """Return a line of text, as of a log, fit to be shown; it may be long, and empty."""
    return display(text, LONGEST_LINE) if text.strip() else ""


def isolated(name: str) -> str:
    """Return a displayed name to be set in a running text where no element can isolate its direction.

    U+2068 and U+2069 keep right-to-left letters to themselves (Unicode Standard Annex 9); ``display`` has
    taken away any that the name itself brought.
    """
    return name if name.isascii() else f"\u2068{name}\u2069"


def slug(number: int, name: str) -> str:
    """Return the name of an entrant's files: its number from 1, so that no two are alike, and what it can.

    Lower-case ASCII letters, digits and single hyphens only, at most 40 characters.
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode("ascii").lower()
    words = re.sub(r"[^a-z0-9]+", "-", plain)[:30].strip("-")
    return f"{number + 1:02d}-{words or 'bot'}"


def folder(name: str) -> str:
    """Return a folder's name for a tournament: of letters, digits and ``._-``, no dot first, never empty."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", name)[:64].strip("-.")
    return plain or "tournament"


def words(reason: str) -> str:
    """Return a game's word for an end, as ``quiet-actions``, for people: ``quiet actions``."""
    return display(reason.replace("-", " ")) if reason else "unknown"


FAULTS = {
    "startup": "did not start",
    "illegal": "illegal action",
    "timeout": "out of time",
    "crash": "crash",
    "protocol": "broke the protocol",
    "overflow": "too much output",
}
"""Kinds of faults, for people."""


def fault(kind: str) -> str:
    """Return a kind of fault for people."""
    return FAULTS.get(kind) or words(kind)
