"""Sages Tafl: action strings, position strings and diagrams."""

import pytest

from tests.games.sages_tafl.positions import GAME, START, made, play, read, refusal, text
from tourney.errors import ActionError, OptionError, PositionError
from tourney.games.diagrams import Arrow, Mark

ROWS = START.split(" ")[0]


@pytest.mark.parametrize("word", ["d2-d4", "d4-d6", "tower-d2", "tower-e9", "c5-off", "pass", "a1-h9"])
def test_action_string_round_trip(word: str) -> None:
    assert GAME.action_string(GAME.parse_action(word)) == word


@pytest.mark.parametrize(
    "word",
    [
        *("", "d2", "d2d4", "d2-d2", "D2-D4", "d2-d10", "i1-a1", "d0-d1", "d2-off", "off", "tower", "Pass"),
        *("tower-c3", "tower-off", "pass ", " pass", "d2-d4\n", "d2--d4", "d\N{SUPERSCRIPT TWO}-d4"),
    ],
)
def test_malformed_action_is_refused(word: str) -> None:
    with pytest.raises(ActionError, match="not an action of sages-tafl"):
        GAME.parse_action(word)


@pytest.mark.parametrize("word", ["a2-a3", "d8-d7", "d2-d5", "c1-b1-", "tower-d1", "pass", "c5-off", "a2-b4"])
def test_illegal_action_is_refused(word: str) -> None:
    with pytest.raises(ActionError):
        GAME.read_action(GAME.new(), word)


def test_no_action_is_legal_when_game_is_over() -> None:
    state = made("Ad5 ah9", points="5:0")
    assert not any(
        state.is_legal(GAME.parse_action(word)) for word in ("d5-d4", "pass", "d5-off", "tower-d1")
    )


def test_board_string_has_ranks_9_to_1() -> None:
    assert made("Fa9 ah1", points="2:2").position().startswith("F7/8/8/8/8/8/8/8/7a ")


def test_black_is_upper_case_and_red_lower_case() -> None:
    state = play(GAME.new(), "c2-c3")
    assert state.position() == "2aaaa2/f1aaaa1f/8/8/8/8/2A5/F2AAA1F/2AAAA2 2 Tt 0:0 1 1"


@pytest.mark.parametrize(("pieces", "towers"), [("Sa1 sa9", "-"), ("sa9", "T"), ("Sa1", "t"), ("Aa1", "Tt")])
def test_towers_field_shows_sages_in_towers(pieces: str, towers: str) -> None:
    position = text(pieces + " Ab1 Ac1", towers=towers)
    assert refusal(position) == ""
    assert read(position).position() == position


def test_points_are_blacks_then_reds() -> None:
    assert read(text("Aa1 ah9", points="1:5")).ranks() == (2, 1)
    assert read(text("Aa1 ah9", points="5:1")).ranks() == (1, 2)


FORM = {
    "no fields": "",
    "five fields": START.rpartition(" ")[0],
    "seven fields": START + " 0",
    "two blanks": START.replace(" 1 ", "  1 "),
    "a blank at the end": START + " ",
    "a blank at the start": " " + START,
    "a tab": START.replace(" ", "\t"),
    "a newline": START + "\n",
    "eight ranks": START.replace("/8", "", 1),
    "ten ranks": START.replace("/8", "/8/8", 1),
    "an empty rank": START.replace("/8", "/", 1),
    "11 for 2": START.replace("2aaaa2", "11aaaa2", 1),
    "44 for 8": START.replace("/8", "/44", 1),
    "a zero": START.replace("2aaaa2", "20aaaa2", 1),
    "a nine": START.replace("/8", "/9", 1),
    "dots": START.replace("/8", "/........", 1),
    "a rank too short": START.replace("/8", "/7", 1),
    "a rank too long": START.replace("2aaaa2", "2aaaa3", 1),
    "an unknown piece": START.replace("F", "X", 1),
    "a digit that is not ASCII": START.replace("/8", "/\N{FULLWIDTH DIGIT EIGHT}", 1),
    "seat 0": f"{ROWS} 0 Tt 0:0 0 0",
    "seat 3": f"{ROWS} 3 Tt 0:0 0 0",
    "seat 01": f"{ROWS} 01 Tt 0:0 0 0",
    "seat w": f"{ROWS} w Tt 0:0 0 0",
    "towers tT": f"{ROWS} 1 tT 0:0 0 0",
    "towers TT": f"{ROWS} 1 TT 0:0 0 0",
    "towers of nothing": f"{ROWS} 1  0:0 0 0",
    "towers T-": f"{ROWS} 1 T- 0:0 0 0",
    "points without a colon": f"{ROWS} 1 Tt 00 0 0",
    "points of three": f"{ROWS} 1 Tt 0:0:0 0 0",
    "points with a leading zero": f"{ROWS} 1 Tt 00:0 0 0",
    "points below zero": f"{ROWS} 1 Tt -1:0 0 0",
    "points left out": f"{ROWS} 1 Tt :0 0 0",
    "quiet with a leading zero": f"{ROWS} 1 Tt 0:0 01 5",
    "quiet with a sign": f"{ROWS} 1 Tt 0:0 +1 5",
    "quiet below zero": f"{ROWS} 1 Tt 0:0 -1 5",
    "quiet that is not a number": f"{ROWS} 1 Tt 0:0 x 5",
    "ply with a leading zero": f"{ROWS} 1 Tt 0:0 0 05",
    "ply with a point": f"{ROWS} 1 Tt 0:0 0 5.0",
    "ply in other digits": f"{ROWS} 1 Tt 0:0 0 \N{ARABIC-INDIC DIGIT FIVE}",
    "a ply of many digits": f"{ROWS} 1 Tt 0:0 0 {'9' * 5000}",
}


@pytest.mark.parametrize("position", FORM.values(), ids=FORM.keys())
def test_malformed_string_is_refused(position: str) -> None:
    message = refusal(position)
    assert message
    assert "\n" not in message
    assert len(message) < 300


IMPOSSIBLE = {
    "two sages of Black on the board": (text("Sa1 Sb1", towers="t"), "Black has 2 sages"),
    "two sages of Red on the board": (text("sa1 sb1", towers="T"), "Red has 2 sages"),
    "a sage on the board and in the tower": (text("Sa1", towers="T"), "Black has 2 sages"),
    "Red's sage on the board and in the tower": (text("sa1", towers="Tt"), "Red has 2 sages"),
    "three skyships of Black": (text("Fa1 Fb1 Fc1"), "Black has more than 2 skyships"),
    "three skyships of Red": (text("fa1 fb1 fc1"), "Red has more than 2 skyships"),
    "nine apprentices": (
        text("Aa1 Ab1 Ac1 Ad1 Ae1 Af1 Ag1 Ah1 Aa2", points="0:0"),
        "Black has 9 apprentices",
    ),
    "eight apprentices and a point": (
        text("aa1 ab1 ac1 ad1 ae1 af1 ag1 ah1", points="0:1"),
        "Red has 8 apprentices",
    ),
    "seven apprentices and two points": (
        text("Aa1 Ab1 Ac1 Ad1 Ae1 Af1 Ag1", points="2:0"),
        "Black has 7 apprentices",
    ),
    "nine points with the sage there": (text("ah9", points="9:0"), "9 points from escaped ones"),
    "two points with an escaped sage": (text("Aa1", towers="t", points="2:0"), "it has escaped"),
    "no points with an escaped sage": (text("Aa1", towers="T", points="0:0"), "it has escaped"),
    "an escaped sage, six apprentices and three points more": (
        text("Aa1 Ab1 Ac1 Ad1 Ae1 Af1", towers="t", points="6:0"),
        "3 points from escaped ones",
    ),
    "twelve points": (text("ah9", towers="t", points="12:0"), "POINTS '12' is not a number from 0 to 11"),
    "five points each": (text("", points="5:5"), "both sides"),
    "six and five points": (text("", points="6:5"), "both sides"),
    "QUIET over 100": (text("Aa1 ah9", quiet=101, ply=200), "QUIET '101' is not a number from 0 to 100"),
    "QUIET over PLY": (text("Aa1 ah9", quiet=5, ply=4), "more than all 4 actions"),
    "PLY over 400": (text("Aa1 ah9", ply=401), "PLY '401' is not a number from 0 to 400"),
}


@pytest.mark.parametrize(("position", "why"), IMPOSSIBLE.values(), ids=IMPOSSIBLE.keys())
def test_impossible_position_is_refused(position: str, why: str) -> None:
    message = refusal(position)
    assert why in message
    assert "\n" not in message


ODD = {
    "an empty board": text("", points="4:4"),
    "eight points of apprentices": text("ah9", points="8:0"),
    "eleven points of all": text("ah9", towers="t", points="11:0"),
    "eight apprentices anywhere": text("Aa9 Ab9 Ac9 Ad9 Ae9 Af9 Ag9 Ah9", points="0:0"),
    "seven apprentices and a point": text("Aa1 Ab1 Ac1 Ad1 Ae1 Af1 Ag1", points="1:0"),
    "an escaped sage and all apprentices": text("Aa1 Ab1 Ac1 Ad1 Ae1 Af1 Ag1 Ah1", towers="t", points="3:0"),
    "pieces at the foot of the other tower": text("Ad8 Ae8 Ad9 Se9 sd1", towers="-"),
    "no skyships": text("Aa1 ah9"),
    "SEAT that does not fit PLY": text("Aa1 ah9", seat=2, ply=0),
    "QUIET of 100": text("Aa1 ah9", quiet=100, ply=100),
    "PLY of 400": text("Aa1 ah9", ply=400),
    "QUIET equal to PLY": text("Aa1 ah9", quiet=7, ply=7),
    "points at PLY 0": text("Aa1 ah9", points="4:0"),
    "a piece between two enemies": text("Ab1 ac1 ad1 Ae1 aa1"),
    "five points and the other side's four": text("", points="5:4"),
    "a capture not made": text("Ac3 ad3 Ae3"),
}


@pytest.mark.parametrize("position", ODD.values(), ids=ODD.keys())
def test_possible_position_is_parsed(position: str) -> None:
    assert read(position).position() == position


@pytest.mark.parametrize("seats", [1, 3])
def test_game_has_two_seats(seats: int) -> None:
    with pytest.raises(OptionError, match="played with 2 seats"):
        GAME.new(seats)


def test_game_has_no_options() -> None:
    with pytest.raises(OptionError, match="no option stones"):
        GAME.new(2, {"stones": "10"})


def test_seat_sees_whole_position_and_can_sample_it() -> None:
    state = play(GAME.new(), "c2-c3 c8-c7")
    assert state.observation(1) == state.observation(2) == state.position()
    again = GAME.sample(state.observation(2), 2, lambda total: 0)
    assert again.position() == state.position()
    with pytest.raises(PositionError):
        GAME.sample("nothing", 1, lambda total: 0)


def test_diagram_shows_ground_pieces_and_last_move() -> None:
    drawing = GAME.diagram(play(GAME.new(), "c2-c3").position(), "c2-c3")
    kinds = {cell.name: cell.kind for cell in drawing.cells if cell.name != "tower"}
    assert len(kinds) == 72
    assert (kinds["a5"], kinds["h4"], kinds["h6"], kinds["a3"]) == ("river", "bank", "bank", "plain")
    towers = [(cell.x, cell.y, cell.shape) for cell in drawing.cells if cell.name == "tower"]
    assert towers == [(7, 15, "point"), (7, 1, "point")]
    assert len(drawing.pieces) == 22
    assert {(p.glyph, p.side, p.x, p.y) for p in drawing.pieces if p.kind == "sage"} == {
        ("S", 1, 7, 15),
        ("s", 2, 7, 1),
    }
    assert drawing.marks == (Mark(4, 14, "from"), Mark(4, 12, "to"))
    assert drawing.arrows == (Arrow(4, 14, 4, 12),)
    assert drawing.notes[0] == "Red to move"


def test_diagram_marks_tower_descent_and_escape() -> None:
    down = play(made("Aa1 ad5", seat=2), "tower-d8")
    assert GAME.diagram(down.position(), "tower-d8").marks == (Mark(7, 1, "from"), Mark(6, 2, "to"))
    off = play(made("Ad5 ad7"), "d5-off")
    assert GAME.diagram(off.position(), "d5-off").marks == (Mark(6, 8, "from"),)
    assert GAME.diagram(made("Ad5").position(), "pass").marks == ()


def test_diagram_refuses_malformed_strings() -> None:
    with pytest.raises(PositionError):
        GAME.diagram("nothing")
    with pytest.raises(ActionError):
        GAME.diagram(START, "nothing")


def test_diagram_notes_show_that_game_is_over() -> None:
    assert GAME.diagram(made("Aa1 ah9", points="5:0").position()).notes[0] == "over: points"
