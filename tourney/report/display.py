"""Single values as pages show them: safe names, numbers with fixed digits, labels of entrants and seats."""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from tourney.bots.catalogue.shipped import Provenance

MISSING = "\N{EN DASH}"

LONGEST = 100
"""Characters of a name that a page shows; the downloads have the full name."""
LONGEST_LINE = 5000
"""Characters of a line of text that a page shows; longer than any line a bot can send."""

WHOLE = 20
"""Width in Elo above which the decimals of a rating are noise."""

_MARKS = 2
"""Consecutive combining marks to keep; more of them would cover the lines around."""

FAULTS = {
    "startup": "did not start",
    "illegal": "illegal action",
    "timeout": "out of time",
    "crash": "crash",
    "protocol": "broke the protocol",
    "overflow": "too much output",
}
"""Fault kinds in words."""


@dataclass(frozen=True, slots=True)
class EntrantLabel:
    """An entrant on pages. ``slug`` is safe in file names; other strings are safe to show once escaped.

    ``provenance`` follows from its digest and the bots that ship with this version. ``broken``: the reason
    that its bot could not be started, or "". ``digest``: "" if no bot is known. ``engine``: how the bot
    introduced itself in a match, or "".
    """

    number: int
    slug: str
    name: str
    bot: str
    version: str
    title: str
    author: str
    args: str
    digest: str
    provenance: Provenance
    broken: str
    engine: str = ""

    @property
    def program(self) -> str:
        """The bot with its version; for a bare command without one, its introduction in a match."""
        if self.version != "0":
            return f"{self.bot} {self.version}"
        # UCI introduces "NAME by AUTHORS"; the authors have their place on the bot's page.
        return self.engine.partition(" by ")[0] or self.bot

    @property
    def page(self) -> str:
        """The path of the entrant's page in the site."""
        return f"bots/{self.slug}.html"


@dataclass(frozen=True, slots=True)
class SeatLabel:
    """A seat: its number from 1, its name, and the color of its pieces on the board."""

    number: int
    name: str
    color: str


@dataclass(frozen=True, slots=True)
class Fact:
    """A label with its value; ``code`` asks for a monospaced font."""

    label: str
    value: str
    code: bool = False


def decimal(value: Fraction | int, digits: int) -> str:
    """A number with ``digits`` decimals, rounding half away from zero, as the tables of commands do."""
    # In integers: a float of an exact half may lie on either side of it.
    scaled = int((2 * abs(Fraction(value)) * 10**digits + 1) // 2)
    sign = "\N{MINUS SIGN}" if value < 0 < scaled else ""
    (whole, rest) = divmod(scaled, 10**digits)
    return f"{sign}{whole}.{rest:0{digits}d}" if digits else f"{sign}{whole}"


def points(value: Fraction, seats: int) -> str:
    """Points: with one decimal for two seats, otherwise with two."""
    return decimal(value, 1 if seats == 2 else 2)


def percent(part: Fraction | None) -> str:
    """A share as a percentage with one decimal, or a dash for None."""
    return MISSING if part is None else decimal(part * 100, 1)


def share(part: Fraction | int, whole: int) -> str:
    """A part of a whole as a percentage with one decimal, or a dash if there is no whole."""
    return percent(Fraction(part) / whole if whole else None)


def shown(value: object) -> str:
    """A value of a column as printed, with a true minus sign, or a dash for None."""
    return MISSING if value is None else str(value).replace("-", "\N{MINUS SIGN}")


def halves(count: int) -> str:
    """A number of half points as points, without decimals if it is whole."""
    return decimal(Fraction(count, 2), 1).removesuffix(".0")


def number(value: float, digits: int) -> str:
    """A float with ``digits`` decimals, a true minus sign and no negative zero."""
    text = f"{value:.{digits}f}"
    # -0.04 would be shown as "-0.0".
    if float(text) == 0:
        text = text.lstrip("-")
    return text.replace("-", "\N{MINUS SIGN}")


def short(value: float) -> str:
    """A float with the fewer decimals the greater it is."""
    return number(value, 0 if abs(value) >= 100 else 1 if abs(value) >= 1 else 2)


def elo_text(value: float, low: float, high: float) -> str:
    """A rating with the decimals that its interval allows: none if that is wider than 20 Elo."""
    return number(value, _decimals(low, high))


def reach(low: float, high: float) -> str:
    """An interval of ratings, with one decimal at both ends unless it is wider than 20 Elo."""
    digits = _decimals(low, high)
    return f"{number(low, digits)} to {number(high, digits)}"


def _decimals(low: float, high: float) -> int:
    return 0 if high - low > WHOLE else 1


def span(first: int, last: int) -> str:
    """A range of integers with a dash, or one number if both are equal."""
    return str(first) if first == last else f"{first}\N{EN DASH}{last}"


def milliseconds(value: float) -> str:
    """A duration in milliseconds, or in seconds from ten seconds on."""
    return f"{short(value)} ms" if value < 10_000 else f"{number(value / 1000, 1)} s"


def time_limit(ms: float) -> str:
    """A limit of time in its largest whole unit: 10 min, 90 s, 500 ms."""
    for unit, name in ((60_000, "min"), (1000, "s")):
        if ms and ms % unit == 0:
            return f"{ms / unit:g} {name}"
    return f"{ms:g} ms"


def label(text: str, longest: int = LONGEST) -> str:
    """A name for display: printable, on one line, at most ``longest`` characters.

    Control, format (direction marks) and private characters and surrogates become U+FFFD. Right-to-left
    letters stay, because pages isolate them.
    """
    # Nearly all names are plain; the loop below would take most of the time of a large list.
    if len(text) <= longest and text.isascii() and text.isprintable():
        return text.strip() or "(no name)"
    characters: list[str] = []
    marks = 0
    for character in text:
        # Hundreds of marks on one letter ("Zalgo" text) would paint over the rows above.
        marks = marks + 1 if unicodedata.category(character) in {"Mn", "Me"} else 0
        if marks > _MARKS:
            continue
        characters.append(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}")
        if len(characters) > longest:
            return "".join(characters[: longest - 1]).rstrip() + "\N{HORIZONTAL ELLIPSIS}"
    return "".join(characters).strip() or "(no name)"


def line(text: str) -> str:
    """A line of text for display, such as one of a log; it may be long or empty."""
    return label(text, LONGEST_LINE) if text.strip() else ""


def action(written: str) -> str:
    """An action, or several in a line, in its game's notation, whose no-break spaces stay."""
    return "\N{NO-BREAK SPACE}".join(map(line, written.split("\N{NO-BREAK SPACE}")))


def isolated(name: str) -> str:
    """Isolate the direction of a displayed name within a sentence, where no element can.

    U+2068 and U+2069 enclose right-to-left letters (Unicode Standard Annex 9); ``label`` has removed any
    such marks from the name itself.
    """
    return name if name.isascii() else f"\u2068{name}\u2069"


def slug(number: int, name: str) -> str:
    """The base name of an entrant's files: its number from 1, and the ASCII letters of its name.

    Only lower-case ASCII letters, digits and single hyphens, at most 40 characters; unique by the number.
    """
    # A name may be hostile or outside ASCII, and file systems differ in the names that they take.
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode("ascii").lower()
    words = re.sub(r"[^a-z0-9]+", "-", plain)[:30].strip("-")
    return f"{number + 1:02d}-{words or 'bot'}"


def folder(name: str) -> str:
    """A tournament's folder name: letters, digits and ``._-``, no leading dot, never empty."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", name)[:64].strip("-.")
    return plain or "tournament"


def reason(word: str) -> str:
    """A game's reason for the end in words: ``quiet-actions`` becomes ``quiet actions``."""
    return label(word.replace("-", " ")) if word else "unknown"


def fault(kind: str) -> str:
    """A fault kind in words."""
    return FAULTS.get(kind) or reason(kind)


def pairs(values: Iterable[tuple[str, object]]) -> str:
    """``KEY=VALUE`` pairs on one line for display."""
    return line(" ".join(f"{key}={value}" for key, value in values))
