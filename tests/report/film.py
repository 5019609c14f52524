"""Decode the data of a replay as ``templates/static/board.js`` does, and list what a diagram shows."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from tourney.games.base import AnyGame
from tourney.games.diagrams import FIELD, Diagram, seat_colors
from tourney.games.registry import find_game
from tourney.games.svg_diagram import LABEL, arrow_svg, placed_sprites
from tourney.games.tree import playout
from tourney.match.record import Outcome, Record, decode_record, make_record
from tourney.match.spec import Entrant, MatchSpec
from tourney.report.replays.codes import ALPHABET, RUN
from tourney.seeds import stream

GOLDEN = Path(__file__).parents[2] / "seeds" / "golden"


@cache
def golden(name: str) -> Record:
    """Return the record of a game's golden match; of a random one where the game has none."""
    game = find_game(name)
    if game.golden_match is None:
        return random_record(game, game.seat_counts[0], most=120)
    return decode_record((GOLDEN / f"{name}.json").read_bytes().strip())


def random_record(game: AnyGame, seats: int, most: int = 60, seed: int = 3) -> Record:
    """Return the record of a random game; only what a replay needs of it is right."""
    walk = playout(game.new(seats), stream(seed, "replay"), most)
    actions = [(state.actor, game.action_string(action)) for state, action in walk if action is not None]
    _, options = game.settings(seats)
    entrants = tuple(Entrant(f"e-{seat}", "bot", "1", (), "0" * 64) for seat in range(seats))
    spec = MatchSpec(game.name, tuple(options.items()), entrants, seed)
    return make_record(spec, game.rules, actions, Outcome((1,) * seats, "unknown", ()))


class Shown(NamedTuple):
    """A thing on the board: its SVG, its title, and its centre."""

    svg: str
    title: str
    x: int
    y: int


class Picture(NamedTuple):
    """All that a picture shows: cells and labels, then marks, arrows and pieces, sorted; and the texts."""

    ground: list[Shown]
    things: list[Shown]
    notes: tuple[str, ...]
    position: str


def drawn(diagram: Diagram, position: str, colors: tuple[str, ...]) -> Picture:
    """Return what a diagram shows."""
    ground: list[Shown] = []
    things: list[Shown] = []
    for sprite, title, x, y in placed_sprites(diagram, colors):
        (ground if sprite.layer <= LABEL else things).append(Shown(sprite.svg, title, x, y))
    return Picture(sorted(ground), sorted(things), tuple(unlast(diagram.notes)), position)


def unlast(notes: Iterable[str]) -> Iterator[str]:
    """Yield the notes that a page shows: it names the last action itself."""
    return (note for note in notes if not note.startswith("last: "))


def views(game: AnyGame, record: Record, seat: int = 0) -> list[tuple[str, str | None]]:
    """Return the position strings, or a seat's observations, with the last actions as the seat saw them."""
    state = game.new(len(record.seats), record.options)
    found: list[tuple[str, str | None]] = [(state.observation(seat) if seat else state.position(), None)]
    for _, text in record.actions:
        action = game.read_action(state, text)
        sees = not seat or state.visible(action, seat)
        state = state.play(action)
        found.append((state.observation(seat) if seat else state.position(), text if sees else "?"))
    return found


def pictures(game: AnyGame, record: Record, seat: int = 0) -> list[Picture]:
    """Return what the game's diagrams show at every ply."""
    colors = seat_colors(game.seat_names[: len(record.seats)])
    return [drawn(game.diagram(view, last), view, colors) for view, last in views(game, record, seat)]


class Film:
    """The data of a replay with the data that all matches share, decoded."""

    def __init__(
        self, shared: dict[str, Any], data: dict[str, Any], own: dict[int, str], actions: tuple[str, ...]
    ) -> None:
        """``own`` are the sprites' SVG that is in the page."""
        self.sprites = [*shared["sprites"], *data.get("sprites", [])]
        for sprite, svg in own.items():
            self.sprites[sprite] = [*self.sprites[sprite][:2], svg, self.sprites[sprite][3]]
        self.places = [*shared["places"], *data.get("places", [])]
        self.start = shared["start"]
        self.data = data
        self.actions = actions

    def pictures(self, track: dict[str, Any] | None = None) -> list[Picture]:
        """Return all pictures, or those of an onlooker."""
        track = track or self.data
        toggles, traces = track["t"].split(" "), track["m"].split(" ")
        positions = _positions(track["p"], len(toggles))
        things = set(self._keys(self.start))
        sets = _numbers(track["k"])
        notes_of = self.note_sets()
        found = []
        for ply, toggled in enumerate(toggles):
            things ^= set(self._keys(toggled))
            shown = [self._shown(*key) for key in (*things, *self._keys(traces[ply]))]
            templates = notes_of[next(sets)]
            last = self.actions[ply - 1] if ply else ""
            notes = tuple(_filled(template, positions[ply], last) for template in templates)
            ground = sorted(thing for layer, thing in shown if layer < 2)
            above = sorted(thing for layer, thing in shown if layer >= 2)
            found.append(Picture(ground, above, notes, positions[ply]))
        return found

    def note_sets(self) -> list[list[str]]:
        """Return the templates of each set of notes."""
        templates: list[str] = []
        for code in self.data["notes"]:
            head, rest = _read(code)
            templates.append((templates[-1] if templates else "")[:head] + rest)
        return [[templates[number] for number in _numbers(code)] for code in self.data["sets"].split(" ")]

    def _keys(self, text: str) -> list[tuple[int, int, int]]:
        found = []
        while text:
            count, text = _read(text[1:]) if text[0] == RUN else (1, text)
            sprite, text = _read(text)
            for _ in range(count):
                place, text = _read(text)
                end, text = _read(text) if self.sprites[sprite][0] == 3 else (-1, text)
                found.append((sprite, place, end))
        return found

    def _shown(self, sprite: int, place: int, end: int) -> tuple[int, Shown]:
        layer, _, svg, title = self.sprites[sprite]
        x, y, name = self.places[place]
        if end >= 0:
            svg = arrow_svg(self.places[end][0] - x, self.places[end][1] - y)
        return layer, Shown(svg, title.replace(FIELD, name).strip(), x, y)


def _numbers(text: str) -> Any:
    at = 0

    def digit() -> int:
        nonlocal at
        at += 1
        return ALPHABET.index(text[at - 1])

    while at < len(text):
        first = digit()
        if first < 62:
            yield first
        elif first < 86:
            yield 62 + (first - 62) * 88 + digit()
        else:
            yield 62 + 24 * 88 + (((first - 86) * 88 + digit()) * 88 + digit()) * 88 + digit()


def _read(text: str) -> tuple[int, str]:
    number = next(_numbers(text))
    return number, text[1 if number < 62 else 2 if number < 62 + 24 * 88 else 4 :]


def column(code: str, count: int) -> list[str]:
    """Return the values of a column."""
    first, *entries = code.split(" ")
    way, values = first[0], [first[1:]]
    gaps = [_read(entry) for entry in entries]
    changes: dict[int, str] = {}
    at = 0
    for gap, text in gaps:
        at += gap
        changes[at] = text
    predict: dict[str, Callable[[int], str]] = {
        "=": lambda k: values[k - 1],
        "/": lambda k: values[k - 1],
        "+": lambda k: str(int(values[k - 1]) + 1),
        "~": lambda k: values[k - 2],
    }
    for k in range(1, count):
        if k not in changes:
            values.append(predict[way](k))
        elif way == "/":
            head, rest = _read(changes[k])
            tail, rest = _read(rest)
            before = values[-1]
            values.append(before[:head] + rest + before[len(before) - tail :])
        else:
            values.append(changes[k])
    return values


def _positions(fields: list[list[str]], count: int) -> list[str]:
    columns = [(by, [column(code, count) for code in codes]) for by, *codes in fields]
    return [
        " ".join(by.join(values[k] for values in parts) for by, parts in columns).replace(FIELD, " ")
        for k in range(count)
    ]


def _filled(template: str, position: str, last: str) -> str:
    words = template.split(FIELD)
    for k in range(1, len(words), 2):
        index, _, within = words[k].partition(".")
        if index == "a":
            words[k] = last
        else:
            field = position.split(" ")[int(index)]
            words[k] = re.split("[:,]", field)[int(within)] if within else field
    return "".join(words)


def find(name: str) -> AnyGame:
    """Return a game by name."""
    return find_game(name)
