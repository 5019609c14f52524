"""Check the games of OpenSpiel by the property suite, and print a table of them.

``python -m benchmarks.openspiel [--games N] [NAME ...]`` plays N random games of each (default: 3) through
all properties of ``tourney check-game``. For games with hidden actions it also tries, before each action of a
random game, to sample a state that fits what the actor sees, and prints how often one is found.
"""

import argparse
import time
from collections.abc import Sequence

from tourney.errors import GameError, PositionError
from tourney.games.base import CHANCE, OVER, AnyGame
from tourney.games.check import check_game
from tourney.games.family import FAMILIES
from tourney.games.game_tree import choose
from tourney.games.registry import find_game
from tourney.seeds import stream

TRIES = 25
"""The samples tried in a game, at most, spread over its length."""


def sampled(game: AnyGame, seed: int = 1) -> tuple[int, int]:
    """Return how many samples were found in a random game, and how many were tried."""
    randbelow = stream(seed, "sampled")
    states = []
    state = game.new()
    while state.actor != OVER:
        if state.actor != CHANCE:
            states.append(state)
        state = state.play(choose(state, randbelow))
    found = tried = 0
    for before in states[:: max(1, len(states) // TRIES)]:
        tried += 1
        try:
            game.sample(before.observation(before.actor), before.actor, randbelow)
            found += 1
        except PositionError:
            pass
    return found, tried


def row(name: str, games: int) -> str:
    """Return a game's row of the table."""
    began = time.monotonic()
    try:
        game = find_game(name)
        findings = list(check_game(game, games=games))
        hit = sampled(game) if game.has_hidden_actions else None
    except GameError as error:
        return f"| `{name.partition(':')[2]}` | | | | no: {error} | |"
    words = (
        f"`{name.partition(':')[2]}`",
        str(game.seat_counts[0]),
        "yes" if game.has_chance else "",
        "yes" if game.has_hidden_actions else "",
        f"no: {findings[0].name}: {findings[0].what}" if findings else "yes",
        "" if hit is None else f"{100 * hit[0] // max(hit[1], 1)} %",
    )
    print(f"{time.monotonic() - began:6.1f} s ", end="")
    return f"| {' | '.join(words)} |"


def main(words: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=3)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args(words)
    names = [f"openspiel:{name}" for name in arguments.names] or FAMILIES.find("openspiel").names()
    for name in names:
        print(row(name, arguments.games), flush=True)


if __name__ == "__main__":
    main()
