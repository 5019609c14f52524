"""Takes the pictures of a match, as what each changes of the one before."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import chain, compress, repeat, starmap
from operator import add, ne, sub, xor
from typing import NamedTuple, TypeVar

from tourney.games.base import AnyGame
from tourney.games.diagram import LAST, plain_diagram
from tourney.report.replays.drawer import Box, Drawer, Drawn

T = TypeVar("T")

HIDDEN = "?"
"""The last action for a seat that did not see it."""


@dataclass(frozen=True, slots=True)
class Track:
    """The pictures as one onlooker sees them: what each changes of the one before, from the drawer's start.

    ``toggles`` are the things that appear or disappear, ``traces`` the marks and arrows, ``notes`` the
    templates of the lines below, all by ply.
    """

    views: tuple[str, ...]
    toggles: tuple[frozenset[int], ...]
    traces: tuple[tuple[int, ...], ...]
    notes: tuple[tuple[str, ...], ...]

    def things(self, start: frozenset[int], ply: int) -> set[int]:
        """Return the things of a picture, without marks and arrows."""
        found = set(start)
        for toggled in self.toggles[: ply + 1]:
            found ^= toggled
        return found


Shot = tuple[str, str | None]
"""A view, and the last action before it."""


class Column(NamedTuple):
    """A part of a diagram: the plies at which it changes, from 0, and how it looks from then on."""

    plies: list[int]
    looks: list[Drawn]


class Camera:
    """Takes the pictures of one match, for any number of onlookers; ``boxes`` are what is drawn lies in."""

    def __init__(self, game: AnyGame, drawer: Drawer) -> None:
        self._game = game
        self._drawer = drawer
        self._drawn: dict[tuple[int, Hashable], Drawn] = {}
        self.boxes: set[Box] = set()

    def film(self, shots: Sequence[Shot], end: str = "") -> Track:
        """Return the pictures of views; there is at least one.

        ``end`` is why the game is over with the last one, or "": a position alone need not say it, as a FEN.
        A picture that the game fails to draw is plain text: that costs the picture, not the report.
        """
        columns = self._columns(shots)
        toggles, traces, notes = (
            self._apart(shots)
            if columns is None
            else (self._toggles(columns, len(shots)), *_joined(columns, len(shots)))
        )
        views, lasts = zip(*shots, strict=True)
        if HIDDEN in lasts:
            notes = [
                tuple([note.replace(LAST, HIDDEN) for note in noted]) if last == HIDDEN else noted
                for noted, last in zip(notes, lasts, strict=True)
            ]
        if end:
            notes[-1] = tuple([f"over: {end}" if note.endswith(" to move") else note for note in notes[-1]])
        return Track(views, tuple(toggles), tuple(traces), tuple(notes))

    def _columns(self, shots: Sequence[Shot]) -> list[Column] | None:
        """Return the parts of all pictures, or None if they must be drawn one after another.

        Drawing a whole column at once takes a fraction of the time, as most parts seldom change.
        """
        try:
            parts = list(zip(*starmap(self._game.diagram_parts, shots), strict=True))
            if len(parts) > 1 and any(map(ne, parts[0][1:], parts[0])):
                return None  # the other parts depend on the ground
            return [self._column(index, values) for index, values in enumerate(parts)]
        except Exception:  # noqa: BLE001 - a plugin's drawing that fails
            return None

    def _column(self, index: int, values: Sequence[Hashable]) -> Column:
        plies = [0, *compress(range(1, len(values)), map(ne, values[1:], values))]
        known, part = self._drawer.parts, self._part
        looks = [known.get((index, values[ply])) or part(index, values[ply]) for ply in plies]
        self.boxes.update([look.box for look in looks])
        return Column(plies, looks)

    def _part(self, index: int, part: Hashable) -> Drawn:
        found = self._drawn.get((index, part))
        if found is None:
            found = self._drawn[index, part] = self._drawer.part(index, part)
        return found

    def _toggles(self, columns: Sequence[Column], count: int) -> list[frozenset[int]]:
        changes: list[list[frozenset[int]]] = [[] for _ in range(count)]
        changes[0].append(self._drawer.start)
        for plies, looks in columns:
            before = _NONE
            for ply, look in zip(plies, looks, strict=True):
                if look.stay is not before:
                    changes[ply].append(before ^ look.stay)
                    before = look.stay
        return [reduce(xor, sets) if sets else _NONE for sets in changes]

    def _apart(
        self, shots: Sequence[Shot]
    ) -> tuple[list[frozenset[int]], list[tuple[int, ...]], list[tuple[str, ...]]]:
        pictures = list(starmap(self._picture, shots))
        stays = [_NONE.union(*[drawn.stay for drawn in picture]) for picture in pictures]
        self.boxes.update(drawn.box for picture in pictures for drawn in picture)
        return (
            [self._drawer.start ^ stays[0], *map(xor, stays, stays[1:])],
            [tuple(chain.from_iterable([drawn.trace for drawn in picture])) for picture in pictures],
            [tuple(chain.from_iterable([drawn.notes for drawn in picture])) for picture in pictures],
        )

    def _picture(self, view: str, last: str | None) -> list[Drawn]:
        try:
            parts = self._game.diagram_parts(view, last)
            return [self._part(index, part) for index, part in enumerate(parts)]
        except Exception:  # noqa: BLE001 - as above
            return [self._drawer.whole(plain_diagram(view, last), view, last)]


_NONE: frozenset[int] = frozenset()


def _joined(columns: Sequence[Column], count: int) -> tuple[list[tuple[int, ...]], list[tuple[str, ...]]]:
    """Return marks and arrows, and notes, by ply."""
    traces: list[tuple[int, ...]] = [()] * count
    notes: list[tuple[str, ...]] = [()] * count
    for plies, looks in columns:
        if any(look.trace for look in looks):
            traces = list(map(add, traces, _spread(plies, [look.trace for look in looks], count)))
        if any(look.notes for look in looks):
            notes = list(map(add, notes, _spread(plies, [look.notes for look in looks], count)))
    return traces, notes


def _spread(plies: Sequence[int], values: Sequence[T], count: int) -> Iterable[T]:
    """Return the value at each ply; ``values`` are those from each of ``plies`` on."""
    return chain.from_iterable(map(repeat, values, map(sub, [*plies[1:], count], plies)))
