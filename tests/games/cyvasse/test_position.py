"""Position strings: parsed, printed again, and refused."""

import pytest

from tests.games.cyvasse.hands import GAME, LENGTH, A, B, legal, play, read
from tourney.errors import PositionError
from tourney.games.base import OVER

BARE = "????????/?????????/??????????/???????????/............/???????????/??????????/?????????/????????"
NO_PIECES = "......../........./........../.........../............/.........../........../........./........"
TILES = ["tile-1", "tile-2t", "tile-3", "tile-4", "tile-5t", "tile-6", "tile-7", "tile-8"]


def with_field(text: str, k: int, value: str) -> str:
    words = text.split(" ")
    words[k] = value
    return " ".join(words)


def with_square(text: str, k: int, name: str, code: str) -> str:
    """The string with another character on a square of TERRAIN (k is 0) or of PIECES (1)."""
    rows = text.split(" ")[k].split("/")
    r, i = "ihgfedcba".index(name[0]), int(name[1:])
    rows[r] = rows[r][: i - 1] + code + rows[r][i:]
    return with_field(text, k, "/".join(rows))


def moved(text: str, start: str, end: str) -> str:
    """The string with a piece lifted from one square to another."""
    code = on(text, start)
    return with_square(with_square(text, 1, start, "."), 1, end, code)


def on(text: str, name: str) -> str:
    return text.split(" ")[1].split("/")["ihgfedcba".index(name[0])][int(name[1:]) - 1]


def position_after(*actions: str) -> str:
    return play(GAME.new(), *actions).position()


def puts(terrain: str, rows: str, barred: set[str], count: int) -> list[str]:
    """The actions that put some pieces on the first free squares of rows."""
    lines = dict(zip("ihgfedcba", terrain.split("/"), strict=True))
    names = [f"{row}{i}" for row in rows for i in range(1, LENGTH[row] + 1) if lines[row][i - 1] != "M"]
    return [f"put-{name}" for name in names if name not in barred][:count]


KING = GAME.new().position()
TILE3 = position_after("king-b5", *TILES[:3])
PUT0 = position_after("king-b5", *TILES)
_PUTS = puts(PUT0.split(" ")[0], "abcd", {"b5"}, 22)
PUT7 = position_after("king-b5", *TILES, *_PUTS[:7])
BLACK_KING = position_after("king-b5", *TILES, *_PUTS)
_LAID = play(read(BLACK_KING), "king-h5", *TILES)
BLACK_TILE2 = play(read(BLACK_KING), "king-h5", *TILES[:2]).position()
BLACK_PUT21 = play(_LAID, *puts(_LAID.position().split(" ")[0], "ihgf", {"h5"}, 21)).position()
MIDDLE = play(read(A), "d4-e4").position()

EXAMPLES = {
    "A": A,
    "B": B,
    "king": KING,
    "tile-3": TILE3,
    "put-0": PUT0,
    "put-7": PUT7,
    "Black's king": BLACK_KING,
    "Black's tile-2": BLACK_TILE2,
    "Black's put-21": BLACK_PUT21,
    "rabble": MIDDLE,
}


@pytest.mark.parametrize("text", EXAMPLES.values(), ids=EXAMPLES.keys())
def test_position_round_trip(text: str) -> None:
    state = read(text)
    assert state.position() == text
    assert state.actor == int(text.split(" ")[2])


def test_phases_match_rules_page() -> None:
    phases = {name: text.split(" ")[3] for name, text in EXAMPLES.items()}
    assert phases == {
        "A": "play",
        "B": "play",
        "king": "king",
        "tile-3": "tile-3:45678",
        "put-0": "put-0",
        "put-7": "put-7",
        "Black's king": "king",
        "Black's tile-2": "tile-2:345678",
        "Black's put-21": "put-21",
        "rabble": "rabble-e4",
    }


def test_parsed_set_up_allows_same_actions_as_played() -> None:
    for k in range(31):
        actions = ("king-b5", *TILES, *_PUTS)[:k]
        played = play(GAME.new(), *actions)
        assert legal(read(played.position())) == legal(played)
    again = play(read(BLACK_PUT21), legal(read(BLACK_PUT21))[0])
    assert again.position().split(" ")[2:] == ["1", "play", "0", "0"]


REFUSED = {
    # not in canonical form
    "empty": ("", "6 fields"),
    "five fields": (A.rpartition(" ")[0], "6 fields"),
    "seven fields": (f"{A} 0", "6 fields"),
    "two blanks": (A.replace(" 1 play", "  1 play"), "6 fields"),
    "a blank at the end": (f"{A} ", "6 fields"),
    "eight rows": (with_field(A, 0, A.split(" ")[0].rpartition("/")[0]), "nine rows"),
    "a row too short": (A.replace("/............/", "/.........../", 1), "row e of TERRAIN has 12 squares"),
    "a row too long": (A.replace("/LSSRR", "/.LSSRR"), "row d of PIECES has 11 squares"),
    "a ground of no kind": (with_square(A, 0, "e5", "X"), "TERRAIN holds 'X' on e5"),
    "a piece of no kind": (with_square(A, 1, "e5", "Q"), "PIECES holds 'Q' on e5"),
    "a letter beyond ASCII": (with_square(A, 1, "e5", "\u212a"), "on e5"),
    "seat 0": (with_field(A, 2, "0"), "is not a number from 1 to 2"),
    "seat 3": (with_field(A, 2, "3"), "is not a number from 1 to 2"),
    "no such phase": (with_field(A, 3, "Play"), "PHASE is"),
    "a newline after the phase": (with_field(A, 3, "play\n"), "PHASE is"),
    "an observation's phase": (with_field(KING, 3, "hidden"), "PHASE hidden"),
    "a leading zero": (with_field(B, 5, "060"), "is not a number from 0 to 400"),
    "a sign": (with_field(B, 4, "+3"), "is not a number from 0 to 100"),
    "another script's digit": (with_field(B, 4, "\u0663"), "is not a number from 0 to 100"),
    "no number": (with_field(B, 4, ""), "is not a number from 0 to 100"),
    "tiles in no order": (with_field(TILE3, 3, "tile-3:54678"), "PHASE is"),
    "a tile twice": (with_field(TILE3, 3, "tile-3:44678"), "PHASE is"),
    "too few tiles": (with_field(TILE3, 3, "tile-3:4567"), "PHASE is"),
    "too many tiles": (with_field(TILE3, 3, "tile-3:345678"), "PHASE is"),
    "no tiles": (with_field(TILE3, 3, "tile-3"), "PHASE is"),
    "eight tiles laid": (with_field(PUT0, 3, "tile-8:"), "PHASE is"),
    "tile 9": (with_field(TILE3, 3, "tile-3:56789"), "PHASE is"),
    "22 pieces put": (with_field(PUT7, 3, "put-22"), "PHASE is"),
    "put with a leading zero": (with_field(PUT7, 3, "put-07"), "PHASE is"),
    "a Rabble beyond the board": (with_field(MIDDLE, 3, "rabble-e13"), "PHASE is"),
    # terrain that no laying of tiles gives
    "no ground in play": (with_square(A, 0, "d1", "?"), "White's side"),
    "one mountain more": (with_square(A, 0, "a1", "M"), "White's side"),
    "water instead of a mountain": (with_square(A, 0, "a4", "W"), "White's side"),
    "one mountain less": (with_square(A, 0, "a4", "."), "White's side"),
    "a mountain of Black's less": (with_square(A, 0, "i2", "."), "Black's side"),
    "water in row e": (with_square(A, 0, "e5", "W"), "row e is plain"),
    "a mountain on the king tile": (with_square(TILE3, 0, "c5", "M"), "cannot produce the TERRAIN"),
    "the king tile not laid": (with_square(TILE3, 0, "c5", "?"), "cannot produce the TERRAIN"),
    "ground where no tile lies": (with_square(TILE3, 0, "a1", "."), "there is no tile on a1"),
    "no ground where a tile lies": (with_square(TILE3, 0, "d2", "?"), "cannot produce the TERRAIN"),
    "a tile laid that is still to lay": (with_field(TILE3, 3, "tile-3:25678"), "cannot produce the TERRAIN"),
    "a block of no tile": (with_square(TILE3, 0, "d2", "M"), "cannot produce the TERRAIN"),
    "a whole side of no laying": (with_square(PUT0, 0, "d2", "M"), "the nine tiles with the King"),
    "White's side of no laying": (with_square(BLACK_TILE2, 0, "d2", "M"), "the nine tiles with the King"),
    # pieces
    "on a mountain": (moved(A, "d1", "a4"), "stands on a4"),
    "on a mountain of the enemy's": (moved(B, "e4", "i3"), "stands on i3"),
    "on a square without a tile": (with_square(TILE3, 1, "a1", "R"), "stands on a1"),
    "seven Rabble": (with_square(A, 1, "e1", "R"), "7 Rabble"),
    "four Spears": (with_square(A, 1, "e1", "s"), "4 Spears"),
    "two Kings": (with_square(A, 1, "e1", "K"), "2 King"),
    "two Dragons": (with_square(A, 1, "e1", "d"), "2 Dragon"),
    "a Tower in row e": (moved(A, "c1", "e1"), "off its own side"),
    "a Tower on the enemy's side": (moved(A, "h1", "a1"), "off its own side"),
    # Kings
    "White's King missing at its first turn": (with_square(A, 1, "b7", "."), "White's King is missing"),
    "the other seat's King missing": (
        with_field(with_square(B, 1, "h3", "."), 4, "0"),
        "Black's King is missing",
    ),
    "the King missing after a quiet turn": (with_square(B, 1, "b2", "."), "White's King is missing"),
    "both Kings missing": (
        with_square(with_field(with_square(B, 1, "b2", "."), 4, "0"), 1, "h3", "."),
        "Black's King is missing",
    ),
    "the King missing in the middle of a turn": (
        with_square(with_field(with_field(MIDDLE, 5, "8"), 4, "0"), 1, "b7", "."),
        "White's King is missing",
    ),
    # counters
    "QUIET over TURN": (with_field(B, 4, "61"), "over TURN"),
    "QUIET over 100": (with_field(with_field(B, 5, "120"), 4, "101"), "QUIET '101' is not"),
    "TURN over 400": (with_field(B, 5, "402"), "TURN '402' is not"),
    "Black at an even turn": (with_field(B, 2, "2"), "White, seat 1, acts at even ones"),
    "White at an odd turn": (with_field(B, 5, "61"), "White, seat 1, acts at even ones"),
    # rabble
    "no Rabble there": (with_field(MIDDLE, 3, "rabble-e5"), "no Rabble of White"),
    "an enemy's Rabble": (with_field(MIDDLE, 3, "rabble-f4"), "no Rabble of White"),
    "another piece there": (with_field(MIDDLE, 3, "rabble-d1"), "no Rabble of White"),
    "no other Rabble that can move": (
        with_field(with_square(B, 1, "c4", "."), 3, "rabble-e4"),
        "the turn is over",
    ),
    # the set-up
    "QUIET and TURN in the set-up": (with_field(with_field(PUT7, 4, "2"), 5, "2"), "during the set-up"),
    "Black sets up before White": (with_field(KING, 2, "2"), "White's side holds the pieces ''"),
    "White not done": (with_field(PUT7, 2, "2"), "White's side holds"),
    "Black's ground in White's set-up": (with_square(PUT7, 0, "i1", "."), "Black has not started its set-up"),
    "Black's piece in White's set-up": (with_square(PUT7, 1, "e1", "r"), "in row e"),
    "White's piece in row e": (with_square(PUT7, 1, "e1", "S"), "in row e"),
    "a piece before the king tile": (with_square(KING, 1, "b3", "K"), "stands on b3"),
    "ground before the king tile": (with_square(KING, 0, "b3", "."), "White has not started its set-up"),
    "no King with tiles": (with_square(TILE3, 1, "b5", "."), "White's side holds"),
    "a King on no king square": (moved(TILE3, "b5", "c5"), "its squares are b3, b5, b7"),
    "a King on another king square": (moved(PUT0, "b5", "b3"), "the nine tiles with the King on b3"),
    "a piece too few": (with_field(PUT7, 3, "put-8"), "White's side holds"),
    "a piece too many": (with_field(PUT7, 3, "put-6"), "White's side holds"),
    "a piece out of order": (with_square(PUT7, 1, _PUTS[6][4:], "L"), "White's side holds"),
    "pieces with tiles to lay": (with_field(PUT7, 3, "tile-7:8"), "White's side holds"),
    "an enemy's piece on the side": (with_square(PUT7, 1, "d5", "r"), "White's side holds"),
    "White's King moved in Black's set-up": (moved(BLACK_KING, "b5", "d9"), "its squares are"),
    "White's piece short in Black's set-up": (with_square(BLACK_KING, 1, "a1", "."), "White's side holds"),
    "a set-up said to be in play": (with_field(PUT7, 3, "play"), "cannot produce"),
    "play said to be a set-up": (with_field(A, 3, "put-3"), "Black has not started its set-up"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "why"), REFUSED.values(), ids=REFUSED.keys())
def test_impossible_position_is_refused_in_one_sentence(text: str, why: str) -> None:
    with pytest.raises(PositionError) as caught:
        read(text)
    assert why in str(caught.value)
    assert "\n" not in str(caught.value)


# Positions that the page allows.

ACCEPTED = {
    "a King captured just now": with_field(with_square(B, 1, "b2", "."), 4, "0"),
    "QUIET 100": with_field(with_field(B, 5, "100"), 4, "100"),
    "QUIET that is TURN": with_field(B, 4, "60"),
    "TURN 400": with_field(B, 5, "400"),
    "the first turn with few pieces": with_field(with_field(B, 5, "0"), 4, "0"),
    "a capture that no turn made": with_field(with_field(A, 5, "2"), 4, "0"),
    "a Rabble in the middle of the last turn": with_field(with_field(MIDDLE, 5, "400"), 4, "100"),
    "a King that has left its king square": moved(A, "b7", "a8"),
    "a piece on water": moved(A, "d1", "a1"),
    "armies that have changed sides": moved(moved(B, "g2", "a1"), "d2", "i1"),
    "no pieces but the Kings": with_field(B, 1, with_square(f". {NO_PIECES}", 1, "h3", "k")[2:]).replace(
        "........./........ 1", ".K......./........ 1"
    ),
}


@pytest.mark.parametrize("text", ACCEPTED.values(), ids=ACCEPTED.keys())
def test_possible_position_is_parsed(text: str) -> None:
    assert read(text).position() == text


def test_parsed_finished_position_is_over() -> None:
    over = {
        "king": ACCEPTED["a King captured just now"],
        "quiet": ACCEPTED["QUIET 100"],
        "length": ACCEPTED["TURN 400"],
    }
    for reason, text in over.items():
        state = read(text)
        assert (state.actor, state.reason()) == (OVER, reason)
        assert legal(state) == []
    assert read(ACCEPTED["a King captured just now"]).ranks() == (2, 1)
    assert read(ACCEPTED["QUIET 100"]).ranks() == (1, 1)
