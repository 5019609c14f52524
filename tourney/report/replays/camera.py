"""Takes the pictures of a match one after another, as what each changes of the one before."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import chain, compress
from operator import ne

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


class Camera:
    """Takes pictures one after another and keeps what changes.

    ``taken`` are the views, toggles, traces and notes of a ``Track``, ``drawn`` the parts of the last
    picture, ``last`` the last action. ``boxes`` gets the bounding boxes of what is drawn.
    """

    def __init__(self, game: AnyGame, drawer: Drawer, boxes: set[Box]) -> None:
        self._game = game
        self._drawer = drawer
        self._boxes = boxes
        self._parts: tuple[Hashable, ...] = ()
        self.drawn: list[Drawn] = []
        self._noted: set[int] = set()  # the parts that have, or had, notes
        self._traced: set[int] = set()
        self._notes: tuple[str, ...] = ()
        self._trace: tuple[int, ...] = ()
        self._start: frozenset[int] | None = drawer.start
        self.last: str | None = None
        self._follows = False
        self.taken: tuple[list[str], list[frozenset[int]], list[tuple[int, ...]], list[tuple[str, ...]]]
        self.taken = [], [], [], []

    def take(self, view: str, last: str | None) -> None:
        """Take the picture of a view after an action."""
        self.last = last
        try:
            toggled = self._change(self._game.diagram_parts(view, last))
        except Exception:  # noqa: BLE001 - a plugin's drawing that fails costs the picture, not the report
            plain = self._drawer.whole(plain_diagram(view, last), view, last)
            toggled = self._replace((), [plain])
        notes = self._notes
        if last == HIDDEN:
            notes = tuple([note.replace(LAST, HIDDEN) for note in notes])
        self._keep(view, toggled, self._trace, notes)

    def _keep(
        self, view: str, toggled: frozenset[int], trace: tuple[int, ...], notes: tuple[str, ...]
    ) -> None:
        views, toggles, traces, noted = self.taken
        views.append(view)
        toggles.append(toggled)
        traces.append(trace)
        noted.append(notes)

    def _change(self, parts: tuple[Hashable, ...]) -> frozenset[int]:
        old, drawn, draw = self._parts, self.drawn, self._drawer.part
        if len(old) != len(parts):
            return self._replace(parts, [draw(index, part) for index, part in enumerate(parts)])
        known = self._drawer.parts
        changed = [
            (k, known.get((k, parts[k])) or draw(k, parts[k]))
            for k in compress(range(len(parts)), map(ne, parts, old))
        ]
        self._parts = parts
        toggled: set[int] = set()
        noted = traced = False
        for index, now in changed:
            was = drawn[index]
            drawn[index] = now
            if now.stay is not was.stay:
                toggled ^= was.stay
                toggled ^= now.stay
            if now.notes != was.notes:
                noted = True
                self._noted.add(index)
            if now.trace != was.trace:
                traced = True
                self._traced.add(index)
            if now.box is not was.box:
                self._boxes.add(now.box)
        if noted:
            self._notes = tuple(chain.from_iterable([drawn[k].notes for k in sorted(self._noted)]))
        if traced:
            self._trace = tuple(chain.from_iterable([drawn[k].trace for k in sorted(self._traced)]))
        return frozenset(toggled)

    def _replace(self, parts: tuple[Hashable, ...], drawn: list[Drawn]) -> frozenset[int]:
        before = self._start if self._start is not None else _stay(self.drawn)
        self._start = None
        self._parts, self.drawn = parts, drawn
        self._noted = {k for k, each in enumerate(drawn) if each.notes}
        self._traced = {k for k, each in enumerate(drawn) if each.trace}
        self._notes = tuple([note for each in drawn for note in each.notes])
        self._trace = tuple([thing for each in drawn for thing in each.trace])
        self._boxes.update(each.box for each in drawn)
        return before ^ _stay(drawn)

    def see(self, view: str, last: str | None, other: "Camera") -> bool:
        """Take the picture of a view after an action, or the other's last if equal; say whether it is not."""
        views, toggles, traces, notes = other.taken
        if view == views[-1] and last == other.last:
            toggled = toggles[-1] if self._follows else self._replace((), [*other.drawn])
            self._follows = True
            self._keep(view, toggled, traces[-1], notes[-1])
            return False
        if self._follows:
            self._follows = False
            self._start = _stay(other.drawn) ^ toggles[-1]
            self._parts = ()
        self.take(view, last)
        return True

    def track(self, count: int | None = None) -> Track:
        """Return the first pictures, or all."""
        views, toggles, traces, notes = self.taken
        return Track(
            tuple(views[:count]), tuple(toggles[:count]), tuple(traces[:count]), tuple(notes[:count])
        )


def _stay(drawn: Sequence[Drawn]) -> frozenset[int]:
    return frozenset[int]().union(*(each.stay for each in drawn))
