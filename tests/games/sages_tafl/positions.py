"""Positions of Sages Tafl for tests: pieces by letter and square, other fields by default."""

from collections.abc import Iterable

from tourney.errors import PositionError
from tourney.games.base import State
from tourney.games.sages_tafl import SagesTafl

GAME = SagesTafl()
START = "2aaaa2/f1aaaa1f/8/8/8/8/8/F1AAAA1F/2AAAA2 1 Tt 0:0 0 0"


def board(pieces: str) -> str:
    """The field BOARD of pieces as ``Ad4 fh5``."""
    at = {word[1:]: word[0] for word in pieces.split()}
    ranks = []
    for rank in "987654321":
        row, run = "", 0
        for file in "abcdefgh":
            piece = at.pop(file + rank, None)
            if piece is None:
                run += 1
                continue
            row += (str(run) if run else "") + piece
            run = 0
        ranks.append(row + (str(run) if run else ""))
    assert not at, at
    return "/".join(ranks)


def text(
    pieces: str, seat: int = 1, towers: str = "Tt", points: str = "2:2", quiet: int = 0, ply: int = 0
) -> str:
    """A position string; by default both sides are two points and a sage away from the end."""
    return f"{board(pieces)} {seat} {towers} {points} {quiet} {ply}"


def read(position: str) -> State[int]:
    return GAME.parse_position(position, 2, {})


def made(
    pieces: str, seat: int = 1, towers: str = "Tt", points: str = "2:2", quiet: int = 0, ply: int = 0
) -> State[int]:
    """The state of such a position."""
    return read(text(pieces, seat, towers, points, quiet, ply))


def legal(state: State[int]) -> list[str]:
    return [GAME.action_string(action) for action in state.legal_actions()]


def targets(state: State[int], source: str) -> set[str]:
    """The target squares of the piece on a square (or in the tower)."""
    return {word.partition("-")[2] for word in legal(state) if word.startswith(source + "-")}


def play(state: State[int], actions: str | Iterable[str]) -> State[int]:
    """Play blank-separated actions, each of which must be legal."""
    for word in actions.split() if isinstance(actions, str) else actions:
        state = state.play(GAME.read_action(state, word))
    return state


def field(state: State[int], name: str) -> str:
    """A field of the position string by its name on the rules page."""
    names = ["BOARD", "SEAT", "TOWERS", "POINTS", "QUIET", "PLY"]
    return state.position().split(" ")[names.index(name)]


def refusal(position: str) -> str:
    """The error for a string, or "" if it is accepted."""
    try:
        read(position)
    except PositionError as error:
        return str(error)
    return ""
