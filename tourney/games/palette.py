"""Colours of boards: the seats' and the ground's, told apart by people who see colours differently too.

The seats' colours are those of Okabe and Ito (Color Universal Design, 2008) with a red and neutral ones
beside them. Every colour is a CSS custom property, ``--board-NAME``, which a page may set.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tone:
    """A colour on light pages and on dark ones, as CSS hex colours; ``ansi`` is one of xterm's 256."""

    light: str
    dark: str
    ansi: int


SEAT_COLORS: tuple[str, ...] = ("blue", "orange", "green", "purple")
"""The colours of seats 1 to 4 where a game's names for them are no colours."""

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
"""What pieces are filled with, by the colour of their side, or by their kind where they are nobody's."""

_SIDES = frozenset({"blue", "orange", "green", "purple", "black", "white", "red", "yellow"})

INK_LIGHT = frozenset({"blue", "green", "black", "red", "none", "fire", "water", "earth"})
"""The fills on which letters are white; on the others they are dark."""

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
}
"""What cells are filled with, by their kind; a kind that is not here is drawn as ``plain``."""

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
"""What lines, letters beside the board, marks and arrows are drawn with."""


def seat_colors(names: Sequence[str]) -> tuple[str, ...]:
    """Return a colour of ``TOKENS`` for each seat's name (``Game.seat_names``).

    Seats that are called by colours, each by another one, have these; else ``SEAT_COLORS`` holds.
    """
    words = tuple(name.lower() for name in names)
    if words and all(word in _SIDES for word in words) and len(set(words)) == len(words):
        return words
    return tuple(SEAT_COLORS[k % len(SEAT_COLORS)] for k in range(max(len(words), len(SEAT_COLORS))))
