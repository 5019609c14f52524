"""A match as pictures: the record replayed through the rules, as compact data for the page's script.

A picture is a set of things at places (see ``drawer``), templates of notes, and the position string; the data
hold what changes from picture to picture, some 40 bytes an action. The page needs no knowledge of the game.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from tourney.errors import GameError
from tourney.games.base import AnyGame, AnyState
from tourney.games.diagram import fill
from tourney.games.registry import EXTERNAL
from tourney.match.record import Record
from tourney.report.replays.camera import HIDDEN, Camera, Shot, Track
from tourney.report.replays.codes import columns, number
from tourney.report.replays.drawer import Box, Drawer, Thing, drawer_of

KEY_FRAMES = 4
"""Most pictures in a page for readers without scripts, including the first and last."""

NO_BOX: Box = (0, 0, 0, 0)


@dataclass(frozen=True)
class Replay:
    """The pictures of a match, from the start (ply 0) to the end (ply n after n actions).

    ``box`` is left, top, width and height of all pictures in SVG units; the width is 0 if the game has no
    board. ``seen`` holds what each seat saw, up to the last ply at which it differs from the open position;
    seats that saw everything are absent. ``problem`` says why the pictures end before the actions, or is "".
    """

    box: Box = NO_BOX
    actions: tuple[str, ...] = ()
    track: Track | None = None
    seen: Mapping[int, Track] = field(default_factory=dict)
    problem: str = ""
    drawer: Drawer | None = None

    @property
    def count(self) -> int:
        """The number of pictures."""
        return len(self.track.views) if self.track else 0

    @property
    def key_plies(self) -> tuple[int, ...]:
        """The pictures in the page itself: the first, the last and evenly spaced ones."""
        last = self.count - 1
        count = min(KEY_FRAMES, last + 1)
        return tuple(round(k * last / (count - 1)) for k in range(count)) if count > 1 else (0,) * count

    def position(self, ply: int) -> str:
        """Return the position string at a ply."""
        return self._track.views[ply]

    def notes(self, ply: int) -> tuple[str, ...]:
        """Return the lines below a picture."""
        return fill(self._track.notes[ply], self._track.views[ply], self.actions[ply - 1] if ply else None)

    def things(self, ply: int, without: frozenset[int] = frozenset()) -> list[Thing]:
        """Return all that a picture shows but some things, in the order of drawing."""
        drawer, track = self._drawer, self._track
        shown = track.things(drawer.start, ply).difference(without).union(track.traces[ply])
        return [drawer.things[thing] for thing in drawer.ordered(shown)]

    @property
    def _track(self) -> Track:
        if self.track is None:
            raise ValueError("this replay has no pictures")
        return self.track

    @property
    def _drawer(self) -> Drawer:
        if self.drawer is None:
            raise ValueError("this replay has no pictures")
        return self.drawer

    def data(self) -> dict[str, Any]:
        """Return the data for ``templates/static/board.js``, as JSON data; they need ``Drawer.shared`` too.

        ``kinds``, ``places``: those that are not shared, whose
        numbers follow the shared ones. ``notes``: templates of lines; ``sets``: lists of numbers of these.
        Then what is seen by all at the end, and in ``views``, with ``seat`` and ``last``, the last ply that
        differs, by a seat: ``p``: the position strings (see ``codes.columns``); ``t``: by ply, separated by
        blanks, the things that appear or disappear, a thing being the codes of kind and place, for an arrow
        of kind, place and place; ``m``: likewise the marks and arrows; ``k``: by ply the number of the set of
        notes.
        """
        return self._written[0]

    def own_kinds(self) -> list[tuple[int, int]]:
        """Return the kinds that are not shared: their numbers in the data, and in the drawer."""
        return self._written[1]

    @cached_property
    def _written(self) -> tuple[dict[str, Any], list[tuple[int, int]]]:
        if self.track is None:
            return {}, []
        writer = _Writer(self._drawer)
        views = [
            {"seat": seat, "last": len(track.views) - 1, **writer.track(track)}
            for seat, track in self.seen.items()
        ]
        data = {**writer.track(self.track), **writer.tables()}
        if views:
            data["views"] = views
        return data, [(numbered, kind) for kind, numbered in writer.kinds.items()]


class _Writer:
    """Writes tracks as text; gives numbers to the kinds, places and notes of one match.

    ``kinds`` are the numbers in the data of the kinds that are not shared, by their numbers in the drawer.
    """

    def __init__(self, drawer: Drawer) -> None:
        self._drawer = drawer
        self.kinds: dict[int, int] = {}
        self._places: dict[int, int] = {}
        self._codes: dict[int, str] = {}
        self._notes: dict[str, int] = {}
        self._sets: dict[tuple[str, ...], str] = {}

    def track(self, track: Track) -> dict[str, Any]:
        """Return the data of one onlooker."""
        codes = self._drawer.codes
        toggles = []
        for toggled in track.toggles:
            found = [codes[thing] or "" for thing in toggled]
            if "" in found:  # the others get numbers in an order that is the same in every process
                found = [self._code(thing) for thing in self._drawer.ordered(toggled)]
            found.sort()
            toggles.append("".join(found))
        traces = [
            "".join([codes[thing] or self._code(thing) for thing in trace]) if trace else ""
            for trace in track.traces
        ]
        sets = self._sets
        return {
            "p": columns(track.views),
            "t": " ".join(toggles),
            "m": " ".join(traces),
            "k": "".join([sets.get(notes) or self._set(notes) for notes in track.notes]),
        }

    def tables(self) -> dict[str, Any]:
        """Return what belongs to this match alone."""
        drawer = self._drawer
        found: dict[str, Any] = {
            "notes": list(self._notes),
            "sets": [list(map(self._notes.__getitem__, s)) for s in self._sets],
        }
        if self.kinds:
            found["kinds"] = [
                [layer, level, "", title]
                for layer, level, _, title in map(drawer.kinds.__getitem__, self.kinds)
            ]
        if self._places:
            found["places"] = [list(drawer.places[place]) for place in self._places]
        return found

    def _set(self, notes: tuple[str, ...]) -> str:
        for note in notes:
            self._notes.setdefault(note, len(self._notes))
        found = self._sets[notes] = number(len(self._sets))
        return found

    def _code(self, thing: int) -> str:
        found = self._drawer.codes[thing] or self._codes.get(thing)
        if found is None:
            kind, place, end = self._drawer.things[thing]
            found = number(self._kind(kind)) + number(self._place(place))
            found += number(self._place(end)) if end >= 0 else ""
            self._codes[thing] = found
        return found

    def _kind(self, kind: int) -> int:
        shared = self._drawer.shared_kinds
        return kind if kind < shared else self.kinds.setdefault(kind, shared + len(self.kinds))

    def _place(self, place: int) -> int:
        shared = self._drawer.shared_places
        return place if place < shared else self._places.setdefault(place, shared + len(self._places))


def replay(game: AnyGame | None, record: Record, drawer: Drawer | None = None) -> Replay:
    """Replay a record through the rules and draw every position, up to the first illegal action.

    ``drawer`` is the tournament's; the default is that of the record's seats and options.
    """
    if game is None:
        outside = record["game"] == EXTERNAL
        why = "an outside referee played it" if outside else f"the game {record['game']} is not installed"
        return Replay(problem=why)
    if game.rules != record["rules"]:
        problem = f"the record has rules version {record['rules']}, but version {game.rules} is installed"
        return Replay(problem=problem)
    seats = len(record["seats"])
    drawer = drawer or drawer_of(game, seats, record["options"])
    camera = Camera(game, drawer)
    shots: list[Shot] = []
    eyes: dict[int, list[Shot]] = {seat: [] for seat in range(1, seats + 1) if game.has_hidden_actions}
    problem = end = ""
    try:
        state: AnyState = game.new(seats, record["options"])
        shots.append((state.position(), None))
        for seat, eye in eyes.items():
            eye.append((state.observation(seat), None))
        for ply, (actor, text) in enumerate(record["actions"], start=1):
            if actor != state.actor:
                problem = f"action {ply} is by actor {actor}, but it is actor {state.actor}'s turn"
                break
            action = game.read_action(state, text)
            before, state = state, state.play(action)
            shots.append((state.position(), text))
            for seat, eye in eyes.items():
                eye.append((state.observation(seat), text if before.visible(action, seat) else HIDDEN))
        end = state.reason()
    except GameError as error:
        problem = str(error)
    seen = {}
    for seat, eye in eyes.items():
        differs = [ply for ply, (own, open_) in enumerate(zip(eye, shots, strict=False)) if own != open_]
        if differs:
            seen[seat] = camera.film(eye[: differs[-1] + 1])
    track = camera.film(shots, end) if shots else None
    return Replay(
        around(camera.boxes), tuple([last or "" for _, last in shots[1:]]), track, seen, problem, drawer
    )


def around(boxes: Iterable[Box]) -> Box:
    """Return the box around some boxes; those without width do not count."""
    real = [box for box in boxes if box[2]]
    if not real:
        return NO_BOX
    left, top = min(b[0] for b in real), min(b[1] for b in real)
    return left, top, max(b[0] + b[2] for b in real) - left, max(b[1] + b[3] for b in real) - top
