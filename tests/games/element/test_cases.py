"""Element: cases derived by hand from the rules page, for the rules console and the oracle.

In each case two rules of the page meet: the last Fire of the bag and capture, rivers with few legal ends,
several captures at once, and games that end in the middle of a turn.
"""

from itertools import product

import pytest

from tests.games.element.made import COLUMNS, text
from tests.games.oracles.element import Oracle
from tests.support.command import talk
from tourney.games import find_game

FAR = [f"F{column}{row}" for row, column in product((11, 9, 7), "abcdefghij")]
"""Fires on squares that the cases do not use."""


def fires(count: int) -> str:
    return " ".join(FAR[:count])


def ask(string: str, *lines: str) -> list[str]:
    """The console's answers to the lines after "set", which it must accept."""
    seats = string.split(" ")[1].count(",") + 1
    answers = talk(find_game("element"), f"new seats={seats}", f"set {string}", *lines)
    assert answers[:2] == ["ok", "ok"]
    return answers[2:]


def read(string: str) -> Oracle:
    return Oracle.read(string, string.split(" ")[1].count(",") + 1)


PIT = "Fd7 Ff7 Fd8 Ff8 Fd9 Fe9 Ff9"
"""With these stones the sage on e8 can only go south."""
WALL = "Ea3 Eb3 Ed1 Ed2 Fa1 Wb2"
"""Seat 1's sage on a2 can step only to b1; b2 opens when the river from c2 flows west."""

PLAYED = {
    "a-north-that-is-blocked-leaves-the-last-fire-to-the-east-and-none-to-the-wind-in-the-west": (
        text(f"Fe4 Ff3 Fd3 Ee5 1g3 2c3 {fires(25)}", hand="F"),
        "F-e3",
        text(f"Fe4 Ff3 Fd3 Fe3 Ee5 Fg3 2c3 {fires(25)}"),
        "-",
    ),
    "a-fire-that-ends-the-use-of-two-winds-at-once": (
        text("2e3 Fe4 3e5 1b1", sages="k1 k11", hand="F", used="b1 e3 e5"),
        "F-e3",
        text("Fe3 Fe4 Fe5 1b1", sages="k1 k11", used="b1"),
        "-",
    ),
    "a-wind-raised-on-the-last-way-out-lands-on-a-stone": (
        text("Fa2 Fb1 1b2 Fd4", sages="k11 a1", hand="AA"),
        "A-b2",
        text("Fa2 Fb1 2b2 Fd4", sages="k11 a1", hand="A"),
        "1 2",
    ),
    "a-wind-that-lengthens-the-run-of-the-last-way-out": (
        text("Fa2 Fb1 1b2 Fd4", sages="k11 a1", hand="A"),
        "A-c3",
        text("Fa2 Fb1 1b2 1c3 Fd4", sages="k11 a1"),
        "1 2",
    ),
    "a-jump-onto-the-square-where-the-preys-last-jump-lands": (
        text("Fa2 Fb1 1b2 1d4", sages="e5 a1", steps="0"),
        "jump-c3",
        text("Fa2 Fb1 1b2 1d4", sages="c3 a1", steps="0", used="d4"),
        "1 2",
    ),
    "a-jump-into-a-pit-whose-only-way-out-is-back-over-the-run-just-used": (
        text(f"{PIT} 1e6 1e7", sages="e5 k11", steps="3"),
        "jump-e8",
        text(f"{PIT} 1e6 1e7", sages="e8 k11", steps="3", used="e6 e7"),
        "-",
    ),
    "a-used-wind-that-is-fire-water-earth-and-wind-in-turn-is-fresh": (
        text("1e6", sages="e5 k11", hand="AEFW", steps="0", used="e6"),
        "F-e6 W-e6 E-e6 A-e6 jump-e7",
        text("1e6", sages="e7 k11", steps="0", used="e6"),
        "-",
    ),
    "a-river-towards-which-every-path-shuts-the-mover-in-is-not-asked-for": (
        text(f"{WALL} Wc3 Wc4", sages="a2 k11", hand="W"),
        "W-c2",
        text(f"{WALL} Wc2 Wc3 Wc4", sages="a2 k11", phase="flow-c2-w--"),
        "-",
    ),
    "the-same-river-for-a-mover-elsewhere-shuts-the-prey-in": (
        text(f"{WALL} Wc3 Wc4", sages="k11 a2", hand="W"),
        "W-c2 river-n flow-s flow-w flow-w",
        text(f"{WALL.replace('Fa1', 'Wa1')} Wc1 Wb1", sages="k11 a2"),
        "1 2",
    ),
    "the-same-flow-of-the-other-river-does-not": (
        text(f"{WALL} Wc3 Wc4", sages="k11 a2", hand="W"),
        "W-c2 river-w flow-s flow-w",
        text("Ea3 Eb3 Ed1 Ed2 Fa1 Wc1 Wb1 Wc3 Wc4", sages="k11 a2"),
        "-",
    ),
    "a-river-across-the-whole-row-has-two-arms": (
        text(" ".join(f"W{column}6" for column in COLUMNS if column != "f"), hand="W"),
        "W-f6 river-e flow-s flow-w",
        text(" ".join(f"W{column}6" for column in COLUMNS), phase="flow-f6-e-sw"),
        "-",
    ),
    "the-last-turn-of-four-seats": (
        text("1e5", sages="c3 i3 i9 c9", turn=199, used="e5"),
        "end",
        text("1e5", sages="c3 i3 i9 c9", turn=200, phase="draw"),
        "1 1 1 1",
    ),
}
"""A position, the actions, the position after them, and the ranks."""


@pytest.mark.parametrize(("start", "actions", "after", "ranks"), PLAYED.values(), ids=PLAYED)
def test_actions_lead_to_expected_position(start: str, actions: str, after: str, ranks: str) -> None:
    lines = [f"play {action}" for action in actions.split(" ")]
    *accepted, position, ranked, listed = ask(start, *lines, "position", "ranks", "legal")
    assert set(accepted) == {"ok"}
    assert (position, ranked) == (after, ranks)
    assert (listed == "") == (ranks != "-")
    oracle = read(start)
    for action in actions.split(" "):
        assert action in oracle.legal()
        oracle.play(action)
    assert (oracle.position(), oracle.ranks(), " ".join(oracle.legal())) == (after, ranks, listed)


LISTED = {
    "no-fire-in-the-bag-so-none-shuts-the-mover-in": (
        text(f"Ea2 Eb1 Fb3 Fb4 {fires(27)}", hand="F"),
        "F-b5",
        "",
    ),
    "one-fire-in-the-bag-and-it-does": (text(f"Ea2 Eb1 Fb3 Fb4 {fires(26)}", hand="F"), "F-b6", "F-b5"),
    "used-wind-behind-the-gap-after-a-run-does-not-bar-it": (
        text("3e6 Fe7 1e10", sages="e5 k11", steps="0", used="e10"),
        "jump-e9 end",
        "",
    ),
    "one-end-of-the-run-is-used": (text("1e6 1e7", sages="e5 k11", steps="0", used="e7"), "end", "jump-e8"),
    "water-between-four-waters": (text("We5 Wf6 We7 Wd6", hand="W"), "W-c6 W-e4", "W-e6"),
    "no-river-starts-whose-every-path-shuts-the-mover-in": (
        text(f"{WALL.replace('Wb2', 'Eb2')} Wc3 Wc4", sages="a2 k11", hand="W"),
        "W-c5",
        "W-c2",
    ),
}
"""A position, legal actions, and illegal actions."""


@pytest.mark.parametrize(("string", "legal", "others"), LISTED.values(), ids=LISTED)
def test_legal_and_illegal_actions(string: str, legal: str, others: str) -> None:
    (listed,) = ask(string, "legal")
    assert set(legal.split()) <= set(listed.split(" "))
    assert set(others.split()).isdisjoint(listed.split(" "))
    assert listed.split(" ") == read(string).legal()


CORNER_1 = "Fa2 Fb1 Fb2"
CORNER_2 = "Fk2 Fj1 Fj2"
CORNER_3 = "Fa10 Fb10 Fb11"
CAPTURED = {
    text(f"{CORNER_1} {CORNER_2}", sages="e5 a1 k1"): "1 1 3",
    text(f"{CORNER_1} {CORNER_2}", sages="e5 a1 i9 k1"): "1 3 1 3",
    text(CORNER_1, sages="e5 i9 k3 a1"): "2 2 1 2",
    text(CORNER_1, sages="i9 e5 a1 k3", turn=1): "2 1 2 2",
    text(f"{CORNER_1} {CORNER_2} {CORNER_3}", sages="e5 a1 k1 a11"): "1 1 1 4",
    text(f"{CORNER_1} {CORNER_2} {CORNER_3}", sages="a1 k1 a11 e5", turn=3): "1 1 4 1",
    text(f"{CORNER_1} 1e6", sages="a1 e5", hand="FW", turn=199, used="e6", steps="2"): "2 1",
}
"""Positions with at least one captured sage, never the mover's, and the ranks."""


@pytest.mark.parametrize(("string", "ranks"), CAPTURED.items())
def test_string_with_captured_sages_is_over_and_ranked(string: str, ranks: str) -> None:
    answers = ask(string, "position", "observe 2", "actor", "legal", "ranks", "perft 1", "perft 0")
    assert answers == [string, string, "over", "", ranks, "0", "1"]
    assert all(answer.startswith("error ") for answer in ask(string, "play end", "weights", "play draw-0"))
    assert read(string).ranks() == ranks


def packed() -> str:
    """Stones that fill the board except b10, the last way out for the sages on a11 and c9.

    Every Fire is surrounded by Waters, so a Water in its place would be a river without a path.
    """
    squares = [f"{column}{row}" for row in range(1, 12) for column in COLUMNS]
    shore = squares[:59]
    kept = {"a11", "c9", "b10", "a10", "b11", "b9", "c10"}
    rest = [square for square in squares[59:] if square not in kept]
    stones = [f"{'FW'[k % 2]}{square}" for k, square in enumerate(shore)]
    stones += ["Ea10", "Eb11", "1b9", "1c10", f"M{rest[0]}"]
    stones += [f"{'1' if k < 28 else 'E'}{square}" for k, square in enumerate(rest[1:])]
    return " ".join(stones)


def test_full_board_where_last_water_has_no_place() -> None:
    """The Water has no square, so ``end`` is legal beside the step; the bag then has only this Water."""
    string = text(packed(), sages="a11 c9", hand="W")
    assert string.endswith(" A0,E0,F0,W0 0")
    answers = ask(string, "legal", "play end", "legal", "play draw-1", "weights", "play draw-1")
    assert answers[:5] == ["end step-b10", "ok", "draw-0 draw-1", "ok", "stones-W=1"]
    assert read(string).legal() == ["end", "step-b10"]
    assert ask(string, "play step-b10", "ranks", "legal") == ["ok", "1 2", ""]


RIVER = "We5 We6 Wf6 Wg6"
REFUSED = {
    "both-captured-in-act": text(f"{CORNER_1} {CORNER_2}", sages="a1 k1"),
    "a-river-that-cannot-free-the-mover": text(f"{RIVER} {CORNER_1}", phase="river-e6"),
    "a-flow-that-cannot-free-the-mover": text(f"{RIVER} {CORNER_1}", phase="flow-e6-e--"),
    "a-long-flow-that-cannot-free-the-mover": text(
        f"{CORNER_1} " + " ".join(f"We{row}" for row in range(2, 12)), phase="flow-e11-s--"
    ),
    "a-river-of-which-one-arm-shuts-the-mover-in": text(
        f"{WALL} Wc2 Wc3 Wc4", sages="a2 k11", phase="river-c2"
    ),
    "a-flow-towards-that-arm": text(f"{WALL} Wc2 Wc3 Wc4", sages="a2 k11", phase="flow-c2-n--"),
    "a-flow-begun-into-a-dead-end": text("We4 We5 We6 Ed7 Ef7 Ee8", phase="flow-e6-s-n"),
    "steps-beside-a-water-being-placed": text("We5 We6", phase="flow-e6-s--", steps="5"),
    "a-number-as-long-as-a-line": text(phase="draw") + "0" * 5000,
    "turn-202-fits-the-seat": text(phase="draw", turn=202),
}
"""Strings that the rules page refuses."""


@pytest.mark.parametrize("string", REFUSED.values(), ids=REFUSED)
def test_refused_strings_do_not_change_state(string: str) -> None:
    before = text(hand="F", turn=8)
    refusal, position = ask(before, f"set {string}", "position")
    assert refusal.startswith("error ")
    assert position == before
    with pytest.raises(ValueError):  # noqa: PT011 - Refused is one, as is a number too long for Python
        read(string)


def test_mover_walled_in_by_own_river_is_legal() -> None:
    """Any flow leaves b2; more Wind can be used than one turn could jump."""
    string = text("Fa2 Fb1 Wb2 Wb3 1i9 1i10 2c11", phase="flow-b2-n--", used="c11 i9 i10")
    assert ask(string, "position", "actor", "ranks", "legal") == [string, "1", "-", "flow-e flow-s flow-w"]
    assert read(string).legal() == ["flow-e", "flow-s", "flow-w"]
