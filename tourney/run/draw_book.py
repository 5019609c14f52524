"""Draw an opening book: short openings from a seed, no two of which come to the same.

For games of two seats without chance whose board is its own mirror image, left and right exchanged: of an
opening and its image one is enough. An opening is kept if it leaves the game level, as far as its position
tells: nobody has a point, and no piece has left the board.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Final

from tourney.errors import ActionError
from tourney.games.base import OVER, AnyGame, AnyState
from tourney.seeds import derive, uniform

PLIES: Final = 4
LINES: Final = 60
SEED: Final = 20261120
MISSES: Final = 1000
"""After so many candidates in a row that are no new opening, there are taken to be no more."""


@dataclass(frozen=True, slots=True)
class Board:
    """What must be known of a game: its files, and which fields of its position hold points and pieces."""

    files: str
    points: int
    pieces: tuple[int, ...]


BOARDS: Final[Mapping[str, Board]] = {
    "sages-tafl": Board("abcdefgh", points=3, pieces=(0, 2)),
    "seven-sages": Board("abcdefghijklmno", points=4, pieces=(0, 1)),
}


def book_text(game: AnyGame, plies: int = PLIES, lines: int = LINES, seed: int = SEED) -> str:
    """Return a book as a text: how it was drawn, as comments, and an opening a line."""
    head = (
        f"# {lines} openings of {game.title} (rules {game.rules}) of {plies} plies, from the seed {seed}.\n"
        "# Nobody has a point, no piece has left the board, no two come to the same or to mirror images.\n"
        "# Made by python -m tourney.run.make_seeds; see tourney/run/draw_book.py.\n"
    )
    openings = islice(draw(game, plies, seed), lines)
    return head + "".join(" ".join(opening) + "\n" for opening in openings)


def draw(game: AnyGame, plies: int, seed: int) -> Iterator[tuple[str, ...]]:
    """Yield openings, until many candidates in a row are none.

    The k-th candidate's j-th action is drawn by ``derive(seed, "book", GAME, k, j)``, both from 0.
    """
    board = BOARDS[game.name]
    seen: set[str] = set()
    k = misses = 0
    while misses < MISSES:
        actions, state = _candidate(game, plies, seed, k)
        k += 1
        misses += 1
        key = _key(game, board, state, actions)
        if state.actor != OVER and key not in seen and _level(game, board, state):
            seen.add(key)
            misses = 0
            yield tuple(actions)


def _candidate(game: AnyGame, plies: int, seed: int, k: int) -> tuple[list[str], AnyState]:
    """Draw some first actions; return them, and where they lead."""
    actions: list[str] = []
    state = game.new()
    while len(actions) < plies and state.actor != OVER:
        legal = state.legal_actions()
        action = legal[uniform(derive(seed, "book", game.name, k, len(actions)), len(legal))]
        actions.append(game.action_string(action))
        state = state.play(action)
    return actions, state


def mirrored(action: str, files: str) -> str:
    """Return an action with the files of its squares exchanged, the first for the last."""
    return re.sub(
        r"[a-z](?=[0-9])", lambda match: files[len(files) - 1 - files.index(match[0])], action, flags=re.ASCII
    )


def _key(game: AnyGame, board: Board, state: AnyState, actions: list[str]) -> str:
    """Return what stands for an opening and its mirror image: the lesser of their positions."""
    image = game.new()
    try:
        for action in actions:
            image = image.play(game.read_action(image, mirrored(action, board.files)))
    except ActionError as error:
        raise ValueError(f"the board of {game.name} is not its own mirror image: {error}") from error
    return min(state.position(), image.position())


def _level(game: AnyGame, board: Board, state: AnyState) -> bool:
    fields, first = state.position().split(" "), game.new().position().split(" ")
    letters = [sum(c.isalpha() for k in board.pieces for c in each[k]) for each in (fields, first)]
    return fields[board.points] == "0:0" and letters[0] == letters[1]
