"""Guides: their examples can be played, and their figures are those of the game."""

import pytest

from tests.support.toys import Toe
from tourney.errors import GameError
from tourney.games.guide import Example, draw_example
from tourney.games.registry import GAMES, find_game
from tourney.games.svg_diagram import drawing_of


@pytest.mark.parametrize("name", sorted(GAMES.own))
def test_examples_can_be_drawn_and_played(name: str) -> None:
    game = find_game(name)
    guide = game.guide()
    assert guide is not None
    assert len(guide.examples) >= 3
    for seats in game.seat_counts:
        drawn = [draw_example(game, example, *game.settings(seats)) for example in guide.examples]
        assert all(diagram.cells for diagram in drawn)
        assert len(set(drawn)) == len(drawn)


@pytest.mark.parametrize("name", sorted(GAMES.own))
def test_figures_have_the_drawings_of_the_board(name: str) -> None:
    game = find_game(name)
    guide = game.guide()
    assert guide is not None
    drawn = [drawing_of(figure.kind, figure.glyph) for figure in guide.figures]
    assert all(drawn)
    assert len({drawing.figure for drawing in drawn if drawing}) == len(drawn)
    shown = {
        p.kind for e in guide.examples for p in draw_example(game, e, *game.settings()).pieces if not p.aside
    }
    assert shown <= {figure.kind for figure in guide.figures}


def test_start_of_the_table_at_hand_is_drawn() -> None:
    element = find_game("element")
    guide = element.guide()
    assert guide is not None
    for seats in (2, 3, 4):
        diagram = draw_example(element, guide.examples[0], *element.settings(seats))
        assert sum(not piece.aside for piece in diagram.pieces) == seats


def test_before_shows_the_position_before_the_last_action() -> None:
    game = find_game("seven-sages")
    after = draw_example(game, Example("", actions=("h1xh8>e14",)), 2, {})
    before = draw_example(game, Example("", actions=("h1xh8>e14",), before=True), 2, {})
    fool = {diagram.pieces[-1].title for diagram in (before, after)}
    assert fool == {"the fool on h8", "the fool on e14"}
    assert before.marks == after.marks


def test_example_that_cannot_be_played_is_an_error() -> None:
    with pytest.raises(GameError, match="'a1-a2' is not a square"):
        draw_example(Toe(), Example("", actions=("a1-a2",)), 2, {"misere": "no"})


def test_games_without_a_guide_have_none() -> None:
    assert Toe().guide() is None


def facts(name: str) -> str:
    guide = find_game(name).guide()
    assert guide is not None
    return " ".join((guide.aim, *guide.turn, *guide.end))


@pytest.mark.parametrize(
    ("name", "module", "limits"),
    [
        ("sages-tafl", "board", {"WIN_POINTS": "{} points", "QUIET_LIMIT": "{} actions without"}),
        ("sages-tafl", "board", {"PLY_LIMIT": "after {} actions"}),
        ("cyvasse", "board", {"QUIET_LIMIT": "after {} turns without", "TURN_LIMIT": "after {} turns"}),
        ("seven-sages", "board", {"LAST_PLY": "round of {} actions", "LAST_ROUND": "after {} rounds"}),
        ("sage-stones", "board", {"ROLL_LIMIT": "After {} rolls"}),
        ("element", "board", {"LAST_TURN": "After {} turns"}),
    ],
)  # fmt: skip
def test_limits_in_guides_are_the_games(name: str, module: str, limits: dict[str, str]) -> None:
    import importlib

    rules = importlib.import_module(f"tourney.games.{name.replace('-', '_')}.{module}")
    for constant, words in limits.items():
        assert words.format(getattr(rules, constant)) in facts(name)
