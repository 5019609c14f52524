"""Takes the pictures of a match, as what each changes of the one before."""

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import chain, compress, starmap
from operator import add, is_not, ne, xor
from typing import NamedTuple

from tourney.games.base import AnyGame
from tourney.games.diagram import LAST, plain_diagram
from tourney.report.replays.drawer import Box, Drawer, Drawn

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
    """A part of a diagram: how it looks at each ply, and its different looks."""

    drawn: list[Drawn]
    looks: Collection[Drawn]


class Camera:
    """Takes the pictures of one match, for any number of onlookers; ``boxes`` are what is drawn lies in."""

    def __init__(self, game: AnyGame, drawer: Drawer) -> None:
        self._game = game
        self._drawer = drawer
        self._drawn: dict[tuple[int, Hashable], Drawn] = {}
        self.boxes: set[Box] = set()

    def film(self, shots: Sequence[Shot]) -> Track:
        """Return the pictures of views; there is at least one.

        A picture that the game fails to draw is plain text: that costs the picture, not the report.
        """
        columns = self._columns(shots)
        toggles, traces, notes = (
            self._apart(shots) if columns is None else (self._toggles(columns), *_joined(columns))
        )
        views, lasts = zip(*shots, strict=True)
        if HIDDEN in lasts:
            notes = [
                tuple([note.replace(LAST, HIDDEN) for note in noted]) if last == HIDDEN else noted
                for noted, last in zip(notes, lasts, strict=True)
            ]
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
        known, part = self._drawer.parts, self._part
        looks = {value: known.get((index, value)) or part(index, value) for value in dict.fromkeys(values)}
        self.boxes.update([look.box for look in looks.values()])
        return Column(list(map(looks.__getitem__, values)), looks.values())

    def _part(self, index: int, part: Hashable) -> Drawn:
        found = self._drawn.get((index, part))
        if found is None:
            found = self._drawn[index, part] = self._drawer.part(index, part)
        return found

    def _toggles(self, columns: Sequence[Column]) -> list[frozenset[int]]:
        changes: list[list[frozenset[int]]] = [[] for _ in columns[0].drawn]
        changes[0] = [self._drawer.start, *(column.drawn[0].stay for column in columns)]
        for column in columns:
            if len(column.looks) > 1 and any(look.stay for look in column.looks):
                stays = [look.stay for look in column.drawn]
                for ply in compress(range(1, len(stays)), map(is_not, stays[1:], stays)):
                    changes[ply].append(stays[ply - 1] ^ stays[ply])
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


def _joined(columns: Sequence[Column]) -> tuple[list[tuple[int, ...]], list[tuple[str, ...]]]:
    """Return marks and arrows, and notes, by ply."""
    traces: list[tuple[int, ...]] = [()] * len(columns[0].drawn)
    notes: list[tuple[str, ...]] = [()] * len(columns[0].drawn)
    for column in columns:
        if any(look.trace for look in column.looks):
            traces = list(map(add, traces, [look.trace for look in column.drawn]))
        if any(look.notes for look in column.looks):
            notes = list(map(add, notes, [look.notes for look in column.drawn]))
    return traces, notes
