"""Board diagrams as data, rendered as SVG for pages and as text for terminals.

Coordinates are integers in half cells, x to the right and y downwards, and name the centre of a cell. So
neighbouring cells of a row are 2 apart, and a row of a hex grid is shifted by 1.

People with colour blindness can distinguish the colours: the seats have those of Okabe and Ito (Color
Universal Design, 2008), plus a red and neutral ones. Every colour is a CSS custom property, ``--board-NAME``,
which a page may set.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Literal, NamedTuple

Shape = Literal["square", "hex", "point"]


@dataclass(frozen=True, slots=True)
class Cell:
    """A place on the board; ``kind`` is its terrain, such as "plain", "river", "mountain", "hidden"."""

    x: int
    y: int
    kind: str = "plain"
    name: str = ""
    shape: Shape = "square"


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece on the board.

    ``side`` is the owner's seat, or 0 for a neutral piece; ``glyph`` one or two characters, for terminals and
    as the letter on the token; ``kind`` its shape, such as "stone", "tower"; ``title`` its description.
    ``aside``: it lies beside the board (a die, a stone in hand, a captured piece); pictures show it, text
    does not. There the kinds "count" and "caption" show their glyph as a number or word.
    """

    x: int
    y: int
    glyph: str
    side: int = 0
    kind: str = "token"
    title: str = ""
    aside: bool = False


ASIDE_WORDS = ("count", "caption")
"""Kinds of what lies beside the board that show their glyph as a text."""


def tray(x: int, y: int, piece: Piece, count: int) -> tuple[Piece, Piece]:
    """A piece beside the board, and the number of them."""
    shown = Piece(x, y, piece.glyph, piece.side, piece.kind, piece.title, aside=True)
    return shown, Piece(x + 1, y + 1, str(count), 0, "count", aside=True)


class Mark(NamedTuple):
    """A highlighted cell; ``kind`` is "from", "to", "captured" or "used"."""

    x: int
    y: int
    kind: str


class Arrow(NamedTuple):
    """A straight arrow between two cells."""

    x1: int
    y1: int
    x2: int
    y2: int


class Label(NamedTuple):
    """The name of a coordinate beside the board."""

    x: int
    y: int
    text: str


@dataclass(frozen=True, slots=True)
class Diagram:
    """A position: terrain, pieces, marks and arrows of the last action, and lines of text below.

    ``cells`` and ``labels`` stay the same while the terrain does, so a replay can render them once. ``notes``
    hold what is not on the board: hands, points, dice.
    """

    cells: tuple[Cell, ...] = ()
    pieces: tuple[Piece, ...] = ()
    marks: tuple[Mark, ...] = ()
    arrows: tuple[Arrow, ...] = ()
    labels: tuple[Label, ...] = ()
    notes: tuple[str, ...] = ()


def square_labels(files: Sequence[str], ranks: Sequence[str]) -> tuple[Label, ...]:
    """Names below and on the left of a board of squares; the first square, at the bottom left, has x 0."""
    bottom = 2 * len(ranks)
    below = (Label(2 * file, bottom, name) for file, name in enumerate(files))
    return (*below, *(Label(-2, bottom - 2 - 2 * rank, name) for rank, name in enumerate(ranks)))


FIELD = "\x1f"
"""The character on both sides of a field's address in a note's template.

It is not printable, so no position string, action or note has it."""
LAST = f"{FIELD}a{FIELD}"
"""Stands for the last action in a note's template."""

_ADDRESS = re.compile(f"{FIELD}([^{FIELD}]*){FIELD}")
WITHIN = re.compile("[:,]")


def field(index: int, within: int | None = None) -> str:
    """The placeholder in a note's template for a field of the view, counted from 0 and split by blanks.

    With ``within``, it is one of the texts between the field's colons and commas.
    """
    return f"{FIELD}{index}{FIELD}" if within is None else f"{FIELD}{index}.{within}{FIELD}"


def fill(templates: Iterable[str], view: str, last: str | None) -> tuple[str, ...]:
    """Notes from their templates, a view and the last action."""
    words = view.split(" ")

    def value(address: str) -> str:
        if address == "a":
            return last or ""
        index, _, within = address.partition(".")
        return WITHIN.split(words[int(index)])[int(within)] if within else words[int(index)]

    return tuple(_ADDRESS.sub(lambda match: value(match[1]), text) for text in templates)


def joined(parts: Iterable[Diagram], view: str, last: str | None) -> Diagram:
    """One diagram of all that parts show, in their order, with the fields of their notes filled in."""
    drawn = tuple(parts)
    layers = {
        field.name: tuple(chain.from_iterable(getattr(part, field.name) for part in drawn))
        for field in fields(Diagram)
    }
    return Diagram(**{**layers, "notes": fill(layers["notes"], view, last)})


def plain_diagram(view: str, last: str | None = None) -> Diagram:
    """The diagram of a game without one of its own: a line per field, and the last action."""
    lines = tuple(view.split(" "))
    return Diagram(notes=(*lines, f"last: {last}") if last else lines)


@dataclass(frozen=True, slots=True)
class Tone:
    """A colour on light and on dark pages, as CSS hex colours; ``ansi`` is one of xterm's 256 colours."""

    light: str
    dark: str
    ansi: int


SEAT_COLORS: tuple[str, ...] = ("blue", "orange", "green", "purple")
"""The colours of seats 1 to 4 in games whose seat names are not colours."""

TOKENS: Mapping[str, Tone] = {
    "blue": Tone("#0072b2", "#3b9ad6", 31),
    "orange": Tone("#e69f00", "#e69f00", 214),
    "green": Tone("#008f68", "#149a72", 36),
    "purple": Tone("#cc79a7", "#d990b8", 175),
    "black": Tone("#26292e", "#14161a", 235),
    "white": Tone("#fbfaf5", "#f1efe6", 255),
    "red": Tone("#c8401c", "#de5a33", 166),
    "yellow": Tone("#f0e442", "#f0e442", 227),
    "none": Tone("#8f949c", "#7f858f", 245),
    "fire": Tone("#d9480f", "#e8590c", 202),
    "water": Tone("#2b8ccf", "#3d9be0", 32),
    "earth": Tone("#85623a", "#9a7347", 94),
    "wind": Tone("#cfd8df", "#b9c6cf", 252),
    "fool": Tone("#f0e442", "#f0e442", 227),
}
"""The fill of pieces, by the colour of their side or, for neutral pieces, by their kind."""

_SIDES = frozenset({"blue", "orange", "green", "purple", "black", "white", "red", "yellow"})

INK_LIGHT = frozenset({"blue", "green", "black", "red", "none", "fire", "water", "earth"})
"""The fills with white letters; letters on other fills are dark."""

GROUNDS: Mapping[str, Tone] = {
    "plain": Tone("#f1e7d3", "#4a453c", 0),
    "bank": Tone("#e6dcae", "#55503a", 0),
    "river": Tone("#b9d9ee", "#2d4f68", 24),
    "water": Tone("#a9d0ea", "#2b5270", 24),
    "mountain": Tone("#b9ab98", "#6b6257", 240),
    "tower": Tone("#d8d0c4", "#625c52", 0),
    "city": Tone("#e3c6d6", "#5d4352", 53),
    "barbarian": Tone("#dcd6cb", "#37342f", 236),
    "start": Tone("#e5dff0", "#4f4a5c", 0),
    "hidden": Tone("#c4c7cc", "#2c2e33", 238),
    "light": Tone("#f0e2c4", "#8d8471", 0),
    "dark": Tone("#c49a6c", "#5c4a36", 94),
}
"""The fill of cells, by their kind; an unknown kind looks like ``plain``."""

LINES: Mapping[str, Tone] = {
    "back": Tone("#fffdf8", "#1f1e1b", 0),
    "line": Tone("#9b8f7a", "#7d766a", 0),
    "ink": Tone("#2b2620", "#e9e4da", 0),
    "edge": Tone("#2b2620", "#f1efe6", 0),
    "from": Tone("#7a5c00", "#ffd54a", 178),
    "to": Tone("#7a5c00", "#ffd54a", 178),
    "captured": Tone("#b00020", "#ff6b6b", 160),
    "used": Tone("#5f6b76", "#aeb9c2", 245),
    "arrow": Tone("#4b2e83", "#cdb4ff", 97),
}
"""The strokes of lines, letters beside the board, marks and arrows."""


def seat_colors(names: Sequence[str]) -> tuple[str, ...]:
    """A colour of ``TOKENS`` for each of ``Game.seat_names``.

    If the names are distinct colours, each seat has its own; otherwise the colours are ``SEAT_COLORS``.
    """
    words = tuple(name.lower() for name in names)
    if words and all(word in _SIDES for word in words) and len(set(words)) == len(words):
        return words
    return tuple(SEAT_COLORS[k % len(SEAT_COLORS)] for k in range(max(len(words), len(SEAT_COLORS))))


MARKS = ("from", "to", "captured", "used")  # the kinds of marks


@cache
def style() -> str:
    """The style sheet of all diagrams; a page needs it once, a standalone SVG contains it.

    Rules without colours are in ``diagrams.css``. Selectors are single classes, since the content of a
    ``<use>`` element has no ancestors to match.
    """
    rules = [
        Path(__file__).with_suffix(".css").read_text("utf-8").strip(),
        *_colours(dark=False),
        "@media (prefers-color-scheme:dark){",
        *_colours(dark=True),
        "}",
    ]
    return "\n".join(rules) + "\n"


def _colours(*, dark: bool) -> list[str]:
    def var(name: str, tone: Tone) -> str:
        return f"var(--board-{name},{tone.dark if dark else tone.light})"

    rules = [f".tb-g-{name}{{fill:{var(name, tone)}}}" for name, tone in GROUNDS.items()]
    rules += [f".tb-p-{name}{{fill:{var('seat-' + name, tone)}}}" for name, tone in TOKENS.items()]
    line = {name: var(name, tone) for name, tone in LINES.items()}
    rules += [
        f".tb-back{{fill:{line['back']}}}",
        f".tb-cell{{stroke:{line['line']}}}",
        f".tb-piece{{stroke:{line['edge']}}}",
        f".tb-deco{{stroke:{line['ink']}}}",
        f".tb-label,.tb-note,.tb-count{{fill:{line['ink']}}}",
        f".tb-badge{{fill:{line['back']};stroke:{line['line']}}}",
        f".tb-shaft{{stroke:{line['arrow']}}}.tb-head{{fill:{line['arrow']}}}",
    ]
    rules += [f".tb-{kind}{{stroke:{line[kind]}}}" for kind in MARKS]
    return rules
