"""Hand-made positions: a few pieces on any ground, each for one sentence of the rules."""

from tourney.games.base import State
from tourney.games.cyvasse import Cyvasse
from tourney.games.cyvasse.board import (
    BARE,
    MOUNTAIN,
    NO_PIECES,
    NUMBER,
    PLAIN,
    STEPS,
    UNLAID,
    WATER,
    CyvassePosition,
    Phase,
)
from tourney.seeds import derive

GAME = Cyvasse()

LENGTH = dict(zip("abcdefghi", (8, 9, 10, 11, 12, 11, 10, 9, 8), strict=True))
"""Number of squares in each row."""

A = (
    ".MWWM..W/........./.....W..../.........../............/.........../....W...../........./W..MWWM."
    " ......../w.k....../dlhheecctw/slrrrrrrssl/............/LSSRRRRRRLS/WTCCEEHHLD/......K.W/........"
    " 1 play 0 0"
)
B = (
    "..M...WW/........./W.......M./.....W....M/............/.WWW.....W./......M.../......M../........"
    " ......../..kw...../.h...S..../.........../..rRe.Dr.t../.L........./...R....../.K......./..W....."
    " 1 play 3 60"
)
"""The two positions of the page's perft table."""

WHITE_TILES = ["tile-1", "tile-2t", "tile-3", "tile-4", "tile-5t", "tile-6", "tile-7", "tile-8"]
"""Tiles for king square b5 or h5, whose blocks are L, L, R, R above and below."""


def place(
    pieces: str,
    *,
    mountains: str = "",
    water: str = "",
    seat: int = 1,
    rabble: str = "",
    quiet: int = 0,
    turn: int | None = None,
) -> State[int]:
    """A position with pieces, as ``Rd5 re6``; a missing King stands on a1 or i8.

    The ground need not come from a laying of tiles.
    """
    ground = list(BARE.replace(UNLAID, PLAIN))
    for name in mountains.split():
        ground[NUMBER[name]] = MOUNTAIN
    for name in water.split():
        ground[NUMBER[name]] = WATER
    board = bytearray(NO_PIECES)
    words = pieces.split()
    words += [home for home in ("Ka1", "ki8") if not any(word.startswith(home[0]) for word in words)]
    for word in words:
        s = NUMBER[word[1:]]
        assert board[s] == ord("."), f"two pieces on {word[1:]}"
        assert ground[s] != MOUNTAIN, f"{word} stands on a mountain"
        board[s] = ord(word[0])
    begun = seat - 1 if turn is None else turn
    phase = Phase("rabble", rabble=NUMBER[rabble]) if rabble else Phase("play")
    return GAME.state_at(CyvassePosition("".join(ground), bytes(board), seat, phase, quiet, begun))


def legal(state: State[int]) -> list[str]:
    """The legal actions as strings, in their order."""
    return [GAME.action_string(action) for action in state.legal_actions()]


def piece_actions(state: State[int], name: str) -> set[str]:
    """The actions of the piece on a square, without that square: ``-e5``, ``xe6``, ``xe6-d5``."""
    found = {text for text in legal(state) if text.startswith((f"{name}-", f"{name}x"))}
    return {text.removeprefix(name) for text in found}


def ends(state: State[int], name: str) -> set[str]:
    """The squares on which the normal moves of a piece end."""
    return {text.removeprefix("-") for text in piece_actions(state, name) if text.startswith("-")}


def captures(state: State[int], name: str) -> set[str]:
    """The captures of a piece, each without its square."""
    return {text for text in piece_actions(state, name) if text.startswith("x")}


def play(state: State[int], *actions: str) -> State[int]:
    """The state after some actions; each must be legal."""
    for text in actions:
        state = state.play(GAME.read_action(state, text))
    return state


def read(text: str) -> State[int]:
    """The state that a position string names."""
    return GAME.parse_position(text, 2, {})


def neighbours(name: str) -> set[str]:
    """Follow the page: i-1, i+1 in the row; i, i+1 in a longer row beside; i-1, i in a shorter one."""
    row, i = name[0], int(name[1:])
    found = {(row, i - 1), (row, i + 1)}
    for other in (chr(ord(row) - 1), chr(ord(row) + 1)):
        if other in LENGTH:
            found |= (
                {(other, i), (other, i + 1)} if LENGTH[other] > LENGTH[row] else {(other, i - 1), (other, i)}
            )
    return {f"{r}{k}" for r, k in found if 1 <= k <= LENGTH[r]}


def lay_out(state: State[int], seed: int = 1, steps: int = STEPS) -> State[int]:
    """Play some set-up actions, chosen at random by the seed."""
    for k in range(steps):
        actions = state.legal_actions()
        state = state.play(actions[derive(seed, k) % len(actions)])
    return state
