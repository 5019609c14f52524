"""A match as pictures: the record replayed through the rules, as compact data for the page's script.

The ground is rendered once, everything on it is a sprite, and a frame holds the difference to the previous
one, so 100 actions take about 10 KB. The page needs no knowledge of the game.
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
"""Most pictures in a page for readers without scripts, including the first and last."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A picture: its ground, the sprites on it (lowest first), lines of text, and the position string."""

    ground: tuple[str, ...]
    things: tuple[Triple, ...]
    notes: tuple[str, ...]
    position: str


@dataclass(frozen=True, slots=True)
class Replay:
    """The pictures of a match, from the start (frame 0) to the end (frame n after n actions).

    ``box`` is left, top, width and height of all frames in units of the diagram; the width is 0 if the game
    has no board. ``problem`` says why the pictures end before the actions, or is "".
    """

    box: tuple[int, int, int, int]
    sprites: tuple[str, ...]
    frames: tuple[Frame, ...]
    problem: str = ""

    @property
    def key_plies(self) -> tuple[int, ...]:
        """The frames in the page itself: the first, the last and evenly spaced ones."""
        last = len(self.frames) - 1
        count = min(KEY_FRAMES, last + 1)
        return tuple(round(k * last / (count - 1)) for k in range(count)) if count > 1 else (0,) * count

    def uses(self, ply: int) -> str:
        """Return the sprites of a frame as SVG ``<use>`` elements."""
        return "".join(f'<use href="#s{n}" x="{x}" y="{y}"/>' for n, x, y in self.frames[ply].things)

    def data(self) -> dict[str, Any]:
        """Return the data for the page's script, as JSON data.

        ``things``: the distinct (sprite, x, y), flat. ``frames``: per frame an object with the differences to
        the previous frame. ``d``: numbers of removed things; ``a``: index, number, ... of added things,
        ascending; or ``f``: all things. ``n``: the lines of text, ``p``: the space-separated fields of the
        position string, each as [length of the common prefix, of the common suffix, text between], or 0
        if unchanged. ``g``: ground row, markup, ..., with "" for the first frame's row; ``r`` (true) restores
        the first frame's ground before; or ``w``: the markup of the whole ground.
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
    """Replay a record through the rules and render every position, up to the first illegal action."""
    if game is None:
        return Replay((0, 0, 0, 0), (), (), f"the game {record['game']} is not installed")
    if game.rules != record["rules"]:
        problem = f"the record has rules version {record['rules']}, but version {game.rules} is installed"
        return Replay((0, 0, 0, 0), (), (), problem)
    problems: list[str] = []
    views = list(_views(game, record, problems))
    colors = seat_colors(game.seat_names[: len(record["seats"])])
    return _film(_drawings(game, views), [position for position, _ in views], colors, "".join(problems))


def _views(game: AnyGame, record: Record, problems: list[str]) -> Iterator[tuple[str, str | None]]:
    """Yield each position string with the action that led to it."""
    try:
        state: AnyState = game.new(len(record["seats"]), record["options"])
        yield state.position(), None
        for ply, (actor, text) in enumerate(record["actions"], start=1):
            if actor != state.actor:
                problems.append(f"action {ply} is by actor {actor}, but it is actor {state.actor}'s turn")
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
    """Return the edit from one list of distinct numbers to another; in full if kept ones are reordered."""
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
    """Return the lengths of the common prefix and suffix, and the new text between them."""
    most = min(len(old), len(new))
    head = next((k for k in range(most) if old[k] != new[k]), most)
    tail = next((k for k in range(most - head) if old[-1 - k] != new[-1 - k]), most - head)
    return [head, tail, new[head : len(new) - tail]]


def _ground(base: Sequence[str], old: Sequence[str], new: Sequence[str]) -> dict[str, Any]:
    """Return the edit from one ground to another; a ground of another length than the first is sent whole."""
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
