"""Element: diagrams of position strings."""

import pytest

from tests.games.element.made import GAME, START_2, A, made, text
from tourney.errors import PositionError
from tourney.games.diagrams import Arrow, Mark


def test_diagram_has_all_squares_with_north_up() -> None:
    drawing = GAME.diagram(START_2)
    at = {cell.name: (cell.x, cell.y) for cell in drawing.cells}
    assert len(at) == 121
    assert (at["a11"], at["k1"]) == ((0, 0), (20, 20))
    assert {label.text for label in drawing.labels} == {*"abcdefghijk", *map(str, range(1, 12))}


def test_stones_and_sages_stand_on_their_squares() -> None:
    """Glyphs are the position string's letters; a range's Earth looks like one; sages carry their seats."""
    drawing = GAME.diagram(text("Fa5 Wb5 Ec5 Me5 Ef5 1h5 3i5", sages="a1 k11 e9"))
    standing = [piece for piece in drawing.pieces if not piece.aside]
    pieces = {piece.title.split(" on ")[1]: (piece.glyph, piece.kind, piece.side) for piece in standing}
    assert pieces == {
        "a5": ("F", "fire", 0),
        "b5": ("W", "water", 0),
        "c5": ("E", "earth", 0),
        "e5": ("M", "mountain", 0),
        "f5": ("E", "range", 0),
        "h5": ("1", "wind", 0),
        "i5": ("3", "whirlwind", 0),
        "a1": ("S1", "sage", 1),
        "k11": ("S2", "sage", 2),
        "e9": ("S3", "sage", 3),
    }
    at = {cell.name: (cell.x, cell.y) for cell in drawing.cells}
    assert all(at[piece.title.split(" on ")[1]] == (piece.x, piece.y) for piece in standing)


def test_last_action_and_used_squares_are_marked() -> None:
    drawing = GAME.diagram(text("1e5", used="e5"), "jump-e6")
    assert drawing.marks == (Mark(8, 12, "used"), Mark(8, 10, "to"))
    assert GAME.diagram(A, "stones-AEWW").marks == ()
    assert GAME.diagram(A, "what").marks == ()


def test_diagram_shows_flow_in_progress() -> None:
    drawing = GAME.diagram(text("We5 We6 We7", phase="flow-e5-n-es"), "flow-s")
    assert drawing.marks == (Mark(8, 12, "from"), Mark(10, 12, "to"), Mark(10, 14, "to"))
    assert drawing.arrows == (Arrow(8, 12, 10, 12), Arrow(10, 12, 10, 14))
    choosing = GAME.diagram(text("We5 We6 Wf5", phase="river-e5"), "W-e5")
    assert choosing.marks == (Mark(8, 12, "from"),)


@pytest.mark.parametrize(
    ("string", "words"),
    [
        (
            START_2,
            [
                "turn 0 of 200",
                "seat 1 to act: draw",
                "hand: none",
                "bag: Wind 30, Earth 30, Fire 30, Water 30",
            ],
        ),
        (A, ["turn 12 of 200", "hand: Wind, Earth, Water, Water", "steps left: 1", "Wind 27, Earth 22"]),
        (text(sages="c3 i3 i9", phase="chance-2", turn=4), ["chance draws 2 for seat 2"]),
        (text("Fa2 Fb1 Fb2", sages="k11 a1"), ["captured: seat 2"]),
        (text(phase="draw", turn=200), ["the game is over"]),
    ],
)
def test_notes_show_hand_bag_and_turn(string: str, words: list[str]) -> None:
    notes = "\n".join(GAME.diagram(string, "end").notes)
    for word in [*words, "last: end"]:
        assert word in notes


def test_diagram_refuses_malformed_position() -> None:
    with pytest.raises(PositionError):
        GAME.diagram(made().position() + " x")
