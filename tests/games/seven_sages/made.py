"""Positions of The Seven Sages for tests: named sages, the others out of the way."""

from tourney.games.base import State
from tourney.games.seven_sages import SevenSages

GAME = SevenSages()
START = "c5,e4,g3,h1,i3,k4,m5 c11,e12,g13,h15,i13,k12,m11 h8 1 0:0 1 0 1"
FIELDS = ["RED", "BLUE", "FOOL", "SEAT", "POINTS", "ROUND", "PLY", "STARTER"]

RED_AWAY = ["a3", "a4", "a6", "a10", "a12", "a13", "a1"]
"""Squares of Red's other sages: on the outer files, never three in line, so few ways meet them."""
BLUE_AWAY = ["o3", "o4", "o6", "o10", "o12", "o13", "o1"]


def order(square: str) -> tuple[str, int]:
    return square[0], int(square[1:])


def side(named: str, away: list[str]) -> str:
    squares = named.split()
    squares += [square for square in away if square not in squares][: 7 - len(squares)]
    return ",".join(sorted(squares, key=order))


def text(
    red: str = "",
    blue: str = "",
    fool: str = "h8",
    seat: int = 1,
    points: str = "0:0",
    round_: int = 1,
    ply: int | None = None,
    starter: int = 1,
) -> str:
    """A position string; without ``ply`` it is the seat's first action."""
    moves = (0 if seat == starter else 1) if ply is None else ply
    return f"{side(red, RED_AWAY)} {side(blue, BLUE_AWAY)} {fool} {seat} {points} {round_} {moves} {starter}"


def read(string: str) -> State[int]:
    return GAME.parse_position(string, 2, {})


def made(red: str = "", blue: str = "", fool: str = "h8", seat: int = 1) -> State[int]:
    return read(text(red, blue, fool, seat))


def legal(state: State[int]) -> list[str]:
    return [GAME.action_string(action) for action in state.legal_actions()]


def ends(state: State[int], leaving: str) -> set[str]:
    """Where the plain moves of a sage end."""
    return {action.split("-")[1] for action in legal(state) if action.startswith(f"{leaving}-")}


def rest_squares(state: State[int], leaving: str) -> set[str]:
    """Where the ousts by a sage bring the fool."""
    return {action.split(">")[1] for action in legal(state) if action.startswith(f"{leaving}x")}


def play(state: State[int], *actions: str) -> State[int]:
    for action in actions:
        state = state.play(GAME.read_action(state, action))
    return state


def field(state: State[int], name: str) -> str:
    return state.position().split(" ")[FIELDS.index(name)]


def squares(*runs: str) -> set[str]:
    """Squares, a run of a file or of a rank written as ``h9-h13`` or ``b9-g9``."""
    found: set[str] = set()
    for run in runs:
        first, _, last = run.partition("-")
        last = last or first
        files = range(ord(first[0]), ord(last[0]) + 1)
        found |= {f"{chr(x)}{y}" for x in files for y in range(int(first[1:]), int(last[1:]) + 1)}
    return found
