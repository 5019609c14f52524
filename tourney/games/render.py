"""The boards in docs/rules: ``python -m tourney.games.render DIR`` writes DIR/GAME.svg for every game.

Each shows a position of a random game from a fixed seed, so anyone can reproduce it.
"""

import sys
from pathlib import Path

from tourney.errors import TourneyError
from tourney.files import write_file
from tourney.games.base import AnyGame
from tourney.games.diagram import Diagram
from tourney.games.game_tree import playout
from tourney.games.registry import all_games
from tourney.games.svg_diagram import seat_colors, svg_diagram
from tourney.seeds import stream

SEED = 7


def picture(game: AnyGame) -> Diagram:
    """Return a position after ``diagram_plies`` random actions, at the largest table."""
    *_, (_, action), (state, _) = playout(
        game.new(game.seat_counts[-1]), stream(SEED, "picture", game.name), game.diagram_plies
    )
    return game.diagram(state.position(), game.action_string(action))


def render(game: AnyGame) -> str:
    """Return the SVG of the game's picture."""
    return svg_diagram(picture(game), seat_colors(game.seat_names), game.title)


def main(arguments: list[str]) -> int:
    """Write a diagram of each game into the folder given as the only argument; return the exit code."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m tourney.games.render DIR\n")
        return 2
    folder = Path(arguments[0])
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for game in all_games():
            write_file(folder / f"{game.name}.svg", render(game).encode("utf-8"))
    except (OSError, TourneyError) as error:
        sys.stderr.write(f"error: {error}\n")
        return getattr(error, "exit_code", 3)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
