"""Nine-Tile Cyvasse: cases derived by hand from the rules page, for the rules console and the oracle.

In each case two rules of the page meet: Spears that bar the way with mountains, Towers, captures and
rides; engagement lost on water and next to Towers; turns of two Rabble with captures, limits and repetition;
simultaneous ends; strings that are just possible, and strings that are just impossible.
"""

import pytest

from tests.games.oracles.cyvasse import Oracle, Refused
from tests.support.command import talk
from tourney.games import find_game

LENGTH = dict(zip("ihgfedcba", (8, 9, 10, 11, 12, 11, 10, 9, 8), strict=True))
PLAIN = ".MWWM..W/........./.....W..../.........../............/.........../....W...../........./W..MWWM."
"""The ground of the page's position A: rows d, e, f plain, c and g also, except water on c5 and g6."""
WHITE_HALF = "M.WW...W..M/.M......../M..W...../........"
"""Tiles 1 to 8 in order, none turned, round b5: mountains d1 d11 c2 b1, water d3 d4 d8 b4."""
HILLS = f"{WHITE_HALF[::-1]}/............/{WHITE_HALF}"
UNLAID = "????????/?????????/??????????/???????????"
KING_LAID = f"{UNLAID}/............/????...????/????..????/????.????/????????"
NO_PIECES = "......../........./........../.........../............/.........../........../........./........"
KINGS = "Kb2 kh9"


def board(pieces: str) -> str:
    """The PIECES field of pieces, as ``Rd5 re6``."""
    at = {word[1:]: word[0] for word in pieces.split()}
    assert len(at) == len(pieces.split())
    return "/".join("".join(at.get(f"{row}{i}", ".") for i in range(1, n + 1)) for row, n in LENGTH.items())


def position(pieces: str, tail: str = "1 play 0 0", ground: str = PLAIN) -> str:
    return f"{ground} {board(pieces)} {tail}"


def ask(*lines: str) -> list[str]:
    """The console's answers to the lines after "new"."""
    return talk(find_game("cyvasse"), "new", *lines)[1:]


def legal(string: str) -> list[str]:
    """The legal actions of a position, on which console and oracle must agree."""
    accepted, listed = ask(f"set {string}", "legal")
    assert accepted == "ok"
    assert listed.split() == Oracle.read(string).legal()
    return listed.split()


# Pieces beside the Kings, legal actions, illegal actions.
ACTIONS = {
    "spears-the-zone-is-where-a-ride-ends": ("Le5 re6 sf7", "e5xe6 e5xe6-e7", "e5xe6-e8"),
    "spears-no-ride-over-own-piece-in-the-zone": ("Le5 re6 Ee7 sf7", "e5xe6", "e5xe6-e8"),
    "spears-taken-from-behind-bar-the-ride": ("Lf5 se5", "f5xe5 f5xe5-d4", "f5xe5-c3"),
    "spears-taken-from-behind-bar-it-over-own-piece": ("Lf5 se5 Rd4", "f5xe5", "f5xe5-d4 f5xe5-c3"),
    "spears-taken-from-in-front-bar-nothing-behind": ("Le5 sf5", "e5xf5 e5xf5-g5 e5xf5-h5", ""),
    "spears-standing-in-the-zone-of-others": ("Lf5 se5 sf4", "f5xe5", "f5xe5-d4"),
    "spears-at-two-stand-behind-their-own-zone": ("Ld4 Re5 sf5", "e5xf5", "d4xf5"),
    "spears-a-path-round-the-zone": ("Le5 sf5", "e5-e6 e5-e7", "e5-e8 e5-f6 e5-f7"),
    "spears-an-own-piece-in-the-zone-is-no-bridge": ("Lc4 Rd4 se4", "c4-d5 c4-e5 c4-d3", "c4-e3 c4-f3"),
    "spears-a-dragon-does-not-fly-over-their-zone-to-capture": ("De1 Re2 re3 ce4 sf3", "", "e1xe4"),
    "spears-a-dragon-captures-in-their-zone": ("De1 Re2 re3 ce4 sf5", "e1xe4", ""),
    "spears-an-elephant-captures-in-their-zone-not-across": ("Ee5 re7 sf7 rd7 se4", "e5xe7", "e5xd7"),
    "spears-of-white-on-the-way-of-white": ("Ld4 Sd6 re7", "d4-e6", ""),
    "king-over-a-tower-in-the-zone": ("Kc3 Wd4 se4 ce5", "c3-d3", "c3xe5 c3-e5"),
    "king-over-a-tower-into-the-zone-captures": ("Kc3 Wd4 sf5 ce5", "c3xe5", "c3-e5"),
    "king-out-of-the-zone-over-a-tower": ("Kd5 Wc5 sf5 se5", "d5-b5", ""),
    "king-over-a-tower-takes-what-the-tower-engages": ("Kc3 Wd4 re5", "c3xe5", "d4xe5 c3-e5"),
    "king-over-a-tower-needs-two-for-heavy": ("Kc3 Wd4 ee5", "", "c3xe5"),
    "king-over-a-tower-keeps-its-direction": ("Kc3 Wd4", "c3-e5", "c3-e4 c3-d5"),
    "tower-the-bound-one-may-still-capture": ("Rf5 wg4 rg5 Rh5", "f5xg5 h5xg5", "f5xg4"),
    "tower-between-two-towers": ("Rf5 Rh5 wg4 wg5", "f5xg5 h5xg5", "f5xg4 h5xg4"),
    "tower-binds-the-elephant-at-two": ("Ee5 wf5 re7", "", "e5xe7 e5xf5"),
    "tower-binds-crossbows-but-armour-none-needs-no-piece": ("Rf5 wg4 cg5", "f5xg5", "f5xg4"),
    "trebuchet-next-to-a-tower-takes-not-even-the-unarmoured": ("Tf5 wg4 cf7", "", "f5xf7 f5xg4"),
    "trebuchet-takes-heavy-with-help": ("Te5 ee7 Rd7", "e5xe7 d7xe7", ""),
    "trebuchet-takes-no-heavy-alone": ("Te5 ee7", "", "e5xe7"),
    "trebuchet-shoots-over-own-not-over-theirs": ("Te5 Re6 ce7 rd5 cc5", "e5xe7", "e5xc5"),
    "trebuchet-at-the-edge-has-nowhere-to-go": ("Te1 re3", "", "e1xe3"),
    "trebuchet-at-one-and-five-engages-nothing": ("Te5 ce6 ce10", "", "e5xe6 e5xe10"),
    "trebuchet-goes-back-into-the-zone": ("Te5 re7 sf4", "e5xe7", ""),
    "water-the-capturer-engages-nothing": ("Rc5 rd5", "c5-d6", "c5xd5"),
    "water-another-engages-for-it": ("Rc5 Rc4 rd5", "c5xd5 c4xd5", ""),
    "water-a-trebuchet-takes-nothing": ("Tc5 cc7 cd5", "", "c5xc7 c5xd5"),
    "spears-beside-what-others-engage": ("Sd5 rd6 Rd7 ce5", "d7xd6 d5xe5", "d5xd6"),
}

ON_HILLS = {
    "mountain-behind-the-trebuchet": ("Tc3 cc5", "", "c3xc5"),
    "no-mountain-behind-the-trebuchet": ("Tc4 cc6", "c4xc6", ""),
    "mountain-between-bars-engagement": ("Ka1 Rd3 rc3 Cc1", "", "d3xc3"),
    "no-mountain-between": ("Ka1 Rd3 rc3 Cc5", "d3xc3", "c5xc3"),
    "mountain-ends-the-ride": ("Lc5 rc4", "c5xc4 c5xc4-c3", "c5xc4-c2 c5xc4-c1"),
    "mountain-beyond-the-tower": ("Kc4 Wc3", "c4-d4", "c4-c2"),
    "dragon-over-a-mountain": ("Dc4 cc1", "c4xc1 c4-d2", "c4-c2"),
    "dragon-not-over-a-mountain-in-the-zone": ("Dc4 cc1 sd2", "", "c4xc1"),
}


@pytest.mark.parametrize(
    ("pieces", "able", "unable", "ground"),
    [(*case, PLAIN) for case in ACTIONS.values()] + [(*case, HILLS) for case in ON_HILLS.values()],
    ids=[*ACTIONS, *ON_HILLS],
)
def test_legal_moves_of_piece(pieces: str, able: str, unable: str, ground: str) -> None:
    kings = "kh8" if "K" in pieces else "Kb2 kh8"
    listed = legal(position(f"{kings} {pieces}", ground=ground))
    assert [action for action in able.split() if action not in listed] == []
    assert [action for action in unable.split() if action in listed] == []


SHUFFLE = ["b2-b3", "h9-h8", "b3-b2", "h8-h9"] * 2
WALK = ["h9-h8", "b2-b3", "h8-h9", "b3-c3", "h9-h8", "c3-b2", "h8-h9", "b2-b3", "h9-h8", "b3-c3"]
ROUNDS = [*WALK, "h8-h9", "c3-b2", *WALK][:19]
"""Actions from Black's turn: after 7 and after 19 of them, the Kings are home and White is to act."""
SHUT_IN = "Ka1 ra2 rb1 lb2 kh9"
"""White's King stands on water, so it engages and captures nothing: White has no action."""

# The pieces, the actions, and then SEAT PHASE QUIET TURN, the actor and the ranks.
TURNS = {
    "first-rabble": ("Rd5 Rd1", "1 play 3 6", ["d5-e5"], "1 rabble-e5 3 6", "1", "-"),
    "second-rabble": ("Rd5 Rd1", "1 play 3 6", ["d5-e5", "d1-e1"], "2 play 4 7", "2", "-"),
    "rabble-that-captures": ("Rd5 Rd1 re5", "1 play 3 6", ["d5xe5"], "2 play 0 7", "2", "-"),
    "other-rabble-shut-in": ("Ra1 Rd5 Sa2 Eb1", "1 play 3 6", ["d5-e5"], "2 play 4 7", "2", "-"),
    "other-rabble-could-only-capture": ("Ra1 Rd5 ca2 Eb1", "1 play 3 6", ["d5-e5"], "2 play 4 7", "2", "-"),
    "first-rabble-sets-the-other-free": ("Ra1 Rb1 Sa2", "1 play 3 6", ["b1-c1"], "1 rabble-c1 3 6", "1", "-"),
    "blacks-rabble": ("rf5 rf1", "2 play 0 1", ["f5-e5", "f1-e1"], "1 play 1 2", "1", "-"),
    "hundredth-quiet-turn": ("Ee5", "1 play 99 100", ["e5-e6"], "2 play 100 101", "over", "1 1"),
    "capture-instead": ("Re5 re6", "1 play 99 100", ["e5xe6"], "2 play 0 101", "2", "-"),
    "hundredth-waits-for-the-other": (
        "Rd5 Rd1",
        "1 play 99 100",
        ["d5-e5"],
        "1 rabble-e5 99 100",
        "1",
        "-",
    ),
    "hundredth-after-done": ("Rd5 Rd1", "1 play 99 100", ["d5-e5", "done"], "2 play 100 101", "over", "1 1"),
    "four-hundredth": ("Re5 re6", "2 play 0 399", ["e6xe5"], "1 play 0 400", "over", "1 1"),
    "king-in-the-four-hundredth": ("rc2", "2 play 99 399", ["c2xb2"], "1 play 0 400", "over", "2 1"),
    "king-taken-by-a-horse": ("Lh8", "1 play 99 398", ["h8xh9"], "2 play 0 399", "over", "1 2"),
    "third-time": ("", "1 play 0 0", SHUFFLE, "1 play 8 8", "over", "1 1"),
    "third-time-not-yet": ("", "1 play 0 0", SHUFFLE[:-1], "2 play 7 7", "2", "-"),
    "third-time-in-the-hundredth": ("", "1 play 92 92", SHUFFLE, "1 play 100 100", "over", "1 1"),
    "rabble-string-counts-no-time": (
        "Rd5 Rd1",
        "1 rabble-d5 0 0",
        ["done", *ROUNDS],
        "1 play 20 20",
        "1",
        "-",
    ),
    "rabble-string-its-turns-end-counts": (
        "Rd5 Rd1",
        "1 rabble-d5 0 0",
        ["done", *["h9-h8", "b2-b3", "h8-h9", "b3-b2"] * 2],
        "2 play 9 9",
        "over",
        "1 1",
    ),
    "rabble-string-at-both-limits": ("Rd5 Rd1", "1 rabble-d5 100 400", [], "1 rabble-d5 100 400", "1", "-"),
}


@pytest.mark.parametrize(("pieces", "tail", "actions", "after", "actor", "ranks"), TURNS.values(), ids=TURNS)
def test_state_after_turn(
    pieces: str, tail: str, actions: list[str], after: str, actor: str, ranks: str
) -> None:
    string = position(f"{KINGS} {pieces}", tail)
    answers = ask(f"set {string}", *[f"play {action}" for action in actions], "position", "actor", "ranks")
    assert answers[: len(actions) + 1] == ["ok"] * (len(actions) + 1)
    assert answers[-3].split(" ", 2)[2:] == [after]
    assert answers[-2:] == [actor, ranks]
    oracle = Oracle.read(string)
    for action in actions:
        oracle.play(action)
    assert [oracle.position(), oracle.actor(), oracle.ranks()] == answers[-3:]


# A string that is parsed and printed, its actor and its ranks.
READ = {
    "shut-in-at-the-start": (position(SHUT_IN), "over", "2 1"),
    "shut-in-at-quiet-100": (position(SHUT_IN, "1 play 100 100"), "over", "2 1"),
    "shut-in-at-turn-400": (position(SHUT_IN, "1 play 100 400"), "over", "2 1"),
    "quiet-100": (position(KINGS, "1 play 100 100"), "over", "1 1"),
    "turn-400": (position(KINGS, "1 play 5 400"), "over", "1 1"),
    "king-gone-at-turn-400": (position("kh9", "1 play 0 400"), "over", "2 1"),
    "king-gone-at-turn-1": (position("Kb2", "2 play 0 1"), "over", "1 2"),
    "rabble-at-the-far-end": (position(f"{KINGS} Ri1 Rd1", "1 rabble-i1 0 2"), "1", "-"),
    "few-pieces-at-turn-0": (position(KINGS), "1", "-"),
    "king-laid": (
        f"{KING_LAID} {board('Kb5')} 1 tile-0:12345678 0 0",
        "1",
        "-",
    ),
    "all-laid": (f"{UNLAID}/............/{WHITE_HALF} {board('Kb5')} 1 put-0 0 0", "1", "-"),
}


@pytest.mark.parametrize(("string", "actor", "ranks"), READ.values(), ids=READ)
def test_barely_possible_positions_are_parsed(string: str, actor: str, ranks: str) -> None:
    assert ask(f"set {string}", "position", "actor", "ranks") == ["ok", string, actor, ranks]
    assert bool(legal(string)) == (actor != "over")


REFUSED = {
    "both-kings-gone": position("Rd5", "1 play 0 2"),
    "the-others-king-gone": position("Kb2", "1 play 0 2"),
    "king-gone-at-quiet-1": position("kh9", "1 play 1 2"),
    "king-gone-at-turn-0": position("kh9", "1 play 0 0"),
    "king-gone-between-two-rabble": position("kh9 Rd5 Rd1", "1 rabble-d5 0 2"),
    "turn-401": position(KINGS, "2 play 1 401"),
    "quiet-101": position(KINGS, "1 play 101 102"),
    "quiet-over-turn": position(KINGS, "1 play 3 2"),
    "seat-against-turn-in-a-rabble": position(f"{KINGS} Rd5 Rd1", "1 rabble-d5 0 1"),
    "the-other-rabble-could-only-capture": position(f"{KINGS} Ra1 Rd5 ca2 Eb1", "1 rabble-d5 0 2"),
    "the-rabble-is-the-others": position(f"{KINGS} rd5 Rd1 Rd2", "1 rabble-d5 0 2"),
    "leading-zero-in-the-square": position(f"{KINGS} Rd5 Rd1", "1 rabble-d05 0 2"),
    "tower-in-the-middle": position(f"{KINGS} We1"),
    "tower-of-the-other-side": position(f"{KINGS} wd1"),
    "mountain-in-the-middle": position(KINGS).replace("............", "M...........", 1),
    "king-on-another-king-square-than-the-ground-has": (
        f"{UNLAID}/............/{WHITE_HALF} {board('Kb3')} 1 put-0 0 0"
    ),
    "tiles-not-ascending": (f"{KING_LAID} {board('Kb5')} 1 tile-0:21345678 0 0"),
    "a-mountain-of-a-tile-not-laid": (
        f"{UNLAID}/............/M.??...????/..??..????/????.????/???????? {board('Kb5')} 1 tile-1:1345678 0 0"
    ),
    "spears-put-before-rabble": f"{UNLAID}/............/{WHITE_HALF} {board('Kb5 Sd5')} 1 put-1 0 0",
    "22-put": position("Kb5 kh9", "1 put-22 0 0"),
    "black-lays-out-before-white": f"{UNLAID}/............/{UNLAID[::-1]} {NO_PIECES} 2 king 0 0",
    "set-up-with-turns": f"{UNLAID}/............/{UNLAID[::-1]} {NO_PIECES} 1 king 0 2",
    "hidden": f"{UNLAID}/............/{UNLAID[::-1]} {NO_PIECES} 1 hidden 0 0",
}


@pytest.mark.parametrize("string", REFUSED.values(), ids=REFUSED)
def test_barely_impossible_positions_are_refused(string: str) -> None:
    refused, before = ask(f"set {string}", "position")
    assert refused.startswith("error ")
    assert before.endswith(" 1 king 0 0")
    with pytest.raises(Refused):
        Oracle.read(string)


PUT_SQUARES = "d2 d3 d4 d5 d6 d7 c1 c3 c4 c5 c6 c7 c8 b2 b3 b4 b6 b7 b8 b9 a1 a8"
"""Free squares of White's half for the 22 pieces in their order."""
TURNED_SQUARES = "f10 f9 f8 f7 f6 f5 g10 g8 g7 g6 g5 g4 g3 h8 h7 h6 h4 h3 h2 h1 i8 i1"
PUT = zip("RRRRRRSSSLLLHHEECCTDWW", PUT_SQUARES.split(), strict=True)
WHITE_ARMY = board("Kb5 " + " ".join(piece + square for piece, square in PUT))[-41:]


def test_set_up_shows_each_seat_its_side() -> None:
    """Until Black's last piece each seat sees only its own side; then both see the whole board."""
    tiles = [f"play tile-{tile}" for tile in range(1, 9)]
    white = ["play king-b5", *tiles, *[f"play put-{square}" for square in PUT_SQUARES.split()]]
    black = ["play king-h5", *tiles, *[f"play put-{square}" for square in TURNED_SQUARES.split()]]
    asked = ["position", "observe 1", "observe 2", "actor"]
    empty, hidden = NO_PIECES[:-41], f"{UNLAID}/............/"
    alone = f"{hidden}{WHITE_HALF} {empty}{WHITE_ARMY} 2"
    unseen = f"{hidden}{UNLAID[::-1]} {NO_PIECES} 2"
    assert ask(*white, *asked)[-4:] == [f"{alone} king 0 0", f"{alone} hidden 0 0", f"{unseen} king 0 0", "2"]
    army = WHITE_ARMY.lower()[::-1]
    last = f"{WHITE_HALF[::-1]}/............/{UNLAID[::-1]} .{army[1:]}{NO_PIECES[41:]}"
    full = f"{HILLS} {army}/............/{WHITE_ARMY} 1 play 0 0"
    assert ask(*white, *black, *asked)[-4:] == [full, full, full, "1"]
    seen = ask(*white, *black[:-1], "observe 1", "observe 2")[-2:]
    assert seen == [f"{alone} hidden 0 0", f"{last} 2 put-21 0 0"]
