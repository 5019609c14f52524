"""Drawings of pieces: one for each kind, small, well-formed, and distinct without colour."""

import re
from collections.abc import Iterator
from functools import cache
from xml.etree import ElementTree as ET

import pytest

from tests.games.test_diagrams import contrast
from tourney.games.diagrams import (
    GROUNDS,
    INK_LIGHT,
    LINES,
    TOKENS,
    Cell,
    Diagram,
    Piece,
    seat_colors,
    style,
    tray,
)
from tourney.games.registry import GAMES, find_game
from tourney.games.svg_diagram import DRAWINGS, SIDE_BODIES, board_svg, drawing_of, piece_svg, view_box
from tourney.games.tree import playout
from tourney.games.view import text_diagram
from tourney.seeds import stream

CHESS = {
    ("chess-pawn", "P"),
    ("chess-knight", "N"),
    ("chess-bishop", "B"),
    ("chess-rook", "R"),
    ("chess-queen", "Q"),
    ("chess-king", "K"),
}
KINDS = {
    "chess": CHESS,
    "chess960": CHESS,
    "cyvasse": {
        ("king", "K"),
        ("rabble", "R"),
        ("spears", "S"),
        ("light-horse", "L"),
        ("heavy-horse", "H"),
        ("elephant", "E"),
        ("crossbows", "C"),
        ("trebuchet", "T"),
        ("dragon", "D"),
        ("tower", "W"),
    },
    "element": {
        ("sage", "S"),
        ("fire", "F"),
        ("water", "W"),
        ("earth", "E"),
        ("range", "E"),
        ("mountain", "M"),
        ("wind", "1"),
        ("whirlwind", "2"),
        ("whirlwind", "3"),
        ("whirlwind", "4"),
    },
    "sage-stones": {("stone", ""), ("second-stone", "")},
    "sages-tafl": {("sage", "S"), ("apprentice", "A"), ("skyship", "F")},
    "seven-sages": {("sage", "S"), ("fool", "F")},
}
"""What each game's rules page calls its pieces, with their letters (stones have the number of a colour)."""


@cache
def pieces(game: str) -> tuple[Piece, ...]:
    """All pieces on the boards of random games, with every number of seats."""
    found: dict[Piece, None] = {}
    rules = find_game(game)
    for seats in rules.seat_counts:
        for state, _ in playout(rules.new(seats), stream(5, "kinds", game), 1500):
            found.update(dict.fromkeys(p for p in rules.diagram(state.position()).pieces if not p.aside))
    return tuple(found)


def alone(piece: Piece, colors: tuple[str, ...] = ("red", "blue", "green", "purple")) -> str:
    """The SVG of one piece."""
    return piece_svg(piece, colors)


def looks() -> Iterator[tuple[str, str]]:
    """Yield the kind and SVG of every piece of every side, of the games in this checkout."""
    for game, kinds in ((game, KINDS[game]) for game in sorted(GAMES.own)):
        colors = seat_colors(find_game(game).seat_names)
        for kind, letter in sorted(kinds):
            owned = kind in {"stone", "second-stone", "sage", "apprentice", "skyship"} or game in {
                "cyvasse",
                "chess",
                "chess960",
            }
            for side in range(1, find_game(game).seat_counts[-1] + 1) if owned else (0,):
                yield kind, alone(Piece(0, 0, letter or str(side), side, kind), colors)


@pytest.mark.parametrize("game", sorted(GAMES.own))
def test_every_piece_in_play_has_a_drawing(game: str) -> None:
    met = {
        (p.kind, "" if "stone" in p.kind else p.glyph if p.kind == "whirlwind" else p.glyph[0].upper())
        for p in pieces(game)
    }
    assert met <= KINDS[game]
    assert {kind for kind, _ in met} == {kind for kind, _ in KINDS[game]} or game == "element"
    assert all(drawing_of(piece.kind, piece.glyph) for piece in pieces(game))


@pytest.mark.parametrize("game", sorted(GAMES.own))
def test_no_two_kinds_of_a_game_look_alike(game: str) -> None:
    drawings = [drawing_of(kind, letter) for kind, letter in sorted(KINDS[game])]
    figures = {drawing.figure for drawing in drawings if drawing}
    assert len(figures) == len(KINDS[game])


def test_sides_differ_by_outline_as_well_as_colour() -> None:
    assert len(set(SIDE_BODIES)) == 4
    bodies = [alone(Piece(0, 0, "S", side, "sage"), ("red",)) for side in (1, 2, 3, 4)]
    assert [body in svg for body, svg in zip(SIDE_BODIES, bodies, strict=True)] == [True] * 4


def test_sprites_are_small_and_well_formed() -> None:
    for kind, svg in looks():
        ET.fromstring(f"<svg>{svg}</svg>")  # noqa: S314 - it is the output of the function under test
        assert len(svg.encode()) < 700, kind
        assert "id=" not in svg
        assert not re.search(r"\d\.\d", svg.replace("scale(.84)", "")), kind


def test_figures_stay_within_the_cell() -> None:
    """Absolute coordinates of bodies are at most half a cell from the centre."""
    for kind, drawing in DRAWINGS.items():
        for path in re.findall(r' d="([^"]*)"', drawing.body):
            ends = re.findall(r"[ML](-?\d+) (-?\d+)", path)
            assert all(abs(int(n)) <= 52 for pair in ends for n in pair), kind


def test_a_piece_carries_its_letter_and_its_title() -> None:
    piece = Piece(0, 0, "S", 1, "sage", "Red sage on e1")
    assert re.search(r'<text class="[^"]*tb-letter"[^>]*>S</text>', alone(piece))
    assert 'class="tb-figure ' in alone(piece)
    assert re.findall(r"<title>([^<]*)</title>", board_svg(Diagram(pieces=(piece,)))) == ["Red sage on e1"]


def test_unknown_kinds_always_show_their_letter() -> None:
    svg = alone(Piece(0, 0, "X", 1, "token"))
    assert ">X</text>" in svg
    assert "tb-letter" not in svg
    assert "tb-figure" not in svg


def test_letters_class_swaps_figures_for_letters() -> None:
    """The properties are inherited into the content of ``<use>`` elements."""
    rules = style()
    assert ".tb-letters{--tb-figure:none;--tb-letter:inline}" in rules
    assert "display:var(--tb-figure,inline)" in rules
    assert "display:var(--tb-letter,none)" in rules


@pytest.mark.parametrize("dark", [False, True])
def test_outlines_have_contrast_to_every_ground(dark: bool) -> None:
    """The contrast is at least 3:1, which WCAG requires of graphics."""
    edge = LINES["edge"].dark if dark else LINES["edge"].light
    for name, tone in GROUNDS.items():
        assert contrast(edge, tone.dark if dark else tone.light) >= 3, name


@pytest.mark.parametrize("dark", [False, True])
def test_figures_have_contrast_to_their_bodies(dark: bool) -> None:
    for name, tone in TOKENS.items():
        ink = "#ffffff" if name in INK_LIGHT else "#1c1a17"
        assert contrast(tone.dark if dark else tone.light, ink) >= 3, name


def aside(game: str, position: str, last: str | None = None) -> list[tuple[str, str]]:
    """The kinds and glyphs beside the board."""
    diagram = find_game(game).diagram(position, last)
    return [(piece.kind, piece.glyph) for piece in diagram.pieces if piece.aside]


def test_dice_lie_beside_the_board_after_a_roll() -> None:
    game = find_game("sage-stones")
    state = game.new(4)
    state = state.play(game.read_action(state, "roll-133"))
    shown = aside("sage-stones", state.position(), "roll-133")
    assert shown[:3] == [("die", "1"), ("die", "3"), ("die", "3")]
    stones = [(kind, glyph) for kind, glyph in shown[3:] if kind != "count"]
    assert stones == [("stone", "1"), ("stone", "2"), ("stone", "3"), ("stone", "4")]
    assert shown.count(("count", "10")) == 4
    assert ("die", "1") not in aside("sage-stones", state.position())


def test_hand_and_bag_lie_beside_the_board_of_element() -> None:
    game = find_game("element")
    state = game.new(2)
    for action in ("draw-2", "stones-AF"):
        state = state.play(game.read_action(state, action))
    shown = aside("element", state.position())
    assert shown[:4] == [("caption", "hand"), ("wind", "1"), ("fire", "F"), ("caption", "bag")]
    assert [glyph for kind, glyph in shown if kind == "count"] == ["29", "30", "29", "30"]


@pytest.mark.parametrize("game", ["cyvasse", "sages-tafl"])
def test_captured_pieces_lie_beside_the_board(game: str) -> None:
    """Each capture of a random game adds one piece there, and nothing else does."""
    rules = find_game(game)
    captures = 0
    for state, action in playout(rules.new(), stream(9, "captures", game), 1500):
        diagram = rules.diagram(state.position())
        on_board = sum(not piece.aside for piece in diagram.pieces)
        off_board = sum(int(p.glyph) for p in diagram.pieces if p.kind == "count")
        if game == "cyvasse" and " play " not in state.position():
            continue
        assert on_board + off_board == {"cyvasse": 46, "sages-tafl": 22}[game], action
        captures = max(captures, off_board)
    assert captures >= 3


def test_text_leaves_out_what_lies_beside_the_board() -> None:
    board = Diagram((Cell(0, 0),), (Piece(0, 0, "S", 1, "sage"),))
    more = Diagram(board.cells, (*board.pieces, *tray(4, 4, Piece(0, 0, "F", 2, "fool"), 3)))
    assert text_diagram(more) == text_diagram(board)
    assert view_box(more) != view_box(board)


def test_faces_of_dice_have_their_pips() -> None:
    for face in range(1, 7):
        drawing = drawing_of("die", str(face))
        assert drawing is not None
        assert drawing.figure.count("<circle") == face


def test_escaped_pieces_lie_at_the_end_of_the_river() -> None:
    """Black has five points: by two apprentices and its sage, which has neither square nor tower."""
    position = "8/8/3A4/3s4/5A1a/8/8/A7/8 2 - 5:1 0 63"
    diagram = find_game("sages-tafl").diagram(position)
    titles = {piece.title: piece for piece in diagram.pieces if piece.aside}
    assert set(titles) == {
        "",
        "Black apprentice, captured",
        "Black skyship, captured",
        "Black apprentice, escaped",
        "Black sage, escaped",
        "Red apprentice, captured",
        "Red skyship, captured",
        "Red apprentice, escaped",
    }
    counts = {(piece.x, piece.y): piece.glyph for piece in diagram.pieces if piece.kind == "count"}

    def count(title: str) -> int:
        return int(counts[titles[title].x + 1, titles[title].y + 1])

    assert count("Black apprentice, captured") == 3
    assert count("Black apprentice, escaped") == 2
    assert count("Black sage, escaped") == 1
    assert count("Red apprentice, captured") == 6
