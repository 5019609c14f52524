"""Sage Stones: action strings, position strings, options and diagrams."""

import pytest

from tests.games.sage_stones.positions import GAME, made, options, play, read, refusal, text
from tourney.errors import ActionError, OptionError, PositionError
from tourney.games.diagrams import Mark

EMPTY = "/".join(["........."] * 7)
START = f"{EMPTY} 1 roll 10,10,10,10 0 seats=4,stones=10,play-on=no"
FULL = "3=122334411"
TEN = "3a1 3c1 3e1 3g1 4a1 4c1 4e1 4g1 5a1 5c1"


@pytest.mark.parametrize("word", ["5d", "3a", "9i", "roll-111", "roll-123", "roll-333"])
def test_action_string_round_trip(word: str) -> None:
    assert GAME.action_string(GAME.parse_action(word)) == word


@pytest.mark.parametrize(
    "word",
    [
        *("", "5", "d5", "5D", "2a", "10a", "5j", "5d ", " 5d", "roll", "roll-", "roll-12", "roll-1222"),
        *("roll-221", "roll-321", "roll-124", "roll-000", "Roll-111", "roll-111\n", "pass"),
        "5\N{LATIN SMALL LETTER D WITH CARON}",
    ],
)
def test_malformed_action_is_refused(word: str) -> None:
    with pytest.raises(ActionError, match="not an action of sage-stones"):
        GAME.parse_action(word)


def test_squares_and_rolls_are_legal_only_in_their_phase() -> None:
    with pytest.raises(ActionError):
        GAME.read_action(made(), "5d")
    with pytest.raises(ActionError):
        GAME.read_action(made(phase="5"), "roll-122")


@pytest.mark.parametrize("word", ["5a", "4a", "6a"])
def test_only_empty_square_of_column_is_legal(word: str) -> None:
    with pytest.raises(ActionError):
        GAME.read_action(made("5a2", phase="5"), word)


def test_no_action_is_legal_when_game_is_over() -> None:
    state = made(TEN, 1, "over")
    assert not any(state.is_legal(GAME.parse_action(word)) for word in ("5d", "9i", "roll-111"))


def test_board_string_has_columns_3_to_9() -> None:
    state = made("3a1 3i2 4b3 9i4")
    assert (
        state.position().split(" ")[0]
        == "1.......2/.3......./........./........./........./........./........4"
    )


@pytest.mark.parametrize("phase", ["roll", "3+", "4", "5", "6", "6+", "7", "8", "9+"])
def test_each_phase_round_trips(phase: str) -> None:
    position = text("5d1", phase=phase)
    assert read(position).position() == position


FORM = {
    "nothing": "",
    "five fields": START.rpartition(" ")[0],
    "seven fields": START + " x",
    "two blanks": START.replace(" 1 ", "  1 "),
    "a blank at the end": START + " ",
    "a newline at the end": START + "\n",
    "six columns": START.replace("........./", "", 1),
    "eight columns": START.replace("........./", "........././........./", 1),
    "a column of eight rows": START.replace(".........", "........", 1),
    "a column of ten rows": START.replace(".........", "..........", 1),
    "run lengths": START.replace(".........", "9", 1),
    "colour 5 on the board": START.replace("........./", "5......../", 1),
    "colour 0 on the board": START.replace("........./", "0......../", 1),
    "another character on the board": START.replace("........./", "x......../", 1),
    "colour 0 to move": START.replace(" 1 ", " 0 "),
    "colour 5 to move": START.replace(" 1 ", " 5 "),
    "colour 01 to move": START.replace(" 1 ", " 01 "),
    "no colour to move": START.replace(" 1 ", "  "),
    "a colour in other digits": START.replace(" 1 ", " \N{FULLWIDTH DIGIT ONE} "),
    "three hands": START.replace("10,10,10,10", "10,10,10"),
    "five hands": START.replace("10,10,10,10", "10,10,10,10,10"),
    "a hand with a leading zero": text("3a1").replace(" 9,", " 09,"),
    "a hand below zero": START.replace("10,10,10,10", "-1,10,10,10"),
    "a hand left out": START.replace("10,10,10,10", "10,,10,10"),
    "a blank between hands": START.replace("10,10,10,10", "10, 10,10,10"),
    "a rank without play-on": text("3a1", hands="#1,10,10,10"),
    "rolls with a leading zero": START.replace(" 0 ", " 00 "),
    "rolls below zero": START.replace(" 0 ", " -1 "),
    "rolls that are not a number": START.replace(" 0 ", " x "),
    "rolls of many digits": START.replace(" 0 ", f" {'9' * 5000} "),
    "options in another order": START.replace("seats=4,stones=10", "stones=10,seats=4"),
    "an option left out": START.replace(",play-on=no", ""),
    "an option more": START + ",x=1",
    "options separated by a semicolon": START.replace(",play", ";play"),
    "stones with a leading zero": START.replace("stones=10", "stones=010"),
}


@pytest.mark.parametrize("position", FORM.values(), ids=FORM.keys())
def test_malformed_string_is_refused(position: str) -> None:
    message = refusal(position)
    assert message
    assert "\n" not in message
    assert len(message) < 300


@pytest.mark.parametrize(
    "phase", ["3", "9", "4+", "5+", "7+", "8+", "2", "10", "Roll", "OVER", "", "+", "6++", "r", "6-"]
)
def test_unknown_phase_is_refused(phase: str) -> None:
    assert refusal(text("5d1", phase=phase))


@pytest.mark.parametrize(
    ("position", "seats", "count", "play_on"),
    [
        (text(seats=3), 4, 10, False),
        (text(seats=2), 4, 10, False),
        (text(seats=4), 2, 10, False),
        (text(count=11), 4, 10, False),
        (text(), 4, 9, False),
        (text(play_on=True), 4, 10, False),
        (text(), 4, 10, True),
    ],
)
def test_given_options_must_match_the_string(position: str, seats: int, count: int, play_on: bool) -> None:
    assert "OPTIONS" in refusal(position, seats, count, play_on)


def test_colour_4_is_refused_with_three_seats() -> None:
    assert refusal(text("3a4", seats=3), 3)
    assert refusal(text(colour=4, seats=3), 3)
    assert refusal(text(seats=3, hands="10,10,10,10"), 3)
    assert refusal(text(colour=3, seats=3), 3) == ""


IMPOSSIBLE = {
    "board and hand below stones": (text("3a1", hands="8,10,10,10"), "1 stones on the board and 8 in hand"),
    "board and hand above stones": (text("3a1", hands="10,10,10,10"), "1 stones on the board and 10 in hand"),
    "more on the board than stones": (
        text(f"{TEN} 9a1", phase="over", hands="0,10,10,10"),
        "11 stones on the board",
    ),
    "none in hand while the dice roll": (text(TEN), "PHASE must be over"),
    "none in hand while another places": (text(TEN, 2, "7"), "PHASE must be over"),
    "none in hand of two colours": (
        text(
            f"{TEN} {TEN.replace('1', '2').replace('3', '6')}".replace(
                "4a2 4c2 4e2 4g2 5a2 5c2", "7a2 7c2 7e2 7g2 8a2 8c2"
            ),
            phase="over",
        ),
        "two colours have placed",
    ),
    "a phase column that is full": (text(FULL, phase="3+"), "column 3, which is full"),
    "column 6 full in the phase": (text(FULL.replace("3=", "6="), phase="6"), "column 6, which is full"),
    "a phase column with no rolls made": (text("3a1", phase="5", rolls=0), "ROLLS is 0"),
    "rolls over 500": (text("3a1", rolls=501), "from 0 to 500"),
    "over with rolls over 500": (text("3a1", phase="over", rolls=501), "from 0 to 500"),
    "over but the game continues": (text("3a1", phase="over"), "but the game is not"),
    "over after 499 rolls": (text("3a1", phase="over", rolls=499), "but the game is not"),
    "dice after 500 rolls": (text("3a1", rolls=500), "after 500 rolls PHASE must be"),
}


@pytest.mark.parametrize(("position", "why"), IMPOSSIBLE.values(), ids=IMPOSSIBLE.keys())
def test_impossible_position_is_refused(position: str, why: str) -> None:
    message = refusal(position)
    assert why in message
    assert "\n" not in message


DONE = "3a1 3c1 3e1"
IMPOSSIBLE_DONE = {
    "a done colour with more on the board than stones": (
        text(f"{DONE} 4a1", 2, hands="#1,3,3,3"),
        "4 stones on the board, more than its 3",
    ),
    "COLOUR is done": (text(DONE, 1, hands="#1,3,3,3"), "which has finished"),
    "COLOUR is done and places": (text(DONE, 1, "5", hands="#1,3,3,3"), "which has finished"),
    "ranks that begin with 2": (text(DONE, 2, hands="#2,3,3,3"), "they must be 1, 2"),
    "ranks with a gap": (text(DONE, 2, hands="#1,3,#3,3"), "they must be 1, 2"),
    "a rank twice": (text(DONE, 2, hands="#1,3,#1,3"), "they must be 1, 2"),
    "a rank beyond seats - 1": (text(DONE, 2, hands="#1,#2,#3,#4"), "at most 3"),
    "rank 4 alone": (text(DONE, 2, hands="#4,3,3,3"), "they must be 1, 2"),
    "rank 0": (text(DONE, 2, hands="#0,3,3,3"), "HANDS"),
    "a rank with a leading zero": (text(DONE, 2, hands="#01,3,3,3"), "HANDS"),
    "a rank without a number": (text(DONE, 2, hands="#,3,3,3"), "HANDS"),
    "none in hand for a rank": (text(DONE, 1, "over", hands="0,3,3,3"), "write # and the rank"),
    "over with one colour done": (text(DONE, 1, "over", hands="#1,3,3,3"), "but the game is not"),
    "all but one done while the dice roll": (text(DONE, 4, hands="#1,#2,#3,3"), "PHASE must be over"),
    "all but one done and the last places": (text(DONE, 4, "5", hands="#1,#2,#3,3"), "PHASE must be over"),
    "dice after 500 rolls": (text(DONE, 2, hands="#1,3,3,3", rolls=500), "after 500 rolls PHASE must be"),
}


@pytest.mark.parametrize(("words", "why"), IMPOSSIBLE_DONE.values(), ids=IMPOSSIBLE_DONE.keys())
def test_impossible_position_of_play_on_is_refused(words: str, why: str) -> None:
    position = words.replace("stones=10,play-on=no", "stones=3,play-on=yes")
    assert position != words
    assert why in refusal(position, 4, 3, True)


def test_two_finished_of_three_seats_end_game() -> None:
    going = text("3a3", 3, seats=3, count=3, hands="#1,#2,2", play_on=True)
    assert refusal(going, 3, 3, True)
    assert refusal(going.replace(" roll ", " over "), 3, 3, True) == ""
    assert refusal(text(seats=3, count=3, hands="#1,#2,#3", play_on=True, phase="over"), 3, 3, True)


ODD = {
    "the start with rolls made": text(rolls=499),
    "stones on the board and no rolls": text("3a1 3b2 3c3", 3, rolls=0),
    "a redirected 6 and no full column": text(phase="6"),
    "the placement of the 500th roll": text("3a1", phase="9+", rolls=500),
    "over by the rolls": text("3a1", phase="over", rolls=500),
    "over by the last stone without a roll": text(TEN, 1, "over", rolls=0),
    "over by the last stone at roll 500": text(TEN, 1, "over", rolls=500),
    "over and another COLOUR": text(TEN, 3, "over"),
    "captures not made": text("5a1 5b2 5c1"),
    "a colour far ahead": text(TEN.removesuffix(" 5c1"), 4),
    "a full column beside the phase": text(FULL, phase="4"),
    "all of one colour's stones in hand": text("3a2 3b2 3c2"),
}


@pytest.mark.parametrize("position", ODD.values(), ids=ODD.keys())
def test_possible_position_is_parsed(position: str) -> None:
    assert read(position).position() == position


ODD_DONE = {
    "a done colour with fewer on the board": text("3a1", 2, hands="#1,3,3,3", count=3, play_on=True),
    "a done colour with none on the board": text(colour=2, hands="#1,3,3,3", count=3, play_on=True),
    "COLOUR is done and it is over": text("3a1", 1, "over", hands="#3,#1,#2,3", count=3, play_on=True),
    "the last colour at the end": text("3a4", 4, "over", hands="#3,#1,#2,2", count=3, play_on=True),
    "over by the rolls with one done": text(
        "3a1", 1, "over", hands="#1,3,3,3", count=3, play_on=True, rolls=500
    ),
    "over by the rolls with none done": text("3a1", 2, "over", count=3, play_on=True, rolls=500),
}


@pytest.mark.parametrize("position", ODD_DONE.values(), ids=ODD_DONE.keys())
def test_possible_position_of_play_on_is_parsed(position: str) -> None:
    assert read(position).position() == position


@pytest.mark.parametrize("count", ["2", "16", "0", "010", "ten", "", "-3", "3.0"])
def test_stones_are_3_to_15(count: str) -> None:
    with pytest.raises(OptionError, match="option stones"):
        GAME.new(3, {"stones": count})


@pytest.mark.parametrize("seats", [1, 5])
def test_game_has_two_to_four_seats(seats: int) -> None:
    with pytest.raises(OptionError, match="played with 2, 3, 4 seats"):
        GAME.new(seats)


def test_play_on_is_yes_or_no() -> None:
    with pytest.raises(OptionError, match="option play-on"):
        GAME.new(3, {"play-on": "maybe"})


def test_seat_sees_whole_position_and_can_sample_it() -> None:
    state = play(GAME.new(3, options(5, play_on=True)), "roll-112 4d roll-222")
    assert state.observation(1) == state.observation(3) == state.position()
    again = GAME.sample(state.observation(2), 2, lambda total: 0)
    assert again.position() == state.position()


@pytest.mark.parametrize(
    "observation",
    ["nothing", text(seats=2, play_on=True), text(count=99, hands="99,99,99,99"), text() + "\n"],
)
def test_sample_refuses_impossible_observation(observation: str) -> None:
    with pytest.raises(PositionError):
        GAME.sample(observation, 1, lambda total: 0)


def test_diagram_shows_stones_dice_and_choices() -> None:
    state = play(made("5a1 5i2 5d3", seats=2), "roll-122")
    drawing = GAME.diagram(state.position(), "roll-122")
    assert len(drawing.cells) == 63
    assert {(p.glyph, p.side, p.kind, p.x, p.y) for p in drawing.pieces if not p.aside} == {
        ("1", 1, "stone", 4, 16),
        ("2", 2, "stone", 4, 0),
        ("3", 1, "second-stone", 4, 10),
    }
    assert [p.glyph for p in drawing.pieces if p.kind == "die"] == ["1", "2", "2"]
    assert [p.glyph for p in drawing.pieces if p.kind == "count"] == ["9", "9", "9", "10"]
    assert {(m.x, m.y) for m in drawing.marks if m.kind == "used"} == {(4, y) for y in (2, 4, 6, 8, 12, 14)}
    assert drawing.notes == (
        "colour 1 (seat 1) places in column 5",
        "in hand, by colour: 1: 9, 2: 9, 3: 9, 4: 10",
        "rolls: 21 of 500",
        "dice: 1-2-2",
    )


def test_diagram_marks_last_stone() -> None:
    state = play(made(phase="9+"), "9i")
    drawing = GAME.diagram(state.position(), "9i")
    assert drawing.marks == (Mark(12, 0, "to"),)
    assert drawing.notes[0] == "colour 1 (seat 1) rolls"


def test_diagram_notes_name_finished_colours() -> None:
    drawing = GAME.diagram(text("3a4", 4, "over", hands="#3,#1,#2,2", count=3, play_on=True))
    assert drawing.notes[0] == "over; last turn: colour 4 (seat 4)"
    assert "1: done, rank 3" in drawing.notes[1]


def test_diagram_refuses_malformed_strings() -> None:
    with pytest.raises(PositionError):
        GAME.diagram("nothing")
    with pytest.raises(ActionError):
        GAME.diagram(START, "nothing")
