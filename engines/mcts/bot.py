"""Monte Carlo tree search for every game and number of seats.

``--nodes=N`` is the number of playouts a turn. Without it the tournament's ``nodes`` count, and otherwise the
bot uses a share of its clock.
"""

import argparse
from typing import Any

from tourney.bot import Match, Turn, run
from tourney.bot.heuristics import heuristics_of
from tourney.bot.search import Budget, Mcts, report

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--nodes", type=int)
arguments = parser.parse_args()


def start(match: Match) -> None:
    """Load what the search knows of the game, in the start-up time."""
    match.memory["heuristics"] = heuristics_of(match.game_name)


def choose(state: Any, turn: Turn) -> Any:
    """Return the action that the search visits most."""
    search = Mcts(turn.match.memory["heuristics"], turn.draw)
    found = search.run(state, Budget.of(turn, arguments.nodes), None if turn.exact else turn.sample)
    report(turn, found)
    return found.action


run(choose, start=start, hidden=True, name="mcts", version="1.0")
