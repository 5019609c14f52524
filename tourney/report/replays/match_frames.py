"""The frames of a match: its pictures, each as what it changes of the one before."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from itertools import chain, zip_longest
from operator import xor

from tourney.games.base import AnyGame
from tourney.games.diagrams import LAST, plain_diagram
from tourney.games.svg_diagram import Box
from tourney.report.replays.board_table import NO_PART, NOTHING, BoardTable, DrawnPart

HIDDEN = "?"
"""The last action for a seat that did not see it."""

SeenView = tuple[str, str | None]
"""A position or an observation, and the last action before it."""


@dataclass(frozen=True, slots=True)
class Frames:
    """The pictures that one onlooker sees, as changes; the first changes the table's start.

    ``toggles`` are the things that appear or disappear, ``traces`` the marks and arrows, ``notes`` the
    templates of the lines below, all by ply.
    """

    views: tuple[str, ...]
    toggles: tuple[frozenset[int], ...]
    traces: tuple[tuple[int, ...], ...]
    notes: tuple[tuple[str, ...], ...]

    def things(self, start: frozenset[int], ply: int) -> frozenset[int]:
        """The things of a picture, without marks and arrows."""
        return reduce(xor, self.toggles[: ply + 1], start)


class FrameDrawer:
    """Draws the frames of one match, for any number of onlookers; all lie in ``boxes``."""

    def __init__(self, game: AnyGame, table: BoardTable) -> None:
        self._game = game
        self._table = table
        self._parts: dict[tuple[int, Hashable], DrawnPart] = {}
        self.boxes: set[Box] = set()

    def frames(self, seen: Sequence[SeenView], end: str = "") -> Frames:
        """The frames of views; there is at least one.

        ``end`` is why the game is over with the last one, or "": a position need not say it (a FEN does not).
        A picture that the game fails to draw is plain text: the failure costs that picture, not the report.
        """
        pictures = [self._picture(view, last) for view, last in seen]
        toggles: list[frozenset[int]] = []
        before: list[DrawnPart] = []
        for picture in pictures:
            # Most parts stay as they were, so changes are found part by part, not between whole pictures.
            pairs = zip_longest(before, picture, fillvalue=NO_PART)
            toggles.append(
                reduce(xor, [old.stay ^ new.stay for old, new in pairs if old is not new], NOTHING)
            )
            before = picture
        toggles[0] ^= self._table.start
        self.boxes.update([part.box for picture in pictures for part in picture])
        notes = [
            _shown(tuple(chain.from_iterable([part.notes for part in picture])), hidden=last == HIDDEN)
            for picture, (_, last) in zip(pictures, seen, strict=True)
        ]
        if end:
            notes[-1] = tuple([f"over: {end}" if note.endswith(" to move") else note for note in notes[-1]])
        traces = [tuple(chain.from_iterable([part.trace for part in picture])) for picture in pictures]
        return Frames(tuple([view for view, _ in seen]), tuple(toggles), tuple(traces), tuple(notes))

    def _part(self, index: int, part: Hashable) -> DrawnPart:
        found = self._table.parts.get((index, part)) or self._parts.get((index, part))
        if found is None:
            found = self._parts[index, part] = self._table.part(index, part)
        return found

    def _picture(self, view: str, last: str | None) -> list[DrawnPart]:
        try:
            parts = self._game.diagram_parts(view, last)
            return [self._part(index, part) for index, part in enumerate(parts)]
        except Exception:  # noqa: BLE001 - a plugin's drawing that fails
            return [self._table.whole(plain_diagram(view, last), view, last)]


@lru_cache(maxsize=1 << 12)
def _shown(notes: tuple[str, ...], *, hidden: bool) -> tuple[str, ...]:
    # The page names the last action itself, in its game's notation.
    kept = [note for note in notes if not note.startswith("last: ")]
    return tuple([note.replace(LAST, HIDDEN) for note in kept] if hidden else kept)
