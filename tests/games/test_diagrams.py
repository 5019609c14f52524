"""Diagrams as SVG and as text: deterministic, escaped, complete."""

import re
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.toys import Toe
from tourney.games.base import AnyGame
from tourney.games.diagrams import (
    GROUNDS,
    INK_LIGHT,
    LINES,
    SEAT_COLORS,
    TOKENS,
    Arrow,
    Cell,
    Diagram,
    Label,
    Mark,
    Piece,
    plain_diagram,
    seat_colors,
    style,
)
from tourney.games.registry import all_games
from tourney.games.svg_diagram import PIECE, board_svg, cell_sprite, placed_sprites, svg_diagram, view_box
from tourney.games.tree import playout
from tourney.games.view import text_diagram
from tourney.seeds import stream

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = '"><script>alert(1)</script>&\x1b[31m\x00\n\ud800'


def toe(last: str | None = "c1") -> Diagram:
    return Toe().diagram("XOX/O../... 2", last)


def parsed(svg: str) -> ET.Element:
    return ET.fromstring(svg)  # noqa: S314 - it is the output of the function under test


def test_svg_shows_everything_on_board() -> None:
    """Cells, pieces, marks, arrows, labels, notes and the title appear the right number of times."""
    svg = svg_diagram(toe(), title="Noughts & Crosses")
    root = parsed(svg)
    assert root.find(f"{SVG}title") is not None
    assert svg.count('class="tb-cell') == 9
    assert svg.count('class="tb-piece tb-p-') == 4
    assert svg.count('class="tb-mark tb-to"') == 1
    assert svg.count('class="tb-shaft"') == 1
    assert re.findall(r'class="tb-text tb-label"[^>]*>([^<]*)<', svg) == list("123abc")
    assert re.findall(r'class="tb-note"[^>]*>([^<]*)<', svg) == ["seat 2"]
    assert re.findall(r'class="tb-text tb-ink-\w+"[^>]*>([^<]*)<', svg) == ["X", "O", "X", "O"]


def test_svg_has_no_floats_and_is_deterministic() -> None:
    """All coordinates are integers, so every machine writes them alike."""
    body = svg_diagram(toe()).partition("</style>")[2]
    assert not re.search(r"\d\.\d", body)
    assert svg_diagram(toe()) == svg_diagram(toe())


def test_view_box_contains_everything() -> None:
    """The view box holds every cell, piece and label."""
    left, top, width, height = view_box(toe())
    assert all(left < placed.x < left + width for placed in placed_sprites(toe()))
    assert (left, top, width, height) == (-166, -62, 436, 436)


def test_hostile_text_is_escaped() -> None:
    """Names, glyphs, labels, titles and notes stay text, and the file stays well-formed."""
    drawing = Diagram(
        cells=(Cell(0, 0, HOSTILE, HOSTILE),),
        pieces=(Piece(0, 0, HOSTILE, 1, HOSTILE, HOSTILE),),
        marks=(Mark(0, 0, HOSTILE),),
        labels=(Label(0, 2, HOSTILE),),
        notes=(HOSTILE, ""),
    )
    svg = svg_diagram(drawing, title=HOSTILE)
    root = parsed(svg)
    assert not [e for e in root.iter() if e.tag.endswith("script")]
    assert "\x1b" not in svg
    text = text_diagram(drawing, color=False)
    assert "\x1b" not in text
    assert "\x00" not in text


@given(
    st.builds(
        Diagram,
        cells=st.lists(
            st.builds(
                Cell,
                st.integers(-9, 9),
                st.integers(-9, 9),
                st.sampled_from([*GROUNDS, "city-2", "x-", "-1", "a-\u0661"]) | st.text(),
                st.text(),
                st.sampled_from(["square", "hex", "point"]),
            )
        ).map(tuple),
        pieces=st.lists(
            st.builds(
                Piece,
                st.integers(-9, 9),
                st.integers(-9, 9),
                st.text(max_size=2),
                st.integers(0, 9),
                st.sampled_from([*TOKENS, "tower", "range"]) | st.text(),
                st.text(),
            )
        ).map(tuple),
        marks=st.lists(st.builds(Mark, st.integers(-9, 9), st.integers(-9, 9), st.text())).map(tuple),
        arrows=st.lists(st.builds(Arrow, *[st.integers(-9, 9)] * 4)).map(tuple),
        labels=st.lists(st.builds(Label, st.integers(-9, 9), st.integers(-9, 9), st.text())).map(tuple),
        notes=st.lists(st.text()).map(tuple),
    )
)
def test_any_diagram_can_be_rendered(drawing: Diagram) -> None:
    """Any plugin's diagram gives well-formed SVG and printable text."""
    parsed(svg_diagram(drawing, title="x"))
    for line in text_diagram(drawing).splitlines():
        assert line.isprintable()
    text_diagram(drawing, color=True)


def test_plain_diagram_shows_position_string() -> None:
    """A game without its own diagram shows a field of its string per line, and the last action."""
    drawing = plain_diagram("abc def", "x")
    assert text_diagram(drawing) == "abc\ndef\nlast: x\n"
    assert re.findall(r">([^<]*)</text>", svg_diagram(drawing)) == ["abc", "def", "last: x"]


def test_long_notes_are_folded_to_width() -> None:
    """A note wider than the board continues on the next line without loss."""
    note = "0123456789" * 30
    svg = svg_diagram(plain_diagram(note))
    lines = re.findall(r">([^<]*)</text>", svg)
    assert len(lines) > 1
    assert "".join(lines) == note


def test_text_without_colours_has_seat_numbers_and_brackets() -> None:
    """Pieces have their seat's number, marks are brackets with a legend, and an arrow is a line of text."""
    assert text_diagram(toe()).splitlines() == [
        " 1   X1  O2 [X1]",
        " 2   O2  .   .",
        " 3   .   .   .",
        "     a   b   c",
        "a3 -> c1",
        "[ ] arrived at",
        "seat 2",
    ]


def test_coloured_text_has_the_same_letters() -> None:
    """Colours add escape sequences and replace the seats' numbers."""
    colored = text_diagram(toe(), color=True, colors=("red", "blue"))
    assert "\033[1;38;5;231;48;5;166m X  \033[0m" in colored
    bare = re.sub(r"\033\[[0-9;]*m", "", colored)
    assert [line.rstrip() for line in bare.splitlines()[:2]] == [" 1   X   O  [X]", " 2   O   .   ."]


def test_glyphs_that_show_seats_get_no_numbers() -> None:
    """Chess letters or numbers already show the seats."""
    cells = tuple(Cell(2 * k, 0) for k in range(3))
    chess = Diagram(cells, (Piece(0, 0, "K", 1), Piece(2, 0, "k", 2), Piece(4, 0, "f", 0)))
    assert text_diagram(chess) == " K   k   f\n"
    numbers = Diagram(cells, (Piece(0, 0, "1", 1), Piece(2, 0, "3", 1), Piece(4, 0, "4", 2)))
    assert text_diagram(numbers) == " 1   3   4\n"
    named = Diagram(cells, (Piece(0, 0, "S1", 1), Piece(2, 0, "S2", 2)))
    assert text_diagram(named) == " S1  S2  .\n"


def test_rows_of_hex_grid_are_shifted() -> None:
    """A shift by half a cell is two columns; a row between rows is a separate line."""
    cells = (Cell(1, 0, shape="hex"), Cell(3, 0, "water", shape="hex"), Cell(0, 2, "mountain", shape="hex"))
    assert text_diagram(Diagram(cells)) == "   .   ~\n ^\n"
    between = (Cell(0, 0), Cell(2, 0), Cell(0, 2), Cell(2, 2), Cell(1, 1, shape="point"))
    assert text_diagram(Diagram(between)) == " .   .\n   o\n .   .\n"


def test_hex_cells_are_regular() -> None:
    """The six sides of a hex cell are equal to within a thousandth and rounding."""
    svg = cell_sprite("plain", "hex", SEAT_COLORS).svg
    path = re.search(r'd="M(-?\d+) (-?\d+)l(-?\d+) (-?\d+)v(-?\d+)', svg)
    assert path is not None
    _, _, dx, dy, side = map(int, path.groups())
    assert abs((dx * dx + dy * dy) ** 0.5 - side) < 0.1


@pytest.mark.parametrize("game", [Toe(), *all_games()], ids=lambda game: str(game.name))
def test_whole_game_needs_few_sprites(game: AnyGame) -> None:
    """All pictures of a game share a few sprites around the origin, with names of places apart."""
    sprites, count = set(), 0
    for state, _ in playout(game.new(), stream(1, "looks"), 60):
        for placed in placed_sprites(game.diagram(state.position())):
            if placed.sprite.layer >= PIECE:
                sprites.add(placed.sprite.svg)
                count += 1
    assert 0 < len(sprites) <= 40
    assert count > 3 * len(sprites)


def test_sprites_are_drawn_from_the_ground_up() -> None:
    """Cells and labels lie below marks, marks below arrows, and pieces on top, row by row."""
    places = [(placed.sprite.layer, placed.y, placed.x) for placed in placed_sprites(toe())]
    assert places == sorted(places)
    shown = [int(x) for x in re.findall(r"translate\((-?\d+) ", board_svg(toe()))]
    assert shown == [x for _, _, x in places]


def test_pieces_on_one_place_lie_upon_each_other() -> None:
    """The later one is above, also if another place is drawn later."""
    pieces = (Piece(2, 2, "A", 1), Piece(0, 0, "B", 1), Piece(2, 2, "C", 1))
    svg = board_svg(Diagram((Cell(0, 0), Cell(2, 2)), pieces))
    assert re.findall(">([ABC])</text>", svg) == ["B", "A", "C"]


def test_seats_named_after_colours_get_them() -> None:
    """Red is red; seats with other names get four distinct colours."""
    assert seat_colors(("Red", "Blue")) == ("red", "blue")
    assert seat_colors(("Black", "White")) == ("black", "white")
    assert seat_colors(("Sage 1", "Sage 2")) == SEAT_COLORS
    assert seat_colors(("Red", "Red")) == SEAT_COLORS
    assert seat_colors(("Fire", "Water")) == SEAT_COLORS
    assert seat_colors(()) == SEAT_COLORS


def luminance(color: str) -> float:
    parts = [int(color[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("dark", [False, True])
def test_letters_have_enough_contrast(dark: bool) -> None:
    """The contrast is at least 3:1, which WCAG requires of large bold text."""
    for name, tone in TOKENS.items():
        ink = "#ffffff" if name in INK_LIGHT else "#1c1a17"
        assert contrast(tone.dark if dark else tone.light, ink) >= 3, name
    letters, back = LINES["ink"], LINES["back"]
    assert contrast(letters.dark if dark else letters.light, back.dark if dark else back.light) >= 7


def test_page_can_override_every_colour() -> None:
    """The style sheet has colours only as fallbacks of custom properties, or as ink."""
    text = re.sub(r"var\(--board-[a-z-]+,#[0-9a-f]{6}\)", "", style())
    assert set(re.findall(r"#[0-9a-f]{3,6}", text)) == {"#fff", "#1c1a17"}


def test_style_selectors_are_single_classes() -> None:
    """Inside a ``<use>`` element, selectors cannot match ancestors."""
    selectors = re.findall(r"([^{}]+)\{(?=[a-z-]+:)", style())
    assert len(selectors) > 40
    assert all(re.fullmatch(r"\.tb-[a-z-]+(,\.tb-[a-z-]+)*", s.strip()) for s in selectors)
