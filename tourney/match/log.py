"""The log of a match: what bots say beside the game, bounded, and what the referee has to say of it."""

from collections.abc import Iterable
from typing import Final

from tourney.match.played import LogKind, LogLine

MAX_LINES: Final = 2_000
"""Lines of a seat that a match's log keeps."""
MAX_CHARS: Final = 128 * 1024
"""Characters of a seat that a match's log keeps."""


class MatchLog:
    """Collects lines in the order in which they were heard; beyond its bounds a seat's are only counted.

    The referee's own notes are always kept: there are few.
    """

    def __init__(self, seats: int) -> None:
        self._lines: list[LogLine] = []
        self._room = [MAX_LINES] * (seats + 1)
        self._chars = [MAX_CHARS] * (seats + 1)
        self._dropped = [0] * (seats + 1)

    def note(self, ply: int, seat: int, text: str) -> None:
        """Add what the referee has to say of a seat (0: of the match)."""
        self._lines.append(LogLine(ply, seat, "note", text))

    def add(self, ply: int, seat: int, kind: LogKind, texts: Iterable[str]) -> None:
        """Add what a bot said."""
        for text in texts:
            if self._room[seat] == 0 or self._chars[seat] < len(text):
                self._room[seat] = 0
                self._dropped[seat] += 1
            else:
                self._room[seat] -= 1
                self._chars[seat] -= len(text)
                self._lines.append(LogLine(ply, seat, kind, text))

    def lines(self, ply: int) -> tuple[LogLine, ...]:
        """Return the whole log; its last lines say what was dropped."""
        for seat, dropped in enumerate(self._dropped):
            if dropped:
                self.note(ply, seat, f"{dropped:,} more lines of this bot were dropped")
        return tuple(self._lines)
