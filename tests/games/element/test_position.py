"""Element: action strings and position strings, strict both ways."""

import pytest

from tests.games.element.made import GAME, START_2, A, B, field, legal, made, named, play, read, text
from tourney.errors import ActionError, PositionError
from tourney.games.base import OVER

OPEN = "/".join(["..........."] * 11)
FULL = "A30,E30,F30,W30"


def change(string: str, **fields: str) -> str:
    """A position string with fields replaced; fields are named in lower case."""
    names = ["board", "sages", "seat", "phase", "hand", "steps", "used", "bag", "turn"]
    return " ".join(fields.get(name, word) for name, word in zip(names, string.split(" "), strict=True))


ACTIONS = [
    *("draw-0", "draw-4", "stones-A", "stones-AEFF", "stones-WWWW", "F-e5", "W-a11", "E-k1", "A-k11"),
    *("step-e5", "jump-a10", "river-n", "flow-w", "end"),
]


@pytest.mark.parametrize("action", ACTIONS)
def test_action_string_is_read_and_written(action: str) -> None:
    assert GAME.action_string(GAME.parse_action(action)) == action


@pytest.mark.parametrize(
    "action",
    [
        *(
            "",
            "draw",
            "draw-5",
            "draw-01",
            "Draw-1",
            "stones-",
            "stones-FA",
            "stones-AAAAA",
            "stones-X",
            "f-e5",
        ),
        *("F-l1", "F-e12", "F-e05", "step-", "step-e5 ", "jump-e5\n", "river-x", "flow-N", "end-", "M-e5"),
    ],
)
def test_malformed_action_string_is_refused(action: str) -> None:
    with pytest.raises(ActionError):
        GAME.parse_action(action)


def test_illegal_action_is_refused() -> None:
    state = made("Fe5 We6", hand="F", steps="0")
    for action in ("F-e5", "F-e6", "W-e7", "step-a2", "jump-a2", "end", "draw-1", "flow-e", "stones-F"):
        with pytest.raises(ActionError, match="not legal"):
            GAME.read_action(state, action)


def test_all_actions_are_ordered_as_their_strings() -> None:
    """The game's ints sort like the strings, so lists need no other order."""
    squares = [f"{column}{row}" for column in "abcdefghijk" for row in range(1, 12)]
    strings = [
        f"{word}-{square}" for word in ("A", "E", "F", "W", "jump", "step") for square in squares
    ] + ACTIONS
    ints = {text: GAME.parse_action(text) for text in strings}
    assert sorted(ints, key=ints.__getitem__) == sorted(ints)


def test_board_string_runs_from_row_11_down() -> None:
    string = text("Fa11 Wk11 Ec3 Md3 1e3 2f3 3g3 4h3", sages="a1 k1")
    assert string.startswith("F.........W/.........../")
    assert string.split("/")[8] == "..EM1234..."
    assert read(string).position() == string


@pytest.mark.parametrize(
    "string",
    [
        START_2,
        A,
        B,
        text(sages="c3 i3 i9 c9", phase="chance-4", turn=199),
        text(sages="c3 i3 i9", phase="draw", turn=200),
        text("We5 We6 Wf5", hand="AEF", steps="0", phase="river-e5"),
        text("We5 We6", hand="AEF", steps="1", phase="flow-e5-n--"),
        text("We5 We6 We7", phase="flow-e5-n-ee", steps="4"),
        text("We5 We6 Wf5", phase="flow-e5-e-s"),
        text(hand="AEFW", steps="0"),
        text(steps="5"),
        text("1e5 4e10 1b2", used="b2 e5 e10"),
        text("Fa2 Fb1 Fb2", sages="k11 a1 e5"),
        text("Wa2 Wb1 Wb2", sages="a1 k11", phase="flow-b2-w--"),
    ],
)
def test_possible_position_round_trips(string: str) -> None:
    assert read(string).position() == string


def test_captured_sage_of_another_seat_ends_game_in_act() -> None:
    state = read(text("Fa2 Fb1 Fb2", sages="k11 a1 e5", hand="A"))
    assert (state.actor, state.ranks(), legal(state)) == (OVER, (1, 2, 2), [])


def test_captures_are_not_judged_while_river_flows() -> None:
    """Both sages are walled in, seat 1's by the river itself."""
    string = text("Wa2 Wb1 Wb2 Fk10 Fj10 Fj11", sages="a1 k11", phase="flow-b2-w--")
    state = read(string)
    assert state.actor == 1
    after = play(state, *[f"flow-{letter}" for letter in "ne"])
    assert (after.actor, after.ranks()) == (OVER, (1, 2))


RIVER = text("We5 We6 Wf5", hand="A", phase="river-e5")
FLOW = text("We5 We6 We7", hand="A", phase="flow-e5-n-e")
ACT = text("1e5 Ff6", hand="AF", steps="1", used="e5")

REFUSED = {
    "empty": ("", "9 fields"),
    "eight-fields": (START_2.rsplit(" ", 1)[0], "9 fields"),
    "two-blanks": (START_2.replace(" draw", "  draw"), "9 fields"),
    "newline": (START_2 + "\n", "TURN"),
    "ten-rows": (change(START_2, board=OPEN[12:]), "10 rows, not 11"),
    "twelve-rows": (change(START_2, board=OPEN + "/..........."), "12 rows, not 11"),
    "short-row": (change(START_2, board=OPEN[1:]), "row 11"),
    "long-row": (change(START_2, board=OPEN + "."), "row 1 "),
    "unknown-letter": (change(START_2, board="5" + OPEN[1:]), "row 11"),
    "too-many-in-the-bag": (change(START_2, bag="A31,E30,F30,W30"), "31 stones A"),
    "too-few-in-the-bag": (change(START_2, bag="A30,E30,F29,W30"), "29 stones F"),
    "board-not-in-the-bag": (change(START_2, board="M" + OPEN[1:]), "32 stones E"),
    "whirlwind-not-in-the-bag": (change(START_2, board="3" + OPEN[1:]), "33 stones A"),
    "hand-not-in-the-bag": (change(text(), hand="W"), "31 stones W"),
    "headwater-not-in-the-bag": (change(FLOW, bag="A29,E30,F30,W28"), "31 stones W"),
    "bag-unsorted": (change(START_2, bag="E30,A30,F30,W30"), "BAG"),
    "bag-with-a-zero": (change(START_2, bag="A030,E30,F30,W30"), "BAG"),
    "bag-of-three": (change(START_2, bag="A30,E30,F30"), "BAG"),
    "sages-on-one-square": (change(START_2, sages="f5,f5"), "a square twice"),
    "sage-on-a-stone": (change(text("Fe5"), sages="e5,k11"), "a stone under the sage"),
    "sage-off-the-board": (change(START_2, sages="f5,l7"), "l7"),
    "sage-with-a-zero": (change(START_2, sages="f05,f7"), "f05"),
    "seat-does-not-fit": (change(START_2, seat="2"), "does not fit TURN 0"),
    "seat-0": (change(START_2, seat="0"), "SEAT"),
    "seat-3-of-2": (change(START_2, seat="3", turn="2"), "SEAT"),
    "turn-does-not-fit": (change(START_2, turn="7"), "does not fit TURN 7"),
    "hand-in-draw": (change(START_2, hand="A", bag="A29,E30,F30,W30"), "HAND, STEPS and USED"),
    "steps-in-draw": (change(START_2, steps="0"), "HAND, STEPS and USED"),
    "steps-in-chance": (change(START_2, phase="chance-2", steps="3"), "HAND, STEPS and USED"),
    "used-in-draw": (text("1e5", phase="draw", used="e5"), "HAND, STEPS and USED"),
    "chance-0": (change(START_2, phase="chance-0"), "PHASE"),
    "chance-5": (change(START_2, phase="chance-5"), "PHASE"),
    "unknown-phase": (change(START_2, phase="over"), "PHASE"),
    "phase-of-another-case": (change(START_2, phase="Draw"), "PHASE"),
    "no-steps-in-act": (change(ACT, steps="-"), "STEPS"),
    "six-steps": (change(text(), steps="6"), "STEPS"),
    "steps-with-a-zero": (change(text(), steps="01"), "STEPS"),
    "five-in-hand": (text(hand="AAAAA", steps="0"), "5 stones"),
    "hand-and-steps": (text(hand="AAAA", steps="2"), "add up to 6"),
    "hand-and-steps-in-river": (change(RIVER, hand="AAF", bag="A28,E30,F29,W27", steps="2"), "add up to 6"),
    "hand-with-a-water-being-placed": (
        text("We5 We6", hand="AAEF", steps="0", phase="flow-e5-n--"),
        "5 stones",
    ),
    "hand-unsorted": (text(hand="FA"), "HAND"),
    "hand-of-other-letters": (change(text(hand="A"), hand="."), "HAND"),
    "used-without-wind": (change(ACT, used="f6"), "no Wind"),
    "used-on-an-open-square": (change(ACT, used="a5"), "no Wind"),
    "used-off-the-board": (change(ACT, used="e12"), "e12"),
    "used-twice": (change(ACT, used="e5,e5"), "twice"),
    "used-unsorted": (text("1e5 1e10", used="e10 e5"), "sorted"),
    "own-sage-captured-in-act": (text("Fa2 Fb1 Fb2"), "captured"),
    "own-sage-captured-in-draw": (text("Fa2 Fb1 Fb2", phase="draw"), "captured"),
    "other-sage-captured-in-draw": (text("Fa2 Fb1 Fb2", sages="k11 a1", phase="draw"), "captured"),
    "other-sage-captured-in-chance": (text("Fa2 Fb1 Fb2", sages="k11 a1", phase="chance-1"), "captured"),
    "captured-at-the-end": (text("Fa2 Fb1 Fb2", phase="draw", turn=200), "captured"),
    "river-with-one-open-direction": (text("We5 We6", phase="river-e5"), "fewer than 2"),
    "river-with-no-open-direction": (text("We5", phase="river-e5"), "fewer than 2"),
    "river-without-a-headwater": (text("We6 Wf5", phase="river-e5"), "no Water"),
    "river-whose-second-path-is-too-short": (
        text("Wa1 Wb1 Wc1 Wd1 Ea2 Ec2 Ea3 Ec3 Eb4", sages="k1 k11", phase="river-b1"),
        "has 1 open directions",
    ),
    "river-off-the-board": (text("We5 We6", phase="river-e12"), "e12"),
    "flow-without-a-headwater": (text("We6", phase="flow-e5-n--"), "no Water"),
    "flow-in-a-direction-without-water": (text("We5 We6", phase="flow-e5-e--"), "direction e"),
    "flow-in-no-direction": (text("We5 We6", phase="flow-e5-x--"), "PHASE"),
    "flow-without-a-path": (text("We5 We6", phase="flow-e5-n"), "PHASE"),
    "flow-with-an-empty-path": (text("We5 We6", phase="flow-e5-n-"), "PHASE"),
    "flow-that-is-complete": (text("We5 We6", phase="flow-e5-n-ee"), "complete"),
    "flow-that-is-longer": (text("We5 We6", phase="flow-e5-n-eee"), "complete"),
    "flow-over-water": (text("We5 We6 We7", phase="flow-e5-n-n"), "clear squares"),
    "flow-over-earth": (text("We5 We6 Ef5", phase="flow-e5-n-e"), "clear squares"),
    "flow-over-a-sage": (text("We5 We6", sages="f5 k11", phase="flow-e5-n-e"), "clear squares"),
    "flow-over-a-square-twice": (text("We5 We6 We7 We8", phase="flow-e5-n-ewe"), "clear squares"),
    "flow-off-the-board": (text("Wa5 Wa6 Wa7", phase="flow-a5-n-w"), "board"),
    "flow-that-cannot-be-completed": (
        text("Wa1 Wb1 Ea3 Eb2", sages="k1 k11", phase="flow-a1-e--"),
        "completed",
    ),
    "flow-that-must-capture-the-own-sage": (text("Wc1 Wd1 Fa2 Fb2 Ec2", phase="flow-c1-e--"), "completed"),
    "turn-201": (text(phase="draw", turn=201), "TURN"),
    "turn-200-in-act": (text(turn=200), "TURN 200"),
    "turn-200-in-chance": (text(turn=200, phase="chance-1"), "TURN 200"),
    "turn-with-a-zero": (change(START_2, turn="00"), "TURN"),
    "digits-of-another-script": (change(START_2, turn="٠"), "TURN"),
}
"""Position strings, and a part of the error."""


@pytest.mark.parametrize(("string", "says"), REFUSED.values(), ids=REFUSED)
def test_impossible_position_is_refused_in_one_sentence(string: str, says: str) -> None:
    with pytest.raises(PositionError, match=says) as refusal:
        GAME.parse_position(string, 2, {})
    assert "\n" not in str(refusal.value).replace(string, "")


@pytest.mark.parametrize("sages", ["f5", "f5,f7,c3", "f5,f7,c3,c4,c5", ""])
def test_position_has_one_sage_per_seat(sages: str) -> None:
    with pytest.raises(PositionError):
        GAME.parse_position(change(START_2, sages=sages), 2, {})


def test_chance_gives_no_more_than_bag_holds() -> None:
    """Only two Winds are in the bag; the others lie in whirlwinds of four."""
    squares = iter(f"{column}{row}" for column in "abcdefghij" for row in range(1, 12))
    stones = ["4"] * 7 + ["M"] * 15 + ["F"] * 30 + ["W"] * 30
    string = text(" ".join(what + next(squares) for what in stones), sages="k1 k11", phase="chance-2")
    assert field(read(string), "BAG") == "A2,E0,F0,W0"
    with pytest.raises(PositionError, match="bag holds 2"):
        read(string.replace("chance-2", "chance-3"))


def test_river_choice_needs_two_open_directions() -> None:
    assert named(read(text("We5 We6 Wf5", phase="river-e5")), "river") == {"e", "n"}
    assert named(read(text("We5 We6 Wf5 We4", phase="river-e5")), "river") == {"e", "n", "s"}


def test_nothing_is_hidden() -> None:
    for string in (A, text(sages="c3 i3 i9", phase="chance-2")):
        state = read(string)
        assert {state.observation(seat) for seat in range(1, state.seats + 1)} == {string}
        assert GAME.sample(string, 2, lambda _: 0).position() == string
    for string in ("", "x", START_2.replace("f5,f7", "f5")):
        with pytest.raises(PositionError):
            GAME.sample(string, 1, lambda _: 0)
