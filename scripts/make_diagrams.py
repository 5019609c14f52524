"""The boards in docs/rules: ``python -m scripts.make_diagrams DIR`` writes DIR/GAME.svg for every game.

Each shows a position of a random game from a fixed seed, so anyone can reproduce it.
"""

import sys
from pathlib import Path

from tourney.errors import TourneyError
from tourney.files import write_file
from tourney.games.base import AnyGame
from tourney.games.diagrams import seat_colors
from tourney.games.registry import all_games
from tourney.games.svg_diagram import svg_diagram
from tourney.games.tree import picture


def render(game: AnyGame) -> str:
    """The SVG of the game's picture."""
    return svg_diagram(picture(game), seat_colors(game.seat_names), game.title)


def main(arguments: list[str]) -> int:
    """Write a diagram of each game into the folder given as the only argument; return the exit code."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m scripts.make_diagrams DIR\n")
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
