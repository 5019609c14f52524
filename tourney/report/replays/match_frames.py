"""The frames of a match: its pictures, each as what it changes of the one before."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import chain, compress, repeat, starmap
from operator import add, ne, sub, xor
from typing import NamedTuple, TypeVar

from tourney.games.base import AnyGame
from tourney.games.diagrams import LAST, plain_diagram
from tourney.games.svg_diagram import Box
from tourney.report.replays.board_table import NOTHING, BoardTable, DrawnPart

T = TypeVar("T")

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


class _Column(NamedTuple):
    """A part of a diagram: the plies at which it changes, from 0, and what is drawn from then on."""

    plies: list[int]
    drawn: list[DrawnPart]


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
        columns = self._columns(seen)
        toggles, traces, notes = (
            self._one_by_one(seen)
            if columns is None
            else (self._toggles(columns, len(seen)), *_joined(columns, len(seen)))
        )
        views = tuple([view for view, _ in seen])
        # The page names the last action itself, in its game's notation.
        kept = {
            noted: tuple([note for note in noted if not note.startswith("last: ")]) for noted in set(notes)
        }
        notes = [
            tuple([note.replace(LAST, HIDDEN) for note in kept[noted]]) if last == HIDDEN else kept[noted]
            for noted, (_, last) in zip(notes, seen, strict=True)
        ]
        if end:
            notes[-1] = tuple([f"over: {end}" if note.endswith(" to move") else note for note in notes[-1]])
        return Frames(views, tuple(toggles), tuple(traces), tuple(notes))

    def _columns(self, seen: Sequence[SeenView]) -> list[_Column] | None:
        """The parts of all pictures, or None if they must be drawn one by one.

        Most parts seldom change, so drawing a whole column at once takes a fraction of the time.
        """
        try:
            parts = list(zip(*starmap(self._game.diagram_parts, seen), strict=True))
            if len(parts) > 1 and any(map(ne, parts[0][1:], parts[0])):
                return None  # the other parts depend on the ground
            return [self._column(index, values) for index, values in enumerate(parts)]
        except Exception:  # noqa: BLE001 - a plugin's drawing that fails
            return None

    def _column(self, index: int, values: Sequence[Hashable]) -> _Column:
        plies = [0, *compress(range(1, len(values)), map(ne, values[1:], values))]
        known, part = self._table.parts, self._part
        drawn = [known.get((index, values[ply])) or part(index, values[ply]) for ply in plies]
        self.boxes.update([each.box for each in drawn])
        return _Column(plies, drawn)

    def _part(self, index: int, part: Hashable) -> DrawnPart:
        found = self._parts.get((index, part))
        if found is None:
            found = self._parts[index, part] = self._table.part(index, part)
        return found

    def _toggles(self, columns: Sequence[_Column], count: int) -> list[frozenset[int]]:
        changes: list[list[frozenset[int]]] = [[] for _ in range(count)]
        changes[0].append(self._table.start)
        for plies, drawn in columns:
            before = NOTHING
            for ply, each in zip(plies, drawn, strict=True):
                if each.stay is not before:
                    changes[ply].append(before ^ each.stay)
                    before = each.stay
        return [reduce(xor, sets) if sets else NOTHING for sets in changes]

    def _one_by_one(
        self, seen: Sequence[SeenView]
    ) -> tuple[list[frozenset[int]], list[tuple[int, ...]], list[tuple[str, ...]]]:
        pictures = list(starmap(self._picture, seen))
        stays = [NOTHING.union(*[drawn.stay for drawn in picture]) for picture in pictures]
        self.boxes.update(drawn.box for picture in pictures for drawn in picture)
        return (
            [self._table.start ^ stays[0], *map(xor, stays, stays[1:])],
            [tuple(chain.from_iterable([drawn.trace for drawn in picture])) for picture in pictures],
            [tuple(chain.from_iterable([drawn.notes for drawn in picture])) for picture in pictures],
        )

    def _picture(self, view: str, last: str | None) -> list[DrawnPart]:
        try:
            parts = self._game.diagram_parts(view, last)
            return [self._part(index, part) for index, part in enumerate(parts)]
        except Exception:  # noqa: BLE001 - as above
            return [self._table.whole(plain_diagram(view, last), view, last)]


def _joined(columns: Sequence[_Column], count: int) -> tuple[list[tuple[int, ...]], list[tuple[str, ...]]]:
    """Marks and arrows, and notes, by ply."""
    traces: list[tuple[int, ...]] = [()] * count
    notes: list[tuple[str, ...]] = [()] * count
    for plies, drawn in columns:
        if any(each.trace for each in drawn):
            traces = list(map(add, traces, _spread(plies, [each.trace for each in drawn], count)))
        if any(each.notes for each in drawn):
            notes = list(map(add, notes, _spread(plies, [each.notes for each in drawn], count)))
    return traces, notes


def _spread(plies: Sequence[int], values: Sequence[T], count: int) -> Iterable[T]:
    """The value at each ply; ``values`` are those from each of ``plies`` on."""
    return chain.from_iterable(map(repeat, values, map(sub, [*plies[1:], count], plies)))
