"""The diagram: squares, pieces, hidden parts, and the last action."""

from typing import Any

import pytest

from tests.games.cyvasse.hands import GAME, WHITE_TILES, A, B, lay_out, place, play, read
from tourney.errors import ActionError, PositionError
from tourney.games.diagrams import Diagram


def marks(drawing: Diagram) -> set[tuple[str, str]]:
    names = {(cell.x, cell.y): cell.name for cell in drawing.cells}
    return {(mark.kind, names[mark.x, mark.y]) for mark in drawing.marks}


def arrow(drawing: Diagram) -> tuple[str, str]:
    names = {(cell.x, cell.y): cell.name for cell in drawing.cells}
    (only,) = drawing.arrows
    return names[only.x1, only.y1], names[only.x2, only.y2]


def test_cells_are_88_squares_with_their_ground() -> None:
    cells = {cell.name: cell for cell in GAME.diagram(A).cells}
    assert len(cells) == 88
    assert (cells["a4"].kind, cells["a1"].kind, cells["e1"].kind) == ("mountain", "water", "plain")
    assert all(cell.shape == "hex" for cell in cells.values())


def test_rows_lie_two_apart_with_neighbouring_rows_shifted_by_one() -> None:
    at = {cell.name: (cell.x, cell.y) for cell in GAME.diagram(A).cells}
    assert at["d6"] == (at["d5"][0] + 2, at["d5"][1])
    assert at["e5"] == (at["d5"][0] - 1, at["d5"][1] - 2)
    assert at["e6"] == (at["d5"][0] + 1, at["d5"][1] - 2)
    assert at["i1"][1] < at["a1"][1]
    assert len(set(at.values())) == 88


def test_pieces_are_strings_with_titles_for_people() -> None:
    pieces = {piece.title: piece for piece in GAME.diagram(B).pieces if not piece.aside}
    assert len(pieces) == 14
    assert pieces["White King on b2"].glyph == "K"
    assert (pieces["Black Tower on h4"].kind, pieces["Black Tower on h4"].side) == ("tower", 2)
    assert pieces["Black Elephant on e5"].glyph == "e"


def test_hidden_squares_are_shown_as_hidden() -> None:
    drawing = GAME.diagram(lay_out(GAME.new(), 1, 20).observation(2))
    assert {cell.kind for cell in drawing.cells} == {"plain", "hidden"}
    assert drawing.pieces == ()
    assert drawing.notes == ("White lays out its side, unseen",)


@pytest.mark.parametrize(
    ("pieces", "action", "marked", "way"),
    [
        ("Ld3", "d3-d6", {("from", "d3"), ("to", "d6")}, ("d3", "d6")),
        ("Ld3 cd5", "d3xd5", {("from", "d3"), ("captured", "d5")}, ("d3", "d5")),
        ("Ld3 cd5", "d3xd5-d6", {("from", "d3"), ("captured", "d5"), ("to", "d6")}, ("d3", "d6")),
        ("Td5 rd7", "d5xd7", {("from", "d5"), ("captured", "d7"), ("to", "d4")}, ("d5", "d4")),
    ],
)
def test_last_action_is_marked(
    pieces: str, action: str, marked: set[tuple[str, str]], way: tuple[str, str]
) -> None:
    state = play(place(f"{pieces} ki8"), action)
    drawing = GAME.diagram(state.position(), action)
    assert marks(drawing) == marked
    assert arrow(drawing) == way
    assert drawing.notes[-1] == f"last: {action}"


def test_last_action_of_set_up_is_marked() -> None:
    state = play(GAME.new(), "king-b5")
    assert marks(GAME.diagram(state.position(), "king-b5")) == {("to", "b5")}
    state = play(state, "tile-1", "tile-2t")
    assert marks(GAME.diagram(state.position(), "tile-2t")) == {
        ("to", name) for name in ("d3", "d4", "c3", "c4")
    }
    state = play(state, *(tile for tile in WHITE_TILES if tile[5] not in "12"), "put-a1")
    assert marks(GAME.diagram(state.position(), "put-a1")) == {("to", "a1")}
    assert GAME.diagram(state.position(), "?").marks == ()


def test_done_leaves_no_mark() -> None:
    state = play(place("Rd5 Rd8"), "d5-e5", "done")
    assert marks(GAME.diagram(state.position(), "done")) == set()


def test_every_state_has_diagram_for_every_seat() -> None:
    state, last = GAME.new(), ""
    kinds = set()
    for k in range(130):
        for view in (state.position(), state.observation(1), state.observation(2)):
            drawing = GAME.diagram(view, last or None)
            assert len(drawing.cells) == 88
            kinds.add(drawing.notes[0])
        action = state.legal_actions()[k * 7 % len(state.legal_actions())]
        state, last = state.play(action), GAME.action_string(action)
    assert {"White to move", "Black to move", "White lays the king tile"} <= kinds


@pytest.mark.parametrize(
    ("pieces", "given", "action", "words"),
    [
        ("Kd4 Rd5 ke5 rh2 rh3", {}, "d5xe5", "over: White won, as Black's King was captured"),
        ("Kd5 re5 ke6 Ra5", {"seat": 2}, "e5xd5", "over: Black won, as White's King was captured"),
        ("Kc4 Ld3 ki1 wi2", {"mountains": "h1 h2 i3"}, "d3-d2", "over: White won, as Black cannot act"),
        ("Ld3 Lb1 ki8", {"quiet": 99, "turn": 98}, "d3-d2", "over: a draw after 100 turns without a capture"),
        ("Ld3 Lb1 ki8", {"quiet": 3, "turn": 398}, "d3-d2", "Black to move"),
    ],
)
def test_finished_board_says_who_won(pieces: str, given: dict[str, Any], action: str, words: str) -> None:
    state = play(place(pieces, **given), action)
    assert GAME.diagram(state.position(), action).notes[0] == words


def test_labels_lie_beside_board() -> None:
    drawing = GAME.diagram(A)
    cells = {(cell.x, cell.y) for cell in drawing.cells}
    labels = [(label.x, label.y) for label in drawing.labels]
    assert not cells & set(labels)
    assert len(set(labels)) == len(labels)
    assert {label.text for label in drawing.labels} == {*"abcdefghi", *map(str, range(1, 13))}
    west = {cell.name: (cell.x - 2, cell.y) for cell in drawing.cells if cell.name[1:] == "1"}
    assert all((*west[f"{row}1"], row) in {(v.x, v.y, v.text) for v in drawing.labels} for row in "abcdefghi")


def test_diagram_refuses_malformed_view_and_action() -> None:
    with pytest.raises(PositionError):
        GAME.diagram("nothing")
    with pytest.raises(ActionError):
        GAME.diagram(A, "nothing")
    assert read(A).position() == A
