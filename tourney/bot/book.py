"""Opening books of bots: a small text file that maps positions or played actions to weighted actions."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

from tourney.errors import BotError
from tourney.parsing import read_text

if TYPE_CHECKING:
    from tourney.bot.turn import Turn

MOST_WEIGHT = 1_000_000
MOST_BYTES = 16 * 1024 * 1024


class Book:
    """A book that was read; ``pick`` returns its action for a turn.

    A line is ``play ACTION ... : ACTION=WEIGHT ...`` or ``position POSITION : ACTION=WEIGHT ...``. The first
    kind counts after exactly these actions since the start, chance outcomes included (``play :`` is the
    start), and the second in the position of that string as the bot's seat sees it. A weight is a whole
    number, 1 where it is left out. Blank lines, and lines that begin with ``#``, are skipped.
    """

    def __init__(self, text: str, name: str = "the book") -> None:
        self._lines: dict[tuple[str, str], tuple[tuple[str, int], ...]] = {}
        for number, line in enumerate(text.splitlines(), 1):
            words = line.split()
            if words and not words[0].startswith("#"):
                key, moves = _parse(words, f"{name}, line {number}")
                if key in self._lines:
                    raise BotError(f"{name}, line {number}: {' '.join(key)} has a line already; join the two")
                self._lines[key] = moves

    @classmethod
    def read(cls, path: str | Path) -> Book:
        """The book of a UTF-8 file. Raises BotError, which names file and line."""
        try:
            text = read_text(Path(path), MOST_BYTES)
        except ValueError as error:
            raise BotError(f"the book {path} {error}") from error
        return cls(text, str(path))

    def __len__(self) -> int:
        return len(self._lines)

    def pick(self, turn: Turn) -> str | None:
        """The book's action for a turn, drawn by weight from the bot's seed, or None.

        Played actions come before the position. Actions that are not legal are left out.
        """
        moves: tuple[tuple[str, int], ...] = ()
        played = [action for _, action in turn.match.history]
        if None not in played:
            moves = self._lines.get(("play", " ".join(map(str, played))), ())
        # Looked at only for books that need it: a bot need not have requested positions.
        if not moves and any(kind == "position" for kind, _ in self._lines):
            moves = self._lines.get(("position", turn.observation), ())
        legal = turn.legal if moves else ()
        open_ = [(action, weight) for action, weight in moves if action in legal]
        if not open_:
            return None
        ends = list(accumulate(weight for _, weight in open_))
        return open_[bisect_right(ends, turn.draw(ends[-1]))][0]


def _parse(words: list[str], where: str) -> tuple[tuple[str, str], tuple[tuple[str, int], ...]]:
    kind = words[0]
    if kind not in {"play", "position"} or ":" not in words:
        raise BotError(f"{where}: write play ACTION ... : ACTION=WEIGHT ..., or position POSITION : ...")
    colon = words.index(":")
    if kind == "position" and colon == 1:
        raise BotError(f"{where}: the position is missing before the colon")
    moves: dict[str, int] = {}
    for word in words[colon + 1 :]:
        action, sign, number = word.rpartition("=")
        if not sign:
            action = word
            number = "1"
        if not (number.isascii() and number.isdecimal()) or not 0 < int(number[:9]) <= MOST_WEIGHT:
            raise BotError(f"{where}: the weight of {word[:40]!r} is not a number from 1 to {MOST_WEIGHT}")
        if not action or action in moves:
            raise BotError(f"{where}: {word[:40]!r} names no action, or one for the second time")
        moves[action] = int(number)
    if not moves:
        raise BotError(f"{where}: no action follows the colon")
    return (kind, " ".join(words[1:colon])), tuple(moves.items())
