"""A match as pictures: the record replayed through the rules, as compact data for the page's script.

A picture is a set of things at places (see ``board_table``), templates of notes, and the position string. The
data hold what changes from picture to picture, about 40 bytes an action.

Chromium refuses ``<use href="file.svg#id">`` on ``file://`` but shows ``<image href="file.svg#id">``, so a
page has one such element per sprite, and its scripts replace them by the sprites in ``board/game.js``.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

from tourney.errors import GameError
from tourney.games.base import CHANCE, AnyGame, AnyState
from tourney.games.diagrams import fill, style
from tourney.games.registry import EXTERNAL
from tourney.games.svg_diagram import ARROW, LABEL, MARK, NO_BOX, Box, around, arrow_svg
from tourney.match.record import Record
from tourney.report.replays.board_table import (
    HIDDEN,
    NO_FRAMES,
    NOTHING,
    BoardTable,
    FrameDrawer,
    Frames,
    SeenView,
    Thing,
    board_table,
)
from tourney.report.replays.codes import RUN, columns, number, prefixed, steps

GAME = "board/game.js"
SPRITES = "board/sprites.svg"
GROUND = "board/ground.svg"
"""The shared files, in a tournament's folder: the data as a script, the sprites and the ground."""

Still = tuple[list[Thing], list[Thing]]
"""The things of a picture over the first ground: cells and labels, then all others, the lowest first."""

SHORTEST_RUN = 4
"""Things of one sprite from which a run takes fewer characters."""
_SHARED = ("same-ground", "same-pieces")
"""The ids of what all pictures of a page share, by the parts of a ``Still``."""

_REACH = 64
"""The distance from the centre of a thing within which its SVG stays."""


class LinePictures(NamedTuple):
    """The pictures of a line: ``first`` is the number of the one at its ply, and ``actions`` more follow."""

    first: int
    actions: int


@dataclass(frozen=True)
class BoardReplay:
    """The pictures of a match, from the start (ply 0) to the end (ply n after n actions).

    ``box`` is left, top, width and height of all pictures in SVG units; the width is 0 if the game has no
    board. ``seen`` holds the frames of each seat, up to the last ply at which they differ from the open
    frames; seats that saw everything are absent. ``hidden`` are the plies of the actions that a seat did not
    see. ``problem``: the reason that the pictures end before the actions, or "". ``lines`` has the pictures
    of lines that were not played, one line after another. ``line_at`` finds them by the ply at which a line
    begins, and ``tried_at`` the picture of an illegal action by the ply at which it was tried.
    """

    box: Box = NO_BOX
    actions: tuple[str, ...] = ()
    open: Frames = NO_FRAMES
    seen: Mapping[int, Frames] = field(default_factory=dict)
    hidden: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    problem: str = ""
    drawn_with: BoardTable | None = None
    lines: Frames | None = None
    line_at: Mapping[int, LinePictures] = field(default_factory=dict)
    tried_at: Mapping[int, int] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """The number of pictures."""
        return len(self.open.views)

    def captures(self, most: int) -> tuple[int, ...]:
        """The plies before the last picture after which the board has fewer things: the largest falls.

        A game without captures has none. Of equal falls the later ones are taken, as they weigh more.
        """
        table = self.table
        cells = {table.things[thing].place for thing in table.ground}
        shown = set(table.start)
        falls = []
        for ply, toggled in enumerate(self.open.toggles):
            placed = [thing for thing in toggled if table.things[thing].place in cells]
            gone = sum(thing in shown for thing in placed)
            shown ^= toggled
            if 0 < ply < self.count - 1:
                falls.append((len(placed) - 2 * gone, -ply))
        return tuple(sorted(-ply for fall, ply in sorted(falls)[:most] if fall < 0))

    def position(self, ply: int) -> str:
        """The position string at a ply."""
        return self.open.views[ply]

    def notes(self, ply: int) -> tuple[str, ...]:
        """The lines below a picture."""
        return fill(self.open.notes[ply], self.open.views[ply], self.actions[ply - 1] if ply else None)

    def things(self, ply: int, without: frozenset[int] = frozenset()) -> list[Thing]:
        """All things of a picture except ``without``, in the order of drawing."""
        shown = self.open.things(self.table.start, ply).difference(without).union(self.open.traces[ply])
        return [self.table.things[thing] for thing in self.table.ordered(shown)]

    @property
    def table(self) -> BoardTable:
        """The table that the pictures are drawn with. Raises ValueError without pictures."""
        if self.drawn_with is None:
            raise ValueError("this replay has no pictures")
        return self.drawn_with

    def data(self) -> dict[str, object]:
        """The data for ``templates/static/board.js``, as JSON data; they need ``shared_data`` too.

        ``sprites``, ``places``: those that are not shared, whose numbers follow the shared ones. ``notes``:
        templates of lines (see ``codes.prefixed``); ``sets``: sets of these, separated by blanks, each the
        codes of their numbers. Then the open frames, and in ``views``, with
        ``seat``, ``last``, the last ply that differs, and ``h``, the plies of the actions that it did not see
        (see ``codes.steps``), those of a seat: ``p``: the position strings (see
        ``codes.columns``); ``t``: by ply, separated by blanks, the things that appear or disappear, a thing
        being the codes of sprite and place, for an arrow of sprite, place and place; ``m``: likewise the
        things of this picture alone, such as marks and arrows, and for some of one sprite ``RUN``, their
        number, the sprite and their places; ``k``: by ply the number of the set of notes.
        ``lines``: the frames of lines.
        """
        return self._encoded[0]

    def own_sprites(self) -> list[tuple[int, int]]:
        """The sprites that are not shared: their numbers in the data, and in the table."""
        return self._encoded[1]

    @cached_property
    def _encoded(self) -> tuple[dict[str, object], list[tuple[int, int]]]:
        encoder = _FrameEncoder(self.table)
        views = []
        for seat, frames in self.seen.items():
            last = len(frames.views) - 1
            hidden = steps(self.hidden[seat])
            views.append({"seat": seat, "last": last, "h": hidden, **encoder.frames(frames)})
        data: dict[str, object] = encoder.frames(self.open)
        if views:
            data["views"] = views
        if self.lines is not None:
            data["lines"] = encoder.frames(self.lines)
        data |= encoder.tables()
        return data, [(numbered, sprite) for sprite, numbered in encoder.sprites.items()]


class _FrameEncoder:
    """Writes frames as text; gives numbers to the sprites, places and notes of one match.

    ``sprites`` are the numbers in the data of the sprites that are not shared, by their numbers in the table.
    """

    def __init__(self, table: BoardTable) -> None:
        self._table = table
        self.sprites: dict[int, int] = {}
        self._places: dict[int, int] = {}
        self._codes: dict[int, str] = {}
        self._sets: dict[tuple[str, ...], str] = {}

    def frames(self, frames: Frames) -> dict[str, object]:
        """The data of one onlooker."""
        toggles = []
        traces = []
        shown = self._table.start
        ended = NOTHING
        for toggled, after, trace in zip(
            frames.toggles, (*frames.toggles[1:], NOTHING), frames.traces, strict=True
        ):
            # A thing of one picture, such as dice, is written once with the marks instead of twice here.
            brief = (toggled & after).difference(shown)
            toggles.append(self._things(toggled.difference(brief, ended)))
            traces.append(self._runs(trace) + (self._things(brief) if brief else ""))
            shown ^= toggled
            ended = brief
        sets = self._sets
        return {
            "p": columns(frames.views),
            "t": " ".join(toggles),
            "m": " ".join(traces),
            "k": "".join([sets.get(notes) or self._set(notes) for notes in frames.notes]),
        }

    def tables(self) -> dict[str, object]:
        """The sprites, places and notes of this match alone."""
        table = self._table
        # Sorted, because neighbors then begin alike: "colour 1 (seat 1) places in column 5", "... 6".
        notes = sorted({note for notes in self._sets for note in notes})
        note_codes = {note: number(k) for k, note in enumerate(notes)}
        data: dict[str, object] = {
            "notes": prefixed(notes),
            "sets": " ".join(["".join([note_codes[note] for note in notes]) for notes in self._sets]),
        }
        if self.sprites:
            own_sprites = map(table.sprites.__getitem__, self.sprites)
            data["sprites"] = [[layer, level, "", title] for layer, level, _, title in own_sprites]
        if self._places:
            data["places"] = [list(table.places[place]) for place in self._places]
        return data

    def _things(self, things: frozenset[int]) -> str:
        codes = self._table.codes
        thing_codes = [codes[thing] or "" for thing in things]
        if "" in thing_codes:  # the others get numbers in an order that is the same in every process
            thing_codes = [self._code(thing) for thing in self._table.ordered(things)]
        thing_codes.sort()
        return "".join(thing_codes)

    def _runs(self, trace: Sequence[int]) -> str:
        """Marks and arrows, in which many marks of one look, as those of legal actions, name it once."""
        codes = self._table.codes
        by_sprite: dict[int, list[str]] = {}
        for thing in trace:
            code = codes[thing] or self._code(thing)
            by_sprite.setdefault(self._table.things[thing].sprite, []).append(code)
        parts = []
        for sprite, thing_codes in by_sprite.items():
            if len(thing_codes) < SHORTEST_RUN or sprite == self._table.arrow:
                parts += thing_codes
                continue
            name = number(self._sprite(sprite))
            places = [code.removeprefix(name) for code in thing_codes]
            parts += [RUN, number(len(places)), name, *places]
        return "".join(parts)

    def _set(self, notes: tuple[str, ...]) -> str:
        code = self._sets[notes] = number(len(self._sets))
        return code

    def _code(self, thing: int) -> str:
        code = self._table.codes[thing] or self._codes.get(thing)
        if code is None:
            sprite, place, end = self._table.things[thing]
            code = number(self._sprite(sprite)) + number(self._place(place))
            code += number(self._place(end)) if end >= 0 else ""
            self._codes[thing] = code
        return code

    def _sprite(self, sprite: int) -> int:
        shared = self._table.shared_sprites
        return sprite if sprite < shared else self.sprites.setdefault(sprite, shared + len(self.sprites))

    def _place(self, place: int) -> int:
        shared = self._table.shared_places
        return place if place < shared else self._places.setdefault(place, shared + len(self._places))


Line = tuple[int, Sequence[str]]
"""Actions that were not played, from a ply on."""


def replay(
    game: AnyGame | None,
    record: Record,
    table: BoardTable | None = None,
    lines: Iterable[Line] = (),
    tries: Mapping[int, str] | None = None,
) -> BoardReplay:
    """Replay a record through the rules and draw every position, up to the first illegal action.

    ``table`` is the tournament's (default: the table of the record's seats and options). ``lines`` are drawn
    as far as they are legal, up to the first draw by chance; ``tries`` are illegal actions by ply.
    """
    # Other rules could replay the actions to another end, and show what never happened.
    if game is None or game.rules != record.rules:
        return BoardReplay(problem=_why_not(game, record))
    seats = len(record.seats)
    table = table or board_table(game, seats, record.options)
    drawer = FrameDrawer(game, table)
    views: list[SeenView] = []
    by_seat: dict[int, list[SeenView]] = {seat: [] for seat in range(1, seats + 1) if game.has_hidden_actions}
    problem = end = ""
    try:
        state: AnyState = game.new(seats, record.options)
        views.append((state.position(), None))
        for seat, seen in by_seat.items():
            seen.append((state.observation(seat), None))
        for ply, (actor, text) in enumerate(record.actions, start=1):
            # The pictures of a forged record end where the rules stop it.
            if actor != state.actor:
                problem = f"action {ply} is by actor {actor}, but it is actor {state.actor}'s turn"
                break
            action = game.read_action(state, text)
            before = state
            state = state.play(action)
            views.append((state.position(), text))
            for seat, seen in by_seat.items():
                seen.append((state.observation(seat), text if before.visible(action, seat) else HIDDEN))
        end = state.reason()
    except GameError as error:
        problem = str(error)
    frames_of = _frames_of_seats(by_seat, views, drawer)
    frames = drawer.frames(views, end) if views else NO_FRAMES
    places: dict[int, LinePictures] = {}
    tried_at: dict[int, int] = {}
    beside: list[SeenView] = []
    if not problem:
        beside, places, tried_at = _lines_beside(game, record, lines, tries or {})
    aside = drawer.frames(beside) if beside else None
    actions = tuple([last or "" for _, last in views[1:]])
    hidden = {
        seat: tuple(ply for ply, (_, last) in enumerate(by_seat[seat]) if last == HIDDEN)
        for seat in frames_of
    }
    box = around(drawer.boxes)
    return BoardReplay(box, actions, frames, frames_of, hidden, problem, table, aside, places, tried_at)


def _frames_of_seats(
    by_seat: Mapping[int, Sequence[SeenView]], views: Sequence[SeenView], drawer: FrameDrawer
) -> dict[int, Frames]:
    """What each seat saw, up to the last position that it saw otherwise than everybody; seats that did."""
    frames_of = {}
    for seat, seen in by_seat.items():
        differs = [
            ply
            for ply, (seat_view, open_view) in enumerate(zip(seen, views, strict=False))
            if seat_view != open_view
        ]
        if differs:
            frames_of[seat] = drawer.frames(seen[: differs[-1] + 1])
    return frames_of


def _why_not(game: AnyGame | None, record: Record) -> str:
    if game is not None:
        return f"the record has rules version {record.rules}, but version {game.rules} is installed"
    outside = record.game == EXTERNAL
    return "an outside referee played it" if outside else f"the game {record.game} is not installed"


def _lines_beside(
    game: AnyGame, record: Record, lines: Iterable[Line], tries: Mapping[int, str]
) -> tuple[list[SeenView], dict[int, LinePictures], dict[int, int]]:
    """The views of lines and tries beside a record that holds, and where they are; see ``BoardReplay``."""
    views: list[SeenView] = []
    places: dict[int, LinePictures] = {}
    tried_at: dict[int, int] = {}
    line_of = dict(lines)
    state = game.new(len(record.seats), record.options)
    for ply in range(1 + max((*line_of, *tries), default=-1)):
        if ply in line_of:
            line = [(state.position(), record.actions[ply - 1][1] if ply else None)]
            line += _followed(game, state, line_of[ply])
            places[ply] = LinePictures(len(views), len(line) - 1)
            views += line
        if ply in tries:
            tried_at[ply] = len(views)
            views.append((state.position(), tries[ply]))
        if ply < len(record.actions):
            state = state.play(game.read_action(state, record.actions[ply][1]))
    return views, places, tried_at


def _followed(game: AnyGame, state: AnyState, line: Sequence[str]) -> Iterator[SeenView]:
    for text in line:
        if state.actor <= CHANCE:
            return
        try:
            state = state.play(game.read_action(state, text))
        except GameError:
            return
        yield state.position(), text


def shared_data(table: BoardTable) -> dict[str, object]:
    """The shared sprites and places, the seats' names and the code of the first position, as JSON data."""
    return {
        "sprites": [list(sprite) for sprite in table.sprites[: table.shared_sprites]],
        "places": [list(place) for place in table.places[: table.shared_places]],
        "seats": table.seat_names,
        "start": table.start_code,
    }


def shared_files(game: AnyGame | None, seats: int, options: Mapping[str, str]) -> dict[str, bytes]:
    """The files that the boards of all matches of a tournament share: their content by path."""
    if game is None:
        return {}
    table = board_table(game, seats, options)
    script = json.dumps(shared_data(table), separators=(",", ":"), allow_nan=False)
    file = '<svg xmlns="http://www.w3.org/2000/svg" class="tb" viewBox="%s"><style>\n%s</style>%s</svg>\n'
    sprites = "".join(
        f'<g id="k{k}" class="k">{sprite.svg}</g>'
        for k, sprite in enumerate(table.sprites[: table.shared_sprites])
    )
    hidden = "g.k{display:none}g.k:target{display:inline}\n"
    start = [table.things[thing] for thing in table.ordered(table.ground)]
    ground = "".join(
        f'<g transform="translate({x} {y})">{table.sprites[thing.sprite].svg}</g>'
        for thing in start
        for x, y, _ in (table.places[thing.place],)
    )
    box = " ".join(map(str, table.box))
    reach = f"{-_REACH} {-_REACH} {2 * _REACH} {2 * _REACH}"
    return {
        GAME: f"window.TourneyGame={script};\n".encode("ascii"),
        SPRITES: (file % (reach, style() + hidden, sprites)).encode(),
        GROUND: (file % (box, style(), ground)).encode(),
    }


def definitions(shown: BoardReplay, stills: Iterable[Still]) -> str:
    """SVG definitions of the sprites in some pictures, and of all sprites of the match alone.

    The page is one folder below the tournament's.

    ``templates/static/cockpit.css`` gives the images their place and size, by ``_REACH``.
    """
    table = shown.table
    own_groups = [f'<g id="k{k}">{table.sprites[sprite].svg}</g>' for k, sprite in shown.own_sprites()]
    return "".join((shared_images(table, stills, "../"), *own_groups))


def shared_images(table: BoardTable, stills: Iterable[Still], root: str) -> str:
    """SVG definitions of the shared sprites in some pictures; ``root`` leads to the tournament's folder."""
    used = {thing.sprite for parts in stills for part in parts for thing in part}
    return "".join(
        f"<image id=k{k} href={root}{SPRITES}#k{k} />"
        for k in sorted(used)
        if k < table.shared_sprites and k != table.arrow
    )


def ground(shown: BoardReplay, root: str = "../") -> str:
    """The ground of the first position as an SVG element."""
    left, top, width, height = shown.table.box
    if not width:
        return ""
    return f'<image href="{root}{GROUND}" x="{left}" y="{top}" width="{width}" height="{height}"/>'


def tried(shown: BoardReplay, ply: int) -> Still:
    """The things of the picture of an illegal action, of those in ``tried_at``."""
    assert shown.lines is not None  # noqa: S101 - it holds the picture
    return still(replace(shown, open=shown.lines), shown.tried_at[ply])


def still(shown: BoardReplay, ply: int) -> Still:
    """The things of a picture over the first ground."""
    table = shown.table
    things = shown.things(ply, without=table.ground)
    low = [thing for thing in things if table.sprites[thing.sprite].layer <= LABEL]
    return low, things[len(low) :]


def shared_things(shown: BoardReplay, pictures: Sequence[Still]) -> frozenset[Thing]:
    """The cells, labels and pieces that all pictures of a match have, for ``picture_markup``.

    Pieces on places where pictures differ are not among them, as they might lie below or above others; cells
    and labels neither.
    """
    sprites = shown.table.sprites
    shared = frozenset[Thing]()
    for part in zip(*pictures, strict=True):
        every = [set(things) for things in part]
        alike = set.intersection(*every)
        differing = {thing.place for things in every for thing in things.difference(alike)}
        shared |= {
            thing
            for thing in alike
            if thing.place not in differing and sprites[thing.sprite].layer not in {MARK, ARROW}
        }
    return shared


def shared_definitions(shown: BoardReplay, shared: frozenset[Thing], picture: Still) -> str:
    """SVG definitions of the things that the pictures share, in the order of one of them."""
    parts = [markup(shown, [thing for thing in part if thing in shared]) for part in picture]
    return "".join(f"<g id={name}>{part}</g>" for name, part in zip(_SHARED, parts, strict=True) if part)


def picture_markup(
    shown: BoardReplay, picture: Still, shared: frozenset[Thing] = frozenset()
) -> tuple[str, str]:
    """A picture as SVG: the things above the ground, and the ground cells that differ from the first one's.

    It refers to ``shared_definitions``, which hold ``shared``.
    """
    sprites = shown.table.sprites
    parts = []
    for part, name in zip(picture, _SHARED, strict=True):
        rest = [thing for thing in part if thing not in shared]
        below = [thing for thing in rest if sprites[thing.sprite].layer in {MARK, ARROW}]
        use = f"<use href=#{name} />" if len(rest) < len(part) else ""
        parts.append(markup(shown, below) + use + markup(shown, rest[len(below) :]))
    return parts[1], parts[0]


def markup(shown: BoardReplay, things: Iterable[Thing], *, alone: bool = True) -> str:
    """Things as SVG elements in HTML that refer to ``definitions``: many, so without quotes.

    On a page that is not ``alone`` the match's, sprites of the match are drawn where they stand, as other
    matches have others of the same numbers.
    """
    table = shown.table
    numbers = {sprite: k for k, sprite in shown.own_sprites()}
    elements = []
    for thing in things:
        x, y, _ = table.places[thing.place]
        if table.sprites[thing.sprite].layer == ARROW:
            end = table.places[thing.end]
            elements.append(f'<g transform="translate({x} {y})">{arrow_svg(end.x - x, end.y - y)}</g>')
        elif thing.sprite in numbers and not alone:
            elements.append(f'<g transform="translate({x} {y})">{table.sprites[thing.sprite].svg}</g>')
        else:
            elements.append(f"<use href=#k{numbers.get(thing.sprite, thing.sprite)} x={x} y={y} />")
    return "".join(elements)
