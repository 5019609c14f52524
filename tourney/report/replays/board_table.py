"""The drawings of a game: numbers for the sprites, places and things of its boards, and a match's frames.

A thing is a sprite at a place. Random matches determine the sprites and places that all matches of a
tournament share, in files of the site (``replay.shared_files``); a match's further ones are in its own page.
"""

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, reduce
from itertools import chain, count, zip_longest
from operator import xor
from typing import NamedTuple, TypeVar, cast

from tourney.games.base import AnyGame
from tourney.games.diagrams import (
    FIELD,
    LAST,
    WITHIN,
    Cell,
    Diagram,
    Label,
    Piece,
    field,
    plain_diagram,
    seat_colors,
)
from tourney.games.svg_diagram import (
    ARROW,
    LABEL,
    NO_BOX,
    Box,
    Grid,
    Sprite,
    around,
    box_of,
    cell_sprite,
    label_sprite,
    mark_sprite,
    piece_sprite,
    stacked,
    view_box,
)
from tourney.games.tree import playout
from tourney.report.replays.codes import number
from tourney.seeds import stream
from tourney.texts import legible

T = TypeVar("T")

SAMPLES = 2
SAMPLE = 300
"""The number of random matches that determine the shared sprites, and the actions of each.

Long ones, as pieces are captured late: the set-up of Cyvasse alone takes 72 actions.
"""

_MOST = 100_000
"""Most parts that a table keeps; then a new one takes its place."""


class BoardPlace(NamedTuple):
    """The centre of a cell in SVG units, and the cell's name."""

    x: int
    y: int
    name: str


class Thing(NamedTuple):
    """A sprite at a place, by their numbers; ``end`` is the other place of an arrow, else -1."""

    sprite: int
    place: int
    end: int = -1


class DrawnPart(NamedTuple):
    """A part of a diagram: things that stay, marks and arrows in their order, templates of notes."""

    stay: frozenset[int]
    trace: tuple[int, ...]
    notes: tuple[str, ...]
    box: Box


NOTHING: frozenset[int] = frozenset()
NO_PART = DrawnPart(NOTHING, (), (), NO_BOX)


@dataclass(frozen=True)
class _Ground:
    """The cells and labels of a diagram, on which the drawing of its pieces and marks depends."""

    number: int
    cells: tuple[Cell, ...]
    labels: tuple[Label, ...]
    grid: Grid
    box: Box
    stay: frozenset[int]


class BoardTable:
    """Turns diagrams of a game into numbered things, and caches the drawn parts.

    Numbers below ``shared_sprites`` and ``shared_places`` are the same in every process; ``things`` have
    numbers of this process alone, and ``codes`` if their sprite and places are shared. ``start`` are the
    things of the first position, ``parts`` the drawn parts by index and value.
    """

    def __init__(self, game: AnyGame, seats: int, options: Mapping[str, str]) -> None:
        self._game = game
        self._undivided = _is_undivided(game)
        self._names = game.seat_names[:seats]
        self._colors = seat_colors(self._names)
        self._sprites: dict[Sprite, int] = {}
        self._places: dict[BoardPlace, int] = {}
        self._things: dict[Thing, int] = {}
        self._pieces: dict[tuple[Piece, int, int], int] = {}
        self.sprites: list[Sprite] = []
        self.places: list[BoardPlace] = []
        self.things: list[Thing] = []
        self.codes: list[str | None] = []
        self.parts: dict[tuple[int, Hashable], DrawnPart] = {}
        self._grounds: list[_Ground] = []
        self._base = self._ground((), ())
        self.arrow = self._sprite(Sprite(ARROW, 0, "", ""))  # drawn between its places
        self.shared_sprites = self.shared_places = 0
        self.start, self.box = self._sample(seats, options)
        self.shared_sprites = len(self.sprites)
        self.shared_places = len(self.places)
        self.codes = [self._code(thing) for thing in self.things]

    @property
    def full(self) -> bool:
        """Whether it caches so much that a new table should replace it."""
        return len(self.parts) + len(self.things) + 100 * len(self._grounds) > _MOST

    def _sample(self, seats: int, options: Mapping[str, str]) -> tuple[frozenset[int], Box]:
        """Draw random matches; return the things and the bounding box of the first position."""
        game = self._game
        drawn = NO_PART
        try:
            first = game.new(seats, options)
            drawn = self.whole(game.diagram(first.position()), first.position(), None)
            for sample in range(SAMPLES):
                last = None
                # The seed is fixed: every process must draw the same shared sprites in the same order.
                for state, action in playout(first, stream(sample, "drawer"), SAMPLE):
                    views = (state.position(), *map(state.observation, range(1, seats + 1)))
                    for view in dict.fromkeys(views):
                        self.whole(game.diagram(view, last), view, last)
                    last = None if action is None else game.action_string(action)
        except Exception:  # noqa: BLE001 - a plugin that fails here costs the sharing, not the report
            return drawn.stay, drawn.box
        return drawn.stay, drawn.box

    def part(self, index: int, part: Hashable) -> DrawnPart:
        """A part of a diagram (see ``Game.diagram_part``)."""
        drawn = self.parts.get((index, part))
        if drawn is None:
            if self._undivided:
                view, last = cast("tuple[str, str | None]", part)
                return self.whole(self._game.diagram(view, last), view, last)
            diagram = self._game.diagram_part(index, part)
            if index == 0:
                self._base = self._ground(diagram.cells, diagram.labels)
            drawn = self.parts[index, part] = self._draw(diagram, self._base, diagram.notes)
        return drawn

    def whole(self, diagram: Diagram, view: str, last: str | None) -> DrawnPart:
        """A whole diagram."""
        ground = self._ground(diagram.cells, diagram.labels)
        return self._draw(diagram, ground, note_templates(diagram.notes, view, last))

    def _draw(self, diagram: Diagram, ground: _Ground, notes: tuple[str, ...]) -> DrawnPart:
        stay = list(ground.stay) if diagram.cells or diagram.labels else []
        stay += [self._piece(piece, level, ground) for piece, level in stacked(diagram.pieces)]
        grid = ground.grid
        marks = [
            self._thing(mark_sprite(mark.kind, grid.shape(mark.x, mark.y)), mark.x, mark.y, grid)
            for mark in diagram.marks
        ]
        arrows = [
            self._numbered(Thing(self.arrow, self._place(a.x1, a.y1, grid), self._place(a.x2, a.y2, grid)))
            for a in diagram.arrows
            if (a.x1, a.y1) != (a.x2, a.y2)
        ]
        # Captured pieces may lie beside the board, and must be in the picture.
        outside = {(piece.x, piece.y) for piece in diagram.pieces}.difference(grid.shapes)
        box = around((ground.box, box_of(outside, grid.down)))
        return DrawnPart(frozenset(stay), (*marks, *arrows), notes, box)

    def _ground(self, cells: tuple[Cell, ...], labels: tuple[Label, ...]) -> _Ground:
        # Nearly all diagrams of a match share the latest ground.
        for earlier in reversed(self._grounds):
            if earlier.cells == cells and earlier.labels == labels:
                return earlier
        grid = Grid.of(cells)
        things = [self._thing(cell_sprite(c.kind, c.shape, self._colors), c.x, c.y, grid) for c in cells]
        things += [self._thing(label_sprite(label.text), label.x, label.y, grid) for label in labels]
        box = view_box(Diagram(cells, labels=labels))
        ground = _Ground(len(self._grounds), cells, labels, grid, box, frozenset(things))
        self._grounds.append(ground)
        return ground

    def _piece(self, piece: Piece, level: int, ground: _Ground) -> int:
        key = piece, level, ground.number
        thing = self._pieces.get(key)
        if thing is None:
            sprite = piece_sprite(piece, level, ground.grid, self._colors)
            thing = self._pieces[key] = self._thing(sprite, piece.x, piece.y, ground.grid)
        return thing

    def _thing(self, sprite: Sprite, x: int, y: int, grid: Grid) -> int:
        return self._numbered(Thing(self._sprite(sprite), self._place(x, y, grid)))

    def _sprite(self, sprite: Sprite) -> int:
        return _number_of(sprite, self._sprites, self.sprites)

    def _place(self, x: int, y: int, grid: Grid) -> int:
        return _number_of(BoardPlace(*grid.at(x, y), grid.names.get((x, y), "")), self._places, self.places)

    def _numbered(self, thing: Thing) -> int:
        thing_number = _number_of(thing, self._things, self.things)
        if thing_number == len(self.codes):
            self.codes.append(self._code(thing))
        return thing_number

    def _code(self, thing: Thing) -> str | None:
        """The code of a thing whose sprite and places are shared, else None."""
        sprite, place, end = thing
        if sprite >= self.shared_sprites or max(place, end) >= self.shared_places:
            return None
        return number(sprite) + number(place) + (number(end) if end >= 0 else "")

    @cached_property
    def seat_names(self) -> list[str]:
        """The names of the seats for display."""
        return list(map(legible, self._names))

    @cached_property
    def start_code(self) -> str:
        """The code of the first position."""
        codes = [self.codes[thing] for thing in self.start]
        return "".join(sorted(code for code in codes if code is not None))

    @cached_property
    def ground(self) -> frozenset[int]:
        """The cells and labels of the first position."""
        low = (thing for thing in self.start if self.sprites[self.things[thing].sprite].layer <= LABEL)
        return frozenset(low)

    def ordered(self, things: Iterable[int]) -> list[int]:
        """Things in the order of drawing: by layer, height, y and x."""

        def key(thing: int) -> tuple[int | str, ...]:
            sprite, place, end = self.things[thing]
            layer, level, svg, _ = self.sprites[sprite]
            x, y, _ = self.places[place]
            to = self.places[end] if end >= 0 else (0, 0)
            # The SVG last: things at one place keep their order in every process.
            return layer, level, y, x, to[1], to[0], svg

        return sorted(things, key=key)


def _number_of(item: T, numbers: dict[T, int], items: list[T]) -> int:
    """The number of an item, which gets the next one if it is new."""
    item_number = numbers.setdefault(item, len(items))
    if item_number == len(items):
        items.append(item)
    return item_number


def _is_undivided(game: AnyGame) -> bool:
    """Whether the one part of a game's diagram is the view itself, the default of ``Game.diagram_parts``."""
    try:
        return game.diagram_parts("", None) == (("", None),)
    except Exception:  # noqa: BLE001 - a game that divides its diagrams reads the view, and this one is none
        return False


def note_templates(notes: Sequence[str], view: str, last: str | None) -> tuple[str, ...]:
    """Templates (see ``diagram.fill``) of notes, without texts of the view and the last action."""
    addresses: dict[str, str] = {}
    for index, text in enumerate(view.split(" ")):
        addresses.setdefault(text, f"{FIELD}{index}{FIELD}")
        for within, word in enumerate(WITHIN.split(text)):
            addresses.setdefault(word, f"{FIELD}{index}.{within}{FIELD}")
    templates = []
    for note in notes:
        text = _without_list(legible(note), view)
        end = ""
        if last and text.endswith(last) and last.isprintable():
            text = text[: -len(last)]
            end = LAST
        whole = addresses.get(text) if not end and text else None
        templates.append(whole or _NUMBER.sub(lambda n: addresses.get(n[0], n[0]), text) + end)
    return tuple(templates)


def _without_list(note: str, view: str) -> str:
    """A note with addresses in place of a list of numbers that is a whole field of the view, in its order."""
    # A digit by itself repeats in a view, and its address would change from ply to ply.
    numbers = _LISTED.findall(note)
    if len(numbers) < 2:
        return note
    for index, text in enumerate(view.split(" ")):
        if WITHIN.split(text) == numbers:
            places = count()
            return _LISTED.sub(lambda _: field(index, next(places)), note)  # noqa: B023 - returns at once
    return note


_LISTED = re.compile(r"(?<=: )[0-9]+(?=,|$)")  # "in hand, by colour: 1: 7, 2: 10"
_NUMBER = re.compile(r"(?<![\w.])[0-9]{2,}(?![\w.])")  # few notes differ in one digit, and digits are many

_TABLES: dict[Hashable, BoardTable] = {}


def board_table(game: AnyGame, seats: int, options: Mapping[str, str]) -> BoardTable:
    """The table of a game with these seats: one in each process."""
    key = type(game), seats, tuple(sorted(options.items()))
    table = _TABLES.get(key)
    # A long run must not cache every position of millions of matches.
    if table is None or table.full:
        # A process of `report --all` meets many games and options.
        if len(_TABLES) > 16:
            _TABLES.clear()
        table = _TABLES[key] = BoardTable(game, seats, options)
    return table


HIDDEN = "?"
"""The last action for a seat that did not see it."""

SeenView = tuple[str, str | None]
"""A position or an observation, and the last action before it."""


@dataclass(frozen=True, slots=True)
class Frames:
    """The pictures of one onlooker, each as a change of the one before; the first changes the table's start.

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


NO_FRAMES = Frames((), (), (), ())


class FrameDrawer:
    """Draws the frames of one match, for any number of onlookers; all lie in ``boxes``."""

    def __init__(self, game: AnyGame, table: BoardTable) -> None:
        self._game = game
        self._table = table
        self._parts: dict[tuple[int, Hashable], DrawnPart] = {}
        self.boxes: set[Box] = set()

    def frames(self, seen: Sequence[SeenView], end: str = "") -> Frames:
        """The frames of views; there is at least one.

        ``end`` is the reason that the game is over with the last view, or "": a position need not hold it (a
        FEN does not). A picture that the game fails to draw is plain text: the failure costs that picture,
        not the report.
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
        drawn = self._table.parts.get((index, part)) or self._parts.get((index, part))
        if drawn is None:
            drawn = self._parts[index, part] = self._table.part(index, part)
        return drawn

    def _picture(self, view: str, last: str | None) -> list[DrawnPart]:
        try:
            parts = self._game.diagram_parts(view, last)
            return [self._part(index, part) for index, part in enumerate(parts)]
        except Exception:  # noqa: BLE001 - a plugin's drawing that fails
            return [self._table.whole(plain_diagram(view, last), view, last)]


@lru_cache(maxsize=1 << 12)
def _shown(notes: tuple[str, ...], *, hidden: bool) -> tuple[str, ...]:
    # The page names the last action itself, in its game's notation.
    lines = [note for note in notes if not note.startswith("last: ")]
    return tuple([note.replace(LAST, HIDDEN) for note in lines] if hidden else lines)
