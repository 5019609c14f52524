"""Positions of Element for tests: named stones, all others in the bag."""

from tourney.games.base import State
from tourney.games.element import Element

GAME = Element()
COLUMNS = "abcdefghijk"
FIELDS = ["BOARD", "SAGES", "SEAT", "PHASE", "HAND", "STEPS", "USED", "BAG", "TURN"]

START_2 = "/".join(["..........."] * 11) + " f5,f7 1 draw - - - A30,E30,F30,W30 0"
A = (
    ".........../.........../.........../......W..../...EE.1W.../..E.1F.W.../..ME..FWF../...WWW...../"
    "......E..../.........../........... e5,f7 1 act AEWW 1 - A27,E22,F27,W21 12"
)
B = (
    ".........../.........../.....1...../....41.1.../......2W.../.........../...12.F..../...M13FF.../"
    "..FE......./.........../........... f5,g8 1 act AFW 2 - A13,E27,F25,W28 20"
)
"""The positions of the rules page's perft table."""


def stones_of(what: str) -> tuple[str, int]:
    """The letter and the number of the stones that a board's letter stands for."""
    if what in "1234":
        return "A", int(what)
    return ("E", 2) if what == "M" else (what, 1)


def text(
    stones: str = "",
    sages: str = "a1 k11",
    hand: str = "",
    steps: str = "",
    phase: str = "act",
    used: str = "",
    turn: int = 0,
    seat: int | None = None,
) -> str:
    """A position string: stones as ``Fe5 2d4``, separated by blanks; the others are in the bag.

    Without ``steps`` it is 1 in the phases that have steps. Turns begin with seat 1.
    """
    board = {word[1:]: word[0] for word in stones.split()}
    bag = dict.fromkeys("AEFW", 30)
    for what in board.values():
        letter, count = stones_of(what)
        bag[letter] -= count
    for letter in hand:
        bag[letter] -= 1
    rows = ["".join(board.get(f"{column}{row}", ".") for column in COLUMNS) for row in range(11, 0, -1)]
    drawing = phase == "draw" or phase.startswith("chance")
    fields = [
        "/".join(rows),
        sages.replace(" ", ","),
        str(turn % len(sages.split()) + 1 if seat is None else seat),
        phase,
        hand or "-",
        "-" if drawing else steps or "1",
        used.replace(" ", ",") or "-",
        ",".join(f"{letter}{count}" for letter, count in bag.items()),
        str(turn),
    ]
    return " ".join(fields)


def read(string: str) -> State[int]:
    return GAME.parse_position(string, string.split(" ")[1].count(",") + 1, {})


def made(
    stones: str = "",
    sages: str = "a1 k11",
    hand: str = "",
    steps: str = "",
    phase: str = "act",
    used: str = "",
    turn: int = 0,
) -> State[int]:
    return read(text(stones, sages, hand, steps, phase, used, turn))


def legal(state: State[int]) -> list[str]:
    return [GAME.action_string(action) for action in state.legal_actions()]


def named(state: State[int], word: str) -> set[str]:
    """The squares that the legal actions of a kind name, such as ``step`` or ``F``."""
    return {action.split("-")[1] for action in legal(state) if action.startswith(f"{word}-")}


def play(state: State[int], *actions: str) -> State[int]:
    for action in actions:
        state = state.play(GAME.read_action(state, action))
    return state


def field(state: State[int], name: str) -> str:
    return state.position().split(" ")[FIELDS.index(name)]


def board(state: State[int]) -> set[str]:
    """The stones on the board, as ``Fe5``."""
    rows = field(state, "BOARD").split("/")
    return {
        f"{what}{column}{row}"
        for row, line in zip(range(11, 0, -1), rows, strict=True)
        for column, what in zip(COLUMNS, line, strict=True)
        if what != "."
    }


def board_after(state: State[int], *actions: str) -> set[str]:
    """The stones on the board after some actions."""
    return board(play(state, *actions))


def around(square: str) -> set[str]:
    """A square's neighbours."""
    x, y = COLUMNS.index(square[0]), int(square[1:])
    places = {(x + dx, y + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)} - {(x, y)}
    return {f"{COLUMNS[x]}{y}" for x, y in places if 0 <= x < 11 and 1 <= y <= 11}
