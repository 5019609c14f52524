"""The Seven Sages: diagrams of position strings."""

from tests.games.seven_sages.made import GAME, START, play, read, text
from tourney.games.diagrams import Arrow, Mark


def test_ground_is_kingdom_cities_and_barbarian_country() -> None:
    kinds = {cell.name: cell.kind for cell in GAME.diagram(START).cells}
    assert len(kinds) == 225
    assert {name for name, kind in kinds.items() if kind == "city-1"} == {"f1", "g1", "h1", "i1", "j1"}
    assert {name for name, kind in kinds.items() if kind == "city-2"} == {"f15", "g15", "h15", "i15", "j15"}
    assert sum(kind == "barbarian" for kind in kinds.values()) == 56 - 10
    assert sum(kind == "kingdom" for kind in kinds.values()) == 13 * 13


def test_each_piece_has_square_side_and_title() -> None:
    drawing = GAME.diagram(START)
    names = {(cell.x, cell.y): cell.name for cell in drawing.cells}
    for side, squares in ((1, START.split(" ")[0]), (2, START.split(" ")[1]), (0, "h8")):
        assert {names[piece.x, piece.y] for piece in drawing.pieces if piece.side == side} == set(
            squares.split(",")
        )
    assert all(names[piece.x, piece.y] in piece.title for piece in drawing.pieces)


def test_diagram_has_north_up_and_coordinates() -> None:
    drawing = GAME.diagram(START)
    at = {cell.name: (cell.x, cell.y) for cell in drawing.cells}
    assert at["a15"] == (0, 0)
    assert at["o1"] == (28, 28)
    assert {label.text for label in drawing.labels} == {*"abcdefghijklmno", *map(str, range(1, 16))}


def test_last_action_is_marked() -> None:
    plain = GAME.diagram(play(read(START), "c5-c6").position(), "c5-c6")
    assert plain.marks == (Mark(4, 20, "from"), Mark(4, 18, "to"))
    assert plain.arrows == (Arrow(4, 20, 4, 18),)
    oust = GAME.diagram(START, "h1xh8>b9")
    assert [mark.kind for mark in oust.marks] == ["from", "captured", "to"]
    assert oust.arrows == (Arrow(14, 28, 14, 14), Arrow(14, 14, 2, 12))
    assert GAME.diagram(START, "pass").marks == ()
    assert GAME.diagram(START, "no action").marks == ()


def test_notes_show_points_round_and_turn() -> None:
    notes = "\n".join(GAME.diagram(text(points="3:4", round_=6, seat=2, ply=7), "pass").notes)
    for words in ("Red 3, Blue 4", "round 6 of 12", "7 of 120", "Blue to act", "pass"):
        assert words in notes
    over = GAME.diagram(text(fool="f15", points="6:4", seat=2))
    assert "the game is over" in "\n".join(over.notes)
