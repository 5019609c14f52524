"""What the boards of a game are made of: kinds of things, places, and each part of a diagram as things.

A thing is a kind at a place: a cell, a label, a mark, an arrow or a piece. The kinds and places that some
random matches show are the same for all matches of a tournament, so they are in files of the site
(``shared_files``); what a match shows beyond them is in its own page.
"""

import html
import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, cast

from tourney.games.base import AnyGame, Game
from tourney.games.diagram import FIELD, LAST, Arrow, Cell, Diagram, Label, Mark, Piece, Shape
from tourney.games.game_tree import playout
from tourney.games.svg_diagram import (
    Scale,
    ground_svg,
    placed_shapes,
    scale_of,
    seat_colors,
    view_box,
)
from tourney.report.replays.codes import number
from tourney.seeds import stream

GROUND, LABEL, MARK, ARROW, PIECE, ASIDE = range(6)
"""The layers of things, the lowest first; the last has the pieces beside the board."""

SAMPLES, SAMPLE = 4, 120
"""The random matches that show the kinds of things to share, and the actions of each."""

_MOST = 100_000
"""Most parts that a drawer keeps; then it starts anew."""

Box = tuple[int, int, int, int]


class Kind(NamedTuple):
    """A kind of thing: its layer, its height above others of the layer at the place, its SVG, its title.

    The SVG is around the origin; that of an arrow is drawn between its places. In the title, ``FIELD`` stands
    for the name of the place.
    """

    layer: int
    level: int
    look: str
    title: str


class Place(NamedTuple):
    """The centre of a cell in SVG units, and the cell's name."""

    x: int
    y: int
    name: str


class Thing(NamedTuple):
    """A kind at a place, by their numbers; ``end`` is the other place of an arrow, else -1."""

    kind: int
    place: int
    end: int = -1


class Drawn(NamedTuple):
    """A part of a diagram: things that stay, marks and arrows in their order, templates of notes."""

    stay: frozenset[int]
    trace: tuple[int, ...]
    notes: tuple[str, ...]
    box: Box


_NONE: frozenset[int] = frozenset()
EMPTY = Drawn(_NONE, (), (), (0, 0, 0, 0))


@dataclass(frozen=True)
class _Terrain:
    """The cells and labels of a diagram: what the things on them depend on."""

    number: int
    cells: tuple[Cell, ...]
    labels: tuple[Label, ...]
    scale: Scale
    shapes: Mapping[tuple[int, int], Shape]
    names: Mapping[tuple[int, int], str]
    box: Box
    stay: frozenset[int] = frozenset()


class Drawer:
    """Turns diagrams of a game into numbered things, and keeps what it has drawn.

    Numbers below ``shared_kinds`` and ``shared_places`` are the same in every process; ``things`` have
    numbers of this process alone, and ``codes`` if their kind and places are shared. ``start`` are the things
    of the first position, ``parts`` the drawn parts by index and value.
    """

    def __init__(self, game: AnyGame, seats: int, options: Mapping[str, str]) -> None:
        self._game = game
        self._undivided = type(game).diagram_parts is Game.diagram_parts
        self._names = game.seat_names[:seats]
        self._colors = seat_colors(game.seat_names[:seats])
        self.kinds: list[Kind] = []
        self.places: list[Place] = []
        self.things: list[Thing] = []
        self.codes: list[str | None] = []
        self._kind_of: dict[Hashable, int] = {}
        self._same_kind: dict[Kind, int] = {}
        self._place_of: dict[Place, int] = {}
        self._thing_of: dict[Thing, int] = {}
        self._pieces: dict[tuple[Piece, int, int], int] = {}
        self.parts: dict[tuple[int, Hashable], Drawn] = {}
        self._terrains: list[_Terrain] = []
        self._base = self._terrain((), ())
        self.arrow = self._kind("arrow", lambda: Kind(ARROW, 0, "", ""))
        self.shared_kinds = self.shared_places = 0
        self.start, self.box = self._sample(seats, options)
        self.shared_kinds, self.shared_places = len(self.kinds), len(self.places)
        self.codes = [self._code(thing) for thing in self.things]

    @property
    def full(self) -> bool:
        """Whether it keeps so much that a new one should take its place."""
        return len(self.parts) + len(self.things) + 100 * len(self._terrains) > _MOST

    def _sample(self, seats: int, options: Mapping[str, str]) -> tuple[frozenset[int], Box]:
        """Draw random matches; return the things of its first position, and the bounding box."""
        game, drawn = self._game, EMPTY
        try:
            first = game.new(seats, options)
            drawn = self.whole(game.diagram(first.position()), first.position(), None)
            for sample in range(SAMPLES):
                last = None
                for state, action in playout(first, stream(sample, "drawer"), SAMPLE):
                    for view in dict.fromkeys(
                        (state.position(), *map(state.observation, range(1, seats + 1)))
                    ):
                        self.whole(game.diagram(view, last), view, last)
                    last = None if action is None else game.action_string(action)
        except Exception:  # noqa: BLE001 - a plugin that fails here costs the sharing, not the report
            return drawn.stay, drawn.box
        return drawn.stay, drawn.box

    def part(self, index: int, part: Hashable) -> Drawn:
        """Return a part of a diagram (see ``Game.diagram_part``)."""
        found = self.parts.get((index, part))
        if found is None:
            if self._undivided:
                view, last = cast(tuple[str, str | None], part)
                return self.whole(self._game.diagram(view, last), view, last)
            diagram = self._game.diagram_part(index, part)
            if index == 0:
                self._base = self._terrain(diagram.cells, diagram.labels)
            found = self.parts[index, part] = self._draw(diagram, self._base, diagram.notes)
        return found

    def whole(self, diagram: Diagram, view: str, last: str | None) -> Drawn:
        """Return a whole diagram."""
        terrain = self._terrain(diagram.cells, diagram.labels)
        return self._draw(diagram, terrain, note_templates(diagram.notes, view, last))

    def _draw(self, diagram: Diagram, terrain: _Terrain, notes: tuple[str, ...]) -> Drawn:
        stay = list(terrain.stay) if diagram.cells or diagram.labels else []
        taken: dict[tuple[int, int], int] = {}
        for piece in diagram.pieces:
            at = piece.x, piece.y
            level = taken.get(at, 0)
            taken[at] = level + 1
            stay.append(self._piece(piece, terrain, level))
        marks = [self._mark(mark, terrain) for mark in diagram.marks]
        arrows = [self._arrow(a, terrain) for a in diagram.arrows if (a.x1, a.y1) != (a.x2, a.y2)]
        box = terrain.box
        if not all(at in terrain.shapes for at in taken):
            box = view_box(Diagram(terrain.cells, diagram.pieces, labels=terrain.labels))
        return Drawn(frozenset(stay), (*marks, *arrows), notes, box)

    def _terrain(self, cells: tuple[Cell, ...], labels: tuple[Label, ...]) -> _Terrain:
        for known in reversed(self._terrains):
            if known.cells == cells and known.labels == labels:
                return known
        ground = Diagram(cells, labels=labels)
        shapes: dict[tuple[int, int], Shape] = {(c.x, c.y): c.shape for c in cells}
        names = {(c.x, c.y): _printable(c.name) for c in cells}
        terrain = _Terrain(
            len(self._terrains), cells, labels, scale_of(ground), shapes, names, view_box(ground)
        )
        found = [self._cell(cell, terrain) for cell in cells]
        found += [self._label(label, terrain) for label in labels]
        terrain = replace(terrain, stay=frozenset(found))
        self._terrains.append(terrain)
        return terrain

    def _cell(self, cell: Cell, terrain: _Terrain) -> int:
        level = int(cell.shape == "point")

        def made() -> Kind:
            look = _ground(Diagram(cells=(Cell(0, 0, cell.kind, _MARKER, cell.shape),)), self._colors)
            return _titled(GROUND, level, look)

        kind = self._kind(("cell", cell.kind, cell.shape), made)
        return self._thing(kind, self._place(cell.x, cell.y, terrain))

    def _label(self, label: Label, terrain: _Terrain) -> int:
        def made() -> Kind:
            return Kind(LABEL, 0, _ground(Diagram(labels=(Label(0, 0, label.text),)), self._colors), "")

        return self._thing(self._kind(("label", label.text), made), self._place(label.x, label.y, terrain))

    def _mark(self, mark: Mark, terrain: _Terrain) -> int:
        shape = terrain.shapes.get((mark.x, mark.y), "square")

        def made() -> Kind:
            drawing = Diagram(cells=(Cell(0, 0, shape=shape),), marks=(Mark(0, 0, mark.kind),))
            return Kind(MARK, 0, placed_shapes(drawing, self._colors)[0][0], "")

        return self._thing(self._kind(("mark", mark.kind, shape), made), self._place(mark.x, mark.y, terrain))

    def _arrow(self, arrow: Arrow, terrain: _Terrain) -> int:
        start, end = self._place(arrow.x1, arrow.y1, terrain), self._place(arrow.x2, arrow.y2, terrain)
        return self._thing(self.arrow, start, end)

    def _piece(self, piece: Piece, terrain: _Terrain, level: int) -> int:
        known = piece, terrain.number, level
        found = self._pieces.get(known)
        if found is not None:
            return found
        at = piece.x, piece.y
        shape, name = terrain.shapes.get(at, "square"), terrain.names.get(at, "")
        title = _printable(piece.title)
        head, named, tail = title.rpartition(name) if name else ("", "", title)
        title = f"{head}{FIELD}{tail}" if named else title

        there = replace(piece, x=0, y=0, title=title)

        def made() -> Kind:
            drawing = Diagram(cells=(Cell(0, 0, shape=shape),), pieces=(there,))
            look = placed_shapes(drawing, self._colors)[0][0]
            layer = ASIDE if piece.aside else PIECE
            return Kind(layer, level, _TITLE.sub("", look), title or _printable(piece.glyph))

        kind = self._kind((there, shape, level), made)
        found = self._pieces[known] = self._thing(kind, self._place(*at, terrain))
        return found

    def _kind(self, known: Hashable, made: Callable[[], Kind]) -> int:
        found = self._kind_of.get(known)
        if found is None:
            kind = made()
            found = self._same_kind.setdefault(kind, len(self.kinds))
            if found == len(self.kinds):
                self.kinds.append(kind)
            self._kind_of[known] = found
        return found

    def _place(self, x: int, y: int, terrain: _Terrain) -> int:
        place = Place(*terrain.scale.at(x, y), terrain.names.get((x, y), ""))
        found = self._place_of.setdefault(place, len(self.places))
        if found == len(self.places):
            self.places.append(place)
        return found

    def _thing(self, kind: int, place: int, end: int = -1) -> int:
        thing = Thing(kind, place, end)
        found = self._thing_of.setdefault(thing, len(self.things))
        if found == len(self.things):
            self.things.append(thing)
            self.codes.append(self._code(thing))
        return found

    def _code(self, thing: Thing) -> str | None:
        """Return the code of a thing whose kind and places are shared, else None."""
        kind, place, end = thing
        if kind >= self.shared_kinds or max(place, end) >= self.shared_places:
            return None
        return number(kind) + number(place) + (number(end) if end >= 0 else "")

    @cached_property
    def shared(self) -> dict[str, Any]:
        """The shared kinds and places, the seats' names and the code of the first position, as JSON data."""
        codes = [self.codes[thing] for thing in self.start]
        return {
            "kinds": [list(kind) for kind in self.kinds[: self.shared_kinds]],
            "places": [list(place) for place in self.places[: self.shared_places]],
            "seats": [_printable(name) for name in self._names],
            "start": "".join(sorted(code for code in codes if code is not None)),
        }

    @cached_property
    def ground(self) -> frozenset[int]:
        """The cells and labels of the first position."""
        low = (thing for thing in self.start if self.kinds[self.things[thing].kind].layer <= LABEL)
        return frozenset(low)

    def ordered(self, things: Iterable[int]) -> list[int]:
        """Return things in the order of drawing: by layer, height, y and x."""

        def key(thing: int) -> tuple[int | str, ...]:
            kind, place, end = self.things[thing]
            layer, level, look, _ = self.kinds[kind]
            x, y, _ = self.places[place]
            to = self.places[end] if end >= 0 else (0, 0)
            return layer, level, y, x, to[1], to[0], look

        return sorted(things, key=key)


def note_templates(notes: Sequence[str], view: str, last: str | None) -> tuple[str, ...]:
    """Return templates (see ``diagram.fill``) of notes, without texts of the view and the last action."""
    addresses: dict[str, str] = {}
    for index, text in enumerate(view.split(" ")):
        addresses.setdefault(text, f"{FIELD}{index}{FIELD}")
        for within, word in enumerate(_WITHIN.split(text)):
            addresses.setdefault(word, f"{FIELD}{index}.{within}{FIELD}")
    found = []
    for note in notes:
        text = _printable(note)
        end = ""
        if last and text.endswith(last) and last.isprintable():
            text, end = text[: -len(last)], LAST
        whole = addresses.get(text) if not end and text else None
        found.append(whole or _NUMBER.sub(lambda n: addresses.get(n[0], n[0]), text) + end)
    return tuple(found)


_WITHIN = re.compile("[:,]")
_NUMBER = re.compile(r"(?<![\w.])[0-9]{2,}(?![\w.])")  # few notes differ in one digit, and digits are many
_TITLE = re.compile("<title>(.*?)</title>", re.DOTALL)
_MARKER = "\N{OBJECT REPLACEMENT CHARACTER}"


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def _ground(diagram: Diagram, colors: Sequence[str]) -> str:
    return "".join(ground_svg(diagram, colors).split("\n")[1:-1])


def _titled(layer: int, level: int, look: str) -> Kind:
    """Return a kind whose SVG has a title that names the place."""
    title = _TITLE.search(look)
    named = html.unescape(title[1]).replace(_MARKER, FIELD) if title else ""
    return Kind(layer, level, _TITLE.sub("", look), named)


_DRAWERS: dict[Hashable, Drawer] = {}


def drawer_of(game: AnyGame, seats: int, options: Mapping[str, str]) -> Drawer:
    """Return the drawer of a game at a table: one in each process."""
    known = type(game), seats, tuple(sorted(options.items()))
    found = _DRAWERS.get(known)
    if found is None or found.full:
        if len(_DRAWERS) > 16:
            _DRAWERS.clear()
        found = _DRAWERS[known] = Drawer(game, seats, options)
    return found
