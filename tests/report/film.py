"""Decode the data of a replay as ``templates/static/board.js`` does, and list what a diagram shows."""

import html
import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from tourney.games.base import AnyGame
from tourney.games.diagram import FIELD, Diagram
from tourney.games.game_tree import playout
from tourney.games.registry import find_game
from tourney.games.svg_diagram import arrow_shape, ground_svg, placed_shapes, seat_colors
from tourney.match.record import Record
from tourney.report.replays.codes import ALPHABET
from tourney.seeds import stream

GOLDEN = Path(__file__).parents[2] / "seeds" / "golden"


@cache
def golden(name: str) -> Record:
    """Return the record of a game's golden match; of a random one where the game has none."""
    game = find_game(name)
    if game.golden_match is None:
        return random_record(game, game.seat_counts[0], most=120)
    record: Record = json.loads((GOLDEN / f"{name}.json").read_text())
    return record


def random_record(game: AnyGame, seats: int, most: int = 60, seed: int = 3) -> Record:
    """Return what a replay needs of the record of a random game."""
    walk = playout(game.new(seats), stream(seed, "replay"), most)
    actions = [[state.actor, game.action_string(action)] for state, action in walk if action is not None]
    _, options = game.settings(seats)
    return {
        "game": game.name,
        "rules": game.rules,
        "options": options,
        "seats": [{}] * seats,
        "actions": actions,
    }


class Shown(NamedTuple):
    """A thing on the board: its SVG without titles, its title, and its centre."""

    look: str
    title: str
    x: int
    y: int


class Picture(NamedTuple):
    """All that a picture shows: cells and labels, then marks, arrows and pieces, sorted; and the texts."""

    ground: list[Shown]
    things: list[Shown]
    notes: tuple[str, ...]
    position: str


_TITLE = re.compile("<title>(.*?)</title>", re.DOTALL)


def drawn(diagram: Diagram, position: str, colors: tuple[str, ...]) -> Picture:
    """Return what a diagram shows."""
    ground = []
    for row in filter(None, ground_svg(diagram, colors).split("\n")[1:-1]):
        title = _TITLE.search(row)
        x, y = _place(row)
        ground.append(Shown(_ground(row), html.unescape(title[1]) if title else "", x, y))
    shapes = placed_shapes(diagram, colors)
    # A piece without a title has its letter.
    glyphs = [""] * (len(shapes) - len(diagram.pieces)) + [piece.glyph for piece in diagram.pieces]
    things = [
        Shown(_TITLE.sub("", look), title or glyph, x, y)
        for (look, title, x, y), glyph in zip(shapes, glyphs, strict=True)
    ]
    return Picture(sorted(ground), sorted(things), diagram.notes, position)


def _place(row: str) -> tuple[int, int]:
    """Return the place of a cell or a label: the first coordinates in its SVG, relative to a kind's."""
    found = re.search(r'd="M(-?\d+) (-?\d+)|x="(-?\d+)" y="(-?\d+)"', row)
    assert found
    return int(found[1] or found[3]), int(found[2] or found[4])


def _ground(row: str) -> str:
    """Return the classes and the text of a cell or a label."""
    return " ".join(re.findall(r'class="([^"]*)"', row)) + _TITLE.sub("", row).partition(">")[2][-12:]


def views(game: AnyGame, record: Record, seat: int = 0) -> list[tuple[str, str | None]]:
    """Return the position strings, or a seat's observations, with the last actions as the seat saw them."""
    state = game.new(len(record["seats"]), record["options"])
    found: list[tuple[str, str | None]] = [(state.observation(seat) if seat else state.position(), None)]
    for _, text in record["actions"]:
        action = game.read_action(state, text)
        sees = not seat or state.visible(action, seat)
        state = state.play(action)
        found.append((state.observation(seat) if seat else state.position(), text if sees else "?"))
    return found


def pictures(game: AnyGame, record: Record, seat: int = 0) -> list[Picture]:
    """Return what the game's diagrams show at every ply."""
    colors = seat_colors(game.seat_names[: len(record["seats"])])
    return [drawn(game.diagram(view, last), view, colors) for view, last in views(game, record, seat)]


class Film:
    """The data of a replay with the data that all matches share, decoded."""

    def __init__(
        self, shared: dict[str, Any], data: dict[str, Any], own: dict[int, str], actions: tuple[str, ...]
    ) -> None:
        """``own`` are the kinds' SVG that is in the page."""
        self.kinds = [*shared["kinds"], *data.get("kinds", [])]
        for kind, look in own.items():
            self.kinds[kind] = [*self.kinds[kind][:2], look, self.kinds[kind][3]]
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
        found = []
        for ply, toggled in enumerate(toggles):
            things ^= set(self._keys(toggled))
            shown = [self._shown(*key) for key in (*things, *self._keys(traces[ply]))]
            templates = [self.data["notes"][number] for number in self.data["sets"][next(sets)]]
            last = self.actions[ply - 1] if ply else ""
            notes = tuple(_filled(template, positions[ply], last) for template in templates)
            ground = sorted(thing for layer, thing in shown if layer < 2)
            above = sorted(thing for layer, thing in shown if layer >= 2)
            found.append(Picture(ground, above, notes, positions[ply]))
        return found

    def _keys(self, text: str) -> list[tuple[int, int, int]]:
        found, numbers = [], _numbers(text)
        for kind in numbers:
            place = next(numbers)
            found.append((kind, place, next(numbers) if self.kinds[kind][0] == 3 else -1))
        return found

    def _shown(self, kind: int, place: int, end: int) -> tuple[int, Shown]:
        layer, _, look, title = self.kinds[kind]
        x, y, name = self.places[place]
        title = title.replace(FIELD, name).strip()
        if end >= 0:
            return layer, Shown(arrow_shape(self.places[end][0] - x, self.places[end][1] - y), "", x, y)
        if layer >= 2:
            return layer, Shown(look, title, x, y)
        dx, dy = _place(look)
        return layer, Shown(_ground(look), title, x + dx, y + dy)


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
