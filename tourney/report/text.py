"""Numbers as pages print them: exact fractions to a fixed number of digits, the same on every machine."""

import re
import unicodedata
from fractions import Fraction

MISSING = "\N{EN DASH}"


def decimal(value: Fraction | int, digits: int) -> str:
    """Return a number with that many digits, halves rounded to even."""
    scaled = round(Fraction(value) * 10**digits)
    sign, whole = ("\N{MINUS SIGN}" if scaled < 0 else ""), abs(scaled)
    if not digits:
        return f"{sign}{whole}"
    return f"{sign}{whole // 10**digits}.{whole % 10**digits:0{digits}d}"


def points(value: Fraction, seats: int) -> str:
    """Return points: in halves at two seats, to two digits otherwise."""
    return decimal(value, 1 if seats == 2 else 2)


def percent(part: Fraction | None) -> str:
    """Return a share as a percentage with one digit, or a dash."""
    return MISSING if part is None else decimal(part * 100, 1)


def number(value: float, digits: int) -> str:
    """Return a float with that many digits, with a real minus sign and no negative zero."""
    text = f"{value:.{digits}f}"
    if float(text) == 0:
        text = text.lstrip("-")
    return text.replace("-", "\N{MINUS SIGN}")


def count(value: int, singular: str, plural: str = "") -> str:
    """Return a count with its noun: ``1 match``, ``2 matches``."""
    return f"{value:,} {singular if value == 1 else plural or singular + 's'}"


def span(first: int, last: int) -> str:
    """Return a range of whole numbers: ``2-5``, with a dash, or ``2`` where it is one."""
    return str(first) if first == last else f"{first}\N{EN DASH}{last}"


def milliseconds(value: float) -> str:
    """Return a duration in milliseconds, or seconds from ten of them on."""
    if value < 10_000:
        return f"{number(value, 0 if value >= 100 else 1 if value >= 1 else 2)} ms"
    return f"{number(value / 1000, 1)} s"


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
