"""The Seven Sages: cases derived by hand from the rules page, for the rules console and the oracle.

In each case two rules of the page meet: turns on the fool's own square, the last touch, the rule of three
against the city's limit, and rounds, points and the 120th action that end together.
"""

import pytest

from tests.games.oracles.seven_sages import Oracle, Refused
from tests.games.seven_sages.made import squares
from tests.support.command import talk
from tourney.games import find_game
from tourney.games.console import Console

LAYOUT = "c5,e4,g3,h1,i3,k4,m5 c11,e12,g13,h15,i13,k12,m11"
RED_TWO = "b1,c1,e1,h5,k1,l1,n1 b15,c15,e15,k15,l15,n15,o13 h8"
"""Red to act: h5xh8>h15 scores 2, h5-h6 does not."""
RED_ONE = "b1,c1,e1,g14,i13,k1,l1 b15,c15,e15,j14,k15,l15,n15 i14"
"""Red to act: g14xi14>i15 scores 1."""
BLUE_TWO = "b1,c1,e1,k1,l1,n1,o3 b15,c15,e15,h12,k15,l15,n15 h8"
"""Blue to act: h12xh8>h1 scores 2."""
STUCK = "c5,d5,e5,f5,g5,h5,n9 b15,c15,e15,k15,l15,n15,o13 h8"
"""Red to act: six stand in a row, and three stay in line after any move."""


def ask(*lines: str) -> list[str]:
    """The console's answers to the lines after "new"."""
    return talk(find_game("seven-sages"), "new", *lines)[1:]


def legal(string: str) -> list[str]:
    """The legal actions of a position, on which console and oracle must agree."""
    accepted, listed = ask(f"set {string}", "legal")
    assert accepted == "ok"
    assert listed.split(" ") == Oracle.read(string).legal()
    return listed.split(" ")


RESTS = {
    "edge-of-the-kingdom-keeper-beside": (
        "b1,c1,e1,h12,k1,l1,n1 b15,c15,e15,h15,k15,l15,n15 h14 1 0:0 1 0 1",
        "h12",
        squares("b14-g14", "i14-n14"),
    ),
    "corner-two-turns-to-the-right-send-him-back-where-the-sage-came-from": (
        "b1,c1,d12,e1,k1,l1,n1 a15,b15,c15,e15,k15,l15,n15 b14 1 0:0 1 0 1",
        "d12",
        squares("c13", "d12", "e11", "f10", "g9", "h8", "i7", "j6", "k5", "l4", "m3", "n2"),
    ),
    "corner-nothing-behind-it": (
        "b1,c1,d12,e1,k1,l1,n1 b13,b15,c15,e15,k15,l15,n15 b14 1 0:0 1 0 1",
        "d12",
        set(),
    ),
    "corner-shut-on-three-sides-then-home-to-the-ousting-sage": (
        "a5,b3,c1,e1,k1,l1,n1 a2,b1,b15,c2,c15,e15,k15 b2 1 0:0 1 0 1",
        "b3",
        squares("b3-b14", "c14-n14", "c3-n3"),
    ),
    "shut-in-on-all-sides-but-the-one-the-sage-came-from": (
        "b1,c1,e1,h7,k1,l1,n1 b15,c15,e15,g8,h9,i8,k15 h8 1 0:0 1 0 1",
        "h7",
        squares("h2-h7"),
    ),
    "own-keeper-turns-him-own-city-stops-him": (
        "b1,c1,e1,h1,h12,k1,l1 b15,c15,e15,k15,l15,n15,o13 h8 1 0:0 1 0 1",
        "h12",
        squares("b2-n2", "h3-h6", "b7-n7"),
    ),
    "a-sage-in-barbarian-country-turns-him-on-the-kingdoms-edge": (
        "b1,c1,e1,h8,k1,l1,n1 a8,b15,c15,e15,k15,l15,n15 e8 1 0:0 1 0 1",
        "h8",
        squares("b2-b14", "c14-n14", "c2-n2", "c8-d8", "d2-d14"),
    ),
}
"""A position, the ousting sage, and all squares to which it can drive the fool."""


@pytest.mark.parametrize(("string", "sage", "rests"), RESTS.values(), ids=RESTS)
def test_oust_drives_fool_to_expected_squares(string: str, sage: str, rests: set[str]) -> None:
    assert {action.split(">")[1] for action in legal(string) if action.startswith(f"{sage}x")} == rests


MOVES = {
    "six-in-a-row-leave-only-the-pass": (f"{STUCK} 1 0:0 1 0 1", "pass", ""),
    "a-cross-is-undone-by-the-sage-that-both-lines-share": (
        "c5,d4,d5,d6,e5,n9,n12 b15,c15,e15,k15,l15,n15,o13 h8 1 0:0 1 0 1",
        "d5-a8 d5-b7 d5-g8 d5-f7",
        "c5-c6 d6-d7 e5-e4 d4-d3 n9-n8",
    ),
    "four-in-a-row-are-undone-by-a-middle-one": (
        "a9,c5,d5,e5,f5,m3,o9 b15,c15,e15,k15,l15,n15,o13 h8 1 0:0 1 0 1",
        "d5-d7 e5-e7",
        "c5-b5 c5-c6 f5-f6 m3-m4",
    ),
    "a-move-inside-the-city-obeys-the-rule-of-three": (
        "b1,c1,e1,f5,h1,k1,l1 b15,c15,e15,k15,l15,n15,o13 h8 1 0:0 1 0 1",
        "h1-f1 h1-g1 h1-i1 f5-f2",
        "h1-j1 f5-f1 e1-g1 k1-j1",
    ),
    "three-in-the-city-by-a-string-move-inside-it": (
        "d5,d9,f1,g4,h1,j1,o9 b15,c15,e15,k15,l15,n15,o13 h8 1 0:0 1 0 1",
        "f1-g1 h1-g1 h1-i1 j1-i1",
        "g4-g1",
    ),
    "an-oust-that-would-score-obeys-the-rule-of-three": (
        "b1,c1,e1,f8,g8,h5,n1 b15,c15,e15,k15,l15,n15,o13 h8 1 0:0 1 0 1",
        "h5-h6",
        "h5xh8>h15",
    ),
}
"""A position, legal actions, and illegal actions."""


@pytest.mark.parametrize(("string", "right", "wrong"), MOVES.values(), ids=MOVES)
def test_legal_and_illegal_actions(string: str, right: str, wrong: str) -> None:
    actions = legal(string)
    assert set(right.split()) <= set(actions)
    assert not set(wrong.split()) & set(actions)
    assert actions == ["pass"] or right != "pass"


PLAYS = {
    "own-touch-by-the-ousting-sage-itself-is-2": (
        "b1,c1,c12,e1,k1,l1,n1 b15,c15,e15,j12,k15,l15,n15 g12 1 0:0 1 0 1",
        "c12xg12>h15",
        f"{LAYOUT} h8 2 2:0 2 0 2",
        "-",
    ),
    "straight-from-the-other-sides-sage-is-1": (
        "b1,c1,c12,e1,k1,l1,n1 b15,c15,e15,j12,k15,l15,n15 g12 1 0:0 1 0 1",
        "c12xg12>i15",
        f"{LAYOUT} h8 2 1:0 2 0 2",
        "-",
    ),
    "back-on-the-square-he-leaves-would-be-2": (
        f"{RED_ONE} 1 0:0 1 0 1",
        "g14xi14>i15",
        f"{LAYOUT} h8 2 1:0 2 0 2",
        "-",
    ),
    "pass-as-the-120th": (f"{STUCK} 1 3:2 1 119 2", "pass", f"{LAYOUT} h8 1 3:2 2 0 1", "-"),
    "pass-ends-the-game": (
        f"{STUCK} 1 3:2 12 119 2",
        "pass",
        f"{STUCK} 2 3:2 12 120 2",
        "1 2",
    ),
    "120th-scores-and-the-loser-begins-though-he-began": (
        f"{RED_TWO} 1 0:0 3 119 2",
        "h5xh8>h15",
        f"{LAYOUT} h8 2 2:0 4 0 2",
        "-",
    ),
    "120th-of-round-12-scores": (
        f"{RED_TWO} 1 1:2 12 119 2",
        "h5xh8>h15",
        "b1,c1,e1,h8,k1,l1,n1 b15,c15,e15,k15,l15,n15,o13 h15 2 3:2 12 120 2",
        "1 2",
    ),
    "120th-of-round-3-wins": (
        f"{BLUE_TWO} 2 4:3 3 119 1",
        "h12xh8>h1",
        "b1,c1,e1,k1,l1,n1,o3 b15,c15,e15,h8,k15,l15,n15 h1 1 4:5 3 120 1",
        "2 1",
    ),
    "the-last-round-follows-4-to-4": (
        f"{RED_TWO} 1 2:4 11 119 2",
        "h5xh8>h15",
        f"{LAYOUT} h8 2 4:4 12 0 2",
        "-",
    ),
    "round-12-is-drawn-by-a-score": (
        f"{RED_ONE} 1 3:4 12 0 1",
        "g14xi14>i15",
        "b1,c1,e1,i13,i14,k1,l1 b15,c15,e15,j14,k15,l15,n15 i15 2 4:4 12 1 1",
        "1 1",
    ),
    "5-to-4-by-1": (
        f"{RED_ONE} 1 4:4 6 0 1",
        "g14xi14>i15",
        "b1,c1,e1,i13,i14,k1,l1 b15,c15,e15,j14,k15,l15,n15 i15 2 5:4 6 1 1",
        "1 2",
    ),
    "6-to-4-in-round-12": (
        f"{RED_TWO} 1 4:4 12 6 1",
        "h5xh8>h15",
        "b1,c1,e1,h8,k1,l1,n1 b15,c15,e15,k15,l15,n15,o13 h15 2 6:4 12 7 1",
        "1 2",
    ),
}
"""A position, an action, the position after it, and the ranks then."""


@pytest.mark.parametrize(("string", "action", "after", "ranks"), PLAYS.values(), ids=PLAYS)
def test_state_after_action(string: str, action: str, after: str, ranks: str) -> None:
    """Both seats see the whole position, and it parses to the same position, finished or not."""
    actor = after.split(" ")[3] if ranks == "-" else "over"
    answers = ask(f"set {string}", f"play {action}", "position", "observe 1", "observe 2", "actor", "ranks")
    assert answers == ["ok", "ok", after, after, after, actor, ranks]
    assert ask(f"set {after}", "position", "actor", "ranks") == ["ok", after, actor, ranks]
    oracle = Oracle.read(string)
    oracle.play(action)
    assert [oracle.position(), oracle.actor(), oracle.ranks()] == [after, actor, ranks]


def test_twelve_scoreless_rounds_are_a_draw() -> None:
    """Two sages move back and forth for 1,440 actions, and the final board is the layout."""
    moves = {1: ["c5-c6", "c6-c5"], 2: ["c11-c10", "c10-c11"]}
    console, _ = Console(find_game("seven-sages")).answer("new")
    for number in range(1, 13):
        starter = 2 - number % 2
        console, position = console.answer("position")
        assert position == f"{LAYOUT} h8 {starter} 0:0 {number} 0 {starter}"
        for ply in range(120):
            seat = starter if ply % 2 == 0 else 3 - starter
            console, answer = console.answer(f"play {moves[seat][ply // 2 % 2]}")
            assert answer == "ok"
    assert console.answer("position")[1] == f"{LAYOUT} h8 2 0:0 12 120 2"
    assert [console.answer(line)[1] for line in ("actor", "ranks", "legal", "perft 1")] == [
        "over",
        "1 1",
        "",
        "0",
    ]


BY_A_STRING = {
    "f1 1 5:0 1 0 1": "1 2",
    "f1 1 0:6 1 120 1": "2 1",
    "j15 2 6:4 3 120 2": "1 2",
    "f1 1 0:0 12 0 1": "1 1",
    "j1 1 3:4 12 120 1": "2 1",
    "h8 1 1:0 12 120 1": "1 2",
    "h8 1 4:4 12 118 1": "-",
    "b2 2 4:4 1 119 1": "-",
    "n14 1 0:0 1 0 1": "-",
}
"""The fields after the two lists, and the ranks; play cannot reach all of them."""


@pytest.mark.parametrize(("fields", "ranks"), BY_A_STRING.items())
def test_barely_possible_positions_are_parsed(fields: str, ranks: str) -> None:
    string = f"{LAYOUT} {fields}"
    assert ask(f"set {string}", "position", "ranks") == ["ok", string, ranks]
    assert Oracle.read(string).ranks() == ranks


IMPOSSIBLE = [
    *("h8 1 0:0 1 120 1", "h8 2 0:0 12 120 1", "h8 1 5:0 12 120 1", "f1 1 4:4 11 0 1", "f15 1 5:0 1 0 1"),
    *("f15 1 0:0 12 0 1", "f1 1 5:5 12 0 1", "f1 1 7:0 12 0 1", "e1 1 5:0 1 0 1", "k15 2 5:0 1 1 1"),
    *("a1 1 0:0 12 120 1", "o14 1 0:0 1 0 1", "h1 1 5:0 1 0 1", "h8 2 0:0 1 120 2", "h8 1 0:0 1 1 1"),
    *("h8 01 0:0 1 0 1", "h8 1 0:0 01 0 1", "h8 1 0:0 1 +2 1", "h8 1 0:0 1 -0 1", "h8 1 0:0 1 0 1 "),
    *(" h8 1 0:0 1 0 1", "h08 1 0:0 1 0 1", "h8 1 :0 1 0 1", "h8 1 0:0 1 0 ", "h8\t1 0:0 1 0 1"),
]


@pytest.mark.parametrize("fields", IMPOSSIBLE)
def test_refused_strings_do_not_change_state(fields: str) -> None:
    string = f"{LAYOUT} {fields}"
    answers = ask("play c5-c6", f"set {string}", "position", "actor")
    assert answers[1].startswith("error ")
    assert answers[2:] == [f"{LAYOUT.replace('c5', 'c6')} h8 2 0:0 1 1 1", "2"]
    with pytest.raises(Refused):
        Oracle.read(string)
