"""Games that cannot be rated: counted by kind, and named by file and line."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

KINDS: Final[Mapping[str, str]] = {
    "unfinished": "unfinished games (result *)",
    "no-result": "games without a result",
    "bad-result": "games with a result that is none of 1-0, 0-1, 1/2-1/2 and *",
    "contradiction": "games whose result contradicts the end of their moves, their Termination or itself",
    "cut": "games that are cut short: their moves end without a result",
    "comment": "games with a comment that runs into the next game",
    "player": "games with an unknown player",
    "twice": "games with one player on two sides",
    "name": "games with a player's name of more than 200 characters",
    "nul": "games with a NUL character",
    "long": "games or lines that are too long",
    "line": "lines that are not of the form",
    "ranks": "games with ranks that do not fit their players",
    "seats": "games with another number of players than the first game",
    "void": "void games",
    "file": "files that end in the middle or are damaged",
    "latin": "games with names that are not UTF-8, read as Latin-1",
    "filter": "games left out by a filter",
}
"""The kinds with their words, in the order in which they are reported."""
NOT_DAMAGED: Final = frozenset({"unfinished", "void", "filter", "latin"})
"""Kinds that say nothing against a file."""
UNNAMED: Final = frozenset({"filter"})
"""Kinds whose places are not kept: there may be millions, on purpose."""
MAX_PLACES: Final = 1000
"""Places kept of each kind; further games are counted."""


class Place(NamedTuple):
    """Where a problem is: its kind, the file and line, and what is wrong there ("" if the kind says it)."""

    kind: str
    file: str
    line: int
    why: str = ""

    @property
    def text(self) -> str:
        """The place in a sentence."""
        where = f"{self.file} line {self.line}" if self.line else self.file
        return f"{where}: {self.why}" if self.why else where


class Problems:
    """The problems of some files.

    ``read`` counts all games that were met, rated or not; ``forms`` are the forms of the files.
    """

    def __init__(self) -> None:
        self.read = 0
        self.forms: set[str] = set()
        self.counts: Counter[str] = Counter()
        self.filtered: Counter[str] = Counter()
        self._places: dict[str, list[Place]] = {}

    def add(self, kind: str, file: str, line: int, why: str = "") -> None:
        """Count a game, and keep its place as long as there are few."""
        self.counts[kind] += 1
        if kind not in UNNAMED:
            places = self._places.setdefault(kind, [])
            if len(places) < MAX_PLACES:
                places.append(Place(kind, file, line, why))

    @property
    def damaged(self) -> int:
        """The number of damaged games, lines and files."""
        return sum(count for kind, count in self.counts.items() if kind not in NOT_DAMAGED)

    @property
    def places(self) -> tuple[Place, ...]:
        """All kept places by kind, in file order within each."""
        return tuple(place for kind in KINDS for place in self._places.get(kind, ()))

    def sentences(self, most: int = 3) -> Iterator[str]:
        """Yield the sentences of ``sentences_by_kind``."""
        for _, sentence in self.sentences_by_kind(most):
            yield sentence

    def sentences_by_kind(self, most: int = 3) -> Iterator[tuple[str, str]]:
        """Yield each kind with a sentence that has its number and up to ``most`` of its places."""
        for kind, words in KINDS.items():
            count = self.counts[kind]
            if kind == "filter":
                parts = [f"{number:,} by {name}" for name, number in sorted(self.filtered.items())]
            else:
                parts = [place.text for place in self._places.get(kind, ())[:most]]
                if count > most:
                    parts[-1] += f" and {count - most:,} more"
            if count:
                yield kind, f"{words}: {count:,} ({', '.join(parts)})"
