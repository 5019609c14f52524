"""Replay data unfold to the diagrams of all positions, and end at illegal actions."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from tests.report import world
from tests.toys import Odds, Race, Toe
from tourney.games.base import AnyGame
from tourney.games.diagram import Diagram
from tourney.games.registry import GAMES, find_game
from tourney.games.svg_diagram import ground_svg, placed_shapes, seat_colors
from tourney.match.record import Record, make_record
from tourney.match.spec import Entrant, MatchSpec
from tourney.report.match_page import script_json
from tourney.report.replay import KEY_FRAMES, Frame, Replay, replay


def record_of(game: str, seats: int, most: int = 60) -> Record:
    """Return the record of the first actions of a random game."""
    entrants = tuple(Entrant(f"e{k}", "bot", "1", (), "0" * 64) for k in range(seats))
    _, full = find_game(game).settings(seats)
    spec = MatchSpec(game, tuple(full.items()), entrants, seed=3)
    actions, outcome = world.at_random(spec)
    return make_record(spec, find_game(game).rules, actions[:most], outcome)


def splices(texts: list[str], edits: list[Any]) -> list[str]:
    found = []
    for before, edit in zip([*texts, *([""] * len(edits))], edits, strict=False):
        if edit:
            head, tail, between = edit
            found.append(before[:head] + between + before[len(before) - tail :])
        else:
            found.append(before)
    return found


def unfold(data: dict[str, Any], base: tuple[str, ...]) -> list[Frame]:
    """Unfold the data like the page's script."""
    flat = data["things"]
    triples = [tuple(flat[k : k + 3]) for k in range(0, len(flat), 3)]
    things: list[int] = []
    fields: list[str] = []
    lines: list[str] = []
    ground = list(base)
    frames = []
    for frame in data["frames"]:
        things = list(frame.get("f", things))
        things = [thing for thing in things if thing not in frame.get("d", ())]
        added = frame.get("a", [])
        for k in range(0, len(added), 2):
            things.insert(added[k], added[k + 1])
        fields = splices(fields, frame["p"]) if "p" in frame else fields
        lines = splices(lines, frame["n"]) if "n" in frame else lines
        if "w" in frame:
            ground = [frame["w"]]
        elif frame.get("r"):
            ground = list(base)
        changes = frame.get("g", [])
        for k in range(0, len(changes), 2):
            ground[changes[k]] = changes[k + 1] or base[changes[k]]
        shown = tuple(triples[t] for t in things)
        frames.append(Frame(tuple(ground), shown, tuple(lines), " ".join(fields)))
    return frames


def views(game: AnyGame, record: Record) -> list[tuple[str, Diagram]]:
    state = game.new(len(record["seats"]), record["options"])
    found = [(state.position(), game.diagram(state.position(), None))]
    for _, text in record["actions"]:
        state = state.play(game.read_action(state, text))
        found.append((state.position(), game.diagram(state.position(), text)))
    return found


@pytest.mark.parametrize("name", GAMES.names())
def test_replay_data_unfolds_to_every_games_diagrams(name: str) -> None:
    game = find_game(name)
    record = record_of(name, game.seat_counts[-1])
    film = replay(game, record)
    assert film.problem == ""
    expected = views(game, record)
    frames = unfold(film.data(), film.frames[0].ground)
    assert frames == list(film.frames)
    assert len(frames) == len(expected) == len(record["actions"]) + 1
    for frame, (position, drawing) in zip(frames, expected, strict=True):
        assert frame.position == position
        assert frame.notes == drawing.notes
        assert [(x, y) for _, x, y in frame.things] == [(x, y) for _, _, x, y in placed_shapes(drawing)]
        assert all(sprite < len(film.sprites) for sprite, _, _ in frame.things)


@pytest.mark.parametrize("name", GAMES.names())
def test_grounds_equal_the_diagrams(name: str) -> None:
    game = find_game(name)
    record = record_of(name, game.seat_counts[0])
    colors = seat_colors(game.seat_names[: game.seat_counts[0]])
    film = replay(game, record)
    for frame, (_, drawing) in list(zip(film.frames, views(game, record), strict=True))[::7]:
        assert "".join(frame.ground) == "".join(ground_svg(drawing, colors).split("\n")[1:-1])


def test_replay_data_is_small() -> None:
    record = record_of("sages-tafl", 2, most=400)
    film = replay(find_game("sages-tafl"), record)
    assert len(record["actions"]) > 100
    assert len(script_json(film.data())) < 1000 + 200 * len(record["actions"])


@pytest.mark.parametrize("game", [Toe(), Race(), Odds()])
def test_plugin_games_are_shown(game: AnyGame) -> None:
    record: Record = {"game": game.name, "rules": "1", "options": {}, "seats": [{}, {}], "actions": []}
    state = game.new(2)
    while state.ranks() is None:
        action = state.legal_actions()[-1]
        record["actions"].append([state.actor, game.action_string(action)])
        state = state.play(action)
    if game.options:
        record["options"] = {option.name: option.default for option in game.options}
    film = replay(game, record)
    assert film.problem == ""
    frames = unfold(film.data(), film.frames[0].ground)
    assert [frame.position for frame in frames] == [position for position, _ in views(game, record)]
    assert (film.box[2] > 0) == (game.name == "toe")


class BrokenToe(Toe):
    """A game whose diagrams sometimes fail."""

    def diagram(self, view: str, last: str | None = None) -> Diagram:
        if last == "b2":
            raise ZeroDivisionError
        return super().diagram(view, last)


TOE: Record = {
    "game": "toe",
    "rules": "1",
    "options": {"misere": "no"},
    "seats": [{}, {}],
    "actions": [[1, "a1"], [2, "b2"], [1, "c3"]],
}


def test_failed_diagram_costs_one_picture() -> None:
    film = replay(BrokenToe(), TOE)
    assert film.problem == ""
    assert len(film.frames) == 4
    assert film.frames[2].things == ()
    assert "last: b2" in film.frames[2].notes
    frames = unfold(film.data(), film.frames[0].ground)
    assert frames[2].ground == ("",)
    assert frames[3].ground == film.frames[0].ground == frames[1].ground


@pytest.mark.parametrize(
    ("actions", "frames", "problem"),
    [
        ([[1, "a1"], [2, "a1"]], 2, "a1 is not legal here"),
        ([[1, "a1"], [1, "a2"]], 2, "action 2 is by actor 1"),
        ([[1, "<z9>"]], 1, "is not a square"),
    ],
)
def test_replay_ends_at_an_illegal_action(actions: list[list[object]], frames: int, problem: str) -> None:
    film = replay(Toe(), TOE | {"actions": actions})
    assert len(film.frames) == frames
    assert problem in film.problem


def test_other_rules_version_or_missing_game_gives_no_pictures() -> None:
    assert "rules version 2" in replay(Toe(), TOE | {"rules": "2"}).problem
    assert "not installed" in replay(None, TOE).problem
    assert "misere" in replay(Toe(), TOE | {"options": {"misere": "perhaps"}}).problem


@pytest.mark.parametrize("count", [1, 2, 3, 7, 8, 9, 100, 401])
def test_key_frames_are_first_last_and_evenly_spaced(count: int) -> None:
    frame = Frame((), (), (), "")
    plies = replace(Replay((0, 0, 0, 0), (), ()), frames=(frame,) * count).key_plies
    assert plies[0] == 0
    assert plies[-1] == count - 1
    assert len(plies) == len(set(plies)) == min(count, KEY_FRAMES)
    gaps = {b - a for a, b in pairwise(plies)}
    assert not gaps or max(gaps) - min(gaps) <= 1
