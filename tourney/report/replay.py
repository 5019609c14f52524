"""A match as pictures: the record played through the rules, in a compact form that a page steps through.

The ground is drawn once, everything on it is a sprite, and a frame says by how much it differs from the one
before; so a match of 100 actions is some 10 KB. The page needs to know nothing of the game.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tourney.errors import GameError
from tourney.games.base import AnyGame, AnyState
from tourney.games.diagram import Diagram, plain_diagram
from tourney.games.svg_diagram import Triple, ground_svg, placed_shapes, seat_colors, view_box
from tourney.match.record import Record

KEY_FRAMES = 8
"""At most so many pictures stand in a page for readers without a script, first and last included."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One picture: its ground, the sprites on it (lowest first), lines of text, and the position string."""

    ground: tuple[str, ...]
    things: tuple[Triple, ...]
    notes: tuple[str, ...]
    position: str


@dataclass(frozen=True, slots=True)
class Replay:
    """The pictures of a match, from the start (frame 0) to the end (frame n after n actions).

    ``box`` is left, top, width, height of all frames in units of the drawing; its width is 0 where the game
    draws no board. ``problem`` says why the pictures end before the actions do, or "".
    """

    box: tuple[int, int, int, int]
    sprites: tuple[str, ...]
    frames: tuple[Frame, ...]
    problem: str = ""

    @property
    def key_plies(self) -> tuple[int, ...]:
        """The frames that stand in the page itself: first, last and evenly between."""
        last = len(self.frames) - 1
        count = min(KEY_FRAMES, last + 1)
        return tuple(round(k * last / (count - 1)) for k in range(count)) if count > 1 else (0,) * count

    def uses(self, ply: int) -> str:
        """Return what lies on the board in a frame, as SVG ``<use>`` elements of the sprites."""
        return "".join(f'<use href="#s{n}" x="{x}" y="{y}"/>' for n, x, y in self.frames[ply].things)

    def data(self) -> dict[str, Any]:
        """Return what the page's script steps through, as JSON data.

        ``things``: the distinct (sprite, x, y), flat. ``frames``: per frame an object with what differs from
        the frame before. ``d``: numbers of things taken away; ``a``: index, number, ... of things put in,
        ascending; or ``f``: all things in full. ``n``: the lines of text, ``p``: the fields of the position
        string (parted by blanks), each as [length of the common prefix, of the common suffix, what is
        between], or 0 where it stays. ``g``: row of the ground, markup, ..., with "" for the first frame's
        row; after ``r`` (true) the ground is the first frame's again; or ``w``: the markup of a whole ground.
        """
        things: dict[Triple, int] = {}
        frames = []
        base = self.frames[0].ground if self.frames else ()
        before = Frame(base, (), (), "")
        for frame in self.frames:
            entry: dict[str, Any] = {}
            old = [things[t] for t in before.things]
            new = [things.setdefault(t, len(things)) for t in frame.things]
            if new != old:
                entry.update(_edit(old, new))
            if frame.notes != before.notes:
                entry["n"] = _splices(before.notes, frame.notes)
            if frame.position != before.position:
                entry["p"] = _splices(before.position.split(" "), frame.position.split(" "))
            if frame.ground != before.ground:
                entry.update(_ground(base, before.ground, frame.ground))
            frames.append(entry)
            before = frame
        return {"things": [n for triple in things for n in triple], "frames": frames}


def replay(game: AnyGame | None, record: Record) -> Replay:
    """Play a record through the rules and draw every position; it ends early where they do not allow it."""
    if game is None:
        return Replay((0, 0, 0, 0), (), (), f"the game {record['game']} is not installed here")
    if game.rules != record["rules"]:
        problem = f"the record is of rules version {record['rules']}, and {game.rules} is installed here"
        return Replay((0, 0, 0, 0), (), (), problem)
    problems: list[str] = []
    views = list(_views(game, record, problems))
    colors = seat_colors(game.seat_names[: len(record["seats"])])
    return _film(_drawings(game, views), [position for position, _ in views], colors, "".join(problems))


def _views(game: AnyGame, record: Record, problems: list[str]) -> Iterator[tuple[str, str | None]]:
    """Yield each position string with the action that led there."""
    try:
        state: AnyState = game.new(len(record["seats"]), record["options"])
        yield state.position(), None
        for ply, (actor, text) in enumerate(record["actions"], start=1):
            if actor != state.actor:
                problems.append(f"action {ply} is of actor {actor}, where the rules ask {state.actor}")
                return
            state = state.play(game.read_action(state, text))
            yield state.position(), text
    except GameError as error:
        problems.append(str(error))


def _drawings(game: AnyGame, views: Iterable[tuple[str, str | None]]) -> Iterator[Diagram]:
    for position, last in views:
        try:
            yield game.diagram(position, last)
        except Exception:  # noqa: BLE001 - a plugin's drawing that fails costs the picture, not the report
            yield plain_diagram(position, last)


def _film(
    drawings: Iterable[Diagram], positions: Sequence[str], colors: Sequence[str], problem: str
) -> Replay:
    sprites: dict[str, int] = {}
    frames: list[Frame] = []
    boxes: set[tuple[int, int, int, int]] = set()
    ground: tuple[str, ...] = ()
    ground_of: tuple[object, object] | None = None
    for drawing, position in zip(drawings, positions, strict=True):
        if ground_of != (drawing.cells, drawing.labels):
            ground_of = (drawing.cells, drawing.labels)
            ground = tuple(ground_svg(drawing, colors).split("\n")[1:-1]) if drawing.cells else ()
        boxes.add(view_box(drawing))
        things = tuple(
            (sprites.setdefault(look, len(sprites)), x, y) for look, _, x, y in placed_shapes(drawing, colors)
        )
        frames.append(Frame(ground, things, drawing.notes, position))
    return Replay(_around(boxes), tuple(sprites), tuple(frames), problem)


def _around(boxes: Iterable[tuple[int, int, int, int]]) -> tuple[int, int, int, int]:
    real = [box for box in boxes if box[2]]
    if not real:
        return 0, 0, 0, 0
    left, top = min(b[0] for b in real), min(b[1] for b in real)
    return left, top, max(b[0] + b[2] for b in real) - left, max(b[1] + b[3] for b in real) - top


def _edit(old: Sequence[int], new: Sequence[int]) -> dict[str, list[int]]:
    """Return how to make one list of distinct numbers of another; in full where what stays changes places."""
    gone, come = set(old) - set(new), set(new) - set(old)
    stay = [n for n in old if n not in gone]
    if len(set(new)) < len(new) or stay != [n for n in new if n not in come]:
        return {"f": list(new)}
    edit: dict[str, list[int]] = {}
    if gone:
        edit["d"] = [n for n in old if n in gone]
    if come:
        edit["a"] = [x for index, n in enumerate(new) if n in come for x in (index, n)]
    return edit


def _splices(old: Sequence[str], new: Sequence[str]) -> list[int | list[int | str]]:
    padded = (*old, *([""] * len(new)))
    return [0 if a == b else _splice(a, b) for a, b in zip(padded, new, strict=False)]


def _splice(old: str, new: str) -> list[int | str]:
    """Return the lengths of the common prefix and suffix, and what is between them in the new string."""
    most = min(len(old), len(new))
    head = next((k for k in range(most) if old[k] != new[k]), most)
    tail = next((k for k in range(most - head) if old[-1 - k] != new[-1 - k]), most - head)
    return [head, tail, new[head : len(new) - tail]]


def _ground(base: Sequence[str], old: Sequence[str], new: Sequence[str]) -> dict[str, Any]:
    """Return how to make one ground of another; grounds of other lengths than the first are told whole."""
    if len(new) != len(base):
        return {"w": "".join(new)}
    start, entry = (old, {}) if len(old) == len(base) else (base, {"r": True})
    changes = [
        x
        for k, (a, b) in enumerate(zip(start, new, strict=True))
        if a != b
        for x in (k, "" if b == base[k] else b)
    ]
    return {**entry, "g": changes} if changes else entry
